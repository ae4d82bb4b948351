"""Public Python interface: load, check and start rulesets, answer plays, work out exact odds.

```python
from rulewright import api

ruleset = api.load("skirmish")
play = api.start(ruleset, "strike", state, {"striker": "gawain", "target": "mordred"})
while play.request is not None:
    play = play.answered(decide(play.request))
print(play.state)
```

States and answers are JSON data in the form of state files and scripts. A play is immutable: going back is keeping an
older play, and answering one play twice makes two plays. `chances` and `key` serve exact odds: how many of six blows hit.

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

from rulewright.base.bounded_files import BoundedFiles, ProjectFileError
from rulewright.base.diagnostics import Diagnostic, has_errors
from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.base.source import Text
from rulewright.documents.answers import answer_to_json, read_answer
from rulewright.documents.check_findings import load_and_check
from rulewright.documents.document_nodes import Json
from rulewright.documents.findings import ReadResult, describe_choices, did_you_mean, quote_name
from rulewright.documents.procedure_arguments import PYTHON_HINT, bind_arguments, find_procedure
from rulewright.documents.request_schemas import request_schema
from rulewright.documents.ruleset_loading import LoadedRuleset, load_cached_ruleset
from rulewright.documents.ruleset_location import bound_files, locate_ruleset
from rulewright.documents.state_file import parse_state_data
from rulewright.documents.state_json import state_to_json
from rulewright.documents.value_reader import find_json_error, make_data_error, read_data, report_non_mapping
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
    """An input has errors; the text of the exception is what the command line would print.

    Attributes:
        diagnostics: the errors.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], texts: Mapping[str, Text] | None = None) -> None:
        diagnostics_by_text: dict[str, Diagnostic] = {}
        for diagnostic in diagnostics:
            diagnostics_by_text.setdefault(render_plain_diagnostic(diagnostic, texts or {}), diagnostic)
        self.diagnostics = tuple(diagnostics_by_text.values())
        super().__init__("\n".join(diagnostics_by_text))


@dataclass(frozen=True, slots=True)
class Likely:
    """One outcome of a roll, draw or shuffle, with its probability."""

    answer: Json  # in the form of scripts; of merged outcomes one of them
    weight: Fraction  # exact probability of all merged outcomes
    _value: Value = field(repr=False)


_BASES = 100
"""Limit of cached start values (`GameSetup`) per ruleset; heuristic."""
_PARTS = attrgetter(*(item.name for item in fields(GameSetup)))


@dataclass(frozen=True, repr=False)
class Ruleset:
    """A checked ruleset, from `load`."""

    program: Program  # the checked program
    diagnostics: tuple[Diagnostic, ...] = ()  # warnings and hints
    # what never changes in plays of it, the last ones: equal ones are one, so that keys of such plays can be equal
    _bases: list[GameSetup] = field(default_factory=list, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Ruleset `{self.program.name}`>"

    def _shared(self, base: GameSetup) -> GameSetup:
        """The cached setup that equals `base`, else `base`."""
        result = next((game_setup for game_setup in self._bases if _PARTS(game_setup) == _PARTS(base)), base)
        self._bases[:] = [result, *(game_setup for game_setup in self._bases if game_setup is not result)][:_BASES]
        return result

    @cached_property
    def executable(self) -> Executable:
        """The compiled program, with recording of what happens."""
        return compile_program(self.program, traced=True)

    @cached_property
    def unrecorded(self) -> Executable:
        """The compiled program without recording, which is faster."""
        return compile_program(self.program, traced=False)


@dataclass(frozen=True, slots=True, repr=False)
class Play:
    """An immutable play, paused at a request or over."""

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
        """State of the play: paused, ended, refused or faulted."""
        return self._session.outcome

    @property
    def request(self) -> Request | None:
        """The pending request; None if the play is over."""
        return self.outcome.request if isinstance(self.outcome, Paused) else None

    @property
    def request_schema(self) -> dict[str, Any] | None:
        """JSON Schema of the answer; None if nothing is asked, or the answer is secret for the viewer of `seen_by`."""
        return (
            None
            if self.request is None or self.request.closed
            else request_schema(self.request, self._session.start.names)
        )

    @property
    def state(self) -> dict[str, Json]:
        """The current game state, in the form of a state file."""
        return state_to_json(self._session.situation, self._session.start.executable.program)

    def seen_by(self, player: str | None) -> "Play":
        """The play without what a player may not know; None: without what only players know. For reading, not answering.

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
        """Whether the procedure has ended normally."""
        return isinstance(self.outcome, Ended)

    @property
    def result(self) -> Json:
        """The result of the procedure as JSON; None if it has none or has not ended."""
        result = self._session.start.procedure.result
        if result is None or not isinstance(self.outcome, Ended):
            return None
        written: Json = value_to_json(self.outcome.result, result, self._session.start.names)
        return written

    @property
    def reasons(self) -> tuple[RefusalReason, ...]:
        """Reasons why the procedure could not begin, else empty."""
        return self.outcome.reasons if isinstance(self.outcome, Refused) else ()

    @property
    def fault(self) -> Faulted | None:
        """The fault that stopped the play, with its line; None if there is none."""
        return self.outcome if isinstance(self.outcome, Faulted) else None

    @property
    def entries(self) -> tuple[TraceEntry, ...]:
        """Trace of all that happened so far; empty if the play is not recorded."""
        return self._session.entries

    def answers(self) -> Iterator[tuple[str, str, Json]]:
        """Answers so far, in order: address of the question, id of the player or empty, answer."""
        return self._session.list_answers()

    def answered(self, answer: Json) -> "Play":
        """The play after an answer to its request; this play stays as it is.

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
        """Outcomes of the pending roll, draw or shuffle, with their probabilities; empty if chance is not asked.

        Outcomes with equal futures are merged. Dice that are only counted from here on have one outcome for each
        count, if every face is compared with a number that is written in the rules, given to the procedure, or named
        before the roll by a `let`, a tally or a `decide`, such as `d.natural >= needed`. Where the number is worked out
        after the roll, or is a term or an attribute in the condition itself, dice that show other faces are another
        outcome. The weights add up to 1.

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
            WrongInputError: `likely` is no `Likely`.
            ValueError: nothing is asked.
        """
        if not isinstance(likely, Likely):
            raise WrongInputError([make_data_error("RW0713", "`fell` takes one of the `chances` of this play")])
        return self._apply_answer(SourcedAnswer(likely._value, "dice"), self._session.sources)  # noqa: SLF001

    def key(self) -> Hashable:
        """Hashable key of the future: plays with equal keys have equal futures, whatever their histories.

        Compare keys only of plays of one ruleset, as `load` gave it, that are all recorded or all not. Values that are
        never read again are not in the key, and dice are in it only as far as the rules tell them apart.
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
            ValueError: no roll, draw or shuffle is pending.
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
        copied = replace(self._session, outcome=self._require_paused().resume_run().fork().outcome)
        after = copied.apply_answer(given, sources)
        if isinstance(after, Refused):
            raise WrongInputError([make_refusal_diagnostic(self.request, after, self._session.start.names)])
        return Play(after)


def check(name: str, overlays: Sequence[str] = (), allow: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
    """All diagnostics of a ruleset: a file, a folder or a shipped name, with overlays.

    Files that its texts name are read within its project, and in the folders of `allow`.
    """
    files = _readable_files(name, overlays, allow)
    return load_and_check(name, tuple(overlays), files.get_weights_at, files).diagnostics


def load(name: str, overlays: Sequence[str] = (), allow: Sequence[str] = ()) -> Ruleset:
    """A checked ruleset: a file, a folder or a shipped name, with overlays; files are read as in `check`.

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
    """Files that a ruleset and its overlays may read.

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
    """Start a procedure.

    Args:
        ruleset: from `load`.
        procedure: its name.
        state: the initial state, in the form of a state file.
        roles: arguments of the procedure by name.
        settings: values of settings other than the ruleset's own.
        seed: of the dice that `Play.rolled` throws.
        limits: limits of the run, such as its length.
        recorded: whether `Play.entries` records what happens; a play without it is faster.

    Raises:
        WrongInputError: something does not fit the ruleset.
    """
    program = ruleset.program
    found_procedure = _require_value(find_procedure(procedure, program))
    for what, data in {"state": state, "roles": roles or {}, "settings": settings or {}}.items():
        if not isinstance(data, Mapping):
            raise WrongInputError([report_non_mapping(data, what)])
    if not isinstance(seed, int):
        raise WrongInputError([make_data_error("RW0713", "`seed` is not a whole number")])
    if settings and isinstance(state.get("settings", {}), Mapping):
        state = {**state, "settings": {**state.get("settings", {}), **settings}}
    situation = _read_python_data(lambda: parse_state_data(state, program), state, "state")

    def read_roles(node: Any) -> ReadResult[tuple[Value, ...]]:
        return bind_arguments(node, found_procedure, situation, program, PYTHON_HINT)

    arguments = _read_python_data(lambda: read_data(dict(roles or {}), read_roles, "roles"), roles, "roles")
    situation = replace(situation, base=ruleset._shared(situation.base))  # noqa: SLF001
    executable = ruleset.executable if recorded else ruleset.unrecorded
    play = PlayStart(executable, found_procedure, situation, arguments, limits or RunLimits())
    return Play(begin_session(play, AnswerSourceChain(play.names, SeededRandom(seed))))


def _read_python_data(reading: Callable[[], ReadResult[Any]], data: Any, what: str) -> Any:  # whatever is read
    """The value read from Python data of any type, checked."""
    try:
        result = reading()
    except (AttributeError, TypeError, ValueError, RecursionError):
        wrong = find_json_error(data, what)
        if wrong is None:
            raise
        raise WrongInputError([wrong]) from None
    return _require_value(result)


def _require_value(read_result: ReadResult[Any]) -> Any:  # whatever was read
    if has_errors(read_result.diagnostics):
        raise WrongInputError(read_result.diagnostics)
    return read_result.value
