"""Scenarios as they were read, of whose rulesets nothing is known yet, and what came of them."""

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Key, Mapping, Node
from rulewright.source import Span


@dataclass(frozen=True, slots=True)
class Named:
    """A text of the file with its place."""

    text: str
    place: Key | Node


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to play, with what has to come of it; cases and readings of a scenario are spelled out.

    Attributes:
        file: name of the scenario file.
        name: of the scenario, its case and its readings: `ties / defender [wounds_that_count: test_only]`.
        place: where it is written.
        ruleset: file, folder or shipped name.
        ruleset_place: where it is written, or none where it is that of the folder.
        overlays: files that amend it.
        procedure: what is begun.
        roles: arguments by role.
        settings: readings other than the state's.
        state: where it begins.
        patch: what is otherwise there, or none.
        script: answers, or none.
        seed: of the dice a script leaves out, or none where it leaves none out.
        policy: who decides what the script does not, or none.
        plays: how often it is played, with one seed after the other.
        covers: clauses it shows.
        skip: why it is not played, or empty.
        expect: what has to come of it.
        wrong: what is wrong with it, so that it is not played; then nothing else of it can be relied on.
        shared_roles: arguments for roles that it needs and does not name.
        after: the case at whose end it begins, in place of its state; none where it begins with its state.
    """

    file: str
    name: str
    place: Key
    ruleset: str
    ruleset_place: Key | Node | None
    overlays: tuple[Named, ...]
    procedure: Named
    roles: Mapping
    settings: Mapping | None
    state: Node
    patch: Mapping | None
    script: Node | None
    seed: int | None
    policy: str | None
    plays: int
    covers: tuple[Named, ...]
    skip: str
    expect: Mapping
    wrong: tuple[Diagnostic, ...] = ()
    shared_roles: Mapping | None = None
    after: "Case | None" = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is let be, and what, by its name."""

    what: Named
    because: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A scenario file.

    Attributes:
        file: its name.
        cases: all of it, in order, with those that something is wrong with.
        exclude: what it leaves out of coverage: a unit, or an address with all its units.
        survivors: which changes of the rules it lets pass unnoticed: a mutant, an address, or an operator at one.
    """

    file: str
    cases: tuple[Case, ...]
    exclude: tuple[Reason, ...]
    survivors: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation that was not met.

    Attributes:
        what: the key of the expectation.
        expected: in one line.
        got: in one line.
        place: where it happened: a part of the state, a step, a question; empty where there is none.
        moment: position of the entry of the play with which it went otherwise; none where that is not known.
        cell: where it is written, if that is a cell of a table of cases.
        spots: the cells of boards that are not as expected, by coordinates.
    """

    what: str
    expected: str
    got: str
    place: str = ""
    moment: int | None = None
    cell: Span | None = None
    spots: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened in a play.

    Attributes:
        lines: steps, answers, changes and decisive conditions with what they read; nothing twice in a row.
        steps: ids of the steps that were entered in them.
        goes_on: whether the play went on after them.
        fault: the line at which it met a fault, if it ended so.
        boards: those at the end on which cells are not as expected, as text.
    """

    lines: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    goes_on: bool = False
    fault: Span | None = None
    boards: tuple[str, ...] = ()


NOTHING = Happening()
"""Where nothing was played, or nothing needs to be told of it."""


@dataclass(frozen=True, slots=True)
class Result:
    """A case after it was played, as plain data.

    Attributes:
        case: it.
        outcome: `passed`, `failed`, `skipped`, or `wrong` where the scenario itself is.
        misses: expectations that were not met.
        wrong: what is wrong with the scenario.
        happened: what happened in the play that failed, up to the first miss whose moment is known.
        number: of the play that failed, from 0.
        seconds: how long it took.
    """

    case: Case
    outcome: str
    misses: tuple[Miss, ...] = ()
    wrong: tuple[Diagnostic, ...] = ()
    happened: Happening = NOTHING
    number: int = 0
    seconds: float = 0.0


OUTCOMES = ("passed", "failed", "wrong", "skipped")
