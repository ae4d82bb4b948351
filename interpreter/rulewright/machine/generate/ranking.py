"""Python for ranks; what a key is worth to each member is computed in a function of its own."""

from collections.abc import Callable

from rulewright.machine import graph as g
from rulewright.machine.generate import chance, expressions, loops
from rulewright.machine.generate.flow import Flow
from rulewright.machine.generate.writer import Body
from rulewright.machine.site import Site
from rulewright.program import statements as st
from rulewright.program.types import ListType

_HIGH = frozenset({"highest", "first"})


def plain(body: Body, line: st.Rank) -> None:
    """A rank whose keys neither roll nor ask."""
    slots = body.temporary()
    body.line(f"{slots} = [None] * 4")
    begin(body, line, slots, 0)
    for position, key in enumerate(line.keys):
        sort(body, line, key, position, slots, 0)
    end(body, line, slots, 0)


def begin(body: Body, line: st.Rank, slots: str, at: int) -> None:
    """Gathers the members."""
    inner, call = loops.lift(body, (line.binding,), "members", line)
    inner.line("r = []")
    with inner.indented(loops.each(inner, line.binding)):
        loops.guard(inner, line.binding.where)
        inner.line(f"r.append({loops.member(inner, line.binding)})")
    inner.line("return tuple(r)")
    body.module.finish(inner)
    body.line(f"ranking({slots}, {at}, {call})")


def sort(body: Body, line: st.Rank, key: st.RankKey, position: int, slots: str, at: int) -> None:  # noqa: PLR0913, PLR0917
    """Judges a plain key of the members that are still equal."""
    body.line(f"x = tied({slots}, {at})")
    with body.indented("if x:"):
        values = _valued(body, line, key, "x", lambda inner: loops.evaluated(inner, key.value))
        body.line(f"part({slots}, {at}, {values}, {position}, {key.best in _HIGH})")


def end(body: Body, line: st.Rank, slots: str, at: int) -> None:
    """Sets the name."""
    place = body.variable(line.variable)
    body.line(f"{place}, x = ranked({slots}, {at})")
    body.site.title, body.site.type = line.variable.name, line.variable.type
    body.note(body.site, place, f"[(k, k in x) for k in range({len(line.keys)})]")


def _valued(body: Body, line: st.Rank, key: st.RankKey, members: str, value: Callable[[Body], str]) -> str:
    """The call of a new function that lists what a key is worth to each of some members."""
    type_ = None if key.dice is not None else ListType(key.value.type)
    inner, call = loops.lift(
        body, (line.binding, key.value, key.dice), "key", key, given=("m", members), title=key.id, type=type_
    )
    inner.line("r = []")
    with inner.indented(f"for {loops.target(inner, line.binding)} in m:"):
        inner.line(f"r.append({value(inner)})")
    inner.line("r = tuple(r)")
    if type_ is not None:
        inner.note(inner.site, "r")
    inner.line("return r")
    body.module.finish(inner)
    return call


# Keys that roll or ask.


def throw(body: Body, exit_: g.Throw, site: Site, flow: Flow) -> None:
    """Asks for the dice of all members that are still equal, if any are."""
    key, at = exit_.key, exit_.slot
    body.line(f"x = tied(F, {at})")
    with body.indented("if not x:"):
        flow.go(body, exit_.then)
    rolls = _valued(body, exit_.line, key, "x", lambda inner: _roll(inner, key))
    body.line(f"p, x = thrown_for(W, x, {rolls})")
    _pend(body, site, flow.number(exit_.resume), "x")


def _roll(inner: Body, key: st.RankKey) -> str:
    return f"({expressions.quietly(inner, key.value)}, {chance.parts(inner, key.dice or (), single=False)})"


def thrown(body: Body, exit_: g.Thrown, site: Site, flow: Flow) -> None:
    """Parts the members by their dice, and throws again for those still equal."""
    key, at = exit_.throw.key, exit_.throw.slot
    body.line("x = fallen_for(W, W[0].reply)")
    with body.indented("if x is None:"):
        body.line(f"F[0] = {flow.number(exit_.throw.resume)}")
        body.line("return -2")
    body.note(site, "None", "(W[0].pending[1], False, x[0])")
    body.line(f"part(F, {at}, x[1], {exit_.throw.position}, {key.best in _HIGH})")
    flow.go(body, exit_.again)


def ask(body: Body, exit_: g.AskRow, site: Site, flow: Flow) -> None:
    """Asks the owner of the next row for its order, if there is one."""
    key, at = exit_.key, exit_.slot
    owners = _valued(body, exit_.line, key, f"F[{at}]", lambda inner: loops.evaluated(inner, key.value))
    body.line(f"x = row(F, {at}, {owners})")
    with body.indented("if x is None:"):
        flow.go(body, exit_.then)
    body.line("p, x = x[0], ('order', x[1], len(x[1]), len(x[1]), None, ())")
    _pend(body, site, flow.number(exit_.resume), "x")


def answered(body: Body, exit_: g.RowOrdered, site: Site, flow: Flow) -> None:
    """Takes the order of a row."""
    body.note(site, "W[0].reply", "(W[0].pending[1], False, ())")
    body.line(f"ordered(F, {exit_.asked.slot}, W[0].reply, {exit_.asked.position})")
    flow.go(body, exit_.again)


def _pend(body: Body, site: Site, resume: int, data: str) -> None:
    body.line(f"W[0].pending = ({site.number}, p, {data})")
    body.line(f"F[0] = {resume}")
    body.line("return -2")
