"""Python for loops of lines."""

from rulewright.machine.generate import expressions, loops, statements
from rulewright.machine.generate.conditions import condition, tested
from rulewright.machine.generate.writer import Body
from rulewright.program import statements as st
from rulewright.program.effects import written_by
from rulewright.program.expressions import Expression, Removed
from rulewright.program.types import MapType, PoolType
from rulewright.roles import nodes


def for_each(body: Body, line: st.ForEach) -> None:
    """A `for each`."""
    source = expressions.expression(body, line.binding.source)
    items = body.temporary()
    body.line(f"{items} = {iterated(line.binding.source, source)}")
    body.note(body.site, items)
    body.line(f"W[0].work += len({items})")
    body.line(f"visit(W, len({items}))")
    before = body.temporary()
    already_gone(body, line, items, before)
    with body.indented(f"for {loops.target(body, line.binding)} in {items}:"):
        pass_over(body, line, before)
        statements.lines(body, line.block)


def repeat(body: Body, line: st.Repeat) -> None:
    """A `repeat while`."""
    bound, rounds = body.temporary(), body.temporary()
    body.line(f"{bound} = {expressions.expression(body, line.bound)}")
    body.line(f"{rounds} = 0")
    body.note(body.site, bound)
    with body.indented("while True:"):
        test = tested(body, line.condition, line)
        with body.indented(f"if not {test}:"):
            body.line("break")
        with body.indented(f"if {rounds} >= {bound}:"):
            body.line(f"too_often({bound})")
        body.line(f"{rounds} += 1")
        body.line("W[0].work += 1")
        body.line("visit(W, 1)")
        statements.lines(body, line.block)


def iterated(source: Expression, code: str) -> str:
    """Python for the members of a source as they are now."""
    match source.type:
        case MapType():
            return f"{code}.keys()"
        case PoolType():
            return f"kept(W, {code})"
        case _:
            return code


def already_gone(body: Body, line: st.ForEach, items: str, before: str) -> None:
    """Remembers which of the members are gone when a loop begins, where its block may remove one: these it visits."""
    kind = visited_kind(line.binding.source)
    if kind is not None and may_remove(body, line.block):
        gone = f"W[{body.module.places.gone[kind]}]"
        body.line(f"{before} = tuple([x for x in {items} if {gone}[x]])")


def may_remove(body: Body, block: st.Block) -> bool:
    """Whether something may go out of play while a block runs."""
    return any(
        isinstance(each, st.Remove | st.Perform | st.PerformExternal | st.Trigger | st.FinishOuter)
        or (isinstance(each, st.Line) and body.module.mask(written_by(each)))  # type: ignore[arg-type]
        for each in nodes(block)
    )


def pass_over(body: Body, line: st.ForEach, before: str, resume: str = "") -> None:
    """Passes over an item that is gone since the loop began, or fails `where` at its turn.

    `before` is Python for the members that were gone already, `resume` a line that keeps where the loop is while
    `where` may wait for a value from elsewhere.
    """
    kind = visited_kind(line.binding.source)
    site = body.module.site("skipped", line, line=True, routine=body.site.routine)
    member = loops.member(body, line.binding)
    if kind is not None and may_remove(body, line.block):
        with body.indented(f"if W[{body.module.places.gone[kind]}][{member}] and {member} not in {before}:"):
            body.begin()
            body.note(site, member)
            body.line("continue")
    if line.binding.where is not None:
        with body.at(site):
            body.begin()
            test = condition(body, line.binding.where)
            with body.indented(f"if not {test}:"):
                body.note(site, member)
                if resume:
                    body.line(resume)
                body.line("continue")


def visited_kind(source: Expression) -> str | None:
    """The kind of the things a loop visits, where one that is gone since the loop began is passed over."""
    kind = getattr(getattr(source.type, "item", None), "kind", None)
    return None if isinstance(source, Removed) else kind
