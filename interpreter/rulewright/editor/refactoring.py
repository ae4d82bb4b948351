"""Refactorings: another name for a target in all files, quick fixes, and a scenario as a case table."""

import posixpath
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.base.files import FileProvider, RevisedFiles
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.checker.finding_codes import NEVER_SET_FIELD_CODE, UNUSED_DECLARATION_CODE
from rulewright.checker.name_spaces import PLAYERS_PLURAL
from rulewright.documents.document_nodes import (
    BlockScalar,
    DocumentNode,
    ListNode,
    MapKey,
    MapNode,
    ScalarNode,
    format_one_line,
    map_entries,
    value_under,
)
from rulewright.editor.answers import QuickFix
from rulewright.editor.live_text import LiveData
from rulewright.editor.name_index import NameOccurrence, NameRole, NameTarget
from rulewright.editor.ruleset_gathering import GatheredRulesets
from rulewright.scenarios.suite import CaseResult
from rulewright.syntax.words import RESERVED_WORDS

GatherFunction = Callable[[FileProvider], GatheredRulesets]
"""Gathers the rulesets of a place with all files that contain the old or the new name."""

PlayFunction = Callable[[FileProvider], tuple[CaseResult, ...]]
"""Plays the scenarios of the rulesets of a place."""

_NAME_PATTERN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID_PATTERN = re.compile(r"[A-Za-z0-9_]+(?:[.\-][A-Za-z0-9_]+)*")
_CLAUSE_PATTERN = re.compile(r"[A-Za-z0-9_.\-]+")
_PATTERNS_BY_SORT = {"step": _ID_PATTERN, "ruling": _ID_PATTERN, "clause": _CLAUSE_PATTERN}
_UNFIT_BINDING = "RW0222"
_SPELLING_DEPENDENT_CODES = frozenset({UNUSED_DECLARATION_CODE, NEVER_SET_FIELD_CODE, "RW0231"})
"""Findings that depend on similar names, and so can appear by a rename."""

_RESERVED_DATA_WORDS = frozenset({"true", "false", "null", "yes", "no", "none"})
_DISAMBIGUATION_HELP = {
    NameRole.ANSWERED: "say where the answer is wanted: `{answer: …, at: …}`, or answer by address",
    NameRole.FILLED: "several procedures share it: write `with:` beside each procedure",
    NameRole.EXPECTED: "write the whole address, with the name of the procedure",
    NameRole.EXCUSED: "write the whole address, with the name of the procedure",
}
"""Remedy of an unsure occurrence, by role."""


@dataclass(frozen=True, slots=True)
class RenameResult:
    """The changes of a rename."""

    before: Mapping[str, Text]  # changed texts by name
    after: Mapping[str, str]  # new contents
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class RenameRefusal:
    """Why a rename is refused, with the texts concerned."""

    findings: tuple[Diagnostic, ...]
    texts: Mapping[str, Text]


def rename_target(
    target: NameTarget,
    name: str,
    gathering: GatherFunction,
    provider: FileProvider,
    playing: PlayFunction | None = None,
) -> RenameResult | RenameRefusal:
    """Texts with a target renamed, or the refusal.

    Reports errors of rulesets and of files beside them, RW1152 (impossible name), RW1153 (a name would change its
    target, or `check` would find more), RW1154 (a place may or may not name it), RW1155 (it occurs outside the searched
    folders) and, if scenarios are played, RW1156 (one ends differently).
    """
    gathered = gathering(provider)
    if gathered.rule_errors or gathered.unread_errors:
        return RenameRefusal((*gathered.rule_errors, *gathered.unread_errors), gathered.texts)
    wrong = (
        _check_new_name(target, name)
        or _check_outside_files(target, gathered)
        or _check_unsure_places(target, gathered)
    )
    if wrong is not None:
        return RenameRefusal((wrong,), gathered.texts)
    edits = _group_edits_by_text(gathered.index.make_rename_edits(target, name))
    after = {source: _apply_edits(gathered.texts[source].content, item) for source, item in edits.items()}
    then = gathering(RevisedFiles(provider, after))
    items = tuple(_find_difference(target, name, gathered, then, _OffsetMap(edits)))
    if not items and playing is not None:
        items = tuple(_find_changed_scenario(target, name, playing(provider), playing(RevisedFiles(provider, after))))
    if items:
        return RenameRefusal(items, then.texts)
    every = tuple(one for edit in edits.values() for one in edit)
    return RenameResult({source: gathered.texts[source] for source in after}, after, every)


def _make_rename_error(code: str, message: str, remedy: str = "", span: Span | None = None) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, None if span is None else Label(span), help=remedy)


def _check_new_name(target: NameTarget, name: str) -> Diagnostic | None:
    """RW1152."""
    if target.sort in {"kind", "plural"} and target.name in {"player", PLAYERS_PLURAL}:
        return _make_rename_error("RW1152", f"`{target.name}` has this name in every ruleset", "leave it as it is")
    if name == target.name:
        return _make_rename_error("RW1152", f"`{target.address}` is called `{name}` already", "give another name")
    if not _PATTERNS_BY_SORT.get(target.sort, _NAME_PATTERN).fullmatch(name):
        remedy = "a name has letters, digits and `_`, and begins with a letter"
        if target.sort in _PATTERNS_BY_SORT:
            remedy = "an id has letters, digits and `_`, with single `.` or `-` between them"
        return _make_rename_error("RW1152", f"`{name}` cannot be the name of this {target.sort}", remedy)
    if name in RESERVED_WORDS or name in _RESERVED_DATA_WORDS or name == "_":
        return _make_rename_error("RW1152", f"`{name}` is a word of the language or of data", "give another name")
    return None


def _check_outside_files(target: NameTarget, gathered: GatheredRulesets) -> Diagnostic | None:
    """RW1155."""
    for occurrence in gathered.index.find_occurrences(target):
        place = posixpath.normpath(occurrence.span.source)
        if not any(_is_below_folder(place, folder) for folder in gathered.folders):
            message = f"`{target.address}` also occurs in `{occurrence.span.source}`, which is not searched"
            remedy = "name a folder that holds all texts that may use it, such as the one around both"
            return _make_rename_error("RW1155", message, remedy, occurrence.span)
    return None


def _is_below_folder(place: str, folder: str) -> bool:
    if folder == ".":
        return not place.startswith("../") and not posixpath.isabs(place)
    return place.startswith(f"{folder}/")


def _check_unsure_places(target: NameTarget, gathered: GatheredRulesets) -> Diagnostic | None:
    """RW1154."""
    for occurrence in gathered.index.occurrences:
        if not occurrence.is_sure and occurrence.target.name == target.name:
            message = f"it is not clear whether `{target.name}` means `{target.address}` here"
            return _make_rename_error(
                "RW1154",
                message,
                _DISAMBIGUATION_HELP.get(occurrence.role, "write here in full what is meant"),
                occurrence.span,
            )
    return None


def _group_edits_by_text(edits: tuple[Edit, ...]) -> dict[str, list[Edit]]:
    result: dict[str, list[Edit]] = {}
    for edit in edits:
        result.setdefault(edit.span.source, []).append(edit)
    return result


def _apply_edits(content: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, key=lambda one: one.span.start, reverse=True):
        content = content[: edit.span.start] + edit.replacement + content[edit.span.end :]
    return content


class _OffsetMap:
    """Offsets after the edits of a rename."""

    def __init__(self, edits: Mapping[str, list[Edit]]) -> None:
        self._edit_starts = {source: sorted(edit.span.start for edit in result) for source, result in edits.items()}
        some = next(edit for result in edits.values() for edit in result)
        self._length_change = len(some.replacement) - (some.span.end - some.span.start)

    def map_offset(self, source: str, start: int) -> int:
        before = bisect_right(self._edit_starts.get(source, []), start - 1)
        return start + before * self._length_change


def _find_difference(
    target: NameTarget, name: str, before: GatheredRulesets, after: GatheredRulesets, moved: _OffsetMap
) -> Iterator[Diagnostic]:
    """RW1153 for a new finding, else for the first name with another target.

    Another name helps where something has this one already.
    """
    is_taken = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text.content) for text in before.texts.values())
    news = tuple(_find_new_findings(before, after, moved))
    if news:
        first = news[0]
        message = f"with the name `{name}` for `{target.address}` `check` would report: {first.message}"
        is_tied = first.code == _UNFIT_BINDING and not is_taken
        remedy = "write the new name in both of what is bound, by hand" if is_tied else "give another name"
        yield _make_rename_error("RW1153", message, remedy, first.primary.span if first.primary else None)
        return
    other = _find_changed_meaning(before, after, moved)
    if other is not None:
        message = f"with the name `{name}` for `{target.address}` this would mean something different"
        remedy = "give another name" if is_taken else "write here in full what is meant, then rename"
        yield _make_rename_error("RW1153", message, remedy, other)


def _find_new_findings(before: GatheredRulesets, after: GatheredRulesets, moved: _OffsetMap) -> Iterator[Diagnostic]:
    known = {
        (item.code, item.primary.span.source, moved.map_offset(item.primary.span.source, item.primary.span.start))
        for loaded in before.readings
        for item in loaded.diagnostics
        if item.primary is not None
    }
    for loaded in after.readings:
        for diagnostic in loaded.diagnostics:
            if diagnostic.code in _SPELLING_DEPENDENT_CODES:
                continue
            place = diagnostic.primary.span if diagnostic.primary else None
            if place is None or (diagnostic.code, place.source, place.start) not in known:
                yield diagnostic


def _find_changed_scenario(
    target: NameTarget, name: str, before: tuple[CaseResult, ...], after: tuple[CaseResult, ...]
) -> Iterator[Diagnostic]:
    """RW1156 for the first scenario that ends differently."""
    for old, new in zip(before, after, strict=True):
        if old.outcome != new.outcome:
            misses = [f": it expects {miss.expected} under `{miss.what}`, and gets {miss.got}" for miss in new.misses]
            misses += [f": {problem.message}" for problem in new.problems]
            ends = "passes" if new.outcome == "passed" else "fails"
            message = f"once `{target.address}` is called `{name}`, this scenario {ends}{misses[0] if misses else ''}"
            remedy = "change what it expects, then rename again; or rename with `--no-test`, which plays no scenarios"
            yield _make_rename_error("RW1156", message, remedy, new.case.place.span)
            return


def _find_changed_meaning(before: GatheredRulesets, after: GatheredRulesets, moved: _OffsetMap) -> Span | None:
    """First place with another target, or with one only before or only after."""
    now = {(occurrence.span.source, occurrence.span.start): occurrence for occurrence in after.index.occurrences}
    same: dict[NameTarget, NameTarget] = {}
    meant: dict[NameTarget, NameTarget] = {}
    for occurrence in before.index.occurrences:
        place = occurrence.span.source, moved.map_offset(occurrence.span.source, occurrence.span.start)
        result = now.pop(place, None)
        if result is None or not _names_same_target(occurrence, result, same, meant):
            return Span(occurrence.span.source, place[1], place[1]) if result is None else result.span
    return next((name_occurrence.span for name_occurrence in now.values()), None)


def _names_same_target(
    one: NameOccurrence, other: NameOccurrence, same: dict[NameTarget, NameTarget], meant: dict[NameTarget, NameTarget]
) -> bool:
    known = same.setdefault(one.target, other.target), meant.setdefault(other.target, one.target)
    return known == (other.target, one.target) and (one.role, one.is_sure) == (other.role, other.is_sure)


def list_fixes(diagnostics: Iterable[Diagnostic], span: Span) -> tuple[QuickFix, ...]:
    """Quick fixes of the diagnostics that touch a span, safe ones first; edits of one fix are applied together."""
    fixes = [
        fix
        for diagnostic in diagnostics
        if diagnostic.primary is not None and _spans_touch(diagnostic.primary.span, span)
        for fix in _make_fix(diagnostic)
    ]
    return tuple(sorted(fixes, key=lambda quick_fix: not quick_fix.is_safe))


def list_safe_fixes(diagnostics: Iterable[Diagnostic]) -> tuple[QuickFix, ...]:
    """Quick fixes that keep the meaning of the rules, without those that overlap an earlier one."""
    edited_spans: list[Span] = []
    fixes: list[QuickFix] = []
    for diagnostic in diagnostics:
        for fix in _make_fix(diagnostic) if diagnostic.is_safe_to_mend else ():
            if not any(_spans_touch(edit.span, span) for edit in fix.edits for span in edited_spans):
                edited_spans += [edit.span for edit in fix.edits]
                fixes.append(fix)
    return tuple(fixes)


def _make_fix(diagnostic: Diagnostic) -> Iterator[QuickFix]:
    if diagnostic.edits and diagnostic.primary is not None:
        yield QuickFix(
            diagnostic.code, diagnostic.message, diagnostic.primary.span, diagnostic.edits, diagnostic.is_safe_to_mend
        )


def _spans_touch(one: Span, other: Span) -> bool:
    return one.source == other.source and one.start <= other.end and other.start <= one.end


_TABLED_KEYS = ("script", "expect")
_FLOW_CHARACTERS = frozenset(",[]{}")


def make_case_table_edit(live: LiveData, span: Span) -> Edit | None:
    """Edit that turns the scenario named at a span into a case table of its answers and expectations.

    None if no scenario is named there, if it has cases or neither answers nor expectations, or if it contains a
    comment, which would be lost.
    """
    text, listed = live.text, map_entries(value_under(live.root, "scenarios"))
    ends = [*(_line_start(text, key.span.start) for key, _ in listed[1:]), len(text.content)]
    for (key, node), end in zip(listed, ends, strict=False):
        if isinstance(node, MapNode) and _line_start(text, key.span.start) <= span.end and span.start <= key.span.end:
            return _make_table_edit(text, key, node, end)
    return None


def _make_table_edit(text: Text, key: MapKey, node: MapNode, end: int) -> Edit | None:
    start = text.content.index(":", key.span.end) + 1
    written = text.content[start:end].rstrip()
    tabled = [(name, value) for name in _TABLED_KEYS if (value := node.get(name)) is not None]
    if not tabled or "cases" in node or "#" in written:
        return None
    columns = dict(_list_table_columns(text, tabled))
    indent = " " * (key.span.start - _line_start(text, key.span.start) + 2)
    remaining = [f"{indent}{remaining_line}" for remaining_line in _remaining_lines(text, node)]
    rows = (f"[case, {', '.join(columns)}]", f"[as before, {', '.join(columns.values())}]")
    lines = [*remaining, f"{indent}cases:", *(f"{indent}  - {row}" for row in rows)]
    return Edit(Span(text.name, start, start + len(written)), "".join(f"\n{line}" for line in lines), safe=False)


def _list_table_columns(text: Text, tabled: list[tuple[str, DocumentNode]]) -> Iterator[tuple[str, str]]:
    """Column heads and cells: one column for all answers, one for each sort of expectation."""
    for name, value in tabled:
        if name == "expect" and isinstance(value, MapNode):
            yield from ((f"expect.{key.text}", _inline_yaml(text, item)) for key, item in value)
        else:
            yield name, _inline_yaml(text, value)


def _remaining_lines(text: Text, node: MapNode) -> Iterator[str]:
    """Entries of the scenario that are no columns, a line each."""
    return (f"{key.text}: {_inline_yaml(text, item)}" for key, item in node if key.text not in _TABLED_KEYS)


def _inline_yaml(text: Text, node: DocumentNode) -> str:
    """Flow style; numbers and quotes as written."""
    match node:
        case MapNode(entries):
            return (
                f"{{{', '.join(f'{format_one_line(key.text)}: {_inline_yaml(text, item)}' for key, item in entries)}}}"
            )
        case ListNode(items):
            return f"[{', '.join(_inline_yaml(text, item) for item in items)}]"
        case ScalarNode(value=str() as value) if isinstance(node, BlockScalar) or _FLOW_CHARACTERS & set(value):
            return format_one_line(value)
        case ScalarNode(span=span):
            return text.content[span.start : span.end]


def _line_start(text: Text, place: int) -> int:
    return text.content.rfind("\n", 0, place) + 1
