"""Scenarios as they were read: nothing of the ruleset is known yet."""

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Key, Mapping, Node
from rulewright.scenarios.fields import Named

SHARED = ("ruleset", "overlays", "procedure", "with", "settings", "matrix", "state", "seed", "policy")
"""Keys that a file may share among its scenarios."""

EXCLUDE = "exclude"
"""What a file leaves out of coverage."""

SURVIVORS = "survivors"
"""Which changes of the rules a file lets pass unnoticed."""

SUITE = (*SHARED, "states", EXCLUDE, SURVIVORS, "scenarios")
"""Keys of a file."""

SCENARIO = (*SHARED, "covers", "skip", "patch", "script", "plays", "expect", "cases")
"""Keys of a scenario."""


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
        script: answers, or none.
        seed: of the dice a script leaves out, or none where it leaves none out.
        policy: who decides what the script does not, or none.
        plays: how often it is played, with one seed after the other.
        covers: clauses it shows.
        skip: why it is not played, or empty.
        expect: what has to come of it.
        wrong: what is wrong with it, so that it is not played; then nothing else of it can be relied on.
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
    script: Node | None
    seed: int | None
    policy: str | None
    plays: int
    covers: tuple[Named, ...]
    skip: str
    expect: Mapping
    wrong: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """A scenario file.

    Attributes:
        file: its name.
        cases: all of it, in order, with those that something is wrong with.
        exclude: what it leaves out of coverage, unread; none where it says nothing of that.
        survivors: which changes of the rules it lets pass unnoticed, unread; none where it says nothing of that.
    """

    file: str
    cases: tuple[Case, ...]
    exclude: Node | None
    survivors: Node | None
