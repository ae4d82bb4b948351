"""Situations in which both revisions may play, made, completed, or nudged to where values change."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.comparing.playing.answers import values_of
from rulewright.comparing.playing.states import (
    Opened,
    Start,
    State,
    carried,
    carried_roles,
    shared_settings,
    spelled_out,
    with_roles,
)
from rulewright.comparing.playing.translate_values import Crossing, LostError, Ways
from rulewright.frozen import dataclass
from rulewright.inputs.names import GAME, REMOVED, SETTINGS, Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.state_json import state_json
from rulewright.machine.layout import start_value
from rulewright.machine.state import Base, Situation
from rulewright.outline.items import Name
from rulewright.program.declarations import Field, Procedure, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.plane import POINT
from rulewright.program.types import FlagType, NumberType, OptionalType, ThingType, Type, present
from rulewright.proving.apart import Some, Wish, Wished
from rulewright.situations.making import BASE, PLACE, copied, situation_of
from rulewright.situations.values import (
    THOUSAND,
    Chooser,
    NoValueError,
    Sizes,
    Values,
    board_shape,
    chance,
    one_of,
    radius_of,
    written_length,
)

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
            written, cells = board_shape(board, chooser, sizes)
            found[board.name] = {"shape": written}
    values = Values(program, chooser, things, cells, sizes)
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


_MOST, _TURNING, _LINKED, _READ, _TOGETHER, _APART, _EDGES = 3, 60, 25, 70, 20, 70, 70


@dataclass(frozen=True, slots=True)
class _Spot:
    """A value in a state: what holds it, under which key, its type, and the place as `Unit/health` or `game/round`."""

    holder: Any
    key: str
    type: Type
    place: str


def nudged(state: State, program: Program, constants: Sequence[int], read: Collection[str], values: Values) -> State:
    """The state with one to three values drawn anew: numbers often at a constant or as another, things where one is.

    On the plane things often stand a constant apart. Every other value is of a place among those given, where there is
    one.
    """
    found = copied(state)
    spots = [each for each in _spots(found, program, read) if _is_drawn(each, values)]
    numbers = [each.holder[each.key] for each in spots if isinstance(each.type, NumberType)]
    near = [each for each in spots if each.place in read] or spots
    for _ in range(1 + values.chooser.below(_MOST) if spots else 0):
        spot = one_of(values.chooser, near if chance(values.chooser, _READ) else spots)
        others = [each.holder for each in spots if each.place == spot.place and each is not spot]
        if spot.key == PLACE and others and chance(values.chooser, _TOGETHER):
            drawn = one_of(values.chooser, others)[PLACE]
        elif spot.key == PLACE and others and present(spot.type) == POINT and chance(values.chooser, _APART):
            drawn = _apart(spot.holder, one_of(values.chooser, others), constants, program, values.chooser)
        else:
            drawn = _drawn(spot, [*constants, *numbers], values)
        spot.holder[spot.key] = drawn
    return found


def levelled(state: State, program: Program, level: int | None) -> State:
    """The state with all numbers of its things at one value, as far as they hold it; at their largest without one."""
    found = copied(state)
    for spot in _spots(found, program, ()):
        number = spot.type if isinstance(spot.type, NumberType) else None
        wanted = level if level is not None or number is None else number.high
        if number is not None and wanted is not None and number.holds(wanted) and "/" in spot.place:
            spot.holder[spot.key] = wanted
    return found


def _apart(thing: Any, other: Any, constants: Sequence[int], program: Program, chooser: Chooser) -> Json:
    """A point beside, above or below another thing, a constant from its edge or from its middle."""
    bases = [each[BASE] for each in (thing, other) if BASE in each] if chance(chooser, _EDGES) else []
    written = [each for each in constants if each >= 0 and {each - 1, each + 1} <= set(constants)]
    far = one_of(chooser, written or [0])
    way = (far * THOUSAND + sum(radius_of(each, program) for each in bases)) * one_of(chooser, (1, -1))
    at = [round(each * THOUSAND) for each in other[PLACE]]
    at[chooser.below(2)] += way
    return [written_length(each) for each in at]


def _is_drawn(spot: _Spot, values: Values) -> bool:
    if spot.key == BASE:
        return False
    return not isinstance(spot.type, ThingType) or chance(values.chooser, _LINKED)


def _spots(state: State, program: Program, read: Collection[str]) -> Iterator[_Spot]:
    """The values of a state, and the readings that are read."""
    given: Any = state
    for kind in program.kinds.values():
        for attributes in given.get(kind.plural, {}).values():
            known = [each for each in kind.fields if each.name in attributes]
            yield from (_Spot(attributes, each.name, each.type, f"{kind.name}/{each.name}") for each in known)
    for name, field in program.game.items():
        if name in given.get(GAME, {}):
            yield _Spot(given[GAME], name, field.type, f"{GAME}/{name}")
    for name, setting in program.settings.items():
        place = f"{SETTINGS}/{name}"
        if place in read and name not in given.get(SETTINGS, {}):
            written = to_json(start_value(setting.value, setting.type), setting.type, Names(program, Base({})))
            given.setdefault(SETTINGS, {})[name] = written
        if name in given.get(SETTINGS, {}):
            yield _Spot(given[SETTINGS], name, setting.type, place)


def _drawn(spot: _Spot, turning: Sequence[int], values: Values) -> Any:
    match spot.type:
        case NumberType() if chance(values.chooser, _TURNING):
            now = spot.holder[spot.key]
            near = [*turning, now - 1, now + 1]
            fits = [each for each in near if spot.type.holds(each)]
            return one_of(values.chooser, fits) if fits else now
        case FlagType():
            return not spot.holder[spot.key]
        case type_:
            return values.of(type_)


def solution(wish: Wish, state: State, program: Program, chooser: Chooser) -> State:
    """A state of the new revision with the values of a wish, on things of it that are drawn.

    Things that a wish needs and the state does not have are left out. Whether the state is legal is not judged.
    """
    found = copied(state)
    chosen = _chosen(wish, found, program, chooser)
    for some, values in wish.things.items():
        if some in chosen:
            attributes = found[program.kinds[some.kind].plural][chosen[some]]
            attributes.update(_values(values, chosen))
    for section, values in ((GAME, wish.game), (SETTINGS, wish.settings)):
        if values:
            found[section] = {**found.get(section, {}), **_values(values, chosen)}
    for (relation, *both), holds in wish.pairs.items():
        if all(each in chosen for each in both):
            pair = [chosen[each] for each in both]
            kept = [each for each in (found.get(relation) or []) if each not in (pair, pair[::-1])]
            found[relation] = [*kept, pair] if holds else kept
    return _out(wish, found, chosen)


def _chosen(wish: Wish, state: Mapping[str, Any], program: Program, chooser: Chooser) -> dict[Some, str]:
    """A thing of the state for each that a wish mentions."""
    left = {kind.name: list(state.get(kind.plural) or ()) for kind in program.kinds.values()}
    found: dict[Some, str] = {}
    for some in dict.fromkeys(_mentioned(wish)):
        ids = left.get(some.kind)
        if ids:
            found[some] = ids.pop(chooser.below(len(ids)))
    return found


def _mentioned(wish: Wish) -> list[Some]:
    values = [*wish.game.values(), *(each for row in wish.things.values() for each in row.values())]
    linked = (each for _, *both in wish.pairs for each in both)
    return [*wish.things, *wish.gone, *linked, *(each for each in values if isinstance(each, Some))]


def _values(values: Mapping[str, Wished], chosen: Mapping[Some, str]) -> dict[str, Any]:
    """Values as state files have them; what names a thing that is not there is left out."""
    kept = {name: value for name, value in values.items() if not isinstance(value, Some) or value in chosen}
    return {name: _value(value, chosen) for name, value in kept.items()}


def _value(value: Wished, chosen: Mapping[Some, str]) -> Any:  # as state files have it
    match value:
        case Some():
            return chosen[value]
        case tuple():
            return [_value(each, chosen) for each in value if not isinstance(each, Some) or each in chosen]
        case _:
            return value


def _out(wish: Wish, state: dict[str, Any], chosen: Mapping[Some, str]) -> State:
    """The state with things in play and out of play as wished."""
    inside = {chosen[each] for each in wish.things if each in chosen and each not in wish.gone}
    outside = {chosen[each] for each in wish.gone if each in chosen}
    now = [each for each in state.get(REMOVED) or () if each not in inside]
    removed = sorted({*now, *outside})
    rest = {key: each for key, each in state.items() if key != REMOVED}
    return rest | ({REMOVED: removed} if removed else {})
