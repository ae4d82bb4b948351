"""Numbers at which changed places turn, and what they read."""

from collections.abc import Iterable

from rulewright.comparing.playing.places import Place
from rulewright.inputs.sections import SETTINGS
from rulewright.machine.footprint import Footprint
from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.walk import nodes


def constants(places: Iterable[Place]) -> tuple[int, ...]:
    """The whole numbers written in some places, with their neighbours."""
    found = set()
    for place in places:
        for node in nodes(place.node):
            if isinstance(node, ex.Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
                found |= {node.value - 1, node.value, node.value + 1}
    return tuple(sorted(found))


def read(places: Iterable[Place], program: Program) -> frozenset[str]:
    """What some places read of a state, as `Unit/health` or `game/round`, and settings as `settings/name`."""
    footprint = Footprint(program)
    found: set[str] = set()
    for place in places:
        found |= footprint.reads(place.node)
        found |= {f"{SETTINGS}/{each.name}" for each in nodes(place.node) if isinstance(each, ex.SettingValue)}
    return frozenset(found)
