"""The face for people who write Python: load, check, start, answer, end.

```python
from rulewright import api

ruleset = api.load("skirmish")
play = api.start(ruleset, "strike", state, {"striker": "gawain", "target": "mordred"})
while play.request is not None:
    play = play.answered(decide(play.request))
print(play.state)
```

States and answers are JSON data in the form of state files and scripts. A play is immutable: keeping an older one is
going back, and answering it again is another play. `chances` and `key` serve exact odds: how many of six blows hit.

```python
play = api.start(ruleset, "strikes", state, {"striker": "gawain"}, recorded=False)
waiting, odds = {play.key(): (play, Fraction(1))}, Counter()
while waiting:
    play, weight = waiting.pop(next(iter(waiting)))
    if play.ended:
        odds[play.result] += weight
    elif not play.chances:
        raise LookupError("a player is asked, or the play stopped")
    for each in play.chances:
        after = play.fell(each)
        _, before = waiting.get(after.key(), (None, 0))
        waiting[after.key()] = after, before + weight * each.weight
```
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import Any

from rulewright.base.diagnostics import Diagnostic, has_errors
from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.base.files import BoundedFiles, ProjectFileError
from rulewright.base.source import Text
from rulewright.documents.answers import answer_to_json, read_answer
from rulewright.documents.document_nodes import Json
from rulewright.documents.findings import ReadResult, describe_choices, did_you_mean, quote_name
from rulewright.documents.procedure_arguments import PYTHON_HINT, bind_arguments, find_procedure
from rulewright.documents.project_bounds import bound_files
from rulewright.documents.request_schemas import request_schema
from rulewright.documents.state_json import parse_state_data, state_to_json
from rulewright.documents.value_reader import data_to_node, find_json_error, make_data_error, report_non_mapping
from rulewright.documents.workspace import LoadedRuleset, locate_ruleset
from rulewright.documents.workspace.check_findings import load_and_check
from rulewright.documents.workspace.ruleset_loading import load_cached_ruleset
from rulewright.play.answer_sources import AnswerSourceChain, SourcedAnswer
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, begin_session, make_refusal_diagnostic
from rulewright.play.session_views import restrict_to_player
from rulewright.program.declarations import Program
from rulewright.runtime.chance_outcomes import TooManyOutcomesError
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import CHANCE_SORTS, Ended, Faulted, RefusalReason, Refused, Request, TraceEntry
from rulewright.runtime.run import Outcome, Paused
from rulewright.runtime.state import GameSetup
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value

__all__ = ["Likely", "Play", "Ruleset", "TooManyOutcomesError", "WrongInputError", "check", "load", "start"]


class WrongInputError(Exception):
    """Something given is not right; the text is what the command line would print.

    Attributes:
        diagnostics: what is wrong.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], texts: Mapping[str, Text] | None = None) -> None:
        told: dict[str, Diagnostic] = {}
        for diagnostic in diagnostics:
            told.setdefault(render_plain_diagnostic(diagnostic, texts or {}), diagnostic)
        self.diagnostics = tuple(told.values())
        super().__init__("\n".join(told))


@dataclass(frozen=True, slots=True)
class Likely:
    """What chance may give."""

    answer: Json  # to the request, as in a script; where several have equal futures, one of them
    weight: Fraction  # how likely they are together, exactly
    _value: Value = field(repr=False)


_BASES = 100
"""So many of what plays began with are kept of a ruleset."""
_PARTS = attrgetter(*(item.name for item in fields(GameSetup)))


@dataclass(frozen=True)
class Ruleset:
    """A checked ruleset."""

    program: Program  # the checked program
    diagnostics: tuple[Diagnostic, ...] = ()  # warnings and hints
    # what never changes in plays of it, the last ones: equal ones are one, so that keys of such plays can be equal
    _bases: list[GameSetup] = field(default_factory=list, repr=False, compare=False)

    def _shared(self, base: GameSetup) -> GameSetup:
        """What plays before began with, where that is equal."""
        result = next((game_setup for game_setup in self._bases if _PARTS(game_setup) == _PARTS(base)), base)
        self._bases[:] = [result, *(game_setup for game_setup in self._bases if game_setup is not result)][:_BASES]
        return result

    @cached_property
    def executable(self) -> Executable:
        """The program compiled, recording what happens."""
        return compile_program(self.program, traced=True)

    @cached_property
    def unrecorded(self) -> Executable:
        """The same, recording nothing."""
        return compile_program(self.program, traced=False)


@dataclass(frozen=True, slots=True, repr=False)
class Play:
    """A play at one moment."""

    _session: Session

    def __repr__(self) -> str:
        return f"<Play of `{self._session.start.procedure.name}`: {self._describe_position()}>"

    def _describe_position(self) -> str:
        match self.outcome:
            case Paused(request=request):
                return f"`{request.address}` waits for an answer (`{request.sort}`)"
            case Faulted(code=code, address=address):
                return f"stopped at `{address}` by {code}"
            case Refused():
                return "could not begin"
            case _:
                return f"ended with {self.result!r}" if self._session.start.procedure.result else "ended"

    @property
    def outcome(self) -> Outcome:
        """Where the play stands: paused, ended, refused or faulted."""
        return self._session.outcome

    @property
    def request(self) -> Request | None:
        """What is asked; none where the play is over."""
        return self.outcome.request if isinstance(self.outcome, Paused) else None

    @property
    def request_schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the answer; none where nothing is asked, or where it is not for those who see this."""
        return (
            None
            if self.request is None or self.request.closed
            else request_schema(self.request, self._session.start.names)
        )

    @property
    def state(self) -> dict[str, Json]:
        """The game now, in the form of a state file."""
        begun, state = self._session.start, self._session.state
        return state_to_json(state.extract_situation() if state else begun.situation, begun.executable.program)

    def seen_by(self, player: str | None) -> "Play":
        """The play without what a player may not know, or somebody who is none of them; to be read, not answered.

        Raises:
            WrongInputError: there is no such player.
        """
        ids = list(self._session.start.names.ids_of_kind("player"))
        if player is not None and player not in ids:
            remedy = did_you_mean(str(player), ids) or describe_choices(ids)
            raise WrongInputError([make_data_error("RW0714", f"there is no player {quote_name(str(player))}", remedy)])
        return Play(restrict_to_player(self._session, None if player is None else ids.index(player)))

    @property
    def ended(self) -> bool:
        """Whether the procedure came to its end."""
        return isinstance(self.outcome, Ended)

    @property
    def result(self) -> Json:
        """What the procedure gave; null where it gives nothing or has not ended."""
        result = self._session.start.procedure.result
        if result is None or not isinstance(self.outcome, Ended):
            return None
        written: Json = value_to_json(self.outcome.result, result, self._session.start.names)
        return written

    @property
    def reasons(self) -> tuple[RefusalReason, ...]:
        """Why the procedure could not begin."""
        return self.outcome.reasons if isinstance(self.outcome, Refused) else ()

    @property
    def fault(self) -> Faulted | None:
        """The line that could not be carried out, if that is how the play is over."""
        return self.outcome if isinstance(self.outcome, Faulted) else None

    @property
    def entries(self) -> tuple[TraceEntry, ...]:
        """All that happened so far."""
        return self._session.entries

    def answers(self) -> Iterator[tuple[str, str, Json]]:
        """The answers so far: address, id of the player or empty, answer."""
        return self._session.list_answers()

    def answered(self, answer: Json) -> "Play":
        """The play after an answer to its request.

        Raises:
            WrongInputError: the answer does not fit, or the rules refuse it.
            ValueError: nothing is asked.
        """
        session, paused = self._session, self._require_paused()
        value = _read_python_data(
            lambda: read_answer(paused.request, answer, session.start.names, paused), answer, "answer"
        )
        return self._apply_answer(SourcedAnswer(value, "person"), session.sources)

    @property
    def chances(self) -> tuple[Likely, ...]:
        """What a roll, draw or shuffle may come to, and how likely; empty where chance is not asked.

        Outcomes with equal futures are told once. Dice that are only counted from here on have one outcome for each
        count, if every face is held against a number that is written in the rules, given to the procedure, or named
        before the roll by a `let`, a tally or a `decide`, such as `d.natural >= needed`. Where the number is worked out
        after the roll, or is a term or an attribute in the condition itself, dice of which other faces show are other
        outcomes. The weights add up to 1.

        Raises:
            TooManyOutcomesError: there are more than a million.
        """
        request = self.request
        if request is None or request.sort not in CHANCE_SORTS:
            return ()
        names, items = self._session.start.names, self._require_paused().resume_run().chance_outcomes
        return tuple(
            Likely(answer_to_json(request, chance_outcome.answer, names), chance_outcome.weight, chance_outcome.answer)
            for chance_outcome in items
        )

    def fell(self, likely: Likely) -> "Play":
        """The play after one of its `chances`.

        Raises:
            WrongInputError: it is none.
            ValueError: nothing is asked.
        """
        if not isinstance(likely, Likely):
            raise WrongInputError([make_data_error("RW0713", "`fell` takes one of the `chances` of this play")])
        return self._apply_answer(SourcedAnswer(likely._value, "dice"), self._session.sources)  # noqa: SLF001

    def key(self) -> Hashable:
        """What decides the future: plays with equal keys have equal futures, however they were come to.

        Compare keys only of plays of one ruleset, as `load` gave it, that are all recorded or all not. What is read
        no more is left out of the key, and dice stand in it as far as they are told apart.
        """
        match self.outcome:
            case Paused() as paused:
                return ("paused", paused.resume_run().future_key())
            case Ended(result=result, state=state):
                return ("ended", result, state)
            case over:
                return ("over", repr(over))

    def rolled(self) -> "Play":
        """The play after its seeded dice have answered a roll, draw or shuffle.

        Raises:
            ValueError: no such thing is asked.
        """
        self._require_paused()
        reply = self._session.ask_sources()
        if reply.answer is None:
            raise ValueError("this is a choice, not a roll")
        return self._apply_answer(reply.answer, reply.remaining_sources)

    def _require_paused(self) -> Paused:
        match self.outcome:
            case Paused() as paused:
                return paused
            case _:
                raise ValueError("no question is waiting")

    def _apply_answer(self, given: SourcedAnswer, sources: AnswerSourceChain) -> "Play":
        assert self.request is not None
        mine = replace(self._session, outcome=self._require_paused().resume_run().fork().outcome)
        after = mine.apply_answer(given, sources)
        if isinstance(after, Refused):
            raise WrongInputError([make_refusal_diagnostic(self.request, after, self._session.start.names)])
        return Play(after)


def check(name: str, overlays: Sequence[str] = (), allow: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """Everything there is to say about a ruleset: a file, a folder or a shipped name.

    What its texts name is read below its project, and from folders that are allowed.
    """
    files = _readable_files(name, overlays, allow)
    return load_and_check(name, tuple(overlays), files.get_weights_at, files).diagnostics


def load(name: str, overlays: Sequence[str] = (), allow: Sequence[str] = ()) -> Ruleset:
    """A ruleset: a file, a folder or a shipped name, with overlays; as `check`.

    Raises:
        WrongInputError: it has errors.
    """
    loaded = _load_from_disk(name, overlays, allow)
    if loaded.program is None:
        raise WrongInputError(loaded.errors, loaded.texts)
    return Ruleset(loaded.program, loaded.diagnostics)


def _load_from_disk(name: str, overlays: Sequence[str], allow: Sequence[str]) -> LoadedRuleset:
    files = _readable_files(name, overlays, allow)
    return load_cached_ruleset(locate_ruleset(name, files), tuple(overlays), files)


def _readable_files(name: str, overlays: Sequence[str], allow: Sequence[str]) -> BoundedFiles:
    """The files that a ruleset and its overlays may have read.

    Raises:
        WrongInputError: a project file is wrong.
    """
    try:
        return bound_files((name, *overlays), allow)
    except ProjectFileError as wrong:
        raise WrongInputError([wrong.diagnostic], {wrong.text.name: wrong.text}) from None


def start(  # noqa: PLR0913 - what a play begins with
    ruleset: Ruleset,
    procedure: str,
    state: Mapping[str, Any],
    roles: Mapping[str, Any] | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    limits: RunLimits | None = None,
    recorded: bool = True,
) -> Play:
    """Begins a procedure.

    Args:
        ruleset: from `load`.
        procedure: its name.
        state: where the play begins, in the form of a state file.
        roles: arguments of the procedure by name.
        settings: readings other than the ruleset's own.
        seed: of the dice that `Play.rolled` throws.
        limits: of the run.
        recorded: whether `Play.entries` tell what happens; a play without them is faster.

    Raises:
        WrongInputError: something does not fit the ruleset.
    """
    program = ruleset.program
    begun = _require_value(find_procedure(procedure, program))
    for what, data in {"state": state, "roles": roles or {}, "settings": settings or {}}.items():
        if not isinstance(data, Mapping):
            raise WrongInputError([report_non_mapping(data, what)])
    if not isinstance(seed, int):
        raise WrongInputError([make_data_error("RW0713", "`seed` is not a whole number")])
    if settings and isinstance(state.get("settings", {}), Mapping):
        state = {**state, "settings": {**state.get("settings", {}), **settings}}
    situation = _read_python_data(lambda: parse_state_data(state, program), state, "state")
    given = _read_python_data(lambda: ReadResult(data_to_node(dict(roles or {}), "roles")), roles, "roles")
    arguments = _read_python_data(lambda: bind_arguments(given, begun, situation, program, PYTHON_HINT), roles, "roles")
    situation = replace(situation, base=ruleset._shared(situation.base))  # noqa: SLF001
    executable = ruleset.executable if recorded else ruleset.unrecorded
    play = PlayStart(executable, begun, situation, arguments, limits or RunLimits())
    return Play(begin_session(play, AnswerSourceChain(play.names, SeededRandom(seed))))


def _read_python_data(reading: Callable[[], ReadResult[Any]], data: Any, what: str) -> Any:  # whatever is read
    """What is read of data that a program gives, which may be anything."""
    try:
        result = reading()
    except (AttributeError, TypeError, ValueError, RecursionError):
        wrong = find_json_error(data, what)
        if wrong is None:
            raise
        raise WrongInputError([wrong]) from None
    return _require_value(result)


def _require_value(found: ReadResult[Any]) -> Any:  # whatever was read
    if has_errors(found.diagnostics):
        raise WrongInputError(found.diagnostics)
    return found.value
