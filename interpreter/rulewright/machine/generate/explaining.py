"""Python that says why a member, an option or a whole answer is impossible, condition by condition.

`sN` lists what a decision chooses from, `yN` judges one member or, by position, one option (a *yes* is the first), `zN`
a whole answer. Each
condition judged leaves a record, so that the last one is the one that failed. Written in traced modules only.
"""

from rulewright.machine.generate import expressions, functions, loops, visiting
from rulewright.machine.generate.writer import Body
from rulewright.machine.graph import FIRST_SLOT
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.expressions import Binding, Expression
from rulewright.program.rows import ConditionRow


def explained(body: Body, line: st.Ask) -> None:
    """Writes the functions that explain a decision, once though its procedure is written for several ranges."""
    module = body.module
    if line.address in module.explained:
        return
    number = module.explained[line.address] = len(module.explained)
    match line.shape:
        case st.OneOf(binding):
            _source(body, number, binding.source)
            _member(body, number, line, binding, line.demands)
        case st.Pick(binding=binding):
            _source(body, number, binding.source)
            _member(body, number, line, binding, ())
        case st.Choose(options):
            _options(body, number, tuple((each.guard, each.address) for each in options))
        case st.Whether(guard):
            _options(body, number, ((guard, line.address),))
    if line.demands and not isinstance(line.shape, st.OneOf):
        _whole(body, number, line)


def _opened(body: Body, head: str, line: st.Ask) -> Body:
    return Body(body.module, head, framed=True, names={}, site=body.module.site("reason", line))


def _source(body: Body, number: int, source: Expression) -> None:
    written = Body(body.module, f"def s{number}(W, F):", framed=True, names={}, site=body.site)
    written.muted = 1
    code = visiting.iterated(source, expressions.expression(written, source))
    written.line(f"return {code}")
    body.module.finish(written)


def _member(body: Body, number: int, line: st.Ask, binding: Binding, demands: tuple[st.Demand, ...]) -> None:
    written = _opened(body, f"def y{number}(W, F, a):", line)
    written.line(f"{loops.target(written, binding)} = a")
    for each in conjuncts(binding.where):
        _condition(written, each, line.address, "")
    for row in demands:
        if not row.prefer:
            _row(written, row)
    written.line("return True")
    body.module.finish(written)


def _options(body: Body, number: int, options: tuple[tuple[Expression | None, str], ...]) -> None:
    site = body.module.site("reason", None)
    written = Body(body.module, f"def y{number}(W, F, a):", framed=True, names={}, site=site)
    for position, (guard, address) in enumerate(options):
        with written.indented(f"if a == {position}:"):
            for each in conjuncts(guard):
                _condition(written, each, address, "")
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


def _condition(body: Body, node: Expression, address: str, title: str) -> None:
    site = body.module.site("reason", node, address=address, cites=(), title=title)
    with body.at(site):
        body.begin()
        site.title = site.title or body.module.wording.text(node)
        body.line(f"x = {expressions.expression(body, node)}")
        body.note(site, "x")
        with body.indented("if not x:"):
            body.line("return False")


def _row(body: Body, row: ConditionRow) -> None:
    site = body.module.site("reason", row)
    with body.at(site):
        body.begin()
        site.title = row.title or body.module.wording.text(row.condition)
        body.line(f"x = {functions.held(body, row)}")
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
