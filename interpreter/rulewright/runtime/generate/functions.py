"""Python for the pure routines of core: terms, derived attributes, relations, tallies, decides, tables, paths.

A traced function records one entry: its arguments, its result, and which of its rows held or changed the value.
"""

from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.core import forms as core
from rulewright.program.expressions import Row, TallyRow
from rulewright.runtime.generate import expressions, loops
from rulewright.runtime.generate.writer import UNRECORDED_PREFIX, FunctionBuilder, ModuleBuilder

_SITES_OF_ROWS = frozenset({"tally", "decide", "table"})
_JUDGED_SORTS = frozenset({"find", "lowers", "invariant", "ready", "guard", "order", "holders"})
"""Routines that the engine calls for a rule, invariant, handler or event."""
_SILENT_SORTS = ("enter:", "end:")
"""Routines whose calls are part of another entry: those that judge the moves of `paths`."""


def emit_pending_functions(module: ModuleBuilder) -> None:
    """Emits the functions that were called, and their callees, until none is pending."""
    while module.pending_functions:
        key = module.pending_functions.pop()
        records_nothing = key.startswith(UNRECORDED_PREFIX)
        routine = module.core.routines[key.removeprefix(UNRECORDED_PREFIX)]
        emit_pure_routine(module, routine, f"f{module.functions[key]}", records_nothing=records_nothing)


def emit_pure_routine(
    module: ModuleBuilder, routine: core.Routine, name: str, *, records_nothing: bool = False
) -> None:
    """A pure routine as one function."""
    declared, sort = routine.origin, routine.key.partition(":")[0]
    if sort in _JUDGED_SORTS:
        site = module.add_site("judged", declared, line=True)
    else:
        site = module.add_site(_site_sort(sort, declared), declared, type=getattr(declared, "type", None))
    names = {local.index: f"v{local.index}" for local in routine.locals}
    head = f"def {name}({', '.join(('W', *(names[parameter.index] for parameter in routine.parameters)))}):"
    body = FunctionBuilder(module, head, framed=False, names=names, site=site, records_nothing=records_nothing)
    is_silent = routine.key.startswith(_SILENT_SORTS)
    body.emit_charge(routine.entry)
    emitter = _FunctionEmitter(body, _list_rows(declared), None if is_silent else routine.parameters)
    emitter.emit_routine(routine)
    module.finish_function(body)


def _site_sort(sort: str, declared: object) -> str:
    if isinstance(declared, d.Function) and declared.sort in _SITES_OF_ROWS:
        return declared.sort
    return "measure" if sort == "measure" else "term"


def _list_rows(declared: object) -> tuple[Row, ...] | None:
    """The rows of a function whose entry tells of them; none for other functions."""
    match declared:
        case d.Function(body=d.Tally(rows=rows) | d.Decide(rows=rows) | d.Table(rows=rows)):
            return rows
        case d.Function(body=d.Conditions(rows=rows)):
            return rows
        case _:
            return None


class _FunctionEmitter:
    """Emits statements of a pure routine; `parameters` are those of its entry, none where it has no entry."""

    def __init__(
        self, body: FunctionBuilder, rows: tuple[Row, ...] | None, parameters: tuple[core.Local, ...] | None
    ) -> None:
        self._body = body
        self._has_rows = rows is not None
        self._rows = {id(row): position for position, row in enumerate(rows or ())}
        self._parameters = parameters

    def emit_routine(self, routine: core.Routine) -> None:
        body = self._body
        is_table = isinstance(routine.origin, d.Function) and isinstance(routine.origin.body, d.Table)
        if self._parameters is None or is_table:
            body.mute_depth = 1
        if body.records_reads and self._has_rows:
            body.add_line("j = []")
        self.emit_block(routine.entry)

    def emit_block(self, block: core.Block) -> None:
        """Statements in order; what follows a branch that returns needs no `else`, and no deeper call."""
        waiting = [*reversed(block)]
        while waiting:
            statement = waiting.pop()
            if isinstance(statement, core.If):
                waiting += reversed(self._emit_if(statement))
            else:
                self._emit_statement(statement)

    def _record_row(self, origin: object, what: str) -> None:
        """Notes what came of a row, if it is one of which the entry tells."""
        position = self._rows.get(id(origin))
        if position is not None and self._body.records_reads:
            self._body.add_line(f"j.append(({position}, {what}))")

    def _emit_statement(self, statement: core.Statement) -> None:
        body = self._body
        match statement:
            case core.Return(value=value, origin=origin):
                if isinstance(origin, ex.DecideRow | ex.TableRow):
                    self._record_row(origin, "True")
                self._emit_result(value)
            case core.Set(place=core.Place(root=core.Local() as local)):
                _emit_tally_step(body, local, statement, self._rows.get(id(statement.origin)))
            case core.For(names=names, source=source, body=block):
                with body.indent_under(loops.emit_loop_head(body, names, source, block)):
                    self.emit_block(block)
            case core.Fail(fault="RW0816"):
                body.add_line("fault_no_row_covers()")
            case _:
                raise TypeError(f"{type(statement).__name__} in a pure routine")

    def _emit_if(self, statement: core.If) -> core.Block:
        """Writes a condition; returns the statements that go on behind it."""
        body, origin = self._body, statement.origin
        # `where` of a row that goes through members stems from no row: what it reads is that of one member
        emit = loops.emit_in_loop if origin is None else expressions.emit_expression
        test = emit(body, statement.test)
        if isinstance(origin, ex.ConditionRow) and id(origin) in self._rows and body.records_reads:
            body.add_line(f"x = {test}")
            self._record_row(origin, "x")
            test = "x"
        if not statement.then:
            with body.indent_under(f"if not {test}:"):
                self.emit_block(statement.other)
            return ()
        with body.indent_under(f"if {test}:"):
            self.emit_block(statement.then)
        if isinstance(origin, TallyRow) and id(origin) in self._rows and body.records_reads:
            with body.indent_under("else:"):
                self._record_row(origin, "None")
            return ()
        if isinstance(origin, ex.DecideRow):
            self._record_row(origin, "False")
        if isinstance(statement.then[-1], core.Return):
            return statement.other
        if statement.other:
            with body.indent_under("else:"):
                self.emit_block(statement.other)
        return ()

    def _emit_result(self, value: core.Expression) -> None:
        body = self._body
        is_selection = isinstance(value, core.Over) and isinstance(value.origin, d.Function)
        code = (
            loops.emit_gathered_members(body, value)  # type: ignore[arg-type]
            if is_selection
            else expressions.emit_expression(body, value)
        )
        if not body.records_reads or self._parameters is None:
            body.add_line(f"return {code}")
            return
        body.add_line(f"r = {code}")
        given = "".join(f"{body.names[parameter.index]}, " for parameter in self._parameters)
        extra = "j" if self._has_rows else "()" if isinstance(body.site.node, d.Function) else "None"
        body.emit_entry(body.site, "r", f"(({given}), {extra})")
        body.add_line("return r")


# Tallies, also as lines of a routine.


def _emit_tally_step(body: FunctionBuilder, running: core.Local, step: core.Set, row: int | None) -> None:
    """Sets the running value of a tally; in a traced body with a list `j` of rows, the change of a row is noted."""
    place, value = body.variable_place(running), step.value
    if not isinstance(step.origin, TallyRow) and _is_increment(value, running):
        body.add_line(f"{place} += {expressions.emit_expression(body, _get_second_argument(value))}")
        return
    if not isinstance(step.origin, TallyRow):
        body.add_line(f"{place} = {expressions.emit_expression(body, value)}")
        is_tally = isinstance(step.origin, st.TallyLine) or isinstance(getattr(step.origin, "body", None), d.Tally)
        if body.records_reads and is_tally:
            body.add_line(f"j.append((-1, {place}))")
        return
    change = step.origin.change
    amount = value if change == "becomes" else _get_second_argument(value)
    code = expressions.emit_expression(body, amount)
    records = body.records_reads and row is not None
    if not records and isinstance(amount.origin, ex.Literal | ex.Local):
        _emit_tally_change(body, place, change, code)
        return
    body.add_line(f"x = {code}")
    if records:
        body.add_line(f"j.append(({row}, (x, {_emit_changes_test(place, change)})))")
    _emit_tally_change(body, place, change, "x")


def _is_increment(value: core.Expression, running: core.Local) -> bool:
    match value:
        case core.Op(name="add", arguments=(core.Get(local=local), _)):
            return local == running
        case _:
            return False


def _get_second_argument(value: core.Expression) -> core.Expression:
    assert isinstance(value, core.Op)
    return value.arguments[1]


def emit_tally(body: FunctionBuilder, rows: tuple[TallyRow, ...], statements: core.Block) -> None:
    """The statements of a tally that is a line; a traced body has a list `j` of rows applied."""
    _FunctionEmitter(body, rows, None).emit_block(statements)


def _emit_tally_change(body: FunctionBuilder, place: str, change: str, amount: str) -> None:
    match change:
        case "plus":
            body.add_line(f"{place} += {amount}")
        case "times":
            body.add_line(f"{place} = check_number_size(W, {place} * {amount})")
        case "becomes":
            body.add_line(f"{place} = {amount}")
        case "at least":
            body.add_line(f"{place} = {expressions.emit_extreme('max', place, amount)}")
        case _:
            body.add_line(f"{place} = {expressions.emit_extreme('min', place, amount)}")


def _emit_changes_test(place: str, change: str) -> str:
    match change:
        case "plus":
            return "x != 0"
        case "times":
            return f"{place} * x != {place}"
        case "becomes":
            return f"{place} != x"
        case "at least":
            return f"{place} < x"
        case _:
            return f"{place} > x"


def emit_move_cost(body: FunctionBuilder, entering: core.Routine) -> None:
    """Lines that add the price of a move to what was spent before."""
    emitter = _FunctionEmitter(body, None, None)
    for statement in entering.entry:
        if isinstance(statement, core.If | core.Return) and not isinstance(statement.origin, TallyRow):
            return
        emitter.emit_block((statement,))
