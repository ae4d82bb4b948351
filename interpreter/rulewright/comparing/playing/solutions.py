"""States that hold what a solver would have them hold."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from rulewright.comparing.playing.states import State
from rulewright.inputs.sections import GAME, REMOVED, SETTINGS
from rulewright.program.declarations import Program
from rulewright.proving.wishes import Some, Wish, Wished
from rulewright.situations.chooser import Chooser


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
