"""Expressions as written."""

from rulewright.frozen import dataclass
from rulewright.source import Span
from rulewright.syntax.nodes.names import Name


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
    """Two operands.

    The operator is one of `or and = != < <= > >= in`, `not in`, `.. + - * /`.
    """

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
    Reference
    | Attribute
    | Index
    | Call
    | Aggregate
    | Quantified
    | Comprehension
    | Collection
    | Group
    | IfValue
    | Binary
    | Unary
    | WholeNumber
    | DecimalNumber
    | TextLiteral
    | Truth
    | NoneValue
)
