"""Whether anybody could end a play that has reached the bound of a loop or jump, were there no such bound."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rulewright.machine import graph as g
from rulewright.machine.engine.frames import PAUSE
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault, Resumption
from rulewright.machine.futures import Futures, key
from rulewright.machine.later import Later
from rulewright.machine.outcomes import TooManyOutcomesError, chances
from rulewright.machine.request import CHANCE
from rulewright.machine.unthrown import Unthrown
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, ROLLS, STACK, World, duplicate
from rulewright.program import expressions as ex, statements as st
from rulewright.program.conditions import chained, denied
from rulewright.program.declarations import Program
from rulewright.program.walk import inner

if TYPE_CHECKING:
    from rulewright.machine.run import Run

_WAYS = 500
_WORK = 20_000
_UNLISTED = frozenset({"place", "heading", "external", "value"})
"""Sorts of requests of which not all answers are known."""


class _UnknownError(Exception):
    """The play may be ended, or more would have to be looked at than is looked at."""


def nobody_ends(bound: "Run", onward: Resumption) -> bool:
    """Whether it is known that a play goes on for ever from a bound, whatever is rolled and answered."""
    executable = bound.executable
    known = executable.kept.setdefault("stalemates", {})
    start = _beyond(bound.world, onward)
    _forget(executable, start)
    if any(map(_is_open, start)):
        return False
    moment = _moment(executable, start)
    if moment not in known:
        try:
            _explore(bound.beginning(start))
            known[moment] = True
        except (_UnknownError, Fault, TooManyOutcomesError):
            known[moment] = False
    return known[moment]  # type: ignore[no-any-return]


def _explore(start: "Run") -> None:
    """Goes all ways from before a block until all come to requests and bounds that were met before.

    Raises:
        _UnknownError: one of them ends the play, or there are more than are gone.
    """
    executable, seen, waiting, left = start.executable, set[Any](), [start], _WAYS
    while waiting:
        run, left = waiting.pop(), left - 1
        world, stopped = run.world, run.onward()
        if isinstance(stopped, Fault) and stopped.onward is not None:
            world = _beyond(world, stopped.onward)
        elif stopped != PAUSE:
            raise _UnknownError
        if left < 0:
            raise _UnknownError
        moment = _moment(executable, world)
        if moment not in seen:
            seen.add(moment)
            waiting += [run.answered_by(each) for each in _answers(run)] if stopped == PAUSE else [run.beginning(world)]


def _forget(executable: Executable, world: World) -> None:
    """Has what nobody reads any more hang on chance no longer."""
    futures = Futures(executable, world)
    for frame in world[STACK]:
        futures.frame(frame)
        read = futures.slots(frame)
        for slot, value in enumerate(frame):
            if isinstance(value, Later) and slot not in read:
                frame[slot] = value.values[0]
    for old, dice in enumerate(world[ROLLS]):
        if isinstance(dice, Unthrown) and old not in futures.numbers:
            world[ROLLS][old] = dice.some


def _is_open(value: Any) -> bool:
    """Whether chance has not decided yet what some of the working memory is."""
    if isinstance(value, dict):
        value = tuple(value.values())
    return isinstance(value, Later) or (isinstance(value, list | tuple) and any(map(_is_open, value)))


def _answers(run: "Run") -> list[Value]:
    """All answers to a request."""
    question = run.copied_question()
    if question.sort in _UNLISTED:
        raise _UnknownError
    if question.sort in CHANCE:
        return [each.answer for each in chances(run.executable, run.world, _WAYS)]
    found = question.every(_WAYS)
    if not found:
        raise _UnknownError
    return found


def _beyond(world: World, onward: Resumption) -> World:
    """The working memory of a play that has not heeded a bound, with little left of its limits."""
    copied = duplicate(world)
    frame = copied[STACK][-1]
    frame[0], frame[onward.slot] = onward.block, onward.rounds
    control = copied[CONTROL]
    control.left, control.pending = min(control.left, _WORK), None
    return copied


def _moment(executable: Executable, world: World) -> Any:
    """What decides the future of a play, but for the rounds that count towards bounds."""
    copied = duplicate(world)
    for frame in copied[STACK]:
        for slot in _counting(executable, frame[1]):
            frame[slot] = None
    return key(executable, copied)


def _counting(executable: Executable, flow: int) -> tuple[int, ...]:
    """The slots in which a flow counts rounds."""
    known: dict[int, tuple[int, ...]] = executable.kept.setdefault("counting slots", {})
    if flow not in known:
        exits = [each.exit for each in executable.liveness.blocks(flow)] if flow >= 0 else []
        jumps = [each.slot for each in exits if isinstance(each, g.Jump) and each.slot is not None]
        known[flow] = (*jumps, *(each.slot + 1 for each in exits if isinstance(each, g.Again)))
    return known[flow]


def conditions(program: Program, line: st.Statement) -> tuple[list[ex.Expression], list[ex.Expression]]:
    """The conditions under which a line leads back, and those of the lines that lead out of the way that it leads."""
    if isinstance(line, st.Repeat):
        out = [_joined(above) for each, above in _lines(line.block, (line.condition,)) if isinstance(each, _OUT)]
        return [line.condition], out
    for procedure in program.procedures.values():
        steps = procedure.steps
        found = [[*_lines(each.block, () if each.guard is None else (each.guard,))] for each in steps]
        for last, lines in enumerate(found):
            for each, above in lines:
                if each is line and isinstance(line, st.Proceed):
                    first = [step.id for step in steps].index(line.step)
                    inside = {step.id for step in steps[first : last + 1]}
                    way = [one for within in found[first : last + 1] for one in within]
                    out = [_joined(over) for one, over in way if _leads_out(one, inside) and over]
                    return [_joined(above)] if above else [], out
    return [], []


_OUT = (st.Finish, st.FinishOuter, st.Stop, st.Proceed)


def _leads_out(line: st.Statement, inside: set[str]) -> bool:
    """Whether a line leads out of some steps."""
    return isinstance(line, st.Finish | st.FinishOuter) or (isinstance(line, st.Proceed) and line.step not in inside)


def _lines(
    block: st.Block, above: tuple[ex.Expression, ...]
) -> Iterator[tuple[st.Statement, tuple[ex.Expression, ...]]]:
    """The lines of a block and all inside them, with the conditions under which they are come to."""
    for line in block:
        yield line, above
        if isinstance(line, st.If):
            before = above
            for branch in line.branches:
                yield from _lines(branch.block, (*before, branch.condition))
                before = (*before, denied(branch.condition))
            yield from _lines(line.otherwise or (), before)
        else:
            yield from _lines(tuple(inner(line)), above)


def _joined(parts: tuple[ex.Expression, ...]) -> ex.Expression:
    return chained(parts, "and", parts[0].span)
