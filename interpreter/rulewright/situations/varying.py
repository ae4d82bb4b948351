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
from rulewright.situations.chooser import Chooser, chance, one_of
from rulewright.situations.places import BASE, PLACE, place
from rulewright.situations.sizes import Sizes
from rulewright.situations.values import Values

_DRAWN, _MOVED, _LINKED = (5, 20, 50), 60, 5


def varied(program: Program, fixture: Situation, sizes: Sizes, chooser: Chooser) -> dict[str, Json]:
    """A state like the fixture, in the form of a state file; whether it is legal is not judged.

    Some states are nearer to the fixture than others: a twentieth, a fifth or half of the numbers, words, flags and
    collections are drawn anew, references to things seldom; in most states things stand elsewhere, near each other.
    """
    state: dict[str, Any] = deepcopy(state_json(fixture, program))
    cells = [cell for found in fixture.base.boards.values() for cell in found]
    values = Values(program, chooser, fixture.base.things, cells, lambda name, by: planes.plane_value(name, by, sizes))
    share = one_of(chooser, _DRAWN)
    for kind in program.kinds.values():
        _vary_things(kind, state[kind.plural], values, share)
    if chance(chooser, _MOVED):
        place(state, values, sizes)
    for name, each in program.game.items():
        if _is_drawn(each, chooser, share):
            state[GAME][name] = values.of(each.type)
    return state | ({SETTINGS: state[SETTINGS] | values.settings()} if program.settings else {})


def _vary_things(kind: Kind, things: dict[str, dict[str, Json]], values: Values, share: int) -> None:
    for attributes in things.values():
        for each in kind.fields:
            if each.name not in {PLACE, BASE} and _is_drawn(each, values.chooser, share):
                attributes[each.name] = values.of(each.type)


def _is_drawn(each: Field, chooser: Chooser, share: int) -> bool:
    return chance(chooser, _LINKED if isinstance(each.type, ThingType) else share)
