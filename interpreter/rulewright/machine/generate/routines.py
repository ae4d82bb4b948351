"""Python for routines: plain functions, and blocks of those that run in frames."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from rulewright.machine import graph as g
from rulewright.machine.framing import Routine, key
from rulewright.machine.generate import (
    asking,
    chance,
    changing,
    conditions,
    expressions,
    ranking,
    statements,
    visiting,
    writing,
)
from rulewright.machine.generate.writer import Body, Module
from rulewright.machine.site import Site
from rulewright.program import declarations as d
from rulewright.program import statements as st
from rulewright.program.expressions import Variable


def plain(module: Module, routine: Routine, steps: tuple[str, str] | None = None) -> None:
    """A routine that never suspends, or a range of its steps, as one function."""
    name = statements.plain_key(key(routine), steps)
    parameters = _parameters(module, routine)
    names = {each.index: f"v{each.index}" for each in routine.variables}
    head = f"def p{module.routines[name]}({', '.join(('W', *(names[each.index] for each in parameters)))}):"
    body = Body(module, head, framed=False, names=names, site=module.site("line", routine, routine=name))
    own = [each for each in routine.variables if each not in parameters]
    if own:
        body.line(" = ".join(names[each.index] for each in own) + " = None")
    if isinstance(routine, d.Procedure):
        _plain_procedure(body, routine, steps)
    else:
        statements.lines(body, routine.block)
    body.line("return None")
    module.finish(body)


def _parameters(module: Module, routine: Routine) -> tuple[Variable, ...]:
    match routine:
        case d.Procedure():
            return routine.parameters
        case d.Handler():
            count = len(module.program.events[routine.event].parameters)
            return (*routine.variables[:count], *(each for each in routine.binding.variables if each))
        case d.StandingRule():
            return tuple(each for each in routine.binding.variables if each) if routine.binding else ()


def _plain_procedure(body: Body, procedure: d.Procedure, steps: tuple[str, str] | None) -> None:
    for each in procedure.opening:
        if isinstance(each, d.Need):
            conditions.need(body, each, body.site.routine)
        elif isinstance(each, tuple):
            statements.lines(body, each)
    ids = [each.id for each in procedure.steps]
    first, last = (0, len(ids)) if steps is None else (ids.index(steps[0]), ids.index(steps[1]) + 1)
    for step in procedure.steps[first:last]:
        test = arrive(body, step)
        with body.indented(f"if {test}:"):
            statements.lines(body, step.block)


def arrive(body: Body, step: d.Step) -> str:
    """Judges the guard of a step; returns Python for whether it is entered."""
    site = body.module.site("step", step, line=True, routine=body.site.routine)
    with body.at(site):
        body.begin()
        test = "True" if step.guard is None else conditions.condition(body, step.guard)
        body.note(site, test)
    return test


def flow(module: Module, graph: g.Flow, base: int) -> None:
    """The blocks of a graph, numbered from `base`; those only one other leads to are written where they belong."""
    _Flow(module, graph, base).write()


class _Flow:
    def __init__(self, module: Module, graph: g.Flow, base: int) -> None:
        self._module = module
        self._graph = graph
        self._base = base
        leads = [self._final(target) for block in graph.blocks for target in _targets(block.exit)]
        self._shared = {
            number
            for number, block in enumerate(graph.blocks)
            if block.entered or number == 0 or leads.count(number) > 1
        } | {self._final(number) for number, block in enumerate(graph.blocks) if block.entered}
        self._reached: list[int] = []
        self._binds = any(isinstance(item, d.Hold | d.Watch) for block in graph.blocks for item in block.items)

    def write(self) -> None:
        done: set[int] = set()
        self._reached = [0]
        while self._reached:
            number = self._reached.pop()
            if number not in done:
                done.add(number)
                self._function(number)

    def _function(self, number: int) -> None:
        site = self._module.site("line", None, address=self._graph.name, routine=self._graph.key)
        head = f"def b{self._base + number}(W, F):"
        body = Body(self._module, head, framed=True, names={}, site=site)
        self._block(body, number)
        self._module.finish(body)

    def _block(self, body: Body, number: int) -> None:
        block = self._graph.blocks[number]
        for item in block.items:
            self._item(body, item)
        self._exit(body, block.exit)

    def go(self, body: Body, number: int) -> None:
        """Goes on at a block: in place where nothing else leads there."""
        number = self._final(number)
        if number in self._shared:
            self._reached.append(number)
            body.line(f"return {self._base + number}")
        else:
            self._block(body, number)

    def number(self, block: int) -> int:
        """The number of a block that something outside continues at."""
        block = self._final(block)
        self._reached.append(block)
        return self._base + block

    def _final(self, number: int) -> int:
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
                case _:
                    break
        return number

    # Items.

    def _item(self, body: Body, item: g.Item) -> None:  # noqa: C901 - one case for each sort
        routine = self._graph.key
        match item:
            case d.Need():
                conditions.need(body, item, routine)
            case d.Hold():
                rules = [list(self._module.program.rules).index(each) for each in item.rules]
                body.line(f"hold(W, F, {tuple(rules)})")
            case d.Watch():
                body.line(f"watch(W, F, {self._watch(item)})")
            case g.Changes(line):
                self._line(body, line, lambda: changing.change(body, line))
            case g.LoopStart(loop, slot):
                self._line(body, loop, lambda: self._loop_start(body, loop, slot))
            case g.RepeatStart(repeat, slot):
                self._line(body, repeat, lambda: self._repeat_start(body, repeat, slot))
            case g.RankStart() | g.RankSort() | g.RankEnd():
                self._line(body, item.line, lambda: self._rank(body, item))
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
                self._line(body, line, lambda: asking.revealed(body, line.answers))
            case _:
                statements.statement(body, item)

    def _rank(self, body: Body, item: g.RankStart | g.RankSort | g.RankEnd) -> None:
        match item:
            case g.RankStart(line, slot):
                ranking.begin(body, line, "F", slot)
            case g.RankSort(line, position, slot):
                ranking.sort(body, line, line.keys[position], position, "F", slot)
            case g.RankEnd(line, slot):
                ranking.end(body, line, "F", slot)

    def _line(self, body: Body, line: st.Statement, write: Callable[[], None]) -> None:
        with body.at(self._module.site("line", line, line=True, routine=self._graph.key)):
            body.begin()
            write()

    def _watch(self, watch: d.Watch) -> str:
        module = self._module
        module.watches.append(watch.event)
        number = len(module.watches) - 1
        names = [f"a{position}" for position in range(len(watch.parameters))]
        site = module.site("watch", watch, line=True, routine=self._graph.key)
        body = Body(module, f"def w{number}({', '.join(('W', 'F', *names))}):", framed=True, names={}, site=site)
        for name, parameter in zip(names, watch.parameters, strict=True):
            body.line(f"{body.variable(parameter)} = {name}")
        body.begin()
        if watch.guard is not None:
            test = conditions.condition(body, watch.guard)
            with body.indented(f"if not {test}:"):
                body.line("del T[len(T):]" if body.traced else "pass")
                body.line("return")
        body.note(site, "True", f"({''.join(f'{each}, ' for each in names)})")
        statements.lines(body, watch.block)
        module.finish(body)
        return str(number)

    def _loop_start(self, body: Body, line: st.ForEach, slot: int) -> None:
        source = expressions.expression(body, line.binding.source)
        body.line(f"F[{slot}] = {visiting.iterated(line.binding.source, source)}")
        body.line(f"F[{slot + 1}] = 0")
        visiting.already_gone(body, line, f"F[{slot}]", f"F[{slot + 2}]")
        body.note(body.site, f"F[{slot}]")

    def _repeat_start(self, body: Body, line: st.Repeat, slot: int) -> None:
        body.line(f"F[{slot}] = {expressions.expression(body, line.bound)}")
        body.line(f"F[{slot + 1}] = 0")
        body.note(body.site, f"F[{slot}]")

    # Exits.

    def _exit(self, body: Body, exit_: g.Exit) -> None:  # noqa: C901, PLR0912, PLR0915
        match exit_:
            case g.Goto(block):
                self.go(body, block)
            case g.Fork():
                self._fork(body, exit_)
            case g.Select():
                self._select(body, exit_)
            case g.Arrive(step, enter, skip):
                test = arrive(body, step)
                if test != "True":
                    with body.indented(f"if not {test}:"):
                        self.go(body, skip)
                self.go(body, enter)
            case g.NextItem():
                self._next_item(body, exit_)
            case g.NextPlayer():
                self._next_player(body, exit_)
            case g.Again():
                self._again(body, exit_)
            case g.Attempt():
                self._attempt(body, exit_)
            case g.Settle(then, closes):
                if closes is not None:
                    body.line("W[2] -= 1")
                    body.line("W[0].together -= 1")
                target = self.number(then)
                with body.indented("if W[1] and not W[2] or W[0].removals and not W[0].together:"):
                    body.line(f"F[0] = {target}")
                    body.line("return settling(W)")
                body.line(f"return {target}")
            case g.Question():
                with self._at(body, "answer", exit_.line) as site:
                    site.asks = asking.sort(exit_.line)
                    asking.question(body, exit_, site, self)
            case g.Answered(question):
                with self._at(body, "answer", question.line) as site:
                    asking.answered(body, question, site, self)
            case g.Chance():
                with self._at(body, "roll", exit_.line) as site:
                    site.asks = chance.SORTS[type(exit_.line)]
                    chance.thrown(body, exit_, site, self)
            case g.Fallen(thrown):
                with self._at(body, "roll", thrown.line) as site:
                    chance.fallen(body, thrown, site, self)
            case g.Throw():
                with self._at(body, "roll", exit_.key) as site:
                    site.asks = "roll"
                    site.title, site.type = exit_.line.variable.name, exit_.line.variable.type
                    ranking.throw(body, exit_, site, self)
            case g.Thrown(throw):
                with self._at(body, "roll", throw.key) as site:
                    ranking.thrown(body, exit_, site, self)
            case g.AskRow():
                with self._at(body, "answer", exit_.key) as site:
                    site.asks, site.type = "order", exit_.line.variable.type
                    ranking.ask(body, exit_, site, self)
            case g.RowOrdered(asked):
                with self._at(body, "answer", asked.key) as site:
                    site.type = asked.line.variable.type
                    ranking.answered(body, exit_, site, self)
            case g.Invoke():
                with self._at(body, "call", exit_.line):
                    self._invoke(body, exit_)
            case g.Elsewhere():
                with self._at(body, "external", exit_.line) as site:
                    site.asks = "external"
                    self._elsewhere(body, exit_)
            case g.Delivered(elsewhere):
                with self._at(body, "external", elsewhere.line):
                    self._delivered(body, elsewhere)
            case g.Window():
                with self._at(body, "window", exit_.line):
                    self._window(body, exit_)
            case g.Jump():
                with self._at(body, "line", exit_.line):
                    self._jump(body, exit_)
            case g.Leave(line):
                self._leave(body, line)
            case g.Unwind(line):
                with self._at(body, "line", line):
                    value = "None" if line.value is None else expressions.expression(body, line.value)
                    body.line(f"r = {value}")
                    body.note(body.site, "r")
                    body.line(f"return unwind(W, {body.module.constant(line.procedure)}, r)")

    def _at(self, body: Body, sort: str, line: st.Statement | st.RankKey) -> AbstractContextManager[Site]:
        body.begin()
        return body.at(self._module.site(sort, line, line=True, routine=self._graph.key))

    def _fork(self, body: Body, fork: g.Fork) -> None:
        for branch, block in zip(fork.line.branches, fork.blocks, strict=True):
            test = conditions.tested(body, branch.condition, fork.line, cites=branch.cites)
            with body.indented(f"if {test}:"):
                self.go(body, block)
        self.go(body, fork.otherwise)

    def _select(self, body: Body, select: g.Select) -> None:
        subject = body.temporary()
        with self._at(body, "line", select.line):
            body.line(f"{subject} = {expressions.expression(body, select.line.subject)}")
            body.note(body.site, subject)
        for case, block in zip(select.line.cases, select.blocks, strict=True):
            values = ", ".join(expressions.quietly(body, each) for each in case.values)
            with body.indented(f"if {subject} in ({values},):"):
                self.go(body, block)
        body.line("uncovered()")

    def _next_item(self, body: Body, exit_: g.NextItem) -> None:
        line, slot = exit_.line, exit_.slot
        names = ["_" if each is None else body.variable(each) for each in line.binding.variables]
        body.line(f"k = F[{slot + 1}]")
        with body.indented(f"while k < len(F[{slot}]):"):
            body.line(f"{', '.join(names)} = F[{slot}][k]")
            body.line("k += 1")
            self._pass_over(body, line, names, slot)
            body.line(f"F[{slot + 1}] = k")
            self.go(body, exit_.body)
        body.line(f"F[{slot}] = F[{slot + 1}] = F[{slot + 2}] = None")
        self.go(body, exit_.after)

    def _pass_over(self, body: Body, line: st.ForEach, names: list[str], slot: int) -> None:
        site = self._module.site("skipped", line, line=True, routine=self._graph.key)
        member = names[0] if len(names) == 1 else f"({', '.join(names)})"
        kind = visiting.visited_kind(line.binding.source)
        if kind is not None and visiting.may_remove(body, line.block):
            with body.indented(f"if W[{self._module.places.gone[kind]}][{member}] and {member} not in F[{slot + 2}]:"):
                body.begin()
                body.note(site, member)
                body.line("continue")
        if line.binding.where is not None:
            with body.at(site):
                body.begin()
                test = conditions.condition(body, line.binding.where)
                with body.indented(f"if not {test}:"):
                    body.note(site, member)
                    if self._module.framing.wanting:
                        body.line(f"F[{slot + 1}] = k")
                    body.line("continue")

    def _next_player(self, body: Body, exit_: g.NextPlayer) -> None:
        slot = exit_.slot
        with body.indented(f"if F[{slot + 1}] < len(F[{slot}]):"):
            body.line(f"{asking.player(body, exit_.line)} = F[{slot}][F[{slot + 1}]]")
            body.line(f"F[{slot + 1}] += 1")
            self.go(body, exit_.body)
        body.line(f"F[{slot}] = F[{slot + 1}] = None")
        self.go(body, exit_.after)

    def _again(self, body: Body, exit_: g.Again) -> None:
        test = conditions.tested(body, exit_.line.condition, exit_.line)
        with body.indented(f"if not {test}:"):
            body.line(f"F[{exit_.slot}] = F[{exit_.slot + 1}] = None")
            self.go(body, exit_.after)
        with body.indented(f"if F[{exit_.slot + 1}] >= F[{exit_.slot}]:"):
            body.line(f"too_often(F[{exit_.slot}])")
        body.line(f"F[{exit_.slot + 1}] += 1")
        self.go(body, exit_.body)

    def _attempt(self, body: Body, exit_: g.Attempt) -> None:
        with self._at(body, "line", exit_.line):
            target, room = changing.amount(body, exit_.line)
            with body.indented(f"if {room or 'True'}:"):
                writing.write(body, target, "z")
                self.go(body, exit_.then)
            body.note(body.site)
        self.go(body, exit_.otherwise)

    def _invoke(self, body: Body, exit_: g.Invoke) -> None:
        line, module = exit_.line, self._module
        name = statements.plain_key(f"procedure:{line.procedure}", line.steps)
        procedure = module.program.procedures[line.procedure]
        body.site.title = procedure.title
        given = "".join(f"{expressions.expression(body, each)}, " for each in line.arguments)
        body.line(f"x = ({given})")
        if line.depth is not None:
            body.line(f"nested(W, {body.site.number}, {expressions.expression(body, line.depth)})")
        body.note(body.site, "None", "x")
        then = self.number(exit_.then)
        dest = 0 if line.result is None else g.FIRST_SLOT + line.result.index
        body.line(f"F[0] = {then}")
        body.line(f"return call(W, {module.flows[name]}, {body.site.number}, {dest}, x)")

    def _elsewhere(self, body: Body, exit_: g.Elsewhere) -> None:
        given = "".join(f"{expressions.expression(body, each)}, " for each in exit_.line.arguments)
        body.line(f"W[0].pending = ({body.site.number}, None, ({given}))")
        body.line(f"F[0] = {self.number(exit_.resume)}")
        body.line("return -2")

    def _delivered(self, body: Body, exit_: g.Elsewhere) -> None:
        external = self._module.program.external_procedures[exit_.line.external]
        body.site.type = external.result
        body.line("r = delivered(W)")
        if exit_.line.result is not None:
            body.line(f"{body.variable(exit_.line.result)} = r")
        body.note(body.site, "r", "W[0].pending[2]")
        then = self.number(exit_.then)
        body.line(f"F[0] = {then}")
        with body.indented("if W[1] and not W[2]:"):
            body.line("return settling(W)")
        body.line(f"return {then}")

    def _window(self, body: Body, exit_: g.Window) -> None:
        line = exit_.line
        body.line(f"F[0] = {self.number(exit_.then)}")
        if isinstance(line, st.Remove):
            events = self._module.constant(tuple(each for each in line.events if each in self._module.framing.windows))
            body.line(f"return removal(W, {events}, {body.site.number})")
            return
        event = self._module.constant(line.event)
        given = "".join(f"{expressions.expression(body, each)}, " for each in line.arguments)
        body.line(f"x = ({given})")
        dest = 0 if line.result is None else g.FIRST_SLOT + line.result.index
        body.note(body.site, "None", "x")
        body.line(f"return window(W, {event}, {body.site.number}, {dest}, x)")

    def _jump(self, body: Body, exit_: g.Jump) -> None:
        if exit_.slot is not None and isinstance(exit_.line, st.Proceed) and exit_.line.bound is not None:
            body.line(f"F[{exit_.slot}] = (F[{exit_.slot}] or 0) + 1")
            bound = expressions.expression(body, exit_.line.bound)
            with body.indented(f"if F[{exit_.slot}] > {bound}:"):
                body.line(f"jumped_too_often(F[{exit_.slot}])")
        body.note(body.site)
        self.go(body, exit_.block)

    def _leave(self, body: Body, line: st.Finish | None) -> None:
        value = "None" if line is None or line.value is None else "r"
        if line is not None:
            with self._at(body, "line", line):
                if line.value is not None:
                    body.line(f"r = {expressions.expression(body, line.value)}")
                body.note(body.site, value)
        if self._graph.sort == "handler" and line is not None and line.value is not None:
            value = f"({value},)"
        light = self._graph.sort == "procedure" and not self._binds
        body.line(f"return {'back' if light else 'leave'}(W, {value})")


def _targets(exit_: g.Exit) -> list[int]:  # noqa: C901, PLR0911, PLR0912
    match exit_:
        case g.Goto(block):
            return [block]
        case g.Fork(_, blocks, otherwise):
            return [*blocks, otherwise]
        case g.Select(_, blocks):
            return list(blocks)
        case g.Arrive(_, enter, skip):
            return [enter, skip]
        case g.NextItem(_, _, body, after) | g.NextPlayer(_, _, body, after) | g.Again(_, _, body, after):
            return [body, after]
        case g.Attempt(_, then, otherwise):
            return [then, otherwise]
        case g.Question(then=then, otherwise=otherwise, options=options):
            return [then, otherwise, *options]
        case g.Answered(question):
            return [question.then, question.otherwise, *question.options]
        case g.Chance(then=then, otherwise=otherwise):
            return [then, otherwise]
        case g.Fallen(chance_):
            return [chance_.then, chance_.otherwise]
        case g.Throw(then=then) | g.AskRow(then=then):
            return [then]
        case g.Thrown(again=again) | g.RowOrdered(again=again):
            return [again]
        case g.Jump(_, block, _):
            return [block]
        case _:
            return []
