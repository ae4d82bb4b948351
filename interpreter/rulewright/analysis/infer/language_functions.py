"""Functions of the language: of numbers, words and dice, of collections, of cells and what stands on them."""

from rulewright.analysis import promises
from rulewright.analysis.facts import Proof, number_range, prove
from rulewright.analysis.infer.arithmetic import size
from rulewright.analysis.infer.binders import (
    counted_of_each_kind,
    gathered,
    kinds_of_occupants,
    over_collection,
    standing_kinds,
)
from rulewright.analysis.infer.call_arguments import (
    Rule,
    builtin,
    cell_arguments,
    nowhere,
    number_argument,
    takes,
    taking,
    unfit,
)
from rulewright.analysis.infer.lookup import prefixed, unknown
from rulewright.analysis.infer.slots import fit, fitted
from rulewright.analysis.name_spaces import grid_of
from rulewright.analysis.scope import Scope
from rulewright.analysis.symbols import Module, Symbol
from rulewright.program import types as ty
from rulewright.program.expressions import Binding, Builtin, Comparison, DieAttribute, Expression, Membership, Removed
from rulewright.program.types import Type
from rulewright.program.wording import sort_in_words, wording
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


@taking(1)
def _of_number(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`abs`, `floor`, `ceiling`, `round`."""
    found = number_argument(name, node.arguments[0].value, scope)
    if found is None:
        return None
    whole = isinstance(found.type, ty.NumberType)
    rounds = name in {"floor", "ceiling", "round"}
    return _ranged(builtin(name, node, found.type if whole is rounds else ty.WHOLE, found), scope)


def _ranged(built: Builtin, scope: Scope) -> Builtin:
    """The call with the bounds its arguments give it, whatever else is known here."""
    if not isinstance(built.type, ty.NumberType):
        return built
    bounds = number_range(type(scope.facts)(), built)
    return Builtin(type=ty.NumberType(*bounds), span=built.span, name=built.name, arguments=built.arguments)


def _extreme(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`min` and `max` of numbers, or of one collection."""
    if len(node.arguments) == 1:
        return _over(name, node, scope)
    if not node.arguments:
        takes(name, node, 2, scope)
        return None
    found = tuple(number_argument(name, argument.value, scope) for argument in node.arguments)
    if None in found:
        return None
    whole = all(isinstance(each.type, ty.NumberType) for each in found)  # type: ignore[union-attr]
    return _ranged(builtin(name, node, ty.WHOLE if whole else ty.FractionType(), *found), scope)  # type: ignore[arg-type]


@taking(1)
def _over(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`count`, `sum`, `min` and `max` of a collection."""
    written = node.arguments[0].value
    kinds = kinds_of_occupants(written, scope) if name == "count" else ()
    if kinds:
        return counted_of_each_kind(node.span, kinds, lambda kind: _combined(name, node, scope, kind))
    return _combined(name, node, scope, None)


def _combined(name: str, node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    source = scope.infer(node.arguments[0].value, expected)
    return source and over_collection(name, source, node.span, scope)


def along(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`along(word, steps)`, whose word may be of the expected list."""
    if not takes("along", node, 2, scope):
        return None
    word = scope.infer(node.arguments[0].value, expected)
    steps = number_argument("along", node.arguments[1].value, scope)
    if word is None or steps is None:
        return None
    if not isinstance(word.type, ty.WordType):
        unfit(word, "`along` needs a word of a list", scope)
        return None
    whole = fit(steps, ty.WHOLE, scope, "the second argument of `along`")
    return whole and builtin("along", node, word.type, word, whole)


@taking(1)
def _total(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    dice = scope.infer(node.arguments[0].value)
    if dice is None:
        return None
    match dice.type:
        case ty.PoolType(ty.NumberType(low, high)):
            least = 0 if low is not None and low >= 0 else None
            most = 0 if high is not None and high <= 0 else None
            return builtin(name, node, ty.NumberType(least, most), dice)
        case ty.DieType(ty.NumberType() as face):
            return DieAttribute(target=dice, name="natural", type=face, span=node.span)
        case _:
            unfit(dice, "`total` needs dice with numbers", scope)
            return None


@taking(1)
def _highest_face(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    die = scope.infer(node.arguments[0].value)
    if die is None:
        return None
    if isinstance(die.type, ty.DieType | ty.PoolType) and isinstance(die.type.face, ty.NumberType):
        return builtin(name, node, die.type.face, die)
    unfit(die, "`highest_face` needs a die with numbers", scope)
    return None


def _no_die(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    remedy = "roll it, and use the name of the roll: `roll 2 of die(n) as NAME`"
    message = f"`{name}(…)` names what is rolled, and has no value by itself"
    scope.report.error("RW0250", node.span, message, help=remedy)
    return None


_BY_VALUE = "write what to sort by: `sorted([each x in …: …])`"


@taking(2)
def _other(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    item, among = scope.infer(node.arguments[0].value), gathered(node.arguments[1].value, scope)
    one = item and among and fit(item, among[1], scope, "the first argument of `other`")
    if among is None or one is None:
        return None
    _two(one, among[0], node.span, scope)
    return builtin(name, node, among[1], one, among[0])


def _two(item: Expression, source: Expression, span: Span, scope: Scope) -> None:
    """Warns where a set may not have two members, or the given one may not be among them."""
    low, high = size(Binding((None,), source, None), span, scope)
    there = prove(scope.facts, Membership(type=ty.FLAG, span=span, item=item, collection=source, negated=False))
    if there is Proof.REFUTED or (high is not None and high < 2) or (low is not None and low > 2):  # noqa: PLR2004 - two members
        message = f"`other` needs a set of two with `{wording(item)}` in it, and this never is one"
        scope.report.error("RW0407", span, message)
    elif there is not Proof.PROVED or low != 2 or high != 2:  # noqa: PLR2004 - two members
        scope.report.warning(
            "RW0407",
            span,
            f"this may not be a set of two with `{wording(item)}` in it",
            notes=("If it is not, the run stops here.",),
            help=f"check `{wording(item)} in …` first, and that the two are not the same",
        )


@taking(2)
def _pairs(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    found = [gathered(each.value, scope) for each in node.arguments]
    pairs = [each for each in found if each is not None]
    if len(pairs) < len(found):
        return None
    return builtin(name, node, ty.SetType(ty.TupleType(tuple(item for _, item in pairs))), *(each for each, _ in pairs))


@taking(2)
def _position(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    listed = gathered(node.arguments[1].value, scope)
    item = listed and fitted(node.arguments[0].value, listed[1], scope, f"the first argument of `{name}`")
    if listed is None or item is None:
        return None
    source = listed[0]
    if not isinstance(source.type, ty.ListType):
        unfit(source, "`position` needs a list", scope)
        return None
    there = Membership(type=ty.FLAG, span=node.span, item=item, collection=source, negated=False)
    member, within = wording(item), wording(source)
    said = (
        f"`{member}` may not be in `{within}`, and then it has no position",
        f"`{member}` is not in `{within}`, so it has no position",
        promises.asked_first(f"{member} in {within}"),
    )
    promises.need(promises.holding("RW0418", there, node.span, said), scope)
    return builtin(name, node, ty.NumberType(1, _most_directions(source)), item, source)


def _most_directions(listed: Expression) -> int | None:
    """How many members a list has at most, where it holds those of a set of directions; else none."""
    match listed:
        case Builtin(name="starting_with", arguments=(source, _)):
            match source.type:
                case ty.SetType(item=ty.DirectionType() as direction):
                    return direction.count
                case _:
                    return None
        case _:
            return None


@taking(2)
def _starting_with(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    listed = gathered(node.arguments[0].value, scope)
    item = listed and fitted(node.arguments[1].value, listed[1], scope, f"the second argument of `{name}`")
    return builtin(name, node, ty.ListType(listed[1]), listed[0], item) if listed is not None and item else None


@taking(1)
def _sorted(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    listed = gathered(node.arguments[0].value, scope)
    if listed is None:
        return None
    source, held = listed
    if not isinstance(held, ty.NumberType | ty.FractionType | ty.WordType):
        message = f"`sorted` needs numbers or words, and each of these is {sort_in_words(held)}"
        scope.report.error("RW0317", source.span, message, help=_BY_VALUE)
        return None
    return builtin(name, node, ty.ListType(held), source)


@taking(2)
def _connected(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    begins, written = (each.value for each in node.arguments)
    symbol = _named_relation(written, scope)
    if symbol is None:
        swapped = _named_relation(begins, scope)
        remedy = f"write it last: `connected(…, {swapped.name})`" if swapped else ""
        scope.report.error("RW0317", written.span, "`connected` needs the name of a relation", help=remedy)
        return None
    start = scope.infer(begins)
    first = start and symbol.parameters and fit(start, symbol.parameters[0][1], scope, "the start of `connected`")
    if not first:
        return None
    return Builtin(type=ty.SetType(first.type), span=node.span, name=name, arguments=(first,), relation=symbol.name)


def _named_relation(written: nodes.Expression, scope: Scope) -> Symbol | None:
    """The relation that is named; none where something else is written."""
    module, called = _named_declaration(written, scope)
    symbol = module.callables.get(called)
    return symbol if symbol is not None and symbol.sort == "relation" else None


@taking(1)
def _removed(_: str, node: nodes.Call, scope: Scope) -> Expression | None:
    written = node.arguments[0].value
    module, called = _named_declaration(written, scope)
    symbol = module.names.get(called)
    if symbol is None and isinstance(written, nodes.Reference) and written.name not in scope.locals:
        unknown(written, scope)
        return None
    if symbol is None or symbol.sort != "plural":
        scope.report.error("RW0317", written.span, "`removed` needs the plural of a kind, as in `removed(units)`")
        return None
    return Removed(type=ty.SetType(ty.ThingType(symbol.name)), span=node.span, kind=symbol.name)


def _named_declaration(written: nodes.Expression, scope: Scope) -> tuple[Module, str]:
    """The ruleset in which a declaration is named, and the name; a name that nothing has where none is written."""
    match written:
        case nodes.Reference(name=text):
            return scope.module, text
        case nodes.Attribute(target=target, name=part):
            module = prefixed(target, scope)
            return (module, part.text) if module else (scope.module, "")
    return scope.module, ""


def _of_cells(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`neighbours`, `distance`, `adjacent`, `direction`."""
    found = cell_arguments(node, 1 if name == "neighbours" else 2, scope)
    if found is None:
        return None
    cell = found[0].type
    assert isinstance(cell, ty.CellType)
    if any(each.type != cell for each in found):
        scope.report.error("RW0309", node.span, f"`{name}` takes cells of one board")
        return None
    types: dict[str, Type] = {
        "neighbours": ty.SetType(cell),
        "distance": ty.COUNT,
        "adjacent": ty.FLAG,
        "direction": ty.DirectionType(cell.space),
    }
    if name == "direction":
        cells_apart(found[0], found[1], node.span, scope)
    return builtin(name, node, types[name], *found)


def cells_apart(cell: Expression, other: Expression, span: Span, scope: Scope) -> None:
    """Warns where a direction may be asked for from a cell to itself (RW0419)."""
    unlike = Comparison(type=ty.FLAG, span=span, operator="!=", left=other, right=cell)
    promises.need(promises.holding("RW0419", unlike, span, nowhere(wording(cell), wording(other))), scope)


@taking(0)
def _directions(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    return builtin(name, node, ty.SetType(ty.DirectionType(grid_of(scope.linked))))


@taking(2)
def _with_direction(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`step(c, d)` and `rear_hexes(h, d)`."""
    written = nodes.Call(node.function, node.arguments[:1], node.span)
    found = cell_arguments(written, 1, scope)
    if found is None:
        return None
    cell = found[0].type
    assert isinstance(cell, ty.CellType)
    written_way = scope.infer(node.arguments[1].value)
    heading = written_way and fit(written_way, ty.DirectionType(cell.space), scope, f"the second argument of `{name}`")
    return heading and builtin(name, node, cell if name == "step" else ty.SetType(cell), found[0], heading)


def occupants(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """`occupants(cell)`: things of the only kind that stands on the board, or of the kind that is expected."""
    found = cell_arguments(node, 1, scope)
    if found is None:
        return None
    kinds = standing_kinds(found[0].type, scope)
    wished = [kind for kind in kinds if expected == ty.SetType(ty.ThingType(kind))] or kinds
    if len(wished) == 1:
        return builtin("occupants", node, ty.SetType(ty.ThingType(wished[0])), *found)
    if kinds:
        listed = " or ".join(f"`{kind}`" for kind in kinds)
        plural = scope.shapes.kinds[kinds[0]].plural
        remedy = f"write `{{each x in {plural} where x.at = …}}`"
        remedy += "; `some`, `no`, `every`, `count` take things of all kinds"
        scope.report.error("RW0311", node.span, f"the kind is not clear here: it may be {listed}", help=remedy)
    else:
        scope.report.error("RW0317", node.span, "no kind has an `at` on this board, so it has no occupants")
    return None


@taking(2)
def _coordinates(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`hex(q, r)`, `square(x, y)` and `square8(x, y)`."""
    found = [fitted(each.value, ty.WHOLE, scope, f"a coordinate of `{name}`") for each in node.arguments]
    return None if None in found else builtin(name, node, ty.CellType(name), *found)  # type: ignore[arg-type]


def _no_side(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    message = "a side is not a value by itself"
    scope.report.error("RW0305", node.span, message, help=f"read one of its attributes: `{name}(a, b).wall`")
    return None


RULES: dict[str, Rule] = {
    **dict.fromkeys(("abs", "floor", "ceiling", "round"), _of_number),
    **dict.fromkeys(("min", "max"), _extreme),
    **dict.fromkeys(("sum", "count"), _over),
    "total": _total,
    "highest_face": _highest_face,
    "die": _no_die,
    "other": _other,
    "pairs": _pairs,
    "position": _position,
    "sorted": _sorted,
    "starting_with": _starting_with,
    "connected": _connected,
    "removed": _removed,
    "along": lambda _, node, scope: along(node, scope, None),
    **dict.fromkeys(("neighbours", "distance", "adjacent", "direction"), _of_cells),
    "directions": _directions,
    **dict.fromkeys(("step", "rear_hexes"), _with_direction),
    "side": _no_side,
    **dict.fromkeys(ty.GRIDS, _coordinates),
    "occupants": lambda _, node, scope: occupants(node, scope, None),
}
"""The functions of the language but for those of the plane."""
