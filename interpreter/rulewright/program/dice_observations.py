"""Dice observations: what expressions see of single dice, for exchangeability of dice in exact odds.

A name that holds dice is read either whole, which distinguishes its dice, or through observations. An observation is
what an expression sees of one die, independent of the others: nested tuples of an operation and its parts,
`("die", attribute)`, `("value", v)` and `("name", index)` for a parameter. All other reads are `FULLY_OBSERVED`.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from rulewright.program.types import DieType, PoolType, SetType

DieObservation = tuple[Any, ...]
DieObservations = frozenset[DieObservation]
DiceReads = dict[int, DieObservations]
"""Observations of each variable read, by its index; of a variable without dice always `FULLY_OBSERVED`."""

FULLY_OBSERVED: DieObservations = frozenset({("itself",)})
"""The dice are distinguished: by choice, order or origin, or in a way not proved to be less."""
FACE_ONLY: DieObservations = frozenset({("die", "natural")})


def merge_reads(first: Mapping[int, DieObservations], second: Mapping[int, DieObservations]) -> DiceReads:
    """Union of the reads of two parts."""
    result = dict(first)
    for index, observations in second.items():
        result[index] = result.get(index, frozenset()) | observations
    return result


def substitute_observations(
    observations: DieObservations, arguments: Mapping[int, DieObservation | None]
) -> DieObservations:
    """Observations with the arguments of a call substituted for parameters: values, or variables of the caller.

    Where an argument is neither, the observation becomes the attributes of the die that it uses.
    """
    members: set[DieObservation] = set()
    for observation in observations:
        put = _substitute_observation(observation, arguments)
        members.update([put] if put is not None else find_observation_parts(observation, "die"))
    return frozenset(members)


def _substitute_observation(
    observation: DieObservation, arguments: Mapping[int, DieObservation | None]
) -> DieObservation | None:
    if observation[0] == "name":
        return arguments.get(observation[1])
    if observation[0] in {"die", "value", "itself"}:
        return observation
    parts_ = [_substitute_observation(item, arguments) for item in observation[1:]]
    return None if None in parts_ else (observation[0], *parts_)


def find_observation_parts(observation: DieObservation, sort: str) -> Iterator[DieObservation]:
    """Parts of an observation of one sort: `die` (attributes of the die) or `name` (parameters)."""
    if observation[0] == sort:
        yield observation
    elif observation[0] not in {"die", "value", "name", "itself"}:
        for item in observation[1:]:
            yield from find_observation_parts(item, sort)


@cache
def compile_observer(observations: DieObservations) -> Callable[[Any], tuple[Any, ...]]:
    """Compiled function from a `runtime.dice.Die` to the value of each observation; no observation has parameters."""
    constants: dict[str, Any] = {}
    parts = "".join(
        f"{_render_observation(observation, constants)}, " for observation in sorted(observations, key=repr)
    )
    return eval(f"lambda die: ({parts})", constants)  # type: ignore[no-any-return]  # noqa: S307 - of our own words


def _render_observation(observation: DieObservation, constants: dict[str, Any]) -> str:
    """Python expression over `die` for an observation; constants are bound by name."""
    match observation:
        case ("die", name):
            return f"die.{DIE_FIELDS[name]}"
        case ("value", value):
            name = f"v{len(constants)}"
            constants[name] = value
            return name
        case ("not", part):
            return f"(not {_render_observation(part, constants)})"
        case (operator, left, right):
            sign = "==" if operator == "=" else operator
            return f"({_render_observation(left, constants)} {sign} {_render_observation(right, constants)})"
        case _:
            raise AssertionError(observation)


DIE_FIELDS = {
    "natural": "face",
    "face": "face",
    "first": "first",
    "rerolls": "rerolls",
    "part": "part",
    "name": "model",
}
"""Fields of `runtime.dice.Die` by attribute of a die in the language."""


_THROWN_FIELDS = frozenset({"natural", "face"})


@cache
def extend_for_reroll(observations: DieObservations) -> DieObservations:
    """Observations with what distinguishes dice that may be rolled again: first face and number of rerolls."""
    members = set(observations)
    waiting = [] if observations >= FULLY_OBSERVED else [*observations]
    while waiting:
        fresh = {item for item in _observe_before_reroll(waiting.pop()) if item not in members}
        members |= fresh
        waiting += fresh
    return frozenset(members)


def _observe_before_reroll(observation: DieObservation) -> Iterator[DieObservation]:
    """What an observation sees of a die after a reroll that does not depend on its face, as observations before it."""
    attributes = {name for _, name in find_observation_parts(observation, "die")}
    if "rerolls" not in attributes and not (attributes & _THROWN_FIELDS):
        yield observation
        return
    match observation:
        case ("die", name):
            yield from () if name in _THROWN_FIELDS else (observation,)
        case ("not", part):
            yield from _observe_before_reroll(part)
        case ("and" | "or", left, right):
            yield from _observe_before_reroll(left)
            yield from _observe_before_reroll(right)
        case (operator, ("die", "rerolls") as rerolls, ("value", int(times))):
            yield (operator, rerolls, ("value", max(-1, times - 1)))
        case (operator, ("value", int(times)), ("die", "rerolls") as rerolls):
            yield (operator, ("value", max(-1, times - 1)), rerolls)
        case _:
            yield from (
                observation_part
                for observation_part in find_observation_parts(observation, "die")
                if observation_part[1] not in _THROWN_FIELDS
            )


def is_dice_collection(type_: object) -> bool:
    """Whether a type is that of a pool or a set of dice."""
    return isinstance(type_, PoolType) or (isinstance(type_, SetType) and isinstance(type_.item, DieType))


def is_dice_type(type_: object) -> bool:
    """Whether a type is that of a die, a pool or a set of dice."""
    return isinstance(type_, DieType) or is_dice_collection(type_)
