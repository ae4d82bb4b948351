"""Situations in which both revisions may play, as data, with what one needs besides what the other told."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from rulewright.comparing.playing.crossing import Crossing, LostError, Ways
from rulewright.comparing.playing.elsewhere import values_of
from rulewright.comparing.playing.opening import Opened, Start, with_roles
from rulewright.comparing.playing.states import State, carried, carried_roles, shared_settings, spelled_out
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.sections import GAME, SETTINGS
from rulewright.inputs.state_json import state_json
from rulewright.machine.situation import Situation
from rulewright.outline.names import Name
from rulewright.program.declarations import Field, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import OptionalType, ThingType, Type
from rulewright.situations import grids, planes
from rulewright.situations.chooser import Chooser, Sizes
from rulewright.situations.legal import situation_of
from rulewright.situations.values import NoValueError, Values

Cell = tuple[int, int]


def filled(state: Mapping[str, Any], program: Program, cells: Sequence[Cell], chooser: Chooser) -> State:
    """The state with a value for everything that has no start value, and with every board; the rest keeps its start.

    Raises:
        NoValueError: something can have no value, such as a reference to a kind of which there is nothing.
    """
    sizes = Sizes()
    found: dict[str, Any] = dict(state)
    things = {kind.name: list(found.get(kind.plural, {})) for kind in program.kinds.values()}
    for board in program.boards.values():
        if board.name not in found and board.space != "plane":
            written, cells = grids.shape(board, chooser, sizes)
            found[board.name] = {"shape": written}
    values = Values(program, chooser, things, cells, lambda name, by: planes.plane_value(name, by, sizes))
    for kind in program.kinds.values():
        given = found.get(kind.plural, {})
        found[kind.plural] = {id_: _whole(attributes, kind.fields, values) for id_, attributes in given.items()}
    if program.game:
        found[GAME] = _whole(found.get(GAME, {}), program.game.values(), values)
    return found


def _whole(given: Mapping[str, Any], fields: Iterable[Field], values: Values) -> dict[str, Any]:
    lacking = {each.name: values.of(each.type) for each in fields if each.start is None and each.name not in given}
    return {**given, **lacking}


_WAYS, _DRAWN = 40, 3
LEFT_OUT: Json = {"left": "out"}
"""Stands for an argument that is not given, so that its default is taken."""


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


def beginnings(  # noqa: PLR0913, PLR0917
    found: Placed,
    side: int,
    procedures: tuple[Procedure, Procedure],
    ways: Ways,
    chooser: Chooser,
    wished: Mapping[str, Json] | None = None,
) -> Iterator[Opened]:
    """Up to 40 ways to begin a procedure in a situation, roles drawn in one revision but for those that are wished."""
    crossing = ways.back if side else ways.across
    here, there = procedures[side], procedures[1 - side]
    names = Names(crossing.here, found.situations[side].base)
    optional = optional_roles(here, there, crossing)
    given = wished or {}
    every = [
        [given[each.name]]
        if each.name in given
        else [
            *candidates(each.type, found.situations[side], values_of(names, chooser)),
            *([LEFT_OUT] if each.name in optional else []),
        ]
        for each in here.parameters
    ]
    possible = list(product(*every))
    for _ in range(min(_WAYS, len(possible))):
        roles = with_names((each.name for each in here.parameters), possible.pop(chooser.below(len(possible))))
        try:
            other = carried_roles(roles, here, there, crossing)
        except LostError:
            continue
        both = (other, roles) if side else (roles, other)
        starts = Start(found.states[0], both[0]), Start(found.states[1], both[1])
        opened = with_roles(procedures, starts, found.situations, ways)
        if opened is not None:
            yield opened


def with_names(names: Iterable[str], chosen: Sequence[Json]) -> dict[str, Json]:
    """Values by name, without those that are left out."""
    return {name: value for name, value in zip(names, chosen, strict=True) if value is not LEFT_OUT}


def optional_roles(here: Procedure, there: Procedure, crossing: Crossing) -> frozenset[str]:
    """Parameters that a play of either revision may leave out, by their names here."""
    names = {each.name: crossing.names.new("parameter", f"{here.name}/{each.name}") for each in here.parameters}
    other = {f"{there.name}/{each.name}" for each, default in _defaults(there) if default is not None}
    own = {each.name for each, default in _defaults(here) if default is not None}
    return frozenset(own | {name for name, target in names.items() if target in other})


def _defaults(procedure: Procedure) -> Iterator[tuple[Variable, Expression | None]]:
    return zip(procedure.parameters, procedure.defaults, strict=True)


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
