"""From the text of a scenario file to its cases."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from rulewright.drivers.policy import POLICIES
from rulewright.files import Provider
from rulewright.files import read as read_file
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Key, Mapping, Node, Scalar
from rulewright.inputs.wording import did_you_mean, one_of, quoted, shown
from rulewright.inputs.yaml_places import read
from rulewright.scenarios.expectations.names import EXPECTATIONS
from rulewright.scenarios.fields import Fields
from rulewright.scenarios.merging import merged
from rulewright.scenarios.readings import readings
from rulewright.scenarios.suite import Case, Suite
from rulewright.source import Text

SHARED = (
    "ruleset", "overlays", "procedure", "with", "settings", "matrix", "state", "seed", "policy",
)  # fmt: skip
SUITE = (*SHARED, "states", "scenarios")
SCENARIO = (*SHARED, "covers", "skip", "patch", "script", "plays", "expect", "cases")
_NOTHING = "expect"


def read_suite(text: Text, provider: Provider) -> Read[Suite]:
    """The suite of a text.

    Reports RW0701 to RW0706 (the text), RW1001 (a key nobody knows), RW1002 (another sort of value), RW1003 (nothing
    to play), RW1004 (no such state), RW1005 (something is missing), RW1006 (nothing is expected), RW1008 (a skip
    without a reason).
    """
    document = read(text)
    if document.value is None:
        return Read(None, document.diagnostics)
    findings = Findings()
    if not isinstance(document.value, Mapping):
        findings.error("RW1002", document.value, f"a scenario file is a mapping, and this is {shown(document.value)}")
        return Read(None, tuple(findings.found))
    reader = _Reader(text.name, document.value, findings, provider)
    return findings.read(Suite(text.name, tuple(reader.cases())))


@dataclass(frozen=True)
class _Reader:
    file: str
    root: Mapping
    findings: Findings
    provider: Provider

    def cases(self) -> Iterator[Case]:
        fields = Fields(self.root, self.findings)
        fields.known(SUITE, "a scenario file")
        scenarios = fields.mapping("scenarios")
        if scenarios is None or not scenarios.entries:
            if "scenarios" not in self.root or scenarios is not None:
                self.findings.error(
                    "RW1003", self.root, "this file has no scenarios", help="write them under `scenarios:`"
                )
            return
        shared = Mapping(
            tuple((key, node) for key, node in self.root if key.text in SHARED), self.root.span, self.root.pointer
        )
        for key, node in scenarios:
            yield from self._scenario(key, key.text, node, shared)

    def _scenario(self, key: Key, name: str, node: Node, outer: Mapping) -> Iterator[Case]:
        """A scenario, or each of its cases laid over what they share."""
        if not isinstance(node, Mapping):
            self.findings.error("RW1002", node, f"the scenario {quoted(name)} is {shown(node)}; it must be a mapping")
            return
        Fields(node, self.findings).known(SCENARIO, "a scenario")
        whole = _over(outer, node)
        assert isinstance(whole, Mapping)
        cases = Fields(node, self.findings).mapping("cases")
        if cases is None:
            yield from self._readings(key, name, whole)
            return
        if not cases.entries:
            self.findings.error("RW1003", node.key("cases"), "these cases are empty", help="take the key out")
        rest = _without(whole, "cases")
        for case, below in cases:
            yield from self._scenario(case, f"{name} / {case.text}", below, rest)

    def _readings(self, key: Key, name: str, whole: Mapping) -> Iterator[Case]:
        """The case under every reading of its matrix."""
        for title, under in readings(whole, self.findings):
            found = self._case(key, f"{name}{title}", under)
            if found is not None:
                yield found

    def _case(self, key: Key, name: str, whole: Mapping) -> Case | None:
        fields = Fields(whole, self.findings)
        before = len(self.findings.found)
        procedure, policy, skip = fields.text("procedure"), fields.text("policy"), fields.text("skip")
        state, expect = self._state(key, whole), self._expect(key, whole)
        if procedure is None and "procedure" not in whole:
            self.findings.error("RW1005", key, f"{quoted(name)} names no procedure", help="add `procedure:`")
        if policy is not None and policy.text not in POLICIES:
            message = f"there is no policy {quoted(policy.text)}"
            self.findings.error("RW1002", policy.place, message, help=f"there are {one_of(POLICIES)}")
        if skip is not None and not skip.text.strip():
            self.findings.error("RW1008", skip.place, "this skip has no reason", help="write why, or take it out")
        roles, settings = fields.mapping("with"), fields.mapping("settings")
        seed, plays, ruleset = fields.number("seed"), fields.number("plays"), fields.text("ruleset")
        covers, overlays = fields.texts("covers"), fields.texts("overlays")
        if len(self.findings.found) > before or procedure is None or state is None:
            return None
        folder = posixpath.dirname(self.file)
        return Case(
            file=self.file,
            name=name,
            place=key,
            ruleset=self._place(ruleset.text, folder) if ruleset else folder or ".",
            overlays=overlays,
            procedure=procedure,
            roles=roles or Mapping((), key.span, key.pointer),
            settings=settings,
            state=state,
            script=whole.get("script"),
            seed=seed,
            policy=policy.text if policy else None,
            plays=1 if plays is None else plays,
            covers=covers,
            skip=skip.text if skip else "",
            expect=expect,
        )

    def _place(self, written: str, folder: str) -> str:
        """A file beside the scenario file, or what `rulewright check` would take."""
        beside = posixpath.join(folder, written)
        return beside if self.provider.sort(beside) else written

    def _state(self, key: Key, whole: Mapping) -> Node | None:
        given = whole.get("state")
        if given is None:
            self.findings.error("RW1005", key, f"{quoted(key.text)} has no state", help="add `state:`")
            return None
        base = self._fixture(given) if isinstance(given, Scalar) else given
        patch = whole.get("patch")
        return base if base is None or patch is None else merged(base, patch)

    def _fixture(self, name: Scalar) -> Node | None:
        """A state by its name under `states`, or of a file beside."""
        states = self.root.get("states")
        named = states.get(name.written) if isinstance(states, Mapping) else None
        if isinstance(named, Scalar):
            return self._file(named)
        if named is not None:
            return named
        if name.written.endswith((".yaml", ".yml", ".json")):
            return self._file(name)
        valid = [key.text for key, _ in states] if isinstance(states, Mapping) else []
        remedy = did_you_mean(name.written, valid) or (
            f"there are {one_of(valid)}" if valid else "write it under `states:`, or name a file beside this one"
        )
        self.findings.error("RW1004", name, f"there is no state {quoted(name.written)}", help=remedy)
        return None

    def _file(self, name: Scalar) -> Node | None:
        text = read_file(posixpath.join(posixpath.dirname(self.file), name.written), self.provider)
        if not isinstance(text, Text):
            self.findings.error("RW1004", name, text.message, help=text.help)
            return None
        found = read(text)
        self.findings.found.extend(found.diagnostics)
        return found.value

    def _expect(self, key: Key, whole: Mapping) -> Mapping:
        fields = Fields(whole, self.findings)
        expect = fields.mapping(_NOTHING)
        if expect is None or not expect.entries:
            if (expect is not None or _NOTHING not in whole) and "skip" not in whole:
                remedy = "add `expect:`, at least `changes: {}` for a play that changes nothing"
                self.findings.error("RW1006", key, f"{quoted(key.text)} expects nothing", help=remedy)
            return Mapping((), key.span, key.pointer)
        Fields(expect, self.findings).known(EXPECTATIONS, "what is expected")
        return expect


def _over(outer: Mapping, inner: Mapping) -> Node:
    """What a scenario says laid over what it shares; a state is taken whole, a script in order too."""
    whole = merged(outer, inner)
    assert isinstance(whole, Mapping)
    state = inner.get("state")
    if state is None:
        return whole
    entries = tuple((key, state if key.text == "state" else node) for key, node in whole)
    return Mapping(entries, whole.span, whole.pointer)


def _without(node: Mapping, name: str) -> Mapping:
    return Mapping(tuple((key, each) for key, each in node if key.text != name), node.span, node.pointer)
