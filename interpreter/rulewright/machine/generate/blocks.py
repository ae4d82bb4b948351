"""Python for routines that run in frames: a function for each block that something leads to."""

from collections import Counter
from collections.abc import Callable, Iterator

from rulewright.machine import graph as g
from rulewright.machine.generate import asking, chance, changing, decisive, exits, expressions, statements
from rulewright.machine.generate.writer import Body, Module, at
from rulewright.program import declarations as d, statements as st


def blocks(module: Module, graph: g.Flow, base: int) -> None:
    """The blocks of a graph, numbered from `base`; those only one other leads to are written where they belong."""
    _Blocks(module, graph, base).write()


class _Blocks:
    def __init__(self, module: Module, graph: g.Flow, base: int) -> None:
        self._module = module
        self._graph = graph
        self._base = base
        entered = {0, *(self.final(number) for number, block in enumerate(graph.blocks) if block.entered)}
        leads = Counter(self._leads(entered))
        self._shared = entered | {number for number, times in leads.items() if times > 1 and not self._leaves(number)}
        self._reached: list[int] = []
        self._opened = False
        self.sort: str = graph.sort
        self.binds = any(isinstance(item, d.Hold | d.Watch) for block in graph.blocks for item in block.items)

    def _leads(self, entered: set[int]) -> Iterator[int]:
        """The blocks that reachable blocks lead to, each as often as it is led to."""
        seen, waiting = set(entered), list(entered)
        while waiting:
            for target in map(self.final, self._targets(self._graph.blocks[waiting.pop()].exit)):
                yield target
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)

    def _leaves(self, number: int) -> bool:
        """Whether a block only ends the call, so that it may stand wherever something leads there."""
        block = self._graph.blocks[number]
        return not block.items and isinstance(block.exit, g.Leave)

    def _targets(self, exit_: g.Exit) -> list[int]:
        match exit_:
            case g.Question():
                return asking.at_once(exit_)
            case g.Answered(question):
                return asking.after(question, self)
            case g.Chance():
                return chance.at_once(exit_, traced=self._module.traced)
            case g.Fallen(thrown):
                return [thrown.then]
            case _:
                return _targets(exit_)

    def write(self) -> None:
        done: set[int] = set()
        self._reached = [0]
        self._opened = False
        while self._reached:
            number = self._reached.pop()
            if number not in done:
                done.add(number)
                self._function(number)

    def _function(self, number: int) -> None:
        site = self._module.site("line", None, address=self._graph.name, routine=self._graph.key)
        head = f"def b{self._base + number}(W, F):"
        body = Body(self._module, head, framed=True, names={}, site=site)
        body.opened = self._opened
        self._block(body, number)
        self._opened = self._opened or (number == 0 and body.opens)
        self._module.finish(body)

    def _block(self, body: Body, number: int) -> None:
        block = self._graph.blocks[number]
        for item in block.items:
            write_item(body, item)
        exits.leading_on(body, block.exit, self)

    def go(self, body: Body, number: int) -> None:
        """Goes on at a block: in place where nothing else leads there."""
        number = self.final(number)
        if number in self._shared:
            self._reached.append(number)
            body.line(f"return {self._base + number}")
        else:
            with body.aside():
                self._block(body, number)

    def number(self, block: int) -> int:
        """The number of a block that something outside continues at."""
        block = self.final(block)
        self._reached.append(block)
        return self._base + block

    def final(self, number: int) -> int:
        """The block itself, or the one that its empty lines lead to."""
        seen = set()
        while number not in seen:
            seen.add(number)
            block = self._graph.blocks[number]
            match block:
                case g.Block((), g.Goto(following)):
                    number = following
                case g.Block((), g.Arrive(d.Step(guard=None), enter, _)) if not self._module.traced:
                    number = enter
                case g.Block((), g.Jump(_, following, None)) if not self._module.traced:
                    number = following
                case _:
                    break
        return number


def _targets(exit_: g.Exit) -> list[int]:  # noqa: PLR0911
    match exit_:
        case g.Goto(block):
            return [block]
        case g.Fork(_, blocks, otherwise):
            return [*blocks, otherwise]
        case g.Select(_, blocks):
            return list(blocks)
        case g.Arrive(step, enter, skip):
            return [enter] if step.guard is None else [enter, skip]
        case g.NextItem(_, _, body, after) | g.NextPlayer(_, _, body, after) | g.Again(_, _, body, after):
            return [body, after]
        case g.Attempt(_, then, otherwise):
            return [then, otherwise]
        case g.Throw(then=then) | g.AskRow(then=then):
            return [then]
        case g.Thrown(again=again) | g.RowOrdered(again=again):
            return [again]
        case g.Jump(_, block, _):
            return [block]
        case _:
            return []


def write_item(body: Body, each: g.Item) -> None:  # noqa: C901 - one case for each sort
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
    with at(body, "line", line), decisive.line(body, line):
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
    body.line(f"F[{slot}] = {statements.iterated(body, line.binding.source, source)}")
    body.line(f"F[{slot + 1}] = 0")
    statements.already_gone(body, line, f"F[{slot}]", f"F[{slot + 2}]")
    body.note(body.site, f"F[{slot}]")


def _repeat_start(body: Body, line: st.Repeat, slot: int) -> None:
    body.line(f"F[{slot}] = {expressions.expression(body, line.bound)}")
    body.line(f"F[{slot + 1}] = 0")
    body.note(body.site, f"F[{slot}]")
