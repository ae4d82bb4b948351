"""Reader of scenario files: text to cases, with shared keys merged, tables and matrices expanded."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, TypeVar

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic, Severity, sort_by_place
from rulewright.base.diagnostics.pages import list_page_files
from rulewright.base.files import DATA_SUFFIXES, FileProvider
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import POLICY_KEY, PlayerPolicy, read_policies
from rulewright.documents.document_nodes import (
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    map_entries,
    merge_map_nodes,
    merge_nodes,
    remove_paths,
)
from rulewright.documents.document_schemas import PLAIN_POLICIES
from rulewright.documents.findings import Findings, ReadResult, describe_choices, did_you_mean, make_finding, quote_name
from rulewright.documents.ruleset_location import join_beside, resolve_ruleset_name
from rulewright.documents.state_shorthand import StateTables
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.scenarios.case_table import read_case_row, read_columns
from rulewright.scenarios.expectation_schema import EXCLUSIVE_KEYS, has_only_odds
from rulewright.scenarios.suite import Exemption, PlacedText, ScenarioCase, Suite
from rulewright.scenarios.suite_schema import (
    EXCLUDE_KEY,
    SHARED_KEYS,
    SURVIVORS_KEY,
    THEN_KEY,
    case_row_shape,
    suite_shape,
)

_N = TypeVar("_N", bound=DocumentNode)


@dataclass(frozen=True)
class StateFixtures:
    """Named states of one scenario file."""

    file: str
    root: MapNode
    findings: Findings
    provider: FileProvider
    texts: dict[str, Text]  # filled with every text that was read
    _used_names: set[str] = field(default_factory=set)
    _file_cache: dict[str, ReadResult[DocumentNode]] = field(default_factory=dict)
    _interned: dict[Any, Any] = field(default_factory=dict)
    _inlined: dict[int, tuple[DocumentNode, Any, tuple[Diagnostic, ...]]] = field(default_factory=dict)

    def resolve_state(self, given: DocumentNode) -> DocumentNode | None:
        """State that is named or written out."""
        result = self._find_named_state(given) if isinstance(given, ScalarNode) else given
        return None if result is None else self.inline_state_tables(result)

    def inline_state_tables(self, node: _N) -> _N:
        """State or patch with the rows of its tables, read once."""
        if id(node) not in self._inlined:
            findings = Findings()
            whole = StateTables(self.provider, self.texts).inline_tables(node, findings)
            self._inlined[id(node)] = node, whole, tuple(findings.collected)
        _, inlined, wrong = self._inlined[id(node)]
        self.findings.collected.extend(wrong)
        result: _N = self.intern_node(inlined)
        return result

    def intern_node(self, node: _N) -> _N:
        """First of equal nodes, so that shared starts are read once."""
        result: _N = self._interned.setdefault(node, node)
        return result

    def warn_about_unused(self) -> None:
        """RW1015 for each state under `states` that was never named."""
        states = self.root.get("states")
        for key, _ in map_entries(states):
            if key.text not in self._used_names:
                self.findings.collected.append(
                    make_finding(
                        "RW1015",
                        key,
                        f"no scenario begins with the state {quote_name(key.text)}",
                        "take it out, or name it in `state:`",
                        severity=Severity.WARNING,
                    )
                )

    def _find_named_state(self, name: ScalarNode) -> DocumentNode | None:
        states = self.root.get("states")
        valid = [key.text for key, _ in map_entries(states)]
        if isinstance(states, MapNode) and name.written in states:
            self._used_names.add(name.written)
            scalar_node = states.get(name.written)
            return self._read_state_file(scalar_node) if isinstance(scalar_node, ScalarNode) else scalar_node
        if name.written.endswith(DATA_SUFFIXES):
            return self._read_state_file(name)
        remedy = did_you_mean(name.written, valid) or (
            describe_choices(valid) if valid else "write it under `states:`, or name a file beside this one"
        )
        self.findings.add_error("RW1004", name, f"there is no state {quote_name(name.written)}", help=remedy)
        return None

    def _read_state_file(self, name: ScalarNode) -> DocumentNode | None:
        folder = posixpath.join(posixpath.dirname(self.file), "")
        place = posixpath.join(folder, name.written)
        if place not in self._file_cache:
            text = read_text_file(place, self.provider)
            if not isinstance(text, Text):
                self.findings.add_error("RW1004", name, text.message, help=text.help.replace(f"`{folder}", "`"))
                return None
            self.texts[text.name] = text
            self._file_cache[place] = parse_yaml(text)
        self.findings.collected.extend(self._file_cache[place].diagnostics)
        return self._file_cache[place].value


_NOT_FILE_SORTS = frozenset({"", "folder"})
_TWO_ROWS_REMEDY = "take one of the rows out, or give each a name of its own in a column `case`"
_ENDS_WITHOUT_STATE = ("invalid", "refused", "fault")
_SINGLE_PLAY_KEYS = frozenset({"patch", "settings", "script", "plays", "expect", THEN_KEY})
"""Keys of one play, which a `then` does not inherit."""
_JUDGED_KEYS = frozenset({"script", "covers", "plays"})
"""Keys that make a scenario more than a start to play from, so that it needs an expectation."""
_UNMERGED_KEYS = ("state", "with")


@dataclass(frozen=True)
class MergedScenario:
    """Scenario with all keys that it shares merged in."""

    file: str
    place: MapKey
    name: str
    node: MapNode
    roles: DocumentNode | None = None  # of this and enclosing scenarios

    def get(self, key: str) -> Any:  # valid by the schema
        return self.node.get(key)


def build_case(whole: MergedScenario, fixtures: StateFixtures, *, judged: bool) -> ScenarioCase | None:
    """The case, or `None` where it is invalid; expectations are validated when they are judged.

    Reports RW1004 (no such state), RW1005 (something is missing), RW1006 (nothing is expected), RW1009 (a key that does
    nothing without another) and RW1013 (expectations that exclude each other).
    """
    findings = fixtures.findings
    procedure, state = _placed_text(whole.get("procedure")), whole.get("state")
    if procedure is None:
        findings.add_error(
            "RW1005", whole.place, f"{quote_name(whole.place.text)} names no procedure", help="add `procedure:`"
        )
    if state is None:
        findings.add_error("RW1005", whole.place, f"{quote_name(whole.place.text)} has no state", help="add `state:`")
    else:
        state = fixtures.resolve_state(state)
    patch = whole.get("patch")
    if patch is not None:
        patch = fixtures.inline_state_tables(patch)
    if judged:
        _check_expectations(whole, findings)
    _check_policies(whole, findings)
    _check_seed(whole, findings)
    if findings.collected or procedure is None or state is None:
        return None
    nothing = MapNode((), whole.place.span, whole.place.pointer)
    ruleset, provider = _placed_text(whole.get("ruleset")), fixtures.provider
    return ScenarioCase(
        file=whole.file,
        name=whole.name,
        place=whole.place,
        ruleset=resolve_ruleset_name(ruleset.text if ruleset else None, whole.file, provider),
        ruleset_place=ruleset.place if ruleset else None,
        overlays=tuple(_resolve_overlay(one, whole.file, provider) for one in _placed_texts(whole.get("overlays"))),
        procedure=procedure,
        roles=whole.get("with") or nothing,
        settings=whole.get("settings"),
        state=state,
        patch=patch,
        script=whole.get("script"),
        seed=_integer_of_scalar(whole.get("seed")),
        policies=tuple(
            player_policy
            for _, player_policy in read_policies(whole.get(POLICY_KEY))
            if isinstance(player_policy, PlayerPolicy)
        )[::-1],
        plays=_integer_of_scalar(whole.get("plays")) or 1,
        covers=_placed_texts(whole.get("covers")),
        skip=_text_of_scalar(whole.get("skip")),
        shared_roles=whole.roles if isinstance(whole.roles, MapNode) else None,
        expect=whole.get("expect") or nothing,
    )


def build_invalid_case(whole: MergedScenario, wrong: tuple[Diagnostic, ...], provider: FileProvider) -> ScenarioCase:
    """Case that cannot be played, with its errors and what it shares with others."""
    node, place = whole.node, whole.place
    nothing = MapNode((), place.span, place.pointer)
    expect = node.get("expect")
    return ScenarioCase(
        file=whole.file,
        name=whole.name,
        place=place,
        ruleset=resolve_ruleset_name(None, whole.file, provider),
        procedure=PlacedText("", place),
        roles=nothing,
        state=nothing,
        expect=expect if isinstance(expect, MapNode) else nothing,
        problems=wrong,
    )


def _resolve_overlay(named: PlacedText, file: str, provider: FileProvider) -> PlacedText:
    beside = join_beside(posixpath.dirname(file), named.text)
    result = next(
        (item for item in (beside, f"{beside}.rules") if provider.get_file_type(item) not in _NOT_FILE_SORTS),
        named.text,
    )
    return PlacedText(result, named.place)


def _placed_text(node: ScalarNode | None) -> PlacedText | None:
    return None if node is None else PlacedText(node.written, node)


def _placed_texts(node: ScalarNode | ListNode | None) -> tuple[PlacedText, ...]:
    each = node.items if isinstance(node, ListNode) else (node,)
    return tuple(PlacedText(one.written, one) for one in each if isinstance(one, ScalarNode))


def _text_of_scalar(node: ScalarNode | None) -> str:
    return "" if node is None else node.written


def _integer_of_scalar(node: ScalarNode | None) -> int | None:
    return node.value if node is not None and isinstance(node.value, int) else None


def _check_policies(whole: MergedScenario, findings: Findings) -> None:
    for node, result in read_policies(whole.get(POLICY_KEY)):
        if isinstance(result, str):
            remedy = did_you_mean(node.written, PLAIN_POLICIES)
            findings.add_error(
                "RW1002", node, f"`{POLICY_KEY}` is the text {quote_name(node.written)}; {result}", help=remedy
            )


def _check_seed(whole: MergedScenario, findings: Findings) -> None:
    if "seed" in whole.node:
        return
    chosen = "random" in {
        player_policy.word
        for _, player_policy in read_policies(whole.get(POLICY_KEY))
        if isinstance(player_policy, PlayerPolicy)
    }
    chosen = chosen and not has_only_odds(whole.get("expect"))
    for key, what in (("plays", "`plays`"), *([(POLICY_KEY, "`policy: random`")] if chosen else [])):
        if key in whole.node:
            message = f"{what} does nothing without a seed"
            remedy = "add `seed:`, a whole number; every play takes the next one"
            findings.add_error("RW1009", whole.node.key(key), message, help=remedy)


def _check_expectations(whole: MergedScenario, findings: Findings) -> None:
    expect = whole.get("expect")
    if expect is not None and expect.entries:
        _check_exclusive_keys(expect, findings)
        _check_fault_code(expect, findings)
    elif "skip" not in whole.node and (expect is not None or any(one in whole.node for one in _JUDGED_KEYS)):
        lack = "has no `expect:`" if expect is None else "expects nothing"
        message = f"{quote_name(whole.place.text)} {lack}, so there is nothing to judge"
        remedy = (
            "add `expect: {changes: {}}`, and `test --accept` shows what the play changes, to expect instead; "
            "for odds write `expect: {odds: …}`; `run` and `play` need no `expect:`"
        )
        findings.add_error("RW1006", whole.place, message, help=remedy)


_CODE_PATTERN = re.compile(r"RW[0-9]+", re.IGNORECASE)
_FAULT_CODE_PREFIXES = ("RW08", "RW09")


def _check_fault_code(expect: MapNode, findings: Findings) -> None:
    node = expect.get("fault")
    if not isinstance(node, ScalarNode) or not _CODE_PATTERN.fullmatch(node.written):
        return
    codes = [code for code in list_page_files() if code.startswith(_FAULT_CODE_PREFIXES)]
    if node.written not in codes:
        message = f"{quote_name(node.written)} is not the code of a fault"
        remedy = did_you_mean(node.written, codes) or (
            f"write the code that `test` shows for the play, from {codes[0]} to {codes[-1]}, or a part of its message"
        )
        findings.add_error("RW1002", node, message, help=remedy)


def _check_exclusive_keys(expect: MapNode, findings: Findings) -> None:
    for alone, barred in EXCLUSIVE_KEYS.items():
        others = [item for item in barred if item in expect]
        if alone in expect and others:
            message = f"a play with `{alone}` has no `{others[0]}`"
            findings.add_error("RW1013", expect.key(others[0]), message, help="keep one of them")
            return


def expand_matrix(whole: MapNode) -> Iterator[tuple[str, MapNode]]:
    """The scenario under every combination, each with the suffix of its name: ` [wounds_that_count: test_only]`."""
    rest = remove_paths(whole, [("matrix",)])
    for chosen in product(*_matrix_axes(whole.get("matrix"))):
        title = ", ".join(item for item, _ in chosen)
        under: DocumentNode = rest
        for _, patch in chosen:
            under = merge_nodes(under, patch)
        assert isinstance(under, MapNode)
        yield (f" [{title}]" if title else ""), under


def _matrix_axes(matrix: Any) -> Iterator[list[tuple[str, MapNode]]]:  # valid by the schema, or `None`
    for key, values in (matrix and matrix.get("settings")) or ():
        settings = matrix.key("settings")
        yield [
            (f"{key.text}: {_format_axis_value(item)}", _single_entry(settings, _single_entry(key, item)))
            for item in values.items
        ]
    if matrix and "overlays" in matrix:
        key = matrix.key("overlays")
        yield [(_format_axis_value(item) or "plain", _single_entry(key, item)) for item in matrix.get("overlays").items]


def _single_entry(key: MapKey, node: DocumentNode) -> MapNode:
    return MapNode(((key, node),), key.span, key.pointer)


def _format_axis_value(node: DocumentNode) -> str:
    match node:
        case ScalarNode(written=written):
            return written
        case ListNode(items):
            return "+".join(_format_axis_value(item) for item in items)
        case _:
            return "…"


def read_suite(text: Text, provider: FileProvider, texts: dict[str, Text], *, judged: bool = True) -> ReadResult[Suite]:
    """Suite of a text; it and the texts of state files it names are added to `texts`.

    If not `judged`, nothing need be expected, and expectations are not validated.

    Reports RW0701 to RW0706 (the text) and RW1015 (a state that no scenario uses); of the whole file also RW1001 (an
    unknown key), RW1002 (another type of value), RW1003 (nothing to play), RW1030 and RW1061 (an exemption without a
    reason). Errors of one scenario are those of its cases: these, RW0742 (its script), RW1008 (a skip without a
    reason), RW1012 (two cases of one name), and what `build_case` reports.
    """
    texts[text.name] = text
    document = parse_yaml(text)
    if document.value is None:
        return ReadResult(None, document.diagnostics)
    root, findings = document.value, Findings()
    if not suite_shape(judged=judged).validate_node(root, findings) and not all(
        map(_is_of_scenario, findings.collected)
    ):
        return ReadResult(None, findings.make_result(None).diagnostics)
    assert isinstance(root, MapNode)
    wrong, findings = tuple(findings.collected), Findings()
    fixtures = StateFixtures(text.name, root, findings, provider, texts)
    cases = tuple(_SuiteReader(text.name, root, fixtures, wrong, judged).iterate_cases())
    if not any(case_.problems for case_ in cases):
        fixtures.warn_about_unused()
    return findings.make_result(
        Suite(text.name, cases, _read_exemptions(root.get(EXCLUDE_KEY)), _read_exemptions(root.get(SURVIVORS_KEY)))
    )


def _is_of_scenario(finding: Diagnostic) -> bool:
    return (finding.pointer or "").startswith("/scenarios/")


def _read_exemptions(listed: Any) -> tuple[Exemption, ...]:  # valid by the schema, or `None`
    entries = listed.items if listed else ()
    pairs = ((entry.get("what"), entry.get("because")) for entry in entries)
    return tuple(Exemption(PlacedText(what.written, what), because.written) for what, because in pairs)


@dataclass(frozen=True)
class SuiteLoader:
    """Loader of scenario files, which collects their texts."""

    provider: FileProvider
    texts: dict[str, Text] = field(default_factory=dict)  # all that were read, by name

    def load_suite(self, text: Text) -> ReadResult[Suite]:
        return read_suite(text, self.provider, self.texts)


@dataclass(frozen=True)
class _SuiteReader:
    file: str
    root: MapNode
    fixtures: StateFixtures
    shape_findings: tuple[Diagnostic, ...]
    is_judged: bool
    _seen_names: dict[str, MapKey] = field(default_factory=dict)

    @property
    def findings(self) -> Findings:
        return self.fixtures.findings

    def iterate_cases(self) -> Iterator[ScenarioCase]:
        entries = tuple((key, node) for key, node in self.root if key.text in SHARED_KEYS)
        shared, scenarios = MapNode(entries, self.root.span, self.root.pointer), self.root.get("scenarios")
        assert isinstance(scenarios, MapNode)
        for key, node in scenarios:
            yield from self._read_scenario(key, key.text, node, shared, shared.get("with"))

    def _read_scenario(
        self, key: MapKey, name: str, node: DocumentNode, outer: MapNode, roles: DocumentNode | None
    ) -> Iterator[ScenarioCase]:
        """A scenario, or its cases merged over what they share; one invalid case if more than a case is wrong.

        `roles` are those of enclosing scenarios.
        """
        inner = node if isinstance(node, MapNode) else MapNode((), key.span, key.pointer)
        whole, roles = overlay_scenario(outer, inner), accumulate_roles(inner, roles)
        cases = whole.get("cases")
        wrong = [one for one in self.shape_findings if _is_within(key.pointer, one)]
        if not all(isinstance(cases, MapNode) and _is_within(cases.pointer, one, below=True) for one in wrong):
            yield build_invalid_case(
                MergedScenario(self.file, key, name, whole), sort_by_place(wrong), self.fixtures.provider
            )
        elif isinstance(cases, MapNode):
            for case, below in cases:
                yield from self._read_scenario(
                    case, f"{name} / {case.text}", below, remove_paths(whole, [("cases",)]), roles
                )
        elif isinstance(cases, ListNode):
            yield from self._read_case_table(
                MergedScenario(self.file, key, name, remove_paths(whole, [("cases",)]), roles), cases
            )
        else:
            for title, under in expand_matrix(whole):
                yield from self._read_play_sequence(MergedScenario(self.file, key, f"{name}{title}", under, roles))

    def _read_case_table(self, whole: MergedScenario, table: ListNode) -> Iterator[ScenarioCase]:
        given, patch = whole.get("state"), whole.get("patch")
        state = None if given is None else self.fixtures.resolve_state(given)
        start_state = state if state is None or patch is None else merge_nodes(state, patch)
        columns = read_columns(table, whole.node, start_state, self.findings)
        if self.findings.collected:
            yield self._make_invalid_case(whole)
            return
        for item in table.items[1:]:
            assert isinstance(item, ListNode)
            result = read_case_row(item, columns, whole.node, self.findings)
            case_row_shape(judged=self.is_judged).validate_node(result.node, self.findings)
            self._check_new_name(result.place, f"{whole.name} / {result.place.text}", _TWO_ROWS_REMEDY)
            under = replace(whole, place=result.place, name=f"{whole.name} / {result.place.text}", node=result.node)
            if self.findings.collected:
                yield self._make_invalid_case(under)
            else:
                yield from self._read_scenario(
                    result.place, under.name, complete_roles(result.node, whole), whole.node, whole.roles
                )

    def _read_play_sequence(self, whole: MergedScenario) -> Iterator[ScenarioCase]:
        last, first = None, self._read_case(replace(whole, node=remove_paths(whole.node, [(THEN_KEY,)])))
        while True:
            yield first
            then = whole.get(THEN_KEY)
            if not isinstance(then, MapNode):
                return
            key = whole.node.key(THEN_KEY)
            barred = next(
                (item for item in _ENDS_WITHOUT_STATE if item in first.expect), "plays" if first.plays > 1 else ""
            )
            if barred:
                message = f"a play with `{barred}` has no play after it"
                self.findings.add_error("RW1013", key, message, help=f"take `{barred}` or `{THEN_KEY}` out")
            node, roles = merge_following(whole, then), accumulate_roles(then, whole.roles)
            whole = replace(whole, place=key, name=f"{whole.name} / {THEN_KEY}", node=node, roles=roles)
            last, first = first, self._read_case(replace(whole, node=remove_paths(whole.node, [(THEN_KEY,)])))
            first = replace(first, previous=last, problems=first.problems or last.problems)

    def _read_case(self, whole: MergedScenario) -> ScenarioCase:
        self._check_new_name(whole.place, whole.name)
        case = build_case(whole, self.fixtures, judged=self.is_judged)
        return case if case is not None and not self.findings.collected else self._make_invalid_case(whole)

    def _make_invalid_case(self, whole: MergedScenario) -> ScenarioCase:
        result = sort_by_place(self.findings.collected)
        self.findings.collected.clear()
        return build_invalid_case(whole, result, self.fixtures.provider)

    def _check_new_name(self, key: MapKey, name: str, remedy: str = "give one of them another name") -> None:
        first = self._seen_names.setdefault(name, key)
        if first is not key:
            self.findings.add_error("RW1012", key, f"two scenarios are called {quote_name(name)}", help=remedy)


def _is_within(pointer: str, finding: Diagnostic, *, below: bool = False) -> bool:
    at = finding.pointer or ""
    return at.startswith(f"{pointer}/") or (at == pointer and not below)


def merge_following(whole: MergedScenario, then: MapNode) -> MapNode:
    """Scenario of a `then`; another procedure has roles of its own."""
    node, dropped_keys = whole.node, _SINGLE_PLAY_KEYS | ({"with"} if "procedure" in then else set())
    shared = MapNode(tuple((key, item) for key, item in node if key.text not in dropped_keys), node.span, node.pointer)
    return overlay_scenario(shared, complete_roles(then, whole))


def accumulate_roles(scenario: MapNode, roles: DocumentNode | None) -> DocumentNode | None:
    """Roles so far, merged with those of one scenario; a scenario with a procedure starts anew."""
    given, before = scenario.get("with"), None if "procedure" in scenario else roles
    return before if given is None else given if before is None else merge_nodes(before, given)


def complete_roles(scenario: MapNode, whole: MergedScenario) -> MapNode:
    """Scenario with the roles it shares, unless it names another procedure."""
    given, before = scenario.get("with"), whole.get("with")
    if given is None or before is None or "procedure" in scenario:
        return scenario
    return merge_map_nodes(scenario, _single_entry(scenario.key("with"), merge_nodes(before, given)))


def overlay_scenario(outer: MapNode, inner: MapNode) -> MapNode:
    """Scenario merged over what it shares; its own state and roles replace shared ones."""
    whole = merge_map_nodes(outer, inner)
    replacements = {key: node for key in _UNMERGED_KEYS if (node := inner.get(key)) is not None}
    entries = tuple((key, replacements.get(key.text, node)) for key, node in whole)
    return MapNode(entries, whole.span, whole.pointer)
