"""What a base would see from a place on the plane that is asked for, as far as the rules ask about sight and arcs."""

from fractions import Fraction
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import walk_nodes
from rulewright.documents.name_table import NameTable
from rulewright.play.plane_drawing import search_placement
from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.types import INCHES_PER_UNIT, PlaneType, ThingType, strip_optional
from rulewright.runtime.board_geometry import body_at_pose, gap_of, in_arc_of, list_bodies, sees_of
from rulewright.runtime.geometry import Number, inches_to_thousandths, point_distance, thousandths_to_inches
from rulewright.runtime.pose_search import PoseSearch
from rulewright.runtime.request import Request
from rulewright.runtime.state import Situation
from rulewright.runtime.values import Value


@dataclass(frozen=True, slots=True)
class Sight:
    """Another base as seen from a place; lengths in the unit of the board."""

    thing: str  # its id
    middle: tuple[float, float]
    gap: float  # from edge to edge
    sees: bool | None  # None: the rules never ask
    ahead: bool | None  # in the widest arc that the rules ask about; None: they ask about none


@dataclass(frozen=True, slots=True)
class SightRules:
    """What the rules ask about sight."""

    asks_sight: bool
    arc: Number | None  # the widest, in degrees


def find_sight_rules(program: Program) -> SightRules:
    """What a ruleset asks about sight and arcs, anywhere in it."""
    calls = [node for node in walk_nodes(program) if isinstance(node, ex.Builtin)]
    arcs = [
        value
        for call in calls
        if call.name == "in_arc" and isinstance(call.arguments[2], ex.Literal)
        for value in (call.arguments[2].value,)
        if isinstance(value, int | Fraction)
    ]
    return SightRules(any(call.name == "sees" for call in calls), max(arcs, default=None))


def list_sights(request: Request, pose: Value, names: NameTable, unit: str) -> list[Sight]:
    """All other bases as seen from a pose that a request asks for; none where the rules ask nothing about sight."""
    rules, question = find_sight_rules(names.program), request.question
    if question is None or request.sort != "place" or not (rules.asks_sight or rules.arc is not None):
        return []
    world = question.world
    own = body_at_pose(world, pose) if isinstance(pose, tuple) else None
    if own is None:
        return []
    scale = float(INCHES_PER_UNIT[unit])
    return [
        Sight(
            thing=names.thing_id(other.kind, other.thing),
            middle=(_in_unit(other.middle[0], scale), _in_unit(other.middle[1], scale)),
            gap=round(float(gap_of(own, other, "")) / scale, 2),
            sees=sees_of(world, own, other) if rules.asks_sight else None,
            ahead=in_arc_of(world, own, other, rules.arc) if rules.arc is not None else None,
        )
        for other in list_bodies(world)
        if (other.kind, other.thing) != (own.kind, own.thing)
    ]


def find_reach(request: Request, situation: Situation, names: NameTable, unit: str) -> float | None:
    """How far the middle of a base may go from where it stands, where a condition compares that distance; in the unit.

    It is the shortest length compared that no legal place goes beyond.
    """
    search, question = search_placement(request, situation, names), request.question
    if search is None or question is None:
        return None
    thing, type_ = request.arguments["thing"]
    assert isinstance(type_, ThingType)
    assert isinstance(thing, int)
    places = [
        column for name, column in situation.attributes.items() if name == f"{type_.kind}/{_place_of(names, type_)}"
    ]
    start: Any = places[0][thing] if places else None
    if start is None:
        return None
    farthest = max((point_distance(start, at) for at in search.legal), default=0)
    reaches = PoseSearch(question.world, question.frame, question.data).list_reaches()
    fitting = sorted(reach for reach in reaches if inches_to_thousandths(reach) >= farthest - _ROUNDING)
    return round(float(fitting[0]) / float(INCHES_PER_UNIT[unit]), 3) if fitting else None


_ROUNDING = 2
"""Thousandths of an inch by which a place may be rounded."""


def _place_of(names: NameTable, type_: ThingType) -> str:
    """Name of the attribute that says where things of a kind stand."""
    fields = names.program.kinds[type_.kind].fields
    return next((field.name for field in fields if strip_optional(field.type) == PlaneType("point")), "")


def _in_unit(thousandths: int, scale: float) -> float:
    return round(float(thousandths_to_inches(thousandths)) / scale, 3)
