"""A case from the mapping in which everything about it has come together."""

import posixpath
from dataclasses import dataclass, field

from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.drivers.sources import POLICIES
from rulewright.files import Provider
from rulewright.files import read as read_file
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.nodes import Key, Mapping, Node, Scalar
from rulewright.inputs.script import form_of
from rulewright.inputs.wording import did_you_mean, meant, quoted, shown, there_are
from rulewright.inputs.yaml_places import read
from rulewright.scenarios.expectations.table import ALONE, EXPECT
from rulewright.scenarios.merging import merged
from rulewright.scenarios.suite import SCENARIO, Case, Fields, Named, is_text
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

    def patched(self, given: Node, patch: Node | None) -> Node | None:
        """A state, named or written out, with a patch over it."""
        base = self._named(given) if isinstance(given, Scalar) else given
        return base if base is None or not isinstance(patch, Mapping) else merged(base, patch)

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
        findings.found.extend(form_of(script))
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
