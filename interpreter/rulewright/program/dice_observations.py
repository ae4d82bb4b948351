"""Dice observations: what expressions see of single dice, for exchangeability of dice in exact odds.

A name that holds dice is read either whole, which distinguishes its dice, or through observations. An observation is
what an expression sees of one die, independent of the others: nested tuples of an operation and its parts,
`("die", attribute)`, `("value", v)` and `("name", index)` for a parameter. All other reads are `FULLY_OBSERVED`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, reduce
from typing import Any

from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, PoolType, SetType
from rulewright.program.walk import get_outer_expressions, get_subexpressions

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


class DiceReadAnalysis:
    """Dice reads of the expressions of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, DiceReads] = {}

    def read_choice(self, binding: ex.Binding, constants: frozenset[int], observations: DieObservations) -> DiceReads:
        """Reads of a choice among dice that are exchangeable if alike in the later `observations`."""
        return merge_reads(
            self._read_dice_members(binding, binding, constants, {}),
            self.read_named_value(binding.source, constants, observations),
        )

    def read_named_value(
        self,
        value: ex.Expression,
        constants: frozenset[int],
        observations: DieObservations,
        owners: Mapping[int, tuple[int, ...]] | None = None,
    ) -> DiceReads:
        """Reads of a value bound to a variable that is seen later through `observations`.

        Dice that are alike under these observations are exchangeable.
        """
        owners = owners or {}
        match value:
            case ex.Local(variable=variable) if is_dice_type(variable.type):
                return dict.fromkeys(owners.get(variable.index, (variable.index,)), observations)
            case ex.Joined(left=left, right=right) if is_dice_collection(value.type):
                return merge_reads(
                    self.read_named_value(left, constants, observations, owners),
                    self.read_named_value(right, constants, observations, owners),
                )
            case ex.MakeCollection(items=items) if is_dice_collection(value.type):
                return reduce(
                    merge_reads, [self.read_named_value(item, constants, observations, owners) for item in items], {}
                )
            case ex.Comprehension(binding=binding, value=ex.Local(variable=die)) if (
                is_over_dice(binding) and binding.variables == (die,) and is_dice_collection(value.type)
            ):
                source = self.read_named_value(binding.source, constants, observations, owners)
                return merge_reads(self._read_dice_members(binding, binding, constants, owners), source)
            case _:
                return self._read_expression(value, constants, owners)

    def read_loop(self, binding: ex.Binding, read: Iterable[ex.Expression], constants: frozenset[int]) -> DiceReads:
        """Reads of a loop over dice whose order has no effect, given what is read of each die."""
        (die,) = binding.variables
        owners = {} if die is None else {die.index: _find_dice_owners(binding.source, {})}
        each = [self._read_expression(one, constants, owners) for one in read]
        return reduce(merge_reads, each, self.read_named_value(binding.source, constants, frozenset()))

    def read_dice_node(self, node: object, constants: frozenset[int]) -> DiceReads:
        """Reads of the expressions of a line, row or binding, without those of lines inside it.

        Args:
            node: an expression, line, row or binding.
            constants: indices of parameters that are never assigned.
        """
        result: DiceReads = {}
        for outer_expression in get_outer_expressions(node):
            result = merge_reads(result, self._read_expression(outer_expression, constants, {}))
        return result

    def read_function(self, name: str) -> DiceReads:
        """Reads of a function's parameters."""
        if name not in self._functions:
            function = self._program.functions[name]
            parameters = frozenset(parameter.index for parameter in function.parameters)
            self._functions[name] = dict.fromkeys(parameters, FULLY_OBSERVED)
            self._functions[name] = {
                index: observations
                for index, observations in self.read_dice_node(function.body, parameters).items()
                if index in parameters
            }
        return self._functions[name]

    def _read_expression(self, node: Any, constants: frozenset[int], dice: Mapping[int, tuple[int, ...]]) -> DiceReads:
        observed_dice: set[int] = set()
        observation = _observe_dice(node, constants, observed_dice)
        if observation is not None and len(observed_dice) == 1:
            (die,) = observed_dice
            named: DiceReads = {index: FULLY_OBSERVED for _, index in find_observation_parts(observation, "name")}
            return merge_reads(named, dict.fromkeys(dice.get(die, (die,)), frozenset({observation})))
        unordered = _find_unordered_list(node)
        if unordered is not None:
            others = [
                self._read_expression(item, constants, dice)
                for item in get_subexpressions(node)
                if item is not unordered
            ]
            return reduce(merge_reads, others, self._read_dice_members(unordered, unordered.binding, constants, dice))
        match node:
            case ex.Local(variable=variable):
                return dict.fromkeys(dice.get(variable.index, (variable.index,)), FULLY_OBSERVED)
            case (
                ex.Membership(item=first, collection=second)
                | ex.Comparison(operator="=" | "!=", left=first, right=second)
            ) if is_dice_type(first.type) and is_dice_type(second.type):
                which = [self.read_named_value(item, constants, frozenset(), dice) for item in (first, second)]
                return merge_reads(*which)
            case ex.Aggregate(binding=binding) | ex.Quantifier(binding=binding) if is_over_dice(binding):
                return self._read_dice_members(node, binding, constants, dice)
            case ex.Comprehension(binding=binding, type=SetType()) if is_over_dice(binding):
                return self._read_dice_members(node, binding, constants, dice)
            case ex.Builtin(name="total", arguments=(ex.Local(variable=pool),)):
                return {pool.index: FACE_ONLY}
            case ex.CallFunction(function=name, arguments=arguments):
                return self.read_call(self.read_function(name), arguments, constants, dice)
            case _:
                result: DiceReads = {}
                for subexpression in get_subexpressions(node):
                    result = merge_reads(result, self._read_expression(subexpression, constants, dice))
                return result

    def read_call(
        self,
        read: DiceReads,
        arguments: tuple[ex.Expression, ...],
        constants: frozenset[int],
        dice: Mapping[int, tuple[int, ...]] | None = None,
    ) -> DiceReads:
        """Reads of a call, from the reads of the function's parameters."""
        values = {index: _observe_argument(item, constants) for index, item in enumerate(arguments)}
        result: DiceReads = {}
        for index, argument in enumerate(arguments):
            observations = (
                substitute_observations(read.get(index, frozenset()), values)
                if is_dice_type(argument.type)
                else FULLY_OBSERVED
            )
            result = merge_reads(result, self.read_named_value(argument, constants, observations, dice))
        return result

    def _read_dice_members(
        self, node: Any, binding: ex.Binding, constants: frozenset[int], dice: Mapping[int, tuple[int, ...]]
    ) -> DiceReads:
        result = self.read_named_value(binding.source, constants, frozenset(), dice)
        (die,) = binding.variables
        inside = dice if die is None else {**dice, die.index: _find_dice_owners(binding.source, dice)}
        for subexpression in get_subexpressions(node):
            if subexpression is not binding.source:
                result = merge_reads(result, self._read_expression(subexpression, constants, inside))
        return result


def is_dice_collection(type_: object) -> bool:
    """Whether a type is that of a pool or a set of dice."""
    return isinstance(type_, PoolType) or (isinstance(type_, SetType) and isinstance(type_.item, DieType))


def is_dice_type(type_: object) -> bool:
    """Whether a type is that of a die, a pool or a set of dice."""
    return isinstance(type_, DieType) or is_dice_collection(type_)


def is_over_dice(binding: ex.Binding) -> bool:
    """Whether a binding visits the dice of named pools or sets, one by one."""
    return len(binding.variables) == 1 and is_dice_collection(binding.source.type) and _is_named_dice(binding.source)


def _is_named_dice(dice: ex.Expression) -> bool:
    """Whether dice are those of names, joined, subtracted or filtered by conditions."""
    match dice:
        case ex.Local():
            return is_dice_type(dice.type)
        case ex.Joined(left=left, right=right):
            return _is_named_dice(left) and _is_named_dice(right)
        case ex.MakeCollection(items=items):
            return all(map(_is_named_dice, items))
        case ex.Comprehension(binding=binding, value=ex.Local(variable=die)):
            return is_dice_collection(dice.type) and binding.variables == (die,) and is_over_dice(binding)
        case _:
            return False


def _find_dice_owners(dice: ex.Expression, owners: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    match dice:
        case ex.Local(variable=variable):
            return owners.get(variable.index, (variable.index,))
        case ex.Comprehension(binding=binding):
            return _find_dice_owners(binding.source, owners)
        case _:
            return tuple(
                dict.fromkeys(
                    name
                    for subexpression in get_subexpressions(dice)
                    for name in _find_dice_owners(subexpression, owners)
                )
            )


def _find_unordered_list(node: object) -> ex.Comprehension | None:
    """The list with one item per die whose order an expression ignores; none for other expressions."""
    match node:
        case (
            ex.Aggregate(binding=ex.Binding(source=ex.Comprehension() as comprehension))
            | ex.Quantifier(binding=ex.Binding(source=ex.Comprehension() as comprehension))
        ) if is_over_dice(comprehension.binding):
            return comprehension
        case ex.Builtin(name=name, arguments=(ex.Comprehension() as comprehension,)) if name in {
            "sorted",
            "sum",
        } and is_over_dice(comprehension.binding):
            return comprehension
        case _:
            return None


def _observe_argument(node: ex.Expression, constants: frozenset[int]) -> DieObservation | None:
    match node:
        case ex.Literal(value=value):
            return ("value", value)
        case ex.WordLiteral(position=position):
            return ("value", position)
        case ex.Local(variable=variable) if variable.index in constants:
            return ("name", variable.index)
        case _:
            return None


def _observe_dice(node: Any, constants: frozenset[int], dice: set[int]) -> DieObservation | None:
    """Observation by an expression of one die, its variables added to `dice`; none if it reads anything else."""
    match node:
        case ex.DieAttribute(target=ex.Local(variable=variable), name=name) if name in DIE_FIELDS:
            dice.add(variable.index)
            return ("die", name)
        case (
            ex.Comparison(operator=operator, left=left, right=right)
            | ex.Logical(operator=operator, left=left, right=right)
        ):
            first, second = _observe_dice(left, constants, dice), _observe_dice(right, constants, dice)
            return None if first is None or second is None else (operator, first, second)
        case ex.Not(operand=operand):
            inner = _observe_dice(operand, constants, dice)
            return None if inner is None else ("not", inner)
        case _:
            return _observe_argument(node, constants)
