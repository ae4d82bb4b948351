"""The units of a program: all that scenarios can reach, a pure function of the program."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rulewright.coverage.branching import dead, leaves, otherwise_blocks, ways
from rulewright.coverage.conditions import Condition, conditions
from rulewright.coverage.unit import SORTS, Unit
from rulewright.frozen import dataclass
from rulewright.program import declarations as d
from rulewright.program import statements as st
from rulewright.program.rows import TallyRow
from rulewright.program.types import FlagType, WordType
from rulewright.program.walk import every, rows
from rulewright.program.wording import Wording
from rulewright.roles import nodes

HOLDS, FAILS = "holds", "fails"
BEHIND = "the line above always leads elsewhere"
NO_WAY = "no way leads to this step"


@dataclass(frozen=True, slots=True)
class Listing:
    """A program with its units.

    Attributes:
        program: it.
        conditions: all its conditions.
        units: in the order of `SORTS`, then of the program; no two with the same sort and name.
    """

    program: d.Program
    conditions: tuple[Condition, ...]
    units: tuple[Unit, ...]


def listing(program: d.Program) -> Listing:
    """The units of a program but for its clauses.

    Dead are the lines behind one that always leads elsewhere, with all that hangs on them.
    """
    found = conditions(program)
    units = [*_of_routines(program), *_of_conditions(found, program), *_of_rows(program), *_of_settings(program)]
    units += [Unit("handlers", name, "", each.span, each.title, each.cites) for name, each in program.handlers.items()]
    units += [Unit("rules", name, "", each.span, each.title, each.cites) for name, each in program.rules.items()]
    lost = _dead(program)
    units = [replace(each, dead=lost.get(each.address, "")) for each in units]
    order = list(SORTS)
    once = {(each.sort, each.name): each for each in units}
    return Listing(program, found, tuple(sorted(once.values(), key=lambda each: order.index(each.sort))))


def settings_value(value: object, declared: d.Setting, program: d.Program) -> str:
    """A value of a setting as units name it."""
    if isinstance(declared.type, WordType) and isinstance(value, int):
        return f"= {program.values[declared.type.values].words[value].name}"
    return "= yes" if value else "= no"


def blocks(program: d.Program) -> Iterator[st.Block]:
    """The outermost blocks of all routines: opening lines, watches, steps, handlers, standing rules."""
    for procedure in program.procedures.values():
        for part in procedure.opening:
            if isinstance(part, tuple):
                yield part
            elif isinstance(part, d.Watch):
                yield part.block
        for step in procedure.steps:
            yield step.block
    yield from (each.block for each in program.handlers.values())
    yield from (each.block for each in program.rules.values())


def is_counted(line: st.Statement) -> bool:
    """Whether something happens at a line; `together` only holds others, a `let` without a value only declares."""
    return not isinstance(line, st.Together) and not (isinstance(line, st.Let) and line.value is None)


def _of_routines(program: d.Program) -> Iterator[Unit]:
    for procedure in program.procedures.values():
        for step in procedure.steps:
            yield from _of_step(step)
    for block in blocks(program):
        for line in every(block):
            if is_counted(line):
                yield Unit("lines", line.address, "", line.span, "", line.cites)
            yield from _of_line(line)


def _of_step(step: d.Step) -> Iterator[Unit]:
    yield Unit("steps", step.address, "", step.span, step.title, step.cites)
    if not leaves(step.block):
        yield Unit("edges", step.address, "ends", step.span, "the end of the step", step.cites)
    if step.guard is not None:
        yield Unit("edges", step.address, "passed over", step.span, "the step passed over", step.cites)


def _of_line(line: st.Statement) -> Iterator[Unit]:
    for detail, span in ways(line):
        yield Unit("edges", line.address, detail, span, "", line.cites)
    if otherwise_blocks(line):
        yield Unit("edges", line.address, "otherwise", line.span, "the lines below `else`", line.cites)
    match line:
        case st.Ask(shape=st.Choose(options)):
            for each in options:
                yield Unit("options", each.address, "", each.span, each.title, each.cites)
        case st.Ask(shape=st.Whether()):
            for word in ("yes", "no"):
                yield Unit("answers", line.address, word, line.span, line.prompt, line.cites)


def _of_conditions(found: Iterable[Condition], program: d.Program) -> Iterator[Unit]:
    wording = Wording(program)
    for each in found:
        text = wording.text(each.node)
        for end in (HOLDS, FAILS):
            yield Unit("conditions", each.address, each.detail(end), each.node.span, text, each.cites)
        if len(each.atoms) > 1:
            for number, atom in enumerate(each.atoms, 1):
                name = each.detail(f"part {number}")
                yield Unit("atoms", each.address, name, atom.span, wording.text(atom), each.cites)


def _of_rows(program: d.Program) -> Iterator[Unit]:
    for row in rows(program):
        if isinstance(row, TallyRow):
            yield Unit("modifiers", row.address, "applied", row.span, row.title, row.cites)
            if row.guard is not None:
                yield Unit("modifiers", row.address, "idle", row.span, row.title, row.cites)
        else:
            yield Unit("rows", row.address, "", row.span, row.title, row.cites)


def _of_settings(program: d.Program) -> Iterator[Unit]:
    for name, each in program.settings.items():
        values: Iterable[object] = ()
        if isinstance(each.type, FlagType):
            values = (True, False)
        elif isinstance(each.type, WordType):
            values = range(len(program.values[each.type.values].words))
        for value in values:
            yield Unit("settings", name, settings_value(value, each, program), each.span, each.title, each.cites)


def _dead(program: d.Program) -> dict[str, str]:
    """Why each address that cannot be reached cannot."""
    found = {}
    for block in blocks(program):
        for line in dead(block):
            found[line.address] = BEHIND
            found |= {each.address: BEHIND for each in nodes(line) if hasattr(each, "address")}
    for step in _lost(program):
        found[step.address] = NO_WAY
        found |= {each.address: NO_WAY for each in nodes(step.block) if hasattr(each, "address")}
    return found


def _lost(program: d.Program) -> Iterator[d.Step]:
    """Steps that neither the step before, nor a `proceed`, nor a range of `perform` leads to."""
    lines = [each for block in blocks(program) for each in every(block)]
    first = {(each.procedure, each.steps[0]) for each in lines if isinstance(each, st.Perform) and each.steps}
    for procedure in program.procedures.values():
        named = {each.step for step in procedure.steps for each in every(step.block) if isinstance(each, st.Proceed)}
        for before, step in zip(procedure.steps, procedure.steps[1:], strict=False):
            leads_on = before.guard is not None or not leaves(before.block)
            if not leads_on and step.id not in named and (procedure.name, step.id) not in first:
                yield step
