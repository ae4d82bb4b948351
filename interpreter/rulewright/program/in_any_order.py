"""Loops that come to the same in whatever order they go through their members: each only adds to names."""

from collections.abc import Sequence

from rulewright.program import expressions as ex, statements as st
from rulewright.program.types import NumberType
from rulewright.roles import nodes


class _OtherError(Exception):
    """A line does something else than to add."""


_Way = tuple[str, int | None]
"""How a name changes: whether it is added to or taken from, and the number at which it stays."""


def added_up(loop: st.ForEach) -> tuple[frozenset[int], tuple[ex.Expression, ...]] | None:
    """The names that a loop adds to, by index, and all that it reads of its members; none where order may count.

    No number that is added is below 0, each name is bounded in one way, and nothing that is read hangs on the names.
    """
    ways: dict[int, set[_Way]] = {}
    try:
        read = [*_read(loop.block, ways), *([] if loop.binding.where is None else [loop.binding.where])]
    except _OtherError:
        return None
    named = {each.variable.index for each in nodes(tuple(read)) if isinstance(each, ex.Local)}
    if any(len(each) > 1 for each in ways.values()) or named & {*ways}:
        return None
    return frozenset(ways), tuple(read)


def _read(block: Sequence[st.Statement] | None, ways: dict[int, set[_Way]]) -> list[ex.Expression]:
    """What lines read beside the names they add to, of which `ways` learns."""
    found: list[ex.Expression] = []
    for line in block or ():
        match line:
            case st.Nothing():
                pass
            case st.If(branches=branches, otherwise=otherwise):
                for each in branches:
                    found += [each.condition, *_read(each.block, ways)]
                found += _read(otherwise, ways)
            case st.Match(subject=subject, cases=cases):
                found.append(subject)
                for case in cases:
                    found += _read(case.block, ways)
            case st.AddAmount(place=st.VariablePlace(variable=variable), amount=amount, otherwise=None) if (
                line.up_to or (line.low is None and line.high is None)
            ) and _is_never_negative(amount):
                way = ("take", line.low) if line.take else ("add", line.high)
                ways.setdefault(variable.index, set()).add(way)
                found.append(amount)
            case st.Assign(place=st.VariablePlace(variable=variable), value=value):
                most, amount = _sum(variable.index, variable.type, value)
                ways.setdefault(variable.index, set()).add(("add", most))
                found.append(amount)
            case _:
                raise _OtherError
    return found


def _sum(name: int, type_: object, value: ex.Expression) -> tuple[int | None, ex.Expression]:
    """Of `min(most, name + amount)` the most and the amount; the most is none where the name has no bound."""
    if not isinstance(type_, NumberType):
        raise _OtherError
    match value:
        case ex.Builtin(
            name="min", arguments=(ex.Literal(value=int(most)), whole) | (whole, ex.Literal(value=int(most)))
        ):
            bound: int | None = most
            if type_.high is not None and most > type_.high:
                raise _OtherError
        case _:
            whole, bound = value, None
            if type_.high is not None:
                raise _OtherError
    match whole:
        case (
            ex.Arithmetic(operator="+", left=ex.Local(variable=variable), right=amount)
            | ex.Arithmetic(operator="+", left=amount, right=ex.Local(variable=variable))
        ) if variable.index == name and _is_never_negative(amount):
            return bound, amount
        case _:
            raise _OtherError


def _is_never_negative(amount: ex.Expression) -> bool:
    type_ = amount.type
    return isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0
