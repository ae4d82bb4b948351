"""The units of a program, a pure function of it: all that scenarios can reach, conditions and ways on among it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rulewright.frozen import dataclass
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Expression, Typed, Variable
from rulewright.program.rows import TallyRow
from rulewright.program.types import FlagType, WordType
from rulewright.program.walk import blocks_inside, every, inner, leads_elsewhere, leaves, rows
from rulewright.program.wording import Wording
from rulewright.roles import Role, is_node, names, nodes
from rulewright.source import Span

SORTS = {
    "steps": "steps entered",
    "lines": "lines carried out",
    "edges": "jumps, ends of steps, skipped steps, branches",
    "conditions": "conditions seen true and seen false",
    "atoms": "parts of `and` and `or` that decided",
    "rows": "rows of decides and tables taken",
    "modifiers": "rows of tallies applied and idle",
    "options": "options chosen",
    "answers": "yes and no",
    "handlers": "handlers carried out",
    "rules": "standing rules carried out",
    "settings": "values of settings",
    "clauses": "clauses of documents",
}
"""Sorts of units, in the order of reports, with what is counted."""
_NUMBER = re.compile(r"#\d+")
LEAVES = "leaves"
_WORDS = {"guard": "when", "where": "where", "condition": ""}
_PASSED_OVER = (d.Invariant, d.Measure, Variable)
_SILENT = (Role.PLACE, Role.PROOF, Role.SCOPE, Role.CONTENT)
HOLDS, FAILS = "holds", "fails"
BEHIND = "the line above always leads elsewhere"
NO_WAY = "no way leads to this step"


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that can be reached."""

    sort: str  # a key of `SORTS`
    address: str  # of the line, row or declaration it belongs to; the id of a clause
    detail: str  # which side of it, such as `holds`; empty where there is one
    span: Span | None  # where it stands; none for a clause
    text: str = ""  # what stands there, for reading
    cites: tuple[str, ...] = ()  # clauses in its margin
    dead: str = ""  # why it cannot be reached, or empty

    @property
    def name(self) -> str:
        """What exclusions call it."""
        return f"{self.address} {self.detail}".strip()

    def is_at(self, address: str) -> bool:
        """Whether it is meant by an address: its own, its name, or that of something around it."""
        return address in {self.name, self.address} or self.address.startswith(f"{address}/")

    @property
    def key(self) -> tuple[str, str, Span | None]:
        """The same for the same place of the same text, whatever address a ruleset or overlay gives it."""
        return self.sort, _NUMBER.sub("", self.detail) if self.span else self.name, self.span


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


def dead(block: st.Block) -> Iterator[st.Statement]:
    """The lines of a block, and of blocks inside, that stand behind one that always leads elsewhere."""
    gone = False
    for each in block:
        if gone:
            yield from _all(each)
            continue
        for part in blocks_inside(each):
            yield from dead(part)
        gone = leads_elsewhere(each)


def _all(line: st.Statement) -> Iterator[st.Statement]:
    yield line
    for each in inner(line):
        yield from _all(each)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition where it stands."""

    address: str  # of the line, row or declaration around it
    word: str  # which of its conditions, such as `where`; empty for the one that is its own
    node: Expression  # the condition itself
    atoms: tuple[Expression, ...]  # its parts that are joined, from left to right; one where nothing is joined
    cites: tuple[str, ...]  # clauses in the margin there

    def detail(self, end: str) -> str:
        """The name of a side of it."""
        return f"{self.word} {end}".strip()


def conditions(program: d.Program) -> tuple[Condition, ...]:
    """The conditions of a program in order of its parts, outer before inner.

    A condition is what a line, row, step, binding or `if(…)` hangs on, and elsewhere any outermost `and` or `or`;
    not that of an invariant, which never fails, nor that of a measure.
    """
    groups = (
        program.functions, program.external_terms, program.events, program.handlers, program.rules, program.procedures,
    )  # fmt: skip
    finder = _Finder()
    return tuple(one for group in groups for each in group.values() for one in finder.inside(each, "", ()))


class _Finder:
    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def inside(self, node: Any, address: str, cites: tuple[str, ...]) -> Iterator[Condition]:
        """The conditions of a node and of all below it."""
        if isinstance(node, tuple):
            for each in node:
                yield from self.inside(each, address, cites)
        elif is_node(type(node)) and not isinstance(node, _PASSED_OVER):
            if isinstance(node, ex.Logical):
                yield from self._condition(node, "and/or", address, cites)
                return
            if hasattr(node, "span") and not isinstance(node, Typed):
                address, cites = _address(node, address), getattr(node, "cites", ()) or cites
            for name in names(type(node), *_SILENT):
                yield from self._field(node, name, address, cites)

    def _field(self, node: Any, name: str, address: str, cites: tuple[str, ...]) -> Iterator[Condition]:
        value = getattr(node, name)
        if name in _WORDS and isinstance(value, Typed) and not isinstance(value, ex.Literal):
            yield from self._condition(value, _word(node, name), address, cites)  # type: ignore[arg-type]
        else:
            yield from self.inside(value, address, cites)

    def _condition(self, node: Expression, word: str, address: str, cites: tuple[str, ...]) -> Iterator[Condition]:
        atoms = tuple(_atoms(node))
        self._counts[address, word] += 1
        count = self._counts[address, word]
        yield Condition(address, word if count == 1 else f"{word}#{count}", node, atoms, cites)
        for each in atoms:
            yield from self.inside(each, address, cites)


def _address(node: Any, outer: str) -> str:
    if isinstance(node, d.Declared):
        return node.name
    return getattr(node, "address", "") or outer


def _word(node: object, name: str) -> str:
    match node:
        case ex.Conditional():
            return "if()"
        case st.Repeat():
            return "while"
        case d.Step() | d.StandingRule():
            return "when"
        case _:
            return _WORDS[name]


def _atoms(node: Expression) -> Iterator[Expression]:
    match node:
        case ex.Logical(left=left, right=right):
            yield from _atoms(left)
            yield from _atoms(right)
        case ex.Not(operand=ex.Logical() as operand):
            yield from _atoms(operand)
        case _:
            yield node


@dataclass(frozen=True, slots=True)
class Listing:
    """A program with its units."""

    program: d.Program
    conditions: tuple[Condition, ...]  # all its conditions
    units: tuple[Unit, ...]  # in the order of `SORTS`, then of the program; no two with the same sort and name


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
