"""Scenarios as they were read, of whose rulesets nothing is known yet, and what came of them."""

from collections import Counter
from collections.abc import Iterable

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Key, Mapping, Node
from rulewright.inputs.policies import Policy
from rulewright.source import Span

ONLY_PLAYED = "only_played"
"""The outcome of a scenario that has neither answers nor expectations: a start to play from."""

_OUTCOMES = ("passed", "failed", "wrong", "skipped", ONLY_PLAYED)


@dataclass(frozen=True, slots=True)
class Named:
    """A text of the file with its place."""

    text: str
    place: Key | Node


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to play, with what has to come of it; cases and readings of a scenario are spelled out."""

    file: str  # name of the scenario file
    name: str  # of the scenario, its case and its readings: `ties / defender [wounds_that_count: test_only]`
    place: Key  # where it is written
    ruleset: str  # file, folder or shipped name
    procedure: Named  # what is begun
    roles: Mapping  # arguments by role
    state: Node  # where it begins
    expect: Mapping  # what has to come of it
    ruleset_place: Key | Node | None = None  # where it is written, or none where it is that of the folder
    overlays: tuple[Named, ...] = ()  # files that amend it
    settings: Mapping | None = None  # readings other than the state's
    patch: Mapping | None = None  # what is otherwise there, or none
    script: Node | None = None  # answers, or none
    seed: int | None = None  # of the dice a script leaves out, or none where it leaves none out
    policies: tuple[Policy, ...] = ()  # who decides what the script does not; those first that count
    plays: int = 1  # how often it is played, with one seed after the other
    covers: tuple[Named, ...] = ()  # clauses it shows
    skip: str = ""  # why it is not played, or empty
    # what is wrong with it, so that it is not played; then nothing else of it can be relied on
    wrong: tuple[Diagnostic, ...] = ()
    shared_roles: Mapping | None = None  # arguments for roles that it needs and does not name
    # the case at whose end it begins, in place of its state; none where it begins with its state
    after: "Case | None" = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is let be, and what, by its name."""

    what: Named
    because: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A scenario file."""

    file: str  # its name
    cases: tuple[Case, ...]  # all of it, in order, with those that something is wrong with
    exclude: tuple[Reason, ...]  # what it leaves out of coverage: a unit, or an address with all its units
    # which changes of the rules it lets pass unnoticed: a mutant, an address, or an operator at one
    survivors: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation that was not met."""

    what: str  # the key of the expectation
    expected: str  # in one line
    got: str  # in one line
    place: str = ""  # where it happened: a part of the state, a step, a question; empty where there is none
    # position of the entry of the play with which it went otherwise; none where that is not known
    moment: int | None = None
    cell: Span | None = None  # where it is written, if that is a cell of a table of cases
    spots: tuple[tuple[int, int], ...] = ()  # the cells of boards that are not as expected, by coordinates


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened in a play."""

    # steps, answers, changes and decisive conditions with what they read; nothing twice in a row
    lines: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()  # ids of the steps that were entered in them
    goes_on: bool = False  # whether the play went on after them
    fault: Span | None = None  # the line at which it met a fault, if it ended so
    boards: tuple[str, ...] = ()  # those at the end on which cells are not as expected, as text
    differs: Span | None = None  # the line of the rules where it first went otherwise, if that is known


NOTHING = Happening()
"""Where nothing was played, or nothing needs to be told of it."""


@dataclass(frozen=True, slots=True)
class Result:
    """A case after it was played, as plain data."""

    case: Case
    outcome: str  # `passed`, `failed`, `skipped`, `only_played`, or `wrong` where the scenario itself is
    misses: tuple[Miss, ...] = ()  # expectations that were not met
    wrong: tuple[Diagnostic, ...] = ()  # what is wrong with the scenario
    happened: Happening = NOTHING  # what happened in the play that failed, up to the first miss whose moment is known
    number: int = 0  # of the play that failed, from 0
    fault: str = ""  # the code of the fault in which the play that failed ended
    seconds: float = 0.0  # how long it took


def worded(outcome: str) -> str:
    """An outcome as people read it: whatever keeps a scenario from passing, it failed."""
    return "failed" if outcome == "wrong" else outcome.replace("_", " ")


def counted(results: Iterable[Result]) -> dict[str, int]:
    """How many results have each outcome."""
    found = Counter(each.outcome for each in results)
    return {outcome: found[outcome] for outcome in _OUTCOMES}


def in_numbers(results: Iterable[Result]) -> str:
    """The outcomes of results: `3 passed, 1 failed`."""
    found = Counter(worded(each.outcome) for each in results)
    return ", ".join(f"{found[said]} {said}" for said in dict.fromkeys(map(worded, _OUTCOMES)) if found[said])
