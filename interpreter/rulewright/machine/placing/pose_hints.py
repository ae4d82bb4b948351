"""What the conditions on a place tell a search: what must be touched, which distances matter, that it must fit."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count, takewhile
from typing import Any

from rulewright.frozen import dataclass
from rulewright.program import expressions as ex
from rulewright.program.conditions import chained
from rulewright.program.declarations import Conditions, Program, Value
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.roles import mapped, nodes

_FRESH = 1_000_000
_DEEPEST = 20


class Opening:
    """Writes out the conditions of one question; names bound inside get numbers of their own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbers = count(_FRESH)

    def necessary(self, condition: Expression, deep: int = 0) -> Iterator[Expression]:
        """Conditions without which this one cannot hold, `and` and terms opened."""
        match condition:
            case ex.Logical(operator="and", left=left, right=right):
                yield from self.necessary(left, deep)
                yield from self.necessary(right, deep)
            case ex.CallFunction() if deep < _DEEPEST and (rows := self._rows(condition)):
                for each in rows:
                    yield from self.necessary(each, deep + 1)
            case _:
                yield condition

    def _rows(self, call: ex.CallFunction) -> tuple[Expression, ...]:
        function = self._program.functions[call.function]
        given = {each.index: value for each, value in zip(function.parameters, call.arguments, strict=True)}
        match function.body:
            case Value(value=value):
                rows: tuple[Expression, ...] = (value,)
            case Conditions(mode="all", rows=found):
                rows = tuple(each.condition for each in found if each.guard is None)
            case _:
                return ()
        return tuple(self.written(each, given) for each in rows)

    def written(self, node: Any, known: Mapping[int, Expression]) -> Any:  # noqa: ANN401
        """A node with names replaced by what is known of them."""
        match node:
            case ex.Local(variable=variable):
                return known.get(variable.index, node)
            case ex.Comprehension() | ex.Aggregate():
                binding, inner = self._bound(node.binding, known)
                return replace(node, binding=binding, value=self.written(node.value, inner))
            case ex.Quantifier():
                binding, inner = self._bound(node.binding, known)
                return replace(node, binding=binding, body=self.written(node.body, inner))
            case ex.TheOnly():
                return replace(node, binding=self._bound(node.binding, known)[0])
            case _:
                return mapped(node, lambda part: self.written(part, known))

    def _bound(
        self, binding: ex.Binding, known: Mapping[int, Expression]
    ) -> tuple[ex.Binding, Mapping[int, Expression]]:
        variables = tuple(each and replace(each, index=next(self._numbers)) for each in binding.variables)
        own = {
            old.index: ex.Local(type=new.type, span=binding.source.span, variable=new)
            for old, new in zip(binding.variables, variables, strict=True)
            if old is not None and new is not None
        }
        inner = {**known, **own}
        where = self.written(binding.where, inner)
        return ex.Binding(variables, self.written(binding.source, known), where), inner


_DISTANCES = ("gap", "distance")


@dataclass(frozen=True, slots=True)
class Partners:
    """Things one of which a pose has to touch: those a thing stands for, inside some bindings."""

    bindings: tuple[Binding, ...]
    thing: Expression


@dataclass(frozen=True, slots=True)
class Hints:
    """What the conditions on a place tell a search.

    Attributes:
        solid: whether every place has to fit.
        partners: what must be touched, or none where nothing must.
        gaps: distances from edge to edge that places are compared with.
        reaches: distances from middle to middle that places are compared with.
    """

    solid: bool
    partners: Partners | None
    gaps: tuple[Expression, ...]
    reaches: tuple[Expression, ...]


def hints(program: Program, conditions: tuple[Expression, ...], spot: Variable) -> Hints:
    """What conditions, all of which must hold, tell of the places that a name stands for."""
    opening = Opening(program)
    needed = [each for condition in conditions for each in opening.necessary(condition)]
    partners = (found for each in needed for found in _partners(each, spot, (), opening))
    compared = [each for condition in needed for each in _compared(condition, spot)]
    return Hints(
        solid=any(_is(each, "fits", spot) for each in needed),
        partners=next(partners, None),
        gaps=tuple(value for name, value in compared if name == "gap"),
        reaches=tuple(value for name, value in compared if name == "distance"),
    )


def _is(node: Expression, name: str, spot: Variable) -> bool:
    return isinstance(node, ex.Builtin) and node.name == name and any(_stands(each, spot) for each in node.arguments)


def _stands(node: Expression, spot: Variable) -> bool:
    return isinstance(node, ex.Local) and node.variable.index == spot.index


def _reads(node: object, spot: Variable) -> bool:
    return any(isinstance(each, ex.Local) and each.variable.index == spot.index for each in nodes(node))


def _partners(node: Expression, spot: Variable, bindings: tuple[Binding, ...], opening: Opening) -> Iterator[Partners]:
    match node:
        case ex.Builtin(name="contact", arguments=(first, second)) if _stands(first, spot) or _stands(second, spot):
            thing = second if _stands(first, spot) else first
            if not _reads(thing, spot):
                yield Partners(bindings, thing)
        case ex.Quantifier(word="some", binding=binding) if not _reads(binding.source, spot):
            if binding.where is None:
                return
            parts = tuple(opening.necessary(binding.where))
            kept = Binding(binding.variables, binding.source, _first(parts, spot))
            for each in parts:
                yield from _partners(each, spot, (*bindings, kept), opening)


def _first(parts: tuple[Expression, ...], spot: Variable) -> Expression | None:
    """The conditions before the first that reads the spot, which are judged in any case."""
    before = tuple(takewhile(lambda each: not _reads(each, spot), parts))
    return chained(before, "and", before[0].span) if before else None


def _compared(condition: Expression, spot: Variable) -> Iterator[tuple[str, Expression]]:
    bound = {
        variable.index
        for each in nodes(condition)
        if isinstance(each, Binding)
        for variable in each.variables
        if variable is not None
    }
    for each in nodes(condition):
        if not isinstance(each, ex.Comparison):
            continue
        for measured, value in ((each.left, each.right), (each.right, each.left)):
            name = _measure(measured, spot)
            names = {part.variable.index for part in nodes(value) if isinstance(part, ex.Local)}
            if name is not None and not names & (bound | {spot.index}):
                yield name, value


def _measure(node: Expression, spot: Variable) -> str | None:
    """Whether a node measures a gap or distance of the spot, by the name of its function."""
    if isinstance(node, ex.Builtin) and node.name in _DISTANCES and _reads(node.arguments, spot):
        return node.name
    return None
