"""Python for the plane: attributes, bodies, and calls of its functions."""

from rulewright.machine.generate.writer import Body
from rulewright.machine.plane.stands import stand
from rulewright.program import expressions as ex
from rulewright.program.plane import POINT, POSE, posed
from rulewright.program.types import InchesType, ThingType, Type

_NEEDING_BOTH = frozenset({"gap", "distance", "bearing", "segment"})
_JUDGING = frozenset({"contact", "touches", "overlaps", "aboard", "crosses", "in_arc", "sees"})
_FUNCTIONS = (_NEEDING_BOTH - {"distance"}) | _JUDGING | {"point", "fits", "edge"}


def is_of(node: ex.Builtin) -> bool:
    """Whether a function of the language is called for the plane."""
    return node.name in _FUNCTIONS or (node.name == "distance" and isinstance(node.type, InchesType))


def call(body: Body, node: ex.Builtin, arguments: tuple[str, ...]) -> str:
    """The call of a function of the plane."""
    if node.name == "point":
        return f"point_of({', '.join(arguments)})"
    if node.name == "fits":
        return f"fits_of(W, {arguments[0]})"
    if node.name == "edge":
        base = of(body, arguments[0], node.arguments[0].type)
        return f"edge_of({base}, {arguments[1]}, {body.module.constant(body.module.wording.text(node))})"
    bodies = ", ".join(of(body, code, each.type) for code, each in zip(arguments[:2], node.arguments, strict=False))
    if node.name in _NEEDING_BOTH:
        return f"{node.name}_of({bodies}, {body.module.constant(body.module.wording.text(node))})"
    return f"{node.name}_of(W, {', '.join((bodies, *arguments[2:]))})"


def of(body: Body, code: str, type_: Type) -> str:
    """The body of a thing, pose, point or polygon."""
    match type_:
        case ThingType(kind):
            return f"of_thing(W, {_stand(body, kind)}, {code})"
        case _ if type_ == POSE:
            return f"of_pose(W, {_stand(body, posed(body.module.program.kinds) or '')}, {code})"
        case _ if type_ == POINT:
            return f"of_point({code})"
        case _:
            return f"of_polygon({code})"


def attribute(body: Body, node: ex.PlaneAttribute, target: str) -> str:
    """`thing.pose`, `point.x`, `point.y`."""
    if node.name == "pose":
        return f"pose_of(W, {_stand(body, node.kind)}, {target})"
    return f"coordinate({target}[{'xy'.index(node.name)}])"


def _stand(body: Body, kind: str) -> str:
    return body.module.constant(stand(body.module.program, kind, body.module.places))
