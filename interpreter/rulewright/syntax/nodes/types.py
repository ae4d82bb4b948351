"""Types as written."""

from rulewright.frozen import dataclass
from rulewright.source import Span
from rulewright.syntax.nodes.names import Dotted


@dataclass(frozen=True, slots=True)
class RangeType:
    """`0..9`: whole numbers, ends included."""

    low: int
    high: int
    span: Span


@dataclass(frozen=True, slots=True)
class NamedType:
    """`flag`, `Unit`, `base.Unit`."""

    name: Dotted
    span: Span


@dataclass(frozen=True, slots=True)
class OptionalType:
    """`T?`."""

    inner: "Type"
    span: Span


@dataclass(frozen=True, slots=True)
class CollectionType:
    """`set of T`; word is set, list, bag, deck, pool or die."""

    word: str
    inner: "Type"
    span: Span


@dataclass(frozen=True, slots=True)
class MapType:
    """`map of K to V`."""

    key: "Type"
    value: "Type"
    span: Span


@dataclass(frozen=True, slots=True)
class TupleType:
    """`(A, B)`."""

    parts: tuple["Type", ...]
    span: Span


Type = RangeType | NamedType | OptionalType | CollectionType | MapType | TupleType
