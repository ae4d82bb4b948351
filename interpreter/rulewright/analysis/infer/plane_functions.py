"""Functions of the plane, and what they take (manual, The plane)."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from rulewright.analysis import promises
from rulewright.analysis.infer.call_arguments import Rule, nowhere, takes, taking, unfit
from rulewright.analysis.infer.lookup import PLANE_PARTS, boards
from rulewright.analysis.infer.references import LENGTH, posed_kind
from rulewright.analysis.infer.slots import fit, fitted
from rulewright.analysis.scope import Scope
from rulewright.frozen import dataclass
from rulewright.program import types as ty
from rulewright.program.declarations import Kind
from rulewright.program.expressions import Builtin, Comparison, Expression, Literal, Part, StoredAttribute
from rulewright.program.plane import ANGLE, POINT, POLYGON, POSE, SHAPE, has_base, has_place, reads, types_of
from rulewright.program.types import Type
from rulewright.program.wording import literal, wording
from rulewright.source import Span
from rulewright.syntax.nodes import expressions as nodes


def is_on(node: nodes.Call, scope: Scope) -> bool:
    """Whether a call of `distance` is about the plane: where there are cells too, its first argument decides."""
    if not any(has_place(kind) for kind in scope.shapes.kinds.values()) and not boards("plane", scope):
        return False
    if not any(boards(space, scope) for space in ("hex", "square")) or not node.arguments:
        return True
    found = scope.infer(node.arguments[0].value)
    return found is not None and not isinstance(ty.present(found.type), ty.CellType)


@dataclass(frozen=True, slots=True)
class _Sort:
    """A sort of arguments: in words, the types of such values, and whether a thing of a kind is one, if any can be."""

    text: str
    values: tuple[Type, ...]
    of_things: Callable[[Kind], bool] | None = None


_SORTS = {
    "mini": _Sort("a thing with a base", (), has_base),
    "base": _Sort("a thing with a base or a pose", (POSE,), has_base),
    "body": _Sort("a thing with a base, a pose, a point or a polygon", (POSE, POINT, POLYGON), has_base),
    "spot": _Sort("a thing, a pose or a point", (POSE, POINT), has_place),
    "pose": _Sort("a pose", (POSE,)),
    "polygon": _Sort("a polygon", (POLYGON,)),
    "ground": _Sort("a thing with a base, a pose or a polygon", (POSE, POLYGON), has_base),
}


def plane_argument(node: nodes.Expression, sort: str, function: str, scope: Scope) -> Expression | None:
    """An argument of a sort, without `?`; reports RW0342 (a kind that does not stand on the plane) and RW0317."""
    found = scope.infer(node)
    if found is None:
        return None
    type_ = ty.present(found.type)
    wanted = _SORTS[sort]
    if isinstance(type_, ty.ThingType) and wanted.of_things is not None:
        if not _stands(type_.kind, sort, found.span, scope):
            return None
    elif type_ not in wanted.values:
        unfit(found, f"`{function}` takes {wanted.text}", scope)
        return None
    if (type_ == POSE or sort == "mini") and posed_kind(found.span, scope) is None:
        return None
    return fit(found, type_, scope, f"an argument of `{function}`")


def _stands(kind: str, sort: str, span: Span, scope: Scope) -> bool:
    declared = scope.shapes.kinds.get(kind)
    is_one = _SORTS[sort].of_things
    if declared is None or is_one is None or is_one(declared):
        return declared is not None
    types, needed = types_of(declared), {"at": POINT, "base": SHAPE}
    lacking = [name for name, wanted in needed.items() if ty.present(types.get(name, ty.FLAG)) != wanted]
    wanted = lacking if sort != "spot" else lacking[:1]
    if any(f"{kind}/{name}" in scope.shapes.failed for name in wanted):
        return False
    shown = " and ".join(f"`{name}: {needed[name]}`" for name in wanted)
    message = f"things of the kind `{kind}` do not stand on the plane: they lack {shown}"
    scope.report.error("RW0342", span, message, help=f"give `{kind}` {shown}")
    return False


def _taking(sorts: Sequence[str], result: Type) -> Rule:
    def rule(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
        if not takes(name, node, len(sorts), scope):
            return None
        written = zip(node.arguments, sorts, strict=True)
        found = [plane_argument(each.value, sort, name, scope) for each, sort in written]
        return _made(name, node, result, found, scope)

    return rule


def _made(
    name: str, node: nodes.Call, result: Type, found: Sequence[Expression | None], scope: Scope
) -> Builtin | None:
    given = tuple(each for each in found if each is not None)
    if len(given) != len(found):
        return None
    if name in {"gap", "distance", "bearing", "segment", "edge"}:
        for each in given:
            if isinstance(each.type, ty.ThingType):
                doing = f"has no place for `{name}` to measure from"
                promises.need(promises.playing(each, "RW0422", node.span, doing), scope)
                standing(each, f"`{name}` has nothing to measure", scope)
    if name == "bearing":
        apart_on_plane(given[0], given[1], node.span, scope)
    places = reads(name, tuple(each.type for each in given), scope.shapes.kinds)
    return Builtin(type=result, span=node.span, name=name, arguments=given, places=places)


def standing(thing: Expression, doing: str, scope: Scope) -> None:
    """Warns where a thing that may be off the board is taken to stand there (RW0422)."""
    assert isinstance(thing.type, ty.ThingType)
    field = next(each for each in scope.shapes.kinds[thing.type.kind].fields if each.name == "at")
    if not isinstance(field.type, ty.OptionalType):
        return
    at = StoredAttribute(type=field.type, span=thing.span, target=thing, kind=thing.type.kind, name="at")
    none = Literal(type=ty.NoneType(), span=thing.span, value=None)
    there = Comparison(type=ty.FLAG, span=thing.span, operator="!=", left=at, right=none)
    may, never = (f"`{{}}` {verb} `none` here, and off the board {doing}" for verb in ("may be", "is"))
    said = may, never, promises.asked_first("{} != none")
    promises.need(promises.holding("RW0422", there, thing.span, said), scope)


def apart_on_plane(one: Expression, other: Expression, span: Span, scope: Scope) -> None:
    """Warns where a direction may be asked for from a point to itself (RW0419)."""
    here, there = _middle(one, scope), _middle(other, scope)
    unlike = Comparison(type=ty.FLAG, span=span, operator="!=", left=there, right=here)
    promises.need(promises.holding("RW0419", unlike, span, nowhere(wording(here), wording(there))), scope)


def _middle(spot: Expression, scope: Scope) -> Expression:
    """The point that a thing, pose or point is at."""
    if isinstance(spot.type, ty.ThingType):
        types = types_of(scope.shapes.kinds[spot.type.kind])
        return StoredAttribute(type=types["at"], span=spot.span, target=spot, kind=spot.type.kind, name="at")
    if spot.type == POSE:
        return Part(type=POINT, span=spot.span, target=spot, name="at", position=PLANE_PARTS["pose"].index("at"))
    return spot


@taking(2)
def _point(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`point(x, y)`."""
    found = [fitted(each.value, LENGTH, scope, "a coordinate of `point`") for each in node.arguments]
    return _made(name, node, POINT, found, scope)


@taking(2)
def _edge(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`edge(m, way)`."""
    base, written = (each.value for each in node.arguments)
    way = fitted(written, ANGLE, scope, "the way of `edge`")
    return _made(name, node, POLYGON, [plane_argument(base, "base", name, scope), way], scope)


@taking(3)
def _in_arc(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`in_arc(a, b, degrees)`; reports RW0344 where no arc has so many degrees."""
    base, body, written = (each.value for each in node.arguments)
    degrees = scope.infer(written)
    match degrees:
        case Literal(value=int() | Fraction() as turned) if not 0 <= turned <= _TURN:
            message = f"an arc has from 0 to 360 degrees, not {literal(turned)}"
            scope.report.error("RW0344", degrees.span, message, help="count the whole arc, half of it on either side")
            return None
    fitted = degrees and fit(degrees, ty.FractionType(), scope, "the degrees of `in_arc`")
    found = [plane_argument(base, "base", name, scope), plane_argument(body, "body", name, scope), fitted]
    return _made(name, node, ty.FLAG, found, scope)


_TURN = 360


def _sees(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`sees(a, b)`, and `sees(a, b, polygons)` where the polygons in the way are named."""
    if len(node.arguments) not in {2, 3}:
        scope.report.error("RW0315", node.span, f"`{name}` takes 2 or 3 arguments, not {len(node.arguments)}")
        return None
    eye, seen, *walls = (each.value for each in node.arguments)
    found = [plane_argument(eye, "spot", name, scope), plane_argument(seen, "body", name, scope)]
    return _made(name, node, ty.FLAG, [*found, *(_polygons(each, scope) for each in walls)], scope)


def _polygons(node: nodes.Expression, scope: Scope) -> Expression | None:
    found = scope.infer(node, ty.SetType(POLYGON))
    if found is None or found.type == ty.ListType(POLYGON):
        return found
    return fit(found, ty.SetType(POLYGON), scope, "what may be in the way of `sees`")


def _poses_anywhere(name: str, node: nodes.Call, scope: Scope) -> Expression | None:
    """`poses(m)` where it may not stand (RW0360)."""
    message = f"`{name}` can only come after `some p in` and `no p in`: the poses of a base cannot be listed"
    scope.report.error("RW0360", node.span, message, help=f"ask `some p in {name}(…) where …`")
    return None


def is_poses(node: nodes.Expression) -> bool:
    """Whether an expression is a call of `poses`."""
    return isinstance(node, nodes.Call) and isinstance(node.function, nodes.Reference) and node.function.name == "poses"


def poses(node: nodes.Expression, scope: Scope) -> Expression | None:
    """`poses(m)` after `some` or `no`: the set of all poses of a thing."""
    assert isinstance(node, nodes.Call)
    return _taking(("mini",), ty.SetType(POSE))("poses", node, scope)


PLANE_RULES: dict[str, Rule] = {
    "poses": _poses_anywhere,
    "point": _point,
    "gap": _taking(("body", "body"), LENGTH),
    "bearing": _taking(("spot", "spot"), ANGLE),
    "segment": _taking(("spot", "spot"), POLYGON),
    "contact": _taking(("base", "base"), ty.FLAG),
    "edge": _edge,
    "touches": _taking(("base", "body"), ty.FLAG),
    "overlaps": _taking(("body", "body"), ty.FLAG),
    "aboard": _taking(("base", "ground"), ty.FLAG),
    "crosses": _taking(("polygon", "polygon"), ty.FLAG),
    "fits": _taking(("pose",), ty.FLAG),
    "in_arc": _in_arc,
    "sees": _sees,
}

DISTANCE = _taking(("spot", "spot"), LENGTH)
