"""The lines of one declaration in one way of writing: branches, what leads nowhere, names, order."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from rulewright.comparing.meaning.reorderable import Calm, Effects
from rulewright.comparing.meaning.subsets import Arm, Branches, Switching, arms_in_order
from rulewright.comparing.meaning.values import Values
from rulewright.comparing.meaning.variables import decided
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.conditions import both, chained, condition_of
from rulewright.program.expressions import Expression
from rulewright.program.types import FLAG, NumberType
from rulewright.program.walk import value_at
from rulewright.roles import mapped, nodes
from rulewright.source import Span

_LEAVING = (st.Finish, st.FinishOuter, st.Proceed, st.Stop)
_SILENT: Mapping[str, Any] = {"title": "", "prompt": "", "text": "", "cites": (), "id": ""}


def plain(node: Any) -> Any:
    """A part of a declaration without titles, questions, clauses and ids, and lines that do something only."""
    if isinstance(node, tuple):
        return tuple(plain(each) for each in node if not isinstance(each, st.Ruling | st.Nothing))
    made = mapped(node, plain)
    if isinstance(node, ex.Typed) or not hasattr(node, "__dataclass_fields__"):
        return made
    kept = {"id"} if isinstance(node, st.Option | d.Step) else set()
    silent = {name: value for name, value in _SILENT.items() if name not in kept and hasattr(made, name)}
    if isinstance(node, st.Line):
        silent["address"] = ""
    return replace(made, **silent) if silent else made


class Shaping:
    """What is done to lines before their values are looked at: branches end where something leads elsewhere."""

    def __init__(self, calm: Calm) -> None:
        self._calm = calm

    def whole(self, parts: Any) -> Any:
        """All that a declaration says, with its lines shaped; last lines that lead where they lead anyway left out."""
        if not isinstance(parts, tuple) or not parts:
            return parts
        *rest, last = parts
        made = tuple(map(self._inside, rest))
        match last:
            case (st.Line(), *_):
                return *made, self._ended(self._inside(last), _ends)
            case (d.Step(), *_):
                return *made[:-1], self._opened(made[-1], last[0]), tuple(self._steps(last))
            case () if made and isinstance(made[-1], tuple):
                return *made[:-1], self._opened(made[-1], None), ()
            case _:
                return *made, self._inside(last)

    def _opened(self, opening: tuple[Any, ...], first: d.Step | None) -> tuple[Any, ...]:
        if not opening or not isinstance(opening[-1], tuple):
            return opening
        *before, last = opening
        return *before, self._ended(last, _leads_to(first))

    def _steps(self, steps: tuple[d.Step, ...]) -> Iterator[d.Step]:
        for step, following in zip_longest(steps, steps[1:]):
            block = self._ended(tuple(self._lines(step.block)), _leads_to(following))
            yield replace(step, block=block)

    def _lines(self, block: st.Block) -> Iterator[st.Statement]:
        lines = [each for line in block for each in self._line(line)]
        for number, each in enumerate(lines):
            rest = tuple(lines[number + 1 :])
            if isinstance(each, st.If) and rest and (leads := _leading(each, rest)):
                (branch,) = each.branches
                kept, other = branch.block, each.otherwise or ()
                if leads == (False, False):
                    kept, other = (tuple(self._lines((*block, *rest))) for block in (kept, other))
                elif leads == (True, False):
                    other = tuple(self._lines((*other, *rest)))
                elif leads == (False, True):
                    kept = tuple(self._lines((*kept, *rest)))
                yield replace(each, branches=(replace(branch, block=kept),), otherwise=other or None)
                return
            yield each
            if leaves(each):
                return

    def _ended(self, block: st.Block, tail: Callable[[st.Statement], bool]) -> st.Block:
        """A block without last lines that lead to where it leads anyway."""
        while block and tail(block[-1]):
            block = block[:-1]
        if block and isinstance(block[-1], st.If):
            last = block[-1]
            branches = tuple(replace(each, block=self._ended(each.block, tail)) for each in last.branches)
            otherwise = None if last.otherwise is None else self._ended(last.otherwise, tail) or None
            return (*block[:-1], replace(last, branches=branches, otherwise=otherwise))
        return block

    def _line(self, line: st.Statement) -> Iterator[st.Statement]:
        made = self._inside(line)
        match made:
            case st.If(branches=(first, *rest)):
                inner = tuple(self._line(replace(made, branches=tuple(rest)))) if rest else made.otherwise
                yield _unnested(replace(made, branches=(first,), otherwise=inner or None))
            case st.Match(subject=subject, cases=cases) if self._calm.steady(subject):
                yield from self._cases(made, list(cases))
            case st.ForEach(binding=ex.Binding(where=where)) if where is not None:
                inner = (branched(where, made.block, None, made.span),)
                yield replace(made, binding=replace(made.binding, where=None), block=inner)
            case st.AddAmount() if (value := _set_to(made)) is not None:
                yield st.Assign(address="", cites=(), span=made.span, place=made.place, value=value)
            case st.AddAmount(place=st.AttributePlace() | st.GamePlace()):
                yield replace(made, low=None, high=None)
            case st.DecideLine(variable=variable, rows=rows) if (value := decided(rows)) is not None:
                place = st.VariablePlace(variable)
                yield st.Assign(address="", cites=(), span=made.span, place=place, value=value)
            case _:
                yield made

    def _inside(self, node: Any) -> Any:
        """A line with the blocks inside it shaped; the conditions of an answer as one."""
        if isinstance(node, tuple) and node and isinstance(node[0], st.Line):
            return tuple(self._lines(node))
        if isinstance(node, ex.Typed | ex.Binding):
            return node
        made = mapped(node, self._inside)
        if isinstance(made, st.Ask):
            return replace(made, demands=tuple(_demands(made)))
        return made

    def _cases(self, line: st.Match, cases: list[st.Case]) -> Iterator[st.Statement]:
        """A `match` as branches; the cases cover every value."""
        first, *rest = cases
        if not rest:
            yield from first.block
            return
        subject = line.subject
        equal = [
            ex.Comparison(type=FLAG, span=subject.span, operator="=", left=subject, right=each) for each in first.values
        ]
        inner = tuple(self._cases(line, rest))
        yield branched(chained(equal, "or", line.span), first.block, inner, line.span)


def _ends(line: st.Statement) -> bool:
    return isinstance(line, st.Finish) and line.value is None


def _leads_to(following: d.Step | None) -> Callable[[st.Statement], bool]:
    """Whether a last line leads to where the lines lead by themselves: to the next step, or to the end."""
    if following is None:
        return _ends
    return lambda line: isinstance(line, st.Proceed) and line.step == following.id and line.bound is None


def branched(condition: Expression, block: st.Block, otherwise: st.Block | None, span: Span) -> st.If:
    """A line with one branch and what happens else."""
    branch = st.Branch(condition, block, (), span)
    return st.If(address="", cites=(), span=span, branches=(branch,), otherwise=otherwise or None)


def _unnested(line: st.If) -> st.If:
    """A line whose branch holds nothing but another line with one branch, as one that asks both conditions."""
    match line:
        case st.If(
            branches=(st.Branch(condition=first, block=(st.If(branches=(inner,), otherwise=None),)),), otherwise=None
        ):
            return branched(both("and", first, inner.condition), inner.block, None, line.span)
        case _:
            return line


def leaves(line: st.Statement) -> bool:
    """Whether nothing is carried out after a line in its block."""
    match line:
        case st.If(branches=branches, otherwise=otherwise):
            return bool(otherwise) and _leave(otherwise) and all(_leave(each.block) for each in branches)
        case _:
            return isinstance(line, _LEAVING)


def _leave(block: st.Block | None) -> bool:
    return bool(block) and leaves(block[-1])  # type: ignore[index]


def _leading(line: st.If, rest: st.Block) -> tuple[bool, bool] | None:
    """Whether the branch, and what happens else, lead elsewhere; none where nothing inside does.

    Where something inside does, a last line that ends it all ends each way through the branches, and is said there.
    """
    found = _leave(line.branches[0].block), _leave(line.otherwise)
    ended = len(rest) == 1 and isinstance(rest[0], st.Finish)
    inside = ended and any(isinstance(each, st.Finish) for each in nodes((line.branches, line.otherwise or ())))
    return found if any(found) or inside else None


def _demands(line: st.Ask) -> Iterator[st.Demand]:
    """What is required as one condition; what is preferred in its order."""
    required = [each for each in line.demands if not each.prefer]
    if required:
        condition = chained([condition_of(each) for each in required], "and", line.span)
        yield replace(required[0], condition=condition, guard=None, address="")
    yield from (replace(each, address="") for each in line.demands if each.prefer)


def _set_to(line: st.AddAmount) -> Expression | None:
    """What a number is set to by a line that adds to it or takes from it, and fails where there is no room."""
    value = _value_at(line.place)
    kind = line.place.type
    if value is None or line.up_to or line.otherwise is not None or not isinstance(kind, NumberType):
        return None
    is_bounded = line.low not in {None, kind.low} or line.high not in {None, kind.high}
    if not isinstance(line.amount.type, NumberType) or is_bounded:
        return None
    operator = "-" if line.take else "+"
    return ex.Arithmetic(type=kind, span=line.span, operator=operator, left=value, right=line.amount)


def _value_at(place: st.Place) -> Expression | None:
    """What a name, a field of the game or an attribute holds; none of anything else."""
    plain = isinstance(place, st.VariablePlace | st.GamePlace | st.AttributePlace)
    return value_at(place, Span("", 0, 0)) if plain else None


def _opened(block: st.Block) -> Branches[st.Block] | None:
    match block:
        case (st.If(branches=(branch,), otherwise=otherwise),):
            return Branches(branch.condition, branch.block, otherwise or ())
        case _:
            return None


class Writing:
    """Writes the lines of one declaration, shaped before, in one way: conditions, branches, order."""

    def __init__(self, values: Values, calm: Calm, effects: Effects | None, key: Callable[[Any], Any]) -> None:
        self._values = values
        self._calm = calm
        self._effects = effects
        self._key = key
        self._switching: Switching[st.Block] = Switching(values.subset, key, _opened)

    def of(self, node: Any) -> Any:
        """A part of a declaration in one way of writing."""
        match node:
            case ex.Typed():
                return self._values.expression(node)  # type: ignore[arg-type]
            case ex.Binding():
                return self._values.binding(node)
            case (st.Line(), *_):
                found = tuple(each for line in node for each in self._line(line))
                return found if self._effects is None else self._effects.in_one_order(found, self._key)
            case st.Demand(prefer=False) | d.PathRow(word="enter") if node.guard is not None:
                return self.of(replace(node, condition=condition_of(node), guard=None))
            case st.Choose(options=options):
                return st.Choose(tuple(sorted(map(self.of, options), key=self._key)))
            case _:
                return mapped(node, self.of)

    def _line(self, line: st.Statement) -> Iterator[st.Statement]:
        made = mapped(line, self.of)
        match made:
            case st.If(branches=(branch,), otherwise=otherwise):
                yield from self._branches(branch.condition, branch.block, otherwise or (), made.span)
            case st.Assign(value=ex.Conditional() as value):
                yield from self._kept(made, value)
            case st.Together(block=block) if self._effects is not None and self._effects.settles_at_once(made):
                yield from block
            case _:
                yield made

    def _kept(self, line: st.Assign, value: ex.Conditional) -> Iterator[st.Statement]:
        """A line that may set a place to what it holds, as one that is carried out where it does not."""
        held = _value_at(line.place)
        key = None if held is None or not self._is_one(line.place, line.place) else self._key(held)
        if key == self._key(value.then):
            condition, changed = self._values.opposite(value.condition), value.otherwise
        elif key == self._key(value.otherwise):
            condition, changed = value.condition, value.then
        else:
            yield line
            return
        yield from self._branches(condition, (replace(line, value=changed),), (), line.span)

    def _branches(
        self, condition: Expression, block: st.Block, otherwise: st.Block, span: Span
    ) -> Iterator[st.Statement]:
        """One branch and one else, told one way round."""
        values = self._values
        if isinstance(condition, ex.Literal):
            yield from block if condition.value else otherwise
            return
        if self._key(block) == self._key(otherwise) and self._calm.steady(condition):
            yield from block
            return
        match block, otherwise:
            case (st.Assign(place=one) as first,), (st.Assign(place=other) as second,) if self._is_one(one, other):
                made = ex.Conditional(
                    type=one.type, span=span, condition=condition, then=first.value, otherwise=second.value
                )
                yield replace(first, value=values.conditional(made))
                return
            case (st.Finish(value=ex.Typed(type=NumberType() as type_) as one) as first,), (
                st.Finish(value=ex.Typed(type=NumberType()) as other),
            ):
                made = ex.Conditional(type=type_, span=span, condition=condition, then=one, otherwise=other)
                yield replace(first, value=values.conditional(made))
                return
        branches = Branches(condition, block, otherwise)
        joined = self._switching.joined(branches)
        arms = self._switching.arms(branches)
        if joined is not None:
            yield from self._joined(joined, branches, span)
        elif arms is not None:
            yield from self._switch(arms, span)
        elif not block or (otherwise and values.is_denial(condition)):
            yield branched(values.opposite(condition), otherwise, block, span)
        else:
            yield branched(condition, block, otherwise, span)

    def _is_one(self, one: st.Place, other: st.Place) -> bool:
        """Whether two places are one, and finding it neither fails nor asks."""
        steady = isinstance(one, st.VariablePlace | st.GamePlace) or (
            isinstance(one, st.AttributePlace) and self._calm.steady(one.target)
        )
        return steady and bool(self._key(one) == self._key(other))

    def _joined(
        self, found: tuple[str, Branches[st.Block], bool], branches: Branches[st.Block], span: Span
    ) -> Iterator[st.Statement]:
        """Two branches that lead the same way, as one."""
        operator, inner, turned = found
        second = self._values.opposite(inner.condition) if turned else inner.condition
        condition = self._values.joined(operator, branches.condition, second)
        if operator == "or":
            yield from self._branches(condition, branches.then, inner.then if turned else inner.otherwise, span)
        else:
            yield from self._branches(condition, inner.otherwise if turned else inner.then, branches.otherwise, span)

    def _switch(self, arms: list[Arm[st.Block]], span: Span) -> Iterator[st.Statement]:
        """The branches on one value in the order of its values, one that does nothing last."""
        *first, (_, otherwise) = arms_in_order(arms, lambda block: not block)
        for subset, block in reversed(first):
            made = branched(self._values.subsets.written(subset), block, otherwise, span)
            otherwise = (made,)
        yield from otherwise
