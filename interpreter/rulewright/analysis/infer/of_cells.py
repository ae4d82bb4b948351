"""Functions of cells, directions and what stands on boards."""

from rulewright.analysis import infer, promises
from rulewright.analysis.infer import calls as infer_calls
from rulewright.analysis.infer import several as infer_several
from rulewright.analysis.infer.called import Rule, built, takes
from rulewright.analysis.infer.fit import fit
from rulewright.analysis.language.wording import wording
from rulewright.analysis.scope import Scope
from rulewright.analysis.types import grid_of
from rulewright.program.expressions import Comparison, Expression
from rulewright.program.types import COUNT, FLAG, GRIDS, WHOLE, CellType, DirectionType, SetType, ThingType, Type
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def _of_cells(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`neighbours`, `distance`, `adjacent`, `direction`, `toward`."""
    found = infer_calls.cells(node, 1 if name == "neighbours" else 2, scope)
    if found is None:
        return None
    cell = found[0].type
    assert isinstance(cell, CellType)
    if any(each.type != cell for each in found):
        scope.report.error("RW0309", node.span, f"`{name}` takes cells of one board")
        return None
    types: dict[str, Type] = {
        "neighbours": SetType(cell),
        "toward": SetType(cell),
        "distance": COUNT,
        "adjacent": FLAG,
        "direction": DirectionType(cell.space),
    }
    if name == "direction":
        apart(found[0], found[1], node.span, scope)
    return built(name, node, types[name], *found)


def apart(cell: Expression, other: Expression, span: Span, scope: Scope) -> None:
    """Warns where a direction may be asked for from a cell to itself (RW0419)."""
    unlike = Comparison(type=FLAG, span=span, operator="!=", left=other, right=cell)
    promises.need(promises.holding("RW0419", unlike, span, nowhere(wording(cell), wording(other))), scope)


def nowhere(here: str, there: str) -> tuple[str, str, str]:
    """What is said of a direction that may lead from a place to itself."""
    return (
        f"`{there}` may be `{here}` itself, and no direction leads there",
        f"`{there}` is `{here}` itself, and no direction leads there",
        f"compare them first: `if {there} != {here}:`",
    )


def _directions(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if not takes(name, node, 0, scope):
        return None
    return built(name, node, SetType(DirectionType(grid_of(scope.linked))))


def _with_direction(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`step(c, d)` and `rear_hexes(h, d)`."""
    if not takes(name, node, 2, scope):
        return None
    written = nodes.Call(node.function, node.arguments[:1], node.span)
    found = infer_calls.cells(written, 1, scope)
    if found is None:
        return None
    cell = found[0].type
    assert isinstance(cell, CellType)
    heading = infer.infer(node.arguments[1].value, scope)
    fitted = heading and fit(heading, DirectionType(cell.space), scope, f"the second argument of `{name}`")
    return fitted and built(name, node, cell if name == "step" else SetType(cell), found[0], fitted)


def occupants(node: nodes.Call, scope: Scope, expected: Type | None) -> Expression | None:
    """Of the only kind that stands on the board, or of the kind that is expected."""
    found = infer_calls.cells(node, 1, scope)
    if found is None:
        return None
    kinds = infer_several.standing(found[0].type, scope)
    wished = [kind for kind in kinds if expected == SetType(ThingType(kind))] or kinds
    if len(wished) == 1:
        return built("occupants", node, SetType(ThingType(wished[0])), *found)
    if kinds:
        listed = " or ".join(f"`{kind}`" for kind in kinds)
        plural = scope.shapes.kinds[kinds[0]].plural
        remedy = (
            f"write `{{each x in {plural} where x.at = …}}`; `some`, `no`, `every`, `count` take things of all kinds"
        )
        scope.report.error("RW0311", node.span, f"nothing says whether these are of {listed}", help=remedy)
    else:
        scope.report.error("RW0317", node.span, "no kind has an `at` on this board, so it has no occupants")
    return None


def _coordinates(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`hex(q, r)`, `square(x, y)` and `square8(x, y)`."""
    if not takes(name, node, 2, scope):
        return None
    found = [infer.infer(argument.value, scope) for argument in node.arguments]
    fitted = [each and fit(each, WHOLE, scope, f"a coordinate of `{name}`") for each in found]
    return None if None in fitted else built(name, node, CellType(name), *fitted)  # type: ignore[arg-type]


def _side(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    message = "a side is no value of its own"
    scope.report.error("RW0305", node.span, message, help=f"read one of its attributes: `{name}(a, b).wall`")
    return None


RULES: dict[str, Rule] = {
    **dict.fromkeys(("neighbours", "distance", "adjacent", "direction", "toward"), _of_cells),
    "directions": _directions,
    **dict.fromkeys(("step", "rear_hexes"), _with_direction),
    "side": _side,
    **dict.fromkeys(GRIDS, _coordinates),
}
