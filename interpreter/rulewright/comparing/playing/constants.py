"""Numbers at which changed places turn."""

from collections.abc import Iterable

from rulewright.comparing.playing.places import Place
from rulewright.machine.walk import nodes
from rulewright.program import expressions as ex


def constants(places: Iterable[Place]) -> tuple[int, ...]:
    """The whole numbers written in some places, with their neighbours."""
    found = set()
    for place in places:
        for node in nodes(place.node):
            if isinstance(node, ex.Literal) and isinstance(node.value, int) and not isinstance(node.value, bool):
                found |= {node.value - 1, node.value, node.value + 1}
    return tuple(sorted(found))
