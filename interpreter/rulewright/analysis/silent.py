"""What the language decides where a text leaves it open, said once (manual, What is checked)."""

from collections.abc import Iterator, Sequence

from rulewright.analysis.facts import Facts, number_range
from rulewright.analysis.facts.keys import Key, conjuncts, key, members
from rulewright.analysis.report import Label, Report
from rulewright.diagnostics.suggest import left_out
from rulewright.program import statements as s
from rulewright.program.declarations import Event, Paths, Program, Tally
from rulewright.program.expressions import (
    Aggregate,
    Binding,
    Comparison,
    Comprehension,
    DerivedAttribute,
    Expression,
    Local,
    StoredAttribute,
    Variable,
)
from rulewright.program.rows import TallyRow
from rulewright.program.types import COUNT
from rulewright.program.walk import Routine, all_lines, inside


def check_silent(program: Program, facts: Facts, report: Report) -> None:
    """Warns of windows without an order of players (RW0564) and of rows of a tally that say the same (RW0566)."""
    for event in program.events.values():
        report.address = event.name
        _check_order(event, program, facts, report)
    for address, rows in _tallies(program):
        report.address = address
        _check_doubled(rows, report)
    report.address = ""


def _check_order(event: Event, program: Program, facts: Facts, report: Report) -> None:
    """A window in which handlers of several owners may meet, and no `order by` says who goes first."""
    handlers = [each for each in program.handlers.values() if each.event == event.name]
    if event.holders is None or event.order is not None or not handlers:
        return
    owners = {_owner(each.binding, each.guard, facts) for each in handlers}
    alone = len(handlers) == 1 or _ALONE not in owners
    if (len(owners) == 1 and alone and None not in owners) or _owner(
        Binding((None,), event.holders, None), None, facts
    ):
        return
    report.warning(
        "RW0564",
        event.span,
        f"several players may act in the window of `{event.name}`, and nothing says in which order",
        notes=("Without `order by` they go in the order of the state.",),
        help="write `order by [first, second]`, or `order by [each p in players]` for the order of the state",
    )


def _owner(binding: Binding, guard: Expression | None, facts: Facts) -> Key | None:
    """Whose all members are, as a key; nothing where they may be of several, and an empty one where there is one."""
    asked = [(name, where) for name in binding.variables if name is not None for where in (binding.where, guard)]
    if isinstance(binding.source, Comprehension):
        inner = binding.source.binding
        asked.extend((name, inner.where) for name in inner.variables if name is not None)
    for name, where in asked:
        for condition in conjuncts(where) if where is not None else ():
            found = _said_owner(name, condition)
            if found is not None:
                return found
    size = Aggregate(type=COUNT, span=binding.source.span, word="count", binding=binding, value=None)
    _, most = number_range(facts, size)
    return _ALONE if most is not None and most <= 1 else None


_ALONE: Key = ("",)


def _said_owner(name: Variable, condition: Expression) -> Key | None:
    """Whose a member is by a condition: somebody's it does not depend on."""
    match condition:
        case Comparison(operator="=", left=left, right=right):
            for side, other in ((left, right), (right, left)):
                if _is_owner(side, name) and not any(_is(part, name) for part in inside(other)):
                    return key(other)
    return None


def _is_owner(expression: Expression, name: Variable) -> bool:
    match expression:
        case StoredAttribute(target=target, name="owner"):
            return _is(target, name)
        case DerivedAttribute(target=target, function=function):
            return function.endswith("/owner") and _is(target, name)
        case _:
            return _is(expression, name)


def _is(expression: Expression, name: Variable) -> bool:
    return isinstance(expression, Local) and expression.variable.index == name.index


def _tallies(program: Program) -> Iterator[tuple[str, Sequence[TallyRow]]]:
    """The rows of every tally, declared or a line, with its address."""
    for function in program.functions.values():
        match function.body:
            case Tally(rows=rows):
                yield function.name, rows
            case Paths(cost=Tally(rows=rows)):
                yield function.name, rows
    routines: tuple[Routine, ...] = (*program.procedures.values(), *program.handlers.values(), *program.rules.values())
    for routine in routines:
        for line in all_lines(routine):
            if isinstance(line, s.TallyLine):
                yield line.address, line.rows


def _check_doubled(rows: Sequence[TallyRow], report: Report) -> None:
    """A row that another one repeats; two that cite each a clause of its own are two by the document."""
    seen: dict[object, TallyRow] = {}
    for row in rows:
        first = seen.setdefault(_said(row), row)
        if first is row or (row.guard is None and row.binding is None) or _apart(first, row):
            continue
        report.warning(
            "RW0566",
            row.span,
            f"row `{row.id}` says the same as `{first.id}`, and both count",
            secondary=(Label(first.span, "this row"),),
            help="take one of them out, or cite for each the clause that asks for it",
            edits=left_out(row.span),
        )


def _apart(first: TallyRow, second: TallyRow) -> bool:
    return bool(first.cites and second.cites) and first.cites != second.cites


def _said(row: TallyRow) -> object:
    """What a row says, whatever it calls the members it goes through."""
    names = row.binding.variables if row.binding is not None else ()
    bound = {each.index: place for place, each in enumerate(names) if each is not None}
    return (
        row.change,
        row.binding and members(row.binding),
        row.guard and key(row.guard, bound),
        key(row.amount, bound),
    )
