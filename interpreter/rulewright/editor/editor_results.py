"""What an editor is told: frozen answers, with places as offsets of code points into the texts as they are written."""

from rulewright.base.diagnostics import Edit
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span


@dataclass(frozen=True, slots=True)
class QuickFix:
    """A remedy that is an edit."""

    code: str  # of the finding that it mends
    message: str  # of that finding
    place: Span  # of that finding
    edits: tuple[Edit, ...]  # all of them together
    is_safe: bool  # whether the rules then mean what they meant, or can be read in no other way


@dataclass(frozen=True, slots=True)
class CompletionItem:
    """Something that may stand at the cursor."""

    text: str  # as it is written
    place: Span  # what it takes the place of
    # `word of the language`, `type`, `function of the language`, or the sort of a name: `attribute`, `name`, `step` …
    sort: str
    type: str = ""  # of its value, as rules write it
    title: str = ""  # what its author, or the manual, calls it
    is_type_match: bool = False  # whether its value is of the type that is wanted here


@dataclass(frozen=True, slots=True)
class HoverText:
    """What stands at a place, in words."""

    place: Span
    lines: tuple[str, ...]  # Markdown, the most telling first; each a paragraph or an item of a list


@dataclass(frozen=True, slots=True)
class SignatureHelp:
    """What is called around a place, and what it takes."""

    label: str  # `wound(target: Unit, amount: 0..9)`
    parameters: tuple[str, ...]  # each as it stands in the label
    active: int  # the one that the place belongs to; beyond the last where there is one too many
    title: str = ""


@dataclass(frozen=True, slots=True)
class OutlineSymbol:
    """Something with a name of its own, for an outline."""

    name: str
    sort: str  # in a designer's word, as of a target: `procedure`, `step`, `kind`, `attribute`
    title: str
    place: Span  # all of it
    head: Span  # its name
    children: tuple["OutlineSymbol", ...] = ()


@dataclass(frozen=True, slots=True)
class FoldingRange:
    """Lines, counted from one, of which all but the first may be hidden."""

    first: int
    last: int
    is_comment: bool = False


@dataclass(frozen=True, slots=True)
class ColouredSpan:
    """A stretch of a line that is of one sort."""

    place: Span
    # `keyword`, `comment`, `string`, `number`, `cite`, or what a name stands for: `kind`, `attribute`, `word`, `name` …
    sort: str
    is_declaration: bool = False  # whether it is given here


@dataclass(frozen=True, slots=True)
class InlayHint:
    """A remark that stands in a text without being a part of it."""

    at: int  # the offset that it stands behind
    text: str
    title: str = ""  # more of it


@dataclass(frozen=True, slots=True)
class CodeLens:
    """What is said, or can be done, above a declaration."""

    place: Span
    says: str  # `3 scenarios begin here`, `play from here`, `changed since the last commit`
    does: str  # `scenarios`, `play` or `compare`
    about: str  # the address of what it is about
    places: tuple[Span, ...] = ()  # of the scenarios
