"""Acceptance of actual results (`test --accept`): edits of scenario files with which failed cases pass."""

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rulewright.base.diagnostics import Diagnostic, Severity
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.documents.answer_scripts import LEFT_OVER
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    child_pointer,
    format_one_line,
    walk_nodes,
)
from rulewright.documents.findings import Findings, make_finding, quote_name
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.play.session import Session
from rulewright.runtime.faults import RunLimits
from rulewright.scenarios.case_opening import RulesetLoader, open_case
from rulewright.scenarios.case_play import play_case, propose_value
from rulewright.scenarios.end_expectations import judge_ending
from rulewright.scenarios.expectation_schema import ODDS_KEY
from rulewright.scenarios.expected_odds import propose_odds
from rulewright.scenarios.line_expectations import JudgingContext
from rulewright.scenarios.proposals import NoProposalError, is_same_data, node_to_json
from rulewright.scenarios.scenario_recording import MAX_LINE_CHARS, format_yaml_lines
from rulewright.scenarios.suite import CaseResult, ScenarioCase, Suite
from rulewright.scenarios.suite_reader import read_suite

SCRIPT_KEY = "script"
"""What a proposal is about that takes answers out of a script."""

_STILL_FAILS = "it would fail again"
_MANUAL_REMEDY = "expect what all its plays have in common; edit an alias or a table with too few columns by hand"


@dataclass(frozen=True, slots=True, order=True)
class FileEdit:
    """Replacement of a part of a scenario file."""

    start: int  # in code points
    end: int  # exclusive
    text: str  # replacement
    owner: str  # JSON pointer of the changed value


def apply_edits(content: str, edits: Iterable[FileEdit]) -> str:
    """Text after edits that do not overlap."""
    position, parts = 0, []
    for edit in sorted(set(edits)):
        parts += [content[position : edit.start], edit.text]
        position = edit.end
    return "".join([*parts, content[position:]])


_TextRange = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class YamlEditor:
    """Minimal edits of one YAML text, which keep comments, order and quotes of everything unchanged.

    Aliases, anchors and merged values are not edited. In a table of cases only cells are: their keys are columns.
    """

    content: str

    def edit_value(self, key: MapKey, node: DocumentNode, wanted: Json) -> Iterator[FileEdit]:
        """Edits that make the value of a key equal `wanted`; none where it is equal, or not editable."""
        yield from self._edit_node(key, node, wanted, flow=key.span.start in self._flow_keys)

    def shorten_value(self, node: DocumentNode, wanted: Json) -> Iterator[FileEdit]:
        """Edits that leave of a map or list what is in `wanted`."""
        yield from self._edit_node(None, node, wanted, flow=False)

    def _edit_node(self, key: MapKey | None, node: DocumentNode, wanted: Json, *, flow: bool) -> Iterator[FileEdit]:
        if is_same_data(node, wanted) or self.content.startswith("&", node.span.start):
            return
        if key is not None and key.pointer != node.pointer:
            yield self._replace_value(None, node, wanted, flow=True)
            return
        match node, wanted:
            case MapNode(), dict() if _has_column_keys(node):
                known = ((inner, child) for inner, child in node if inner.text in wanted)
                for inner, child in known:
                    yield from self._edit_node(inner, child, wanted[inner.text], flow=flow)
            case MapNode(), dict() if self._is_open(node) and any(entry.text in wanted for entry in _own_entries(node)):
                yield from self._edit_map(node, wanted)
            case ListNode(), list() if wanted and self._is_open(node):
                yield from self._edit_list(node, wanted)
            case _:
                yield self._replace_value(key, node, wanted, flow=flow)

    def _edit_map(self, node: MapNode, wanted: dict[str, Json]) -> Iterator[FileEdit]:
        flow, entries = self._is_flow(node), _own_entries(node)
        for key, child in node:
            if key.text in wanted:
                yield from self._edit_node(key, child, wanted[key.text], flow=flow)
        parts = [(key.span.start, self._end_offset(child)) for key, child in entries.items()]
        removed = [number for number, key in enumerate(entries) if key.text not in wanted]
        for first, last in _consecutive_runs(removed):
            yield self._remove_parts(node, parts, first, last)
        added = {key: value for key, value in wanted.items() if key not in node}
        if added:
            stays = max(number for number in range(len(parts)) if number not in removed)
            yield self._insert_entries(node, parts[0][0], parts[stays][1], added)

    def _insert_entries(self, node: MapNode, first: int, end: int, added: dict[str, Json]) -> FileEdit:
        if self._is_flow(node):
            text = "".join(f", {format_one_line(key)}: {format_one_line(value)}" for key, value in added.items())
            return FileEdit(end, end, text, node.pointer)
        lines = [line for key, value in added.items() for line in format_yaml_lines(key, value, self._column_of(first))]
        at = self._line_end(end)
        return FileEdit(at, at, "".join(f"{self._newline}{line}" for line in lines), node.pointer)

    def _edit_list(self, node: ListNode, wanted: list[Json]) -> Iterator[FileEdit]:
        before = _common_prefix_length(node.items, wanted)
        after = _common_prefix_length(node.items[before:][::-1], wanted[before:][::-1])
        old, new = node.items[before : len(node.items) - after], wanted[before : len(wanted) - after]
        parts = [(each.span.start, self._end_offset(each)) for each in node.items]
        if len(old) == len(new):
            for item, value in zip(old, new, strict=True):
                yield from self._edit_node(None, item, value, flow=self._is_flow(node))
        elif not new:
            yield self._remove_parts(node, parts, before, before + len(old) - 1)
        else:
            yield self._replace_items(node, parts, (before, before + len(old)), [format_one_line(each) for each in new])

    def _replace_items(
        self, node: ListNode, parts: Sequence[_TextRange], place: tuple[int, int], new: list[str]
    ) -> FileEdit:
        first, end = place
        between = ", " if self._is_flow(node) else f"{self._newline}{' ' * self._column_of(node.span.start)}- "
        if first < end:
            return FileEdit(parts[first][0], parts[end - 1][1], between.join(new), node.pointer)
        if not first:
            start = parts[0][0]
            return FileEdit(start, start, "".join(f"{item}{between}" for item in new), node.pointer)
        at = parts[first - 1][1] if self._is_flow(node) else self._line_end(parts[first - 1][1])
        return FileEdit(at, at, "".join(f"{between}{item}" for item in new), node.pointer)

    def _remove_parts(self, node: DocumentNode, parts: Sequence[_TextRange], first: int, last: int) -> FileEdit:
        if first == 0:
            return FileEdit(parts[0][0], parts[last + 1][0], "", node.pointer)
        start, end = parts[first - 1][1], parts[last][1]
        if self._is_flow(node):
            return FileEdit(start, end, "", node.pointer)
        return FileEdit(self._line_end(start), self._line_end(end), "", node.pointer)

    def _replace_value(self, key: MapKey | None, node: DocumentNode, wanted: Json, *, flow: bool) -> FileEdit:
        text, end = format_one_line(wanted), self._end_offset(node)
        if key is None or flow:
            return FileEdit(node.span.start, end, text, node.pointer)
        margin = self._column_of(key.span.start)
        lines = (
            list(format_yaml_lines(key.text, wanted, margin))
            if margin + len(key.text) + len(text) > MAX_LINE_CHARS
            else []
        )
        behind = f" {text}" if len(lines) < 2 else "".join(f"{self._newline}{line}" for line in lines[1:])  # noqa: PLR2004
        start = self.content.index(":", key.span.end) + 1
        return FileEdit(start, end, behind, node.pointer)

    @functools.cached_property
    def _flow_keys(self) -> frozenset[int]:
        """Where the keys of maps in braces begin: what is written there stays on one line."""
        root = parse_yaml(Text("", self.content)).value
        assert root is not None
        maps = (node for node in walk_nodes(root) if isinstance(node, MapNode) and self._is_flow(node))
        return frozenset(key.span.start for node in maps for key in _own_entries(node))

    def _is_flow(self, node: DocumentNode) -> bool:
        return self.content[node.span.start] in "[{"

    def _is_open(self, node: MapNode | ListNode) -> bool:
        members = [key for key, _ in node] if isinstance(node, MapNode) else node.items
        return bool(members) and members[0].span != node.span

    def _end_offset(self, node: DocumentNode) -> int:
        match node:
            case ScalarNode():
                return node.span.start + len(self.content[node.span.start : node.span.end].rstrip())
            case MapNode() if self._is_open(node) and not self._is_flow(node):
                return max(self._end_offset(child) for child in _own_entries(node).values())
            case ListNode(items) if self._is_open(node) and not self._is_flow(node):
                return self._end_offset(items[-1])
            case _:
                return node.span.end

    def _column_of(self, offset: int) -> int:
        return offset - (self.content.rfind("\n", 0, offset) + 1)

    def _line_end(self, offset: int) -> int:
        number = self.content.find(self._newline, offset)
        return len(self.content) if number < 0 else number

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.content else "\n"


def _own_entries(node: MapNode) -> dict[MapKey, DocumentNode]:
    return {key: child for key, child in node if key.pointer == child_pointer(node.pointer, key.text)}


def _has_column_keys(node: MapNode) -> bool:
    return any(key.pointer == node.pointer for key, _ in node)


def _common_prefix_length(items: Sequence[DocumentNode], wanted: Sequence[Json]) -> int:
    pairs = zip(items, wanted, strict=False)
    return next((number for number, pair in enumerate(pairs) if not is_same_data(*pair)), min(len(items), len(wanted)))


def _consecutive_runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    for number in numbers:
        if number - 1 not in numbers:
            yield number, next(item for item in range(number, numbers[-1] + 1) if item + 1 not in numbers)


@dataclass(frozen=True, slots=True)
class ExpectationProposal:
    """Edits that would make one expectation of a case hold, or that take out answers that nothing asks for."""

    case: ScenarioCase
    what: str
    edits: tuple[FileEdit, ...]


def is_acceptable(result: CaseResult) -> bool:
    """Whether the result of a case can be accepted: it fails, or is judged once answers that nothing asks for are out."""
    return result.outcome == "failed" or _script_without_leftovers(result) is not None


def _script_without_leftovers(result: CaseResult) -> DocumentNode | None:
    """Script without the answers that nothing asked for; `None` where anything else is wrong."""
    unasked = {problem.pointer for problem in result.problems if problem.pointer}
    if result.outcome != "wrong" or {problem.code for problem in result.problems} != {LEFT_OVER}:
        return None
    match result.case.script:
        case MapNode(entries) as script:
            kept = tuple((key, node) for key, node in entries if key.pointer not in unasked)
            return dataclasses.replace(script, entries=kept) if len(entries) - len(kept) == len(unasked) else None
        case ListNode(items) as script:
            first = next((at for at, item in enumerate(items) if _holds_pointer(item, unasked)), None)
            return None if first is None else dataclasses.replace(script, items=items[:first])
        case _:
            return None


def _holds_pointer(node: DocumentNode, pointers: Iterable[str]) -> bool:
    return any(pointer == node.pointer or pointer.startswith(f"{node.pointer}/") for pointer in pointers)


def propose_edits(result: CaseResult, rules: RulesetLoader) -> tuple[list[ExpectationProposal], list[Diagnostic]]:
    """Proposals for a failed case, and RW1051 where nothing can be proposed.

    The case is played again, up to the play that fails, without the answers of its script that nothing asks for.
    """
    case, sessions = result.case, list[Session]()
    editor, proposals, warnings = (
        YamlEditor(rules.texts[case.file].content),
        list[ExpectationProposal](),
        list[Diagnostic](),
    )
    kept = _script_without_leftovers(result)
    if kept is not None and case.script is not None:
        edits = tuple(editor.shorten_value(case.script, node_to_json(kept)))
        proposals.append(ExpectationProposal(case, SCRIPT_KEY, edits))
        case = dataclasses.replace(case, script=kept)
    again = play_case(case, rules, sessions.append)
    for what in dict.fromkeys(miss.what for miss in again.misses):
        try:
            proposals.append(_propose_edit(case, what, sessions[-1:], rules, editor))
        except NoProposalError as nothing:
            warnings.append(
                report_unaccepted("RW1051", case, what, nothing.because, "edit it by hand, or mend the rules")
            )
    return proposals, warnings


def report_unaccepted(code: str, case: ScenarioCase, what: str, because: str, remedy: str) -> Diagnostic:
    """Warning about an expectation that stays, or about all where a play ends otherwise."""
    is_expected = what in case.expect
    key = case.expect.key(what) if is_expected else case.place
    named = f"`{what}`" if is_expected or what == SCRIPT_KEY else "what is expected"
    message = f"{named} of {quote_name(case.name)} is not accepted: {because}"
    return make_finding(code, key, message, remedy, severity=Severity.WARNING)


def _propose_edit(
    case: ScenarioCase, what: str, sessions: Sequence[Session], rules: RulesetLoader, editor: YamlEditor
) -> ExpectationProposal:
    if what == ODDS_KEY:
        return _propose_odds_edit(case, rules, editor)
    if not sessions:
        raise NoProposalError("nothing is played")
    if judge_ending(case.expect, sessions[-1]) is not None:
        raise NoProposalError("a condition of it does not hold" if what == "always" else "the play ends in another way")
    ruled, node, key = rules.compile_for_case(case).value, case.expect.get(what), case.expect.key(what)
    assert ruled is not None
    assert node is not None
    wanted = propose_value(what, JudgingContext(node, sessions[-1], ruled, Findings()))
    return ExpectationProposal(case, what, tuple(editor.edit_value(key, node, wanted)))


def _propose_odds_edit(case: ScenarioCase, rules: RulesetLoader, editor: YamlEditor) -> ExpectationProposal:
    opening, node = open_case(case, rules, RunLimits()).value, case.expect.get(ODDS_KEY)
    assert opening is not None
    assert node is not None
    wanted = propose_odds(case, opening, rules)
    return ExpectationProposal(case, ODDS_KEY, tuple(editor.edit_value(case.expect.key(ODDS_KEY), node, wanted)))


def keep_agreed(
    proposals: Sequence[ExpectationProposal], suite: Suite
) -> tuple[list[ExpectationProposal], list[Diagnostic]]:
    """Proposals without conflict with another case on a shared value, and RW1050 for the rest."""
    sharing, rest, warnings = _cases_by_value(suite), list(proposals), list[Diagnostic]()
    while True:
        wanting = _cases_by_edit(rest)
        others = {(one.case.name, one.what): _conflicting_cases(one, sharing, wanting) for one in rest}
        barred = [one for one in rest if others[one.case.name, one.what]]
        if not barred:
            return rest, warnings
        warnings += [_report_shared_value(one, sorted(others[one.case.name, one.what])) for one in barred]
        rest = [one for one in rest if one not in barred]


def _report_shared_value(proposal: ExpectationProposal, names: Sequence[str]) -> Diagnostic:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    because = f"{quote_name(names[0])}{more} shares it and needs another"
    section = SCRIPT_KEY if proposal.what == SCRIPT_KEY else "expect"
    return report_unaccepted(
        "RW1050",
        proposal.case,
        proposal.what,
        because,
        f"give each of the cases its own `{section}:`, or mend the rules",
    )


def _conflicting_cases(
    proposal: ExpectationProposal, sharing: dict[str, set[str]], wanting: dict[FileEdit, set[str]]
) -> set[str]:
    return {name for edit in proposal.edits for name in sharing[edit.owner] - wanting[edit]}


def _cases_by_edit(proposals: Sequence[ExpectationProposal]) -> dict[FileEdit, set[str]]:
    result: dict[FileEdit, set[str]] = defaultdict(set)
    for expectation_proposal in proposals:
        for edit in expectation_proposal.edits:
            result[edit].add(expectation_proposal.case.name)
    return result


def _cases_by_value(suite: Suite) -> dict[str, set[str]]:
    result: dict[str, set[str]] = defaultdict(set)
    for case in suite.cases:
        for node in (case.expect, case.script):
            for inner in () if node is None else walk_nodes(node):
                result[inner.pointer].add(case.name)
    return result


@dataclass(frozen=True, slots=True)
class AcceptanceResult:
    """A scenario file with accepted results."""

    before: Text
    after: Text  # equal to `before` where nothing can be accepted
    proposals: tuple[ExpectationProposal, ...]  # accepted proposals
    remaining: tuple[Diagnostic, ...]  # RW1050, RW1051 and RW1052 for expectations that stay
    results: tuple[CaseResult, ...]  # of the edited cases, with the new text


def accept_failures(suite: Suite, failed: Iterable[CaseResult], rules: RulesetLoader) -> AcceptanceResult:
    """Acceptance of the failed cases of a file.

    A shared value is edited only where every case that shares it proposes the same. The new text is played again: an
    expectation that is still unmet (as one of many random plays may be) stays as it was.
    """
    result = [propose_edits(one, rules) for one in failed]
    proposals, warnings = [one for item, _ in result for one in item], [one for _, item in result for one in item]
    before = rules.texts[suite.file]
    while True:
        proposals, shared = keep_agreed(proposals, suite)
        after = Text(
            before.name,
            apply_edits(before.content, (edit for one in proposals for edit in one.edits)),
        )
        results = _replay_edited(after, proposals, suite, rules)
        missed = [one for one in proposals if _is_still_failing(one, results)]
        warnings += [
            *shared,
            *(report_unaccepted("RW1052", one.case, one.what, _STILL_FAILS, _MANUAL_REMEDY) for one in missed),
        ]
        if not missed:
            return AcceptanceResult(before, after, tuple(proposals), tuple(warnings), tuple(results.values()))
        proposals = [one for one in proposals if one not in missed]


def _replay_edited(
    after: Text, proposals: Sequence[ExpectationProposal], suite: Suite, rules: RulesetLoader
) -> dict[str, CaseResult]:
    names = {one.case.name for one in proposals}
    read = read_suite(after, rules.provider, {}).value
    if read is None or _unedited_data(read, proposals) != _unedited_data(suite, proposals):
        return {}
    return {case_.name: play_case(case_, rules) for case_ in read.cases if case_.name in names}


def _unedited_data(suite: Suite, proposals: Sequence[ExpectationProposal]) -> list[object]:
    edited = {(one.case.name, one.what) for one in proposals}
    return [
        (
            case.name,
            [
                node_to_json(node)
                for key, node in (("state", case.state), ("patch", case.patch), (SCRIPT_KEY, case.script))
                if node is not None and (case.name, key) not in edited
            ],
            [(key.text, node_to_json(node)) for key, node in case.expect if (case.name, key.text) not in edited],
        )
        for case in suite.cases
    ]


def _is_still_failing(proposal: ExpectationProposal, results: dict[str, CaseResult]) -> bool:
    result = results.get(proposal.case.name)
    return (
        result is None
        or result.outcome == "wrong"
        or any(miss.what not in proposal.case.expect or miss.what == proposal.what for miss in result.misses)
    )
