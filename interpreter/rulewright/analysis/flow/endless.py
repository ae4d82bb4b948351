"""Jumps back and performs that, once made, are surely made again, until their bound stops the run (manual, Faults).

Only what is sure is told: no line on the way leads elsewhere, and nothing on it changes what the line hangs on.
"""

from collections.abc import Iterator

from rulewright.analysis.facts import Facts
from rulewright.analysis.flow.undoing import written
from rulewright.analysis.infer import places
from rulewright.analysis.reads import ANYTHING, reads
from rulewright.analysis.report import Report
from rulewright.program import statements as s
from rulewright.program.declarations import Procedure, Program
from rulewright.program.expressions import Expression, Local
from rulewright.program.walk import Routine, all_lines, every, inner

_CALLS = (s.Perform, s.Trigger, s.Remove)
_BINDS = (s.Roll, s.Ask, s.AskAll, s.Repeat, s.Proceed, s.Perform)
_Way = tuple[s.Statement, tuple[Expression, ...]]


def check_endless(program: Program, facts: Facts, report: Report) -> None:
    """Warns of jumps back (RW0860) and of procedures that perform themselves (RW0861) without end.

    The facts say only what functions read.
    """
    routines: tuple[Routine, ...] = (
        *program.procedures.values(),
        *program.handlers.values(),
        *program.rules.values(),
    )
    ended = any(isinstance(line, s.FinishOuter) for each in routines for line in all_lines(each))
    for procedure in program.procedures.values():
        report.address = procedure.name
        finding = _Endless(program, procedure, facts, ended=ended)
        for line, conditions in finding.jumps():
            back = f"nothing from step `{line.step}` on changes what it hangs on"
            back = back if conditions else f"every way from step `{line.step}` leads back to it"
            remedy = "change on the way what it hangs on, or leave the way with `finish` or a jump further down"
            report.warning("RW0860", line.span, f"this jump is made without end: {back}", help=remedy)
        for call, conditions in finding.performs():
            back = "nothing in it changes what this line hangs on" if conditions else "every way through it leads here"
            remedy = "perform it only where something is left that becomes less each time"
            report.warning("RW0861", call.span, f"`{procedure.name}` performs itself without end: {back}", help=remedy)
    report.address = ""


class _Endless:
    """The lines of one procedure that are made without end, with the conditions under which they are."""

    def __init__(self, program: Program, procedure: Procedure, facts: Facts, *, ended: bool) -> None:
        self._program = program
        self._procedure = procedure
        self._facts = facts
        self._ended = ended
        self._parameters = {f"local/{each.index}" for each in procedure.parameters}

    def jumps(self) -> Iterator[tuple[s.Proceed, tuple[Expression, ...]]]:
        """Jumps back that are taken again whenever they were taken once."""
        steps = self._procedure.steps
        order = {step.id: place for place, step in enumerate(steps)}
        for place, step in enumerate(steps):
            for line, conditions in _ways(step.block, () if step.guard is None else (step.guard,)):
                if isinstance(line, s.Proceed) and order.get(line.step, place + 1) <= place:
                    way = tuple(each for part in steps[order[line.step] : place + 1] for each in every(part.block))
                    forward = {each.id for each in steps[order[line.step] + 1 : place + 1]}
                    if not self._leads_out(way, line, forward) and self._stays(conditions, way, frozenset()):
                        yield line, conditions

    def performs(self) -> Iterator[tuple[s.Perform, tuple[Expression, ...]]]:
        """Lines by which the procedure performs itself whenever it is performed, with the same arguments."""
        way = tuple(all_lines(self._procedure))
        for line, conditions in self._anywhere():
            if isinstance(line, s.Perform) and line.procedure == self._procedure.name and line.steps is None:
                other = self._exchanged(line)
                if not self._leads_out(way, line, frozenset()) and self._stays(conditions, way, other):
                    yield line, conditions

    def _anywhere(self) -> Iterator[_Way]:
        for part in self._procedure.opening:
            if isinstance(part, tuple):
                yield from _ways(part, ())
        for step in self._procedure.steps:
            yield from _ways(step.block, () if step.guard is None else (step.guard,))

    def _exchanged(self, line: s.Perform) -> frozenset[str]:
        """The parameters that the inner call may have otherwise."""
        pairs = zip(self._procedure.parameters, line.arguments, strict=True)
        same = {own.index for own, given in pairs if isinstance(given, Local) and given.variable.index == own.index}
        return frozenset(f"local/{each.index}" for each in self._procedure.parameters if each.index not in same)

    def _leads_out(self, way: tuple[s.Statement, ...], line: s.Statement, forward: frozenset[str] | set[str]) -> bool:
        """Whether a line of a way may lead elsewhere: out of the routine, or to another step than those before it."""
        for each in way:
            if isinstance(each, s.Finish | s.FinishOuter) or (isinstance(each, _CALLS) and self._ended):
                return True
            if isinstance(each, s.Proceed) and each is not line and each.step not in forward:
                return True
        return self._ended and bool(self._program.rules)

    def _stays(self, conditions: tuple[Expression, ...], way: tuple[s.Statement, ...], other: frozenset[str]) -> bool:
        """Whether conditions that held once hold again: what they read nothing on the way can change."""
        read = frozenset(key for each in conditions for key in reads(each, self._facts.reads))
        if not read:
            return True
        if ANYTHING in read or any(key.startswith("local/") and key not in self._parameters for key in read):
            return False
        changed = set(other)
        for each in way:
            keys = _written(each, self._procedure.name)
            if keys is None:
                return False
            changed |= keys
        game = any(not key.startswith("local/") for key in changed)
        return not read & changed and not (game and (self._program.rules or self._watched()))

    def _watched(self) -> bool:
        return any(_watches(each) for each in self._program.procedures.values())


def _watches(procedure: Procedure) -> bool:
    return any(not isinstance(part, tuple) and tuple(inner(part)) for part in procedure.opening)


def _written(line: s.Statement, procedure: str) -> frozenset[str] | None:
    """What a line writes but for names it binds; none where it may do anything else."""
    match line:
        case s.Draw(place=place) | s.Shuffle(place=place):
            return places.written(place)
        case s.Reroll():
            return frozenset({"dice"})
        case s.Perform(procedure=called):
            return frozenset() if called == procedure else None
        case _:
            return frozenset() if isinstance(line, _BINDS) else written(line)


def _ways(block: s.Block, conditions: tuple[Expression, ...]) -> Iterator[_Way]:
    """The lines that are surely carried out where some conditions hold, with those conditions."""
    for line in block:
        yield line, conditions
        if isinstance(line, s.If):
            above = conditions
            for branch in line.branches:
                above = (*above, branch.condition)
                yield from _ways(branch.block, above)
            yield from _ways(line.otherwise or (), above)
        elif isinstance(line, s.Match):
            for case in line.cases:
                yield from _ways(case.block, (*conditions, line.subject))
