"""Names of a routine in one way: numbered by their use, put in where they are read once, calls spelled out."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from rulewright.comparing.meaning.reorderable import Calm, Effects
from rulewright.frozen import dataclass
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import condition_of_rows, members_of
from rulewright.program.effects import Places
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.rows import DecideRow
from rulewright.program.types import DieType, PoolType, SetType, Type
from rulewright.program.walk import blocks_inside, rebuilt
from rulewright.roles import Role, mapped, names, nodes

_MOST = 400
_BRANCHED = (st.If, st.Match, st.Together)
_LOOPS = (st.ForEach, st.Repeat)


class Names:
    """Puts the values of names into one routine, where nothing they are made of can have changed meanwhile."""

    def __init__(self, whole: Any, calm: Calm, effects: Effects, fixed: frozenset[int]) -> None:
        self._calm = calm
        self._effects = effects
        inside = list(nodes(whole))
        self._watched = names_changed([each for node in inside if isinstance(node, d.Watch) for each in nodes(node)])
        self._all = Counter(each.index for each in inside if isinstance(each, Variable))
        self._fixed = fixed
        self._known: dict[int, tuple[st.Statement | None, _Seen]] = {}

    def put_in(self, block: st.Block) -> st.Block:
        """The lines of a block without the names that only stand for a value."""
        found: list[st.Statement | None] = list(block)
        readers: dict[int, set[int]] = {}
        for place, each in enumerate(block):
            for index in self._seen(each).reads:
                readers.setdefault(index, set()).add(place)
        for number, line in enumerate(found):
            if not isinstance(line, st.Let) or line.value is None:
                continue
            value, index = line.value, line.variable.index
            places = sorted(at for at in readers.get(index, ()) if at > number)
            if not self._may_go(line, value, found[number + 1 : places[-1] + 1] if places else []):
                continue
            found[number] = None
            self._recount(value, sum(self._seen(found[at]).reads[index] for at in places) - 1)
            for place in places:
                found[place] = _with(found[place], index, value)
            for name in _names(value):
                readers.setdefault(name, set()).update(places)
        return tuple(line for line in found if line is not None)

    def _seen(self, line: st.Statement | None) -> "_Seen":
        """What is seen of a line, which is looked at once."""
        known = self._known.get(id(line))
        if known is None:
            known = self._known[id(line)] = line, _looked_at(line, self._effects)
        return known[1]

    def _recount(self, value: Expression, times: int) -> None:
        for each in nodes(value):
            if isinstance(each, Variable):
                self._all[each.index] += times

    def _may_go(self, line: st.Let, value: Expression, rest: list[st.Statement | None]) -> bool:
        """Whether a line may go when its value is put into the rest, which ends where it is read for the last time."""
        index = line.variable.index
        lines = [each for each in rest if each is not None]
        reads = sum(self._seen(each).reads[index] for each in lines)
        if index in self._fixed or self._all[index] != reads + 1:
            return False
        if reads * sum(1 for _ in nodes(value)) > _MOST or not self._calm.steady(value):
            return False
        return _Sources(self._effects.reads(value), value, self._watched, self._seen).last(lines, index)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a line and all inside it read, set and change; whether it leads elsewhere, throws dice, stirs rules."""

    reads: Counter[int]
    sets: frozenset[int]
    changes: Places
    leads: bool
    rolls: bool
    stirs: bool


def _looked_at(line: Any, effects: Effects) -> _Seen:
    inside = list(nodes(line))
    return _Seen(
        Counter(each.variable.index for each in inside if isinstance(each, ex.Local)),
        names_changed(inside),
        effects.changes(line),
        any(isinstance(each, st.Perform | st.Trigger | st.Remove | st.PerformExternal) for each in inside),
        any(isinstance(each, st.Reroll) for each in inside),
        effects.stirs(line),
    )


class _Sources:
    """What a value is made of, and whether lines leave it as it is."""

    def __init__(
        self, reads: Places, value: Expression, watched: frozenset[int], seen: Callable[[st.Statement], _Seen]
    ) -> None:
        self._reads = reads
        self._seen = seen
        locals_ = [each for each in nodes(value) if isinstance(each, ex.Local)]
        self._names = _names(value)
        self._told = bool(self._names & watched)
        self._dice = any(_has_dice(each.variable.type) for each in locals_)

    def last(self, lines: Sequence[st.Statement], index: int) -> bool:
        """Whether the value is the same wherever a name is read in lines."""
        return self._after(lines, index) is not None

    def _after(self, lines: Sequence[st.Statement], index: int) -> bool | None:
        """Whether the value is still the same after lines; none where the name is read when it may not be."""
        fresh = True
        for line in lines:
            if not fresh and index in self._seen(line).reads:
                return None
            after = self._line(line, index)
            if after is None:
                return None
            fresh = fresh and after
        return fresh

    def _line(self, line: st.Statement, index: int) -> bool | None:
        read = index in self._seen(line).reads
        if isinstance(line, _LOOPS) and not self._stays(line):
            return None if read else False
        if not isinstance(line, _BRANCHED):
            inside = read and any(index in self._seen(each).reads for block in blocks_inside(line) for each in block)
            return None if inside and not self._stays(line) else self._stays(line)
        blocks = [self._after(each, index) for each in blocks_inside(line)]
        return None if None in blocks else all(blocks)

    def _stays(self, line: st.Statement) -> bool:
        """Whether a line and all inside it leave the value as it is."""
        seen = self._seen(line)
        if seen.sets & self._names or seen.changes & self._reads:
            return False
        reacts = seen.leads or seen.stirs
        return not (reacts and (self._told or self._dice)) and not (seen.rolls and self._dice)


def _names(value: Expression) -> frozenset[int]:
    return frozenset(each.variable.index for each in nodes(value) if isinstance(each, ex.Local))


def names_changed(inside: Iterable[Any]) -> frozenset[int]:
    """The names that are more than read: bound, set or shown."""
    inside = list(inside)
    seen = Counter(each.index for each in inside if isinstance(each, Variable))
    seen.subtract(each.variable.index for each in inside if isinstance(each, ex.Local))
    return frozenset(index for index, times in seen.items() if times > 0)


def _with(node: Any, index: int, value: Expression) -> Any:
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

    def of(self, node: Any) -> Any:
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

    def _bound(self, node: Any) -> Any:
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
        kept = (name for name in names(type(node), Role.PLACE, Role.PROOF) if name != "binding")
        rest = {name: self.of(getattr(node, name)) for name in kept}
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


def value_of(function: d.Function) -> Expression | None:
    """The body of a function as one expression; none where it is no such thing."""
    match function.body:
        case d.Value(value):
            return value
        case d.Conditions() as conditions:
            return condition_of_rows(conditions, function.span)
        case d.Selection() as selection if isinstance(function.type, SetType):
            return members_of(function, selection)
        case d.Decide(rows):
            return decided(rows)
        case _:
            return None


def decided(rows: Sequence[DecideRow]) -> Expression | None:
    """The value of the first row whose guard holds; none where none may hold."""
    if not rows or rows[-1].guard is not None:
        return None
    found = rows[-1].value
    for row in reversed(rows[:-1]):
        if row.guard is None:
            return None
        found = ex.Conditional(type=row.value.type, span=row.span, condition=row.guard, then=row.value, otherwise=found)
    return found


class Inlining:
    """Puts what some functions say in the place of their calls.

    Only where the arguments never fail and ask nobody: how often these are looked at makes no difference.
    """

    def __init__(self, program: d.Program, calm: Calm, names: Collection[str], numbers: Iterator[int]) -> None:
        self._program = program
        self._calm = calm
        self._names = frozenset(names)
        self._numbers = numbers

    def of(self, part: Any) -> Any:  # an expression or a binding
        """A part of a declaration without these calls."""
        if isinstance(part, Binding):
            where = None if part.where is None else self.of(part.where)
            return replace(part, source=self.of(part.source), where=where)
        made = rebuilt(part, self.of)
        match made:
            case ex.CallFunction(function=name, arguments=given) if name in self._names:
                return self._spelled(name, given) or made
            case ex.DerivedAttribute(function=name, target=target) if name in self._names:
                return self._spelled(name, (target,)) or made
            case _:
                return made

    def _spelled(self, name: str, given: Sequence[Expression]) -> Expression | None:
        function = self._program.functions[name]
        value = value_of(function)
        indices = [each.index for each in function.parameters] or [0]
        if value is None or len(indices) != len(given) or not all(map(self._calm.steady, given)):
            return None
        inner = Inlining(self._program, self._calm, self._names - {name}, self._numbers)
        put = _Put(dict(zip(indices, given, strict=True)), self._numbers)
        return put.of(inner.of(value))  # type: ignore[no-any-return]


class _Put:
    """Puts arguments in the place of parameters, and gives what is bound inside numbers of its own."""

    def __init__(self, given: Mapping[int, Expression], numbers: Iterator[int]) -> None:
        self._given = given
        self._numbers = numbers
        self._fresh: dict[int, Variable] = {}

    def of(self, part: Any) -> Any:  # an expression or a binding
        match part:
            case ex.Itself():
                return self._given[0]
            case ex.Local(variable=variable) if variable.index in self._given:
                return self._given[variable.index]
            case ex.Local(variable=variable):
                return replace(part, variable=self._variable(variable))
            case Binding(variables=variables):
                source = self.of(part.source)
                fresh = tuple(None if each is None else self._variable(each) for each in variables)
                return Binding(fresh, source, None if part.where is None else self.of(part.where))
            case _:
                return rebuilt(part, self.of)

    def _variable(self, variable: Variable) -> Variable:
        if variable.index not in self._fresh:
            self._fresh[variable.index] = replace(variable, index=next(self._numbers))
        return self._fresh[variable.index]
