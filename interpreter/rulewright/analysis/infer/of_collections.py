"""Functions of collections and of what belongs together."""

from rulewright.analysis import infer, promises
from rulewright.analysis.facts import Proof, prove
from rulewright.analysis.infer import binders as infer_binders
from rulewright.analysis.infer import names as infer_names
from rulewright.analysis.infer import numbers
from rulewright.analysis.infer.called import Rule, built, takes
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.language.wording import wording
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module
from rulewright.program.expressions import Binding, Builtin, Expression, Membership, Removed
from rulewright.program.types import (
    FLAG,
    FractionType,
    ListType,
    NumberType,
    SetType,
    ThingType,
    TupleType,
    Type,
    WordType,
)
from rulewright.program.wording import describe
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes

_BY_VALUE = "say what to sort by: `sorted([each x in …: …])`"


def _other(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 2, scope):
        return None
    item, source = infer.infer(node.arguments[0].value, scope), infer.infer(node.arguments[1].value, scope)
    held = _held(source, scope)
    if item is None or source is None or held is None:
        return None
    fitted = fit(item, held, scope, "the first argument of `other`")
    if fitted is None:
        return None
    _two(fitted, source, node.span, scope)
    return built(name, node, held, fitted, source)


def _two(item: Expression, source: Expression, span: Span, scope: Scope) -> None:
    """Warns where a set may not have two members, or the given one may not be among them."""
    low, high = numbers.size(Binding((None,), source, None), span, scope)
    there = prove(scope.facts, Membership(type=FLAG, span=span, item=item, collection=source, negated=False))
    if there is Proof.REFUTED or (high is not None and high < 2) or (low is not None and low > 2):  # noqa: PLR2004 - two members
        message = f"`other` needs a set of two with `{wording(item)}` in it, and this never is one"
        scope.report.error("RW0407", span, message)
    elif there is not Proof.PROVED or low != 2 or high != 2:  # noqa: PLR2004 - two members
        scope.report.warning(
            "RW0407",
            span,
            f"this may not be a set of two with `{wording(item)}` in it",
            notes=("Where it is not, the run stops here.",),
            help=f"check `{wording(item)} in …` first, and that the two are not the same",
        )


def _pairs(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 2, scope):
        return None
    found = [infer.infer(argument.value, scope) for argument in node.arguments]
    items = [_held(each, scope) for each in found]
    if None in items:
        return None
    return built(name, node, SetType(TupleType(tuple(items))), *found)  # type: ignore[arg-type]


def _position(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    sides = _member_and(name, node, scope)
    if sides is None:
        return None
    item, source = sides
    if not isinstance(source.type, ListType):
        message = f"`position` needs a list, and this is a value of type `{describe(source.type)}`"
        scope.report.error("RW0317", source.span, message)
        return None
    there = Membership(type=FLAG, span=node.span, item=item, collection=source, negated=False)
    member, listed = wording(item), wording(source)
    said = (
        f"`{member}` may not be in `{listed}`, and then it has no position",
        f"`{member}` is not in `{listed}`, so it has no position",
        f"ask first: `if {member} in {listed}:`",
    )
    promises.need(promises.holding("RW0418", there, node.span, said), scope)
    return built(name, node, NumberType(1, None), item, source)


def _member_and(name: str, node: nodes.Call, scope: Scope) -> tuple[Expression, Expression] | None:
    if not takes(name, node, 2, scope):
        return None
    source = infer.infer(node.arguments[1].value, scope)
    held = _held(source, scope)
    if source is None or held is None:
        return None
    item = infer.infer(node.arguments[0].value, scope, held)
    fitted = item and fit(item, held, scope, f"the first argument of `{name}`")
    return None if fitted is None else (fitted, source)


def _starting_with(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 2, scope):
        return None
    source = infer.infer(node.arguments[0].value, scope)
    held = _held(source, scope)
    if source is None or held is None:
        return None
    item = infer.infer(node.arguments[1].value, scope, held)
    fitted = item and fit(item, held, scope, f"the second argument of `{name}`")
    return fitted and built(name, node, ListType(held), source, fitted)


def _sorted(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 1, scope):
        return None
    source = infer.infer(node.arguments[0].value, scope)
    held = _held(source, scope)
    if source is None or held is None:
        return None
    if not isinstance(held, NumberType | FractionType | WordType):
        message = f"`sorted` needs numbers or words, and these are values of type `{describe(held)}`"
        scope.report.error("RW0317", source.span, message, help=_BY_VALUE)
        return None
    return built(name, node, ListType(held), source)


def _connected(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 2, scope):
        return None
    start = infer.infer(node.arguments[0].value, scope)
    written = node.arguments[1].value
    module, called = _declared(written, scope)
    symbol = module.callables.get(called)
    if symbol is None or symbol.sort != "relation":
        scope.report.error("RW0317", written.span, "`connected` needs the name of a relation")
        return None
    fitted = start and symbol.parameters and fit(start, symbol.parameters[0][1], scope, "the start of `connected`")
    if not fitted:
        return None
    return Builtin(type=SetType(fitted.type), span=node.span, name=name, arguments=(fitted,), relation=symbol.name)


def _removed(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 1, scope):
        return None
    written = node.arguments[0].value
    module, called = _declared(written, scope)
    symbol = module.names.get(called)
    if symbol is None and isinstance(written, nodes.Reference) and written.name not in scope.locals:
        infer_names.unknown(written, scope)
        return None
    if symbol is None or symbol.sort != "plural":
        scope.report.error("RW0317", written.span, "`removed` needs the plural of a kind, as in `removed(units)`")
        return None
    return Removed(type=SetType(ThingType(symbol.name)), span=node.span, kind=symbol.name)


def _declared(written: nodes.Expression, scope: Scope) -> tuple[Module, str]:
    """The ruleset in which a declaration is named, and the name; a name that nothing has where none is written."""
    match written:
        case nodes.Reference(name=text):
            return scope.module, text
        case nodes.Attribute(target=target, name=part):
            module = infer_names.prefixed(target, scope)
            return (module, part.text) if module else (scope.module, "")
    return scope.module, ""


def _held(source: Expression | None, scope: Scope) -> Type | None:
    return None if source is None else infer_binders.item_of(source, scope)


RULES: dict[str, Rule] = {
    "other": _other,
    "pairs": _pairs,
    "position": _position,
    "sorted": _sorted,
    "starting_with": _starting_with,
    "connected": _connected,
    "removed": _removed,
}
