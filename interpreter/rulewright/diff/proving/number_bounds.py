"""How many dice a name of a routine holds at most, and how high a number that was counted of them can be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Declared, Handler, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.walk import list_routines

_ParameterKey = tuple[str, str, int]


@dataclass
class NumberBounds:
    """The highest numbers of one program, found for all that it declares at once.

    Dice are never given from outside, so a role or parameter that holds some has them from a roll, through the calls
    and triggers of the rules. It holds no more than the most that any of these gives it, which is asked again, from
    none, until no call gives more. A name that lines change is not looked at.
    """

    program: Program
    _parameter_bounds: dict[_ParameterKey, int | None] = field(default_factory=dict)
    _is_solved: bool = False

    def bounds_of_names(self, declared: Declared) -> Mapping[int, int]:
        """By the numbers of the names of a declaration: how many dice of a pool, how high a number, at most."""
        if not self._is_solved:
            self._is_solved = True
            while self._propagate_calls():
                pass
        lone = {
            variable.index
            for parameter, variable in self._keyed_parameters(declared)
            if parameter not in self._parameter_bounds
        }
        dict_items = self._bound_names(declared).items()
        return {index: most for index, most in dict_items if most is not None and index not in lone}

    def _propagate_calls(self) -> bool:
        """Whether some call gives a parameter more dice than was known."""
        before, program = dict(self._parameter_bounds), self.program
        for function in (*program.functions.values(), *list_routines(program)):
            self._join_call_bounds(function, self._bound_names(function))
        self._join_call_bounds((program.events, program.measures, program.invariants, program.external_terms), {})
        return before != self._parameter_bounds

    def _join_call_bounds(self, node: object, names: Mapping[int, int | None]) -> None:
        for item in walk_nodes(node):
            for parameter, given in _arguments_given_by(item):
                if isinstance(given.type, ty.PoolType):
                    self._parameter_bounds[parameter] = _join_bounds(
                        self._parameter_bounds.get(parameter, 0), _bound_expression(given, names)
                    )

    def _bound_names(self, declared: Declared) -> dict[int, int | None]:
        result = {
            variable.index: self._parameter_bounds.get(parameter, 0)
            for parameter, variable in self._keyed_parameters(declared)
            if isinstance(variable.type, ty.PoolType)
        }
        before = None
        while result != before:
            before = dict(result)
            for node in walk_nodes(declared):
                for index, most in _bounds_set_by(node, result):
                    result[index] = _join_bounds(result.get(index, 0), most)
        return result

    def _keyed_parameters(self, declared: Declared) -> Iterator[tuple[_ParameterKey, Variable]]:
        sort, name, every = type(declared).__name__, declared.name, getattr(declared, "parameters", ())
        if isinstance(declared, Handler):
            sort, name = "Event", declared.event
            every = declared.variables[: len(self.program.events[name].parameters)]
        yield from (((sort, name, at), item) for at, item in enumerate(every))


def _bounds_set_by(node: object, names: Mapping[int, int | None]) -> Iterator[tuple[int, int | None]]:
    """The names that a line sets or changes, with how high they can be by it."""
    match node:
        case st.Roll(variable=variable):
            yield variable.index, _bound_roll(node, names)
        case st.Let(variable=variable, value=value) if value is not None:
            yield variable.index, _bound_expression(value, names)
        case st.VariablePlace(variable=variable):
            yield variable.index, None
        case st.Line():
            for item in (getattr(node, "variable", None), getattr(node, "result", None)):
                if isinstance(item, Variable):
                    yield item.index, None


def _arguments_given_by(node: object) -> Iterator[tuple[_ParameterKey, Expression]]:
    """What a call or trigger gives to which parameter."""
    match node:
        case ex.CallFunction(function=name, arguments=arguments):
            sort = "Function"
        case st.Perform(procedure=name, arguments=arguments):
            sort = "Procedure"
        case st.Trigger(event=name, arguments=arguments):
            sort = "Event"
        case _:
            return
    yield from (((sort, name, at), argument) for at, argument in enumerate(arguments))


def _join_bounds(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _bound_expression(node: Expression, names: Mapping[int, int | None]) -> int | None:
    """The highest value of a number, or the most dice of a pool; none where nothing is known."""
    match node:
        case ex.Local(variable=variable) if names.get(variable.index) is not None:
            return names[variable.index]
        case ex.Narrowed(operand=operand) if isinstance(node.type, ty.PoolType):
            return _bound_expression(operand, names)
        case ex.Aggregate(word="count", binding=ex.Binding(source=source)) if isinstance(source.type, ty.PoolType):
            return _bound_expression(source, names)
        case _:
            return node.type.high if isinstance(node.type, ty.NumberType) else None


def _bound_roll(roll: st.Roll, names: Mapping[int, int | None]) -> int | None:
    """How many dice come of a roll at most; one that explodes may bring any number more."""
    if any(
        option.word == "explode"
        for option in (*roll.options, *(option for part in roll.parts for option in part.options))
    ):
        return None
    counts = [1 if part.count is None else _bound_expression(part.count, names) for part in roll.parts]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
