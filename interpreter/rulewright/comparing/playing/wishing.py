"""What a start has to hold so that an expression is computed with certain values."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from rulewright.comparing.playing.places import declarations
from rulewright.comparing.playing.points import Point
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.sections import GAME, SETTINGS
from rulewright.machine.situation import Base
from rulewright.machine.values import Value
from rulewright.outline.names import Name
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Handler, Program
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import FlagType, NumberType, Type, WordType, present
from rulewright.roles import nodes
from rulewright.situations.making import Wish

_DEEP = 4


class Wishes:
    """Makes wishes of combinations, for starts of one revision."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._names = Names(program, Base({}))

    def of(self, point: Point, combination: int, side: int) -> tuple[Wish, ...]:
        """What to wish for, so that a point may be computed with a combination; what nobody knows how to is left."""
        table = point.table
        if table is None:
            return ()
        found: list[Wish] = []
        for atom, at in zip(table.atoms, table.combination(combination), strict=True):
            node = dict(atom.nodes).get(side)
            if node is not None and atom.pair is None:
                found += self._wish(node, atom.values[at][side], _DEEP)
        return tuple(found)

    def _wish(self, node: Expression, value: Value, deep: int) -> Iterator[Wish]:
        match node:
            case ex.SettingValue(name=name):
                yield self._granted(f"{SETTINGS}/{name}", value, self._program.settings[name].type)
            case ex.GameField(name=name):
                yield self._granted(f"{GAME}/{name}", value, self._program.game[name].type)
            case ex.StoredAttribute(kind=kind, name=name):
                type_ = next(each.type for each in self._program.kinds[kind].fields if each.name == name)
                yield self._granted(f"{kind}/{name}", value, type_)
            case ex.CellAttribute(board=board, name=name):
                type_ = next(each.type for each in self._program.boards[board].fields if each.name == name)
                yield self._granted(f"{board}/{name}", value, type_)
            case ex.Narrowed(operand=operand):
                yield from self._wish(operand, value, deep)
            case ex.Local(variable=variable) if deep:
                for owner, parameters in self._owners.get(id(variable), ()):
                    yield from self._argument(owner, parameters, variable, value, deep)
            case _:
                return

    def _argument(
        self, owner: Name, parameters: Sequence[Variable], variable: Variable, value: Value, deep: int
    ) -> Iterator[Wish]:
        """Wishes for a parameter: itself where a play begins there, or what callers give for it."""
        at = next((at for at, each in enumerate(parameters) if each == variable), None)
        if at is None or not isinstance(present(variable.type), FlagType | NumberType | WordType):
            return
        if owner.sort == "procedure":
            yield self._granted(f"{owner.name}/{variable.name}", value, variable.type)
        for arguments in self._calls[owner]:
            if at < len(arguments):
                yield from self._wish(arguments[at], value, deep - 1)

    def _granted(self, place: str, value: Value, type_: Type) -> Wish:
        return Wish(place, to_json(value, type_, self._names))

    @cached_property
    def _owners(self) -> dict[int, list[tuple[Name, Sequence[Variable]]]]:
        """The declarations a variable may be a parameter of, by its identity where it is read."""
        found: dict[int, list[tuple[Name, Sequence[Variable]]]] = defaultdict(list)
        for name, declared in declarations(self._program):
            parameters = getattr(declared, "parameters", ())
            owner = name
            if isinstance(declared, Handler):
                owner = Name("event", declared.event)
                parameters = declared.variables[: len(self._program.events[declared.event].parameters)]
            for node in nodes(declared):
                if isinstance(node, ex.Local) and node.variable in parameters:
                    found[id(node.variable)].append((owner, parameters))
        return found

    @cached_property
    def _calls(self) -> dict[Name, list[tuple[Expression, ...]]]:
        """The arguments that are given to what takes some."""
        found: dict[Name, list[tuple[Expression, ...]]] = defaultdict(list)
        for _, declared in declarations(self._program):
            for node in nodes(declared):
                match node:
                    case ex.CallFunction(function=name, arguments=arguments):
                        found[Name("function", name)].append(arguments)
                    case st.Perform(procedure=name, arguments=arguments):
                        found[Name("procedure", name)].append(arguments)
                    case st.Trigger(event=name, arguments=arguments):
                        found[Name("event", name)].append(arguments)
        return found
