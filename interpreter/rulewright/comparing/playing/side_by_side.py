"""Plays both revisions with the same answers until they part, or come to the same end."""

from collections.abc import Callable, Iterator

from rulewright.comparing.playing.answers import Same, same
from rulewright.comparing.playing.data import PLAY, TURN
from rulewright.comparing.playing.states import Opened, State, carried
from rulewright.comparing.playing.translate_values import Common, LostError
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Json
from rulewright.inputs.state_json import state_json
from rulewright.machine import codes
from rulewright.machine.entries import Record
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Limits
from rulewright.machine.request import ELSEWHERE, Ended, Faulted, Reason, Refused
from rulewright.machine.run import Outcome, Paused, advance, judge, start
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program.declarations import Procedure


def differing_end(
    old: Ended,
    new: Ended,
    procedures: tuple[Procedure, Procedure],
    starts: tuple[Situation, Situation],
    common: Common,
) -> str | None:
    """`result`, `end` or `start` where what both revisions know came out differently; none where it is the same.

    A result that only one revision gives is no difference by itself, nor is anything of the state that only one has.
    What stood otherwise at the start and was left alone by both is `start`.
    """
    types = procedures[0].result, procedures[1].result
    if types[0] is not None and types[1] is not None:
        first = common.of_old(old.result, types[0], types[1])
        if first != common.of_new(new.result, types[1]):
            return "result"
    return _differing_state((old.state.situation(), new.state.situation()), starts, common)


def _differing_state(
    ends: tuple[Situation, Situation], starts: tuple[Situation, Situation], common: Common
) -> str | None:
    if common.ways.alike and _stored(ends[0]) == _stored(ends[1]):
        return None
    try:
        first, second = _shared(ends, common)
        if first == second:
            return None
        return "start" if _alike((first, second), _shared(starts, common)) else "end"
    except LostError:
        return "end"


def _shared(situations: tuple[Situation, Situation], common: Common) -> tuple[State, State]:
    """What both revisions know of two states, as the new one writes it."""
    across, back = common.ways.across, common.ways.back
    first = carried(state_json(situations[0], across.here), across)
    return first, carried(carried(state_json(situations[1], across.there), back), across)


def _alike(ends: tuple[Json, Json], starts: tuple[Json, Json]) -> bool:
    """Whether two values are the same, or each is what it was at its start."""
    if ends[0] == ends[1] or ends == starts:
        return True
    if not all(isinstance(each, dict) for each in (*ends, *starts)):
        return False
    old, new, first, second = (each if isinstance(each, dict) else {} for each in (*ends, *starts))
    keys = {**old, **new, **first, **second}
    return all(_alike((old.get(key), new.get(key)), (first.get(key), second.get(key))) for key in keys)


def _stored(situation: Situation) -> tuple[object, ...]:
    return (
        situation.attributes,
        situation.gone,
        situation.game,
        situation.cells,
        situation.sides,
        situation.relations,
    )


LIMITS = Limits(work=300_000)
_NOT_HELD = "RW0810"
LONGEST = 200
SAME, UNUSABLE = "same", "unusable"

Answers = Callable[[Same, Common], Iterator[tuple[Value, Value]]]


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of both revisions and the answer both got."""

    asked: Same
    given: tuple[Value, Value]


@dataclass(frozen=True, slots=True)
class Played:
    """A play of both revisions up to where they part."""

    opened: Opened  # how it began
    sort: str  # of the first difference, or `same`, or `unusable` where neither begins or nothing can be answered
    turns: tuple[Turn, ...]  # answered so far
    outcomes: tuple[Outcome, Outcome]  # where the old revision and the new one stand

    @property
    def differs(self) -> bool:
        """Whether the revisions part."""
        return self.sort not in {SAME, UNUSABLE}

    @property
    def limits(self) -> tuple[str, ...]:
        """The codes of limits of the machine that ended a revision."""
        found = {each.code for each in self.outcomes if isinstance(each, Faulted)}
        return tuple(sorted(found & codes.LIMITS))

    def addresses(self, side: int) -> frozenset[str]:
        """Addresses of what one revision came to: 0 is the old one, 1 the new one."""
        return frozenset().union(*(each.addresses for each in self._records(side)))

    @property
    def work(self) -> int:
        """What it cost, counted: the lines of both revisions, and charges for its beginning and its questions."""
        lines = sum(max((each.work for each in self._records(side)), default=0) for side in (0, 1))
        return PLAY + TURN * len(self.turns) + lines

    def steps(self, side: int) -> tuple[tuple[str, bool], ...]:
        """Addresses of the steps one revision came to, and whether it entered them or passed them over."""
        return tuple(step for each in self._records(side) for step in each.steps)

    def _records(self, side: int) -> list[Record]:
        stretches = [*(each.asked.paused[side].entries for each in self.turns), self.outcomes[side].entries]
        return [each for each in stretches if isinstance(each, Record)]


def played(
    executables: tuple[Executable, Executable], opened: Opened, answers: Answers, *, recorded: bool = False
) -> Played:
    """Plays both until they part, or to the end, or to 200 answers.

    Recorded answers are taken as they are, however many: what was defined elsewhere was given once.
    """
    outcomes = _begun(executables, opened)
    turns: list[Turn] = []
    hidden: tuple[set[str], set[str]] = (set(), set())
    sort = _parted_at_start(executables, opened, outcomes)
    while (sort := _or_secret(sort, outcomes, hidden)) == "":
        assert isinstance(outcomes[0], Paused)
        assert isinstance(outcomes[1], Paused)
        asked = same((outcomes[0], outcomes[1]), opened.common)
        if isinstance(asked, str) or (len(turns) == LONGEST and not recorded):
            sort = asked if isinstance(asked, str) else SAME
            break
        found = _answered(asked, answers(asked, opened.common), recorded=recorded)
        if found is None:
            sort = UNUSABLE
            break
        given, after = found
        refused = [isinstance(each, Refused) for each in after]
        turns.append(Turn(asked, given))
        outcomes, sort = after, "options" if any(refused) else _parted(after, opened)
    return Played(opened, sort, tuple(turns), outcomes)


def _begun(executables: tuple[Executable, Executable], opened: Opened) -> tuple[Outcome, Outcome]:
    old, new = (
        _unbegun(procedure.name, lacking) or start(executable, situation, procedure.name, arguments, LIMITS)
        for executable, situation, procedure, arguments, lacking in zip(
            executables, opened.situations, opened.procedures, opened.arguments, opened.lacking, strict=True
        )
    )
    return old, new


def _unbegun(procedure: str, lacking: str) -> Refused | None:
    """What a procedure says that lacks an argument; none where it lacks none."""
    return Refused((Reason(procedure, f"`{procedure}` needs `{lacking}`"),)) if lacking else None


def _parted_at_start(
    executables: tuple[Executable, Executable], opened: Opened, outcomes: tuple[Outcome, Outcome]
) -> str:
    """The first difference at the start, empty where there is none yet: what may begin, then how it goes on."""
    lawful = [
        not (isinstance(outcome, Faulted) and outcome.code == _NOT_HELD)
        or not isinstance(judge(executable, situation), Faulted)
        for executable, situation, outcome in zip(executables, opened.situations, outcomes, strict=True)
    ]
    refused = [isinstance(each, Refused) for each in outcomes]
    if not all(lawful):
        return "legal" if any(lawful) and not any(refused) else UNUSABLE
    if any(refused):
        return UNUSABLE if all(refused) else "refused"
    return _parted(outcomes, opened)


def _parted(outcomes: tuple[Outcome, Outcome], opened: Opened) -> str:
    """The difference between two outcomes that are no refusals; empty where both ask.

    Where a limit ends one of them, none is known: nobody saw how it would have gone on.
    """
    if any(isinstance(each, Faulted) and each.code in codes.LIMITS for each in outcomes):
        return SAME
    match outcomes:
        case Paused(), Paused():
            return ""
        case Faulted(code=first), Faulted(code=second):
            return SAME if first == second else "fault"
        case (Faulted(), _) | (_, Faulted()):
            return "fault"
        case Ended() as old, Ended() as new:
            return differing_end(old, new, opened.procedures, opened.situations, opened.common) or SAME
        case _:
            return "question"


def _or_secret(sort: str, outcomes: tuple[Outcome, Outcome], hidden: tuple[set[str], set[str]]) -> str:
    """The difference, or `secret` where there is none yet and other answers wait to be shown; these are kept up."""
    if sort not in {"", SAME} or any(isinstance(each, Faulted) for each in outcomes):
        return sort
    for outcome, names in zip(outcomes, hidden, strict=True):
        for name, is_hidden in outcome.entries.secrets if isinstance(outcome.entries, Record) else ():
            (names.add if is_hidden else names.discard)(name)
    return sort if len(hidden[0]) == len(hidden[1]) else "secret"


def _answered(
    asked: Same, answers: Iterator[tuple[Value, Value]], *, recorded: bool
) -> tuple[tuple[Value, Value], tuple[Outcome, Outcome]] | None:
    """The first answer that one of them takes, and where both are then; none where neither takes any.

    What is defined elsewhere leaves what always holds as it is: a result that breaks it is passed over, unless it is
    recorded.
    """
    for given in answers:
        step = Paused.take if asked.sort == "roll" else advance  # faces as they fell are those of the dice asked for
        old, new = step(asked.paused[0], given[0]), step(asked.paused[1], given[1])
        if isinstance(old, Refused) and isinstance(new, Refused):
            continue
        if asked.sort in ELSEWHERE and not recorded and (_broken(old) or _broken(new)):
            continue
        return given, (old, new)
    return None


def _broken(outcome: Outcome) -> bool:
    return isinstance(outcome, Faulted) and outcome.code == _NOT_HELD
