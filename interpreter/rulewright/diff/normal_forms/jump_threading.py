"""Jump threading: steps joined, what follows a way out put into the other branch, jumps to what comes next dropped.

Literature: straightening, if simplification, tail merging and unreachable-code elimination (Muchnick 1997, 18).
"""

from collections.abc import Callable, Iterator

from rulewright.base.frozen import replace
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import make_conjunction
from rulewright.program.core.walking import map_blocks, walk_statements

_EXITS = (core.Return, core.Unwind, core.Jump, core.Leave)
_NEED = "RW0809"
_IsIdle = Callable[[core.Statement], bool]


def thread_jumps(routine: core.Routine) -> core.Routine:
    """A routine without notes, with its control flow in normal form."""
    threaded = _trim_tails(map_blocks(routine, lambda block: tuple(_thread_block(_strip_notes(block)))))
    while True:  # a jump that is dropped may have been the last one to its step
        fused = _trim_tails(_fuse_steps(threaded))
        if len(fused.steps) == len(threaded.steps):
            return fused
        threaded = fused


def thread_block(block: core.Block) -> core.Block:
    """A block without what is never run, where what follows a way out stands in the other branch."""
    return tuple(_thread_block(block))


def _strip_notes(block: core.Block) -> core.Block:
    """A block without entries of the trace that tell players nothing, and needs in a row as one."""
    result: list[core.Statement] = []
    for statement in block:
        if isinstance(statement, core.Note) and statement.entry != "revealed":
            continue
        inner = _merge_nested(map_blocks(statement, _strip_notes))
        match result, inner:
            case [*_, core.If(then=(), other=(core.Fail(fault="RW0809"),)) as before], core.If(
                then=(), other=(core.Fail(fault="RW0809"),)
            ):
                result[-1] = replace(before, test=make_conjunction([before.test, inner.test], before.origin))
            case _:
                result.append(inner)
    return tuple(result)


def _merge_nested(statement: core.Statement) -> core.Statement:
    """A branch that holds nothing but another, as one branch on both conditions."""
    match statement:
        case core.If(test=first, then=(core.If(test=second, then=then, other=()),), other=()):
            return replace(statement, test=make_conjunction([first, second], statement.origin), then=then)
        case _:
            return statement


def _thread_block(block: core.Block) -> Iterator[core.Statement]:
    statements = [map_blocks(statement, lambda inner: tuple(_thread_block(inner))) for statement in block]
    for number, statement in enumerate(statements):
        rest = tuple(statements[number + 1 :])
        if isinstance(statement, core.If) and rest and (leads := _find_exits(statement, rest)):
            then, other = statement.then, statement.other
            if not leads[0]:
                then = tuple(_thread_block((*then, *rest)))
            if not leads[1]:
                other = tuple(_thread_block((*other, *rest)))
            yield replace(statement, then=then, other=other)
            return
        yield statement
        if never_falls_through((statement,)):
            return


def _find_exits(branches: core.If, rest: core.Block) -> tuple[bool, bool] | None:
    """Whether each branch leads out; None where none does.

    Where something inside does, a last return is put into both.
    """
    result = _leads_out(branches.then), _leads_out(branches.other)
    ended = len(rest) == 1 and isinstance(rest[0], core.Return)
    inside = ended and any(isinstance(statement, core.Return) for statement in walk_statements(branches))
    return result if any(result) or inside else None


def never_falls_through(block: core.Block) -> bool:
    """Whether nothing that stands behind a block is ever run."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, core.If):
        return never_falls_through(last.then) and never_falls_through(last.other)
    return isinstance(last, (*_EXITS, core.Fail))


def _leads_out(block: core.Block) -> bool:
    """Whether a block never falls through, and not by a fault alone."""
    if not never_falls_through(block):
        return False
    last = block[-1]
    return _leads_out(last.then) or _leads_out(last.other) if isinstance(last, core.If) else isinstance(last, _EXITS)


# Tails.


def _trim_tails(routine: core.Routine) -> core.Routine:
    """A routine without jumps to where control goes anyway."""
    blocks = [routine.entry, *(step.block for step in routine.steps)]
    trimmed = [_trim_loops(_trim(block, _make_tail_test(routine, number))) for number, block in enumerate(blocks)]
    steps = (replace(step, block=block) for step, block in zip(routine.steps, trimmed[1:], strict=True))
    return replace(routine, entry=trimmed[0], steps=tuple(steps))


def _make_tail_test(routine: core.Routine, number: int) -> _IsIdle:
    """Test whether a last statement of the block before a step goes where control goes anyway."""
    if number < len(routine.steps):
        return lambda last: isinstance(last, core.Jump) and last.step == number and last.bound is None
    return lambda last: (
        not routine.is_pure
        and isinstance(last, core.Return)
        and isinstance(last.value, core.Const)
        and last.value.value is None
    )


def _trim_loops(block: core.Block) -> core.Block:
    return tuple(_trim_loop(map_blocks(statement, _trim_loops)) for statement in block)


def _trim_loop(statement: core.Statement) -> core.Statement:
    if not isinstance(statement, core.For | core.Loop):
        return statement
    label = statement.label
    body = _trim(statement.body, lambda last: isinstance(last, core.Leave) and last.label == label and last.again)
    return replace(statement, body=body)


def _trim(block: core.Block, is_idle: _IsIdle) -> core.Block:
    while block and is_idle(block[-1]):
        block = block[:-1]
    if block and isinstance(block[-1], core.If | core.Ask):
        return (*block[:-1], map_blocks(block[-1], lambda inner: _trim(inner, is_idle)))
    return block


# Steps.


def _fuse_steps(routine: core.Routine) -> core.Routine:
    """A routine with steps that nothing jumps to as parts of what stands before them, and guards as branches."""
    targets = {statement.step for statement in walk_statements(routine) if isinstance(statement, core.Jump)}
    blocks: list[list[core.Statement]] = [[*routine.entry]]
    positions: dict[int, int] = {}
    for number, step in enumerate(routine.steps):
        block = step.block
        if step.guard is not None:
            block = (core.If(step.guard, block, (), origin=step.origin),)
        if number in targets:
            positions[number] = len(blocks) - 1
            blocks.append([])
        blocks[-1] += block

    def renumber(block: core.Block) -> core.Block:
        return tuple(
            replace(statement, step=positions[statement.step])
            if isinstance(statement, core.Jump)
            else map_blocks(statement, renumber)
            for statement in block
        )

    entry, *rest = (renumber(tuple(_thread_block(tuple(block)))) for block in blocks)
    origins = (routine.steps[number].origin for number in positions)
    steps = tuple(core.Step(None, block, origin=origin) for block, origin in zip(rest, origins, strict=True))
    return replace(routine, entry=entry, steps=steps)


def count_common_tail(then: core.Block, other: core.Block, is_same: Callable[[object, object], bool]) -> int:
    """Number of last statements that two blocks have in common."""
    lengths = range(min(len(then), len(other)), 0, -1)
    return next((length for length in lengths if is_same(then[-length:], other[-length:])), 0)
