"""Plays that stand in a page without a server: what `share` stores in it, and what its worker answers there.

The page has neither parser nor checker: a ruleset comes to it checked, as a program and the Python written from it.
Requests and replies are those of `studio/play_service.py`, and those of `PagePlays`. Dice are always asked for: whoever
plays throws them in the page or types what fell on the table.
"""

import io
import json
import pickle
import posixpath
import sys
from collections.abc import Callable, Mapping, Sequence
from copyreg import dispatch_table
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from rulewright.base.diagnostics import PLAIN_PAINTER
from rulewright.base.frozen import dataclass as frozen_dataclass
from rulewright.base.source import Span
from rulewright.documents.document_nodes import Json
from rulewright.documents.state_json import state_to_json
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.play_story import Story
from rulewright.play.player_views import advance_to_person
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, begin_session
from rulewright.runtime.executable import CompiledSource, Executable, compile_written, link_executable
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.type_codecs import format_value
from rulewright.studio.play_service import PlayLine, PlayService, RequestRefusedError

_MAX_SEED = (1 << 31) - 1
_PLAIN_STORY = "decisive"
_LATER_MODULES = ("yaml", "rulewright.explain.explanation")
"""Modules that a play needs, but not its first question."""


@frozen_dataclass(frozen=True, slots=True)
class StoredScenario:
    """A play that can begin in a page: the number of its program, and the pickled rest of its start."""

    program: int
    start: bytes


@frozen_dataclass(frozen=True, slots=True)
class StoredPlays:
    """All plays of a page: pickled programs with the Python written from them, and what begins with them."""

    ruleset: str  # its title
    programs: tuple[bytes, ...]
    scenarios: tuple[StoredScenario, ...]


def store_program(written: CompiledSource) -> bytes:
    """A program for a page, without the folders in which its texts stand."""
    return _pickle_without_folders((written.module, written.flow_tables))


def store_start(start: PlayStart, program: int) -> StoredScenario:
    """The start of a play for a page, apart from its program."""
    rest = (start.procedure.name, start.situation, start.arguments, start.limits)
    return StoredScenario(program, _pickle_without_folders(rest))


def _pickle_without_folders(data: object) -> bytes:
    content = io.BytesIO()
    pickler = pickle.Pickler(content, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {**dispatch_table, Span: _reduce_without_folder}
    pickler.dump(data)
    return content.getvalue()


def _reduce_without_folder(span: Span) -> tuple[type[Span], tuple[str, int, int]]:
    return Span, (posixpath.basename(span.source.replace("\\", "/")), span.start, span.end)


def begin_with_asked_dice(start: PlayStart, seed: int) -> PlayService:
    """The play as a page begins it: every roll is asked for, and `throw` answers by the seed."""
    chance = SeededRandom(seed)
    begun = start.with_withheld_questions()
    session = begin_session(begun, AnswerSourceChain(begun.names, chance, None, has_seeded_dice=False))
    session, diagnostics = advance_to_person(session)
    messages = [one.message for one in diagnostics]
    return PlayService(begun, {}, begun.executable.program.title, {0: PlayLine(session)}, messages)


def summarize_end(session: Session) -> dict[str, Json]:
    """How a play stands, for comparison with the same answers under other rules: outcome, story, state and answers."""
    match session.outcome:
        case Ended():
            outcome = "ended"
        case Refused():
            outcome = "refused"
        case Faulted(code=code):
            outcome = code
        case _:
            outcome = "open"
    result_type = session.start.procedure.result
    result = ""
    if result_type is not None and isinstance(session.outcome, Ended):
        result = format_value(session.outcome.result, result_type, session.start.names)
    return {
        "outcome": outcome,
        "result": result,
        "story": [*render_plain_story(session)],
        "state": state_to_json(session.situation, session.start.executable.program),
        "script": [{"at": at, "by": by, "answer": answer} for at, by, answer in session.list_answers()],
    }


def render_plain_story(session: Session) -> list[str]:
    """The lines of the story of a play, as plays are sent back with it."""
    return [*Story(session.start.names, _PLAIN_STORY, PLAIN_PAINTER).render_session(session)]


@dataclass
class PagePlays:
    """The plays of a page, of which one is played at a time."""

    stored: StoredPlays
    compile_next: Callable[[], bool] = lambda: False  # of the modules that are not imported yet
    service: PlayService | None = None
    _executables: dict[int, Executable] = field(default_factory=dict)

    def handle_text(self, text: str) -> str:
        """Reply to a request, both as JSON."""
        try:
            reply = self.handle_request(json.loads(text))
        except RequestRefusedError as refused:
            reply = {"problem": str(refused)}
        return json.dumps(reply, separators=(",", ":"))

    def handle_request(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Reply to a request.

        Raises:
            RequestRefusedError: it cannot be done; nothing has changed.
        """
        action = self._list_page_actions().get(str(request.get("do")))
        if action is not None:
            return action(request)
        return self._require_service().handle_request(request)

    def _list_page_actions(self) -> dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]]:
        return {"begin": self.begin, "restore": self.restore, "prepare": self.prepare, "finish": self.finish}

    def begin(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Begin a scenario by its number with a seed, in place of the play before it."""
        self.service = self._begin_service(request)
        return self.service.handle_request({"do": "see", "seat": request.get("seat")})

    def restore(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Begin, and do again what was done: `requests`; `done` says how many of them could be."""
        service, done, problem = self._begin_service(request), 0, ""
        requests = request.get("requests")
        for each in requests if isinstance(requests, list) else ():
            try:
                service.apply_request(each if isinstance(each, dict) else {})
            except RequestRefusedError as refused:
                problem = str(refused)
                break
            done += 1
        self.service = service
        return {**service.handle_request({"do": "see", "seat": request.get("seat")}), "done": done, "stopped": problem}

    def prepare(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Compile or import something of what a first answer in words, and a first why, need; `ready` says if all is there.

        Each time only so much that a question that comes then does not wait for long.
        """
        del request
        if self.compile_next():
            return {"ready": False}
        name = next((name for name in _LATER_MODULES if name not in sys.modules), None)
        if name is not None:
            import_module(name)
        return {"ready": name is None}

    def finish(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """How the play stands, to be sent back."""
        del request
        return summarize_end(self._require_service().lines[0].session)

    def _require_service(self) -> PlayService:
        if self.service is None:
            raise RequestRefusedError("no play has begun")
        return self.service

    def _begin_service(self, request: Mapping[str, Any]) -> PlayService:
        number = _read_number(request, "scenario", len(self.stored.scenarios) - 1)
        seed = _read_number(request, "seed", _MAX_SEED)
        stored = self.stored.scenarios[number]
        executable = self._link_program(stored.program)
        procedure, situation, arguments, limits = pickle.loads(stored.start)  # noqa: S301 - written by `share` in this page
        start = PlayStart(executable, executable.program.procedures[procedure], situation, arguments, limits)
        return begin_with_asked_dice(start, seed)

    def _link_program(self, number: int) -> Executable:
        if number not in self._executables:
            module, flows = pickle.loads(self.stored.programs[number])  # noqa: S301 - as above
            self._executables[number] = link_executable(CompiledSource(module, flows, compile_written(module)))
        return self._executables[number]


def _read_number(request: Mapping[str, Any], name: str, highest: int) -> int:
    given = request.get(name)
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= highest:
        raise RequestRefusedError(f"`{name}` is a whole number from 0 to {highest}")
    return given


def open_stored_plays(content: bytes, compile_next: Callable[[], bool] = lambda: False) -> PagePlays:
    """The plays of a page from what `store_plays` wrote."""
    return PagePlays(pickle.loads(content), compile_next)  # noqa: S301 - as above


def store_plays(ruleset: str, programs: Sequence[bytes], scenarios: Sequence[StoredScenario]) -> bytes:
    """All plays of a page as bytes."""
    return pickle.dumps(StoredPlays(ruleset, tuple(programs), tuple(scenarios)), pickle.HIGHEST_PROTOCOL)
