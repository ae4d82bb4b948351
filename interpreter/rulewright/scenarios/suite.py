"""Scenarios as they were read, of whose rulesets nothing is known yet, and what came of them."""

import dataclasses
from collections.abc import Iterable
from typing import TypeVar

from rulewright.diagnostics import Diagnostic
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Read, did_you_mean, quoted, shown, there_are
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.source import Span

_Kind = TypeVar("_Kind", Scalar, Items, Mapping)
_CALLED = {Items: "a list", Mapping: "a mapping", Scalar: "a text"}


@dataclass(frozen=True, slots=True)
class Named:
    """A text of the file with its place."""

    text: str
    place: Key | Node


def is_text(node: Node) -> bool:
    """Whether this can be read as a text: it is one, or a number."""
    return isinstance(node, Scalar) and node.value is not None and not isinstance(node.value, bool)


@dataclasses.dataclass(frozen=True)
class Fields:
    """A mapping of a scenario file; what is wrong in it is reported.

    RW1001 (a key nobody knows), RW1002 (another sort of value).
    """

    node: Mapping
    findings: Findings

    def known(self, keys: Iterable[str], what: str) -> None:
        """Reports the keys that are not among these."""
        valid = list(keys)
        for key, _ in self.node:
            if key.text not in valid:
                remedy = did_you_mean(key.text, valid) or there_are(valid)
                self.findings.error("RW1001", key, f"{quoted(key.text)} is no part of {what}", help=remedy)

    def text(self, key: str) -> Named | None:
        """A text, or none."""
        node = self._of(key, Scalar)
        if node is None:
            return None
        if not is_text(node):
            self._wrong(key, node, "a text")
            return None
        return Named(node.written, node)

    def number(self, key: str) -> int | None:
        """A whole number from 0, or none."""
        node = self._of(key, Scalar)
        if node is None:
            return None
        if isinstance(node.value, int) and not isinstance(node.value, bool) and node.value >= 0:
            return node.value
        self._wrong(key, node, "a whole number, 0 or more")
        return None

    def mapping(self, key: str) -> Mapping | None:
        """A mapping, or none."""
        return self._of(key, Mapping)

    def texts(self, key: str) -> tuple[Named, ...]:
        """A list of texts; a single text is a list of one."""
        given = self.node.get(key)
        if isinstance(given, Scalar) and isinstance(given.value, str):
            return (Named(given.written, given),)
        return self._texts(key, self._of(key, Items))

    def _texts(self, key: str, node: Items | None) -> tuple[Named, ...]:
        found = []
        for each in node.items if node else ():
            if isinstance(each, Scalar) and is_text(each):
                found.append(Named(each.written, each))
            else:
                self._wrong(key, each, "a text")
        return tuple(found)

    def _of(self, key: str, sort: type[_Kind]) -> _Kind | None:
        node = self.node.get(key)
        if node is None or isinstance(node, sort):
            return node
        self._wrong(key, node, _CALLED[sort])
        return None

    def _wrong(self, key: str, node: Node, wanted: str) -> None:
        self.findings.error("RW1002", node, f"{quoted(key)} is {shown(node)}; it must be {wanted}")


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


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation that was not met.

    Attributes:
        what: the key of the expectation.
        expected: in one line.
        got: in one line.
        place: where it happened: a part of the state, a step, a question; empty where there is none.
        moment: position of the entry of the play with which it went otherwise; none where that is not known.
    """

    what: str
    expected: str
    got: str
    place: str = ""
    moment: int | None = None


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened in a play.

    Attributes:
        lines: steps, answers, changes and decisive conditions with what they read; nothing twice in a row.
        steps: ids of the steps that were entered in them.
        goes_on: whether the play went on after them.
        fault: the line at which it met a fault, if it ended so.
    """

    lines: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    goes_on: bool = False
    fault: Span | None = None


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


_KEYS = ("what", "because")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is let be, and what, by its name."""

    what: Named
    because: str


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of reasons.

    Attributes:
        key: of the list in a scenario file.
        called: one of them, with its article.
        code: reported where one has no reason, or names nothing.
        remedy: how one is written.
    """

    key: str
    called: str
    code: str
    remedy: str


EXCLUSIONS = Sort(
    EXCLUDE,
    "an exclusion",
    "RW1030",
    "write `{what: ADDRESS, because: REASON}`; `rulewright cover` shows the addresses",
)
"""What a file leaves out of coverage."""

EXPLANATIONS = Sort(
    SURVIVORS,
    "an explanation",
    "RW1061",
    "write `{what: NAME, because: REASON}`; `rulewright mutate` shows the names",
)
"""Which changes of the rules a file lets pass unnoticed."""


def reasons_of(listed: Node | None, sort: Sort) -> Read[tuple[Reason, ...]]:
    """The reasons of a list.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), and the sort's own code.
    """
    findings = Findings()
    if listed is not None and not isinstance(listed, Items):
        findings.error("RW1002", listed, f"`{sort.key}` is {shown(listed)}; it must be a list")
    items = listed.items if isinstance(listed, Items) else ()
    found = [each for each in (_reason(node, sort, findings) for node in items) if each is not None]
    return findings.read(tuple(found))


def _reason(node: Node, sort: Sort, findings: Findings) -> Reason | None:
    if not isinstance(node, Mapping):
        findings.error("RW1002", node, f"{sort.called} is {shown(node)}; it must be a mapping")
        return None
    fields = Fields(node, findings)
    fields.known(_KEYS, sort.called)
    what, because = fields.text("what"), fields.text("because")
    if what is not None and because is not None and because.text.strip():
        return Reason(what, because.text)
    if "what" not in node or what is not None:
        lacking = "names nothing" if "what" not in node else "has no reason"
        findings.error(sort.code, node, f"this {sort.called.partition(' ')[2]} {lacking}", help=sort.remedy)
    return None
