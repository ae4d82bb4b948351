"""Answers of `editing` as the protocol has them."""

from bisect import bisect_right
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

from lsprotocol import types as lsp
from lsprotocol.types import Position, Range

from rulewright.base.diagnostics import Diagnostic, Edit, Severity
from rulewright.base.source import Span, Text
from rulewright.editor.editor_results import (
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

CODE_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
"""How many bytes a unit of an encoding has."""

_CODEC_BY_UNIT = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}


class LineIndex:
    """The lines of a text, for a client that counts units of so many bytes."""

    def __init__(self, content: str, unit: int) -> None:
        """Finds where lines begin; only a line feed ends one, as everywhere in rulewright."""
        self._content, self._unit = content, unit
        self._starts = [0, *(at + 1 for at, item in enumerate(content) if item == "\n")]

    def position_at(self, offset: int) -> Position:
        """Where an offset is."""
        line = bisect_right(self._starts, offset) - 1
        before = self._content[self._starts[line] : offset]
        return Position(line, len(before) if before.isascii() else self._count_units(before))

    def offset_at(self, position: Position) -> int:
        """The offset of a position; beyond the end of a line that end, inside of a character its beginning."""
        number: int = position.line
        left: int = position.character
        if number >= len(self._starts):
            return len(self._content)
        start = self._starts[number]
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self._content)
        line = self._content[start:end]
        if line.isascii():
            return start + min(left, len(line))
        for at, item in enumerate(line):
            left -= self._count_units(item)
            if left < 0:
                return start + at
        return end

    def to_range(self, span: Span) -> Range:
        """Where a place is."""
        return Range(self.position_at(span.start), self.position_at(span.end))

    def to_span(self, source: str, found: Range) -> Span:
        """The place of a range."""
        return Span(source, self.offset_at(found.start), self.offset_at(found.end))

    def _count_units(self, written: str) -> int:
        return len(written.encode(_CODEC_BY_UNIT[self._unit], "surrogatepass")) // self._unit


@lru_cache(maxsize=64)
def _cached_line_index(content: str, unit: int) -> LineIndex:
    return LineIndex(content, unit)


def get_line_index(text: Text, unit: int) -> LineIndex:
    """The lines of a text; those of one that was asked about a moment ago are known."""
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
"""What a stretch of a text may be; what has no entry above is a variable."""

TOKEN_LEGEND = lsp.SemanticTokensLegend(token_types=TOKEN_TYPES, token_modifiers=["declaration"])


def to_lsp_diagnostic(found: Diagnostic, lines: Mapping[str, LineIndex], uris: Mapping[str, str]) -> lsp.Diagnostic:
    """A finding with its remedy in words."""
    place = found.primary.span if found.primary is not None else None
    start = lsp.Position(0, 0)
    more = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(uris[label.span.source], lines[label.span.source].to_range(label.span)), label.text or "here"
        )
        for label in found.secondary
        if label.span.source in uris
    ]
    said = [f"{found.message}{f' ({found.primary.text})' if found.primary and found.primary.text else ''}"]
    said += [*found.notes, *([f"help: {found.help}"] if found.help else [])]
    return lsp.Diagnostic(
        range=lines[place.source].to_range(place) if place is not None else lsp.Range(start, start),
        message="\n".join(said),
        severity=_LSP_SEVERITIES[found.severity],
        code=found.code,
        source="rulewright",
        related_information=more or None,
    )


def to_workspace_edit(
    edits: Iterable[Edit], lines: Mapping[str, LineIndex], uris: Mapping[str, str]
) -> lsp.WorkspaceEdit:
    """Edits, by file."""
    ordered = sorted(edits, key=lambda edit: edit.span)
    return lsp.WorkspaceEdit(
        changes={
            uris[source]: [lsp.TextEdit(lines[source].to_range(edit.span), edit.replacement) for edit in iterator]
            for source, iterator in groupby(ordered, lambda edit: edit.span.source)
        }
    )


def to_code_action(
    fix: QuickFix, does: str, edit: lsp.WorkspaceEdit, found: Sequence[lsp.Diagnostic]
) -> lsp.CodeAction:
    """A remedy to be chosen by what it does; one that may change what the rules mean says so, and is not preferred."""
    title = does if fix.is_safe else f"{does} (may change what the rules mean)"
    mends = [diagnostic for diagnostic in found if diagnostic.code == fix.code]
    kind = lsp.CodeActionKind.QuickFix
    return lsp.CodeAction(title=title, kind=kind, diagnostics=mends, edit=edit, is_preferred=fix.is_safe)


def to_completion_item(proposal: CompletionItem, at: int, lines: LineIndex) -> lsp.CompletionItem:
    """A proposal; clients order them as they came."""
    return lsp.CompletionItem(
        label=proposal.text,
        kind=_ITEM_KINDS.get(proposal.sort, lsp.CompletionItemKind.Variable),
        detail=f"{proposal.sort}{f': {proposal.type}' if proposal.type else ''}",
        documentation=proposal.title or None,
        sort_text=f"{at:05}",
        preselect=True if proposal.is_type_match and not at else None,
        text_edit=lsp.TextEdit(lines.to_range(proposal.place), proposal.text),
    )


def to_hover(found: HoverText, lines: LineIndex) -> lsp.Hover:
    """What is known of a place, in Markdown."""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(found.lines)), lines.to_range(found.place))


def to_signature_help(found: SignatureHelp) -> lsp.SignatureHelp:
    """What a call takes."""
    parameters = [lsp.ParameterInformation(label=parameter) for parameter in found.parameters]
    told = lsp.SignatureInformation(label=found.label, documentation=found.title or None, parameters=parameters)
    return lsp.SignatureHelp(signatures=[told], active_signature=0, active_parameter=found.active)


def to_document_symbol(found: OutlineSymbol, lines: LineIndex) -> lsp.DocumentSymbol:
    """A name of an outline, with those inside it."""
    return lsp.DocumentSymbol(
        name=found.name or found.sort,
        detail=found.title or found.sort,
        kind=_SYMBOL_KINDS.get(found.sort, lsp.SymbolKind.Function),
        range=lines.to_range(found.place),
        selection_range=lines.to_range(found.head),
        children=[to_document_symbol(child, lines) for child in found.children],
    )


def to_folding_range(found: FoldingRange) -> lsp.FoldingRange:
    """Lines that may be hidden."""
    kind = lsp.FoldingRangeKind.Comment if found.is_comment else lsp.FoldingRangeKind.Region
    return lsp.FoldingRange(start_line=found.first - 1, end_line=found.last - 1, kind=kind)


def to_semantic_tokens(found: Iterable[ColouredSpan], lines: LineIndex) -> lsp.SemanticTokens:
    """The sorts of stretches of a text, each told from where the one before begins."""
    data: list[int] = []
    line = character = 0
    for coloured_span in found:
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


def to_inlay_hint(found: InlayHint, lines: LineIndex) -> lsp.InlayHint:
    """A remark that stands in a line."""
    return lsp.InlayHint(position=lines.position_at(found.at), label=found.text, tooltip=found.title or None)


def to_code_lens(
    found: CodeLens, uri: str, lines: LineIndex, known: Container[str], places: Sequence[lsp.Location]
) -> lsp.CodeLens:
    """What is said above a declaration, and what the client can do about it if it knows a command of that name."""
    does, where = f"rulewright.{found.does}", lines.to_range(found.place)
    command = (
        lsp.Command(title=found.says, command=does, arguments=[uri, found.about, list(places), where.start])
        if does in known
        else lsp.Command(title=found.says, command="")
    )
    return lsp.CodeLens(range=where, command=command)
