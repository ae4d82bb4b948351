"""Coverage units of a program: steps, lines, rows, exits, conditions and their parts; a pure function of the program."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.node_roles import Role, get_field_names, is_node_class, walk_nodes
from rulewright.base.source import Span
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Expression, TallyRow, Typed, Variable
from rulewright.program.types import FlagType, WordType
from rulewright.program.walk import (
    get_blocks,
    get_fallback,
    get_inner_lines,
    has_unreachable_end,
    is_exit_line,
    list_computed_rows,
    walk_block_lines,
)
from rulewright.program.wording import ExpressionRenderer

UNIT_SORTS = {
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
"""Sorts of units in the order of reports, with their plurals."""
_OCCURRENCE_PATTERN = re.compile(r"#\d+")
LEAVES_DETAIL = "leaves"
_CONDITION_WORDS = {"guard": "when", "where": "where", "condition": ""}
_SKIPPED_NODES = (d.Invariant, d.Measure, Variable)
_SEARCHED_ROLES = (Role.PLACE, Role.PROOF, Role.SCOPE, Role.CONTENT)
HOLDS, FAILS = "holds", "fails"
UNREACHABLE_LINE = "the line above always leads elsewhere"
UNREACHABLE_STEP = "no way leads to this step"


@dataclass(frozen=True, slots=True)
class CoverageUnit:
    """A part of a program that scenarios can reach: a step, line, outcome of a condition, row, answer or clause."""

    sort: str
    address: str  # of its line, row or declaration; or the id of a clause
    detail: str  # side, such as `holds`; "" where there is only one
    span: Span | None  # `None` for a clause
    text: str = ""  # source text, for reports
    cites: tuple[str, ...] = ()  # clause ids in its margin
    dead: str = ""  # why it is unreachable, or ""

    @property
    def name(self) -> str:
        """Name in exclusions."""
        return f"{self.address} {self.detail}".strip()

    def is_meant_by(self, address: str) -> bool:
        """Whether an address means it: its own, its name, or that of an enclosing part."""
        return address in {self.name, self.address} or self.address.startswith(f"{address}/")

    @property
    def key(self) -> tuple[str, str, Span | None]:
        """Identity by sort and place, whatever address a ruleset or overlay gives it."""
        return self.sort, _OCCURRENCE_PATTERN.sub("", self.detail) if self.span else self.name, self.span


def exit_edges(line: st.Statement) -> Iterator[tuple[str, Span]]:
    """Names and spans of the exits of a line, apart from its `otherwise`.

    A jump has one, an `if` one for each branch and one where none holds, a `match` one for each case.
    """
    match line:
        case st.Proceed(step=step):
            yield f"to {step}", line.span
        case _ if isinstance(line, st.ExitLine):
            yield LEAVES_DETAIL, line.span
        case st.If(branches=branches):
            for number, branch in enumerate(branches, 1):
                yield branch_name(number), branch.span
            yield "else", line.span
        case st.Match(cases=cases):
            for number, case in enumerate(cases, 1):
                yield f"case {number}", case.span


def branch_name(number: int) -> str:
    """Name of the edge into a branch of an `if`, counted from 1."""
    return "then" if number == 1 else f"then {number}"


def first_address(block: st.Block) -> str:
    """Address of the first line of a block that does something; `""` without one."""
    for line in block:
        if not line.is_structural:
            return line.address
        result = first_address(tuple(get_inner_lines(line)))
        if result:
            return result
    return ""


def find_dead_lines(block: st.Block) -> Iterator[st.Statement]:
    """Unreachable lines of a block and its inner blocks: those behind a line that always jumps."""
    is_unreachable = False
    for item in block:
        if is_unreachable:
            yield from _line_and_inner(item)
            continue
        for part in get_blocks(item):
            yield from find_dead_lines(part)
        is_unreachable = is_exit_line(item)


def _line_and_inner(line: st.Statement) -> Iterator[st.Statement]:
    yield line
    for inner_line in get_inner_lines(line):
        yield from _line_and_inner(inner_line)


@dataclass(frozen=True, slots=True)
class CoverageCondition:
    """Condition at its place, with its atoms."""

    address: str  # of its line, row or declaration
    word: str  # clause it belongs to, such as `where`; "" for the line's own
    node: Expression
    atoms: tuple[Expression, ...]  # operands of `and` and `or`, left to right; the node itself without any
    cites: tuple[str, ...]  # clause ids in the margin

    def side_name(self, end: str) -> str:
        return f"{self.word} {end}".strip()


def find_conditions(program: d.Program) -> tuple[CoverageCondition, ...]:
    """Conditions of a program in order, outer before inner.

    A condition is what guards a line, row, step, binding or `if(…)`, and elsewhere any outermost `and` or `or`; not
    that of an invariant, which never fails, nor that of a measure.
    """
    groups = (
        program.functions, program.external_terms, program.events, program.handlers, program.rules, program.procedures,
    )  # fmt: skip
    finder = _ConditionFinder()
    return tuple(one for group in groups for item in group.values() for one in finder.find_inside(item, "", ()))


class _ConditionFinder:
    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def find_inside(self, node: Any, address: str, cites: tuple[str, ...]) -> Iterator[CoverageCondition]:
        if isinstance(node, tuple):
            for item in node:
                yield from self.find_inside(item, address, cites)
        elif is_node_class(type(node)) and not isinstance(node, _SKIPPED_NODES):
            if isinstance(node, ex.Logical):
                yield from self._take_condition(node, "and/or", address, cites)
                return
            if hasattr(node, "span") and not isinstance(node, Typed):
                address, cites = _enclosing_address(node, address), getattr(node, "cites", ()) or cites
            for name in get_field_names(type(node), *_SEARCHED_ROLES):
                yield from self._find_in_field(node, name, address, cites)

    def _find_in_field(self, node: Any, name: str, address: str, cites: tuple[str, ...]) -> Iterator[CoverageCondition]:
        value = getattr(node, name)
        if name in _CONDITION_WORDS and isinstance(value, Typed) and not isinstance(value, ex.Literal):
            yield from self._take_condition(value, _condition_word(node, name), address, cites)  # type: ignore[arg-type]
        else:
            yield from self.find_inside(value, address, cites)

    def _take_condition(
        self, node: Expression, word: str, address: str, cites: tuple[str, ...]
    ) -> Iterator[CoverageCondition]:
        atoms = tuple(_condition_atoms(node))
        self._counts[address, word] += 1
        count = self._counts[address, word]
        yield CoverageCondition(address, word if count == 1 else f"{word}#{count}", node, atoms, cites)
        for atom in atoms:
            yield from self.find_inside(atom, address, cites)


def _enclosing_address(node: Any, outer: str) -> str:
    if isinstance(node, d.Declared):
        return node.name
    return getattr(node, "address", "") or outer


def _condition_word(node: object, name: str) -> str:
    match node:
        case ex.Conditional():
            return "if()"
        case st.Repeat():
            return "while"
        case d.Step() | d.StandingRule():
            return "when"
        case _:
            return _CONDITION_WORDS[name]


def _condition_atoms(node: Expression) -> Iterator[Expression]:
    match node:
        case ex.Logical(left=left, right=right):
            yield from _condition_atoms(left)
            yield from _condition_atoms(right)
        case ex.Not(operand=ex.Logical() as operand):
            yield from _condition_atoms(operand)
        case _:
            yield node


@dataclass(frozen=True, slots=True)
class UnitListing:
    program: d.Program
    conditions: tuple[CoverageCondition, ...]
    units: tuple[CoverageUnit, ...]  # by `UNIT_SORTS`, then program order; sort and name are unique


def list_units(program: d.Program) -> UnitListing:
    """Units of a program without its clauses.

    Lines behind one that always jumps are dead, with their units.
    """
    items = find_conditions(program)
    units = [
        *_routine_units(program),
        *_condition_units(items, program),
        *_row_units(program),
        *_setting_units(program),
    ]
    units += [
        CoverageUnit("handlers", name, "", handler.span, handler.title, handler.cites)
        for name, handler in program.handlers.items()
    ]
    units += [
        CoverageUnit("rules", name, "", standing_rule.span, standing_rule.title, standing_rule.cites)
        for name, standing_rule in program.rules.items()
    ]
    lost = _find_dead_addresses(program)
    units = [replace(unit, dead=lost.get(unit.address, "")) for unit in units]
    order = list(UNIT_SORTS)
    once = {(unit.sort, unit.name): unit for unit in units}
    return UnitListing(
        program, items, tuple(sorted(once.values(), key=lambda coverage_unit: order.index(coverage_unit.sort)))
    )


def format_setting_value(value: object, declared: d.Setting, program: d.Program) -> str:
    """Value of a setting in names of units."""
    if isinstance(declared.type, WordType) and isinstance(value, int):
        return f"= {program.values[declared.type.values].words[value].name}"
    return "= yes" if value else "= no"


def outermost_blocks(program: d.Program) -> Iterator[st.Block]:
    """Outermost blocks of all routines: opening lines, watches, steps, handlers, standing rules."""
    for procedure in program.procedures.values():
        for part in procedure.opening:
            if isinstance(part, tuple):
                yield part
            elif isinstance(part, d.Watch):
                yield part.block
        for step in procedure.steps:
            yield step.block
    yield from (handler.block for handler in program.handlers.values())
    yield from (rule.block for rule in program.rules.values())


def _routine_units(program: d.Program) -> Iterator[CoverageUnit]:
    for procedure in program.procedures.values():
        for step in procedure.steps:
            yield from _step_units(step)
    for block in outermost_blocks(program):
        for line in walk_block_lines(block):
            if not line.is_structural:
                yield CoverageUnit("lines", line.address, "", line.span, "", line.cites)
            yield from _line_units(line)


def _step_units(step: d.Step) -> Iterator[CoverageUnit]:
    yield CoverageUnit("steps", step.address, "", step.span, step.title, step.cites)
    if not has_unreachable_end(step.block):
        yield CoverageUnit("edges", step.address, "ends", step.span, "the end of the step", step.cites)
    if step.guard is not None:
        yield CoverageUnit("edges", step.address, "passed over", step.span, "the step passed over", step.cites)


def _line_units(line: st.Statement) -> Iterator[CoverageUnit]:
    for detail, span in exit_edges(line):
        yield CoverageUnit("edges", line.address, detail, span, "", line.cites)
    if get_fallback(line):
        yield CoverageUnit("edges", line.address, "otherwise", line.span, "the lines below `else`", line.cites)
    match line:
        case st.Ask(shape=st.Choose(options)):
            for option in options:
                yield CoverageUnit("options", option.address, "", option.span, option.title, option.cites)
        case st.Ask(shape=st.Whether()):
            for word in ("yes", "no"):
                yield CoverageUnit("answers", line.address, word, line.span, line.prompt, line.cites)


def _condition_units(conditions: Iterable[CoverageCondition], program: d.Program) -> Iterator[CoverageUnit]:
    wording = ExpressionRenderer(program)
    for coverage_condition in conditions:
        text = wording.render_expression(coverage_condition.node)
        for end in (HOLDS, FAILS):
            yield CoverageUnit(
                "conditions",
                coverage_condition.address,
                coverage_condition.side_name(end),
                coverage_condition.node.span,
                text,
                coverage_condition.cites,
            )
        if len(coverage_condition.atoms) > 1:
            for number, atom in enumerate(coverage_condition.atoms, 1):
                name = coverage_condition.side_name(f"part {number}")
                yield CoverageUnit(
                    "atoms",
                    coverage_condition.address,
                    name,
                    atom.span,
                    wording.render_expression(atom),
                    coverage_condition.cites,
                )


def _row_units(program: d.Program) -> Iterator[CoverageUnit]:
    for row in list_computed_rows(program):
        if isinstance(row, TallyRow):
            yield CoverageUnit("modifiers", row.address, "applied", row.span, row.title, row.cites)
            if row.guard is not None:
                yield CoverageUnit("modifiers", row.address, "idle", row.span, row.title, row.cites)
        else:
            yield CoverageUnit("rows", row.address, "", row.span, row.title, row.cites)


def _setting_units(program: d.Program) -> Iterator[CoverageUnit]:
    for name, setting in program.settings.items():
        values: Iterable[object] = ()
        if isinstance(setting.type, FlagType):
            values = (True, False)
        elif isinstance(setting.type, WordType):
            values = range(len(program.values[setting.type.values].words))
        for value in values:
            yield CoverageUnit(
                "settings",
                name,
                format_setting_value(value, setting, program),
                setting.span,
                setting.title,
                setting.cites,
            )


def _find_dead_addresses(program: d.Program) -> dict[str, str]:
    """Reason by unreachable address."""
    result = {}
    for block in outermost_blocks(program):
        for line in find_dead_lines(block):
            result[line.address] = UNREACHABLE_LINE
            result |= {node.address: UNREACHABLE_LINE for node in walk_nodes(line) if hasattr(node, "address")}
    for step in _find_unreachable_steps(program):
        result[step.address] = UNREACHABLE_STEP
        result |= {node.address: UNREACHABLE_STEP for node in walk_nodes(step.block) if hasattr(node, "address")}
    return result


def _find_unreachable_steps(program: d.Program) -> Iterator[d.Step]:
    """Steps that neither the previous step, nor a `proceed`, nor a range of `perform` reaches."""
    lines = [one for block in outermost_blocks(program) for one in walk_block_lines(block)]
    first = {(line.procedure, line.steps[0]) for line in lines if isinstance(line, st.Perform) and line.steps}
    for procedure in program.procedures.values():
        named = {
            one.step for step in procedure.steps for one in walk_block_lines(step.block) if isinstance(one, st.Proceed)
        }
        for before, step in zip(procedure.steps, procedure.steps[1:], strict=False):
            leads_on = before.guard is not None or not has_unreachable_end(before.block)
            if not leads_on and step.id not in named and (procedure.name, step.id) not in first:
                yield step
