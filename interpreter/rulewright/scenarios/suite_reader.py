"""From the text of a scenario file to its cases, each under every reading of its matrix."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from rulewright.diagnostics import Diagnostic, by_place
from rulewright.files import Provider
from rulewright.inputs.document_schemas import POLICIES
from rulewright.inputs.findings import Findings, Read, did_you_mean, quoted
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar, merged, merged_mappings, without
from rulewright.inputs.policies import POLICY, Policy, policies_at
from rulewright.inputs.yaml_places import read
from rulewright.scenarios.case_table import columns, row
from rulewright.scenarios.expectations.shapes import ALONE, is_of_odds_alone
from rulewright.scenarios.named_states import Fixtures
from rulewright.scenarios.schema import EXCLUDE, SHARED, SURVIVORS, THEN, row_shape, suite_shape
from rulewright.scenarios.suite import Case, Named, Reason, Suite
from rulewright.source import Text
from rulewright.workspace.locate import place_beside, ruleset_named

_PASSED = frozenset({"", "folder"})
_TWO_ROWS = "take one of the rows out, or give each a name of its own in a column `case`"
_ENDLESS = ("invalid", "refused", "fault")
_OF_ONE = frozenset({"patch", "settings", "script", "plays", "expect", THEN})
"""What is of one play alone, and not of the next."""
_TO_JUDGE = frozenset({"script", "covers", "plays"})
"""What a scenario has that is more than a start to play from, and needs an expectation."""
_TAKEN_WHOLE = ("state", "with")


@dataclass(frozen=True)
class Whole:
    """A scenario with all it shares laid together."""

    file: str  # name of the scenario file
    place: Key  # where it is written
    name: str  # of the case
    node: Mapping  # all its keys
    roles: Node | None = None  # what was told of roles here and above, for those that its procedure needs

    def get(self, key: str) -> Any:  # of the shape that the schema has
        """The value of a key, or none."""
        return self.node.get(key)


def case_of(whole: Whole, fixtures: Fixtures, *, judged: bool) -> Case | None:
    """The case, or none where something is wrong with it; what it expects is looked at where it is judged.

    Reports RW1004 (no such state), RW1005 (something is missing), RW1006 (nothing is expected), RW1009 (a key that does
    nothing without another) and RW1013 (expectations that exclude each other).
    """
    findings = fixtures.findings
    procedure, state = _named(whole.get("procedure")), whole.get("state")
    if procedure is None:
        findings.error("RW1005", whole.place, f"{quoted(whole.place.text)} names no procedure", help="add `procedure:`")
    if state is None:
        findings.error("RW1005", whole.place, f"{quoted(whole.place.text)} has no state", help="add `state:`")
    else:
        state = fixtures.state(state)
    patch = whole.get("patch")
    if patch is not None:
        patch = fixtures.whole(patch)
    if judged:
        _expects(whole, findings)
    _policies(whole, findings)
    _needs_seed(whole, findings)
    if findings.found or procedure is None or state is None:
        return None
    nothing = Mapping((), whole.place.span, whole.place.pointer)
    ruleset, provider = _named(whole.get("ruleset")), fixtures.provider
    return Case(
        file=whole.file,
        name=whole.name,
        place=whole.place,
        ruleset=ruleset_named(ruleset.text if ruleset else None, whole.file, provider),
        ruleset_place=ruleset.place if ruleset else None,
        overlays=tuple(_overlay(each, whole.file, provider) for each in _texts(whole.get("overlays"))),
        procedure=procedure,
        roles=whole.get("with") or nothing,
        settings=whole.get("settings"),
        state=state,
        patch=patch,
        script=whole.get("script"),
        seed=_number(whole.get("seed")),
        policies=tuple(each for _, each in policies_at(whole.get(POLICY)) if isinstance(each, Policy))[::-1],
        plays=_number(whole.get("plays")) or 1,
        covers=_texts(whole.get("covers")),
        skip=_text(whole.get("skip")),
        shared_roles=whole.roles if isinstance(whole.roles, Mapping) else None,
        expect=whole.get("expect") or nothing,
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
        ruleset=ruleset_named(None, whole.file, provider),
        procedure=Named("", place),
        roles=nothing,
        state=nothing,
        expect=expect if isinstance(expect, Mapping) else nothing,
        wrong=wrong,
    )


def _overlay(named: Named, file: str, provider: Provider) -> Named:
    """A file beside the scenario file, with or without `.rules`, or what `--overlay` would take."""
    beside = place_beside(posixpath.dirname(file), named.text)
    found = next((each for each in (beside, f"{beside}.rules") if provider.sort(each) not in _PASSED), named.text)
    return Named(found, named.place)


def _named(node: Scalar | None) -> Named | None:
    return None if node is None else Named(node.written, node)


def _texts(node: Scalar | Items | None) -> tuple[Named, ...]:
    """The texts of a list; a single text is a list of one."""
    each = node.items if isinstance(node, Items) else (node,)
    return tuple(Named(one.written, one) for one in each if isinstance(one, Scalar))


def _text(node: Scalar | None) -> str:
    return "" if node is None else node.written


def _number(node: Scalar | None) -> int | None:
    return node.value if node is not None and isinstance(node.value, int) else None


def _policies(whole: Whole, findings: Findings) -> None:
    """RW1002 for what is no policy."""
    for node, found in policies_at(whole.get(POLICY)):
        if isinstance(found, str):
            remedy = did_you_mean(node.written, POLICIES)
            findings.error("RW1002", node, f"`{POLICY}` is the text {quoted(node.written)}; {found}", help=remedy)


def _needs_seed(whole: Whole, findings: Findings) -> None:
    """RW1009 for what would happen the same way every time."""
    if "seed" in whole.node:
        return
    chosen = "random" in {each.word for _, each in policies_at(whole.get(POLICY)) if isinstance(each, Policy)}
    chosen = chosen and not is_of_odds_alone(whole.get("expect"))
    for key, what in (("plays", "`plays`"), *([(POLICY, "`policy: random`")] if chosen else [])):
        if key in whole.node:
            message = f"{what} does nothing without a seed"
            remedy = "add `seed:`, a whole number; every play takes the next one"
            findings.error("RW1009", whole.node.key(key), message, help=remedy)


def _expects(whole: Whole, findings: Findings) -> None:
    """RW1006 where nothing is expected of what is to be judged, RW1013 where one play cannot do all that is."""
    expect = whole.get("expect")
    if expect is not None and expect.entries:
        _agree(expect, findings)
    elif "skip" not in whole.node and (expect is not None or any(each in whole.node for each in _TO_JUDGE)):
        lack = "has no `expect:`" if expect is None else "expects nothing"
        message = f"{quoted(whole.place.text)} {lack}, so there is nothing to judge"
        remedy = (
            "add `expect: {changes: {}}`, and `test --accept` shows what the play changes, to expect instead; "
            "for odds write `expect: {odds: …}`; `run` and `play` need no `expect:`"
        )
        findings.error("RW1006", whole.place, message, help=remedy)


def _agree(expect: Mapping, findings: Findings) -> None:
    """RW1013 where one play cannot do all that is expected of it."""
    for alone, barred in ALONE.items():
        others = [each for each in barred if each in expect]
        if alone in expect and others:
            message = f"a play with `{alone}` has no `{others[0]}`"
            findings.error("RW1013", expect.key(others[0]), message, help="keep one of them")
            return


def readings(whole: Mapping) -> Iterator[tuple[str, Mapping]]:
    """The scenario under every combination, with what its name gets: ` [wounds_that_count: test_only]`."""
    rest = without(whole, [("matrix",)])
    for chosen in product(*_axes(whole.get("matrix"))):
        title = ", ".join(each for each, _ in chosen)
        under: Node = rest
        for _, patch in chosen:
            under = merged(under, patch)
        assert isinstance(under, Mapping)
        yield (f" [{title}]" if title else ""), under


def _axes(matrix: Any) -> Iterator[list[tuple[str, Mapping]]]:  # of its shape, or none
    """For each setting, and for the overlays, what the scenario may be laid over with."""
    for key, values in (matrix and matrix.get("settings")) or ():
        settings = matrix.key("settings")
        yield [(f"{key.text}: {_written(each)}", _one(settings, _one(key, each))) for each in values.items]
    if matrix and "overlays" in matrix:
        key = matrix.key("overlays")
        yield [(_written(each) or "plain", _one(key, each)) for each in matrix.get("overlays").items]


def _one(key: Key, node: Node) -> Mapping:
    return Mapping(((key, node),), key.span, key.pointer)


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

    Reports RW0701 to RW0706 (the text) and RW1015 (a state that no scenario uses); where it concerns all scenarios also
    RW1001 (a key nobody knows), RW1002 (another sort of value), RW1003 (nothing to play), RW1030 and RW1061 (what is
    left out, or let pass, without a reason). What is wrong with one scenario is told by its cases: these, RW0742 (its
    script), RW1008 (a skip without a reason), RW1012 (two cases of one name), and what making a case reports.
    """
    texts[text.name] = text
    document = read(text)
    if document.value is None:
        return Read(None, document.diagnostics)
    root, findings = document.value, Findings()
    if not suite_shape(judged=judged).judge(root, findings) and not all(map(_is_of_scenario, findings.found)):
        return Read(None, findings.read(None).diagnostics)
    assert isinstance(root, Mapping)
    wrong, findings = tuple(findings.found), Findings()
    fixtures = Fixtures(text.name, root, findings, provider, texts)
    cases = tuple(_Reader(text.name, root, fixtures, wrong, judged).cases())
    if not any(each.wrong for each in cases):
        fixtures.warn_of_unused()
    return findings.read(Suite(text.name, cases, _reasons(root.get(EXCLUDE)), _reasons(root.get(SURVIVORS))))


def _is_of_scenario(found: Diagnostic) -> bool:
    return (found.pointer or "").startswith("/scenarios/")


def _reasons(listed: Any) -> tuple[Reason, ...]:  # of its shape, or none
    """What is let be, and why."""
    entries = listed.items if listed else ()
    pairs = ((each.get("what"), each.get("because")) for each in entries)
    return tuple(Reason(Named(what.written, what), because.written) for what, because in pairs)


@dataclass(frozen=True)
class Suites:
    """Scenario files as they are read."""

    provider: Provider  # where texts come from
    texts: dict[str, Text] = field(default_factory=dict)  # every text that was read, by name

    def suite(self, text: Text) -> Read[Suite]:
        """A scenario file; it and what it names are added to the texts."""
        return read_suite(text, self.provider, self.texts)


@dataclass(frozen=True)
class _Reader:
    file: str
    root: Mapping
    fixtures: Fixtures
    wrong: tuple[Diagnostic, ...]
    judged: bool
    _named: dict[str, Key] = field(default_factory=dict)

    @property
    def findings(self) -> Findings:
        return self.fixtures.findings

    def cases(self) -> Iterator[Case]:
        entries = tuple((key, node) for key, node in self.root if key.text in SHARED)
        shared, scenarios = Mapping(entries, self.root.span, self.root.pointer), self.root.get("scenarios")
        assert isinstance(scenarios, Mapping)
        for key, node in scenarios:
            yield from self._scenario(key, key.text, node, shared, shared.get("with"))

    def _scenario(self, key: Key, name: str, node: Node, outer: Mapping, roles: Node | None) -> Iterator[Case]:
        """A scenario, or each of its cases laid over what they share; where more than its cases is wrong, it alone.

        The roles are all that were told of the procedure so far.
        """
        own = node if isinstance(node, Mapping) else Mapping((), key.span, key.pointer)
        whole, roles = laid_over(outer, own), told_roles(own, roles)
        cases = whole.get("cases")
        wrong = [each for each in self.wrong if _is_in(key.pointer, each)]
        if not all(isinstance(cases, Mapping) and _is_in(cases.pointer, each, below=True) for each in wrong):
            yield wrong_case(Whole(self.file, key, name, whole), by_place(wrong), self.fixtures.provider)
        elif isinstance(cases, Mapping):
            for case, below in cases:
                yield from self._scenario(case, f"{name} / {case.text}", below, without(whole, [("cases",)]), roles)
        elif isinstance(cases, Items):
            yield from self._table(Whole(self.file, key, name, without(whole, [("cases",)]), roles), cases)
        else:
            for title, under in readings(whole):
                yield from self._one_after_another(Whole(self.file, key, f"{name}{title}", under, roles))

    def _table(self, whole: Whole, table: Items) -> Iterator[Case]:
        """A case for each row of a table; where a column is wrong, one for all of it."""
        given, patch = whole.get("state"), whole.get("patch")
        state = None if given is None else self.fixtures.state(given)
        begun = state if state is None or patch is None else merged(state, patch)
        of = columns(table, whole.node, begun, self.findings)
        if self.findings.found:
            yield self._wrong(whole)
            return
        for each in table.items[1:]:
            assert isinstance(each, Items)
            found = row(each, of, whole.node, self.findings)
            row_shape(judged=self.judged).judge(found.node, self.findings)
            self._is_new(found.place, f"{whole.name} / {found.place.text}", _TWO_ROWS)
            under = replace(whole, place=found.place, name=f"{whole.name} / {found.place.text}", node=found.node)
            if self.findings.found:
                yield self._wrong(under)
            else:
                yield from self._scenario(
                    found.place, under.name, with_roles(found.node, whole), whole.node, whole.roles
                )

    def _one_after_another(self, whole: Whole) -> Iterator[Case]:
        """A case, then what follows it on the state that it leaves."""
        last, first = None, self._case(replace(whole, node=without(whole.node, [(THEN,)])))
        while True:
            yield first
            then = whole.get(THEN)
            if not isinstance(then, Mapping):
                return
            key = whole.node.key(THEN)
            barred = next((each for each in _ENDLESS if each in first.expect), "plays" if first.plays > 1 else "")
            if barred:
                message = f"a play with `{barred}` has no play after it"
                self.findings.error("RW1013", key, message, help=f"take `{barred}` or `{THEN}` out")
            node, roles = following(whole, then), told_roles(then, whole.roles)
            whole = replace(whole, place=key, name=f"{whole.name} / {THEN}", node=node, roles=roles)
            last, first = first, self._case(replace(whole, node=without(whole.node, [(THEN,)])))
            first = replace(first, after=last, wrong=first.wrong or last.wrong)

    def _case(self, whole: Whole) -> Case:
        self._is_new(whole.place, whole.name)
        case = case_of(whole, self.fixtures, judged=self.judged)
        return case if case is not None and not self.findings.found else self._wrong(whole)

    def _wrong(self, whole: Whole) -> Case:
        """A case that is not played for what was found in it, which it takes along."""
        found = by_place(self.findings.found)
        self.findings.found.clear()
        return wrong_case(whole, found, self.fixtures.provider)

    def _is_new(self, key: Key, name: str, remedy: str = "give one of them another name") -> None:
        first = self._named.setdefault(name, key)
        if first is not key:
            self.findings.error("RW1012", key, f"two scenarios are called {quoted(name)}", help=remedy)


def _is_in(pointer: str, found: Diagnostic, *, below: bool = False) -> bool:
    at = found.pointer or ""
    return at.startswith(f"{pointer}/") or (at == pointer and not below)


def following(whole: Whole, then: Mapping) -> Mapping:
    """What a scenario says of the play that comes next; another procedure has roles of its own."""
    node, gone = whole.node, _OF_ONE | ({"with"} if "procedure" in then else set())
    shared = Mapping(tuple((key, each) for key, each in node if key.text not in gone), node.span, node.pointer)
    return laid_over(shared, with_roles(then, whole))


def told_roles(own: Mapping, roles: Node | None) -> Node | None:
    """The roles that were told so far with those of one scenario; of none before where it names its procedure."""
    given, before = own.get("with"), None if "procedure" in own else roles
    return before if given is None else given if before is None else merged(before, given)


def with_roles(own: Mapping, whole: Whole) -> Mapping:
    """What says some roles otherwise, with all the others; but not where it names another procedure."""
    given, before = own.get("with"), whole.get("with")
    if given is None or before is None or "procedure" in own:
        return own
    return merged_mappings(own, _one(own.key("with"), merged(before, given)))


def laid_over(outer: Mapping, inner: Mapping) -> Mapping:
    """What a scenario says laid over what it shares; its own state and roles are taken whole."""
    whole = merged_mappings(outer, inner)
    own = {key: node for key in _TAKEN_WHOLE if (node := inner.get(key)) is not None}
    entries = tuple((key, own.get(key.text, node)) for key, node in whole)
    return Mapping(entries, whole.span, whole.pointer)
