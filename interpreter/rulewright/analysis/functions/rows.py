"""Rows of terms, tallies and decides, in declarations and as lines of a procedure."""

from collections.abc import Iterable
from typing import Any

from rulewright.analysis import infer
from rulewright.analysis.clauses import qualify, ruled_spans
from rulewright.analysis.facts import number_range, suppose
from rulewright.analysis.facts.intervals import Range, at_least, at_most, hull, product, total
from rulewright.analysis.functions.case_coverage import check_cases, check_overlap
from rulewright.analysis.infer.arithmetic import needs_number
from rulewright.analysis.infer.slots import common_of, fit, undecided
from rulewright.analysis.report import Label
from rulewright.analysis.scope import Scope
from rulewright.frozen import dataclass
from rulewright.program import rows as typed
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import WHOLE, FractionType, LengthType, NumberType, Type
from rulewright.program.wording import sort_in_words
from rulewright.syntax.nodes import expressions as nodes, rows as written
from rulewright.syntax.nodes.declarations import PathRow
from rulewright.syntax.nodes.expressions import Cite, Name


def head(row: written.Row, scope: Scope, address: str, cites: tuple[Cite, ...]) -> dict[str, Any]:
    """What every sort of row has under a declaration or line; a row without cites has those around it."""
    name, title = row.name.text, row.title.text if row.title else ""
    cited = qualify(row.cites or cites, scope.linked)
    return {"id": name, "address": f"{address}/{name}", "title": title, "cites": cited, "span": row.span}


def distinct(names: Iterable[Name], scope: Scope, what: str = "rows") -> bool:
    """Whether no two are called alike; reports those that are."""
    seen: dict[str, Name] = {}
    again = [each for each in names if seen.setdefault(each.text, each) is not each]
    for each in again:
        label = Label(seen[each.text].span, "the first one")
        message = f"two {what} are called `{each.text}`"
        scope.report.error("RW0332", each.span, message, help="rename one", secondary=(label,))
    return not again


def condition_rows(
    rows: tuple[written.ConditionRow, ...], mode: str, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> tuple[typed.ConditionRow, ...]:
    """Rows under `when all` or `when any`; a row knows that those before it did not decide.

    The address is that of the declaration, to which rows add their id; the cites are those of the block around.
    """
    distinct((each.name for each in rows), scope)
    found = []
    for row in rows:
        made = condition_row(row, scope, address, cites)
        if made is None:
            continue
        found.append(made)
        if made.guard is None:
            scope = scope.knowing(suppose(scope.facts, made.condition, mode == "all"))
    return tuple(found)


def condition_row(
    row: written.ConditionRow, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> typed.ConditionRow | None:
    """One condition with its guard: also `require`, `prefer`."""
    guard, inner = guarded(row.guard, scope)
    condition = infer.row_condition(row.condition, inner, ends_ways=isinstance(row, PathRow) and row.word == "end")
    if condition is None or (row.guard is not None and guard is None):
        return None
    return typed.ConditionRow(**head(row, scope, address, cites), condition=condition, guard=guard)


def guarded(guard: nodes.Expression | None, scope: Scope) -> tuple[Expression | None, Scope]:
    """The condition after `when`, and the scope of the row, where it is known."""
    found = infer.condition(guard, scope) if guard is not None else None
    return found, (scope.knowing(suppose(scope.facts, found, truth=True)) if found is not None else scope)


def tally_rows(  # noqa: PLR0913, PLR0917 - a row has that many surroundings
    name: Name,
    start: nodes.Expression,
    rows: tuple[written.TallyRow, ...],
    scope: Scope,
    address: str,
    cites: tuple[Cite, ...],
) -> tuple[Variable, Expression, tuple[typed.TallyRow, ...]] | None:
    """The running value, whose type is that of the result, the start and the rows.

    The variable is new in `scope.variables` and is seen by the rows; the caller shows it to what follows.
    """
    distinct((each.name for each in rows), scope)
    first = scope.infer(start)
    if first is None or not needs_number(first, "a tally", scope):
        return None
    running = _Running(first.type, number_range(scope.facts, first))
    variable = scope.variables.new(name.text, WHOLE if isinstance(first.type, NumberType) else first.type)
    found = [_tally_row(row, scope, variable, address, cites) for row in rows]
    for made in found:
        if made is not None:
            running = running.after(made[0], made[1])
    if None in found:
        return None
    result = scope.variables.all[variable.index] = Variable(variable.name, variable.index, running.type())
    return result, first, tuple(made[0] for made in found if made is not None)


@dataclass(frozen=True, slots=True)
class _Running:
    """What is known of the running value of a tally after a row."""

    sort: Type
    bounds: Range

    def type(self) -> Type:
        return NumberType(*self.bounds) if isinstance(self.sort, NumberType) else self.sort

    def after(self, row: typed.TallyRow, amount: Range) -> "_Running":
        sort = FractionType() if isinstance(row.amount.type, FractionType | LengthType) else self.sort
        changed = self._changed(row.change, amount)
        if row.binding is not None:
            changed = _repeated(self.bounds, changed)
        elif row.guard is not None:
            changed = hull(self.bounds, changed)
        return _Running(sort, changed)

    def _changed(self, change: str, amount: Range) -> Range:
        low, high = self.bounds
        match change:
            case "plus":
                return total(self.bounds, amount)
            case "times":
                return product(self.bounds, amount)
            case "becomes":
                return amount
            case "at least":
                if high is not None and amount[0] is not None and high <= amount[0]:
                    return amount
                return at_least((low, None if high is None or amount[1] is None else max(high, amount[1])), amount[0])
            case _:
                return at_most((None if low is None or amount[0] is None else min(low, amount[0]), high), amount[1])


def _repeated(before: Range, after: Range) -> Range:
    """Bounds after a row for each member: an end that moved once may move any number of times."""
    both = hull(before, after)
    return (both[0] if both[0] == before[0] else None), (both[1] if both[1] == before[1] else None)


def _tally_row(
    row: written.TallyRow, scope: Scope, running: Variable, address: str, cites: tuple[Cite, ...]
) -> tuple[typed.TallyRow, Range] | None:
    inner = scope.binding(running)
    binding: Binding | None = None
    if row.binder is not None:
        bound = infer.bind(row.binder, inner)
        if bound is None:
            return None
        binding, inner = bound
    guard, inner = guarded(row.guard, inner)
    amount = inner.infer(row.amount)
    if amount is None or (row.guard is not None and guard is None):
        return None
    if not needs_number(amount, "a row of a tally", scope):
        return None
    top = head(row, scope, address, cites)
    made = typed.TallyRow(**top, change=row.change, amount=amount, binding=binding, guard=guard)
    return made, number_range(inner.facts, amount)


def decide_rows(
    rows: tuple[written.DecideRow, ...], gives: Type | None, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> tuple[Type, tuple[typed.DecideRow, ...]] | None:
    """The type and rows of a decide; reports cases left open and rows never reached.

    Without `gives` the type is the narrowest for all rows.
    """
    distinct((each.name for each in rows), scope)
    guards, right = _guards(rows, scope)
    values = _values(rows, [inner for _, inner in guards], gives)
    if values is None or not right:
        return None
    type_ = gives or common_of([value.type for value in values])
    if type_ is None or undecided(type_):
        listed = ", ".join(dict.fromkeys(sort_in_words(value.type) for value in values))
        message = "the rows are not of one sort: " + listed if type_ is None else "the type of these rows is not clear"
        scope.report.error("RW0325", rows[0].value.span.to(rows[-1].value.span), message)
        return None
    fitted = [
        fit(value, type_, inner, f"row `{row.name.text}`")
        for row, value, (_, inner) in zip(rows, values, guards, strict=True)
    ]
    if None in fitted:
        return None
    made = tuple(
        typed.DecideRow(**head(row, scope, address, cites), value=value, guard=guard)
        for row, value, (guard, _) in zip(rows, fitted, guards, strict=True)
        if value is not None
    )
    if check_cases(made, scope) and rows[0].span not in ruled_spans(scope.linked):
        check_overlap(made, scope)
    return type_, made


def _guards(rows: tuple[written.DecideRow, ...], scope: Scope) -> tuple[list[tuple[Expression | None, Scope]], bool]:
    """For each row its condition and the scope of its value, knowing that no row above held; whether all are right."""
    found: list[tuple[Expression | None, Scope]] = []
    failed = False
    for place, row in enumerate(rows):
        if row.guard is None:
            if place + 1 < len(rows):
                message = f"row `{row.name.text}` takes every case, so the rows below it are never reached"
                scope.report.error("RW0410", rows[place + 1].name.span, message, help="put `otherwise` last")
                failed = True
            found.append((None, scope))
            continue
        guard = infer.flag(row.guard, scope, "what follows `when`")
        failed = failed or guard is None
        found.append((guard, scope if guard is None else scope.knowing(suppose(scope.facts, guard, truth=True))))
        scope = scope if guard is None else scope.knowing(suppose(scope.facts, guard, truth=False))
    return found, not failed


def _values(rows: tuple[written.DecideRow, ...], scopes: list[Scope], gives: Type | None) -> list[Expression] | None:
    """The values of the rows, those that are no bare words first, so that they type the others."""
    found: dict[int, Expression] = {}
    wished = gives
    order = sorted(range(len(rows)), key=lambda place: infer.is_bare(rows[place].value, scopes[place]))
    for place in order:
        value = scopes[place].infer(rows[place].value, wished)
        if value is not None:
            found[place] = value
            wished = wished or value.type
    return [found[place] for place in range(len(rows))] if len(found) == len(rows) else None
