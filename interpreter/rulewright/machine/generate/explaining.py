"""Python that says why a member, an option or a whole answer is impossible, condition by condition.

`sN` lists what a decision chooses from, `yN` judges one member or, by position, one option (a *yes* is the first), `zN`
a whole answer. `jN` finds the `prefer` row that sets an answer `a` behind the legal `b`. `xN` judges what is not among
the members by the conditions that chose these: of a set that a term or a comprehension filtered, also where a name
keeps it; it gives none where no condition says why. `uN` does so inside a term. Each condition judged leaves a record,
so that the last one is the one that failed. Written in traced modules only.
"""

from collections.abc import Callable

from rulewright.machine.generate import expressions, functions, loops, statements
from rulewright.machine.generate.writer import Body, Module
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.source_point import Site
from rulewright.program import declarations as d, expressions as ex, statements as st
from rulewright.program.expressions import Binding, Expression
from rulewright.program.rows import ConditionRow
from rulewright.roles import nodes


def explained(body: Body, line: st.Ask) -> None:
    """Writes the functions that explain a decision, once even if its procedure is written for several ranges."""
    module = body.module
    if line.address in module.explained:
        return
    number = module.explained[line.address] = len(module.explained)
    match line.shape:
        case st.OneOf(binding):
            _source(body, number, binding.source)
            _outside(body, number, line, binding.source)
            _member(body, number, line, binding, line.demands)
            _behind(body, number, line, binding)
        case st.Pick(binding=binding):
            _source(body, number, binding.source)
            _outside(body, number, line, binding.source)
            _member(body, number, line, binding, ())
        case st.Split(over=over):
            _source(body, number, over)
            _outside(body, number, line, over)
        case st.TurnHow():
            _behind(body, number, line, None)
        case st.Choose(options):
            _options(body, number, tuple((each.guard, each.address) for each in options))
        case st.Whether(guard):
            _options(body, number, ((guard, line.address),))
    if line.demands and not isinstance(line.shape, st.OneOf):
        _whole(body, number, line)


def turned_down(body: Body, line: st.Ask) -> str:
    """Python for what could not be answered, and the records of why, where an answer is forced or impossible."""
    number = body.module.explained.get(line.address)
    match line.shape:
        case _ if number is None or not body.traced:
            return "()"
        case st.OneOf():
            members = f"[(a, a) for a in s{number}(W, F) if a not in m]"
        case st.Pick():
            members = f"[(a, a) for a in s{number}(W, F) if a not in m[1]]"
        case st.Choose(options):
            listed = body.module.constant(tuple((each.id, position) for position, each in enumerate(options)))
            members = f"[a for a in {listed} if a[0] not in m]"
        case st.Whether():
            members = "((True, 0),)"
        case _:
            return "()"
    behind = f", (j{number}, m)" if isinstance(line.shape, st.OneOf) and _preferring(line) else ""
    return f"excluded(W, F, y{number}, {members}{behind})"


def _opened(body: Body, head: str, line: st.Ask) -> Body:
    return Body(body.module, head, framed=True, names={}, site=body.module.site("reason", line))


def _source(body: Body, number: int, source: Expression) -> None:
    written = Body(body.module, f"def s{number}(W, F):", framed=True, names={}, site=body.site)
    written.muted = 1
    code = statements.iterated(written, source, expressions.expression(written, source))
    written.line(f"return {code}")
    body.module.finish(written)


def _outside(body: Body, number: int, line: st.Ask, source: Expression) -> None:
    written = _opened(body, f"def x{number}(W, F, a):", line)
    _through(written, source, line.address, _DEEPEST)
    written.line("return True")
    body.module.finish(written)


_DEEPEST = 4
_CHOOSING = (d.Selection, d.Value, d.Paths)
"""What a term may be made of that says why something is not among what it gives."""


def _through(body: Body, source: Expression, address: str, depth: int) -> None:
    """Judges `a` by every condition that chose the members of a set, the innermost first."""
    function = getattr(body.module.program.functions.get(getattr(source, "function", "")), "body", None)
    kept = _kept(body, source, address) if isinstance(source, ex.Local) else None
    arguments = source.arguments if isinstance(source, ex.CallFunction) else (getattr(source, "target", source),)
    match source:
        case ex.Narrowed(operand=operand):
            _through(body, operand, address, depth)
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if binding.variables == (variable,):
            _through(body, binding.source, address, depth)
            body.line(f"{loops.target(body, binding)} = a")
            for each in conjuncts(binding.where):
                _condition(body, each, address)
        case ex.Local() if kept is not None and depth:
            with body.indented(f"if {body.variable(source.variable)} != {expressions.quietly(body, kept)}:"):
                body.line("return None")
            _through(body, kept, address, depth - 1)
        case ex.CallFunction() | ex.DerivedAttribute() if isinstance(function, _CHOOSING) and depth:
            given = "".join(f"{expressions.quietly(body, each)}, " for each in arguments)
            name = _within(body.module, body.module.program.functions[source.function], depth - 1)
            body.line(f"x = {name}(W, {given}a)")
            with body.indented("if not x:"):
                body.line("return x")
        case _:
            with body.indented(f"if a not in {statements.iterated(body, source, expressions.quietly(body, source))}:"):
                body.line("return None")


def _within(module: Module, function: d.Function, depth: int) -> str:
    """The name of a function that judges `a` by what a term gives for its arguments."""
    module.lifted += 1
    name = f"u{module.lifted}"
    names = {each.index: f"v{each.index}" for each in (*function.parameters, *function.variables)}
    parameters = ", ".join(("W", *(names[each.index] for each in function.parameters), "a"))
    site = module.site("reason", function)
    body = Body(module, f"def {name}({parameters}):", framed=False, names=names, site=site)
    match function.body:
        case d.Value(value=value):
            _through(body, value, function.name, depth)
        case d.Selection(binding=binding, conditions=d.Conditions(mode="all", rows=rows)):
            _through(body, binding.source, function.name, depth)
            body.line(f"{loops.target(body, binding)} = a")
            for each in conjuncts(binding.where):
                _condition(body, each, function.name)
            for row in rows:
                _row(body, row)
        case d.Paths() as found:
            _move(body, function, found)
        case _:
            body.line("return None")
    body.line("return True")
    module.finish(body)
    return name


def _move(body: Body, function: d.Function, found: d.Paths) -> None:
    """Judges the move into `a` that came nearest to ending there, row by row."""
    body.muted += 1
    body.line(f"x = {functions.destinations(body, function, found, 'nearest(W, a')}")
    with body.indented("if x is None:"):
        body.line("return None")
    body.line(f"{', '.join(body.variable(each) for each in (found.left, found.spent, found.moves))} = x")
    body.line(f"{body.variable(found.entered)} = a")
    functions.pay(body, found)
    body.muted -= 1
    for row in found.rows:
        if row.word != "halt":
            _row(body, row)
    body.line("return None")


def _kept(body: Body, source: ex.Local, address: str) -> Expression | None:
    """What a name was set to, where the routine sets it once."""
    program, name = body.module.program, address.partition("/")[0]
    routine = program.procedures.get(name) or program.handlers.get(name) or program.rules.get(name)
    lines = [each for each in nodes(routine) if getattr(each, "variable", None) == source.variable]
    settings = [each for each in lines if isinstance(each, st.Line | st.VariablePlace)]
    return settings[0].value if len(settings) == 1 and isinstance(settings[0], st.Let) else None


def _member(body: Body, number: int, line: st.Ask, binding: Binding, demands: tuple[st.Demand, ...]) -> None:
    written = _opened(body, f"def y{number}(W, F, a):", line)
    written.line(f"{loops.target(written, binding)} = a")
    for each in conjuncts(binding.where):
        _condition(written, each, line.address)
    for row in demands:
        if not row.prefer:
            _row(written, row)
    written.line("return True")
    body.module.finish(written)


def _preferring(line: st.Ask) -> list[st.Demand]:
    return [each for each in line.demands if each.prefer]


def _behind(body: Body, number: int, line: st.Ask, binding: Binding | None) -> None:
    """A row counts where some answer satisfies it, which a legal one then does; the first that `a` fails is told."""
    if not _preferring(line):
        return
    written = _opened(body, f"def j{number}(W, F, a, b):", line)
    place = loops.target(written, binding) if binding else f"F[{FIRST_SLOT + line.variable.index}]"
    for row in _preferring(line):
        written.line(f"{place} = b")
        with written.telling(untold=True):
            written.line(f"x = {expressions.held(written, row)}")
        with written.indented("if x:"):
            written.line(f"{place} = a")
            _row(written, row)
    written.line("return True")
    body.module.finish(written)


def _options(body: Body, number: int, options: tuple[tuple[Expression | None, str], ...]) -> None:
    site = body.module.site("reason", None)
    written = Body(body.module, f"def y{number}(W, F, a):", framed=True, names={}, site=site)
    for position, (guard, address) in enumerate(options):
        with written.indented(f"if a == {position}:"):
            for each in conjuncts(guard):
                _condition(written, each, address)
    written.line("return True")
    body.module.finish(written)


def _whole(body: Body, number: int, line: st.Ask) -> None:
    written = _opened(body, f"def z{number}(W, F, a):", line)
    written.line(f"F[{FIRST_SLOT + line.variable.index}] = a")
    for row in line.demands:
        if not row.prefer:
            _row(written, row)
    written.line("return True")
    body.module.finish(written)


def _condition(body: Body, node: Expression, address: str) -> None:
    site = body.module.site("reason", node, address=address, cites=(), title=body.module.wording.text(node))
    _judged(body, site, lambda: expressions.expression(body, node))


def _row(body: Body, row: ConditionRow) -> None:
    site = body.module.site("reason", row, title=row.title or body.module.wording.text(row.condition))
    _judged(body, site, lambda: expressions.held(body, row))


def _judged(body: Body, site: Site, test: Callable[[], str]) -> None:
    with body.at(site):
        body.begin()
        body.line(f"x = {test()}")
        body.note(site, "x")
        with body.indented("if not x:"):
            body.line("return False")


def conjuncts(condition: Expression | None) -> tuple[Expression, ...]:
    """The conditions that `and` joins, from left to right."""
    match condition:
        case None:
            return ()
        case ex.Logical(operator="and", left=left, right=right):
            return (*conjuncts(left), *conjuncts(right))
        case _:
            return (condition,)
