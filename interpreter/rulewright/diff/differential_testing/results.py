"""Inputs and results of a differential test: work, fixtures, effort; witnesses, evidence, verdict, odds shifts."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from time import monotonic

from rulewright.base.frozen import dataclass
from rulewright.diff.proving.equivalence_query import SituationWish
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
"""How many members of collections that functions come to are charged as one line."""

HYBRID_COST = 30_000
"""The charge for a revision with some of the edits, checked and compiled."""

DEFAULT_WORK = 2_000_000
"""What a comparison may cost where nobody says how much."""


@dataclasses.dataclass
class WorkBudget:
    """Work that is left, counted so that it is the same on every machine.

    A unit is one line that one revision carries out; what else takes time has a fixed charge in the same unit. So the
    same texts, seed and budget end at the same play everywhere.
    """

    units_left: int  # units; below zero where the last piece of work was larger than what was left
    # a moment of the monotonic clock at which everything ends, or none. What ends there is said to be cut
    deadline: float | None = None
    is_cut: bool = False  # whether that moment came while there was work left

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
"""Sorts of differences, with what they mean."""


@dataclass(frozen=True, slots=True)
class ChangedNames:
    """Names of changed declarations: of the old revision altered or removed, of the new altered or added."""

    old: tuple[DeclaredName, ...]
    new: tuple[DeclaredName, ...]


@dataclass(frozen=True, slots=True)
class ComparisonFixtures:
    """Situations and plays to begin near: written by people for either revision, or wished for by a solver."""

    old: tuple[Situation, ...] = ()  # situations of the old revision
    new: tuple[Situation, ...] = ()  # situations of the new one
    plays: tuple[SavedSession, ...] = ()  # of the old revision, which both play again before anything else
    new_plays: tuple[SavedSession, ...] = ()  # of the new one, which come after those
    wishes: tuple[SituationWish, ...] = ()  # what a solver would have situations hold, so that a change may show


@dataclass(frozen=True, slots=True)
class ComparisonEffort:
    """Limits of a comparison."""

    work: int = DEFAULT_WORK  # counted, of all stages together; what is found depends on it and on no clock
    seconds: float | None = None  # after which everything ends, however much work is left; none is never
    workers: int = 2  # processes; how many there are changes nothing that is found
    witnesses: int = 5  # shown at most
    arguments: int = 20_000  # of one function, or situations of one procedure, to be tried all
    shrinks: int = 250  # plays to make one witness smaller
    every: bool = False  # whether each edit that a play shows has its witness, however many these are


NO_FIXTURES = ComparisonFixtures()
DEFAULT_EFFORT = ComparisonEffort()
"""What is tried where nobody says how much."""


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
    # of `equivalent`: `unreached` (no procedure comes to what changed), `exhausted` (everything possible was tried) or
    # `sampled`; else empty
    basis: str = ""
    number: int = 0  # of arguments and situations tried, or of plays
    seed: int | None = None  # of sampled plays
    limit: str = ""  # of `unknown`: why nothing can be said, in words
    space: tuple[str, ...] = ()  # of `exhausted`: what was tried in every way, in words


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Entry procedure, by old and new name, with the number of its plays, and whether these were all."""

    old: str
    new: str
    plays: int
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class TriedFunction:
    """Changed function with the number of arguments tried, whether it is equal for all, and which they are."""

    old: str
    new: str
    argument_count: int
    equal: bool
    space: str = ""


@dataclass(frozen=True, slots=True)
class EquivalentPlace:
    """Changed place with equal results in both revisions for all inputs."""

    old: str  # its old address
    new: str  # its new address
    reads: tuple[str, ...]  # what it reads, as it is written
    combination_count: int  # of combinations of that
    fixed_settings: tuple[str, ...] = ()  # settings of one revision only, which count as they are written


@dataclass(frozen=True, slots=True)
class PlaceEvidence:
    """Coverage of a changed place, or of an expression in it, by plays."""

    # of the place, in the old revision and in the new one; empty where one has nothing there
    addresses: tuple[str, str]
    texts: tuple[str, str] = ("", "")  # of the expression in both; empty where the place itself is meant
    reads: tuple[str, ...] = ()  # what the expression reads, as it is written
    combinations: int = 0  # of what it reads, in which both revisions had to be computed; 0 where they are too many
    tried: int = 0  # of them, how many were met
    differing: int = 0  # in how many plays the two came to something else there
    plays: int = 0  # that came to the place
    missing: str = ""  # what is missing to say that nothing changed there, in words; empty where nothing is


@dataclass(frozen=True, slots=True)
class WitnessSide:
    """Witness in one revision, up to the divergence."""

    procedure: str  # what is begun
    state: Mapping[str, Json]  # in the form of a state file
    roles: Mapping[str, Json]  # the arguments, as JSON
    answers: tuple[RecordedAnswer, ...]  # given so far, in order
    outcome: str  # what it does then: `asks`, `ends`, `refuses` or `faults`
    address: str  # of the question, need or line, or of the last line before the end
    changes: Mapping[str, Json]  # of the game so far, in the form of a state file
    # the play itself, recorded; its turns are the answers, its outcome is where the two part
    session: Session = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class EditSubject:
    """Edits that a play shows, by number."""

    edits: tuple[int, ...]
    needed: tuple[int, ...] = ()  # others that have to be made with them


@dataclass(frozen=True, slots=True)
class SeparatedEdits:
    """Outcomes of separating the edits that can change play, by number; each is in one list."""

    seen: tuple[int, ...] = ()  # a play shows them
    hidden: tuple[int, ...] = ()  # plays show them only where others are not made
    whole: tuple[int, ...] = ()  # they cannot be made without others
    silent: tuple[int, ...] = ()  # no play was found
    untried: tuple[int, ...] = ()  # there was no work left for them


@dataclass(frozen=True, slots=True)
class PlayWitness:
    """Play by which the revisions differ; both were replayed from this data before it was returned."""

    sort: str  # of the first difference, a key of `DIFFERENCE_KINDS`, never `value`
    old: WitnessSide  # the play of the old revision
    new: WitnessSide  # that of the new one, with the same answers
    addresses: Mapping[str, str] = field(repr=False, compare=False)  # of the new revision by those of the old one
    # addresses of what changed that the old and the new play came to before they parted
    touched: tuple[tuple[str, ...], tuple[str, ...]]
    subject: EditSubject | None = None  # the edits it is about; none where it is not known


@dataclass(frozen=True, slots=True)
class ValueWitness:
    """Arguments for which a function or measure has two values, or a number that only one revision may hold."""

    old: str  # its old name
    new: str  # its new name
    arguments: tuple[Mapping[str, Json], Mapping[str, Json]]  # by name, as JSON, of the old revision and of the new one
    # readings under which it was computed, as JSON, of the old revision and of the new one
    settings: tuple[Mapping[str, Json], Mapping[str, Json]]
    values: tuple[Json, Json]  # old and new, as JSON; none and a text where one cannot be computed
    # of measures the state they are taken in, of the old revision and of the new one
    states: tuple[Mapping[str, Json], Mapping[str, Json]] | None = None


@dataclass(frozen=True, slots=True)
class MigratedPlay:
    """Outcome of a recorded play under the new revision."""

    name: str  # of the play, as it was given
    outcome: str  # `same`, `differs` or `lost` (it does not load)
    sort: str = ""  # of the first difference, a key of `DIFFERENCE_KINDS`; else empty
    answers: int = 0  # how many were given before that, or in all
    addresses: tuple[str, str] = ("", "")  # where the old revision and the new one stand then; empty at an end
    message: str = ""  # why it does not load, in words; else empty


@dataclass(frozen=True, slots=True)
class NewFault:
    """Line of the new revision at which plays end that continued in the old one."""

    address: str
    code: str
    message: str
    roll: str = ""  # what a play of a scenario throws, where so many faces of it come to that; else empty
    times: int = 0  # how many faces come to it
    faces: int = 0  # of so many


@dataclass(frozen=True, slots=True)
class BehaviourComparison:
    """Result of a differential test."""

    verdict: BehaviourVerdict  # of all
    seed: int  # of situations, answers and dice
    work: int  # that was done, counted
    cut_after_seconds: float | None  # the seconds after which it ended with work left; none where it did not
    plays: int  # that both revisions played
    entrances: tuple[EntryPoint, ...]  # procedures that were played
    unaffected_procedures: tuple[str, ...]  # procedures that come to nothing that changed, by their new name
    functions: tuple[TriedFunction, ...]  # changed functions that were tried by themselves
    evidence: tuple[PlaceEvidence, ...]  # what plays came to of what changed
    witnesses: tuple[PlayWitness, ...]  # plays that differ, one of each sort, procedure and place
    values: tuple[ValueWitness, ...]  # arguments for which functions differ, one for each function
    separated: SeparatedEdits | None = None  # which edits plays show; none where they were not told apart
    scenarios: tuple[MigratedPlay, ...] = ()  # of the old revision, and what becomes of each under the new one
    # changed places that come to the same, whatever they read; no play is needed for them
    equivalent_places: tuple[EquivalentPlace, ...] = ()
    # codes of the limits of the machine that ended plays, and how many each of them ended
    limits: tuple[tuple[str, int], ...] = ()
    faults: tuple[NewFault, ...] = ()  # lines at which plays of the new revision alone end, each once


@dataclass(frozen=True, slots=True)
class OutcomeShare:
    """Probabilities of a value in both revisions; lower bounds where not all plays were followed."""

    value: str  # as people say it
    old: Fraction
    new: Fraction


@dataclass(frozen=True, slots=True)
class OddsShift:
    """Shift of the distribution of one expression at the end of a play."""

    expression: str  # what is asked, as it is written for the old revision
    is_flag: bool  # whether its values are yes and no
    shares: tuple[OutcomeShare, ...]  # of every value in either, in order
    means: tuple[Fraction, Fraction] | None  # of numbers; none where a play has no value
    # the shares of plays that were not followed, of the old and the new: each value may be as much likelier
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

    shifts: tuple[OddsShift, ...] = ()  # of everything that is asked of it, in order
    unknown_odds: tuple[tuple[str, str], ...] = ()  # what is not known: what is asked, empty for all of it, and why
    uses_policy: bool = False  # whether a policy chose for players
    is_unasked: bool = False  # whether nothing was asked of it

    @property
    def has_shift(self) -> bool:
        return any(shift.is_certain for shift in self.shifts)


@dataclass(frozen=True, slots=True)
class IsolatedShift:
    """Shift of a play by some of the edits alone."""

    edits: tuple[int, ...]  # their numbers
    play_shift: PlayShift


@dataclass(frozen=True, slots=True)
class SituationShift:
    """Play that scenarios begin, and its shift."""

    names: tuple[str, ...]  # of the scenarios, with their files
    joint_shift: PlayShift  # what all edits do together
    has_own_policy: bool = False  # whether a scenario says who decides
    isolated_shifts: tuple[IsolatedShift, ...] = ()  # what each does by itself, as far as they were told apart


@dataclass(frozen=True, slots=True)
class OddsComparison:
    """Shifts of the odds by a new revision."""

    situations: tuple[SituationShift, ...]  # in the order of the scenarios
    policy: str  # who chose where no scenario says it; or empty
    explored_states: int  # how many moments of play were followed
    skipped_measures: tuple[
        str, ...
    ] = ()  # declared measures that were not asked for: what they take has too many values
    inseparable_reason: str = ""  # why edits were not told apart; empty where they were, or are one
    is_proved: bool = False  # whether nothing can shift, since both revisions are proved to play alike
    unvisited: tuple[str, ...] = ()  # where nothing shifts: new steps to which no play comes that was followed whole

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
    old: RevisionEstimate | None = None  # none where neither revision is asked
    new: RevisionEstimate | None = None  # none where the new one is not asked
    reason: str = ""  # why neither is asked
    is_unasked: bool = False  # whether nothing is asked of it
