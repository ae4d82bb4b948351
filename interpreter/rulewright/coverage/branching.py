"""The ways on from a line, and which lines lead elsewhere whatever happens."""

from collections.abc import Iterator

from rulewright.program import statements as st
from rulewright.program.walk import inner
from rulewright.source import Span

LEAVES = "leaves"


def ways(line: st.Statement) -> Iterator[tuple[str, Span]]:
    """The names and places of the ways on from a line but for its `otherwise`.

    A jump has one, an `if` one for each branch and one where none of them holds, a `match` one for each case.
    """
    match line:
        case st.Proceed(step=step):
            yield f"to {step}", line.span
        case st.Finish() | st.FinishOuter() | st.Stop():
            yield LEAVES, line.span
        case st.If(branches=branches):
            for number, branch in enumerate(branches, 1):
                yield branch_name(number), branch.span
            yield "else", line.span
        case st.Match(cases=cases):
            for number, case in enumerate(cases, 1):
                yield f"case {number}", case.span


def branch_name(number: int) -> str:
    """What the way into a branch of an `if` is called, counted from 1."""
    return "then" if number == 1 else f"then {number}"


def otherwise_blocks(line: st.Statement) -> st.Block:
    """The lines below the `else` of a line that asks, adds, takes or draws."""
    match line:
        case (
            st.AddAmount(otherwise=otherwise)
            | st.AddMember(otherwise=otherwise)
            | st.Draw(otherwise=otherwise)
            | st.Ask(otherwise=otherwise)
        ):
            return otherwise or ()
        case _:
            return ()


def first(block: st.Block) -> str:
    """The address of the first line of a block at which something happens; empty where there is none."""
    for each in block:
        if isinstance(each, st.Let) and each.value is None:
            continue
        if not isinstance(each, st.Together):
            return each.address
        found = first(tuple(inner(each)))
        if found:
            return found
    return ""


def leaves(block: st.Block | None) -> bool:
    """Whether nobody comes out at the end of a block."""
    return any(map(_leaves, block or ()))


def _leaves(line: st.Statement) -> bool:  # noqa: PLR0911 - one for each sort of line
    match line:
        case st.Proceed() | st.Finish() | st.FinishOuter() | st.Stop():
            return True
        case st.If(branches=branches, otherwise=otherwise):
            return leaves(otherwise) and all(leaves(each.block) for each in branches)
        case st.Match(cases=cases):
            return all(leaves(each.block) for each in cases)
        case st.Together(block=block):
            return leaves(block)
        case st.Ask(shape=st.Choose(options), otherwise=otherwise):
            return all(leaves(each.block) for each in options) and (otherwise is None or leaves(otherwise))
        case st.Ask(shape=st.Whether(), block=block, otherwise=otherwise):
            return leaves(block) and leaves(otherwise)
        case st.Ask(block=block, otherwise=otherwise):
            return leaves(block) and (otherwise is None or leaves(otherwise))
        case _:
            return False


def dead(block: st.Block) -> Iterator[st.Statement]:
    """The lines of a block, and of blocks inside, that stand behind one that always leads elsewhere."""
    gone = False
    for each in block:
        if gone:
            yield from _all(each)
            continue
        for part in _blocks(each):
            yield from dead(part)
        gone = _leaves(each)


def _all(line: st.Statement) -> Iterator[st.Statement]:
    yield line
    for each in inner(line):
        yield from _all(each)


def _blocks(line: st.Statement) -> Iterator[st.Block]:
    match line:
        case st.If(branches=branches, otherwise=otherwise):
            yield from (each.block for each in branches)
            yield otherwise or ()
        case st.Match(cases=cases):
            yield from (each.block for each in cases)
        case st.Ask(shape=shape, block=block, otherwise=otherwise):
            if isinstance(shape, st.Choose):
                yield from (each.block for each in shape.options)
            yield block
            yield otherwise or ()
        case st.ForEach(block=block) | st.Repeat(block=block) | st.Together(block=block):
            yield block
        case st.AddAmount(otherwise=otherwise) | st.AddMember(otherwise=otherwise) | st.Draw(otherwise=otherwise):
            yield otherwise or ()
        case _:
            return
