"""From the text of a scenario file to its cases."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from rulewright.files import Provider
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Key, Mapping, Node
from rulewright.inputs.wording import quoted, shown
from rulewright.inputs.yaml_places import read
from rulewright.scenarios.cases import Whole, case_of
from rulewright.scenarios.fields import Fields
from rulewright.scenarios.fixtures import Fixtures
from rulewright.scenarios.matrix import readings, settings_tried
from rulewright.scenarios.merging import laid_over, without
from rulewright.scenarios.suite import EXCLUDE, SCENARIO, SHARED, SUITE, SURVIVORS, Case, Suite
from rulewright.source import Text


def read_suite(text: Text, provider: Provider, texts: dict[str, Text]) -> Read[Suite]:
    """The suite of a text; it and the texts of states beside it are added to the texts.

    Reports RW0701 to RW0706 (the text), RW1001 (a key nobody knows), RW1002 (another sort of value), RW1003 (nothing
    to play), RW1012 (two cases of one name), RW1015 (a state that no scenario uses), and what reading a case does.
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
    reader = _Reader(text.name, document.value, fixtures)
    cases = tuple(reader.cases())
    fixtures.warn_of_unused()
    tried, root = tuple(reader.tried.values()), document.value
    return findings.read(Suite(text.name, cases, tried, root.get(EXCLUDE), root.get(SURVIVORS)))


@dataclass(frozen=True)
class _Reader:
    file: str
    root: Mapping
    fixtures: Fixtures
    tried: dict[str, tuple[Key, Case]] = field(default_factory=dict)
    _named: dict[str, Key] = field(default_factory=dict)

    @property
    def findings(self) -> Findings:
        return self.fixtures.findings

    def cases(self) -> Iterator[Case]:
        fields = Fields(self.root, self.findings)
        fields.known(SUITE, "a scenario file")
        if self.findings.found:
            return
        scenarios = fields.mapping("scenarios")
        if scenarios is None or not scenarios.entries:
            if scenarios is not None or "scenarios" not in self.root:
                remedy = "write them under `scenarios:`"
                self.findings.error("RW1003", self.root, "this file has no scenarios", help=remedy)
            return
        entries = tuple((key, node) for key, node in self.root if key.text in SHARED)
        shared = Mapping(entries, self.root.span, self.root.pointer)
        for key, node in scenarios:
            yield from self._scenario(key, key.text, node, shared)

    def _scenario(self, key: Key, name: str, node: Node, outer: Mapping) -> Iterator[Case]:
        """A scenario, or each of its cases laid over what they share."""
        if not isinstance(node, Mapping):
            self.findings.error("RW1002", node, f"the scenario {quoted(name)} is {shown(node)}; it must be a mapping")
            return
        fields = Fields(node, self.findings)
        fields.known(SCENARIO, "a scenario")
        whole = laid_over(outer, node)
        if "cases" not in node:
            yield from self._readings(key, name, whole)
            return
        cases = fields.mapping("cases")
        if cases is not None and not cases.entries:
            self.findings.error("RW1003", node.key("cases"), "these cases are empty", help="take the key out")
        for case, below in cases or ():
            yield from self._scenario(case, f"{name} / {case.text}", below, without(whole, "cases"))

    def _readings(self, key: Key, name: str, whole: Mapping) -> Iterator[Case]:
        """The case under every reading of its matrix."""
        for title, under in readings(whole, self.findings):
            self._is_new(key, f"{name}{title}")
            found = case_of(Whole(self.file, key, f"{name}{title}", under), self.fixtures)
            if found is not None:
                self.tried.update({each.pointer: (each, found) for each in settings_tried(whole)})
                yield found

    def _is_new(self, key: Key, name: str) -> None:
        first = self._named.setdefault(name, key)
        if first is not key:
            message = f"two scenarios are called {quoted(name)}"
            self.findings.error("RW1012", key, message, help="give one of them another name")
