"""Where the readers of inputs put what they find, and what they hand back."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, Generic, TypeVar

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity, has_errors, sort_by_place
from rulewright.base.diagnostics.remedies import find_nearest_name
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.program.types import NumberType

MAX_LISTED_NAMES = 8
MAX_SHOWN_CHARS = 40
_DID_YOU_MEAN_PATTERN = re.compile(r"did you mean `(?P<name>[^`…]+)`\?")
_UNQUOTED_TEXT_PATTERN = re.compile(r"(?!(?:[0-9]+|yes|no|none|null|true|false)\Z)\w(?:[\w./#() -]*[\w)])?")
"""What is a text in YAML without quotes."""

_NON_FINITE_PATTERN = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
"""What YAML calls infinite or not a number."""

EMPTY_LIST = "an empty list"
_T = TypeVar("_T")

MAX_REPORTED_FINDINGS = 100
"""How many findings of one input are told."""


def quote_name(name: str) -> str:
    """A word of the user in backticks, cut where it is very long."""
    return f"`{name}`" if len(name) <= MAX_SHOWN_CHARS else f"`{name[:MAX_SHOWN_CHARS]}…`"


def list_alternatives(names: Sequence[str]) -> str:
    """What is allowed: `` `a`, `b` or `c` ``; long lists are cut."""
    if len(names) <= MAX_LISTED_NAMES:
        return join_alternatives(names)
    return f"{', '.join(map(quote_name, names[:MAX_LISTED_NAMES]))} or one of {len(names) - MAX_LISTED_NAMES} more"


def describe_choices(names: Sequence[str], may: str = "you can write") -> str:
    """What there is to choose from, and what one may do with it."""
    if not names:
        return "there are none"
    return f"there is only {quote_name(names[0])}" if len(names) == 1 else f"{may} {list_alternatives(names)}"


def join_alternatives(names: Sequence[str]) -> str:
    """What is allowed, however much that is: for lists that are rulewright's own."""
    shown = [quote_name(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def join_names(names: Sequence[str]) -> str:
    """Names that stand for each other's company: `` `a`, `b` and `c` ``."""
    return " and ".join(filter(None, (", ".join(map(quote_name, names[:-1])), quote_name(names[-1]))))


def describe_result_mapping(names: Sequence[str]) -> str:
    """How what an external gives is written under these names; where there are none, it may change things alone."""
    return f"a mapping with {join_names(names)}" if names else "a mapping (empty where nothing changes: `{}`)"


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """A remedy that names the nearest valid name, or empty; of a name that several have, all of these."""
    names = [*dict.fromkeys(valid)]
    if numbered := [item for item in names if item.strip('"').startswith(f"{name} #")]:
        return f"did you mean {list_alternatives(numbered)}?"
    near = find_nearest_name(name, names)
    return f"did you mean {quote_name(near)}?" if near else ""


def quote_for_yaml(name: str) -> str:
    """A name as files have it: in quotes where the rest of it would be a comment."""
    return f'"{name}"' if " #" in name else name


def build_suggestion_edits(place: MapKey | DocumentNode, remedy: str) -> tuple[Edit, ...]:
    """The edit that writes what a remedy says was meant, where that can be told letter by letter."""
    said = _DID_YOU_MEAN_PATTERN.fullmatch(remedy)
    if said is None or isinstance(place, ListNode | MapNode):
        return ()
    written, span = place.text if isinstance(place, MapKey) else place.written, place.span
    quotes, name = span.end - span.start - len(written), said["name"].strip('"')
    if quotes == len("''"):
        span = Span(span.source, span.start + 1, span.end - 1)
    elif quotes or not _UNQUOTED_TEXT_PATTERN.fullmatch(said["name"]):
        return ()
    return (Edit(span, name),)


def find_intended_names(keys: Iterable[str], valid: Iterable[str]) -> frozenset[str]:
    """The names that misspelt keys were meant to be: whoever reports the keys says enough of these."""
    names = list(valid)
    return frozenset(near for key in keys if key not in names and (near := find_nearest_name(key, names)))


def describe_bounds(kind: NumberType) -> str:
    """Which numbers are allowed: `from 0 to 9`."""
    match kind.low, kind.high:
        case None, None:
            return "any whole number"
        case low, None:
            return f"{low} or more"
        case None, high:
            return f"{high} or less"
        case low, high:
            return f"{low}" if low == high else f"from {low} to {high}"


def show_node(node: DocumentNode) -> str:
    """A value as messages show it: `12`, ``the text `two` ``, `[1, 0]`, `a mapping`."""
    match node:
        case ListNode(items):
            return (_show_short_list(items) or "a list") if items else EMPTY_LIST
        case MapNode():
            return "a mapping"
        case ScalarNode(value=None):
            return "empty"
        case ScalarNode(value=str(), written=written):
            return f"{'' if _NON_FINITE_PATTERN.fullmatch(written) else 'the text '}{quote_name(written)}"
        case ScalarNode(value=bool(), written=written):
            return quote_name(written)
        case ScalarNode(written=written):
            return written if len(written) <= MAX_SHOWN_CHARS else f"{written[:MAX_SHOWN_CHARS]}…"


def _show_short_list(items: tuple[DocumentNode, ...]) -> str:
    """A list of a few plain values as it is written, such as a cell; else empty."""
    written = [item.written for item in items if isinstance(item, ScalarNode)]
    line = f"[{', '.join(written)}]"
    return line if written and len(written) == len(items) and len(line) <= MAX_SHOWN_CHARS else ""


def make_finding(  # noqa: PLR0913 - what a finding says
    code: str,
    place: MapKey | DocumentNode,
    message: str,
    help: str = "",  # noqa: A002
    *,
    notes: Sequence[str] = (),
    address: str = "",
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    """A finding at a key or value of an input; a remedy of `did_you_mean` is an edit too.

    A value without a text, such as that of a flag, has no place to show.
    """
    result = Diagnostic(code, severity, message, notes=tuple(notes), help=help, address=address)
    if not place.span.source:
        return result
    return dataclasses.replace(
        result, primary=Label(place.span), edits=build_suggestion_edits(place, help), pointer=place.pointer
    )


class InvalidValue(Enum):
    """What stands in for a value that was reported as wrong; `none` is a value like others."""

    SENTINEL = "wrong"


INVALID: Final = InvalidValue.SENTINEL


@dataclass(frozen=True, slots=True)
class ReadResult(Generic[_T]):
    """What a reader made of an input, or why it made nothing: with an error among them there is no value."""

    value: _T | None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclasses.dataclass(eq=False, repr=False)
class Findings:
    """Collects diagnostics of one input; readers go on after each."""

    collected: list[Diagnostic] = dataclasses.field(default_factory=list)

    def add_error(
        self,
        code: str,
        place: MapKey | DocumentNode,
        message: str,
        *,
        help: str = "",  # noqa: A002
        notes: Sequence[str] = (),
    ) -> InvalidValue:
        """Adds an error at a key or value of the input; answers `WRONG`, for the caller to hand on."""
        self.collected.append(make_finding(code, place, message, help, notes=notes))
        return INVALID

    def make_result(self, value: _T) -> ReadResult[_T]:
        """The outcome: the value if nothing was wrong, and the findings in order, so many as anybody reads."""
        diagnostics = sort_by_place(self.collected)
        return ReadResult(None if has_errors(diagnostics) else value, diagnostics[:MAX_REPORTED_FINDINGS])

    def make_deduplicated_result(self, value: _T) -> ReadResult[_T]:
        """The same, with one finding of a sort where a line that stands for several things has it for each."""
        first = {
            (diagnostic.code, diagnostic.pointer, diagnostic.primary or diagnostic.message): diagnostic
            for diagnostic in reversed(self.collected)
        }
        kept = set(map(id, first.values()))
        self.collected[:] = [diagnostic for diagnostic in self.collected if id(diagnostic) in kept]
        return self.make_result(value)
