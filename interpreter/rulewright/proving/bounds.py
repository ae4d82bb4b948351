"""How many dice a name of a routine holds at most, and how high a number that was counted of them can be."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.declarations import Declared, Handler, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.walk import routines
from rulewright.roles import nodes

_Parameter = tuple[str, str, int]


@dataclass
class Highest:
    """The highest numbers of one program, found for all that it declares at once.

    Dice are never given from outside, so a role or parameter that holds some has them from a roll, through the calls
    and triggers of the rules. It holds no more than the most that any of these gives it, which is asked again, from
    none, until no call gives more. A name that lines change is not looked at.
    """

    program: Program
    _given: dict[_Parameter, int | None] = field(default_factory=dict)
    _known: bool = False

    def of(self, declared: Declared) -> Mapping[int, int]:
        """By the numbers of the names of a declaration: how many dice of a pool, how high a number, at most."""
        if not self._known:
            self._known = True
            while self._grown():
                pass
        lone = {each.index for parameter, each in self._parameters(declared) if parameter not in self._given}
        found = self._names(declared).items()
        return {index: most for index, most in found if most is not None and index not in lone}

    def _grown(self) -> bool:
        """Whether some call gives a parameter more dice than was known."""
        before, program = dict(self._given), self.program
        for each in (*program.functions.values(), *routines(program)):
            self._note(each, self._names(each))
        self._note((program.events, program.measures, program.invariants, program.external_terms), {})
        return before != self._given

    def _note(self, node: object, names: Mapping[int, int | None]) -> None:
        for each in nodes(node):
            for parameter, given in _given_by(each):
                if isinstance(given.type, ty.PoolType):
                    self._given[parameter] = _more(self._given.get(parameter, 0), _high(given, names))

    def _names(self, declared: Declared) -> dict[int, int | None]:
        found = {
            each.index: self._given.get(parameter, 0)
            for parameter, each in self._parameters(declared)
            if isinstance(each.type, ty.PoolType)
        }
        before = None
        while found != before:
            before = dict(found)
            for node in nodes(declared):
                for index, most in _set_by(node, found):
                    found[index] = _more(found.get(index, 0), most)
        return found

    def _parameters(self, declared: Declared) -> Iterator[tuple[_Parameter, Variable]]:
        sort, name, every = type(declared).__name__, declared.name, getattr(declared, "parameters", ())
        if isinstance(declared, Handler):
            sort, name = "Event", declared.event
            every = declared.variables[: len(self.program.events[name].parameters)]
        yield from (((sort, name, at), each) for at, each in enumerate(every))


def _set_by(node: object, names: Mapping[int, int | None]) -> Iterator[tuple[int, int | None]]:
    """The names that a line sets or changes, with how high they can be by it."""
    match node:
        case st.Roll(variable=variable):
            yield variable.index, _thrown(node, names)
        case st.Let(variable=variable, value=value) if value is not None:
            yield variable.index, _high(value, names)
        case st.VariablePlace(variable=variable):
            yield variable.index, None
        case st.Line():
            for each in (getattr(node, "variable", None), getattr(node, "result", None)):
                if isinstance(each, Variable):
                    yield each.index, None


def _given_by(node: object) -> Iterator[tuple[_Parameter, Expression]]:
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
    yield from (((sort, name, at), each) for at, each in enumerate(arguments))


def _more(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def _high(node: Expression, names: Mapping[int, int | None]) -> int | None:
    """The highest value of a number, or the most dice of a pool; none where nothing is known."""
    match node:
        case ex.Local(variable=variable) if names.get(variable.index) is not None:
            return names[variable.index]
        case ex.Narrowed(operand=operand) if isinstance(node.type, ty.PoolType):
            return _high(operand, names)
        case ex.Aggregate(word="count", binding=ex.Binding(source=source)) if isinstance(source.type, ty.PoolType):
            return _high(source, names)
        case _:
            return node.type.high if isinstance(node.type, ty.NumberType) else None


def _thrown(roll: st.Roll, names: Mapping[int, int | None]) -> int | None:
    """How many dice come of a roll at most; one that explodes may bring any number more."""
    if any(each.word == "explode" for each in (*roll.options, *(each for part in roll.parts for each in part.options))):
        return None
    counts = [1 if part.count is None else _high(part.count, names) for part in roll.parts]
    known = [each for each in counts if each is not None]
    return sum(known) if len(known) == len(counts) else None
