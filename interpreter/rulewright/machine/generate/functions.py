"""Python for what is computed from arguments: terms, attributes, relations, tallies, decides, tables, paths."""

from collections.abc import Callable

from rulewright.machine.generate import calls, expressions, loops
from rulewright.machine.generate.writer import Body, Module
from rulewright.machine.values import plainly_ordered
from rulewright.program import declarations as d
from rulewright.program.expressions import Expression, Literal, Local, Variable
from rulewright.program.rows import Cell, ConditionRow, DecideRow, TallyRow
from rulewright.program.types import SetType
from rulewright.roles import nodes

Closer = Callable[[str], None]


def number(body: Body, name: str) -> int:
    """The number of a function of the rules, which waits to be written where this is its first call.

    In a traced module there is another one for what is not recorded.
    """
    module = body.module
    if module.traced and not body.traced:
        name = f"{_UNTOLD}{name}"
    if name not in module.functions:
        module.functions[name] = len(module.functions)
        module.waiting.append(name)
    return module.functions[name]


_UNTOLD = "untold "


def write_waiting(module: Module) -> None:
    """Writes the functions that were called, and those they call."""
    while module.waiting:
        key = module.waiting.pop()
        untold = key.startswith(_UNTOLD)
        _function(
            module, module.program.functions[key.removeprefix(_UNTOLD)], f"f{module.functions[key]}", untold=untold
        )


def default(body: Body, name: str) -> str:
    """The Python name of the function that computes the default of an external term, or `None`."""
    module = body.module
    external = module.program.external_terms[name]
    if external.default is None:
        return "None"
    untold = module.traced and not body.traced
    key = f"{_UNTOLD if untold else ''}default:{name}"
    if key not in module.functions:
        module.functions[key] = len(module.functions)
        opened_ = opened(module, f"f{module.functions[key]}", "term", external, external.parameters, untold=untold)
        _valued(opened_, external.parameters, external.default)
    return f"f{module.functions[key]}"


def value(  # noqa: PLR0913, PLR0917
    module: Module,
    name: str,
    sort: str,
    declared: d.Declared,
    parameters: tuple[Variable, ...],
    result: Expression,
) -> None:
    """A function that returns the value of one expression of its parameters."""
    _valued(opened(module, name, sort, declared, parameters), parameters, result)


def _valued(body: Body, parameters: tuple[Variable, ...], result: Expression) -> None:
    _return(body, expressions.expression(body, result), parameters)
    body.module.finish(body)


def opened(  # noqa: PLR0913 - what a function is made of
    module: Module,
    name: str,
    sort: str,
    declared: d.Declared,
    parameters: tuple[Variable, ...],
    *,
    untold: bool = False,
) -> Body:
    """A function of the rules, begun."""
    site = module.site(sort, declared, type=getattr(declared, "type", None))
    names = {each.index: f"v{each.index}" for each in parameters}
    head = f"def {name}({', '.join(('W', *names.values()))}):"
    return Body(module, head, framed=False, names=names, site=site, untold=untold)


def _return(body: Body, code: str, parameters: tuple[Variable, ...], extra: str = "None") -> None:
    body.line(f"r = {code}")
    given = "".join(f"{body.names[each.index]}, " for each in parameters)
    body.note(body.site, "r", f"(({given}), {extra})")
    body.line("return r")


def _function(module: Module, function: d.Function, name: str, *, untold: bool) -> None:
    sort = function.sort if function.sort in {"tally", "decide", "table"} else "term"
    body = opened(module, name, sort, function, function.parameters, untold=untold)
    body.names |= {each.index: f"v{each.index}" for each in function.variables}
    if body.traced and not isinstance(function.body, d.Value | d.Selection | d.Paths):
        body.line("j = []")
    match function.body:
        case d.Value(value=result):
            _close(body, function, expressions.expression(body, result))
        case d.Conditions() as conditions:
            _conditions(body, conditions, lambda outcome: _close(body, function, outcome))
        case d.Selection() as selection:
            _selection(body, function, selection)
        case d.Tally(running, start, rows):
            tally(body, running, start, rows)
            _close(body, function, body.variable(running))
        case d.Decide(rows):
            decide(body, rows, lambda row: _close(body, function, row))
        case d.Table() as table:
            _table(body, function, table)
        case d.Paths() as paths:
            _close(body, function, destinations(body, function, paths))
    module.finish(body)


def _close(body: Body, function: d.Function, code: str) -> None:
    if not body.traced:
        body.line(f"return {code}")
        return
    _return(
        body, code, function.parameters, "()" if isinstance(function.body, d.Value | d.Selection | d.Paths) else "j"
    )


# Rows under `when all` and `when any`.


def _conditions(body: Body, conditions: d.Conditions, close: Closer) -> None:
    decisive = conditions.mode == "any"
    for position, row in enumerate(conditions.rows):
        test = judged(body, row, position, undecided=not decisive)
        with body.indented(f"if {test}:" if decisive else f"if not {test}:"):
            close(str(decisive))
    close(str(not decisive))


def judged(body: Body, row: ConditionRow, position: int, *, undecided: bool = True) -> str:
    """Python for whether a row holds; `undecided` stands for a row that is not judged."""
    test = expressions.held(body, row, undecided=undecided)
    if not body.traced:
        return test
    body.line(f"x = {test}")
    body.line(f"j.append(({position}, x))")
    return "x"


def _selection(body: Body, function: d.Function, selection: d.Selection) -> None:
    binding, conditions = selection.binding, selection.conditions
    body.line("r = []")
    with body.indented(loops.each(body, binding)):
        loops.guard(body, binding.where)
        member = loops.member(body, binding)
        if conditions.mode == "any":
            tests = [expressions.held(body, row, undecided=False) for row in conditions.rows]
            with body.indented(f"if {' or '.join(tests)}:"):
                body.line(f"r.append({member})")
        else:
            for row in conditions.rows:
                with body.indented(f"if not {expressions.held(body, row, undecided=True)}:"):
                    body.line("continue")
            body.line(f"r.append({member})")
    item = function.type.item if isinstance(function.type, SetType) else None
    _close(body, function, "tuple(sorted(set(r)))" if item and plainly_ordered(item) else "make_set(r)")


# Tallies and decides, also as lines of a routine.


def tally(body: Body, running: Variable, start: Expression, rows: tuple[TallyRow, ...]) -> None:
    """Lines that compute a tally into its variable; a traced body has a list `j` of rows applied."""
    place = body.variable(running)
    body.line(f"{place} = {expressions.expression(body, start)}")
    if body.traced:
        body.line(f"j.append((-1, {place}))")
    for position, row in enumerate(rows):
        if row.binding is None:
            _tally_row(body, place, position, row)
        else:
            with body.indented(loops.each(body, row.binding)):
                loops.guard(body, row.binding.where)
                _tally_row(body, place, position, row)


def _tally_row(body: Body, place: str, position: int, row: TallyRow) -> None:
    if row.guard is None:
        _apply(body, place, position, row)
        return
    test = expressions.expression(body, row.guard)
    with body.indented(f"if {test}:"):
        _apply(body, place, position, row)
    if body.traced:
        with body.indented("else:"):
            body.line(f"j.append(({position}, None))")


def _apply(body: Body, place: str, position: int, row: TallyRow) -> None:
    amount = expressions.expression(body, row.amount)
    if not body.traced and isinstance(row.amount, Literal | Local):
        _change(body, place, row, amount)
        return
    body.line(f"x = {amount}")
    if body.traced:
        body.line(f"j.append(({position}, (x, {_changes(place, row.change)})))")
    _change(body, place, row, "x")


def _change(body: Body, place: str, row: TallyRow, amount: str) -> None:
    match row.change:
        case "plus":
            body.line(f"{place} += {amount}")
        case "times":
            body.line(f"{place} = sized(W, {place} * {amount})")
        case "becomes":
            body.line(f"{place} = {amount}")
        case "at least":
            body.line(f"{place} = {calls.extreme('max', place, amount)}")
        case _:
            body.line(f"{place} = {calls.extreme('min', place, amount)}")


def _changes(place: str, change: str) -> str:
    """Python for whether a row changes the running value."""
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


def decide(body: Body, rows: tuple[DecideRow, ...], close: Closer) -> None:
    """Lines that take the first row whose guard holds; a traced body has a list `j` of rows judged."""
    for position, row in enumerate(rows):
        if row.guard is None:
            _decided(body, position, row, close)
            return
        with body.indented(f"if {expressions.expression(body, row.guard)}:"):
            _decided(body, position, row, close)
        if body.traced:
            body.line(f"j.append(({position}, False))")
    body.line("uncovered()")


def _decided(body: Body, position: int, row: DecideRow, close: Closer) -> None:
    if body.traced:
        body.line(f"j.append(({position}, True))")
    close(expressions.expression(body, row.value))


def _table(body: Body, function: d.Function, table: d.Table) -> None:
    muted, body.muted = body.muted, 1
    for position, row in enumerate(table.rows):
        tests = [
            test
            for cell, parameter in zip(row.cells, function.parameters, strict=True)
            for test in _cell(body, cell, body.variable(parameter))
        ]
        with body.indented(f"if {' and '.join(tests) or 'True'}:"):
            if body.traced:
                body.line(f"j.append(({position}, True))")
            _close(body, function, expressions.expression(body, row.result))
    body.muted = muted
    body.line("uncovered()")


def _cell(body: Body, cell: Cell, place: str) -> list[str]:
    tests = []
    if cell.value is not None:
        tests.append(f"{place} == {expressions.expression(body, cell.value)}")
    if cell.low is not None:
        tests.append(f"{place} >= {expressions.expression(body, cell.low)}")
    if cell.high is not None:
        tests.append(f"{place} <= {expressions.expression(body, cell.high)}")
    return tests


def destinations(body: Body, function: d.Function, found: d.Paths, search: str = "reached(W") -> str:
    """The set of destinations, as one call of the search; or what another search of the same moves finds."""
    start = expressions.expression(body, found.start)
    judge, ends = _path_function(body, function, found), _path_function(body, function, found)
    _judge(judge, found)
    _ends(ends, found)
    given = "".join(f"{body.variable(each)}, " for each in function.parameters)
    return (
        f"{search}, {start}, {_board(body, found)}, lambda *m: {_name(judge)}(W, {given}*m), "
        f"lambda *m: {_name(ends)}(W, {given}*m), spent_counts={_is_read(found, found.spent)}, "
        f"moves_count={_is_read(found, found.moves)}, space={_space(function)!r})"
    )


def _path_function(body: Body, function: d.Function, found: d.Paths) -> Body:
    body.module.lifted += 1
    parameters = (*function.parameters, found.left, found.entered, found.spent, found.moves)
    head = f"def q{body.module.lifted}({', '.join(('W', *(f'v{each.index}' for each in parameters)))}):"
    names = {each.index: f"v{each.index}" for each in function.variables}
    inner = Body(body.module, head, framed=False, names=names, site=body.site, untold=not body.traced)
    inner.muted = 1
    return inner


def _name(written: Body) -> str:
    return written.lines[0][1].removeprefix("def ").partition("(")[0]


def pay(body: Body, found: d.Paths) -> None:
    """Adds what a move costs to what is spent."""
    spent = body.variable(found.spent)
    if found.cost is None:
        body.line(f"{spent} += 1")
    else:
        if body.traced:
            body.line("j = []")
        tally(body, found.cost.running, found.cost.start, found.cost.rows)
        body.line(f"{spent} += {body.variable(found.cost.running)}")


def _judge(body: Body, found: d.Paths) -> None:
    pay(body, found)
    for row in found.rows:
        if row.word == "enter":
            with body.indented(f"if not {expressions.held(body, row)}:"):
                body.line("return None")
    halts = [expressions.held(body, row, undecided=False) for row in found.rows if row.word == "halt"]
    body.line(f"return {body.variable(found.spent)}, {' or '.join(halts) or 'False'}")
    body.module.finish(body)


def _ends(body: Body, found: d.Paths) -> None:
    body.line("r = None")
    for row in found.rows:
        if row.word != "end":
            continue
        guard = "True" if row.guard is None else expressions.expression(body, row.guard)
        with body.indented(f"if {guard}:"):
            body.line(f"r = {expressions.expression(body, row.condition)}")
            with body.indented("if not r:"):
                body.line("return False")
    body.line("return r")
    body.module.finish(body)


def _board(body: Body, found: d.Paths) -> str:
    if len(body.module.program.boards) == 1:
        return "W[6]"
    return f"set(W[{body.module.places.boards[found.board]}])"


def _is_read(found: d.Paths, variable: Variable) -> bool:
    rows = (found.cost, found.rows)
    return any(isinstance(each, Local) and each.variable == variable for part in rows for each in nodes(part))


def _space(function: d.Function) -> str:
    assert isinstance(function.type, SetType)
    return getattr(function.type.item, "space", "hex")
