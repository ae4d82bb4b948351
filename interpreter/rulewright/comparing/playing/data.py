"""What a comparison of plays takes and comes to: work, fixtures, effort; witnesses, evidence and the verdict."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import field
from time import monotonic

from rulewright.drivers.session import Session
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Json
from rulewright.inputs.save import Answered, Save
from rulewright.machine.state import Situation
from rulewright.outline.items import Name
from rulewright.proving.apart import Wish

ARGUMENTS, BEGINNING, PLAY, TURN, READING, ORIGIN = 2, 8, 15, 50, 60, 120
"""Charges in lines: a function computed by both revisions, roles given, a play begun by both, a question of both with
its answer, a recorded or found play read again, a situation made."""

VISITED = 64
"""How many members of collections that functions come to are charged as one line."""

HYBRID = 30_000
"""The charge for a revision with some of the edits, checked and compiled."""

WORK = 2_000_000
"""What a comparison may cost where nobody says how much."""


@dataclasses.dataclass
class Work:
    """How much may still be tried, counted so that it is the same on every machine.

    A unit is one line that one revision carries out; what else takes time has a fixed charge in the same unit. So the
    same texts, seed and budget end at the same play everywhere.
    """

    left: int  # units; below zero where the last piece of work was larger than what was left
    # a moment of the monotonic clock at which everything ends, or none. What ends there is said to be cut
    until: float | None = None
    cut: bool = False  # whether that moment came while there was work left

    def spend(self, units: int) -> None:
        """Takes what something cost."""
        self.left -= units

    @property
    def over(self) -> bool:
        """Whether nothing more is to be begun."""
        if self.left > 0 and not self.cut and self.until is not None:
            self.cut = monotonic() > self.until
        return self.left <= 0 or self.cut

    def part(self, units: int) -> "Work":
        """A budget of its own under the same clock; who carries it out says afterwards what it cost."""
        return Work(units, self.until, self.cut)

    def join(self, spent: int, *, cut: bool = False) -> None:
        """Takes what a part cost, and whether the clock cut it."""
        self.left -= spent
        self.cut = self.cut or cut


DIFFERENCES = {
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
class Changed:
    """Names of what changed: of the old revision what was altered or removed, of the new what was altered or added."""

    old: tuple[Name, ...]
    new: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Fixtures:
    """What plays begin near, and which come first: what people wrote for either revision, and what a solver found."""

    old: tuple[Situation, ...] = ()  # situations of the old revision
    new: tuple[Situation, ...] = ()  # situations of the new one
    plays: tuple[Save, ...] = ()  # of the old revision, which both play again before anything else
    new_plays: tuple[Save, ...] = ()  # of the new one, which come after those
    wishes: tuple[Wish, ...] = ()  # what a solver would have situations hold, so that a change may show


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried at most."""

    work: int = WORK  # counted, of all stages together; what is found depends on it and on no clock
    seconds: float | None = None  # after which everything ends, however much work is left; none is never
    workers: int = 2  # processes; how many there are changes nothing that is found
    witnesses: int = 5  # shown at most
    arguments: int = 20_000  # of one function, or situations of one procedure, to be tried all
    shrinks: int = 250  # plays to make one witness smaller
    every: bool = False  # whether each edit that a play shows has its witness, however many these are


NO_FIXTURES = Fixtures()
EFFORT = Effort()
"""What is tried where nobody says how much."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a comparison is, and witnesses so far.

    Its stages are `functions`, `playing`, `separating` and `shrinking`.
    """

    stage: str
    done: int
    whole: int
    witnesses: int


Heed = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the plays say of the change."""

    word: str  # `equivalent`, `changed` or `unknown`
    # of `equivalent`: `unreached` (no procedure comes to what changed), `exhausted` (everything possible was tried) or
    # `sampled`; else empty
    how: str = ""
    number: int = 0  # of arguments and situations tried, or of plays
    seed: int | None = None  # of sampled plays
    limit: str = ""  # of `unknown`: why nothing can be said, in words
    space: tuple[str, ...] = ()  # of `exhausted`: what was tried in every way, in words


@dataclass(frozen=True, slots=True)
class Entrance:
    """A procedure that plays began with, by its old and new name, and how many of them; exhausted where all were."""

    old: str
    new: str
    plays: int
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class Tried:
    """A changed function that was tried: how many arguments, whether it is equal for all, and which they are."""

    old: str
    new: str
    number: int
    equal: bool
    space: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """A changed place that comes to the same in both revisions, whatever it reads."""

    old: str  # its old address
    new: str  # its new address
    reads: tuple[str, ...]  # what it reads, as it is written
    number: int  # of combinations of that
    kept: tuple[str, ...] = ()  # settings of one revision only, which count as they are written


@dataclass(frozen=True, slots=True)
class Evidence:
    """What plays came to of a changed place, or of an expression in it."""

    # of the place, in the old revision and in the new one; empty where one has nothing there
    addresses: tuple[str, str]
    texts: tuple[str, str] = ("", "")  # of the expression in both; empty where the place itself is meant
    reads: tuple[str, ...] = ()  # what the expression reads, as it is written
    combinations: int = 0  # of what it reads, in which both revisions had to be computed; 0 where they are too many
    tried: int = 0  # of them, how many were met
    differing: int = 0  # in how many plays the two came to something else there
    plays: int = 0  # that came to the place
    lacking: str = ""  # what is missing to say that nothing changed there, in words; empty where nothing is


@dataclass(frozen=True, slots=True)
class Side:
    """A witness in one revision, up to where the two part."""

    procedure: str  # what is begun
    state: Mapping[str, Json]  # in the form of a state file
    roles: Mapping[str, Json]  # the arguments, as JSON
    answers: tuple[Answered, ...]  # given so far, in order
    outcome: str  # what it does then: `asks`, `ends`, `refuses` or `faults`
    address: str  # of the question, need or line, or of the last line before the end
    changes: Mapping[str, Json]  # of the game so far, in the form of a state file
    # the play itself, recorded; its turns are the answers, its outcome is where the two part
    session: Session = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Subject:
    """Edits that a play shows, by their numbers among all of a comparison."""

    edits: tuple[int, ...]
    needed: tuple[int, ...] = ()  # others that have to be made with them


@dataclass(frozen=True, slots=True)
class Separated:
    """What became of the edits that can change play, by their numbers; each stands in one list."""

    seen: tuple[int, ...] = ()  # a play shows them
    hidden: tuple[int, ...] = ()  # plays show them only where others are not made
    whole: tuple[int, ...] = ()  # they cannot be made without others
    silent: tuple[int, ...] = ()  # no play was found
    untried: tuple[int, ...] = ()  # there was no work left for them


@dataclass(frozen=True, slots=True)
class Witness:
    """A play by which the two revisions differ; both were played again from this data before it was given out."""

    sort: str  # of the first difference, a key of `DIFFERENCES`, never `value`
    old: Side  # the play of the old revision
    new: Side  # that of the new one, with the same answers
    addresses: Mapping[str, str] = field(repr=False, compare=False)  # of the new revision by those of the old one
    # addresses of what changed that the old and the new play came to before they parted
    touched: tuple[tuple[str, ...], tuple[str, ...]]
    subject: Subject | None = None  # the edits it is about; none where it is not known


@dataclass(frozen=True, slots=True)
class ValueWitness:
    """Arguments for which a function or measure has two values, or a number that only one state may hold."""

    old: str  # its old name
    new: str  # its new name
    arguments: tuple[Mapping[str, Json], Mapping[str, Json]]  # by name, as JSON, of the old revision and of the new one
    # readings under which it was computed, as JSON, of the old revision and of the new one
    settings: tuple[Mapping[str, Json], Mapping[str, Json]]
    values: tuple[Json, Json]  # old and new, as JSON; none and a text where one cannot be computed
    # of measures the state they are taken in, of the old revision and of the new one
    states: tuple[Mapping[str, Json], Mapping[str, Json]] | None = None


@dataclass(frozen=True, slots=True)
class Migrated:
    """What becomes of a play under the new revision."""

    name: str  # of the play, as it was given
    outcome: str  # `same`, `differs` or `lost` (it does not load)
    sort: str = ""  # of the first difference, a key of `DIFFERENCES`; else empty
    answers: int = 0  # how many were given before that, or in all
    addresses: tuple[str, str] = ("", "")  # where the old revision and the new one stand then; empty at an end
    message: str = ""  # why it does not load, in words; else empty


@dataclass(frozen=True, slots=True)
class Fault:
    """A line of the new revision at which plays end that went on in the old one."""

    address: str
    code: str
    message: str
    roll: str = ""  # what a play of a scenario throws, where so many faces of it come to that; else empty
    times: int = 0  # how many faces come to it
    faces: int = 0  # of so many


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What comparing plays found."""

    verdict: Verdict  # of all
    seed: int  # of situations, answers and dice
    work: int  # that was done, counted
    cut: float | None  # the seconds after which it ended with work left; none where it did not
    plays: int  # that both revisions played
    entrances: tuple[Entrance, ...]  # procedures that were played
    spared: tuple[str, ...]  # procedures that come to nothing that changed, by their new name
    functions: tuple[Tried, ...]  # changed functions that were tried by themselves
    evidence: tuple[Evidence, ...]  # what plays came to of what changed
    witnesses: tuple[Witness, ...]  # plays that differ, one of each sort, procedure and place
    values: tuple[ValueWitness, ...]  # arguments for which functions differ, one for each function
    separated: Separated | None = None  # which edits plays show; none where they were not told apart
    scenarios: tuple[Migrated, ...] = ()  # of the old revision, and what becomes of each under the new one
    # changed places that come to the same, whatever they read; no play is needed for them
    settled: tuple[Settled, ...] = ()
    # codes of the limits of the machine that ended plays, and how many each of them ended
    limits: tuple[tuple[str, int], ...] = ()
    faults: tuple[Fault, ...] = ()  # lines at which plays of the new revision alone end, each once
