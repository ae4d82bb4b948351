"""Inputs and results of a differential test: work, fixtures, effort; witnesses, evidence, verdict, odds shifts."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from time import monotonic

from rulewright.base.frozen import dataclass
from rulewright.documents.document_nodes import Json
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession
from rulewright.odds.state_space_size import EffortEstimate
from rulewright.play.session import Session
from rulewright.program.outline.items import DeclaredName
from rulewright.runtime.state import Situation

FUNCTION_COST, ROLES_COST, PLAY_COST, TURN_COST, REPLAY_COST, SITUATION_COST = 2, 8, 15, 50, 60, 120
"""Charges in lines: a function computed by both revisions, roles given, a play begun by both, a question of both with
its answer, a recorded or found play read again, a situation made."""

MEMBERS_PER_COST_UNIT = 64
"""Collection members that cost as much as one line."""

HYBRID_COST = 30_000
"""Charge in lines for a hybrid, checked and compiled."""

DEFAULT_WORK = 2_000_000
"""Default budget of a comparison, in lines carried out."""


@dataclasses.dataclass
class WorkBudget:
    """Work that is left, counted so that it is the same on every machine.

    A unit is one line that one revision carries out; what else takes time has a fixed charge in the same unit. So the
    same texts, seed and budget end at the same play everywhere.
    """

    units_left: int  # negative if the last piece of work exceeded the rest
    deadline: float | None = None  # on the monotonic clock
    is_cut: bool = False  # whether the deadline passed while there was work left

    def spend_units(self, units: int) -> None:
        self.units_left -= units

    @property
    def is_exhausted(self) -> bool:
        if self.units_left > 0 and not self.is_cut and self.deadline is not None:
            self.is_cut = monotonic() > self.deadline
        return self.units_left <= 0 or self.is_cut

    def split_budget(self, units: int) -> "WorkBudget":
        """Separate budget under the same clock; the caller charges its cost afterwards (`charge_part`)."""
        return WorkBudget(units, self.deadline, self.is_cut)

    def charge_part(self, spent: int, *, cut: bool = False) -> None:
        """Charge the cost of a part, and note whether the clock cut it."""
        self.units_left -= spent
        self.is_cut = self.is_cut or cut


DIFFERENCE_KINDS = {
    "value": "a function gives another value for the same arguments",
    "legal": "only one revision allows a situation",
    "refused": "only one revision lets a procedure begin",
    "question": "the two ask different questions from here on",
    "asked": "another player is asked",
    "secret": "one player keeps something else secret",
    "options": "the legal answers differ",
    "dice": "different dice are rolled",
    "fault": "one revision reaches a line that cannot be carried out",
    "result": "the procedure gives another result",
    "start": "a state file means something else",
    "end": "the game ends differently",
}
"""Sorts of differences with their meanings."""


@dataclass(frozen=True, slots=True)
class ChangedNames:
    """Names of changed declarations: of the old revision altered or removed, of the new altered or added."""

    old: tuple[DeclaredName, ...]
    new: tuple[DeclaredName, ...]


@dataclass(frozen=True, slots=True)
class ComparisonFixtures:
    """Situations and plays to begin near, written by people for either revision."""

    old: tuple[Situation, ...] = ()
    new: tuple[Situation, ...] = ()
    plays: tuple[SavedSession, ...] = ()  # of the old revision, replayed before anything else
    new_plays: tuple[SavedSession, ...] = ()  # of the new revision, replayed after those


@dataclass(frozen=True, slots=True)
class ComparisonEffort:
    """Limits of a comparison."""

    work: int = DEFAULT_WORK  # units of all stages together; results depend on it and on no clock
    seconds: float | None = None  # wall-clock limit; None for none
    workers: int = 2  # processes; results do not depend on it
    witnesses: int = 5  # shown at most
    arguments: int = 20_000  # argument lists of a function, to be tried exhaustively
    shrinks: int = 80  # plays per witness
    every: bool = False  # whether each edit that a play shows gets a witness, whatever their number


NO_FIXTURES = ComparisonFixtures()
DEFAULT_EFFORT = ComparisonEffort()


@dataclass(frozen=True, slots=True)
class ComparisonProgress:
    """Progress of a comparison, and witnesses so far.

    Its stages are `functions`, `playing`, `separating` and `shrinking`.
    """

    stage: str
    done: int
    total: int
    witnesses: int


ComparisonProgressCallback = Callable[[ComparisonProgress], None]


@dataclass(frozen=True, slots=True)
class BehaviourVerdict:
    """Verdict of the plays."""

    word: str  # `equivalent`, `changed` or `unknown`
    basis: str = ""  # of `equivalent`: `unreached` (no procedure reaches a change) or `exhausted`; else empty
    number: int = 0  # argument lists tried
    limit: str = ""  # of `unknown`: why, in words
    space: tuple[str, ...] = ()  # of `exhausted`: what was tried, in words


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Entry procedure, by old and new name, with the number of its plays."""

    old: str
    new: str
    plays: int


@dataclass(frozen=True, slots=True)
class TriedFunction:
    """Changed function with the number of arguments tried, whether it is equal for all, and which they are."""

    old: str
    new: str
    argument_count: int
    equal: bool
    space: str = ""


ENOUGH_PLAYS = 200
"""Number of plays that have to reach a changed place before it counts as reached often."""


@dataclass(frozen=True, slots=True)
class PlaceEvidence:
    """Coverage of a changed place by plays."""

    addresses: tuple[str, str]  # (old, new); empty where a revision has nothing there
    plays: int  # that reached the place
    play_count: int  # of all plays
    differing: int = 0  # plays with another value there

    @property
    def missing(self) -> str:
        """Other values there, or how seldom it was reached, in words; empty if it was reached often enough."""
        if self.differing:
            return (
                f"`{self.addresses[1]}` gave another result than in OLD in {self.differing} plays, yet nothing else in"
                " them was different"
            )
        if self.plays >= ENOUGH_PLAYS:
            return ""
        often = {0: "was never reached", 1: "was reached only once", 2: "was reached only twice"}
        frequency = often.get(self.plays, f"was reached only {self.plays} times")
        return f"`{self.addresses[0] or self.addresses[1]}` {frequency} in {self.play_count} plays"


@dataclass(frozen=True, slots=True)
class WitnessSide:
    """Witness in one revision, up to the divergence."""

    procedure: str
    state: Mapping[str, Json]  # in the form of a state file
    roles: Mapping[str, Json]  # arguments as JSON
    answers: tuple[RecordedAnswer, ...]  # in order
    outcome: str  # `asks`, `ends`, `refuses` or `faults`
    address: str  # of the question, need or line, or of the last line before the end
    changes: Mapping[str, Json]  # of the game, in the form of a state file
    session: Session = field(repr=False, compare=False)  # the recorded play, up to the divergence


@dataclass(frozen=True, slots=True)
class EditSubject:
    """Edits that a play shows, by number."""

    edits: tuple[int, ...]
    needed: tuple[int, ...] = ()  # further edits that have to be applied with them


@dataclass(frozen=True, slots=True)
class SeparatedEdits:
    """Outcomes of separating the edits that can change play, by number; each is in one list."""

    shown: tuple[int, ...] = ()  # shown by a play
    hidden: tuple[int, ...] = ()  # shown only where other edits are not applied
    whole: tuple[int, ...] = ()  # cannot be applied without others
    silent: tuple[int, ...] = ()  # no play found
    untried: tuple[int, ...] = ()  # no work left


@dataclass(frozen=True, slots=True)
class PlayWitness:
    """Play by which the revisions differ; both were replayed from this data before it was returned."""

    sort: str  # of the first difference, a key of `DIFFERENCE_KINDS`, never `value`
    old: WitnessSide
    new: WitnessSide  # with the same answers
    addresses: Mapping[str, str] = field(repr=False, compare=False)  # new addresses by old ones
    # (old, new) addresses of changed places reached before the divergence
    touched: tuple[tuple[str, ...], tuple[str, ...]]
    subject: EditSubject | None = None  # edits it shows; None if unknown


@dataclass(frozen=True, slots=True)
class ValueWitness:
    """Arguments for which a function or measure has two values, or a number that only one revision may hold."""

    old: str  # name
    new: str  # name
    arguments: tuple[Mapping[str, Json], Mapping[str, Json]]  # (old, new) by name, as JSON
    settings: tuple[Mapping[str, Json], Mapping[str, Json]]  # (old, new) readings, as JSON
    values: tuple[Json, Json]  # (old, new) as JSON; None and a text where one has no value
    states: tuple[Mapping[str, Json], Mapping[str, Json]] | None = None  # (old, new) state, of measures


@dataclass(frozen=True, slots=True)
class MigratedPlay:
    """Outcome of a recorded play under the new revision."""

    name: str
    outcome: str  # `same`, `differs` or `lost` (it does not load)
    sort: str = ""  # of the first difference, a key of `DIFFERENCE_KINDS`; else empty
    answers: int = 0  # given before the difference, or in all
    addresses: tuple[str, str] = ("", "")  # (old, new) of the difference; empty at an end
    message: str = ""  # why it does not load; else empty
    # attributes not at their default that the old revision does not know and plays without, in words
    unknown_attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewFault:
    """Line of the new revision at which plays end that continued in the old one."""

    address: str
    code: str
    message: str
    roll: str = ""  # roll of a scenario's play of which some faces lead to the fault; else empty
    times: int = 0  # number of these faces
    faces: int = 0  # of all faces


@dataclass(frozen=True, slots=True)
class BehaviourComparison:
    """Result of a differential test."""

    verdict: BehaviourVerdict
    seed: int
    work: int  # units spent
    cut_after_seconds: float | None  # None if the clock cut nothing
    plays: int  # of both revisions
    entrances: tuple[EntryPoint, ...]  # procedures that were played
    unaffected_procedures: tuple[str, ...]  # entry procedures that reach no change, by new name
    functions: tuple[TriedFunction, ...]  # changed functions that were tried by themselves
    evidence: tuple[PlaceEvidence, ...]  # of the changed places
    witnesses: tuple[PlayWitness, ...]  # differing plays, one of each sort, procedure and place
    values: tuple[ValueWitness, ...]  # one for each differing function
    separated: SeparatedEdits | None = None  # None if edits were not separated
    scenarios: tuple[MigratedPlay, ...] = ()  # of the old revision
    limits: tuple[tuple[str, int], ...] = ()  # codes of machine limits, with the number of plays they ended
    faults: tuple[NewFault, ...] = ()  # each line once


@dataclass(frozen=True, slots=True)
class OutcomeShare:
    """Probabilities of a value in both revisions; lower bounds where not all plays were followed."""

    value: str  # as shown
    old: Fraction
    new: Fraction
    is_value: bool = True  # if not, the play comes to none: it cannot begin or go on, or never ends


@dataclass(frozen=True, slots=True)
class OddsShift:
    """Shift of the distribution of one expression at the end of a play."""

    expression: str  # as written for the old revision
    is_flag: bool
    shares: tuple[OutcomeShare, ...]  # of every value of either revision, in order
    means: tuple[Fraction, Fraction] | None  # of numbers; None where a play has no value
    # (old, new) probability of unexplored plays: the error of each share
    unexplored: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))

    @property
    def has_unexplored(self) -> bool:
        """Whether probabilities are known between bounds only."""
        return any(self.unexplored)

    @property
    def is_certain(self) -> bool:
        """Whether the probability of any value surely differs."""
        old, new = self.unexplored
        return any(share.old > share.new + new or share.new > share.old + old for share in self.shares)

    @property
    def largest_share(self) -> OutcomeShare:
        """Value whose probability shifts most; of a flag `yes`."""
        if self.is_flag:
            yes = next((share for share in self.shares if share.value == "yes"), None)
            if yes is not None and yes.old != yes.new:
                return yes
        return max(self.shares, key=lambda outcome_share: abs(outcome_share.new - outcome_share.old))


@dataclass(frozen=True, slots=True)
class PlayShift:
    """Odds of one play before and after."""

    shifts: tuple[OddsShift, ...] = ()  # of everything that is asked, in order
    unknown_odds: tuple[tuple[str, str], ...] = ()  # expression (empty for all) and reason
    uses_policy: bool = False
    is_unasked: bool = False

    @property
    def has_shift(self) -> bool:
        return any(shift.is_certain for shift in self.shifts)


@dataclass(frozen=True, slots=True)
class IsolatedShift:
    """Shift of a play by some of the edits alone."""

    edits: tuple[int, ...]  # numbers
    play_shift: PlayShift


@dataclass(frozen=True, slots=True)
class SituationShift:
    """Play that scenarios begin, and its shift."""

    names: tuple[str, ...]  # of the scenarios, with their files
    joint_shift: PlayShift  # of all edits together
    has_own_policy: bool = False  # whether a scenario says who decides
    isolated_shifts: tuple[IsolatedShift, ...] = ()  # of the edits that could be isolated
    # attributes not at their default that the old revision does not know and plays without, in words
    unknown_attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OddsComparison:
    """Shifts of the odds by a new revision."""

    situations: tuple[SituationShift, ...]  # in the order of the scenarios
    policy: str  # where no scenario has its own; or empty
    explored_states: int
    skipped_measures: tuple[str, ...] = ()  # declared measures with too many argument values
    inseparable_reason: str = ""  # why edits were not isolated; empty if they were, or there is one
    is_proved: bool = False  # whether the revisions are proved equivalent, so that nothing shifts
    unvisited: tuple[str, ...] = ()  # if nothing shifts: new steps that no completely explored play reaches
    unset_attributes: tuple[str, ...] = ()  # if nothing shifts: new ones that no play sets, in words

    @property
    def shifted(self) -> tuple[SituationShift, ...]:
        """Situations in which anything shifts."""
        return tuple(situation for situation in self.situations if situation.joint_shift.has_shift)

    @property
    def unknown(self) -> tuple[SituationShift, ...]:
        """Situations with unknown odds."""
        return tuple(situation for situation in self.situations if situation.joint_shift.unknown_odds)

    @property
    def bounded(self) -> tuple[SituationShift, ...]:
        """Situations in which bounds do not decide whether anything shifts."""
        return tuple(
            situation_shift
            for situation_shift in self.unknown
            if any(one.has_unexplored and not one.is_certain for one in situation_shift.joint_shift.shifts)
        )

    @property
    def unasked_count(self) -> int:
        """Number of situations in which nothing is asked."""
        return sum(situation.joint_shift.is_unasked for situation in self.situations)

    @property
    def shows_change(self) -> bool:
        """Whether anything shifts by the rules alone, without a policy that chooses for players."""
        return any(not situation_shift.joint_shift.uses_policy for situation_shift in self.shifted)


@dataclass(frozen=True, slots=True)
class RevisionEstimate:
    """Size of the state space of one revision in one situation, or why it is unknown; neither where it cannot begin."""

    estimate: EffortEstimate | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PlayEstimate:
    """Play that scenarios begin, and the size of its state space."""

    names: tuple[str, ...]  # of the scenarios, with their files
    old: RevisionEstimate | None = None  # None if neither revision is asked
    new: RevisionEstimate | None = None  # None if it is not asked
    reason: str = ""  # why neither is asked
    is_unasked: bool = False
