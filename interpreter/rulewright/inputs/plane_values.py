"""Values of the plane out of nodes, lengths in inches and angles in degrees; the board of the plane."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulewright.inputs.findings import WRONG, Findings, Wrong
from rulewright.inputs.nodes import Items, Json, Mapping, Node, Scalar
from rulewright.inputs.wording import shown
from rulewright.machine.plane.apart import is_simple
from rulewright.machine.values import Value
from rulewright.program.plane import decimal, point_json, posed

if TYPE_CHECKING:
    from rulewright.inputs.value_reader import ValueReader

from rulewright.inputs.wording import did_you_mean, quoted, there_are
from rulewright.machine.plane.rounding import of_thousandths, to_thousandths
from rulewright.machine.situation import CONTACT as TOLERANCE
from rulewright.machine.situation import Plane
from rulewright.program.declarations import Board

FARTHEST = 10_000
"""The largest coordinate and length in inches."""
_THOUSANDTHS = 1000
_HUNDREDTHS = 100
_TURN = 360
_LEAST_CORNERS = 2


def inches(node: Node, what: str, findings: Findings) -> Value | Wrong:
    """A length in inches, in whole thousandths."""
    found = _parts(node, what, _THOUSANDTHS, "inches", findings)
    return found if isinstance(found, Wrong) else _plain(Fraction(found, _THOUSANDTHS))


def _parts(node: Node, what: str, parts: int, unit: str, findings: Findings) -> int | Wrong:
    """A number as whole parts of its unit (RW0712, RW0713)."""
    number: Any = node.value if isinstance(node, Scalar) else None
    if isinstance(number, bool) or not isinstance(number, int | Fraction):
        return findings.error("RW0713", node, f"{what} is {shown(node)}; it must be a number of {unit}, such as `1.5`")
    if not -FARTHEST <= number <= FARTHEST:
        return findings.error("RW0712", node, f"{what} is {shown(node)}; it must be within {FARTHEST} {unit}")
    counted = Fraction(number) * parts
    if counted.denominator != 1:
        digits = {_THOUSANDTHS: "three", _HUNDREDTHS: "two"}[parts]
        message = f"{what} is {shown(node)}; {unit} have at most {digits} digits after the point"
        return findings.error("RW0712", node, message)
    return counted.numerator


def _plain(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


def value(node: Node, type_: str, what: str, values: "ValueReader") -> Value | Wrong:
    """The value of a type of the plane: `point`, `angle`, `shape`, `polygon` or `pose`."""
    match type_:
        case "point":
            return _point(node, what, values.findings)
        case "angle":
            return _angle(node, what, values.findings)
        case "shape":
            return _shape(node, what, values)
        case "polygon":
            return _polygon(node, what, values.findings)
        case _:
            return _pose(node, what, values)


def _point(node: Node, what: str, findings: Findings) -> tuple[int, int] | Wrong:
    if not isinstance(node, Items) or len(node.items) != 2:  # noqa: PLR2004 - two coordinates
        return findings.error("RW0713", node, f"{what} is {shown(node)}; it must be a point in inches, `[3.5, 2]`")
    x, y = (_parts(each, f"a coordinate of {what}", _THOUSANDTHS, "inches", findings) for each in node.items)
    return WRONG if isinstance(x, Wrong) or isinstance(y, Wrong) else (x, y)


def _angle(node: Node, what: str, findings: Findings) -> Value | Wrong:
    found = _parts(node, what, _HUNDREDTHS, "degrees", findings)
    return found if isinstance(found, Wrong) else _plain(Fraction(found % (_TURN * _HUNDREDTHS), _HUNDREDTHS))


def _shape(node: Node, what: str, values: "ValueReader") -> Value | Wrong:
    """A shape; the radius of a round one is half its diameter, rounded up to a thousandth."""
    keys = sorted(key.text for key, _ in node) if isinstance(node, Mapping) else []
    if isinstance(node, Mapping) and keys == ["round"]:
        diameter = _side(node, "round", what, values.findings)
        return diameter if isinstance(diameter, Wrong) else ("round", (diameter + 1) // 2)
    if isinstance(node, Mapping) and keys == ["length", "width"]:
        width, length = (_side(node, name, what, values.findings) for name in ("width", "length"))
        if isinstance(width, Wrong) or isinstance(length, Wrong):
            return WRONG
        return ("rectangle", width, length)
    message = f"{what} is {shown(node)}; it must be a shape"
    remedy = "write `{round: 1.5}` with the diameter, or `{width: 2, length: 3}`, in inches"
    return values.findings.error("RW0713", node, message, help=remedy)


def _side(node: Mapping, name: str, what: str, findings: Findings) -> int | Wrong:
    given = node.get(name)
    assert given is not None
    found = _parts(given, f"`{name}` of {what}", _THOUSANDTHS, "inches", findings)
    if isinstance(found, Wrong) or found > 0:
        return found
    return findings.error("RW0712", given, f"`{name}` of {what} is {shown(given)}; it must be more than 0")


def _polygon(node: Node, what: str, findings: Findings) -> Value | Wrong:
    if not isinstance(node, Items) or len(node.items) < _LEAST_CORNERS:
        wanted = "a list of points such as `[[0, 0], [4, 0], [4, 1]]`"
        return findings.error("RW0713", node, f"{what} is {shown(node)}; it must be {wanted}")
    corners = [_point(each, f"a corner of {what}", findings) for each in node.items]
    found: list[Any] = [each for each in corners if not isinstance(each, Wrong)]
    if len(found) < len(corners):
        return WRONG
    if len(set(found)) < len(found):
        return findings.error("RW0713", node, f"{what} has a corner twice", help="the last corner leads to the first")
    if not is_simple(tuple(found)):
        return findings.error(
            "RW0713", node, f"{what} crosses itself", help="list the corners in the order of its edge"
        )
    return tuple(found)


def _pose(node: Node, what: str, values: "ValueReader") -> Value | Wrong:
    """`{thing: m1, at: [x, y], facing: a}`; the facing is 0 where it is left out."""
    kind = posed(values.names.program.kinds) or ""
    if not isinstance(node, Mapping) or not {"thing", "at"} <= {key.text for key, _ in node}:
        wanted = "a pose, `{thing: …, at: [3.5, 2], facing: 90}`"
        return values.findings.error("RW0713", node, f"{what} is {shown(node)}; it must be {wanted}")
    known = values.known_keys(node, dict.fromkeys(("thing", "at", "facing")), f"a part of {what}")
    thing, at, facing = (node.get(name) for name in ("thing", "at", "facing"))
    assert thing is not None
    assert at is not None
    found = (
        values.thing(thing, kind, f"`thing` of {what}"),
        _point(at, f"`at` of {what}", values.findings),
        0 if facing is None else _angle(facing, f"`facing` of {what}", values.findings),
    )
    return WRONG if not known or any(isinstance(each, Wrong) for each in found) else found  # type: ignore[return-value]


def pose(node: Node, thing: int, what: str, values: "ValueReader") -> Value | Wrong:
    """The pose of a thing that is known already, `{at: [3.5, 2], facing: 90}`."""
    if not isinstance(node, Mapping) or node.get("at") is None:
        wanted = "a pose, `{at: [3.5, 2], facing: 90}`"
        return values.findings.error("RW0713", node, f"{what} is {shown(node)}; it must be {wanted}")
    known = values.known_keys(node, dict.fromkeys(("at", "facing")), f"a part of {what}")
    at, facing = node.get("at"), node.get("facing")
    assert at is not None
    point = _point(at, f"`at` of {what}", values.findings)
    angle = 0 if facing is None else _angle(facing, f"`facing` of {what}", values.findings)
    return WRONG if not known or isinstance(point, Wrong) or isinstance(angle, Wrong) else (thing, point, angle)


# Back to JSON.


def place_json(pose_: Any) -> dict[str, Json]:  # noqa: ANN401
    """A pose of a thing that is known, as `pose` reads it."""
    _, at, facing = pose_
    return {"at": point_json(at), "facing": decimal(facing)}


WIDTH, DEPTH, CONTACT = "width", "depth", "contact"
PAIRED = {WIDTH: [DEPTH], DEPTH: [WIDTH]}


def plane_board(node: Node | None, board: Board, findings: Findings) -> Plane:
    """What a state says of the board of the plane; all of it may be left out.

    Reports RW0710 (keys), RW0711 (a width without a depth), RW0712 and RW0713 (lengths).
    """
    if node is None or (isinstance(node, Scalar) and node.value is None):
        return Plane()
    if not isinstance(node, Mapping):
        remedy = f"write `{{{WIDTH}: 48, {DEPTH}: 48}}`, in inches"
        findings.error("RW0713", node, f"`{board.name}` is {shown(node)}; it must be a mapping", help=remedy)
        return Plane()
    valid = [WIDTH, DEPTH, CONTACT]
    for key, _ in node:
        if key.text not in valid:
            remedy = did_you_mean(key.text, valid) or there_are(valid)
            message = f"{quoted(key.text)} is no part of the board `{board.name}`"
            findings.error("RW0710", key, message, help=remedy)
    width, depth = (_length(node, name, board, findings, least=1) for name in (WIDTH, DEPTH))
    if (node.get(WIDTH) is None) != (node.get(DEPTH) is None):
        lacking = WIDTH if node.get(WIDTH) is None else DEPTH
        message = f"the board `{board.name}` lacks `{lacking}`"
        findings.error("RW0711", node, message, help=f"say both `{WIDTH}` and `{DEPTH}`, or neither")
    contact = _length(node, CONTACT, board, findings, least=0)
    return Plane(width, depth, TOLERANCE if contact is None else contact)


def _length(node: Mapping, name: str, board: Board, findings: Findings, least: int) -> int | None:
    given = node.get(name)
    if given is None:
        return None
    found = inches(given, f"`{name}` of `{board.name}`", findings)
    if not isinstance(found, int | Fraction):
        return None
    length = to_thousandths(found)
    if length < least:
        bound = "0 or more" if least == 0 else "more than 0"
        findings.error("RW0712", given, f"`{name}` of `{board.name}` is {shown(given)}; it must be {bound}")
        return None
    return length


def board_json(plane: Plane) -> dict[str, Json]:
    """What `plane_board` reads back as the same board."""
    found = {WIDTH: plane.width, DEPTH: plane.depth, CONTACT: plane.contact if plane.contact != TOLERANCE else None}
    return {name: decimal(of_thousandths(length)) for name, length in found.items() if length is not None}
