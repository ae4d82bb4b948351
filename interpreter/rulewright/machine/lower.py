"""From routines to flow graphs: cut where a line may suspend, keep plain stretches whole."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rulewright.machine import graph as g
from rulewright.machine.ranking import SLOTS
from rulewright.machine.suspension import Framing, key, sort_of
from rulewright.program import statements as st
from rulewright.program.declarations import Handler, Hold, Need, Procedure, StandingRule, Step, Watch
from rulewright.program.effects import written_by
from rulewright.program.walk import Routine
from rulewright.roles import nodes

if TYPE_CHECKING:
    from rulewright.program.expressions import Expression


def lower(routine: Routine, framing: Framing, steps: tuple[str, str] | None = None) -> g.Flow:
    """The graph of a routine, or of the range of its steps that a `perform` names."""
    return _Lowering(routine, framing, steps).flow()


def flow_key(routine: Routine, steps: tuple[str, str] | None) -> str:
    """The key of a routine, or of a range of its steps."""
    return key(routine) if steps is None else f"{key(routine)}:{steps[0]}..{steps[1]}"


def escapes(line: st.Statement) -> bool:
    """Whether a line may leave a loop around it, its step or its routine."""
    return any(isinstance(each, st.Finish | st.FinishOuter | st.Proceed) for each in nodes(line)) or _stops(line)


def _stops(line: st.Statement) -> bool:  # noqa: PLR0911
    match line:
        case st.Stop():
            return True
        case st.ForEach() | st.Repeat():
            return False
        case st.Match(cases=cases):
            return any(_stops(each) for case in cases for each in case.block)
        case st.If(branches=branches, otherwise=otherwise):
            return any(_stops(each) for branch in branches for each in branch.block) or _any_stops(otherwise)
        case st.Together(block=block):
            return _any_stops(block)
        case st.AddAmount(otherwise=otherwise) | st.AddMember(otherwise=otherwise):
            return _any_stops(otherwise)
        case _:
            return False


def _any_stops(block: st.Block | None) -> bool:
    return any(map(_stops, block or ()))


@dataclass
class _Open:
    items: list[g.Item] = field(default_factory=list)
    exit: g.Exit | None = None
    entered: bool = False


class _Lowering:
    def __init__(self, routine: Routine, framing: Framing, steps: tuple[str, str] | None) -> None:
        self._routine = routine
        self._framing = framing
        self._range = steps
        self._blocks: list[_Open] = []
        self._slots = g.FIRST_SLOT + len(routine.variables)
        self._cursors: list[tuple[int, Expression]] = []
        self._steps: dict[str, int] = {}
        self._loops: list[int] = []
        self._current = self._new(entered=True)

    def flow(self) -> g.Flow:
        match self._routine:
            case Procedure():
                self._procedure(self._routine)
            case Handler() | StandingRule():
                self._block(self._routine.block)
        self._close(g.Leave(None))
        return g.Flow(
            flow_key(self._routine, self._range),
            sort_of(self._routine),
            self._routine.name,
            tuple(g.Block(tuple(each.items), each.exit or g.Leave(None), each.entered) for each in self._blocks),
            self._slots,
            tuple(self._cursors),
        )

    # Blocks.

    def _new(self, *, entered: bool = False) -> int:
        """A new block; where a value may have to be asked for, each begins by itself, so that it can begin anew."""
        anew = bool(self._framing.wanting)
        self._blocks.append(_Open(entered=entered or anew))
        return len(self._blocks) - 1

    def _add(self, item: g.Item) -> None:
        self._blocks[self._current].items.append(item)

    def _close(self, exit_: g.Exit) -> None:
        block = self._blocks[self._current]
        if block.exit is None:
            block.exit = exit_

    def _close_at(self, exit_: g.Exit, block: int) -> None:
        self._close(exit_)
        self._current = block

    def _hidden(self, count: int) -> int:
        self._slots += count
        return self._slots - count

    def _branch(self, lines: st.Block | None, after: int) -> int:
        """A new block with the lines, leading to `after`; the current block stays current."""
        here, start = self._current, self._new()
        self._current = start
        self._block(lines or ())
        self._close(g.Goto(after))
        self._current = here
        return start

    # Routines.

    def _procedure(self, procedure: Procedure) -> None:
        steps = self._chosen(procedure.steps)
        starts = [self._new() for _ in steps]
        self._steps = {step.id: start for step, start in zip(steps, starts, strict=True)}
        for each in procedure.opening:
            match each:
                case Need() | Hold() | Watch():
                    self._add(each)
                case _:
                    self._block(each)
        self._sequence(steps, starts)

    def _chosen(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        if self._range is None:
            return steps
        ids = [each.id for each in steps]
        return steps[ids.index(self._range[0]) : ids.index(self._range[1]) + 1]

    def _sequence(self, steps: tuple[Step, ...], starts: list[int]) -> None:
        end = self._new()
        self._close_at(g.Goto((*starts, end)[0]), (*starts, end)[0])
        for step, start, following in zip(steps, starts, (*starts, end)[1:], strict=True):
            self._current = start
            inside = self._new()
            self._close_at(g.Arrive(step, inside, following), inside)
            self._block(step.block)
            self._close(g.Goto(following))
        self._current = end

    # Lines.

    def _block(self, lines: st.Block) -> None:
        for line in lines:
            self._line(line)

    def _plain(self, line: st.Statement) -> bool:
        return not escapes(line) and not self._framing.suspends(line)

    def _line(self, line: st.Statement) -> None:  # noqa: C901, PLR0912, PLR0915
        if self._plain(line):
            self._add(line)
            return
        self._cut()
        match line:
            case st.If():
                after = self._new()
                blocks = tuple(self._branch(each.block, after) for each in line.branches)
                self._close_at(g.Fork(line, blocks, self._branch(line.otherwise, after)), after)
            case st.Match():
                after = self._new()
                self._close_at(g.Select(line, tuple(self._branch(each.block, after) for each in line.cases)), after)
            case st.ForEach():
                self._for_each(line)
            case st.Repeat():
                self._repeat(line)
            case st.Together():
                self._add(g.OpenTogether(line))
                self._block(line.block)
                after = self._new(entered=True)
                self._close_at(g.Settle(after, line), after)
            case st.AddAmount() if line.otherwise is not None:
                after, done = self._new(entered=True), self._new()
                otherwise = self._branch(line.otherwise, after)
                self._close_at(g.Attempt(line, done, otherwise), done)
                self._close_at(g.Settle(after), after)
            case st.Ask():
                self._ask(line)
            case st.AskAll():
                self._ask_all(line)
            case st.Roll() | st.Reroll() | st.Draw() | st.Shuffle():
                self._chance(line)
            case st.Rank():
                self._rank(line)
            case st.Perform():
                after = self._new(entered=True)
                self._close_at(g.Invoke(line, after), after)
            case st.PerformExternal():
                resume, after = self._new(entered=True), self._new(entered=True)
                elsewhere = g.Elsewhere(line, resume, after)
                self._close_at(elsewhere, resume)
                self._close_at(g.Delivered(elsewhere), after)
            case st.Trigger():
                after = self._new(entered=True)
                self._close_at(g.Window(line, after), after)
            case st.Remove():
                self._remove(line)
            case st.Proceed():
                self._proceed(line)
            case st.Finish():
                self._close_at(g.Leave(line), self._new())
            case st.FinishOuter():
                self._close_at(g.Unwind(line), self._new())
            case st.Stop():
                self._close_at(g.Jump(line, self._loops[-1], None), self._new())
            case _:
                self._changing(line)

    def _chance(self, line: st.Roll | st.Reroll | st.Draw | st.Shuffle) -> None:
        resume, done, after = self._new(entered=True), self._new(), self._new(entered=bool(written_by(line)))
        otherwise = self._branch(line.otherwise if isinstance(line, st.Draw) else None, after)
        chance = g.Chance(line, resume, done, otherwise)
        self._close_at(chance, resume)
        self._close_at(g.Fallen(chance), done)
        self._close_at(g.Settle(after) if written_by(line) else g.Goto(after), after)

    def _rank(self, line: st.Rank) -> None:
        slot = self._hidden(SLOTS)
        self._cursors.append((slot, line.binding.source))
        self._add(g.RankStart(line, slot))
        for position, each in enumerate(line.keys):
            if not each.requests:
                self._add(g.RankSort(line, position, slot))
                continue
            again, resume, after = self._new(entered=True), self._new(entered=True), self._new()
            self._close_at(g.Goto(again), again)
            if each.best == "ask":
                asked = g.AskRow(line, position, slot, resume, after)
                self._close_at(asked, resume)
                self._close_at(g.RowOrdered(asked, again), after)
            else:
                throw = g.Throw(line, position, slot, resume, after)
                self._close_at(throw, resume)
                self._close_at(g.Thrown(throw, again), after)
        self._add(g.RankEnd(line, slot))

    def _cut(self) -> None:
        """A line that may need a value asked for begins a block, to be begun anew."""
        if self._framing.wanting and self._blocks[self._current].items:
            after = self._new(entered=True)
            self._close_at(g.Goto(after), after)

    def _changing(self, line: st.Statement) -> None:
        if not self._framing.unsettles(line):
            self._add(line)
            return
        self._add(g.Changes(line))
        after = self._new(entered=True)
        self._close_at(g.Settle(after), after)

    def _remove(self, line: st.Remove) -> None:
        self._add(g.Changes(line))
        if self._framing.windows.intersection(line.events):
            after = self._new(entered=True)
            self._close_at(g.Window(line, after), after)
        after = self._new(entered=True)
        self._close_at(g.Settle(after), after)

    def _for_each(self, line: st.ForEach) -> None:
        slot = self._hidden(3)
        self._cursors.append((slot, line.binding.source))
        self._add(g.LoopStart(line, slot))
        _, body, after = self._looped(line.block)
        self._close_at(g.NextItem(line, slot, body, after), after)

    def _repeat(self, line: st.Repeat) -> None:
        slot = self._hidden(2)
        self._add(g.RepeatStart(line, slot))
        head, body, after = self._looped(line.block)
        self._close_at(g.Again(line, slot, body, after, head), after)

    def _looped(self, block: st.Block) -> tuple[int, int, int]:
        """The block that is open then, the lines of a loop, which lead back to it, and the block after it."""
        head, after = self._new(), self._new()
        self._close_at(g.Goto(head), head)
        self._loops.append(after)
        body = self._branch(block, head)
        self._loops.pop()
        return head, body, after

    def _ask(self, line: st.Ask) -> None:
        resume, after = self._new(entered=True), self._new()
        otherwise = self._branch(line.otherwise, after)
        if isinstance(line.shape, st.Choose):
            options = tuple(self._branch(each.block, after) for each in line.shape.options)
            question = g.Question(line, resume, after, otherwise, options)
        else:
            question = g.Question(line, resume, self._branch(line.block, after), otherwise)
        self._close_at(question, resume)
        self._close_at(g.Answered(question), after)

    def _ask_all(self, line: st.AskAll) -> None:
        """One question for each player; the answers are seen when the last is in."""
        slot = self._hidden(2)
        self._add(g.AllStart(line, slot))
        head, body, after = self._new(), self._new(), self._new()
        self._close_at(g.Goto(head), head)
        self._close_at(g.NextPlayer(line, slot, body, after), body)
        resume, gathered = self._new(entered=True), self._new()
        question = g.Question(line.question, resume, gathered, gathered, (gathered,) * _options(line.question))
        self._close_at(question, resume)
        self._close_at(g.Answered(question), gathered)
        self._add(g.Gathered(line))
        self._close_at(g.Goto(head), after)
        self._add(g.Shown(line))

    def _proceed(self, line: st.Proceed) -> None:
        if line.step not in self._steps:
            self._close_at(g.Leave(None), self._new())
            return
        slot = None if line.bound is None else self._hidden(1)
        self._close_at(g.Jump(line, self._steps[line.step], slot), self._new())


def _options(line: st.Ask) -> int:
    return len(line.shape.options) if isinstance(line.shape, st.Choose) else 0
