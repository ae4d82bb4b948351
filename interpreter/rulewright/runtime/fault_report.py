"""Reports of stopped runs: refusals, faults with the values read, and stalemates."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rulewright.program import expressions as ex, statements as st
from rulewright.program.conditions import chain_conditions, make_negation
from rulewright.program.declarations import Program
from rulewright.program.walk import get_inner_lines
from rulewright.runtime import control_flow as cf
from rulewright.runtime.chance_outcomes import TooManyOutcomesError, list_chance_outcomes
from rulewright.runtime.event_engine import PAUSE
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault, Resumption
from rulewright.runtime.random_values import RandomValue
from rulewright.runtime.request import CHANCE_SORTS
from rulewright.runtime.state_key import StateKeyBuilder, future_key
from rulewright.runtime.symbolic_pool import SymbolicPool
from rulewright.runtime.values import Value
from rulewright.runtime.working_memory import CONTROL, ROLLS, STACK, WorkingMemory, copy_world

if TYPE_CHECKING:
    from rulewright.runtime.run import Run
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType

from rulewright.base.node_roles import walk_nodes
from rulewright.program.types import Type
from rulewright.program.wording import is_simple_path
from rulewright.runtime import faults
from rulewright.runtime.faults import NeedFailed
from rulewright.runtime.frame_slots import (
    FIRST_SLOT,
    FRAME_BLOCK,
    FRAME_ROUTINE,
    FRAME_SITE,
)
from rulewright.runtime.request import Faulted, RefusalReason, Refused, SourcePoint
from rulewright.runtime.state import make_initial_state
from rulewright.runtime.trace_record import TraceRecord, build_reason, current_stretch

_MAX_EXPLORED_RUNS = 500
"""Runs explored to tell whether a loop at its bound can ever end; chosen, so that a fault is reported at once."""
_MAX_WORK = 20_000
"""Work of one explored run, in steps; chosen likewise."""
_UNLISTED_SORTS = frozenset({"place", "heading", "external", "value"})
"""Sorts of requests whose answers cannot all be listed."""


class _UndecidedStalemateError(Exception):
    pass


def is_stalemate(bound: "Run", resumption: Resumption) -> bool:
    """Whether a play provably goes on for ever from a bound, whatever is rolled and answered."""
    executable = bound.executable
    known = executable.cache.setdefault("stalemates", {})
    start = _pass_bound(bound.world, resumption)
    _collapse_dead_values(executable, start)
    if any(map(_has_random_values, start)):
        return False
    key = _stalemate_key(executable, start)
    if key not in known:
        try:
            _explore_all_runs(bound.make_sibling(start))
            known[key] = True
        except (_UndecidedStalemateError, Fault, TooManyOutcomesError):
            known[key] = False
    return known[key]  # type: ignore[no-any-return]


def _explore_all_runs(start: "Run") -> None:
    """Explores all answers from before a block until each play reaches a request and bound visited before.

    Raises:
        _UndecidedStalemateError: one of them ends the play, or there are too many.
    """
    executable, visited, waiting, runs_left = start.executable, set[Any](), [start], _MAX_EXPLORED_RUNS
    while waiting:
        run, runs_left = waiting.pop(), runs_left - 1
        world, stopped = run.world, run.run_from_block()
        if isinstance(stopped, Fault) and stopped.resumption is not None:
            world = _pass_bound(world, stopped.resumption)
        elif stopped != PAUSE:
            raise _UndecidedStalemateError
        if runs_left < 0:
            raise _UndecidedStalemateError
        key = _stalemate_key(executable, world)
        if key not in visited:
            visited.add(key)
            waiting += (
                [run.fork_with_answer(answer) for answer in _list_answers(run)]
                if stopped == PAUSE
                else [run.make_sibling(world)]
            )


def _collapse_dead_values(executable: Executable, world: WorkingMemory) -> None:
    futures = StateKeyBuilder.for_all_frames(executable, world)
    for frame in world[STACK]:
        read = futures.live_slots(frame)
        for slot, value in enumerate(frame):
            if isinstance(value, RandomValue) and slot not in read:
                frame[slot] = value.values[0]
    for old, dice in enumerate(world[ROLLS]):
        if isinstance(dice, SymbolicPool) and old not in futures.numbers:
            world[ROLLS][old] = dice.sample_dice


def _has_random_values(value: Any) -> bool:
    if isinstance(value, dict):
        value = tuple(value.values())
    return isinstance(value, RandomValue) or (isinstance(value, list | tuple) and any(map(_has_random_values, value)))


def _list_answers(run: "Run") -> list[Value]:
    question = run.copy_question()
    if question.sort in _UNLISTED_SORTS:
        raise _UndecidedStalemateError
    if question.sort in CHANCE_SORTS:
        return [
            chance_outcome.answer for chance_outcome in list_chance_outcomes(run.make_question(), _MAX_EXPLORED_RUNS)
        ]
    result = question.list_all_answers(_MAX_EXPLORED_RUNS)
    if not result:
        raise _UndecidedStalemateError
    return result


def _pass_bound(world: WorkingMemory, resumption: Resumption) -> WorkingMemory:
    copied = copy_world(world)
    frame = copied[STACK][-1]
    frame[FRAME_BLOCK], frame[resumption.slot] = resumption.block, resumption.rounds
    control = copied[CONTROL]
    control.work_left, control.pending = min(control.work_left, _MAX_WORK), None
    return copied


def _stalemate_key(executable: Executable, world: WorkingMemory) -> Any:
    copied = copy_world(world)
    for frame in copied[STACK]:
        for slot in _round_counter_slots(executable, frame[FRAME_ROUTINE]):
            frame[slot] = None
    return future_key(executable, copied)


def _round_counter_slots(executable: Executable, flow: int) -> tuple[int, ...]:
    known: dict[int, tuple[int, ...]] = executable.cache.setdefault("counting slots", {})
    if flow not in known:
        exits = [block.exit for block in executable.liveness.list_blocks(flow)] if flow >= 0 else []
        jumps = [exit_.slot for exit_ in exits if isinstance(exit_, cf.JumpExit) and exit_.slot is not None]
        known[flow] = (*jumps, *(exit_.slot + 1 for exit_ in exits if isinstance(exit_, cf.NextRound)))
    return known[flow]


def find_loop_conditions(program: Program, line: st.Statement) -> tuple[list[ex.Expression], list[ex.Expression]]:
    """Conditions under which a line leads back, and those of the lines that lead out of that loop."""
    if isinstance(line, st.Repeat):
        out = [
            _conjoin_conditions(above)
            for each, above in _lines_with_conditions(line.block, (line.condition,))
            if isinstance(each, _LEAVING_LINES)
        ]
        return [line.condition], out
    for procedure in program.procedures.values():
        steps = procedure.steps
        result = [[*_lines_with_conditions(item.block, () if item.guard is None else (item.guard,))] for item in steps]
        for last, lines in enumerate(result):
            for item, above in lines:
                if item is line and isinstance(line, st.Proceed):
                    first = [step.id for step in steps].index(line.step)
                    inside = {step.id for step in steps[first : last + 1]}
                    way = [one for within in result[first : last + 1] for one in within]
                    out = [_conjoin_conditions(over) for one, over in way if _leads_out(one, inside) and over]
                    return [_conjoin_conditions(above)] if above else [], out
    return [], []


_LEAVING_LINES = (st.Finish, st.FinishOuter, st.Stop, st.Proceed)


def _leads_out(line: st.Statement, inside: set[str]) -> bool:
    return isinstance(line, st.Finish | st.FinishOuter) or (isinstance(line, st.Proceed) and line.step not in inside)


def _lines_with_conditions(
    block: st.Block, above: tuple[ex.Expression, ...]
) -> Iterator[tuple[st.Statement, tuple[ex.Expression, ...]]]:
    for line in block:
        yield line, above
        if isinstance(line, st.If):
            before = above
            for branch in line.branches:
                yield from _lines_with_conditions(branch.block, (*before, branch.condition))
                before = (*before, make_negation(branch.condition))
            yield from _lines_with_conditions(line.otherwise or (), before)
        else:
            yield from _lines_with_conditions(tuple(get_inner_lines(line)), above)


def _conjoin_conditions(parts: tuple[ex.Expression, ...]) -> ex.Expression:
    return chain_conditions(parts, "and", parts[0].span)


_OUTERMOST_DEPTH = 2
"""Frames of the stack where the outermost call runs: the bottom frame and its own."""


def build_refusal(executable: Executable, world: WorkingMemory, failed: NeedFailed) -> Refused | None:
    """A refusal, if the failed opening condition is that of the outermost call."""
    stack = world[STACK]
    site = executable.sites[failed.site]
    if len(stack) != _OUTERMOST_DEPTH or executable.tables.flows[stack[-1][FRAME_ROUTINE]].key != site.routine:
        return None
    record = TraceRecord(executable, *current_stretch(world))
    if site.title:
        return Refused((RefusalReason(site.address, site.title, site.cites),), record)
    condition = executable.wording.render_expression(site.node.condition)
    judged = [entry for entry in record.entries if entry.sort == "need" and entry.result is False]
    if not judged:
        return Refused((RefusalReason(site.address, f"`{condition}` does not hold", site.cites),), record)
    result = build_reason(replace(judged[-1], title=condition), executable.concealment)
    return Refused((replace(result, address=site.address, cites=result.cites or site.cites),), record)


def build_fault(
    executable: Executable, world: WorkingMemory, failed: BaseException, *, is_stuck: bool = False
) -> Faulted:
    """A fault with its line, the values that the line read, and the state before the outermost call.

    It is stuck if a bound was reached without which the play would go on for ever.
    """
    control = world[CONTROL]
    site, local = _find_failed_line(executable, failed.__traceback__) or (_find_current_line(executable, world), {})
    match failed:
        case Fault(code=code, message=message):
            failed_reads = failed.read
            site = site if failed.site is None else executable.sites[failed.site]
        case NeedFailed():
            need = executable.sites[failed.site]
            code, message, failed_reads, site = faults.NEED_FAILED, _describe_unmet_need(need), (), need
        case RecursionError():
            code, message, failed_reads = faults.DEPTH_LIMIT, "calls lead too deep into each other to be followed", ()
        case _:
            raise failed
    read_nodes: tuple[Any, ...] = (site.node,)
    remedy = faults.REMEDIES.get(code, "")
    if is_stuck:
        conditions, out = find_loop_conditions(executable.program, site.node)
        read_nodes, remedy = (*conditions, *out), faults.STALEMATE_REMEDY
        message = _describe_endless_play(
            *([executable.wording.render_expression(item) for item in result] for result in (conditions, out))
        )
    read = (
        *failed_reads,
        *(item for node in read_nodes for item in _collect_values_read(executable, world, node, local)),
    )
    entries = TraceRecord(executable, *current_stretch(world))
    origin = make_initial_state(control.origin, executable.layout)
    return Faulted(origin, code, site.address, message, tuple(dict.fromkeys(read)), entries, remedy)


def _describe_endless_play(conditions: Sequence[str], out: Sequence[str]) -> str:
    back = [f"leads back here while {_join_quoted(conditions, 'and')} holds"] if conditions else []
    leaves = [f"would lead out where {_join_quoted(out, 'or')} holds"] if out else []
    loop_text = f"; it {' and '.join((*back, *leaves))}" if conditions or out else ""
    return f"no player can end this: whatever is rolled and answered, the play goes on for ever{loop_text}"


def _join_quoted(texts: Sequence[str], word: str) -> str:
    return f" {word} ".join(f"`{fromkey}`" for fromkey in dict.fromkeys(texts))


def _describe_unmet_need(need: SourcePoint) -> str:
    name = need.routine.rpartition(":")[2]
    return f"`{name}` cannot start: {need.title or need.address}"


def _find_failed_line(
    executable: Executable, traceback: TracebackType | None
) -> tuple[SourcePoint, dict[str, Any]] | None:
    result: tuple[SourcePoint, dict[str, Any]] | None = None
    name = f"<{executable.program.name}>"
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == name:
            site = executable.sites[executable.code.lines[traceback.tb_lineno]]
            if site.line:
                result = (site, frame.f_locals)
        traceback = traceback.tb_next
    return result


def _find_current_line(executable: Executable, world: WorkingMemory) -> SourcePoint:
    for frame in reversed(world[STACK]):
        code: Any = getattr(executable.blocks[frame[FRAME_BLOCK]], "__code__", None)
        written = code is not None and code.co_filename == f"<{executable.program.name}>"
        numbers = [executable.code.lines[line] for _, _, line in code.co_lines() if line] if written else []
        number: int | None = next((item for item in (*numbers, frame[FRAME_SITE]) if executable.sites[item].line), None)
        if number is not None:
            return executable.sites[number]
    return executable.sites[0]


def _collect_values_read(
    executable: Executable, world: WorkingMemory, line: Any, local: dict[str, Any]
) -> list[tuple[str, Value, Type]]:
    result = []
    heads = _line_without_blocks(line)
    bound = {
        variable.index
        for node in walk_nodes(heads)
        if isinstance(node, ex.Binding)
        for variable in node.variables
        if variable
    }
    for node in walk_nodes(heads):
        if any(isinstance(item, ex.Local) and item.variable.index in bound for item in walk_nodes(node)):
            continue
        if isinstance(node, ex.Local | ex.StoredAttribute | ex.GameField) and is_simple_path(node):
            try:
                value = _read_current_value(executable, world, local, node)
            except (KeyError, IndexError, TypeError):
                continue
            result.append((executable.wording.render_expression(node), value, node.type))
    return result


def _line_without_blocks(node: Any) -> Any:
    inside = {"block", "branches", "cases", "otherwise", "opening", "steps"}
    names = getattr(type(node), "__dataclass_fields__", ())
    return tuple(getattr(node, name) for name in names if name not in inside)


def _read_current_value(executable: Executable, world: WorkingMemory, local: dict[str, Any], node: Any) -> Any:
    places = executable.places
    match node:
        case ex.Local(variable=variable):
            name = f"v{variable.index}"
            return local[name] if name in local else local["F"][FIRST_SLOT + variable.index]
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            return world[places.columns[f"{kind}/{name}"]][_read_current_value(executable, world, local, target)]
        case ex.GameField(name=name):
            return world[places.game[name]]
        case _:
            raise KeyError
