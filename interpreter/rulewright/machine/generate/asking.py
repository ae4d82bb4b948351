"""Python for decisions: forced, impossible, or left as a request, and taken up again with the answer.

What is legal is computed in a function of its own, whose record is thrown away: a trace shows the answer.
"""

from rulewright.machine import graph as g
from rulewright.machine.generate import decisive, explaining, expressions, loops, places_sought
from rulewright.machine.generate.writer import Body, Flow
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.source_point import CLAIMED, Site
from rulewright.program import statements as st
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.plane import ANGLE
from rulewright.program.types import DirectionType, SetType

SORTS: dict[type, str] = {
    st.Whether: "whether",
    st.OneOf: "one",
    st.Choose: "choose",
    st.Pick: "pick",
    st.Split: "split",
    st.Order: "order",
    st.TurnHow: "turn",
    st.PlaceWhere: "place",
}


def sort(line: st.Ask) -> str:
    """The sort of the request that a line makes."""
    return "heading" if isinstance(line.shape, st.TurnHow) and line.variable.type == ANGLE else SORTS[type(line.shape)]


def question(body: Body, exit_: g.Question, site: Site, flow: Flow) -> None:
    """Asks, where there is something to ask."""
    line = exit_.line
    place = body.variable(line.variable)
    site.title, site.type = line.prompt, line.variable.type
    site.policies = {each.player: (each.word, _worth(body, line, each)) for each in line.policies}
    if body.traced:
        explaining.explained(body, line)
    body.line(f"p = {expressions.quietly(body, line.who)}")
    match line.shape:
        case st.Whether(guard):
            if guard is not None:
                _declined(body, exit_, site, flow, guard)
            body.pend(flow.number(exit_.resume), "()")
        case st.OneOf(binding):
            body.line(f"m = {candidates(body, line, binding, line.demands)}")
            _unless_settled(body, exit_, site, flow, place, _LISTED)
        case st.Choose(options):
            possible(body, options)
            _forced_option(body, exit_, site, flow, place)
            _impossible(body, exit_, site, flow, "not m")
            body.pend(flow.number(exit_.resume), "tuple(m)")
        case st.Pick() | st.Split() | st.Order():
            body.line(f"s, a, m = {searched(body, line)}")
            _unless_settled(body, exit_, site, flow, place, _SEARCHED)
        case st.TurnHow() if sort(line) == "turn" and line.demands:
            body.line(f"m = allowed(W, F, {turns(body, line)}, {judges(body, line)})")
            _unless_settled(body, exit_, site, flow, place, _LISTED)
        case st.TurnHow() if sort(line) == "turn":
            body.pend(flow.number(exit_.resume), turns(body, line))
        case st.PlaceWhere() | st.TurnHow():
            body.pend(flow.number(exit_.resume), places_sought.asked(body, line, judges(body, line)))


def at_once(exit_: g.Question) -> list[int]:
    """The blocks that a question may go on at without an answer, as often as each is written there."""
    line = exit_.line
    impossible = [] if line.otherwise is None else [exit_.otherwise]
    match line.shape:
        case st.Whether(guard):
            return [] if guard is None else [exit_.otherwise]
        case st.Choose():
            return [*exit_.options, *impossible]
        case st.TurnHow() | st.PlaceWhere() if sort(line) != "turn" or not line.demands:
            return []
        case _:
            return [exit_.then, *impossible]


def after(exit_: g.Question, flow: Flow) -> list[int]:
    """The blocks that a question may go on at after an answer, as often as each is written there."""
    line = exit_.line
    match line.shape:
        case st.Whether():
            same = flow.final(exit_.then) == flow.final(exit_.otherwise)
            return [exit_.otherwise] if same else [exit_.then, exit_.otherwise]
        case st.Choose():
            return list(exit_.options)
        case _:
            return [exit_.then, *([exit_.otherwise] if claimable(line) and line.otherwise is not None else [])]


def turns(body: Body, line: st.Ask) -> str:
    """All directions of the grid that a thing turns on."""
    found = line.variable.type
    return body.module.constant(tuple(range(found.count)) if isinstance(found, DirectionType) else ())


def player(body: Body, line: st.AskAll) -> str:
    """The Python name of the player who is being asked."""
    variable = line.players.variables[0]
    assert variable is not None
    return body.variable(variable)


def none_yet(body: Body, line: st.AskAll) -> None:
    """Begins the answers to a question to all; the answer of a player who is not asked reads as none."""
    body.line(f"{body.variable(line.answers)} = Map(None, {{}})")


def gathered(body: Body, line: st.AskAll) -> None:
    """Adds the answer of one player to those of all, and clears the names of answer and player."""
    answers, answer = body.variable(line.answers), body.variable(line.question.variable)
    body.line(f"{answers} = {answers}.put({player(body, line)}, {answer})")
    body.line(f"{answer} = {player(body, line)} = None")


def revealed(body: Body, variable: Variable) -> None:
    """Records an answer that was hidden up to here."""
    body.site.sort, body.site.title, body.site.type = "revealed", variable.name, variable.type
    body.note(body.site, body.variable(variable))
    body.line("pass")


def searched(body: Body, line: st.Ask) -> str:
    """The call that judges a pick, split or order: the outcome, a forced answer, the data of the request."""
    frame = "F" if body.framed else "None"
    match line.shape:
        case st.Pick(low, high, binding):
            body.line(f"m = {candidates(body, line, binding, ())}")
            bounds = f"{expressions.expression(body, low)}, {expressions.expression(body, high)}"
            return f"pick(W, {frame}, m, {bounds}, {judges(body, line)})"
        case st.Split(amount, over):
            given = f"{expressions.expression(body, over)}, {expressions.expression(body, amount)}"
            return f"split(W, {frame}, {given}, {judges(body, line)})"
        case st.Order(items):
            return f"order(W, {frame}, {expressions.expression(body, items)}, {judges(body, line)})"
        case _:
            raise AssertionError(line.shape)


def answered(body: Body, exit_: g.Question, site: Site, flow: Flow) -> None:
    """Takes an answer."""
    line = exit_.line
    place = body.variable(line.variable)
    site.title, site.type = line.prompt, line.variable.type
    body.line(f"{place} = a = W[0].reply")
    if claimable(line):
        _claimed(body, exit_, site, flow)
    with decisive.left_out(body):
        body.note(site, "a", "(W[0].pending[1], False, W[0].pending[2])")
    match line.shape:
        case st.Whether():
            if flow.final(exit_.then) != flow.final(exit_.otherwise):
                with body.indented("if a:"):
                    flow.go(body, exit_.then)
            flow.go(body, exit_.otherwise)
        case st.Choose(options):
            for option, block in zip(options[:-1], exit_.options, strict=False):
                with body.indented(f"if a == {body.module.constant(option.id)}:"):
                    flow.go(body, block)
            flow.go(body, exit_.options[-1])
        case _:
            flow.go(body, exit_.then)


def claimable(line: st.Ask) -> bool:
    """Whether a player may claim that there is no legal answer."""
    return sort(line) in CLAIMED and any(not each.prefer for each in line.demands)


def _claimed(body: Body, exit_: g.Question, site: Site, flow: Flow) -> None:
    with body.indented("if a is None:"):
        if exit_.line.otherwise is None:
            body.line(f"no_answer({body.module.constant(exit_.line.prompt)})")
        else:
            body.note(site, "None", "(W[0].pending[1], False, ())")
            flow.go(body, exit_.otherwise)


def _impossible(body: Body, exit_: g.Question, site: Site, flow: Flow, test: str) -> None:
    with body.indented(f"if {test}:"):
        if exit_.line.otherwise is None:
            body.line(f"no_answer({body.module.constant(exit_.line.prompt)})")
        else:
            body.note(site, "None", f"(p, True, (), {explaining.turned_down(body, exit_.line)})")
            flow.go(body, exit_.otherwise)


def _declined(body: Body, exit_: g.Question, site: Site, flow: Flow, guard: Expression) -> None:
    """*No* without a question, where the guard is false."""
    with body.indented(f"if not {expressions.expression(body, guard)}:"):
        if body.traced:
            with body.indented(f"if {body.insisted}:"):
                body.pend(flow.number(exit_.resume), "(False,)")
        body.line(f"{body.variable(exit_.line.variable)} = False")
        body.note(site, "False", f"(p, True, (False,), {explaining.turned_down(body, exit_.line)})")
        flow.go(body, exit_.otherwise)


_LISTED = "len(m) == 1", "m[0]", "m", "not m", "tuple(m)"
_SEARCHED = "s == 1", "a", "(a,)", "s == 0", "m"
"""Where one answer is left, that answer, all in a tuple, where none is, and what waits for an answer."""


def _unless_settled(  # noqa: PLR0913, PLR0917 - what a question is written from
    body: Body, exit_: g.Question, site: Site, flow: Flow, place: str, words: tuple[str, str, str, str, str]
) -> None:
    settled, answer, every, impossible, waits = words
    with body.indented(body.unless_insisted(settled)):
        body.line(f"{place} = {answer}")
        body.note(site, answer, f"(p, True, {every}, {explaining.turned_down(body, exit_.line)})")
        flow.go(body, exit_.then)
    _impossible(body, exit_, site, flow, impossible)
    body.pend(flow.number(exit_.resume), waits)


def possible(body: Body, options: tuple[st.Option, ...]) -> None:
    """Lines that collect in `m` the ids of the options whose guard holds."""
    body.line("m = []")
    for option in options:
        name = body.module.constant(option.id)
        if option.guard is None:
            body.line(f"m.append({name})")
        else:
            with body.indented(f"if {expressions.expression(body, option.guard)}:"):
                body.line(f"m.append({name})")


def _forced_option(body: Body, exit_: g.Question, site: Site, flow: Flow, place: str) -> None:
    line = exit_.line
    with body.indented(body.unless_insisted("len(m) == 1")):
        body.line(f"{place} = a = m[0]")
        body.note(site, "a", f"(p, True, m, {explaining.turned_down(body, exit_.line)})")
        options = line.shape.options if isinstance(line.shape, st.Choose) else ()
        for option, block in zip(options, exit_.options, strict=True):
            with body.indented(f"if a == {body.module.constant(option.id)}:"):
                flow.go(body, block)


def candidates(body: Body, line: st.Ask, binding: Binding, demands: tuple[st.Demand, ...]) -> str:
    """The call of a function that lists the members that pass `where` and the demands, `require` before `prefer`."""
    if loops.whole(binding) and not demands and isinstance(binding.source.type, SetType):
        return expressions.quietly(body, binding.source)
    required = [each for each in demands if not each.prefer]
    preferred = [each for each in demands if each.prefer]
    inner, call = loops.lift(body, (binding, *required, *preferred), "legal", line)
    members = loops.each(inner, binding)
    places_sought.quiet(inner)
    inner.line("r = []")
    with inner.indented(members):
        loops.guard(inner, binding.where)
        for row in required:
            with inner.indented(f"if not {expressions.held(inner, row)}:"):
                inner.line("continue")
        inner.line(f"r.append({loops.member(inner, binding)})")
    if not isinstance(binding.source.type, SetType):
        inner.line("r = once(r)")
    for row in preferred:
        inner.line("x = []")
        member = loops.member(inner, binding)
        with inner.indented(f"for {member} in r:"), inner.indented(f"if {expressions.held(inner, row)}:"):
            inner.line(f"x.append({member})")
        with inner.indented("if x:"):
            inner.line("r = x")
    inner.forget()
    inner.line("return r")
    body.module.finish(inner)
    return call


def judges(body: Body, line: st.Ask) -> str:
    """Names of functions that judge a whole answer: one for all `require` rows, and one for each `prefer` row."""
    required = [each for each in line.demands if not each.prefer]
    preferred = [each for each in line.demands if each.prefer]
    names = [_judge(body, line, required)] if required else ["None"]
    names += [_judge(body, line, [each]) for each in preferred]
    return f"{names[0]}, ({''.join(f'{each}, ' for each in names[1:])})"


def _judge(body: Body, line: st.Ask, rows: list[st.Demand]) -> str:
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.site("legal", line, address=body.site.address, routine=body.site.routine)
    inner = Body(module, f"def {name}(W, F, a):", framed=True, names={}, site=site)
    places_sought.quiet(inner)
    inner.line(f"F[{FIRST_SLOT + line.variable.index}] = a")
    inner.line("r = None")
    for position, row in enumerate(line.demands):
        if row in rows:
            with inner.indented(f"if r is None and not {expressions.held(inner, row)}:"):
                inner.line(f"r = {position}")
    inner.line(f"F[{FIRST_SLOT + line.variable.index}] = None")
    inner.forget()
    inner.line("return r")
    module.finish(inner)
    return repr(name)


def _worth(body: Body, line: st.Ask, policy: st.QuestionPolicy) -> str:
    """The name of a function that says what an answer is worth to a policy; empty where the policy does not ask.

    It puts the answer where its name lies; whoever calls it puts back what lay there.
    """
    if policy.worth is None:
        return ""
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.site("legal", line, address=body.site.address, routine=body.site.routine)
    inner = Body(module, f"def {name}(W, F, a):", framed=True, names={}, site=site)
    places_sought.quiet(inner)
    place = inner.variable(line.variable)
    inner.line(f"{place} = a")
    inner.line(f"r = {expressions.expression(inner, policy.worth)}")
    inner.forget()
    inner.line("return r")
    module.finish(inner)
    return name
