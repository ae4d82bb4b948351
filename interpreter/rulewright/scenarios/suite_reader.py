"""From the text of a scenario file to its cases, each under every reading of its matrix."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from rulewright.diagnostics import Diagnostic, Label, Severity, in_order
from rulewright.files import Provider
from rulewright.files import read as read_file
from rulewright.inputs.document_schemas import POLICIES, SCRIPT
from rulewright.inputs.findings import Findings, Read, did_you_mean, meant, quoted, shown, there_are
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar, merged, merged_mappings, without
from rulewright.inputs.yaml_places import read
from rulewright.scenarios.expectations.shapes import ALONE, EXPECT
from rulewright.scenarios.suite import (
    EXCLUDE,
    EXCLUSIONS,
    EXPLANATIONS,
    SCENARIO,
    SHARED,
    SUITE,
    SURVIVORS,
    Case,
    Fields,
    Named,
    Suite,
    is_text,
    reasons_of,
)
from rulewright.source import Text

_FILES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class Fixtures:
    """The states of one scenario file.

    Attributes:
        file: its name.
        root: the whole of it.
        findings: what is wrong with it.
        provider: where files come from.
        texts: where every text that was read is added.
    """

    file: str
    root: Mapping
    findings: Findings
    provider: Provider
    texts: dict[str, Text]
    _used: set[str] = field(default_factory=set)
    _read: dict[str, Read[Node]] = field(default_factory=dict)
    _met: dict[Node, Node] = field(default_factory=dict)

    def patched(self, given: Node, patch: Node | None) -> Node | None:
        """A state, named or written out, with a patch over it."""
        base = self._named(given) if isinstance(given, Scalar) else given
        return base if base is None or not isinstance(patch, Mapping) else self.once(merged(base, patch))

    def once(self, node: Node) -> Node:
        """The first of equal parts, so that what many scenarios begin with is read once."""
        return self._met.setdefault(node, node)

    def warn_of_unused(self) -> None:
        """RW1015 for each state under `states` that was never named."""
        states = self.root.get("states")
        for key, _ in states if isinstance(states, Mapping) else ():
            if key.text not in self._used:
                self.findings.found.append(
                    Diagnostic(
                        "RW1015",
                        Severity.WARNING,
                        f"no scenario begins with the state {quoted(key.text)}",
                        Label(key.span),
                        help="take it out, or name it in `state:`",
                        pointer=key.pointer,
                    )
                )

    def _named(self, name: Scalar) -> Node | None:
        """The state of a name or file; reports RW1004."""
        states = self.root.get("states")
        valid = [key.text for key, _ in states] if isinstance(states, Mapping) else []
        if isinstance(states, Mapping) and name.written in states:
            self._used.add(name.written)
            found = states.get(name.written)
            return self._file(found) if isinstance(found, Scalar) else found
        if name.written.endswith(_FILES):
            return self._file(name)
        remedy = did_you_mean(name.written, valid) or (
            there_are(valid) if valid else "write it under `states:`, or name a file beside this one"
        )
        self.findings.error("RW1004", name, f"there is no state {quoted(name.written)}", help=remedy)
        return None

    def _file(self, name: Scalar) -> Node | None:
        """The state of a file, read once; what is wrong with it is told to each that names it."""
        place = posixpath.join(posixpath.dirname(self.file), name.written)
        if place not in self._read:
            text = read_file(place, self.provider)
            if not isinstance(text, Text):
                self.findings.error("RW1004", name, text.message, help=text.help)
                return None
            self.texts[text.name] = text
            self._read[place] = read(text)
        self.findings.found.extend(self._read[place].diagnostics)
        return self._read[place].value


@dataclass(frozen=True)
class Whole:
    """A scenario with all it shares laid together.

    Attributes:
        file: name of the scenario file.
        place: where it is written.
        name: of the case.
        node: all its keys.
    """

    file: str
    place: Key
    name: str
    node: Mapping

    def lacks(self, key: str) -> bool:
        """Whether a key is there in no spelling that could be meant."""
        return key not in self.node and key not in meant((each.text for each, _ in self.node), SCENARIO)


def case_of(whole: Whole, fixtures: Fixtures, *, judged: bool) -> Case | None:
    """The case, or none where something is wrong with it; what it expects is looked at where it is judged.

    Reports RW1001 (a key nobody knows), RW1002 (another sort of value), RW1004 (no such state), RW1005 (something is
    missing), RW1006 (nothing is expected), RW1008 (a skip without a reason), RW1009 (a key that does nothing without
    another) and RW1013 (expectations that exclude each other).
    """
    findings = fixtures.findings
    fields, before = Fields(whole.node, findings), len(findings.found)
    procedure, state = _procedure(whole, fields), _state(whole, fixtures)
    skip, expect = _skip(fields), _expect(whole, fields, judged=judged)
    roles, settings = fields.mapping("with"), fields.mapping("settings")
    policy, ruleset = _policy(fields), fields.text("ruleset")
    seed, plays = fields.number("seed"), _plays(fields)
    covers, overlays = fields.texts("covers"), fields.texts("overlays")
    script = whole.node.get("script")
    if script is not None:
        SCRIPT.judge(script, findings)
    _needs_seed(whole, fields)
    if len(findings.found) > before or procedure is None or state is None:
        return None
    return Case(
        file=whole.file,
        name=whole.name,
        place=whole.place,
        ruleset=_ruleset(ruleset, whole.file, fixtures.provider),
        ruleset_place=ruleset.place if ruleset else None,
        overlays=tuple(_overlay(each, whole.file, fixtures.provider) for each in overlays),
        procedure=procedure,
        roles=roles or Mapping((), whole.place.span, whole.place.pointer),
        settings=settings,
        state=state,
        script=script,
        seed=seed,
        policy=policy.text if policy else None,
        plays=plays,
        covers=covers,
        skip=skip,
        expect=expect,
    )


def wrong_case(whole: Whole, wrong: tuple[Diagnostic, ...], provider: Provider) -> Case:
    """A case that cannot be played, with the reasons; of the rest what it shares with others is kept."""
    node, place = whole.node, whole.place
    nothing = Mapping((), place.span, place.pointer)
    expect = node.get("expect")
    return Case(
        file=whole.file,
        name=whole.name,
        place=place,
        ruleset=_ruleset(None, whole.file, provider),
        ruleset_place=None,
        overlays=(),
        procedure=Named("", place),
        roles=nothing,
        settings=None,
        state=nothing,
        script=None,
        seed=None,
        policy=None,
        plays=1,
        covers=(),
        skip="",
        expect=expect if isinstance(expect, Mapping) else nothing,
        wrong=wrong,
    )


def _ruleset(named: Named | None, file: str, provider: Provider) -> str:
    """A file or folder beside the scenario file, or what `rulewright check` would take."""
    folder = posixpath.dirname(file)
    if named is None:
        return folder or "."
    beside = posixpath.join(folder, named.text)
    return beside if provider.sort(beside) else named.text


_PASSED = frozenset({"", "folder"})


def _overlay(named: Named, file: str, provider: Provider) -> Named:
    """A file beside the scenario file, with or without `.rules`, or what `--overlay` would take."""
    beside = posixpath.join(posixpath.dirname(file), named.text)
    found = next((each for each in (beside, f"{beside}.rules") if provider.sort(each) not in _PASSED), named.text)
    return Named(found, named.place)


def _procedure(whole: Whole, fields: Fields) -> Named | None:
    if whole.lacks("procedure"):
        message, remedy = f"{quoted(whole.place.text)} names no procedure", "add `procedure:`"
        fields.findings.error("RW1005", whole.place, message, help=remedy)
    return fields.text("procedure")


def _state(whole: Whole, fixtures: Fixtures) -> Node | None:
    given, patch = whole.node.get("state"), whole.node.get("patch")
    if given is None:
        if not whole.lacks("state"):
            return None
        fixtures.findings.error("RW1005", whole.place, f"{quoted(whole.place.text)} has no state", help="add `state:`")
        return None
    Fields(whole.node, fixtures.findings).mapping("patch")
    if not isinstance(given, Mapping) and not is_text(given):
        message = f"`state` is {shown(given)}; it must be a state, or the name of one"
        fixtures.findings.error("RW1002", given, message)
        return None
    return fixtures.patched(given, patch)


def _skip(fields: Fields) -> str:
    given = fields.node.get("skip")
    if given is None:
        return ""
    if isinstance(given, Scalar) and not given.written.strip():
        fields.findings.error("RW1008", given, "this skip has no reason", help="write why, or take it out")
        return ""
    named = fields.text("skip")
    return named.text if named else ""


def _policy(fields: Fields) -> Named | None:
    policy = fields.text("policy")
    if policy is not None and policy.text not in POLICIES:
        remedy = did_you_mean(policy.text, POLICIES) or there_are(POLICIES)
        fields.findings.error("RW1002", policy.place, f"there is no policy {quoted(policy.text)}", help=remedy)
    return policy


def _plays(fields: Fields) -> int:
    plays = fields.number("plays")
    if plays == 0:
        fields.findings.error("RW1002", fields.node.get("plays") or fields.node, "`plays` is 0; it must be 1 or more")
    return plays or 1


def _needs_seed(whole: Whole, fields: Fields) -> None:
    """RW1009 for what would happen the same way every time."""
    if not whole.lacks("seed"):
        return
    policy = fields.node.get("policy")
    chosen = isinstance(policy, Scalar) and policy.written == "random"
    for key, what in (("plays", "`plays`"), *([("policy", "`policy: random`")] if chosen else [])):
        if key in fields.node:
            message = f"{what} does nothing without a seed"
            remedy = "add `seed:`, a whole number; every play takes the next one"
            fields.findings.error("RW1009", fields.node.key(key), message, help=remedy)


def _expect(whole: Whole, fields: Fields, *, judged: bool) -> Mapping:
    findings, nothing = fields.findings, Mapping((), whole.place.span, whole.place.pointer)
    expect = fields.mapping("expect")
    if not judged:
        return expect or nothing
    if expect is None or not expect.entries:
        if (expect is not None or whole.lacks("expect")) and "skip" not in whole.node:
            lack = "has no `expect:`" if expect is None else "expects nothing"
            message = f"{quoted(whole.place.text)} {lack}, so there is nothing to judge"
            remedy = "add `expect:`, at least `changes: {}` for a play that changes nothing; `run` and `play` need none"
            findings.error("RW1006", whole.place, message, help=remedy)
        return nothing
    EXPECT.judge(expect, findings, "this")
    _agree(expect, findings)
    return expect


def _agree(expect: Mapping, findings: Findings) -> None:
    """RW1013 where one play cannot do all that is expected of it."""
    for alone, barred in ALONE.items():
        others = [each for each in barred if each in expect]
        if alone in expect and others:
            message = f"a play with `{alone}` has no `{others[0]}`"
            findings.error("RW1013", expect.key(others[0]), message, help="keep one of them")
            return


MATRIX = ("settings", "overlays")


def readings(whole: Mapping, findings: Findings) -> Iterator[tuple[str, Mapping]]:
    """The scenario under every combination, with what its name gets: ` [wounds_that_count: test_only]`.

    Reports RW1001 and RW1002.
    """
    matrix = Fields(whole, findings).mapping("matrix")
    rest = without(whole, [("matrix",)])
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
class Suites:
    """Scenario files as they are read.

    Attributes:
        provider: where texts come from.
        texts: every text that was read, by name.
    """

    provider: Provider
    texts: dict[str, Text] = field(default_factory=dict)

    def suite(self, text: Text) -> Read[Suite]:
        """A scenario file; it and what it names are added to the texts."""
        return read_suite(text, self.provider, self.texts)


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
            yield from self._scenario(case, f"{name} / {case.text}", below, without(whole, [("cases",)]))

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


_TAKEN_WHOLE = ("state", "with")


def laid_over(outer: Mapping, inner: Mapping) -> Mapping:
    """What a scenario says laid over what it shares; its own state and roles are taken whole."""
    whole = merged_mappings(outer, inner)
    own = {key: node for key in _TAKEN_WHOLE if (node := inner.get(key)) is not None}
    entries = tuple((key, own.get(key.text, node)) for key, node in whole)
    return Mapping(entries, whole.span, whole.pointer)
