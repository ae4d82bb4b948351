"""Short expressions in the designer's words, for messages."""

from rulewright.program.expressions import (
    Aggregate,
    Builtin,
    CallFunction,
    CellAttribute,
    DerivedAttribute,
    DieAttribute,
    Entry,
    Expression,
    ExternalValue,
    GameField,
    Gone,
    InPlay,
    Itself,
    Literal,
    Local,
    MakeTuple,
    Narrowed,
    Part,
    PlaneAttribute,
    RelationHolds,
    Rounded,
    SettingValue,
    StoredAttribute,
)
from rulewright.program.wording import literal


def wording(expression: Expression) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    """An expression as it could be written; `…` where it is long."""
    match expression:
        case Local(variable=variable):
            return variable.name
        case Itself():
            return "self"
        case Literal(value=value):
            return literal(value)
        case GameField(name=name) | SettingValue(name=name):
            return name
        case InPlay():
            return f"the {expression.kind}s in play"
        case StoredAttribute(target=target, name=name) | CellAttribute(target=target, name=name):
            return f"{wording(target)}.{name}"
        case Part(target=target, name=name) | DieAttribute(target=target, name=name):
            return f"{wording(target)}.{name}"
        case DerivedAttribute(target=target, function=function):
            return f"{wording(target)}.{function.rpartition('/')[2]}"
        case Gone(target=target):
            return f"{wording(target)}.gone"
        case Entry(target=target, key=key):
            return f"{wording(target)}[{wording(key).strip('()')}]"
        case MakeTuple(parts=parts):
            return f"({_listed(parts)})"
        case CallFunction(function=name, arguments=arguments) | ExternalValue(external=name, arguments=arguments):
            return f"{name}({_listed(arguments)})"
        case Builtin(name=name, arguments=arguments):
            return f"{name}({_listed(arguments)})"
        case RelationHolds(relation=name, first=first, second=second):
            return f"{name}({wording(first)}, {wording(second)})"
        case Aggregate(word=word):
            return f"{word}(…)"
        case PlaneAttribute(target=target, name=name):
            return f"{wording(target)}.{name}"
        case Narrowed(operand=operand) | Rounded(operand=operand):
            return wording(operand)
        case _:
            return "…"


def _listed(parts: tuple[Expression, ...]) -> str:
    return ", ".join(wording(each) for each in parts)
