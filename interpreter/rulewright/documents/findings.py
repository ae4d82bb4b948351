"""Diagnostics of document readers: the collector, results of readers, and the parts that their messages share."""

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
"""A text that needs no quotes in YAML."""

_NON_FINITE_PATTERN = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
"""Infinity and not-a-number in YAML's spelling."""

EMPTY_LIST = "an empty list"
_T = TypeVar("_T")

MAX_REPORTED_FINDINGS = 100
"""Most findings that are reported of one document."""


def quote_name(name: str) -> str:
    """A user's word in backticks, cut at `MAX_SHOWN_CHARS`."""
    return f"`{name}`" if len(name) <= MAX_SHOWN_CHARS else f"`{name[:MAX_SHOWN_CHARS]}…`"


def list_alternatives(names: Sequence[str]) -> str:
    """Alternatives as `` `a`, `b` or `c` ``; cut at `MAX_LISTED_NAMES`."""
    if len(names) <= MAX_LISTED_NAMES:
        return join_alternatives(names)
    return f"{', '.join(map(quote_name, names[:MAX_LISTED_NAMES]))} or one of {len(names) - MAX_LISTED_NAMES} more"


def describe_choices(names: Sequence[str], may: str = "you can write") -> str:
    """Clause of a remedy that lists all valid names."""
    if not names:
        return "there are none"
    return f"there is only {quote_name(names[0])}" if len(names) == 1 else f"{may} {list_alternatives(names)}"


def join_alternatives(names: Sequence[str]) -> str:
    """Alternatives as `` `a`, `b` or `c` ``, uncut: for lists that the product itself bounds."""
    shown = [quote_name(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def join_names(names: Sequence[str]) -> str:
    """Names as `` `a`, `b` and `c` ``."""
    return " and ".join(filter(None, (", ".join(map(quote_name, names[:-1])), quote_name(names[-1]))))


def describe_result_mapping(names: Sequence[str]) -> str:
    """Form of the result of an external, for messages; without names it may only change the state."""
    return f"a mapping with {join_names(names)}" if names else "a mapping (empty where nothing changes: `{}`)"


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """Remedy that names the nearest valid name, or `""`; a name that several numbered things share lists them."""
    names = [*dict.fromkeys(valid)]
    if numbered := [item for item in names if item.strip('"').startswith(f"{name} #")]:
        return f"did you mean {list_alternatives(numbered)}?"
    near = find_nearest_name(name, names)
    return f"did you mean {quote_name(near)}?" if near else ""


def quote_for_yaml(name: str) -> str:
    """A name as YAML has it: quoted where ` #` would begin a comment."""
    return f'"{name}"' if " #" in name else name


def build_suggestion_edits(place: MapKey | DocumentNode, remedy: str) -> tuple[Edit, ...]:
    """Edit for a `did_you_mean` remedy, where the written word can be replaced letter by letter."""
    suggestion = _DID_YOU_MEAN_PATTERN.fullmatch(remedy)
    if suggestion is None or isinstance(place, ListNode | MapNode):
        return ()
    written, span = place.text if isinstance(place, MapKey) else place.written, place.span
    quotes, name = span.end - span.start - len(written), suggestion["name"].strip('"')
    if quotes == len("''"):
        span = Span(span.source, span.start + 1, span.end - 1)
    elif quotes or not _UNQUOTED_TEXT_PATTERN.fullmatch(suggestion["name"]):
        return ()
    return (Edit(span, name),)


def find_intended_names(keys: Iterable[str], valid: Iterable[str]) -> frozenset[str]:
    """Valid names that misspelt keys are nearest to, so that they are not reported as missing as well."""
    names = list(valid)
    return frozenset(near for key in keys if key not in names and (near := find_nearest_name(key, names)))


def describe_bounds(kind: NumberType) -> str:
    """Range of a number type: `from 0 to 9`."""
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
    """Diagnostic at a key or value; a `did_you_mean` remedy becomes an edit too.

    A node without a source, such as that of a flag, gives a diagnostic without a span.
    """
    result = Diagnostic(code, severity, message, notes=tuple(notes), help=help, address=address)
    if not place.span.source:
        return result
    return dataclasses.replace(
        result, primary=Label(place.span), edits=build_suggestion_edits(place, help), pointer=place.pointer
    )


class InvalidValue(Enum):
    """Type of `INVALID`, the placeholder for a value that was reported as wrong (`None` is a valid value)."""

    SENTINEL = "wrong"


INVALID: Final = InvalidValue.SENTINEL


@dataclass(frozen=True, slots=True)
class ReadResult(Generic[_T]):
    """Result of a reader: a value and its diagnostics; `None` where one of these is an error."""

    value: _T | None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclasses.dataclass(eq=False, repr=False)
class Findings:
    """Collector of the diagnostics of one document; readers go on after each."""

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
        """Collects an error at a key or value; returns `INVALID` for the caller to pass on."""
        self.collected.append(make_finding(code, place, message, help, notes=notes))
        return INVALID

    def make_result(self, value: _T) -> ReadResult[_T]:
        """The value, unless there are errors, and the findings by place, `MAX_REPORTED_FINDINGS` at most."""
        diagnostics = sort_by_place(self.collected)
        return ReadResult(None if has_errors(diagnostics) else value, diagnostics[:MAX_REPORTED_FINDINGS])

    def make_deduplicated_result(self, value: _T) -> ReadResult[_T]:
        """`make_result` with one finding per code, pointer and span.

        A line for several things (`grunt x5`) would repeat its findings for each of them.
        """
        first = {
            (diagnostic.code, diagnostic.pointer, diagnostic.primary or diagnostic.message): diagnostic
            for diagnostic in reversed(self.collected)
        }
        first_ids = set(map(id, first.values()))
        self.collected[:] = [diagnostic for diagnostic in self.collected if id(diagnostic) in first_ids]
        return self.make_result(value)
