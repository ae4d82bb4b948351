"""Functions of the plane and the sorts of their arguments (manual, The plane)."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.infer.call_arguments import (
    CallRule,
    check_argument_count,
    report_unfit_argument,
    require_distinct_places,
    with_argument_count,
)
from rulewright.checker.infer.name_lookup import PLANE_VALUE_ATTRIBUTES, list_boards
from rulewright.checker.infer.references import LENGTH_TYPE, check_posed_kind
from rulewright.checker.infer.type_fitting import fit_expression, infer_fitted
from rulewright.checker.scope import Scope
from rulewright.program import types as ty
from rulewright.program.board_geometry import (
    ANGLE,
    POINT,
    POLYGON,
    POSE,
    SHAPE,
    get_stored_types,
    has_base,
    has_place,
    list_plane_reads,
)
from rulewright.program.declarations import Kind
from rulewright.program.expressions import Builtin, Comparison, Expression, Literal, Part, StoredAttribute
from rulewright.program.types import Type
from rulewright.program.wording import format_literal
from rulewright.syntax.nodes import expressions as nodes


def is_plane_distance(node: nodes.Call, scope: Scope) -> bool:
    """Whether a call of `distance` is about the plane: where there are cells too, its first argument decides."""
    if not any(has_place(kind) for kind in scope.environment.kinds.values()) and not list_boards("plane", scope):
        return False
    if not any(list_boards(space, scope) for space in ("hex", "square")) or not node.arguments:
        return True
    result = scope.infer(node.arguments[0].value)
    return result is not None and not isinstance(ty.strip_optional(result.type), ty.CellType)


@dataclass(frozen=True, slots=True)
class _ArgumentSort:
    """A sort of arguments: in words, its types, and whether things of a kind are such arguments, if any can be."""

    description: str
    values: tuple[Type, ...]
    accepts_kind: Callable[[Kind], bool] | None = None


_ARGUMENT_SORTS = {
    "mini": _ArgumentSort("a thing with a base", (), has_base),
    "base": _ArgumentSort("a thing with a base or a pose", (POSE,), has_base),
    "body": _ArgumentSort("a thing with a base, a pose, a point or a polygon", (POSE, POINT, POLYGON), has_base),
    "spot": _ArgumentSort("a thing, a pose or a point", (POSE, POINT), has_place),
    "pose": _ArgumentSort("a pose", (POSE,)),
    "polygon": _ArgumentSort("a polygon", (POLYGON,)),
    "ground": _ArgumentSort("a thing with a base, a pose or a polygon", (POSE, POLYGON), has_base),
}


def infer_plane_argument(node: nodes.Expression, sort: str, function: str, scope: Scope) -> Expression | None:
    """Argument of a sort, without `?`; reports RW0342 (a kind that does not stand on the plane) and RW0317."""
    result = scope.infer(node)
    if result is None:
        return None
    type_ = ty.strip_optional(result.type)
    wanted = _ARGUMENT_SORTS[sort]
    if isinstance(type_, ty.ThingType) and wanted.accepts_kind is not None:
        if not _check_kind_on_plane(type_.kind, sort, result.span, scope):
            return None
    elif type_ not in wanted.values:
        report_unfit_argument(result, f"`{function}` takes {wanted.description}", scope)
        return None
    if (type_ == POSE or sort == "mini") and check_posed_kind(result.span, scope) is None:
        return None
    return fit_expression(result, type_, scope, f"an argument of `{function}`")


def _check_kind_on_plane(kind: str, sort: str, span: Span, scope: Scope) -> bool:
    declared = scope.environment.kinds.get(kind)
    is_one = _ARGUMENT_SORTS[sort].accepts_kind
    if declared is None or is_one is None or is_one(declared):
        return declared is not None
    types, needed = get_stored_types(declared), {"at": POINT, "base": SHAPE}
    lacking = [name for name, wanted in needed.items() if ty.strip_optional(types.get(name, ty.FLAG)) != wanted]
    wanted = lacking if sort != "spot" else lacking[:1]
    if any(f"{kind}/{name}" in scope.environment.failed_declarations for name in wanted):
        return False
    shown = " and ".join(f"`{name}: {needed[name]}`" for name in wanted)
    message = f"things of the kind `{kind}` do not stand on the plane: they lack {shown}"
    scope.report.error("RW0342", span, message, help=f"give `{kind}` {shown}", missing=f"{kind}.{wanted[0]}")
    return False


def _make_plane_rule(sorts: Sequence[str], result: Type) -> CallRule:
    def infer_plane_call(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
        if not check_argument_count(name, node, len(sorts), scope):
            return None
        written = zip(node.arguments, sorts, strict=True)
        items = [infer_plane_argument(argument.value, sort, name, scope) for argument, sort in written]
        return _make_plane_call(name, node, result, items, scope)

    return infer_plane_call


def _make_plane_call(
    name: str, node: nodes.Call, result: Type, arguments: Sequence[Expression | None], scope: Scope
) -> Builtin | None:
    given = tuple(each for each in arguments if each is not None)
    if len(given) != len(arguments):
        return None
    if name in {"gap", "distance", "bearing", "segment", "edge"}:
        for item in given:
            if isinstance(item.type, ty.ThingType):
                doing = f"has no place for `{name}` to measure from"
                preconditions.require_in_play(item, "RW0422", node.span, doing, scope)
                require_on_table(item, f"`{name}` has nothing to measure", scope)
    if name == "bearing":
        require_distinct_points(given[0], given[1], node.span, scope)
    places = list_plane_reads(name, tuple(each.type for each in given), scope.environment.kinds)
    return Builtin(type=result, span=node.span, name=name, arguments=given, places=places)


def require_on_table(thing: Expression, doing: str, scope: Scope) -> None:
    """Warns where a thing may be off the board and is used as if it stood there (RW0422)."""
    assert isinstance(thing.type, ty.ThingType)
    field = next(item for item in scope.environment.kinds[thing.type.kind].fields if item.name == "at")
    if not isinstance(field.type, ty.OptionalType):
        return
    at = StoredAttribute(type=field.type, span=thing.span, target=thing, kind=thing.type.kind, name="at")
    none = Literal(type=ty.NoneType(), span=thing.span, value=None)
    there = Comparison(type=ty.FLAG, span=thing.span, operator="!=", left=at, right=none)
    may, never = (f"`{{}}` {verb} `none` here, and off the board {doing}" for verb in ("may be", "is"))
    messages = may, never, preconditions.format_guard_remedy("{} != none")
    preconditions.require_condition("RW0422", there, thing.span, messages, scope)


def require_distinct_points(one: Expression, other: Expression, span: Span, scope: Scope) -> None:
    """Warns where a direction may be asked for from a point to itself (RW0419)."""
    here, there = _get_spot_point(one, scope), _get_spot_point(other, scope)
    require_distinct_places(here, there, span, scope)


def _get_spot_point(spot: Expression, scope: Scope) -> Expression:
    if isinstance(spot.type, ty.ThingType):
        types = get_stored_types(scope.environment.kinds[spot.type.kind])
        return StoredAttribute(type=types["at"], span=spot.span, target=spot, kind=spot.type.kind, name="at")
    if spot.type == POSE:
        return Part(
            type=POINT, span=spot.span, target=spot, name="at", position=PLANE_VALUE_ATTRIBUTES["pose"].index("at")
        )
    return spot


@with_argument_count(2)
def _infer_point(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    items = [infer_fitted(argument.value, LENGTH_TYPE, scope, "a coordinate of `point`") for argument in node.arguments]
    return _make_plane_call(name, node, POINT, items, scope)


@with_argument_count(2)
def _infer_edge(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    base, written = (argument.value for argument in node.arguments)
    way = infer_fitted(written, ANGLE, scope, "the way of `edge`")
    return _make_plane_call(name, node, POLYGON, [infer_plane_argument(base, "base", name, scope), way], scope)


@with_argument_count(3)
def _infer_in_arc(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    base, body, written = (argument.value for argument in node.arguments)
    degrees = scope.infer(written)
    match degrees:
        case Literal(value=int() | Fraction() as turned) if not 0 <= turned <= _FULL_TURN_DEGREES:
            message = f"an arc has from 0 to 360 degrees, not {format_literal(turned)}"
            scope.report.error("RW0344", degrees.span, message, help="count the whole arc, half of it on either side")
            return None
    fitted = degrees and fit_expression(degrees, ty.FractionType(), scope, "the degrees of `in_arc`")
    items = [infer_plane_argument(base, "base", name, scope), infer_plane_argument(body, "body", name, scope), fitted]
    return _make_plane_call(name, node, ty.FLAG, items, scope)


_FULL_TURN_DEGREES = 360


def _infer_sees(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    if len(node.arguments) not in {2, 3}:
        scope.report.error(
            "RW0315", node.span, f"`{name}` takes 2 or 3 arguments, not {len(node.arguments)}", subject=name
        )
        return None
    eye, target, *walls = (argument.value for argument in node.arguments)
    items = [infer_plane_argument(eye, "spot", name, scope), infer_plane_argument(target, "body", name, scope)]
    return _make_plane_call(name, node, ty.FLAG, [*items, *(_infer_polygons(wall, scope) for wall in walls)], scope)


def _infer_polygons(node: nodes.Expression, scope: Scope) -> Expression | None:
    result = scope.infer(node, ty.SetType(POLYGON))
    if result is None or result.type == ty.ListType(POLYGON):
        return result
    return fit_expression(result, ty.SetType(POLYGON), scope, "what may be in the way of `sees`")


def _report_poses_outside_search(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    message = f"`{name}` can only come after `some p in` and `no p in`: the poses of a base cannot be listed"
    scope.report.error("RW0360", node.span, message, help=f"ask `some p in {name}(…) where …`")
    return None


def is_poses_call(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.function, nodes.Reference) and node.function.name == "poses"


def infer_poses(node: nodes.Expression, scope: Scope) -> Expression | None:
    """`poses(m)` after `some` or `no`: the set of all poses of a thing."""
    assert isinstance(node, nodes.Call)
    return _make_plane_rule(("mini",), ty.SetType(POSE))("poses", node, scope)


PLANE_FUNCTIONS: dict[str, CallRule] = {
    "poses": _report_poses_outside_search,
    "point": _infer_point,
    "gap": _make_plane_rule(("body", "body"), LENGTH_TYPE),
    "bearing": _make_plane_rule(("spot", "spot"), ANGLE),
    "segment": _make_plane_rule(("spot", "spot"), POLYGON),
    "contact": _make_plane_rule(("base", "base"), ty.FLAG),
    "edge": _infer_edge,
    "touches": _make_plane_rule(("base", "body"), ty.FLAG),
    "overlaps": _make_plane_rule(("body", "body"), ty.FLAG),
    "aboard": _make_plane_rule(("base", "ground"), ty.FLAG),
    "crosses": _make_plane_rule(("polygon", "polygon"), ty.FLAG),
    "fits": _make_plane_rule(("pose",), ty.FLAG),
    "in_arc": _infer_in_arc,
    "sees": _infer_sees,
}

PLANE_DISTANCE = _make_plane_rule(("spot", "spot"), LENGTH_TYPE)
