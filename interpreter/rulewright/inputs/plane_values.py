"""Values of the plane out of nodes, lengths in inches and angles in degrees; the board of the plane."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulewright.inputs.document_schemas import CONTACT, DEPTH, WIDTH
from rulewright.inputs.findings import WRONG, Findings, Wrong, shown
from rulewright.inputs.nodes import Json, Mapping, Node, Scalar
from rulewright.machine.geometry import is_simple
from rulewright.machine.values import Value
from rulewright.program.plane import decimal, point_json, posed

if TYPE_CHECKING:
    from rulewright.inputs.value_reader import ValueReader

from rulewright.machine.geometry import of_thousandths, to_thousandths
from rulewright.machine.state import CONTACT as TOLERANCE
from rulewright.machine.state import Plane
from rulewright.program.declarations import Board

_THOUSANDTHS = 1000
_HUNDREDTHS = 100
_TURN = 360


def inches(node: Scalar, what: str, findings: Findings) -> Value | Wrong:
    """A length in inches, in whole thousandths."""
    found = _parts(node, what, _THOUSANDTHS, "inches", findings)
    return found if isinstance(found, Wrong) else _plain(Fraction(found, _THOUSANDTHS))


def _parts(node: Scalar, what: str, parts: int, unit: str, findings: Findings) -> int | Wrong:
    """A number as whole parts of its unit (RW0712)."""
    assert isinstance(node.value, int | Fraction)
    counted = Fraction(node.value) * parts
    if counted.denominator == 1:
        return counted.numerator
    digits = {_THOUSANDTHS: "three", _HUNDREDTHS: "two"}[parts]
    message = f"{what} is {shown(node)}; {unit} have at most {digits} digits after the point"
    return findings.error("RW0712", node, message)


def _plain(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


def value(node: Any, type_: str, what: str, values: "ValueReader") -> Value | Wrong:  # noqa: ANN401
    """The value of a type of the plane: `point`, `angle`, `shape`, `polygon` or `pose`; the node has its shape."""
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
            thing = values.thing(node.get("thing"), posed(values.names.program.kinds) or "", f"`thing` of {what}")
            return thing if isinstance(thing, Wrong) else pose(node, thing, what, values)  # type: ignore[arg-type]


def _point(node: Any, what: str, findings: Findings) -> tuple[int, int] | Wrong:  # noqa: ANN401
    x, y = (_parts(each, f"a coordinate of {what}", _THOUSANDTHS, "inches", findings) for each in node.items)
    return WRONG if isinstance(x, Wrong) or isinstance(y, Wrong) else (x, y)


def _angle(node: Scalar, what: str, findings: Findings) -> Value | Wrong:
    found = _parts(node, what, _HUNDREDTHS, "degrees", findings)
    return found if isinstance(found, Wrong) else _plain(Fraction(found % (_TURN * _HUNDREDTHS), _HUNDREDTHS))


def _shape(node: Any, what: str, values: "ValueReader") -> Value | Wrong:  # noqa: ANN401
    """A shape; the radius of a round one is half its diameter, rounded up to a thousandth."""
    names = ("round",) if "round" in node else ("width", "length")
    sides = [_parts(node.get(each), f"`{each}` of {what}", _THOUSANDTHS, "inches", values.findings) for each in names]
    found = [each for each in sides if not isinstance(each, Wrong)]
    if len(found) < len(sides):
        return WRONG
    return ("round", (found[0] + 1) // 2) if len(found) == 1 else ("rectangle", *found)


def _polygon(node: Any, what: str, findings: Findings) -> Value | Wrong:  # noqa: ANN401
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


def pose(node: Any, thing: int, what: str, values: "ValueReader") -> Value | Wrong:  # noqa: ANN401
    """The pose of a thing that is known already, `{at: [3.5, 2], facing: 90}`; the facing is 0 where it is left out."""
    at, facing = node.get("at"), node.get("facing")
    point = _point(at, f"`at` of {what}", values.findings)
    angle = 0 if facing is None else _angle(facing, f"`facing` of {what}", values.findings)
    return WRONG if isinstance(point, Wrong) or isinstance(angle, Wrong) else (thing, point, angle)


# Back to JSON.


def place_json(pose_: Any) -> dict[str, Json]:  # noqa: ANN401
    """A pose of a thing that is known, as `pose` reads it."""
    _, at, facing = pose_
    return {"at": point_json(at), "facing": decimal(facing)}


def plane_board(node: Node | None, board: Board, findings: Findings) -> Plane:
    """What a state says of the board of the plane; all of it may be left out."""
    if not isinstance(node, Mapping):
        return Plane()
    width, depth, contact = (_length(node, name, board, findings) for name in (WIDTH, DEPTH, CONTACT))
    return Plane(width, depth, TOLERANCE if contact is None else contact)


def _length(node: Mapping, name: str, board: Board, findings: Findings) -> int | None:
    given = node.get(name)
    if not isinstance(given, Scalar):
        return None
    found = inches(given, f"`{name}` of `{board.name}`", findings)
    return to_thousandths(found) if isinstance(found, int | Fraction) else None


def board_json(plane: Plane) -> dict[str, Json]:
    """What `plane_board` reads back as the same board."""
    found = {WIDTH: plane.width, DEPTH: plane.depth, CONTACT: plane.contact if plane.contact != TOLERANCE else None}
    return {name: decimal(of_thousandths(length)) for name, length in found.items() if length is not None}
