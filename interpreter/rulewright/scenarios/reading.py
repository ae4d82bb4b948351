"""From the text of a scenario file to its cases, each under every reading of its matrix."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from rulewright.diagnostics import in_order
from rulewright.files import Provider
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.wording import quoted, shown
from rulewright.inputs.yaml_places import read
from rulewright.scenarios.cases import Fixtures, Whole, case_of, wrong_case
from rulewright.scenarios.merging import laid_over, merged, without
from rulewright.scenarios.reasons import EXCLUSIONS, EXPLANATIONS, reasons_of
from rulewright.scenarios.suite import EXCLUDE, SCENARIO, SHARED, SUITE, SURVIVORS, Case, Fields, Suite, is_text
from rulewright.source import Text

MATRIX = ("settings", "overlays")


def readings(whole: Mapping, findings: Findings) -> Iterator[tuple[str, Mapping]]:
    """The scenario under every combination, with what its name gets: ` [wounds_that_count: test_only]`.

    Reports RW1001 and RW1002.
    """
    matrix = Fields(whole, findings).mapping("matrix")
    rest = without(whole, "matrix")
    if matrix is None:
        yield "", rest
        return
    Fields(matrix, findings).known(MATRIX, "a matrix")
    for chosen in product(*_axes(matrix, findings)):
        title = ", ".join(each for each, _ in chosen)
        under: Node = rest
        for _, patch in chosen:
            under = merged(under, patch)
        assert isinstance(under, Mapping)
        yield (f" [{title}]" if title else ""), under


def _axes(matrix: Mapping, findings: Findings) -> Iterator[list[tuple[str, Mapping]]]:
    """For each setting, and for the overlays, what the scenario may be laid over with."""
    settings = Fields(matrix, findings).mapping("settings")
    for key, values in settings or ():
        yield [
            (f"{key.text}: {_written(each)}", _one(matrix.key("settings"), _one(key, each)))
            for each in _listed(key, values, findings)
        ]
    overlays = matrix.get("overlays")
    if overlays is not None:
        key = matrix.key("overlays")
        yield [(_written(each) or "plain", _one(key, each)) for each in _listed(key, overlays, findings)]


def _one(key: Key, node: Node) -> Mapping:
    return Mapping(((key, node),), key.span, key.pointer)


def _listed(key: Key, node: Node, findings: Findings) -> tuple[Node, ...]:
    if isinstance(node, Items) and node.items:
        return node.items
    given = "an empty list" if isinstance(node, Items) else shown(node)
    findings.error("RW1002", node, f"{quoted(key.text)} is {given}; it must be a list of what is tried")
    return ()


def _written(node: Node) -> str:
    match node:
        case Scalar(written=written):
            return written
        case Items(items):
            return "+".join(_written(each) for each in items)
        case _:
            return "…"


def read_suite(text: Text, provider: Provider, texts: dict[str, Text], *, judged: bool = True) -> Read[Suite]:
    """The suite of a text; it and the texts of states beside it are added to the texts.

    Where it is not judged, nothing need be expected, and what is expected is not looked at.

    Reports RW0701 to RW0706 (the text), RW1001 (a key nobody knows), RW1002 (another sort of value), RW1003 (nothing
    to play), RW1015 (a state that no scenario uses), RW1030 and RW1061 (what is left out, or let pass, without a
    reason). What is wrong with one scenario is told by its cases: these, RW1012 (two cases of one name), and what
    reading a case reports.
    """
    texts[text.name] = text
    document = read(text)
    if document.value is None:
        return Read(None, document.diagnostics)
    findings = Findings()
    if not isinstance(document.value, Mapping):
        findings.error("RW1002", document.value, f"a scenario file is a mapping, and this is {shown(document.value)}")
        return Read(None, tuple(findings.found))
    fixtures = Fixtures(text.name, document.value, findings, provider, texts)
    cases, root = tuple(_Reader(text.name, document.value, fixtures, judged).cases()), document.value
    if not findings.found and not any(each.wrong for each in cases):
        fixtures.warn_of_unused()
    return findings.read(Suite(text.name, cases, root.get(EXCLUDE), root.get(SURVIVORS)))


@dataclass(frozen=True)
class _Reader:
    file: str
    root: Mapping
    fixtures: Fixtures
    judged: bool
    _named: dict[str, Key] = field(default_factory=dict)

    @property
    def findings(self) -> Findings:
        return self.fixtures.findings

    def cases(self) -> Iterator[Case]:
        fields = Fields(self.root, self.findings)
        fields.known(SUITE, "a scenario file")
        self._states(fields.mapping("states"))
        self._reasons()
        scenarios = fields.mapping("scenarios")
        if self.findings.found:
            return
        if scenarios is None or not scenarios.entries:
            if scenarios is not None or "scenarios" not in self.root:
                remedy = "write them under `scenarios:`"
                self.findings.error("RW1003", self.root, "this file has no scenarios", help=remedy)
            return
        entries = tuple((key, node) for key, node in self.root if key.text in SHARED)
        shared = Mapping(entries, self.root.span, self.root.pointer)
        for key, node in scenarios:
            yield from self._scenario(key, key.text, node, shared)

    def _states(self, states: Mapping | None) -> None:
        for key, node in states or ():
            if not isinstance(node, Mapping) and not is_text(node):
                message = f"{quoted(key.text)} is {shown(node)}; it must be a state, or a file of one"
                self.findings.error("RW1002", node, message)

    def _reasons(self) -> None:
        for sort in (EXCLUSIONS, EXPLANATIONS):
            self.findings.found.extend(reasons_of(self.root.get(sort.key), sort).diagnostics)

    def _scenario(self, key: Key, name: str, node: Node, outer: Mapping) -> Iterator[Case]:
        """A scenario, or each of its cases laid over what they share."""
        if not isinstance(node, Mapping):
            self.findings.error("RW1002", node, f"the scenario {quoted(name)} is {shown(node)}; it must be a mapping")
            yield self._wrong(Whole(self.file, key, name, outer))
            return
        fields = Fields(node, self.findings)
        fields.known(SCENARIO, "a scenario")
        whole = laid_over(outer, node)
        cases = fields.mapping("cases")
        if cases is not None and not cases.entries:
            self.findings.error("RW1003", node.key("cases"), "these cases are empty", help="take the key out")
        tried = [] if "cases" in node else list(readings(whole, self.findings))
        if self.findings.found:
            yield self._wrong(Whole(self.file, key, name, whole))
            return
        for title, under in tried:
            yield self._case(Whole(self.file, key, f"{name}{title}", under))
        for case, below in cases or ():
            yield from self._scenario(case, f"{name} / {case.text}", below, without(whole, "cases"))

    def _case(self, whole: Whole) -> Case:
        self._is_new(whole.place, whole.name)
        case = case_of(whole, self.fixtures, judged=self.judged)
        return case if case is not None and not self.findings.found else self._wrong(whole)

    def _wrong(self, whole: Whole) -> Case:
        """A case that is not played for what was found in it, which it takes along."""
        found = in_order(self.findings.found)
        self.findings.found.clear()
        return wrong_case(whole, found, self.fixtures.provider)

    def _is_new(self, key: Key, name: str) -> None:
        first = self._named.setdefault(name, key)
        if first is not key:
            message = f"two scenarios are called {quoted(name)}"
            self.findings.error("RW1012", key, message, help="give one of them another name")
