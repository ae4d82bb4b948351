"""The lines of a performed procedure in the place of the line that performs it."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from rulewright.comparing.meaning.lines import Shaping, plain
from rulewright.comparing.meaning.reorderable import Calm
from rulewright.comparing.meaning.variables import names_changed
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Expression, Variable
from rulewright.program.walk import lines_of
from rulewright.roles import mapped, nodes

_MOST = 200
"""Lines that may stand in the place of one."""


class Performing:
    """Puts the lines of some procedures in the place of the lines that perform them.

    Only of a procedure that opens with nothing but lines, goes through its steps in order, finishes at the end of its
    lines, and is not ended by its name from elsewhere. Its names get numbers of their own.
    """

    def __init__(
        self,
        program: d.Program,
        calm: Calm,
        names: Collection[str],
        numbers: Iterator[int],
        joined: Callable[[d.Procedure], d.Procedure],
    ) -> None:
        self._program = program
        self._calm = calm
        self._names = frozenset(names) & program.procedures.keys()
        self._numbers = numbers
        self._joined = joined
        self._known: dict[str, st.Block | None] = {}
        self._watched: frozenset[int] = frozenset()

    def of(self, node: d.Declared, parts: Any) -> Any:
        """All that a routine says, with these lines; one that ends it by its name is a `finish`."""
        if not self._names:
            return parts
        self._watched = names_changed(nodes(tuple(each for each in nodes(parts) if isinstance(each, d.Watch))))
        made = self._inside(parts)
        return _finishing(made, node.name) if isinstance(node, d.Procedure) else made

    def _inside(self, node: Any) -> Any:
        if isinstance(node, ex.Typed | ex.Binding):
            return node
        if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
            return tuple(made for line in node for made in self._line(line))
        return mapped(node, self._inside)

    def _line(self, line: st.Statement) -> st.Block:
        made = mapped(line, self._inside)
        spelled = None
        if isinstance(made, st.Perform) and made.procedure in self._names and not made.steps and made.depth is None:
            spelled = self._spelled(made)
        return (made,) if spelled is None else spelled

    def _spelled(self, line: st.Perform) -> st.Block | None:
        """The lines of the procedure that a line performs; none where they cannot stand there."""
        block = self._block(line.procedure)
        if block is None:
            return None
        changed = names_changed(nodes(block))
        put = _Put(self._numbers)
        lets: list[st.Statement] = []
        parameters = self._program.procedures[line.procedure].parameters
        for parameter, argument in zip(parameters, line.arguments, strict=True):
            if parameter.index not in changed and self._stays(argument):
                put.given[parameter.index] = argument
            else:
                lets.append(_let(line, put.fresh(parameter), argument))
        is_last = bool(block) and isinstance(block[-1], st.Finish)
        ended = _ended(put.of(block), lambda value: self._returned(line, value, is_last=is_last))
        return None if ended is None else (*lets, *ended)

    def _stays(self, argument: Expression) -> bool:
        """Whether an argument is the same throughout: nothing, or a name of the caller that no watch sets."""
        match argument:
            case ex.Local(variable=variable):
                return variable.index not in self._watched
            case _:
                return isinstance(argument, ex.Literal | ex.WordLiteral)

    def _returned(self, line: st.Perform, value: Expression | None, *, is_last: bool) -> st.Block | None:
        """What stands for a `finish`: the name of the result is set, as by a `decide` where more than one does."""
        if value is None or line.result is None:
            return () if value is None or self._calm.steady(value) else None
        if is_last:
            return (_let(line, line.result, value),)
        place = st.VariablePlace(line.result)
        return (st.Assign(address="", cites=(), span=line.span, place=place, value=value),)

    def _block(self, name: str) -> st.Block | None:
        """The lines of a procedure, with those of others in their places; none where it is not one row of lines."""
        if name not in self._known:
            self._known[name] = None  # in a ring it stands for itself
            procedure = self._joined(self._program.procedures[name])
            lines = [part if isinstance(part, tuple) else (part,) for part in procedure.opening]
            block = tuple(each for part in lines for each in part)
            if procedure.steps or name in self._ended_by_name or not all(isinstance(each, st.Line) for each in block):
                return None
            made = self._inside(plain(block))
            if sum(isinstance(each, st.Line) for each in nodes(made)) <= _MOST:
                (self._known[name],) = Shaping(self._calm).whole((made,)) if made else ((),)
        return self._known[name]

    @cached_property
    def _ended_by_name(self) -> frozenset[str]:
        return frozenset(each.procedure for each in lines_of(self._program, st.FinishOuter))


def _let(line: st.Perform, variable: Variable, value: Expression) -> st.Let:
    return st.Let(address="", cites=(), span=line.span, variable=variable, value=value)


def _finishing(node: Any, name: str) -> Any:
    """A part of a procedure with a `finish` in the place of lines that end it by its name."""
    match node:
        case ex.Typed() | ex.Binding():
            return node
        case st.FinishOuter(procedure=ended, value=value) if ended == name:
            return st.Finish(address=node.address, cites=node.cites, span=node.span, value=value)
        case _:
            return mapped(node, lambda part: _finishing(part, name))


_Returned = Callable[[Expression | None], st.Block | None]


def _ended(block: st.Block, returned: _Returned) -> st.Block | None:
    """A block with something else for each `finish`; none where more than the end of the block finishes."""
    if not block:
        return ()
    *before, last = block
    if _finishes(before):
        return None
    end = _last(last, returned)
    return None if end is None else (*before, *end)


def _all_ended(blocks: Sequence[st.Block], returned: _Returned) -> list[st.Block] | None:
    found = [made for each in blocks if (made := _ended(each, returned)) is not None]
    return found if len(found) == len(blocks) else None


def _last(line: st.Statement, returned: _Returned) -> st.Block | None:
    match line:
        case st.Finish(value=value):
            return returned(value)
        case st.If(branches=branches, otherwise=otherwise):
            blocks = _all_ended([each.block for each in branches], returned)
            rest = _ended(otherwise or (), returned)
            if blocks is None or rest is None:
                return None
            made = tuple(replace(each, block=block) for each, block in zip(branches, blocks, strict=True))
            return (replace(line, branches=made, otherwise=rest or None),)
        case st.Ask(shape=shape, block=block, otherwise=otherwise):
            options = shape.options if isinstance(shape, st.Choose) else ()
            blocks = _all_ended([each.block for each in options], returned)
            then, rest = _ended(block, returned), _ended(otherwise or (), returned)
            if blocks is None or then is None or rest is None:
                return None
            if options:
                shape = st.Choose(tuple(replace(each, block=of) for each, of in zip(options, blocks, strict=True)))
            rest = None if otherwise is None else rest
            return (replace(line, shape=shape, block=then, otherwise=rest),)
        case _:
            return None if _finishes(line) else (line,)


def _finishes(node: Any) -> bool:
    return any(isinstance(each, st.Finish) for each in nodes(node))


class _Put:
    """Puts arguments in the place of parameters, and gives all other names of a routine numbers of their own.

    Attributes:
        given: the arguments, by the numbers of parameters.
    """

    def __init__(self, numbers: Iterator[int]) -> None:
        self.given: dict[int, Expression] = {}
        self._numbers = numbers
        self._fresh: dict[int, Variable] = {}

    def of(self, part: Any) -> Any:
        """A part of the routine."""
        match part:
            case ex.Local(variable=variable) if variable.index in self.given:
                return self.given[variable.index]
            case Variable():
                return self.fresh(part)
            case _:
                return mapped(part, self.of)

    def fresh(self, variable: Variable) -> Variable:
        """A name of the routine under its own number."""
        if variable.index not in self._fresh:
            self._fresh[variable.index] = replace(variable, index=next(self._numbers))
        return self._fresh[variable.index]
