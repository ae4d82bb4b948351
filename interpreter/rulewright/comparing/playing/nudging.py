"""States near one in which a change mattered, and states that hold what a solver would have them hold."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from rulewright.comparing.playing.states import State
from rulewright.frozen import dataclass
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.sections import GAME, REMOVED, SETTINGS
from rulewright.machine.constants import start_value
from rulewright.machine.situation import Base
from rulewright.program.declarations import Program
from rulewright.program.types import FlagType, NumberType, ThingType, Type
from rulewright.proving.wishes import Some, Wish, Wished
from rulewright.situations.chooser import Chooser, chance, one_of
from rulewright.situations.making import BASE, PLACE
from rulewright.situations.values import Values

_MOST, _TURNING, _LINKED, _READ, _TOGETHER = 3, 60, 25, 70, 20


@dataclass(frozen=True, slots=True)
class _Spot:
    """A value in a state: what holds it, under which key, its type, and the place as `Unit/health` or `game/round`."""

    holder: Any
    key: str
    type: Type
    place: str


def nudged(state: State, program: Program, constants: Sequence[int], read: Collection[str], values: Values) -> State:
    """The state with one to three values drawn anew: numbers often at a constant or as another, things where one is.

    Every other value is of a place among those given, where there is one.
    """
    found = deepcopy(state)
    spots = [each for each in _spots(found, program, read) if _is_drawn(each, values)]
    numbers = [each.holder[each.key] for each in spots if isinstance(each.type, NumberType)]
    near = [each for each in spots if each.place in read] or spots
    for _ in range(1 + values.chooser.below(_MOST) if spots else 0):
        spot = one_of(values.chooser, near if chance(values.chooser, _READ) else spots)
        others = [each.holder[each.key] for each in spots if each.place == spot.place and each is not spot]
        same_place = spot.key == PLACE and others and chance(values.chooser, _TOGETHER)
        drawn = one_of(values.chooser, others) if same_place else _drawn(spot, [*constants, *numbers], values)
        spot.holder[spot.key] = deepcopy(drawn)
    return found


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


def _drawn(spot: _Spot, turning: Sequence[int], values: Values) -> Any:  # noqa: ANN401
    match spot.type:
        case NumberType(low, high) if chance(values.chooser, _TURNING):
            now = spot.holder[spot.key]
            near = [*turning, now - 1, now + 1]
            fits = [each for each in near if (low is None or each >= low) and (high is None or each <= high)]
            return one_of(values.chooser, fits) if fits else now
        case FlagType():
            return not spot.holder[spot.key]
        case type_:
            return values.of(type_)


def solution(wish: Wish, state: State, program: Program, chooser: Chooser) -> State:
    """A state of the new revision with the values of a wish, on things of it that are drawn.

    Things that a wish needs and the state does not have are left out. Whether the state is legal is not judged.
    """
    found: dict[str, Any] = deepcopy(state)
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
            found[relation] = _linked(found.get(relation) or [], [chosen[each] for each in both], holds=holds)
    return _out(wish, found, chosen)


def _linked(pairs: list[list[str]], pair: list[str], *, holds: bool) -> list[list[str]]:
    """A relation with a pair in it, or without it whichever way round it is written."""
    kept = [each for each in pairs if each not in (pair, pair[::-1])]
    return [*kept, pair] if holds else kept


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


def _value(value: Wished, chosen: Mapping[Some, str]) -> Any:  # noqa: ANN401 - as state files have it
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
