"""Python for what the engine asks of standing rules, invariants, handlers and events."""

from rulewright.machine.generate import expressions, functions, loops
from rulewright.machine.generate.writer import Body, Module
from rulewright.program import declarations as d
from rulewright.program.expressions import Binding, Expression


def rule(module: Module, number: int, declared: d.StandingRule) -> None:
    """`rN` finds the first members for which a standing rule holds; `lN` its measure."""
    body = _opened(module, f"def r{number}(W):", declared, {})
    if declared.binding is None:
        with body.indented(f"if {expressions.expression(body, declared.condition)}:"):
            body.line("return ()")
    else:
        with body.indented(loops.each(body, declared.binding)):
            loops.guard(body, declared.binding.where)
            with body.indented(f"if {expressions.expression(body, declared.condition)}:"):
                body.line(f"return ({_members(body, declared.binding)})")
    _forget(body)
    body.line("return None")
    module.finish(body)
    measure = _opened(module, f"def l{number}(W):", declared, {})
    measure.muted = 1
    measure.line(f"return {expressions.expression(measure, declared.lowers)}")
    module.finish(measure)


def invariant(module: Module, number: int, declared: d.Invariant) -> None:
    """`iN` faults where an invariant does not hold."""
    body = _opened(module, f"def i{number}(W):", declared, {})
    body.muted = 1
    if declared.binding is None:
        _judge(body, declared, "return")
    else:
        with body.indented(loops.each(body, declared.binding)):
            loops.guard(body, declared.binding.where)
            _judge(body, declared, "continue")
    _forget(body)
    module.finish(body)


def _judge(body: Body, declared: d.Invariant, skip: str) -> None:
    if declared.guard is not None:
        with body.indented(f"if not {expressions.expression(body, declared.guard)}:"):
            body.line(skip)
    title = body.module.constant(declared.title or declared.name)
    with body.indented(f"if not {expressions.expression(body, declared.condition)}:"):
        body.line(f"broken({title}{_read(body, declared.binding)})")


def _read(body: Body, binding: Binding | None) -> str:
    """The members that an invariant is judged for, as one more argument; nothing where it goes through none."""
    if binding is None:
        return ""
    constant = body.module.constant
    members = (
        f"({constant(each.name)}, {body.names[each.index]}, {constant(each.type)}), "
        for each in binding.variables
        if each
    )
    return f", ({''.join(members)})"


def handler(module: Module, number: int, declared: d.Handler) -> None:
    """`hN` lists the members for which a handler qualifies, `gN` judges one of them again."""
    event = module.program.events[declared.event]
    given = declared.variables[: len(event.parameters)]
    names = {each.index: f"v{each.index}" for each in given}
    body = _opened(module, f"def h{number}({', '.join(('W', *names.values()))}):", declared, dict(names))
    body.muted = 1
    body.line("m = []")
    with body.indented(loops.each(body, declared.binding)):
        loops.guard(body, declared.binding.where)
        loops.guard(body, declared.guard)
        body.line(f"m.append(({_members(body, declared.binding)}))")
    _forget(body)
    body.line("return m")
    module.finish(body)
    bound = [each for each in declared.binding.variables if each]
    names |= {each.index: f"v{each.index}" for each in bound}
    again = _opened(module, f"def g{number}({', '.join(('W', *names.values()))}):", declared, names)
    again.muted = 1
    test = "True" if declared.guard is None else expressions.expression(again, declared.guard)
    again.line(f"x = {test}")
    _forget(again)
    again.line("return x")
    module.finish(again)


def event(module: Module, number: int, declared: d.Event) -> None:
    """`eN` computes the holders of an event, `oN` the order of players."""
    for letter, value in (("e", declared.holders), ("o", declared.order)):
        if value is not None:
            _computed(module, f"{letter}{number}", declared, value)


def _computed(module: Module, name: str, declared: d.Event, value: Expression) -> None:
    """A function of an event's parameters whose record is thrown away."""
    names = {each.index: f"v{each.index}" for each in declared.parameters}
    body = _opened(module, f"def {name}({', '.join(('W', *names.values()))}):", declared, names)
    body.muted = 1
    body.line(f"x = {expressions.expression(body, value)}")
    _forget(body)
    body.line("return x")
    module.finish(body)


def measure(module: Module, number: int, declared: d.Measure) -> None:
    """`mN` computes a measure."""
    functions.value(module, f"m{number}", "measure", declared, declared.parameters, declared.value)


def _opened(module: Module, head: str, declared: d.Declared, names: dict[int, str]) -> Body:
    site = module.site("judged", declared, line=True)
    body = Body(module, head, framed=False, names=names, site=site, untold=not module.probed)
    if body.traced:
        body.line("o = len(T)")
    return body


def _forget(body: Body) -> None:
    if body.traced:
        body.line("del T[o:]")


def _members(body: Body, binding: Binding) -> str:
    return "".join(f"{body.names[each.index]}, " for each in binding.variables if each)
