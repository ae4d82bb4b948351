"""Python for the items of blocks: lines that go through without a question, and where loops begin."""

from collections.abc import Callable

from rulewright.machine import graph as g
from rulewright.machine.generate import asking, chance, changing, decisive, expressions, statements
from rulewright.machine.generate.writer import Body
from rulewright.program import declarations as d
from rulewright.program import statements as st


def item(body: Body, each: g.Item) -> None:  # noqa: C901 - one case for each sort
    """An item of a block; what follows it is written after it."""
    match each:
        case d.Need():
            statements.need(body, each, body.site.routine)
        case d.Hold():
            rules = [list(body.module.program.rules).index(rule) for rule in each.rules]
            body.line(f"hold(W, F, {tuple(rules)})")
        case d.Watch():
            body.line(f"watch(W, F, {_watch(body, each)})")
        case g.Changes(line):
            _line(body, line, lambda: changing.change(body, line))
        case g.LoopStart(loop, slot):
            _line(body, loop, lambda: _loop_start(body, loop, slot))
        case g.RepeatStart(repeat, slot):
            _line(body, repeat, lambda: _repeat_start(body, repeat, slot))
        case g.RankStart() | g.RankSort() | g.RankEnd():
            _line(body, each.line, lambda: _rank(body, each))
        case g.OpenTogether():
            body.line("W[2] += 1")
            body.line("W[0].together += 1")
        case g.AllStart(line, slot):
            body.line(f"F[{slot}] = {expressions.quietly(body, line.players.source)}")
            body.line(f"F[{slot + 1}] = 0")
            asking.none_yet(body, line)
        case g.Gathered(line):
            asking.gathered(body, line)
        case g.Shown(line):
            _line(body, line, lambda: asking.revealed(body, line.answers))
        case _:
            statements.statement(body, each)


def _rank(body: Body, item: g.RankStart | g.RankSort | g.RankEnd) -> None:
    match item:
        case g.RankStart(line, slot):
            chance.begin(body, line, "F", slot)
        case g.RankSort(line, position, slot):
            chance.sort(body, line, line.keys[position], position, "F", slot)
        case g.RankEnd(line, slot):
            chance.end(body, line, "F", slot)


def _line(body: Body, line: st.Statement, write: Callable[[], None]) -> None:
    with body.at(body.module.site("line", line, line=True, routine=body.site.routine)), decisive.line(body, line):
        body.begin()
        write()


def _watch(around: Body, watch: d.Watch) -> str:
    module = around.module
    module.watches.append(watch.event)
    number = len(module.watches) - 1
    names = {each.index: f"v{each.index}" for each in watch.parameters}
    site = module.site("watch", watch, line=True, routine=around.site.routine)
    head = f"def w{number}({', '.join(('W', 'F', *names.values()))}):"
    body = Body(module, head, framed=True, names=names, site=site)
    if watch.guard is not None:
        with decisive.left_out(body):
            test = statements.condition(body, watch.guard)
        with body.indented(f"if not {test}:"):
            body.line("return")
    with decisive.left_out(body):
        body.note(site, "True", f"({''.join(f'{each}, ' for each in names.values())})")
    statements.lines(body, watch.block)
    module.finish(body)
    return str(number)


def _loop_start(body: Body, line: st.ForEach, slot: int) -> None:
    source = expressions.expression(body, line.binding.source)
    body.line(f"F[{slot}] = {statements.iterated(line.binding.source, source)}")
    body.line(f"F[{slot + 1}] = 0")
    statements.already_gone(body, line, f"F[{slot}]", f"F[{slot + 2}]")
    body.note(body.site, f"F[{slot}]")


def _repeat_start(body: Body, line: st.Repeat, slot: int) -> None:
    body.line(f"F[{slot}] = {expressions.expression(body, line.bound)}")
    body.line(f"F[{slot + 1}] = 0")
    body.note(body.site, f"F[{slot}]")
