"""The board of the plane in a state file: how far it reaches, and how near bases in contact are."""

from fractions import Fraction

from rulewright.inputs.findings import Findings
from rulewright.inputs.nodes import Json, Mapping, Node, Scalar
from rulewright.inputs.plane_values import inches
from rulewright.inputs.wording import did_you_mean, quoted, shown, there_are
from rulewright.machine.plane.rounding import of_thousandths, to_thousandths
from rulewright.machine.situation import CONTACT as TOLERANCE
from rulewright.machine.situation import Plane
from rulewright.program.declarations import Board
from rulewright.program.plane import decimal

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
