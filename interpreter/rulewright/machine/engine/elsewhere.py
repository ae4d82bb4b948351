"""What an external procedure hands back."""

from typing import Any

from rulewright.machine.world import UNSETTLED, Places, World


def delivered(world: World) -> Any:  # noqa: ANN401
    """Takes the changes an external procedure made; returns its result."""
    result, changes = world[0].reply
    places, masks = world[0].places, world[0].tables.masks
    for place, key, value in changes:
        if _apply(world, places, place, key, value):
            world[0].known.clear()
        world[UNSETTLED] |= masks.get(place, 0)
    return result


def _apply(world: World, places: Places, place: str, key: Any, value: Any) -> bool:  # noqa: ANN401
    """Puts a new value somewhere; whether it was another one before."""
    kind, _, name = place.partition("/")
    holder, at = world, key
    if kind == "game":
        at = places.game[name]
    elif place in places.columns:
        holder = world[places.columns[place]]
    elif place in places.cells:
        holder = world[places.cells[place]]
    elif name == "gone":
        holder = world[places.gone[kind]]
    else:
        pairs = world[places.relations[place]]
        was = key in pairs
        (pairs.add if value else pairs.discard)(key)
        return was is not value
    was = holder.get(at) if isinstance(holder, dict) else holder[at]
    holder[at] = value
    if name == "gone":
        world[places.in_play[kind]] = tuple(number for number, out in enumerate(holder) if not out)
    return bool(was != value)
