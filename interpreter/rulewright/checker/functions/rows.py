"""Rows of terms, tallies and decides, in declarations and as lines of a procedure."""

from collections.abc import Iterable
from typing import Any

from rulewright.base.diagnostics import Label
from rulewright.checker.clauses import find_spans_under_rulings, resolve_clause_ids
from rulewright.checker.facts.bounds import bound_after_tally_row
from rulewright.checker.facts.intervals import Interval
from rulewright.checker.facts.prover import compute_number_range
from rulewright.checker.functions.case_coverage import check_decide_cases, check_row_overlap
from rulewright.checker.infer.arithmetic import check_is_number
from rulewright.checker.infer.binders import infer_optional_binding
from rulewright.checker.infer.collection_values import needs_expected_type
from rulewright.checker.infer.conditions import infer_condition, infer_flag, infer_row_condition
from rulewright.checker.infer.type_fitting import find_common_type_of_all, fit_expression, is_undecided_type
from rulewright.checker.scope import Scope
from rulewright.program import expressions as typed
from rulewright.program.expressions import Expression, Variable
from rulewright.program.types import WHOLE, FractionType, LengthType, NumberType, Type
from rulewright.program.wording import describe_type
from rulewright.syntax.nodes import expressions as nodes, statements as written
from rulewright.syntax.nodes.declarations import PathRow
from rulewright.syntax.nodes.expressions import Cite, Name


def make_row_fields(row: written.Row, scope: Scope, address: str, cites: tuple[Cite, ...]) -> dict[str, Any]:
    """Fields that all sorts of rows share; a row without cites has those around it."""
    name, title = row.name.text, row.title.text if row.title else ""
    cited = resolve_clause_ids(row.cites or cites, scope.linked)
    return {"id": name, "address": f"{address}/{name}", "title": title, "cites": cited, "span": row.span}


def check_distinct_names(names: Iterable[Name], scope: Scope, what: str = "rows") -> bool:
    """Whether all names differ (RW0332)."""
    first_by_name: dict[str, Name] = {}
    again = [item for item in names if first_by_name.setdefault(item.text, item) is not item]
    for name in again:
        label = Label(first_by_name[name.text].span, "the first one")
        message = f"two {what} are called `{name.text}`"
        scope.report.error("RW0332", name.span, message, help="rename one", secondary=(label,))
    return not again


def type_condition_rows(
    rows: tuple[written.ConditionRow, ...], mode: str, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> tuple[typed.ConditionRow, ...]:
    """Rows under `when all` or `when any`; each is typed knowing that those before it did not decide.

    `address` is that of the declaration, to which rows add their id; `cites` are those of the block around.
    """
    check_distinct_names((row.name for row in rows), scope)
    items = []
    for row in rows:
        typed_row = type_condition_row(row, scope, address, cites)
        if typed_row is None:
            continue
        items.append(typed_row)
        if typed_row.guard is None:
            scope = scope.assuming(typed_row.condition, mode == "all")
    return tuple(items)


def type_condition_row(
    row: written.ConditionRow, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> typed.ConditionRow | None:
    """A condition with its guard: also `require`, `prefer`."""
    guard, inner = type_guard(row.guard, scope)
    condition = infer_row_condition(row.condition, inner, ends_ways=isinstance(row, PathRow) and row.word == "end")
    if condition is None or (row.guard is not None and guard is None):
        return None
    return typed.ConditionRow(**make_row_fields(row, scope, address, cites), condition=condition, guard=guard)


def type_guard(guard: nodes.Expression | None, scope: Scope) -> tuple[Expression | None, Scope]:
    """Condition after `when`, and the scope in which it holds."""
    result = infer_condition(guard, scope) if guard is not None else None
    return result, scope.assuming(result, truth=True)


def type_tally_rows(  # noqa: PLR0913, PLR0917 - a row has that many surroundings
    name: Name,
    start: nodes.Expression,
    rows: tuple[written.TallyRow, ...],
    scope: Scope,
    address: str,
    cites: tuple[Cite, ...],
) -> tuple[Variable, Expression, tuple[typed.TallyRow, ...]] | None:
    """Running value, start and rows of a tally; the variable has the type of the result.

    The variable is new in `scope.variables` and is seen by the rows; the caller shows it to what follows.
    """
    check_distinct_names((row.name for row in rows), scope)
    first = scope.infer(start)
    if first is None or not check_is_number(first, "a tally", scope):
        return None
    base_type, bounds = first.type, compute_number_range(scope.facts, first)
    variable = scope.variables.new_variable(name.text, WHOLE if isinstance(first.type, NumberType) else first.type)
    items = [_type_tally_row(row, scope, variable, address, cites) for row in rows]
    for row, amount in filter(None, items):
        bounds = bound_after_tally_row(row, bounds, amount)
        base_type = FractionType() if isinstance(row.amount.type, FractionType | LengthType) else base_type
    if None in items:
        return None
    type_ = NumberType(*bounds) if isinstance(base_type, NumberType) else base_type
    result = scope.variables.variables[variable.index] = Variable(variable.name, variable.index, type_)
    return result, first, tuple(row[0] for row in items if row is not None)


def _type_tally_row(
    row: written.TallyRow, scope: Scope, running: Variable, address: str, cites: tuple[Cite, ...]
) -> tuple[typed.TallyRow, Interval] | None:
    bound = infer_optional_binding(row.binder, scope.with_variables(running))
    if bound is None:
        return None
    binding, inner = bound
    guard, inner = type_guard(row.guard, inner)
    amount = inner.infer(row.amount)
    if amount is None or (row.guard is not None and guard is None):
        return None
    if not check_is_number(amount, "a row of a tally", scope):
        return None
    top = make_row_fields(row, scope, address, cites)
    tally_row = typed.TallyRow(**top, change=row.change, amount=amount, binding=binding, guard=guard)
    return tally_row, compute_number_range(inner.facts, amount)


def type_decide_rows(
    rows: tuple[written.DecideRow, ...], gives: Type | None, scope: Scope, address: str, cites: tuple[Cite, ...]
) -> tuple[Type, tuple[typed.DecideRow, ...]] | None:
    """Type and rows of a decide; reports cases left open and rows never reached.

    Without `gives` the type is the narrowest for all rows.
    """
    check_distinct_names((row.name for row in rows), scope)
    guards, right = _type_row_guards(rows, scope)
    values = _type_row_values(rows, [inner for _, inner in guards], gives)
    if values is None or not right:
        return None
    type_ = gives or find_common_type_of_all([value.type for value in values])
    if type_ is None or is_undecided_type(type_):
        listed = ", ".join(dict.fromkeys(describe_type(value.type) for value in values))
        message = "the rows are not of one sort: " + listed if type_ is None else "the type of these rows is not clear"
        scope.report.error("RW0325", rows[0].value.span.extend_to(rows[-1].value.span), message)
        return None
    fitted = [
        fit_expression(value, type_, inner, f"row `{row.name.text}`")
        for row, value, (_, inner) in zip(rows, values, guards, strict=True)
    ]
    if None in fitted:
        return None
    decide_rows = tuple(
        typed.DecideRow(**make_row_fields(row, scope, address, cites), value=value, guard=guard)
        for row, value, (guard, _) in zip(rows, fitted, guards, strict=True)
        if value is not None
    )
    if check_decide_cases(decide_rows, scope) and rows[0].span not in find_spans_under_rulings(scope.linked):
        check_row_overlap(decide_rows, scope)
    return type_, decide_rows


def _type_row_guards(
    rows: tuple[written.DecideRow, ...], scope: Scope
) -> tuple[list[tuple[Expression | None, Scope]], bool]:
    result: list[tuple[Expression | None, Scope]] = []
    failed = False
    for place, row in enumerate(rows):
        if row.guard is None:
            if place + 1 < len(rows):
                message = f"row `{row.name.text}` takes every case, so the rows below it are never reached"
                scope.report.proved_error("RW0410", rows[place + 1].name.span, message, help="put `otherwise` last")
                failed = True
            result.append((None, scope))
            continue
        guard = infer_flag(row.guard, scope, "what follows `when`")
        failed = failed or guard is None
        result.append((guard, scope.assuming(guard, truth=True)))
        scope = scope.assuming(guard, truth=False)
    return result, not failed


def _type_row_values(
    rows: tuple[written.DecideRow, ...], scopes: list[Scope], gives: Type | None
) -> list[Expression] | None:
    """Values of rows, bare words last, so that the others give their type."""
    mapping: dict[int, Expression] = {}
    wished = gives
    order = sorted(range(len(rows)), key=lambda place: needs_expected_type(rows[place].value, scopes[place]))
    for place in order:
        value = scopes[place].infer(rows[place].value, wished)
        if value is not None:
            mapping[place] = value
            wished = wished or value.type
    return [mapping[place] for place in range(len(rows))] if len(mapping) == len(rows) else None
