"""Inlay hints, code lenses, folding, colours and formatting of rules."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from rulewright.base.bounded_files import read_text_file
from rulewright.base.diagnostics import Diagnostic, Edit
from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import find_edited_range
from rulewright.base.source import COMMENT_OR_STRING, Span, Text
from rulewright.documents.document_nodes import ListNode, MapNode, ScalarNode, map_entries
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.editor.answers import CodeLens, ColouredSpan, FoldingRange, InlayHint
from rulewright.editor.document_names import named_procedure
from rulewright.editor.editor_workspace import OpenDocument, Workspace
from rulewright.editor.live_text import split_declarations
from rulewright.editor.name_index import DECLARING_ROLES, NameRole
from rulewright.program.declarations import Declared, Program
from rulewright.program.expressions import Variable
from rulewright.program.outline.items import render_default_reading
from rulewright.scenarios.scenario_files import SCENARIO_SUFFIX
from rulewright.syntax.engine import ParseTree, get_engine
from rulewright.syntax.format import format_text
from rulewright.syntax.layout import ScannedLine, scan_lines
from rulewright.syntax.parser import blank_forbidden_characters, replace_tabs
from rulewright.syntax.words import LINE_START_WORDS, RESERVED_WORDS

_TYPE_PATTERN = re.compile(r"\s*(?::|gives\b)")
CHANGED_SINCE_COMMIT, NEW_SINCE_COMMIT = "changed since the last commit", "new since the last commit"
_STEP_PATTERN = re.compile(r"step\s+([\w.\-]+)")
_PROCEDURE_PATTERN = re.compile(r"procedure\s+(\w+)")


def list_inlay_hints(opened: OpenDocument) -> tuple[InlayHint, ...]:
    """Types of declarations without one, and values of readings where they are read, in order."""
    known, program = opened.last_good, opened.program
    if known is None or program is None:
        return ()
    content = opened.live.text.content
    routines = _variables_by_name(program)
    unwritten = {name for name, record in program.records.items() if not record.span.end}  # named results of externals
    items: list[InlayHint] = []
    for name_occurrence in known.index.find_in_text(opened.name):
        place = opened.map_to_current(known, name_occurrence.span)
        if place is None:
            continue
        target = name_occurrence.target
        if (
            target.sort == "name"
            and name_occurrence.role in DECLARING_ROLES
            and not _TYPE_PATTERN.match(content, place.end)
        ):
            owner = target.address.removesuffix(f".{target.name}")
            types = {str(one.type) for one in routines.get((owner, target.name), ())}
            if len(types) == 1 and types.isdisjoint(unwritten):
                items.append(InlayHint(place.end, f": {types.pop()}"))
        elif target.sort == "setting" and name_occurrence.role is NameRole.READ and target.address in program.settings:
            setting = program.settings[target.address]
            items.append(InlayHint(place.end, f" = {render_default_reading(setting, program)}", setting.title))
    return tuple(items)


def _variables_by_name(program: Program) -> Mapping[tuple[str, str], list[Variable]]:
    """By address of the declaration, and name."""
    groups: tuple[Mapping[str, Declared], ...] = (
        program.procedures, program.handlers, program.rules, program.functions, program.measures, program.invariants,
    )  # fmt: skip
    result: dict[tuple[str, str], list[Variable]] = {}
    for group in groups:
        for name, node in group.items():
            for item in getattr(node, "variables", ()):
                result.setdefault((name.replace("/", "."), item.name), []).append(item)
    return result


def list_code_lenses(desk: Workspace, opened: OpenDocument) -> tuple[CodeLens, ...]:
    """Lenses above procedures: play, scenarios that begin with it; and changes since the last commit."""
    program, known = opened.program, opened.last_good
    if program is None or known is None:
        return tuple(list_changes_since_commit(desk, opened))
    scenarios_by_procedure = _scenarios_by_procedure(desk, opened)
    result: list[CodeLens] = []
    for name, node in program.procedures.items():
        place = opened.map_to_current(known, node.span) if node.span.source == opened.name else None
        if place is None or node.inner:
            continue
        head = Span(place.source, place.start, place.start + len("procedure"))
        result.append(CodeLens(head, "play from here", "play", name))
        places = scenarios_by_procedure.get(name, ())
        if places:
            says = "1 scenario begins here" if len(places) == 1 else f"{len(places)} scenarios begin here"
            result.append(CodeLens(head, says, "scenarios", name, tuple(places)))
    return (*result, *list_changes_since_commit(desk, opened))


def _scenarios_by_procedure(desk: Workspace, opened: OpenDocument) -> Mapping[str, list[Span]]:
    result: dict[str, list[Span]] = {}
    folder = opened.name.rpartition("/")[0]
    files = desk.current_files()
    for name in files.list_folder_names(folder or "."):
        place = f"{folder}/{name}" if folder else name
        text = read_text_file(place, files) if name.endswith(SCENARIO_SUFFIX) else None
        if isinstance(text, Text):
            for procedure, span in desk.cache_by_text(text, partial(_list_scenarios, text)):
                result.setdefault(procedure, []).append(span)
    return result


def _list_scenarios(text: Text) -> tuple[tuple[str, Span], ...]:
    return tuple(_walk_scenarios(text))


def _walk_scenarios(text: Text) -> Iterator[tuple[str, Span]]:
    """Played scenarios and cases, with the procedure that each begins with."""
    root = parse_yaml(text).value
    if isinstance(root, MapNode):
        listed = root.get("scenarios")
        for key, item in map_entries(listed):
            yield from _walk_cases(item, named_procedure(root, ""), key.span)


def _walk_cases(node: object, procedure: str, place: Span) -> Iterator[tuple[str, Span]]:
    if not isinstance(node, MapNode):
        return
    procedure = named_procedure(node, procedure)
    match node.get("cases"):
        case MapNode(entries):
            for key, each in entries:
                yield from _walk_cases(each, procedure, key.span)
        case ListNode(items):
            at = _find_column(items[0], "procedure") if items else None
            for item in items[1:]:
                cell = (
                    item.items[at] if at is not None and isinstance(item, ListNode) and at < len(item.items) else None
                )
                yield (cell.written if isinstance(cell, ScalarNode) else procedure), item.span
        case _:
            yield procedure, place


def _find_column(heads: object, name: str) -> int | None:
    cells = heads.items if isinstance(heads, ListNode) else ()
    return next((at for at, cell in enumerate(cells) if isinstance(cell, ScalarNode) and cell.written == name), None)


@dataclass(frozen=True, slots=True)
class _WrittenPart:
    words: tuple[tuple[int, tuple[str, ...]], ...]  # indents and words of its lines, without comments and blanks
    at: int  # offset of its first word
    size: int  # of that word


def list_changes_since_commit(desk: Workspace, opened: OpenDocument) -> Iterator[CodeLens]:
    """Lenses above procedures and steps that changed; empty without a commit."""
    before = desk.committed_text(opened.name)
    if before is None:
        return
    committed_parts = dict(_split_written_parts(before))
    for address, now in _split_written_parts(opened.live.text.content):
        then = committed_parts.get(address)
        if then is None or then.words != now.words:
            place = Span(opened.name, now.at, now.at + now.size)
            yield CodeLens(place, NEW_SINCE_COMMIT if then is None else CHANGED_SINCE_COMMIT, "compare", address)


def _split_written_parts(content: str) -> Iterator[tuple[str, _WrittenPart]]:
    start = 0
    for chunk in split_declarations(content):
        lines = scan_lines(chunk)
        named = (
            _PROCEDURE_PATTERN.search(chunk, 0, chunk.find("\n"))
            if lines and lines[0].verb.text == "procedure"
            else None
        )
        if named is not None:
            yield named[1], _make_written_part(lines, start)
            for first, line in enumerate(lines):
                step = _STEP_PATTERN.match(chunk, line.start)
                if step is not None:
                    after = (
                        at for at, scanned_line in enumerate(lines) if at > first and scanned_line.indent <= line.indent
                    )
                    yield f"{named[1]}/{step[1]}", _make_written_part(lines[first : next(after, len(lines))], start)
        start += len(chunk)


def _make_written_part(lines: tuple[ScannedLine, ...], start: int) -> _WrittenPart:
    words = tuple((line.indent, tuple(word.text for word in line.words)) for line in lines)
    return _WrittenPart(words, start + lines[0].start, lines[0].words[0].end - lines[0].start)


_TERMINAL_COLOURS = {
    "STRING": "string",
    "CITE": "cite",
    "INT": "number",
    "DECIMAL": "number",
    "DICE": "number",
    "OR_MORE": "number",
}
_NAME_TERMINALS = frozenset({"NAME", "STEP", "ADDRESS"})
_FALLBACK_TOKEN_PATTERN = re.compile(r'"[^"\n]*"|[\w.\-]+#[0-9]+|#[^\n]*|@[\w.:\-]+|\b\d+(?:[dD]\d+)?\b|[A-Za-z_]\w*')


def format_document(opened: OpenDocument) -> tuple[Edit, ...] | tuple[Diagnostic, ...]:
    """Edit that formats a text, empty if there is nothing to do; or the errors that prevent it."""
    text = opened.live.text
    formatted = format_text(replace_tabs(text))
    if not isinstance(formatted, str):
        return formatted
    if formatted == text.content:
        return ()
    edited_range = find_edited_range(text.content, formatted)
    return (
        Edit(
            Span(opened.name, edited_range.start, edited_range.end),
            formatted[edited_range.start : edited_range.end + edited_range.shift],
            safe=True,
        ),
    )


def list_folding_ranges(text: Text) -> tuple[FoldingRange, ...]:
    """Blocks by indentation, and runs of comments."""
    lines = [line.rstrip() for line in text.content.split("\n")]
    return tuple(
        sorted(
            (*_fold_blocks(lines), *_fold_comments(lines)),
            key=lambda folding_range: (folding_range.first, -folding_range.last),
        )
    )


def _fold_blocks(lines: list[str]) -> Iterator[FoldingRange]:
    waiting: list[tuple[int, int]] = []
    last = 0
    for number, line in enumerate([*lines, "end"], 1):
        if not line or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        while waiting and waiting[-1][0] >= indent:
            _, first = waiting.pop()
            if last > first:
                yield FoldingRange(first, last)
        waiting.append((indent, number))
        last = number


def _fold_comments(lines: list[str]) -> Iterator[FoldingRange]:
    first = 0
    for number, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith("#"):
            first = first or number
        elif first:
            if number - 1 > first:
                yield FoldingRange(first, number - 1, is_comment=True)
            first = 0


def colour_document(opened: OpenDocument) -> tuple[ColouredSpan, ...]:
    """Tokens of a text with their sorts, in order; names as of the latest check."""
    known = opened.best_snapshot if opened.latest.loaded.program is None else opened.latest
    names: dict[int, ColouredSpan] = {}
    for name_occurrence in known.index.find_in_text(opened.name):
        place = opened.map_to_current(known, name_occurrence.span)
        if place is not None and name_occurrence.target.sort != "clause":
            names[place.start] = ColouredSpan(
                place, name_occurrence.target.sort, name_occurrence.role in DECLARING_ROLES
            )
    result: dict[int, ColouredSpan] = {}
    start = 0
    live, written = opened.live, split_declarations(opened.live.text.content)
    live.colour_cache = {item: live.colour_cache.get(item) or tuple(_colour_chunk(item)) for item in written}
    for chunk in written:
        for at, end, sort in live.colour_cache[chunk]:
            result[start + at] = ColouredSpan(Span(opened.name, start + at, start + end), sort)
        start += len(chunk)
    return tuple(coloured_span for _, coloured_span in sorted({**result, **names}.items()) if coloured_span.sort)


def _colour_chunk(chunk: str) -> Iterator[tuple[int, int, str]]:
    """Keywords, strings, numbers, cites and comments of a declaration, in any order."""
    read = get_engine().parse_tree(blank_forbidden_characters(chunk))
    if not isinstance(read, ParseTree):
        for match in _FALLBACK_TOKEN_PATTERN.finditer(chunk):
            yield match.start(), match.end(), _guess_colour(match[0])
        return
    tokens = [token for line in read.lines for token in line.tokens]
    numbered = (item for item in tokens if item.type == "ADDRESS" and "#" in item)
    signs = {(item.start_pos or 0) + item.index("#") for item in numbered}
    at = 0
    while (result := COMMENT_OR_STRING.search(chunk, at)) is not None:
        is_number = result.start() in signs
        at = result.start() + 1 if is_number else result.end()
        if result["comment"] is not None and not is_number:
            yield result.start(), at, "comment"
    for token in tokens:
        yield from _colour_token(token)


def _colour_token(token: Any) -> Iterator[tuple[int, int, str]]:  # a token of a reading
    sort = _TERMINAL_COLOURS.get(
        token.type, "keyword" if token.type not in _NAME_TERMINALS and token[:1].isalpha() else ""
    )
    if sort:
        yield token.start_pos or 0, token.end_pos or 0, sort


def _guess_colour(written: str) -> str:
    """For declarations that cannot be parsed."""
    first = written[0]
    if "#" in written[1:] and first not in '"#@':
        return ""
    if first in '"#@':
        return {'"': "string", "#": "comment", "@": "cite"}[first]
    if first.isdigit():
        return "number"
    return "keyword" if written in LINE_START_WORDS | RESERVED_WORDS else ""
