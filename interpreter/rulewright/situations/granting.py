"""States as somebody wishes them: certain values in certain places, the rest as it was."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from rulewright.frozen import dataclass
from rulewright.inputs.nodes import Json
from rulewright.inputs.sections import CELLS, GAME, SETTINGS
from rulewright.program.declarations import Program
from rulewright.situations.chooser import Chooser, chance, one_of
from rulewright.situations.places import PLACE

_MANY = 60


@dataclass(frozen=True, slots=True)
class Wish:
    """A value wanted somewhere.

    Attributes:
        place: `Kind/attribute`, `game/field`, `settings/name`, `board/attribute`, or `procedure/parameter`.
        value: as JSON.
    """

    place: str
    value: Json


def granted(state: dict[str, Json], program: Program, wishes: Sequence[Wish], chooser: Chooser) -> dict[str, Json]:
    """The state with what was wished; arguments are left to whoever begins the procedure.

    A wish for an attribute is granted to some things of the kind, one at least, or to the cells where things stand.
    """
    found: dict[str, Any] = deepcopy(state)
    for each in wishes:
        owner, _, name = each.place.rpartition("/")
        if owner in {GAME, SETTINGS}:
            found.setdefault(owner, {})[name] = each.value
        elif owner in program.kinds:
            _give(list(found.get(program.kinds[owner].plural, {}).values()), name, each.value, chooser)
        elif owner in program.boards and isinstance(found.get(owner), dict):
            cells = found[owner].setdefault(CELLS, {})
            where = [cells.setdefault(key, {}) for key in sorted(_taken(found, program))]
            _give([*where, *cells.values()], name, each.value, chooser)
    return found


def _give(holders: Sequence[dict[str, Any]], name: str, value: Json, chooser: Chooser) -> None:
    if holders:
        one_of(chooser, holders)[name] = value
    for each in holders:
        if chance(chooser, _MANY):
            each[name] = value


def _taken(state: dict[str, Any], program: Program) -> set[str]:
    """The cells on which things stand, as keys."""
    spots = (thing.get(PLACE) for kind in program.kinds.values() for thing in state.get(kind.plural, {}).values())
    return {
        f"{spot[0]},{spot[1]}" for spot in spots if isinstance(spot, list) and all(isinstance(n, int) for n in spot)
    }
