"""Paired play: both revisions run with the same answers until they diverge or end."""

from collections.abc import Callable, Iterator

from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.results import PLAY_COST, TURN_COST
from rulewright.diff.differential_testing.revision_translation import (
    CommonForm,
    NoCounterpartError,
    PairedStart,
    translate_state,
)
from rulewright.diff.differential_testing.shared_questions import SharedQuestion, match_questions
from rulewright.diff.differential_testing.stored_values import StateData
from rulewright.documents.document_nodes import Json
from rulewright.documents.state_json import state_to_json
from rulewright.program.declarations import Procedure
from rulewright.runtime import faults
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import EXTERNAL_SORTS, Ended, Faulted, RefusalReason, Refused
from rulewright.runtime.run import Outcome, Paused, answer_paused, judge_situation, start_run
from rulewright.runtime.state import Situation
from rulewright.runtime.trace_record import TraceRecord
from rulewright.runtime.values import Value


def compare_ends(
    old: Ended,
    new: Ended,
    procedures: tuple[Procedure, Procedure],
    starts: tuple[Situation, Situation],
    common: CommonForm,
) -> str | None:
    """Sort of difference of two ends, `result`, `end` or `start`; None where shared data is equal.

    A result that only one revision gives is no difference by itself, nor is state that only one has. What differed at
    the start and was not changed by either is `start`.
    """
    types = procedures[0].result, procedures[1].result
    if types[0] is not None and types[1] is not None:
        first = common.canonical_old(old.result, types[0], types[1])
        if first != common.canonical_new(new.result, types[1]):
            return "result"
    return _compare_end_states((old.state.extract_situation(), new.state.extract_situation()), starts, common)


def _compare_end_states(
    ends: tuple[Situation, Situation], starts: tuple[Situation, Situation], common: CommonForm
) -> str | None:
    if common.translations.is_identity and _stored_columns(ends[0]) == _stored_columns(ends[1]):
        return None
    try:
        first, second = _shared_states(ends, common)
        if first == second:
            return None
        return "start" if _is_same_or_unchanged((first, second), _shared_states(starts, common)) else "end"
    except NoCounterpartError:
        return "end"


def _shared_states(situations: tuple[Situation, Situation], common: CommonForm) -> tuple[StateData, StateData]:
    across, back = common.translations.forward, common.translations.backward
    first = translate_state(state_to_json(situations[0], across.source_program), across)
    return first, translate_state(translate_state(state_to_json(situations[1], across.target_program), back), across)


def _is_same_or_unchanged(ends: tuple[Json, Json], starts: tuple[Json, Json]) -> bool:
    if ends[0] == ends[1] or ends == starts:
        return True
    if not all(isinstance(end, dict) for end in (*ends, *starts)):
        return False
    old, new, first, second = (end if isinstance(end, dict) else {} for end in (*ends, *starts))
    keys = {**old, **new, **first, **second}
    return all(_is_same_or_unchanged((old.get(key), new.get(key)), (first.get(key), second.get(key))) for key in keys)


def _stored_columns(situation: Situation) -> tuple[object, ...]:
    return (
        situation.attributes,
        situation.gone,
        situation.game,
        situation.cells,
        situation.sides,
        situation.relations,
    )


PLAY_LIMITS = RunLimits(work=300_000)
_INVARIANT_FAULT_CODE = "RW0810"
MAX_ANSWERS_PER_PLAY = 200
SAME, UNUSABLE = "same", "unusable"

AnswerGenerator = Callable[[SharedQuestion, CommonForm], Iterator[tuple[Value, Value]]]


@dataclass(frozen=True, slots=True)
class PlayTurn:
    """Question of both revisions and the answer both got."""

    question: SharedQuestion
    answers: tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class PairedPlay:
    """Play of both revisions up to their divergence."""

    start: PairedStart
    difference: str  # sort, or `same`, or `unusable` where neither begins or nothing can be answered
    turns: tuple[PlayTurn, ...]
    outcomes: tuple[Outcome, Outcome]  # (old, new) at the divergence or end

    @property
    def is_different(self) -> bool:
        return self.difference not in {SAME, UNUSABLE}

    @property
    def limit_codes(self) -> tuple[str, ...]:
        """Codes of the machine limits that ended a revision."""
        members = {outcome.code for outcome in self.outcomes if isinstance(outcome, Faulted)}
        return tuple(sorted(members & faults.LIMIT_CODES))

    def reached_addresses(self, side: int) -> frozenset[str]:
        """Addresses that one revision reached; side 0 is the old one."""
        return frozenset().union(*(trace_record.addresses for trace_record in self._trace_records(side)))

    @property
    def work_units(self) -> int:
        """Cost in work units: lines of both revisions, and charges for the start and the questions."""
        lines = sum(
            max((trace_record.work for trace_record in self._trace_records(side)), default=0) for side in (0, 1)
        )
        return PLAY_COST + TURN_COST * len(self.turns) + lines

    def step_path(self, side: int) -> tuple[tuple[str, bool], ...]:
        """Addresses of the steps one revision came to, and whether it entered or skipped them."""
        return tuple(step for trace_record in self._trace_records(side) for step in trace_record.steps)

    def _trace_records(self, side: int) -> list[TraceRecord]:
        stretches = [*(turn.question.paused[side].entries for turn in self.turns), self.outcomes[side].entries]
        return [stretch for stretch in stretches if isinstance(stretch, TraceRecord)]


def play_side_by_side(
    executables: tuple[Executable, Executable],
    opened: PairedStart,
    answers: AnswerGenerator,
    most_answers: int = MAX_ANSWERS_PER_PLAY,
    *,
    recorded: bool = False,
) -> PairedPlay:
    """Paired play to the divergence, the end, or as many answers as are given at most.

    Recorded answers are taken as they are, whatever their number.
    """
    outcomes = _begin_both(executables, opened)
    turns: list[PlayTurn] = []
    hidden: tuple[set[str], set[str]] = (set(), set())
    sort = _find_start_difference(executables, opened, outcomes)
    while (sort := _find_secret_difference(sort, outcomes, hidden)) == "":
        assert isinstance(outcomes[0], Paused)
        assert isinstance(outcomes[1], Paused)
        question = match_questions((outcomes[0], outcomes[1]), opened.common_form)
        if isinstance(question, str) or (len(turns) == most_answers and not recorded):
            sort = question if isinstance(question, str) else SAME
            break
        result = _try_answers(question, answers(question, opened.common_form), recorded=recorded)
        if result is None:
            sort = UNUSABLE
            break
        given, after = result
        refused = [isinstance(item, Refused) for item in after]
        turns.append(PlayTurn(question, given))
        outcomes, sort = after, "options" if any(refused) else _find_outcome_difference(after, opened)
    return PairedPlay(opened, sort, tuple(turns), outcomes)


def _begin_both(executables: tuple[Executable, Executable], opened: PairedStart) -> tuple[Outcome, Outcome]:
    old, new = (
        _refuse_missing_argument(procedure.name, lacking)
        or start_run(executable, situation, procedure.name, arguments, PLAY_LIMITS)
        for executable, situation, procedure, arguments, lacking in zip(
            executables, opened.situations, opened.procedures, opened.arguments, opened.missing_roles, strict=True
        )
    )
    return old, new


def _refuse_missing_argument(procedure: str, lacking: str) -> Refused | None:
    return Refused((RefusalReason(procedure, f"`{procedure}` needs `{lacking}`"),)) if lacking else None


def _find_start_difference(
    executables: tuple[Executable, Executable], opened: PairedStart, outcomes: tuple[Outcome, Outcome]
) -> str:
    """Difference at the start, empty if none: first what may begin, then how it continues."""
    lawful = [
        not (isinstance(outcome, Faulted) and outcome.code == _INVARIANT_FAULT_CODE)
        or not isinstance(judge_situation(executable, situation), Faulted)
        for executable, situation, outcome in zip(executables, opened.situations, outcomes, strict=True)
    ]
    refused = [isinstance(item, Refused) for item in outcomes]
    if not all(lawful):
        return "legal" if any(lawful) and not any(refused) else UNUSABLE
    if any(refused):
        return UNUSABLE if all(refused) else "refused"
    return _find_outcome_difference(outcomes, opened)


def _find_outcome_difference(outcomes: tuple[Outcome, Outcome], opened: PairedStart) -> str:
    """Difference of two outcomes that are no refusals; empty where both ask, or where a limit ended one."""
    if any(isinstance(outcome, Faulted) and outcome.code in faults.LIMIT_CODES for outcome in outcomes):
        return SAME
    match outcomes:
        case Paused(), Paused():
            return ""
        case Faulted(code=first), Faulted(code=second):
            return SAME if first == second else "fault"
        case (Faulted(), _) | (_, Faulted()):
            return "fault"
        case Ended() as old, Ended() as new:
            return compare_ends(old, new, opened.procedures, opened.situations, opened.common_form) or SAME
        case _:
            return "question"


def _find_secret_difference(sort: str, outcomes: tuple[Outcome, Outcome], hidden: tuple[set[str], set[str]]) -> str:
    """Difference, or `secret` where there is none yet and other answers wait to be revealed; updates `hidden`."""
    if sort not in {"", SAME} or any(isinstance(item, Faulted) for item in outcomes):
        return sort
    for outcome, names in zip(outcomes, hidden, strict=True):
        for name, is_hidden in outcome.entries.secret_answers if isinstance(outcome.entries, TraceRecord) else ():
            (names.add if is_hidden else names.discard)(name)
    return sort if len(hidden[0]) == len(hidden[1]) else "secret"


def _try_answers(
    question: SharedQuestion, answers: Iterator[tuple[Value, Value]], *, recorded: bool
) -> tuple[tuple[Value, Value], tuple[Outcome, Outcome]] | None:
    """First answer that a revision takes, with both outcomes; None where neither takes any.

    Externals leave invariants as they are: a result that breaks one is skipped, unless it is recorded.
    """
    for given in answers:
        step = (
            Paused.take_answer if question.sort == "roll" else answer_paused
        )  # faces as they fell are those of the dice asked for
        old, new = step(question.paused[0], given[0]), step(question.paused[1], given[1])
        if isinstance(old, Refused) and isinstance(new, Refused):
            continue
        if question.sort in EXTERNAL_SORTS and not recorded and (_is_invariant_fault(old) or _is_invariant_fault(new)):
            continue
        return given, (old, new)
    return None


def _is_invariant_fault(outcome: Outcome) -> bool:
    return isinstance(outcome, Faulted) and outcome.code == _INVARIANT_FAULT_CODE
