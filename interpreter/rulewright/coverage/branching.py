"""The ways on from a line."""

from collections.abc import Iterator

from rulewright.program import statements as st
from rulewright.program.lines import inner
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
