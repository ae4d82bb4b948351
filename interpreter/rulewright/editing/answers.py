"""What an editor is told: frozen answers, with places as offsets of code points into the texts as they are written."""

from rulewright.diagnostics import Edit
from rulewright.frozen import dataclass
from rulewright.source import Span


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy that is an edit."""

    code: str  # of the finding that it mends
    message: str  # of that finding
    place: Span  # of that finding
    edits: tuple[Edit, ...]  # all of them together
    safe: bool  # whether the rules then mean what they meant, or can be read in no other way


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that may stand at the cursor."""

    text: str  # as it is written
    place: Span  # what it takes the place of
    # `word of the language`, `type`, `function of the language`, or the sort of a name: `attribute`, `name`, `step` …
    sort: str
    type: str = ""  # of its value, as rules write it
    title: str = ""  # what its author, or the manual, calls it
    fits: bool = False  # whether its value is of the type that is wanted here


@dataclass(frozen=True, slots=True)
class Explanation:
    """What stands at a place, in words."""

    place: Span
    lines: tuple[str, ...]  # Markdown, the most telling first; each a paragraph or an item of a list


@dataclass(frozen=True, slots=True)
class Signature:
    """What is called around a place, and what it takes."""

    label: str  # `wound(target: Unit, amount: 0..9)`
    parameters: tuple[str, ...]  # each as it stands in the label
    active: int  # the one that the place belongs to; beyond the last where there is one too many
    title: str = ""


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something with a name of its own, for an outline."""

    name: str
    sort: str  # in a designer's word, as of a target: `procedure`, `step`, `kind`, `attribute`
    title: str
    place: Span  # all of it
    head: Span  # its name
    inside: tuple["Symbol", ...] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines, counted from one, of which all but the first may be hidden."""

    first: int
    last: int
    is_comment: bool = False


@dataclass(frozen=True, slots=True)
class Colour:
    """A stretch of a line that is of one sort."""

    place: Span
    # `keyword`, `comment`, `string`, `number`, `cite`, or what a name stands for: `kind`, `attribute`, `word`, `name` …
    sort: str
    declared: bool = False  # whether it is given here


@dataclass(frozen=True, slots=True)
class Aside:
    """A remark that stands in a text without being a part of it."""

    at: int  # the offset that it stands behind
    text: str
    title: str = ""  # more of it


@dataclass(frozen=True, slots=True)
class Lens:
    """What is said, or can be done, above a declaration."""

    place: Span
    says: str  # `3 scenarios begin here`, `play from here`, `changed since the last commit`
    does: str  # `scenarios`, `play` or `compare`
    about: str  # the address of what it is about
    places: tuple[Span, ...] = ()  # of the scenarios
