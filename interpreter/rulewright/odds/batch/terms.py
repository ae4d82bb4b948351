"""WebAssembly for what is computed from arguments: terms, tallies, decides, tables, functions of the language."""

from collections.abc import Iterator

from rulewright.odds.batch import cells, digits, members, sets
from rulewright.odds.batch.shapes import UnfitError
from rulewright.odds.batch.slots import refuse_nested, sized, slot
from rulewright.odds.batch.writer import Body, Module, constant, held
from rulewright.program import declarations as d, expressions as ex, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.rows import Cell, ConditionRow, TallyRow
from rulewright.program.types import Type


def called(body: Body, name: str, arguments: tuple[Expression, ...]) -> str:
    """The call of a term, tally, decide, table, derived attribute or relation."""
    function = body.module.program.functions[name]
    given = [slot(body, *each) for each in zip(arguments, [each.type for each in function.parameters], strict=True)]
    written = body.module.function(f"term {name}", lambda key: _function(body.module, function, key))
    return f"(call {written} {' '.join(given)})"


def _function(module: Module, function: d.Function, key: str) -> None:
    body = Body(module, function.name)
    parameters = tuple(f"$v{each.index}" for each in function.parameters)
    body.names.update(dict.fromkeys(parameters))
    with body.attempted(f"in `{function.name}`"):
        _computed(body, function)
    body.line("(unreachable)")
    body.written(key, parameters)


def _computed(body: Body, function: d.Function) -> None:  # noqa: C901 - one case for each sort
    match function.body:
        case d.Value(value=result):
            body.line(f"(return {slot(body, result, function.type)})")
        case d.Conditions(mode, rows):
            for row in rows:
                _condition(body, row, mode)
            body.line(f"(return (i64.const {int(mode == 'all')}))")
        case d.Selection(binding, conditions):
            body.line(f"(return {members.selected(body, binding, conditions, function.type)})")
        case d.Tally(running, start, tallied):
            tally(body, running, start, tallied)
            body.line(f"(return {body.get(running)})")
        case d.Decide(decided):
            for each in decided:
                _row(
                    body,
                    "(i32.const 1)" if each.guard is None else body.test(each.guard),
                    each.value,
                    function.type,
                )
            body.line(body.given_back("no row covers a case"))
        case d.Table(tabled):
            for line in tabled:
                fits = "(i32.const 1)"
                for cell, parameter in zip(line.cells, function.parameters, strict=True):
                    for one in _cell(body, cell, body.get(parameter)):
                        fits = f"(i32.and {fits} {one})"
                _row(body, fits, line.result, function.type)
            body.line(body.given_back("no row covers a case"))
        case _:
            raise UnfitError("paths over a board")


def _row(body: Body, fits: str, result: Expression, type_: Type) -> None:
    with body.inside(f"if {fits} (then"):
        body.line(f"(return {slot(body, result, type_)})")
    body.line(")")


def _condition(body: Body, row: ConditionRow, mode: str) -> None:
    """Ends a term of conditions where a row decides it."""
    code = members.held_row(body, row, undecided=mode == "all")
    decided = f"(i32.eqz {code})" if mode == "all" else code
    body.line(f"(if {decided} (then (return (i64.const {int(mode != 'all')}))))")


def _cell(body: Body, cell: Cell, code: str) -> Iterator[str]:
    for node, compares in ((cell.value, "eq"), (cell.low, "ge_s"), (cell.high, "le_s")):
        if node is not None:
            yield f"(i64.{compares} {code} {body.value(node)})"


def tally(body: Body, running: ex.Variable, start: Expression, rows: tuple[TallyRow, ...]) -> None:
    """Lines that compute a tally into its variable."""
    body.set(running, body.value(start))
    for row in rows:
        if row.binding is None:
            _tally_row(body, running, row)
        else:
            with members.visited(body, row.binding):
                _tally_row(body, running, row)


def _tally_row(body: Body, running: ex.Variable, row: TallyRow) -> None:
    with body.inside(f"if {'(i32.const 1)' if row.guard is None else body.test(row.guard)} (then"):
        amount, before = body.value(row.amount), body.get(running)
        match row.change:
            case "plus":
                body.set(running, sized(body, ty.WHOLE, f"(i64.add {before} {amount})"))
            case "times":
                body.set(running, sized(body, ty.WHOLE, f"(i64.mul {before} {amount})"))
            case "becomes":
                body.set(running, amount)
            case "at least":
                body.set(running, digits.larger(body, before, amount, least=False))
            case _:
                body.set(running, digits.larger(body, before, amount, least=True))
    body.line(")")


def external(body: Body, node: ex.ExternalValue) -> str:
    """An external term by its default."""
    module = body.module
    external = module.program.external_terms[node.external]
    if external.default is None or module.world[0].base.tables.get(node.external):
        raise UnfitError(f"`{node.external}` comes from elsewhere")
    default, parameters = external.default, tuple(f"$v{each.index}" for each in external.parameters)

    def write(key: str) -> None:
        inner = Body(module, node.external)
        inner.names.update(dict.fromkeys(parameters))
        with inner.attempted(f"in `{node.external}`"):
            inner.line(f"(return {slot(inner, default, external.type)})")
        inner.line("(unreachable)")
        inner.written(key, parameters)

    given = [
        slot(body, *each) for each in zip(node.arguments, [each.type for each in external.parameters], strict=True)
    ]
    return f"(call {module.function(f'external {node.external}', write)} {' '.join(given)})"


def builtin(body: Body, node: ex.Builtin) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each
    """The call of a function of the language."""
    arguments = node.arguments
    match node.name:
        case "min" | "max" if len(arguments) > 1:
            found = body.value(arguments[0])
            for each in arguments[1:]:
                found = digits.larger(body, found, body.value(each), least=node.name == "min")
            return found
        case "min" | "max" | "sum" | "count" | "total":
            return members.over_members(body, node)
        case "abs":
            name = body.temporary(body.value(arguments[0]))
            negative = f"(i64.lt_s {held(name)} (i64.const 0))"
            return f"(select (i64.sub (i64.const 0) {held(name)}) {held(name)} {negative})"
        case "floor" | "ceiling" | "round" if isinstance(arguments[0], ex.Arithmetic) and arguments[0].operator == "/":
            return _rounded(body, node.name, arguments[0])
        case "floor" | "ceiling" | "round" if isinstance(arguments[0].type, ty.NumberType):
            return body.value(arguments[0])
        case "sorted" if isinstance(node.type, ty.ListType):
            refuse_nested(node.type)
            return f"(call {body.module.library('sorted')} {body.value(arguments[0])})"
        case "other":
            return _other(body, node)
        case "directions":
            assert isinstance(node.type, ty.SetType)
            return constant((1 << body.module.shapes.members(node.type.item)) - 1)
        case "occupants":
            return cells.occupants(body, node)
        case "along":
            assert isinstance(node.type, ty.WordType)
            last = constant(len(body.module.program.values[node.type.values].words) - 1)
            moved = f"(i64.add {body.value(arguments[0])} {body.value(arguments[1])})"
            return digits.larger(body, constant(0), digits.larger(body, moved, last, least=True), least=False)
        case _ if node.name in cells.GRIDS:
            return cells.looked_up(body, node)
        case _:
            raise UnfitError(f"`{node.name}`")


def _rounded(body: Body, how: str, node: ex.Arithmetic) -> str:
    """A quotient of whole numbers above nought, rounded."""
    above, below = (
        body.temporary(body.value(node.left)),
        body.temporary(body.value(node.right)),
    )
    fits = f"(i32.and (i64.ge_s {held(above)} (i64.const 0)) (i64.gt_s {held(below)} (i64.const 0)))"
    body.unless(fits, "a quotient of numbers below nought")
    more = {
        "floor": constant(0),
        "ceiling": f"(i64.sub {held(below)} (i64.const 1))",
        "round": held(below),
    }[how]
    if how == "round":
        twice = f"(i64.add (i64.mul {held(above)} (i64.const 2)) {more})"
        return f"(i64.div_u {twice} (i64.mul {held(below)} (i64.const 2)))"
    return f"(i64.div_u (i64.add {held(above)} {more}) {held(below)})"


def _other(body: Body, node: ex.Builtin) -> str:
    member, pair = (body.temporary(body.value(each)) for each in node.arguments)
    is_pair = f"(i64.eq (i64.popcnt {held(pair)}) (i64.const 2))"
    among = f"(i32.and (i64.ge_s {held(member)} (i64.const 0)) {sets.is_bit(held(pair), held(member))})"
    body.unless(f"(i32.and {is_pair} {among})", "`other` of what is not in a set of two")
    return f"(i64.ctz (i64.xor {held(pair)} {sets.bit(held(member))}))"
