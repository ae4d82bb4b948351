"""Python for requests that are answered on the spot, in programs that run straight through.

`W[0].ask(site, player, data)` gives the answer; the rest is as in `asking` and `chance`.
"""

from rulewright.machine.generate import asking, chance, expressions, places_sought, statements
from rulewright.machine.generate.writer import Body
from rulewright.program import statements as st


def ask(body: Body, line: st.Ask) -> None:
    """A decision with what follows from it."""
    site, place = body.site, body.variable(line.variable)
    site.sort, site.title, site.type = "answer", line.prompt, line.variable.type
    site.asks = asking.sort(line)
    body.line(f"p = {expressions.quietly(body, line.who)}")
    match line.shape:
        case st.Whether(guard):
            _whether(body, place, "True" if guard is None else expressions.expression(body, guard))
            follow(body, place, line.block, line.otherwise)
        case st.PlaceWhere() | st.TurnHow() if site.asks != "turn":
            _answered(body, place, places_sought.asked(body, line, "None, ()"))
            statements.lines(body, line.block)
        case st.TurnHow():
            _answered(body, place, asking.turns(body, line))
            statements.lines(body, line.block)
        case st.OneOf(binding):
            body.line(f"m = {asking.candidates(body, line, binding)}")
            _listed(body, line, place)
            follow(body, "m", line.block, line.otherwise)
        case st.Choose(options):
            asking.possible(body, options)
            _listed(body, line, place)
            _chosen(body, line, options, place)
        case _:
            body.line(f"s, a, m = {asking.searched(body, line)}")
            _found(body, line, place)
            follow(body, "s", line.block, line.otherwise)


def ask_all(body: Body, line: st.AskAll) -> None:
    """A question to several players at once."""
    asking.none_yet(body, line)
    players = expressions.quietly(body, line.players.source)
    with body.indented(f"for {asking.player(body, line)} in {players}:"):
        statements.statement(body, line.question)
        asking.gathered(body, line)
    body.begin()
    asking.revealed(body, line.answers)


def follow(body: Body, test: str, block: st.Block, otherwise: st.Block | None) -> None:
    """The block, or where the test fails the other one."""
    if not block and not otherwise:
        return
    with body.indented(f"if {test}:"):
        statements.lines(body, block)
    if otherwise:
        with body.indented("else:"):
            statements.lines(body, otherwise)


def _answered(body: Body, place: str, data: str) -> None:
    body.line(f"{place} = a = W[0].ask({body.site.number}, p, {data})")
    body.note(body.site, "a", "(p, False, W[0].pending[2])")


def _whether(body: Body, place: str, test: str) -> None:
    if test == "True":
        _answered(body, place, "()")
        return
    with body.indented(f"if {test}:"):
        _answered(body, place, "()")
    with body.indented("else:"):
        body.line(f"{place} = False")
        body.note(body.site, "False", "(p, True, (False,))")


def _listed(body: Body, line: st.Ask, place: str) -> None:
    with body.indented("if len(m) > 1:"):
        _answered(body, place, "tuple(m)")
    with body.indented("elif m:"):
        body.line(f"{place} = a = m[0]")
        body.note(body.site, "a", "(p, True, m)")
    _impossible(body, line)


def _found(body: Body, line: st.Ask, place: str) -> None:
    with body.indented("if s == 2:"):
        _answered(body, place, "m")
        if asking.claimable(line):
            with body.indented("if a is None:"):
                body.line(f"no_answer({body.module.constant(line.prompt)})" if line.otherwise is None else "s = 0")
    with body.indented("elif s:"):
        body.line(f"{place} = a")
        body.note(body.site, "a", "(p, True, (a,))")
    _impossible(body, line)


def _impossible(body: Body, line: st.Ask) -> None:
    with body.indented("else:"):
        if line.otherwise is None:
            body.line(f"no_answer({body.module.constant(line.prompt)})")
        else:
            body.note(body.site, "None", "(p, True, ())")


def _chosen(body: Body, line: st.Ask, options: tuple[st.Option, ...], place: str) -> None:
    head = "if"
    if line.otherwise:
        with body.indented("if not m:"):
            statements.lines(body, line.otherwise)
        head = "elif"
    for option in options:
        with body.indented(f"{head} {place} == {body.module.constant(option.id)}:"):
            statements.lines(body, option.block)
        head = "elif"


def roll(body: Body, line: st.Roll) -> None:
    """Dice thrown."""
    site, place = body.site, body.variable(line.variable)
    site.sort, site.asks, site.type = "roll", "roll", line.variable.type
    body.line(f"p = {'None' if line.by is None else expressions.quietly(body, line.by)}")
    if chance.plain(line):
        body.line(f"{place} = {chance.cast(body, line)}")
        if body.traced:
            body.line(f"x = thrown(W, {place})")
        body.note(site, place, "(p, not x, x)")
        return
    chance.described(body, line)
    with body.indented("if dice(W, x):"):
        body.line(f"{place} = land(W, W[0].ask({site.number}, p, x))")
        record = chance.dice_record(line)
        if record == "exploded":
            with body.indented(f"while {place} is None:"):
                body.line(f"{place} = land(W, W[0].ask({site.number}, p, W[0].pending[2]))")
        body.note(site, place, f"(p, False, {record}(W, {place}))")
    with body.indented("else:"):
        body.line("W[0].pending = (0, None, x)")
        body.line(f"{place} = land(W, ())")
        body.note(site, place, "(p, True, ())")


def reroll(body: Body, line: st.Reroll) -> None:
    """Dice thrown again."""
    site = body.site
    site.sort, site.asks = "roll", "roll"
    body.line(f"p = {'None' if line.by is None else expressions.quietly(body, line.by)}")
    body.line(f"x = again(W, {expressions.expression(body, line.dice)}, {chance.many(line)})")
    with body.indented("if x:"):
        body.line(f"r = recast(W, {site.number}, p, x)")
        body.note(site, "None", "(p, False, r)")
    with body.indented("else:"):
        body.note(site, "None", "(p, True, ())")


def external(body: Body, line: st.PerformExternal) -> None:
    """What a procedure of another text did."""
    site = body.site
    site.sort, site.asks = "external", "external"
    site.type = body.module.program.external_procedures[line.external].result
    given = "".join(f"{expressions.expression(body, each)}, " for each in line.arguments)
    body.line(f"W[0].reply = W[0].ask({site.number}, None, ({given}))")
    body.line("r = delivered(W)")
    if line.result is not None:
        body.line(f"{body.variable(line.result)} = r")
    body.note(site, "r", "W[0].pending[2]")
    with body.indented("if W[1] and not W[2]:"):
        body.line("settle(W)")
