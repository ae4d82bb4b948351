"""Answers of `editing` as the protocol has them."""

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import groupby

from lsprotocol import types as lsp

from rulewright.diagnostics import Diagnostic, Edit, Severity
from rulewright.editing.answers import Aside, Colour, Explanation, Fix, Fold, Lens, Proposal, Signature, Symbol
from rulewright.language_server.positions import Lines

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
_ITEMS = {
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
_SYMBOLS = {
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
_TOKENS = {
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
TOKENS = list(dict.fromkeys([*_TOKENS.values(), "variable"]))
"""What a stretch of a text may be; what has no entry above is a variable."""

LEGEND = lsp.SemanticTokensLegend(token_types=TOKENS, token_modifiers=["declaration"])


def diagnostic(found: Diagnostic, lines: Mapping[str, Lines], uris: Mapping[str, str]) -> lsp.Diagnostic:
    """A finding with its remedy in words."""
    place = found.primary.span if found.primary is not None else None
    start = lsp.Position(0, 0)
    more = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(uris[each.span.source], lines[each.span.source].range(each.span)), each.text or "here"
        )
        for each in found.secondary
        if each.span.source in uris
    ]
    said = [f"{found.message}{f' ({found.primary.text})' if found.primary and found.primary.text else ''}"]
    said += [*found.notes, *([f"help: {found.help}"] if found.help else [])]
    return lsp.Diagnostic(
        range=lines[place.source].range(place) if place is not None else lsp.Range(start, start),
        message="\n".join(said),
        severity=_SEVERITIES[found.severity],
        code=found.code,
        source="rulewright",
        related_information=more or None,
    )


def text_edits(edits: Iterable[Edit], lines: Mapping[str, Lines], uris: Mapping[str, str]) -> lsp.WorkspaceEdit:
    """Edits, by file."""
    ordered = sorted(edits, key=lambda each: each.span)
    return lsp.WorkspaceEdit(
        changes={
            uris[source]: [lsp.TextEdit(lines[source].range(each.span), each.replacement) for each in found]
            for source, found in groupby(ordered, lambda each: each.span.source)
        }
    )


def action(fix: Fix, does: str, edit: lsp.WorkspaceEdit, found: Sequence[lsp.Diagnostic]) -> lsp.CodeAction:
    """A remedy to be chosen by what it does; one that may change what the rules mean says so, and is not preferred."""
    title = does if fix.safe else f"{does} (may change what the rules mean)"
    mends = [each for each in found if each.code == fix.code]
    kind = lsp.CodeActionKind.QuickFix
    return lsp.CodeAction(title=title, kind=kind, diagnostics=mends, edit=edit, is_preferred=fix.safe)


def item(proposal: Proposal, at: int, lines: Lines) -> lsp.CompletionItem:
    """A proposal; clients order them as they came."""
    return lsp.CompletionItem(
        label=proposal.text,
        kind=_ITEMS.get(proposal.sort, lsp.CompletionItemKind.Variable),
        detail=f"{proposal.sort}{f': {proposal.type}' if proposal.type else ''}",
        documentation=proposal.title or None,
        sort_text=f"{at:05}",
        preselect=True if proposal.fits and not at else None,
        text_edit=lsp.TextEdit(lines.range(proposal.place), proposal.text),
    )


def hover(found: Explanation, lines: Lines) -> lsp.Hover:
    """What is known of a place, in Markdown."""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(found.lines)), lines.range(found.place))


def signature(found: Signature) -> lsp.SignatureHelp:
    """What a call takes."""
    parameters = [lsp.ParameterInformation(label=each) for each in found.parameters]
    told = lsp.SignatureInformation(label=found.label, documentation=found.title or None, parameters=parameters)
    return lsp.SignatureHelp(signatures=[told], active_signature=0, active_parameter=found.active)


def symbol(found: Symbol, lines: Lines) -> lsp.DocumentSymbol:
    """A name of an outline, with those inside it."""
    return lsp.DocumentSymbol(
        name=found.name or found.sort,
        detail=found.title or found.sort,
        kind=_SYMBOLS.get(found.sort, lsp.SymbolKind.Function),
        range=lines.range(found.place),
        selection_range=lines.range(found.head),
        children=[symbol(each, lines) for each in found.inside],
    )


def fold(found: Fold) -> lsp.FoldingRange:
    """Lines that may be hidden."""
    kind = lsp.FoldingRangeKind.Comment if found.is_comment else lsp.FoldingRangeKind.Region
    return lsp.FoldingRange(start_line=found.first - 1, end_line=found.last - 1, kind=kind)


def tokens(found: Iterable[Colour], lines: Lines) -> lsp.SemanticTokens:
    """The sorts of stretches of a text, each told from where the one before begins."""
    data: list[int] = []
    line = character = 0
    for each in found:
        place = lines.range(each.place)
        if place.start.line != place.end.line:
            continue
        same = place.start.line == line
        data += [
            place.start.line - line,
            place.start.character - (character if same else 0),
            place.end.character - place.start.character,
            TOKENS.index(_TOKENS.get(each.sort, "variable")),
            int(each.declared),
        ]
        line, character = place.start.line, place.start.character
    return lsp.SemanticTokens(data=data)


def hint(found: Aside, lines: Lines) -> lsp.InlayHint:
    """A remark that stands in a line."""
    return lsp.InlayHint(position=lines.position(found.at), label=found.text, tooltip=found.title or None)


def lens(found: Lens, uri: str, lines: Lines, known: Container[str], places: Sequence[lsp.Location]) -> lsp.CodeLens:
    """What is said above a declaration, and what the client can do about it if it knows a command of that name."""
    does, where = f"rulewright.{found.does}", lines.range(found.place)
    command = (
        lsp.Command(title=found.says, command=does, arguments=[uri, found.about, list(places), where.start])
        if does in known
        else lsp.Command(title=found.says, command="")
    )
    return lsp.CodeLens(range=where, command=command)
