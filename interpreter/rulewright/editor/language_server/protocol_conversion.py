"""Conversion of answers to protocol types, of offsets to positions, and of what may stand in the cells of a table to data."""

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from lsprotocol import types as lsp
from lsprotocol.types import Position, Range

from rulewright.base.diagnostics import Diagnostic, Edit, Severity
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.editor.answers import (
    CodeLens,
    ColouredSpan,
    CompletionItem,
    FoldingRange,
    HoverText,
    InlayHint,
    OutlineSymbol,
    QuickFix,
    SignatureHelp,
)
from rulewright.editor.editor_workspace import OpenDocument
from rulewright.editor.snippets import Snippet
from rulewright.program.declarations import Program, Table
from rulewright.program.types import FlagType, Type, WordType, strip_optional

_FLAG_WORDS = (("yes", "yes"), ("no", "no"))


@dataclass(frozen=True, slots=True)
class CellWords:
    """Words with their titles; none where a cell holds numbers or anything else."""

    name: str  # of the parameter, or empty for the result
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TableWords:
    """A table of a text, by its name there."""

    name: str
    title: str
    parameters: tuple[CellWords, ...]
    result: CellWords


def list_table_words(opened: OpenDocument) -> tuple[TableWords, ...]:
    """The tables of a text, as the last check without errors has them."""
    program = opened.program
    return tuple(_iterate_tables(program, opened.name)) if program is not None else ()


def _iterate_tables(program: Program, source: str) -> Iterator[TableWords]:
    for function in program.functions.values():
        if isinstance(function.body, Table) and function.span.source == source:
            yield TableWords(
                function.name.rpartition(".")[2],
                function.title,
                tuple(CellWords(each.name, _list_words(each.type, program)) for each in function.parameters),
                CellWords("", _list_words(function.type, program)),
            )


def _list_words(type_: Type, program: Program) -> tuple[tuple[str, str], ...]:
    match strip_optional(type_):
        case WordType(name) if name in program.values:
            titles = program.values[name].titles
            return tuple(zip(titles.names, titles.display_names, strict=True))
        case FlagType():
            return _FLAG_WORDS
        case _:
            return ()


CODE_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""Bytes per code unit of a position encoding."""

_CODEC_BY_UNIT = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}


class LineIndex:
    """Lines of a text, for positions in code units of a given size."""

    def __init__(self, content: str, unit: int) -> None:
        """Only line feeds end lines."""
        self._content, self._unit = content, unit
        self._starts = [0, *(at + 1 for at, item in enumerate(content) if item == "\n")]

    def position_at(self, offset: int) -> Position:
        """Position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        before = self._content[self._starts[line] : offset]
        return Position(line, len(before) if before.isascii() else self._count_units(before))

    def offset_at(self, position: Position) -> int:
        """Offset of a position; clipped to its line, and to the start of a character."""
        number: int = position.line
        remaining: int = position.character
        if number >= len(self._starts):
            return len(self._content)
        start = self._starts[number]
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self._content)
        line = self._content[start:end]
        if line.isascii():
            return start + min(remaining, len(line))
        for at, item in enumerate(line):
            remaining -= self._count_units(item)
            if remaining < 0:
                return start + at
        return end

    def to_range(self, span: Span) -> Range:
        """Range of a span."""
        return Range(self.position_at(span.start), self.position_at(span.end))

    def to_span(self, source: str, position_range: Range) -> Span:
        """Span of a range."""
        return Span(source, self.offset_at(position_range.start), self.offset_at(position_range.end))

    def _count_units(self, written: str) -> int:
        return len(written.encode(_CODEC_BY_UNIT[self._unit], "surrogatepass")) // self._unit


@lru_cache(maxsize=64)
def _cached_line_index(content: str, unit: int) -> LineIndex:
    return LineIndex(content, unit)


def get_line_index(text: Text, unit: int) -> LineIndex:
    """Cached line index of a text."""
    return _cached_line_index(text.content, unit)


_LSP_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
_ITEM_KINDS = {
    "word of the language": lsp.CompletionItemKind.Keyword,
    "type": lsp.CompletionItemKind.TypeParameter,
    "kind": lsp.CompletionItemKind.Class,
    "record": lsp.CompletionItemKind.Struct,
    "list of words": lsp.CompletionItemKind.Enum,
    "word": lsp.CompletionItemKind.EnumMember,
    "attribute": lsp.CompletionItemKind.Property,
    "key": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.Value,
    "event": lsp.CompletionItemKind.Event,
    "clause": lsp.CompletionItemKind.Reference,
    "step": lsp.CompletionItemKind.Reference,
    "address": lsp.CompletionItemKind.Reference,
    "prefix": lsp.CompletionItemKind.Module,
    "name": lsp.CompletionItemKind.Variable,
    "parameter": lsp.CompletionItemKind.Variable,
    "setting": lsp.CompletionItemKind.Constant,
    **dict.fromkeys(
        ("procedure", "term", "tally", "decide", "table", "paths", "relation", "function of the language"),
        lsp.CompletionItemKind.Function,
    ),
}
_SYMBOL_KINDS = {
    "procedure": lsp.SymbolKind.Function,
    "kind": lsp.SymbolKind.Class,
    "record": lsp.SymbolKind.Struct,
    "list of words": lsp.SymbolKind.Enum,
    "word": lsp.SymbolKind.EnumMember,
    "attribute": lsp.SymbolKind.Property,
    "field of the game": lsp.SymbolKind.Variable,
    "setting": lsp.SymbolKind.Constant,
    "event": lsp.SymbolKind.Event,
    "step": lsp.SymbolKind.Method,
    "scenario": lsp.SymbolKind.Method,
    "clause": lsp.SymbolKind.Key,
}
_TOKEN_TYPE_BY_SORT = {
    "keyword": "keyword",
    "comment": "comment",
    "string": "string",
    "number": "number",
    "cite": "decorator",
    "kind": "class",
    "record": "struct",
    "list of words": "enum",
    "word": "enumMember",
    "attribute": "property",
    "event": "event",
    "ruleset": "namespace",
    "prefix": "namespace",
    **dict.fromkeys(("step", "row", "option", "line", "ruling"), "label"),
    **dict.fromkeys(
        ("procedure", "external procedure", "handler", "standing rule", "term", "tally", "decide", "table", "paths"),
        "function",
    ),
}
TOKEN_TYPES = list(dict.fromkeys([*_TOKEN_TYPE_BY_SORT.values(), "variable"]))
"""Semantic token types; sorts without an entry above are variables."""

TOKEN_LEGEND = lsp.SemanticTokensLegend(token_types=TOKEN_TYPES, token_modifiers=["declaration"])


def to_lsp_diagnostic(
    diagnostic: Diagnostic, lines: Mapping[str, LineIndex], uris: Mapping[str, str]
) -> lsp.Diagnostic:
    """Diagnostic with its remedy as text."""
    place = diagnostic.primary.span if diagnostic.primary is not None else None
    start = lsp.Position(0, 0)
    more = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(uris[label.span.source], lines[label.span.source].to_range(label.span)), label.text or "here"
        )
        for label in diagnostic.secondary
        if label.span.source in uris
    ]
    parts = [
        f"{diagnostic.message}{f' ({diagnostic.primary.text})' if diagnostic.primary and diagnostic.primary.text else ''}"
    ]
    parts += [*diagnostic.notes, *([f"help: {diagnostic.help}"] if diagnostic.help else [])]
    return lsp.Diagnostic(
        range=lines[place.source].to_range(place) if place is not None else lsp.Range(start, start),
        message="\n".join(parts),
        severity=_LSP_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        source="rulewright",
        related_information=more or None,
    )


def to_workspace_edit(
    edits: Iterable[Edit], lines: Mapping[str, LineIndex], uris: Mapping[str, str]
) -> lsp.WorkspaceEdit:
    """Edits grouped by file."""
    ordered = sorted(edits, key=lambda edit: edit.span)
    return lsp.WorkspaceEdit(
        changes={
            uris[source]: [lsp.TextEdit(lines[source].to_range(edit.span), edit.replacement) for edit in iterator]
            for source, iterator in groupby(ordered, lambda edit: edit.span.source)
        }
    )


def to_code_action(
    fix: QuickFix, does: str, edit: lsp.WorkspaceEdit, diagnostics: Sequence[lsp.Diagnostic]
) -> lsp.CodeAction:
    """Quick fix; one that can change the meaning says so and is not preferred."""
    title = does if fix.is_safe else f"{does} (may change what the rules mean)"
    mends = [diagnostic for diagnostic in diagnostics if diagnostic.code == fix.code]
    kind = lsp.CodeActionKind.QuickFix
    return lsp.CodeAction(title=title, kind=kind, diagnostics=mends, edit=edit, is_preferred=fix.is_safe)


def to_completion_item(proposal: CompletionItem, at: int, lines: LineIndex) -> lsp.CompletionItem:
    """Completion at index `at`, which clients sort by."""
    return lsp.CompletionItem(
        label=proposal.text,
        kind=_ITEM_KINDS.get(proposal.sort, lsp.CompletionItemKind.Variable),
        detail=f"{proposal.sort}{f': {proposal.type}' if proposal.type else ''}",
        documentation=proposal.title or None,
        sort_text=f"{at:05}",
        preselect=True if proposal.is_type_match and not at else None,
        text_edit=lsp.TextEdit(lines.to_range(proposal.place), proposal.text),
    )


def to_hover(hover: HoverText, lines: LineIndex) -> lsp.Hover:
    """Hover in Markdown."""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(hover.lines)), lines.to_range(hover.place))


def to_signature_help(signature: SignatureHelp) -> lsp.SignatureHelp:
    """Signature help."""
    parameters = [lsp.ParameterInformation(label=parameter) for parameter in signature.parameters]
    information = lsp.SignatureInformation(
        label=signature.label, documentation=signature.title or None, parameters=parameters
    )
    return lsp.SignatureHelp(signatures=[information], active_signature=0, active_parameter=signature.active)


def to_document_symbol(symbol: OutlineSymbol, lines: LineIndex) -> lsp.DocumentSymbol:
    """Symbol with its children."""
    return lsp.DocumentSymbol(
        name=symbol.name or symbol.sort,
        detail=symbol.title or symbol.sort,
        kind=_SYMBOL_KINDS.get(symbol.sort, lsp.SymbolKind.Function),
        range=lines.to_range(symbol.place),
        selection_range=lines.to_range(symbol.head),
        children=[to_document_symbol(child, lines) for child in symbol.children],
    )


def to_snippet_json(snippet: Snippet) -> dict[str, Any]:
    """Snippet as JSON."""
    return {"name": snippet.name, "title": snippet.title, "body": snippet.body}


def to_table_words_json(table: TableWords) -> dict[str, Any]:
    """Words of a table as JSON."""
    cells = [{"name": each.name, "words": [*map(list, each.words)]} for each in (*table.parameters, table.result)]
    return {"name": table.name, "title": table.title, "parameters": cells[:-1], "result": cells[-1]["words"]}


def to_folding_range(folding: FoldingRange) -> lsp.FoldingRange:
    """Folding range, with lines from zero."""
    kind = lsp.FoldingRangeKind.Comment if folding.is_comment else lsp.FoldingRangeKind.Region
    return lsp.FoldingRange(start_line=folding.first - 1, end_line=folding.last - 1, kind=kind)


def to_semantic_tokens(coloured_spans: Iterable[ColouredSpan], lines: LineIndex) -> lsp.SemanticTokens:
    """Tokens, delta encoded."""
    data: list[int] = []
    line = character = 0
    for coloured_span in coloured_spans:
        place = lines.to_range(coloured_span.place)
        if place.start.line != place.end.line:
            continue
        same = place.start.line == line
        data += [
            place.start.line - line,
            place.start.character - (character if same else 0),
            place.end.character - place.start.character,
            TOKEN_TYPES.index(_TOKEN_TYPE_BY_SORT.get(coloured_span.sort, "variable")),
            int(coloured_span.is_declaration),
        ]
        line, character = place.start.line, place.start.character
    return lsp.SemanticTokens(data=data)


def to_inlay_hint(hint: InlayHint, lines: LineIndex) -> lsp.InlayHint:
    """Inlay hint."""
    return lsp.InlayHint(position=lines.position_at(hint.at), label=hint.text, tooltip=hint.title or None)


def to_code_lens(
    lens: CodeLens, uri: str, lines: LineIndex, known: Container[str], places: Sequence[lsp.Location]
) -> lsp.CodeLens:
    """Code lens, with its command if the client knows it."""
    does, where = f"rulewright.{lens.does}", lines.to_range(lens.place)
    command = (
        lsp.Command(title=lens.says, command=does, arguments=[uri, lens.about, list(places), where.start])
        if does in known
        else lsp.Command(title=lens.says, command="")
    )
    return lsp.CodeLens(range=where, command=command)
