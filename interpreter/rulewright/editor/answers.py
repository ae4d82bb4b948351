"""Records of what an editor is answered: fixes, completions, hovers, signatures, outlines, folds, colours, hints, lenses.

All are frozen; spans are offsets of code points in the current text.
"""

from rulewright.base.diagnostics import Edit
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A diagnostic's remedy as edits."""

    code: str  # of the diagnostic
    message: str  # of the diagnostic
    place: Span  # of the diagnostic
    edits: tuple[Edit, ...]  # applied together
    is_safe: bool  # the meaning of the rules stays, or there is only one possible reading


@dataclass(frozen=True, slots=True)
class CompletionItem:
    """A completion."""

    text: str
    place: Span  # replaced span
    # `word of the language`, `type`, `function of the language`, or the sort of a name: `attribute`, `name`, `step` …
    sort: str
    type: str = ""  # of its value, in source notation
    title: str = ""  # by the author or the manual
    is_type_match: bool = False  # has the expected type


@dataclass(frozen=True, slots=True)
class HoverText:
    """Explanation of a span."""

    place: Span
    lines: tuple[str, ...]  # Markdown paragraphs or list items, most important first


@dataclass(frozen=True, slots=True)
class SignatureHelp:
    """Callee around the cursor and its parameters."""

    label: str  # `wound(target: Unit, amount: 0..9)`
    parameters: tuple[str, ...]  # as in the label
    active: int  # index; beyond the end if there is an argument too many
    title: str = ""


@dataclass(frozen=True, slots=True)
class OutlineSymbol:
    """A named part of a text, with nested ones."""

    name: str
    sort: str  # `procedure`, `step`, `kind`, `attribute` …
    title: str
    place: Span  # whole
    head: Span  # name
    children: tuple["OutlineSymbol", ...] = ()


@dataclass(frozen=True, slots=True)
class FoldingRange:
    """First and last line, counted from one; all but the first fold."""

    first: int
    last: int
    is_comment: bool = False


@dataclass(frozen=True, slots=True)
class ColouredSpan:
    """A token of a line with its sort."""

    place: Span
    # `keyword`, `comment`, `string`, `number`, `cite`, or what a name stands for: `kind`, `attribute`, `word`, `name` …
    sort: str
    is_declaration: bool = False


@dataclass(frozen=True, slots=True)
class InlayHint:
    """A note rendered inside a line."""

    at: int  # offset before it
    text: str
    title: str = ""  # tooltip


@dataclass(frozen=True, slots=True)
class CodeLens:
    """A note or command above a declaration."""

    place: Span
    says: str  # `3 scenarios begin here`, `play from here`, `changed since the last commit`
    does: str  # `scenarios`, `play` or `compare`
    about: str  # address
    places: tuple[Span, ...] = ()  # of the scenarios
