"""Names, types and expressions, as written."""

from collections.abc import Iterator
from typing import Annotated, Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, walk_nodes
from rulewright.base.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier, a step id or an address, as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Dotted:
    """Names joined by dots: `base.fight_begins`."""

    parts: tuple[Name, ...]
    span: Span

    @property
    def text(self) -> str:
        return ".".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Title:
    """Text in double quotes that people read, without the quotes."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Cite:
    """A clause in the margin, without the `@`: `60.f` or `OTHER:4.d`."""

    clause: str
    span: Span


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, from `#` to the end of its line, without the line end."""

    text: str
    span: Span


OptionalTitle = Annotated[Title | None, Role.WORDS]
MarginCites = Annotated[tuple[Cite, ...], Role.MARGIN]


def walk_written_nodes(node: object) -> Iterator[Any]:
    """A node and every node below it, titles and clauses included, in written order."""
    return walk_nodes(node, Role.WORDS, Role.MARGIN, Role.PROOF)


def get_dotted_names(node: "Expression", *other: str) -> tuple[str, ...]:
    """The names of `base.fight_begins`; an expression that begins with no name yields `other`."""
    match node:
        case Reference(name=name):
            return (name,)
        case Attribute(target=target, name=name):
            return (*get_dotted_names(target, *other), name.text)
        case _:
            return other


def read_dotted_name(node: "Expression") -> Dotted | None:
    """The dotted name that an expression is."""
    match node:
        case Reference(name=name, span=span):
            return Dotted((Name(name, span),), span)
        case Attribute(target=target, name=last, span=span):
            before = read_dotted_name(target)
            return before and Dotted((*before.parts, last), span)
        case _:
            return None


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


@dataclass(frozen=True, slots=True)
class Reference:
    """A bare name."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Attribute:
    """`target.name`; also a name of a used ruleset, `base.units`."""

    target: "Expression"
    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Index:
    """`blows[w, t]`."""

    target: "Expression"
    keys: tuple["Expression", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call; the name is given in `Hit(weapon: w)`."""

    name: Name | None
    value: "Expression"
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`empty(h)`, `base.empty(h)`, `Hit(weapon: w)`."""

    function: "Expression"
    arguments: tuple[Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Binder:
    """`x in S where C`, `(a, b) in S`."""

    names: tuple[Name, ...]
    source: "Expression"
    where: "Expression | None"
    span: Span


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`count(each x in S where C)`, `sum(each x in S: value)`."""

    function: "Expression"
    binder: Binder
    value: "Expression | None"
    span: Span


@dataclass(frozen=True, slots=True)
class Quantified:
    """`some`, `no` or `the` with a binder; `every` with a binder and a body."""

    word: str
    binder: Binder
    body: "Expression | None"
    span: Span


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`{each x in S: value}` (word `set`) or `[each …]` (word `list`)."""

    word: str
    binder: Binder
    value: "Expression | None"
    span: Span


@dataclass(frozen=True, slots=True)
class Collection:
    """`{a, b}` (word `set`) or `[a, b]` (word `list`)."""

    word: str
    items: tuple["Expression", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Group:
    """Brackets: one item is a bracketed expression, more are a tuple."""

    items: tuple["Expression", ...]
    span: Span


@dataclass(frozen=True, slots=True)
class IfValue:
    """`if(condition, a, b)`."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"
    span: Span


@dataclass(frozen=True, slots=True)
class Binary:
    """Two operands and one of `or and = != < <= > >= in`, `not in`, `.. + - * /` between them."""

    operator: str
    left: "Expression"
    right: "Expression"
    span: Span


@dataclass(frozen=True, slots=True)
class Unary:
    """`not x`, `-x`, `+x`."""

    operator: str
    operand: "Expression"
    span: Span


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """`12`."""

    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class DecimalNumber:
    """`2.5`, as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class TextLiteral:
    """`"text"`, without the quotes."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    """`yes` or `no`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class NoneValue:
    """`none`."""

    span: Span


Expression = (
    Reference | Attribute | Index | Call | Aggregate | Quantified | Comprehension | Collection | Group | IfValue
    | Binary | Unary | WholeNumber | DecimalNumber | TextLiteral | Truth | NoneValue
)  # fmt: skip
