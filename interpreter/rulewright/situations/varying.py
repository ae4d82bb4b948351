"""States near one that a person wrote: some of its values are drawn anew, its things stay."""

from copy import deepcopy
from typing import Any

from rulewright.inputs.nodes import Json
from rulewright.inputs.sections import GAME, SETTINGS
from rulewright.inputs.state_json import state_json
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Field, Kind, Program
from rulewright.program.types import ThingType
from rulewright.situations import planes
from rulewright.situations.chooser import Chooser, chance
from rulewright.situations.places import BASE, PLACE, place
from rulewright.situations.sizes import Sizes
from rulewright.situations.values import Values

_DRAWN, _MOVED, _LINKED = 35, 60, 5


def varied(program: Program, fixture: Situation, sizes: Sizes, chooser: Chooser) -> dict[str, Json]:
    """A state like the fixture, in the form of a state file; whether it is legal is not judged.

    Numbers, words, flags and collections are drawn anew one time in three, references to things seldom; in half of
    the states things stand elsewhere, near each other.
    """
    state: dict[str, Any] = deepcopy(state_json(fixture, program))
    cells = [cell for found in fixture.base.boards.values() for cell in found]
    values = Values(program, chooser, fixture.base.things, cells, lambda name, by: planes.plane_value(name, by, sizes))
    for kind in program.kinds.values():
        _vary_things(kind, state[kind.plural], values)
    if chance(chooser, _MOVED):
        place(state, values, sizes)
    for name, each in program.game.items():
        if _is_drawn(each, chooser):
            state[GAME][name] = values.of(each.type)
    return state | ({SETTINGS: state[SETTINGS] | values.settings()} if program.settings else {})


def _vary_things(kind: Kind, things: dict[str, dict[str, Json]], values: Values) -> None:
    for attributes in things.values():
        for each in kind.fields:
            if each.name not in {PLACE, BASE} and _is_drawn(each, values.chooser):
                attributes[each.name] = values.of(each.type)


def _is_drawn(each: Field, chooser: Chooser) -> bool:
    return chance(chooser, _LINKED if isinstance(each.type, ThingType) else _DRAWN)
