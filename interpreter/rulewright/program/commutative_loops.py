"""Loops that come to the same in whatever order they go through their members: each only adds to names."""

from collections.abc import Sequence

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st
from rulewright.program.types import NumberType


class _NotCommutativeError(Exception):
    """A line does something else than to add."""


_UpdateKind = tuple[str, int | None]
"""How a name changes: whether it is added to or taken from, and the number at which it stays."""


def find_commutative_updates(loop: st.ForEach) -> tuple[frozenset[int], tuple[ex.Expression, ...]] | None:
    """The names that a loop adds to, by index, and all that it reads of its members; none where order may count.

    No number that is added is below 0, each name is bounded in one way, and nothing that is read hangs on the names.
    """
    ways: dict[int, set[_UpdateKind]] = {}
    try:
        read = [*_collect_updates(loop.block, ways), *([] if loop.binding.where is None else [loop.binding.where])]
    except _NotCommutativeError:
        return None
    named = {node.variable.index for node in walk_nodes(tuple(read)) if isinstance(node, ex.Local)}
    if any(len(way) > 1 for way in ways.values()) or named & {*ways}:
        return None
    return frozenset(ways), tuple(read)


def _collect_updates(block: Sequence[st.Statement] | None, ways: dict[int, set[_UpdateKind]]) -> list[ex.Expression]:
    """What lines read beside the names they add to, of which `ways` learns."""
    result: list[ex.Expression] = []
    for line in block or ():
        match line:
            case st.Nothing():
                pass
            case st.If(branches=branches, otherwise=otherwise):
                for branch in branches:
                    result += [branch.condition, *_collect_updates(branch.block, ways)]
                result += _collect_updates(otherwise, ways)
            case st.Match(subject=subject, cases=cases):
                result.append(subject)
                for case in cases:
                    result += _collect_updates(case.block, ways)
            case st.AddAmount(place=st.VariablePlace(variable=variable), amount=amount, otherwise=None) if (
                line.up_to or (line.low is None and line.high is None)
            ) and _is_never_negative(amount):
                way = ("take", line.low) if line.take else ("add", line.high)
                ways.setdefault(variable.index, set()).add(way)
                result.append(amount)
            case st.Assign(place=st.VariablePlace(variable=variable), value=value):
                most, amount = _split_bounded_sum(variable.index, variable.type, value)
                ways.setdefault(variable.index, set()).add(("add", most))
                result.append(amount)
            case _:
                raise _NotCommutativeError
    return result


def _split_bounded_sum(name: int, type_: object, value: ex.Expression) -> tuple[int | None, ex.Expression]:
    """Of `min(most, name + amount)` the most and the amount; the most is none where the name has no bound."""
    if not isinstance(type_, NumberType):
        raise _NotCommutativeError
    match value:
        case ex.Builtin(
            name="min", arguments=(ex.Literal(value=int(most)), whole) | (whole, ex.Literal(value=int(most)))
        ):
            bound: int | None = most
            if type_.high is not None and most > type_.high:
                raise _NotCommutativeError
        case _:
            whole, bound = value, None
            if type_.high is not None:
                raise _NotCommutativeError
    match whole:
        case (
            ex.Arithmetic(operator="+", left=ex.Local(variable=variable), right=amount)
            | ex.Arithmetic(operator="+", left=amount, right=ex.Local(variable=variable))
        ) if variable.index == name and _is_never_negative(amount):
            return bound, amount
        case _:
            raise _NotCommutativeError


def _is_never_negative(amount: ex.Expression) -> bool:
    type_ = amount.type
    return isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0
