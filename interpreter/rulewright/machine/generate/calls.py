"""Python for calls: functions of the rules, of the language and of the plane, external terms."""

from rulewright.machine.generate import functions
from rulewright.machine.generate.writer import Body
from rulewright.machine.world import stand
from rulewright.program import expressions as ex, types as ty
from rulewright.program.plane import POINT, POSE, posed
from rulewright.program.wording import simple

_PLAIN = {
    "abs": "abs",
    "floor": "floor",
    "ceiling": "ceil",
    "round": "rounded",
    "other": "other",
    "position": "position",
    "sorted": "descending",
    "starting_with": "starting_with",
    "step": "step",
    "hex": "pair",
    "square": "pair",
    "square8": "pair",
    "distance": "distance",
    "adjacent": "adjacent",
    "direction": "direction",
}
_WITH_WORLD = frozenset({"neighbours", "rear_hexes", "pairs", "total", "highest_face"})


def function(body: Body, name: str, arguments: tuple[str, ...]) -> str:
    """The call of a term, tally, decide, table, derived attribute or relation."""
    body.calls = True
    return f"f{functions.number(body, name)}({', '.join(('W', *arguments))})"


def external(body: Body, name: str, arguments: tuple[str, ...]) -> str:
    """The value of an external term: scripted, known, its default, or to be asked for."""
    body.calls = True
    default = functions.default(body, name)
    given = "".join(f"{each}, " for each in arguments)
    return f"external(W, {body.module.constant(name)}, ({given}), {default})"


def builtin(  # noqa: C901, PLR0911, PLR0912
    body: Body, node: ex.Builtin, arguments: tuple[str, ...]
) -> str:
    """The call of a function of the language."""
    name, given = node.name, ", ".join(arguments)
    if _is_of_plane(node):
        return _call_of_plane(body, node, arguments)
    space = _space(node)
    grid = f", {space!r}" if space != "hex" and name in _GRID else ""
    match name:
        case "min" | "max" if len(arguments) == 2 and not body.traced and all(map(_is_short, node.arguments)):  # noqa: PLR2004
            return extreme(name, *arguments)
        case "min" | "max" if len(arguments) > 1:
            return f"{name}({given})"
        case "min" | "max":
            text = body.module.constant(body.module.wording.text(node))
            return f"{name}_of({_scanned(body, node, arguments[0])}, {text})"
        case "sum":
            return sized(node.type, f"sum({_scanned(body, node, arguments[0])})")
        case "count":
            return f"len({_visited(body, node, arguments[0])})"
        case "along":
            return f"along({given}, {_last_word(body, node)})"
        case "directions":
            return body.module.constant(tuple(range(len(ty.GRIDS[space]))))
        case "occupants":
            return _occupants(body, node, given)
        case "connected":
            return f"connected(W, {given}, {_members(body, node)}, {_link(body, node)})"
        case "sorted" | "starting_with" | "position":
            return f"{_PLAIN[name]}({_SCANNED[name].format(*arguments)})"
        case _ if name in _PLAIN:
            return f"{_PLAIN[name]}({given}{grid})"
        case _:
            assert name in _WITH_WORLD
            return f"{name}(W, {given}{grid})"


_SCANNED = {
    "sorted": "scanned(W, {0})",
    "starting_with": "scanned(W, {0}), {1}",
    "position": "{0}, scanned(W, {1})",
}
_GRID = frozenset({"step", "distance", "adjacent", "direction", "neighbours", "rear_hexes"})


def extreme(word: str, first: str, second: str) -> str:
    """The least (`min`) or greatest (`max`) of two that are quickly worked out; what is left open stays open."""
    holds, fails = ("<=", ">") if word == "min" else (">=", "<")
    other = f"{second} if ({first} {fails} {second}) is True else {word}({first}, {second})"
    return f"({first} if ({first} {holds} {second}) is True else {other})"


def _is_short(node: ex.Expression) -> bool:
    return isinstance(node, ex.Literal) or simple(node)


def _space(node: ex.Builtin) -> str:
    spaces = [each.type.space for each in node.arguments if isinstance(each.type, ty.CellType)]
    return spaces[0] if spaces else getattr(getattr(node.type, "item", None), "space", "hex")


def sized(type_: ty.Type, code: str) -> str:
    """Python for a number, with its digits counted where its type has an open end."""
    bounded = isinstance(type_, ty.NumberType) and type_.low is not None and type_.high is not None
    return code if bounded else f"sized(W, {code})"


def _scanned(body: Body, node: ex.Builtin, code: str) -> str:
    return f"scanned(W, {_visited(body, node, code)})"


def _visited(body: Body, node: ex.Builtin, code: str) -> str:
    return body.kept(code) if isinstance(node.arguments[0].type, ty.PoolType) else code


def _last_word(body: Body, node: ex.Builtin) -> int:
    listed = node.type.values if isinstance(node.type, ty.WordType) else ""
    return len(body.module.program.values[listed].words) - 1


def _occupants(body: Body, node: ex.Builtin, given: str) -> str:
    item = node.type.item if isinstance(node.type, ty.SetType) else None
    kind = item.kind if isinstance(item, ty.ThingType) else ""
    places = body.module.places
    return f"occupants(W, W[{places.columns[f'{kind}/at']}], W[{places.in_play[kind]}], {given})"


def _members(body: Body, node: ex.Builtin) -> str:
    member = ty.present(node.arguments[0].type)
    return f"W[{body.module.places.in_play[member.kind]}]" if isinstance(member, ty.ThingType) else "W[6]"


def _link(body: Body, node: ex.Builtin) -> str:
    if node.relation in body.module.program.functions:
        return f"W, f{functions.number(body, node.relation)}"
    return f"W[{body.module.places.relations[node.relation]}], None"


_NEEDING_BOTH = frozenset({"gap", "distance", "bearing", "segment"})
_JUDGING = frozenset({"contact", "touches", "overlaps", "aboard", "crosses", "in_arc", "sees"})
_FUNCTIONS = (_NEEDING_BOTH - {"distance"}) | _JUDGING | {"point", "fits", "edge"}


def _is_of_plane(node: ex.Builtin) -> bool:
    return node.name in _FUNCTIONS or (node.name == "distance" and isinstance(node.type, ty.LengthType))


def _call_of_plane(body: Body, node: ex.Builtin, arguments: tuple[str, ...]) -> str:
    if node.name == "point":
        return f"point_of({', '.join(arguments)})"
    if node.name == "fits":
        return f"fits_of(W, {arguments[0]})"
    if node.name == "edge":
        base = placed(body, arguments[0], node.arguments[0].type)
        return f"edge_of({base}, {arguments[1]}, {body.module.constant(body.module.wording.text(node))})"
    bodies = ", ".join(placed(body, code, each.type) for code, each in zip(arguments[:2], node.arguments, strict=False))
    if node.name in _NEEDING_BOTH:
        return f"{node.name}_of({bodies}, {body.module.constant(body.module.wording.text(node))})"
    return f"{node.name}_of(W, {', '.join((bodies, *arguments[2:]))})"


def placed(body: Body, code: str, type_: ty.Type) -> str:
    """Python for the body on the plane of a thing, pose, point or polygon."""
    match type_:
        case ty.ThingType(kind):
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
