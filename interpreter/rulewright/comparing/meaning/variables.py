"""Names of a routine: those that only stand for a value put in where they are read, and all counted anew."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from rulewright.comparing.meaning.calm import Calm
from rulewright.comparing.meaning.exchange import Effects
from rulewright.program import declarations as d
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import DieType, PoolType, Type
from rulewright.program.walk import mapped, nodes, part_names

_MOST = 400
_BRANCHED = (st.If, st.Match, st.Together)
_LOOPS = (st.ForEach, st.Repeat)


class Names:
    """Puts the values of names into one routine, where nothing they are made of can have changed meanwhile."""

    def __init__(self, whole: Any, calm: Calm, effects: Effects, fixed: frozenset[int]) -> None:  # noqa: ANN401
        self._calm = calm
        self._effects = effects
        inside = list(nodes(whole))
        self._watched = _set([each for node in inside if isinstance(node, d.Watch) for each in nodes(node)])
        self._all = Counter(each.index for each in inside if isinstance(each, Variable))
        self._fixed = fixed

    def put_in(self, block: st.Block) -> st.Block:
        """The lines of a block without the names that only stand for a value."""
        found = list(block)
        number = 0
        while number < len(found):
            line, rest = found[number], found[number + 1 :]
            if isinstance(line, st.Let) and line.value is not None and self._may_go(line, line.value, rest):
                value, index = line.value, line.variable.index
                found[number:] = [_with(each, index, value) for each in rest]
                self._recount(line, value, rest)
                continue
            number += 1
        return tuple(found)

    def _recount(self, line: st.Let, value: Expression, rest: list[st.Statement]) -> None:
        times = _reads(rest, line.variable.index) - 1
        for each in nodes(value):
            if isinstance(each, Variable):
                self._all[each.index] += times

    def _may_go(self, line: st.Let, value: Expression, rest: list[st.Statement]) -> bool:
        index = line.variable.index
        reads = _reads(rest, index)
        if index in self._fixed or self._all[index] != reads + 1 or not self._calm.steady(value):
            return False
        if reads * sum(1 for _ in nodes(value)) > _MOST:
            return False
        made_of = _Sources(self._effects, value, self._watched)
        return made_of.last(rest, index)


class _Sources:
    """What a value is made of, and whether lines leave it as it is."""

    def __init__(self, effects: Effects, value: Expression, watched: frozenset[int]) -> None:
        self._effects = effects
        self._reads = effects.reads(value)
        locals_ = [each for each in nodes(value) if isinstance(each, ex.Local)]
        self._names = frozenset(each.variable.index for each in locals_)
        self._told = bool(self._names & watched)
        self._dice = any(_has_dice(each.variable.type) for each in locals_)

    def last(self, lines: list[st.Statement] | st.Block, index: int) -> bool:
        """Whether the value is the same wherever a name is read in lines."""
        return self._after(lines, index, fresh=True) is not None

    def _after(self, lines: list[st.Statement] | st.Block, index: int, *, fresh: bool) -> bool | None:
        """Whether the value is still the same after lines; none where the name is read when it may not be."""
        for line in lines:
            if not fresh and _reads((line,), index):
                return None
            after = self._line(line, index)
            if after is None:
                return None
            fresh = fresh and after
        return fresh

    def _line(self, line: st.Statement, index: int) -> bool | None:
        if isinstance(line, _LOOPS) and not self._stays(line):
            return None if _reads((line,), index) else False
        if not isinstance(line, _BRANCHED):
            inner = _inner(line)
            if inner and not self._stays(line) and any(_reads(each, index) for each in inner):
                return None
            return self._stays(line)
        blocks = [self._after(each, index, fresh=True) for each in _inner(line)]
        return None if None in blocks else all(blocks)

    def _stays(self, line: st.Statement) -> bool:
        """Whether a line and all inside it leave the value as it is."""
        inside = list(nodes(line))
        if _set(inside) & self._names or self._effects.changes(line) & self._reads:
            return False
        leads = any(isinstance(each, st.Perform | st.Trigger | st.Remove | st.PerformExternal) for each in inside)
        rolls = any(isinstance(each, st.Reroll) for each in inside)
        reacts = leads or self._effects.stirs(line)
        return not (reacts and (self._told or self._dice)) and not (rolls and self._dice)


def _inner(line: st.Statement) -> list[st.Block]:  # noqa: PLR0911
    """The blocks inside a line."""
    match line:
        case st.If(branches=branches, otherwise=otherwise):
            return [*(each.block for each in branches), otherwise or ()]
        case st.Match(cases=cases):
            return [each.block for each in cases]
        case st.Together(block=block) | st.ForEach(block=block) | st.Repeat(block=block):
            return [block]
        case st.Ask(shape=st.Choose(options=options), otherwise=otherwise):
            return [*(each.block for each in options), line.block, otherwise or ()]
        case st.Ask(block=block, otherwise=otherwise):
            return [block, otherwise or ()]
        case st.AddAmount(otherwise=otherwise) | st.AddMember(otherwise=otherwise) | st.Draw(otherwise=otherwise):
            return [otherwise or ()]
        case _:
            return []


def _reads(lines: Any, index: int) -> int:  # noqa: ANN401
    return sum(1 for each in nodes(tuple(lines)) if isinstance(each, ex.Local) and each.variable.index == index)


def _set(inside: list[Any]) -> frozenset[int]:
    """The names that are more than read: bound, set or shown."""
    seen = Counter(each.index for each in inside if isinstance(each, Variable))
    seen.subtract(each.variable.index for each in inside if isinstance(each, ex.Local))
    return frozenset(index for index, times in seen.items() if times > 0)


def _with(node: Any, index: int, value: Expression) -> Any:  # noqa: ANN401
    """A part of a routine with a value in the place of a name."""
    if isinstance(node, ex.Local):
        return value if node.variable.index == index else node
    return mapped(node, lambda part: _with(part, index, value))


class Numbering:
    """Calls the names of one declaration otherwise, in the order in which they occur; some keep theirs.

    `called` gives names to go by as long as an order is looked for; without it they are numbers.
    """

    def __init__(self, kept: Mapping[int, str], called: Callable[[str], str] | None = None) -> None:
        self._known: dict[int, str] = dict(kept)
        self._called = called
        self._used: Counter[str] = Counter()
        self._depth = 0

    def of(self, node: Any) -> Any:  # noqa: ANN401
        """A part of the declaration with its names counted."""
        if isinstance(node, Variable):
            return self._variable(node)
        if isinstance(node, ex.Typed) and isinstance(getattr(node, "binding", None), Binding):
            return self._bound(node)
        return mapped(node, self.of)

    def _variable(self, variable: Variable) -> Variable:
        if variable.index not in self._known:
            stem = "v" if self._called is None else self._called(variable.name)
            self._known[variable.index] = f"{stem}#{self._used[stem]}"
            self._used[stem] += 1
        return replace(variable, name=self._known[variable.index])

    def _bound(self, node: Any) -> Any:  # noqa: ANN401
        """What binds names of its own: they are counted from the outside, and forgotten after it."""
        source = self.of(node.binding.source)
        read = {each.variable.index for each in nodes(node) if isinstance(each, ex.Local)}
        used = tuple(each if each is not None and each.index in read else None for each in node.binding.variables)
        bound = [each for each in used if each is not None]
        around = {each.index: self._known.get(each.index) for each in bound}
        self._known.update({each.index: f"§{self._depth + number}" for number, each in enumerate(bound)})
        self._depth += len(bound)
        variables = tuple(None if each is None else self._variable(each) for each in used)
        binding = Binding(variables, source, self.of(node.binding.where))
        rest = {name: self.of(getattr(node, name)) for name in part_names(type(node)) if name != "binding"}  # type: ignore[arg-type]
        self._depth -= len(bound)
        for index, name in around.items():
            self._known.pop(index)
            if name is not None:
                self._known[index] = name
        return replace(node, binding=binding, **rest)


def _has_dice(type_: object) -> bool:
    if isinstance(type_, DieType | PoolType):
        return True
    if isinstance(type_, tuple):
        return any(map(_has_dice, type_))
    return isinstance(type_, Type) and any(_has_dice(getattr(type_, each.name)) for each in fields(type_))
