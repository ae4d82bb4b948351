"""A name that several blocks set anew before they read it, as a name of its own in each of them."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Variable
from rulewright.program.walk import blocks_inside
from rulewright.roles import mapped, nodes


def separated(parts: Any, fixed: Collection[int], numbers: Iterator[int]) -> Any:
    """All that a routine says, each use of a name that has nothing to do with another under a number of its own.

    Args:
        parts: what it says.
        fixed: names that are known from elsewhere, by number.
        numbers: that no name of it has.
    """
    for index in _set_twice(parts):
        found = [] if index in fixed else _blocks(parts, index)
        if found and len(found) > 1:
            fresh = {id(each): next(numbers) for each in found[1:]}
            parts = _renamed(parts, index, fresh)
    return parts


def _set_twice(parts: Any) -> list[int]:
    named, changed = Counter[int](), Counter[int]()
    for each in nodes(parts):
        match each:
            case st.Assign(place=st.VariablePlace(variable=variable)):
                changed[variable.index] += 1
            case st.Line() if (name := _named(each)) is not None:
                named[name.index] += 1
    found = {**{index: times for index, times in changed.items() if index not in named}, **named}
    return [index for index, times in found.items() if times > 1]


def _named(line: st.Line) -> Variable | None:
    """The name that a line sets."""
    match line:
        case st.Let(value=None):
            return None
        case st.Let() | st.Ask() | st.Roll() | st.TallyLine() | st.Draw(otherwise=None):
            return line.variable
        case st.Perform() | st.PerformExternal() | st.Trigger():
            return line.result
        case st.Assign(place=st.VariablePlace(variable=variable)):
            return variable
        case _:
            return None


def _blocks(node: Any, index: int) -> list[st.Block] | None:
    """The blocks that have a name to themselves, each setting it before anything reads it; none where it has more."""
    if not _occurs(node, index):
        return []
    match node:
        case (st.Line(), *_):
            lines = [each for each in node if _occurs(each, index)]
            return [node] if _begins(lines, index) else _all_blocks(lines, index)
        case tuple():
            return _joined(_blocks(each, index) for each in node)
        case d.Step(block=block):
            return _blocks(block, index)
        case _:
            return None


def _all_blocks(lines: Sequence[st.Statement], index: int) -> list[st.Block] | None:
    """The same of the blocks inside lines that do not use the name themselves."""
    inner = [blocks_inside(each) for each in lines]
    for line, blocks in zip(lines, inner, strict=True):
        if _occurs(line, index) > sum(_occurs(each, index) for each in blocks):
            return None
    return _joined(_blocks(each, index) for blocks in inner for each in blocks)


def _joined(found: Iterator[list[st.Block] | None]) -> list[st.Block] | None:
    made: list[st.Block] = []
    for each in found:
        if each is None:
            return None
        made += each
    return made


def _begins(lines: Sequence[st.Statement], index: int) -> bool:
    """Whether the first of these lines sets a name, whatever it was before."""
    first, *later = lines
    name = _named(first)
    if name is None or name.index != index:
        return False
    if not isinstance(first, st.Ask):
        return not _reads(first, index)
    if isinstance(first.shape, st.Whether):
        return not _reads((first.who, first.shape), index)
    chosen = [each.where for each in nodes(first.shape) if isinstance(each, ex.Binding) and name in each.variables]
    if _reads((first.who, first.shape), index) > _reads(tuple(chosen), index):
        return False
    return first.otherwise is None or not any(_occurs(each, index) for each in (first.otherwise, *later))


def _occurs(node: Any, index: int) -> int:
    return sum(isinstance(each, Variable) and each.index == index for each in nodes(node))


def _reads(node: Any, index: int) -> int:
    return sum(isinstance(each, ex.Local) and each.variable.index == index for each in nodes(node))


def _renamed(node: Any, index: int, fresh: dict[int, int], number: int | None = None) -> Any:
    number = fresh.get(id(node), number)
    if isinstance(node, Variable):
        return node if number is None or node.index != index else replace(node, index=number)
    return mapped(node, lambda part: _renamed(part, index, fresh, number))
