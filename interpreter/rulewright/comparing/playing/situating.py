"""Situations in which both revisions may play, as data."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from rulewright.comparing.naming import Name
from rulewright.comparing.playing.crossing import LostError, Ways
from rulewright.comparing.playing.elsewhere import values_of
from rulewright.comparing.playing.filling import filled
from rulewright.comparing.playing.opening import Opened, Start, situation_of, with_roles
from rulewright.comparing.playing.states import State, carried, carried_roles, shared_settings, spelled_out
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.sections import GAME, SETTINGS
from rulewright.inputs.state_json import state_json
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Procedure
from rulewright.program.types import OptionalType, ThingType, Type
from rulewright.situations.chooser import Chooser
from rulewright.situations.values import NoValueError, Values

_WAYS, _DRAWN = 40, 3


@dataclass(frozen=True, slots=True)
class Placed:
    """A state that both revisions can read, as data and as read, of the old one and of the new one."""

    states: tuple[State, State]
    situations: tuple[Situation, Situation]


def placed(state: State, side: int, ways: Ways, chooser: Chooser) -> Placed | None:
    """A state of one revision (0 is the old one) with its counterpart; none where either cannot be read."""
    crossing = ways.back if side else ways.across
    mine = shared_settings(state, crossing)
    here = situation_of(mine, crossing.here)
    if here is None:
        return None
    try:
        cells = [cell for found in here.base.boards.values() for cell in found]
        if ways.alike:
            other = mine
        else:
            mine = spelled_out(mine, state_json(here, crossing.here), crossing)
            other = filled(carried(mine, crossing), crossing.there, cells, chooser)
    except (LostError, NoValueError):
        return None
    there = here if ways.interchangeable else situation_of(other, crossing.there)
    if there is None:
        return None
    return Placed((other, mine), (there, here)) if side else Placed((mine, other), (here, there))


def beginnings(
    found: Placed, side: int, procedures: tuple[Procedure, Procedure], ways: Ways, chooser: Chooser
) -> Iterator[Opened]:
    """Up to 40 ways to begin a procedure in a situation, roles drawn in one revision."""
    crossing = ways.back if side else ways.across
    here, there = procedures[side], procedures[1 - side]
    names = Names(crossing.here, found.situations[side].base)
    for roles in _roles(here, found.situations[side], names, chooser):
        try:
            other = carried_roles(roles, here, there, crossing)
        except LostError:
            continue
        both = (other, roles) if side else (roles, other)
        starts = Start(found.states[0], both[0]), Start(found.states[1], both[1])
        opened = with_roles(procedures, starts, found.situations, ways)
        if opened is not None:
            yield opened


def _roles(procedure: Procedure, situation: Situation, names: Names, chooser: Chooser) -> Iterator[dict[str, Json]]:
    values = values_of(names, chooser)
    every = [candidates(each.type, situation, values) for each in procedure.parameters]
    possible = list(product(*every))
    for _ in range(min(_WAYS, len(possible))):
        chosen = possible.pop(chooser.below(len(possible)))
        yield {each.name: value for each, value in zip(procedure.parameters, chosen, strict=True)}


def candidates(type_: Type, situation: Situation, values: Values) -> list[Json]:
    """What can be given for a parameter of a type: all things in play, or some values drawn."""
    match type_:
        case ThingType(kind):
            gone = situation.gone.get(kind, ())
            return [each for at, each in enumerate(situation.base.things[kind]) if at not in gone]
        case OptionalType(inner):
            return [None, *candidates(inner, situation, values)]
        case _:
            try:
                return [values.of(type_) for _ in range(_DRAWN)]
            except NoValueError:
                return []


def forgetful(state: State, altered: Sequence[Name], plurals: dict[str, str]) -> State:
    """A state without the values of stored data that changed, so that each revision begins with its own start value."""
    found: dict[str, Any] = {**state}
    for name in altered:
        owner, _, field = name.name.rpartition("/")
        match name.sort:
            case "attribute" if plurals.get(owner) in found:
                things = found[plurals[owner]]
                found[plurals[owner]] = {id_: _without(given, field) for id_, given in things.items()}
            case "field" if GAME in found:
                found[GAME] = _without(found[GAME], field)
            case "setting" if SETTINGS in found:
                found[SETTINGS] = _without(found[SETTINGS], field)
    return found


def _without(given: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: each for key, each in given.items() if key != name}
