"""Functions of numbers, of collections of numbers, of words in their order, and of dice."""

from rulewright.analysis import infer
from rulewright.analysis.facts import number_range
from rulewright.analysis.infer import binders as infer_binders
from rulewright.analysis.infer import several as infer_several
from rulewright.analysis.infer.called import Rule, built, number, takes
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.scope import Scope
from rulewright.program.expressions import Builtin, Expression
from rulewright.program.types import WHOLE, DieType, FractionType, NumberType, PoolType, Type, WordType
from rulewright.program.wording import describe
from rulewright.syntax.nodes import expressions as nodes


def _of_number(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`abs`, `sign`, `floor`, `ceiling`, `round`."""
    if not takes(name, node, 1, scope):
        return None
    found = number(name, node.arguments[0].value, scope)
    if found is None:
        return None
    if name in {"floor", "ceiling", "round"}:
        whole = found.type if isinstance(found.type, NumberType) else WHOLE
        return _ranged(built(name, node, whole, found), scope)
    plain: Type = found.type if not isinstance(found.type, NumberType) else WHOLE
    return _ranged(built(name, node, NumberType(-1, 1) if name == "sign" else plain, found), scope)


def _ranged(built: Builtin, scope: Scope) -> Builtin:
    """The call with the bounds its arguments give it, whatever else is known here."""
    if not isinstance(built.type, NumberType):
        return built
    bounds = number_range(type(scope.facts)(), built)
    return Builtin(type=NumberType(*bounds), span=built.span, name=built.name, arguments=built.arguments)


def _extreme(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`min` and `max` of numbers, or of one collection."""
    if len(node.arguments) == 1:
        return _over(name, node, scope)
    if not node.arguments:
        takes(name, node, 2, scope)
        return None
    found = tuple(number(name, argument.value, scope) for argument in node.arguments)
    if None in found:
        return None
    whole = all(isinstance(each.type, NumberType) for each in found)  # type: ignore[union-attr]
    return _ranged(built(name, node, WHOLE if whole else FractionType(), *found), scope)  # type: ignore[arg-type]


def _over(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`count`, `sum`, `min` and `max` of a collection."""
    if not takes(name, node, 1, scope):
        return None
    written = node.arguments[0].value
    kinds = infer_several.kinds(written, scope) if name == "count" else ()
    if kinds:
        return infer_several.counted(node.span, kinds, lambda kind: _combined(name, node, scope, kind))
    return _combined(name, node, scope, None)


def _combined(name: str, node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    source = infer.infer(node.arguments[0].value, scope, expected)
    return source and infer_binders.over_collection(name, source, node.span, scope)


def along(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`along(word, steps)`, whose word may be of the expected list."""
    if not takes("along", node, 2, scope):
        return None
    word = infer.infer(node.arguments[0].value, scope, expected)
    steps = number("along", node.arguments[1].value, scope)
    if word is None or steps is None:
        return None
    if not isinstance(word.type, WordType):
        message = f"`along` needs a word of a list, and this is a value of type `{describe(word.type)}`"
        scope.report.error("RW0317", word.span, message)
        return None
    whole = fit(steps, WHOLE, scope, "the second argument of `along`")
    return whole and built("along", node, word.type, word, whole)


def _total(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 1, scope):
        return None
    dice = infer.infer(node.arguments[0].value, scope)
    if dice is None:
        return None
    match dice.type:
        case PoolType(NumberType(low, high)):
            least = 0 if low is not None and low >= 0 else None
            most = 0 if high is not None and high <= 0 else None
            return built(name, node, NumberType(least, most), dice)
        case DieType(NumberType() as face):
            return built(name, node, face, dice)
        case type_:
            message = f"`total` needs dice with numbers, and this is a value of type `{describe(type_)}`"
            scope.report.error("RW0317", dice.span, message)
            return None


def _highest_face(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 1, scope):
        return None
    die = infer.infer(node.arguments[0].value, scope)
    if die is None:
        return None
    if isinstance(die.type, DieType | PoolType) and isinstance(die.type.face, NumberType):
        return built(name, node, die.type.face, die)
    message = f"`highest_face` needs a die with numbers, and this is a value of type `{describe(die.type)}`"
    scope.report.error("RW0317", die.span, message)
    return None


def _die(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    remedy = "roll it, and use the name of the roll: `roll 2 of die(n) as NAME`"
    scope.report.error("RW0250", node.span, f"`{name}(…)` says what is rolled, and is no value of its own", help=remedy)
    return None


RULES: dict[str, Rule] = {
    **dict.fromkeys(("abs", "sign", "floor", "ceiling", "round"), _of_number),
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(("sum", "count"), _over),
    "total": _total,
    "highest_face": _highest_face,
    "die": _die,
}
