"""Where the readers of inputs put what they find, and what they hand back."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, Generic, TypeVar

from rulewright.diagnostics import Diagnostic, Edit, Label, Severity, by_place, has_errors
from rulewright.diagnostics.remedies import nearest
from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.program.types import NumberType
from rulewright.source import Span

MOST_LISTED = 8
LONGEST_SHOWN = 40
_MEANT = re.compile(r"did you mean `(?P<name>[^`…]+)`\?")
_BARE = re.compile(r"(?!(?:[0-9]+|yes|no|none|null|true|false)\Z)\w(?:[\w./#() -]*[\w)])?")
"""What is a text in YAML without quotes."""

_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
"""What YAML calls infinite or not a number."""

EMPTY_LIST = "an empty list"
_T = TypeVar("_T")

MOST_FINDINGS = 100
"""How many findings of one input are told."""


def quoted(name: str) -> str:
    """A word of the user in backticks, cut where it is very long."""
    return f"`{name}`" if len(name) <= LONGEST_SHOWN else f"`{name[:LONGEST_SHOWN]}…`"


def one_of(names: Sequence[str]) -> str:
    """What is allowed: `` `a`, `b` or `c` ``; long lists are cut."""
    if len(names) <= MOST_LISTED:
        return any_of(names)
    return f"{', '.join(map(quoted, names[:MOST_LISTED]))} or one of {len(names) - MOST_LISTED} more"


def there_are(names: Sequence[str], may: str = "you can write") -> str:
    """What there is to choose from, and what one may do with it."""
    if not names:
        return "there are none"
    return f"there is only {quoted(names[0])}" if len(names) == 1 else f"{may} {one_of(names)}"


def any_of(names: Sequence[str]) -> str:
    """What is allowed, however much that is: for lists that are rulewright's own."""
    shown = [quoted(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def several(names: Sequence[str]) -> str:
    """Names that stand for each other's company: `` `a`, `b` and `c` ``."""
    return " and ".join(filter(None, (", ".join(map(quoted, names[:-1])), quoted(names[-1]))))


def mapping_of_results(names: Sequence[str]) -> str:
    """How what an external gives is written under these names; where there are none, it may change things alone."""
    return f"a mapping with {several(names)}" if names else "a mapping (empty where nothing changes: `{}`)"


def did_you_mean(name: str, valid: Iterable[str]) -> str:
    """A remedy that names the nearest valid name, or empty; of a name that several have, all of these."""
    names = [*dict.fromkeys(valid)]
    if numbered := [each for each in names if each.strip('"').startswith(f"{name} #")]:
        return f"did you mean {one_of(numbered)}?"
    near = nearest(name, names)
    return f"did you mean {quoted(near)}?" if near else ""


def in_yaml(name: str) -> str:
    """A name as files have it: in quotes where the rest of it would be a comment."""
    return f'"{name}"' if " #" in name else name


def as_meant(place: Key | Node, remedy: str) -> tuple[Edit, ...]:
    """The edit that writes what a remedy says was meant, where that can be told letter by letter."""
    said = _MEANT.fullmatch(remedy)
    if said is None or isinstance(place, Items | Mapping):
        return ()
    written, span = place.text if isinstance(place, Key) else place.written, place.span
    quotes, name = span.end - span.start - len(written), said["name"].strip('"')
    if quotes == len("''"):
        span = Span(span.source, span.start + 1, span.end - 1)
    elif quotes or not _BARE.fullmatch(said["name"]):
        return ()
    return (Edit(span, name),)


def meant(keys: Iterable[str], valid: Iterable[str]) -> frozenset[str]:
    """The names that misspelt keys were meant to be: whoever reports the keys says enough of these."""
    names = list(valid)
    return frozenset(near for key in keys if key not in names and (near := nearest(key, names)))


def bounds(kind: NumberType) -> str:
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


def shown(node: Node) -> str:
    """A value as messages show it: `12`, ``the text `two` ``, `[1, 0]`, `a mapping`."""
    match node:
        case Items(items):
            return (_short(items) or "a list") if items else EMPTY_LIST
        case Mapping():
            return "a mapping"
        case Scalar(value=None):
            return "empty"
        case Scalar(value=str(), written=written):
            return f"{'' if _ENDLESS.fullmatch(written) else 'the text '}{quoted(written)}"
        case Scalar(value=bool(), written=written):
            return quoted(written)
        case Scalar(written=written):
            return written if len(written) <= LONGEST_SHOWN else f"{written[:LONGEST_SHOWN]}…"


def _short(items: tuple[Node, ...]) -> str:
    """A list of a few plain values as it is written, such as a cell; else empty."""
    written = [each.written for each in items if isinstance(each, Scalar)]
    line = f"[{', '.join(written)}]"
    return line if written and len(written) == len(items) and len(line) <= LONGEST_SHOWN else ""


def finding(  # noqa: PLR0913 - what a finding says
    code: str,
    place: Key | Node,
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
    found = Diagnostic(code, severity, message, notes=tuple(notes), help=help, address=address)
    if not place.span.source:
        return found
    return dataclasses.replace(found, primary=Label(place.span), edits=as_meant(place, help), pointer=place.pointer)


class Wrong(Enum):
    """What stands in for a value that was reported as wrong; `none` is a value like others."""

    WRONG = "wrong"


WRONG: Final = Wrong.WRONG


@dataclass(frozen=True, slots=True)
class Read(Generic[_T]):
    """What a reader made of an input, or why it made nothing: with an error among them there is no value."""

    value: _T | None
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclasses.dataclass(eq=False, repr=False)
class Findings:
    """Collects diagnostics of one input; readers go on after each."""

    found: list[Diagnostic] = dataclasses.field(default_factory=list)

    def error(self, code: str, place: Key | Node, message: str, *, help: str = "", notes: Sequence[str] = ()) -> Wrong:  # noqa: A002
        """Adds an error at a key or value of the input; answers `WRONG`, for the caller to hand on."""
        self.found.append(finding(code, place, message, help, notes=notes))
        return WRONG

    def read(self, value: _T) -> Read[_T]:
        """The outcome: the value if nothing was wrong, and the findings in order, so many as anybody reads."""
        diagnostics = by_place(self.found)
        return Read(None if has_errors(diagnostics) else value, diagnostics[:MOST_FINDINGS])

    def read_once(self, value: _T) -> Read[_T]:
        """The same, with one finding of a sort where a line that stands for several things has it for each."""
        first = {(each.code, each.pointer, each.primary or each.message): each for each in reversed(self.found)}
        kept = set(map(id, first.values()))
        self.found[:] = [each for each in self.found if id(each) in kept]
        return self.read(value)
