"""Counted work: what a comparison costs, the same on every machine and by any clock."""

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

HYBRID = 30_000
"""The charge for a revision with some of the edits, checked and compiled."""

WORK = 2_000_000
"""What a comparison may cost where nobody says how much."""


@dataclasses.dataclass
class Work:
    """How much may still be tried.

    A unit is one line that one revision carries out; what else takes time has a fixed charge in the same unit. So the
    same texts, seed and budget end at the same play everywhere.

    Attributes:
        left: units; below zero where the last piece of work was larger than what was left.
        until: a moment of the monotonic clock at which everything ends, or none. What ends there is said to be cut.
        cut: whether that moment came while there was work left.
    """

    left: int
    until: float | None = None
    cut: bool = False

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
    "legal": "a situation is allowed by one revision only",
    "refused": "a procedure may begin by one revision only",
    "question": "from here on the two do not ask the same",
    "asked": "somebody else is asked",
    "secret": "what one player keeps from the others is not the same",
    "options": "other answers are possible",
    "dice": "other dice are thrown",
    "fault": "one revision comes to a line that cannot be carried out",
    "result": "the procedure gives another result",
    "start": "a state file means something else",
    "end": "the game stands otherwise at the end",
}
"""Sorts of differences, with what they mean."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Names of what changed: of the old revision what was altered or removed, of the new what was altered or added."""

    old: tuple[Name, ...]
    new: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Fixtures:
    """What plays begin near, and which come first: what people wrote for either revision, and what a solver found.

    Attributes:
        old: situations of the old revision.
        new: situations of the new one.
        plays: of the old revision, which both play again before anything else.
        new_plays: of the new one, which come after those.
        wishes: what a solver would have situations hold, so that a change may show.
    """

    old: tuple[Situation, ...] = ()
    new: tuple[Situation, ...] = ()
    plays: tuple[Save, ...] = ()
    new_plays: tuple[Save, ...] = ()
    wishes: tuple[Wish, ...] = ()


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried at most.

    Attributes:
        work: counted, of all stages together; what is found depends on it and on no clock.
        seconds: after which everything ends, however much work is left; none is never.
        workers: processes; how many there are changes nothing that is found.
        witnesses: shown at most.
        every: whether each edit that a play shows has its witness, however many these are.
        arguments: of one function, or situations of one procedure, to be tried all.
        shrinks: plays to make one witness smaller.
    """

    work: int = WORK
    seconds: float | None = None
    workers: int = 2
    witnesses: int = 5
    arguments: int = 20_000
    shrinks: int = 250
    every: bool = False


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
    """What the plays say of the change.

    Attributes:
        word: `equivalent`, `changed` or `unknown`.
        how: of `equivalent`: `unreached` (no procedure comes to what changed), `exhausted` (everything possible was
            tried) or `sampled`; else empty.
        number: of arguments and situations tried, or of plays.
        seed: of sampled plays.
        limit: of `unknown`: why nothing can be said, in words.
        space: of `exhausted`: what was tried in every way, in words.
    """

    word: str
    how: str = ""
    number: int = 0
    seed: int | None = None
    limit: str = ""
    space: tuple[str, ...] = ()


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
    """A changed place that comes to the same in both revisions, whatever it reads.

    Attributes:
        old: its old address.
        new: its new address.
        reads: what it reads, as it is written.
        number: of combinations of that.
        kept: settings of one revision only, which count as they are written.
    """

    old: str
    new: str
    reads: tuple[str, ...]
    number: int
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What plays came to of a changed place, or of an expression in it.

    Attributes:
        addresses: of the place, in the old revision and in the new one; empty where one has nothing there.
        texts: of the expression in both; empty where the place itself is meant.
        reads: what the expression reads, as it is written.
        combinations: of what it reads, in which both revisions had to be computed; 0 where they are too many.
        tried: of them, how many were met.
        differing: in how many plays the two came to something else there.
        plays: that came to the place.
        lacking: what is missing to say that nothing changed there, in words; empty where nothing is.
    """

    addresses: tuple[str, str]
    texts: tuple[str, str] = ("", "")
    reads: tuple[str, ...] = ()
    combinations: int = 0
    tried: int = 0
    differing: int = 0
    plays: int = 0
    lacking: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """A witness in one revision, up to where the two part.

    Attributes:
        procedure: what is begun.
        state: in the form of a state file.
        roles: the arguments, as JSON.
        answers: given so far, in order.
        outcome: what it does then: `asks`, `ends`, `refuses` or `faults`.
        address: of the question, need or line, or of the last line before the end.
        changes: of the game so far, in the form of a state file.
        session: the play itself, recorded; its turns are the answers, its outcome is where the two part.
    """

    procedure: str
    state: Mapping[str, Json]
    roles: Mapping[str, Json]
    answers: tuple[Answered, ...]
    outcome: str
    address: str
    changes: Mapping[str, Json]
    session: Session = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Subject:
    """Edits that a play shows, by their numbers among all of a comparison.

    Attributes:
        edits: they.
        needed: others that have to be made with them.
    """

    edits: tuple[int, ...]
    needed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Separated:
    """What became of the edits that can change play, by their numbers; each stands in one list.

    Attributes:
        seen: a play shows them.
        hidden: plays show them only where others are not made.
        whole: they cannot be made without others.
        silent: no play was found.
        untried: there was no work left for them.
    """

    seen: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()
    whole: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()
    untried: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """A play by which the two revisions differ; both were played again from this data before it was given out.

    Attributes:
        sort: of the first difference, a key of `DIFFERENCES`, never `value`.
        old: the play of the old revision.
        new: that of the new one, with the same answers.
        addresses: of the new revision by those of the old one.
        touched: addresses of what changed that the old and the new play came to before they parted.
        subject: the edits it is about; none where it is not known.
    """

    sort: str
    old: Side
    new: Side
    addresses: Mapping[str, str] = field(repr=False, compare=False)
    touched: tuple[tuple[str, ...], tuple[str, ...]]
    subject: Subject | None = None


@dataclass(frozen=True, slots=True)
class ValueWitness:
    """Arguments for which a function or measure has two values, or a number that only one state may hold.

    Attributes:
        old: its old name.
        new: its new name.
        arguments: by name, as JSON, of the old revision and of the new one.
        settings: readings under which it was computed, as JSON, of the old revision and of the new one.
        values: old and new, as JSON; none and a text where one cannot be computed.
        states: of measures the state they are taken in, of the old revision and of the new one.
    """

    old: str
    new: str
    arguments: tuple[Mapping[str, Json], Mapping[str, Json]]
    settings: tuple[Mapping[str, Json], Mapping[str, Json]]
    values: tuple[Json, Json]
    states: tuple[Mapping[str, Json], Mapping[str, Json]] | None = None


@dataclass(frozen=True, slots=True)
class Migrated:
    """What becomes of a play under the new revision.

    Attributes:
        name: of the play, as it was given.
        outcome: `same`, `differs` or `lost` (it does not load).
        sort: of the first difference, a key of `DIFFERENCES`; else empty.
        answers: how many were given before that, or in all.
        addresses: where the old revision and the new one stand then; empty at an end.
        message: why it does not load, in words; else empty.
    """

    name: str
    outcome: str
    sort: str = ""
    answers: int = 0
    addresses: tuple[str, str] = ("", "")
    message: str = ""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What comparing plays found.

    Attributes:
        verdict: of all.
        seed: of situations, answers and dice.
        work: that was done, counted.
        cut: the seconds after which it ended with work left; none where it did not.
        plays: that both revisions played.
        entrances: procedures that were played.
        spared: procedures that come to nothing that changed, by their new name.
        functions: changed functions that were tried by themselves.
        evidence: what plays came to of what changed.
        witnesses: plays that differ, one of each sort, procedure and place.
        values: arguments for which functions differ, one for each function.
        separated: which edits plays show; none where they were not told apart.
        scenarios: of the old revision, and what becomes of each under the new one.
        settled: changed places that come to the same, whatever they read; no play is needed for them.
        limits: codes of the limits of the machine that ended plays, and how many each of them ended.
    """

    verdict: Verdict
    seed: int
    work: int
    cut: float | None
    plays: int
    entrances: tuple[Entrance, ...]
    spared: tuple[str, ...]
    functions: tuple[Tried, ...]
    evidence: tuple[Evidence, ...]
    witnesses: tuple[Witness, ...]
    values: tuple[ValueWitness, ...]
    separated: Separated | None = None
    scenarios: tuple[Migrated, ...] = ()
    settled: tuple[Settled, ...] = ()
    limits: tuple[tuple[str, int], ...] = ()
