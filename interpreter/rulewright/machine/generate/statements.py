"""Python for lines that never suspend."""

from rulewright.machine.footprint import writes
from rulewright.machine.framing import key
from rulewright.machine.generate import asking, expressions, functions, inline, loops, plane, ranking
from rulewright.machine.generate.places import Target, resolved, store
from rulewright.machine.generate.writer import Body
from rulewright.machine.walk import nodes
from rulewright.machine.wording import simple
from rulewright.program import statements as st
from rulewright.program.declarations import Need
from rulewright.program.expressions import Expression, Removed
from rulewright.program.plane import ANGLE, POINT, POSE, present
from rulewright.program.types import BagType, DeckType, ListType, MapType, PoolType, SetType, Type


def lines(body: Body, block: st.Block | None) -> None:
    """The lines of a block, one after the other."""
    for each in block or ():
        statement(body, each)


def statement(body: Body, line: st.Statement) -> None:  # noqa: C901, PLR0912, PLR0915
    """One line with everything in it; it settles afterwards where it may have to."""
    sort = "ruling" if isinstance(line, st.Ruling) else "line"
    site = body.module.site(sort, line, line=True, routine=body.site.routine)
    with body.at(site):
        body.begin()
        match line:
            case st.Let():
                _let(body, line)
            case st.If():
                _if(body, line)
            case st.Match():
                _match(body, line)
            case st.ForEach():
                _for_each(body, line)
            case st.Repeat():
                _repeat(body, line)
            case st.Together():
                together(body, line)
            case st.Perform():
                _perform(body, line)
            case st.Trigger():
                _trigger(body, line)
            case st.TallyLine():
                _tally(body, line)
            case st.DecideLine():
                _decide(body, line)
            case st.Rank():
                ranking.plain(body, line)
            case st.Finish():
                _finish(body, line)
            case st.Ask():
                inline.ask(body, line)
            case st.AskAll():
                inline.ask_all(body, line)
            case st.Reveal():
                asking.revealed(body, line.variable)
            case st.Roll():
                inline.roll(body, line)
            case st.Reroll():
                inline.reroll(body, line)
            case st.PerformExternal():
                inline.external(body, line)
            case st.Stop():
                body.note(site)
                body.line("break")
            case st.Nothing() | st.Ruling():
                body.note(site)
                body.line("pass")
            case _:
                change(body, line)
                settle(body, line)


def settle(body: Body, line: st.Statement) -> None:
    """Lets plain standing rules fire and judges invariants, where the line may have awakened any."""
    if body.module.mask(writes(line)):
        with body.indented("if not W[2]:"):
            body.line("settle(W)")


def changed(body: Body, name: str, test: str = "True") -> None:
    """Marks what reads a place as unsettled; where the game really changed, answers given elsewhere are forgotten."""
    mask = body.module.mask(frozenset({name}))
    if mask:
        body.line(f"W[1] |= {mask}")
    if body.module.framing.wanting:
        with body.indented(f"if {test}:"):
            body.line("W[0].known.clear()")


def condition(body: Body, node: Expression) -> str:
    """Python for a condition that is recorded as a test, before an `if`."""
    code = expressions.expression(body, node)
    if not body.traced:
        return code
    body.line(f"x = {code}")
    return "x"


# Changing lines.


def change(body: Body, line: st.Statement) -> None:
    """A changing line without settling; an otherwise block of `add` and `take` is written in place."""
    match line:
        case st.Assign(place=place, value=value):
            target = resolved(body, place)
            write(body, target, valued(body, value, place.type))
        case st.AddAmount():
            _add_amount(body, line)
        case st.AddMember():
            _add_member(body, line)
        case st.AddPair():
            _add_pair(body, line)
        case st.Move(thing=thing, kind=kind, destination=to):
            _board_verb(body, thing, kind, "at", expressions.expression(body, to))
        case st.PlaceThing(spot=spot) if present(spot.type) == POSE:
            _put_down(body, line)
        case st.PlaceThing(thing=thing, kind=kind, spot=spot):
            _board_verb(body, thing, kind, "at", expressions.expression(body, spot))
        case st.Turn():
            _turn(body, line)
        case st.Remove():
            remove(body, line)
        case _:
            body.line(f"unsupported({body.module.constant(type(line).__name__.lower())})")


def valued(body: Body, value: Expression, target: Type) -> str:
    """A value for a slot; a single value for a map is its default."""
    code = expressions.expression(body, value)
    if isinstance(target, MapType) and not isinstance(value.type, MapType):
        return f"Map({code}, {{}})"
    return code


def write(body: Body, target: Target, value: str) -> None:
    """Assigns, marks and records."""
    if body.traced or body.module.framing.wanting:
        body.line(f"y = {target.load}")
    if body.traced:
        body.line(f"z = {value}")
        store(body, target, "z")
        name = body.module.constant(target.name)
        body.note(body.site, "None", f"({name}, {target.key}, y, {target.load})")
    else:
        store(body, target, value)
    if "/" in target.name:
        changed(body, target.name, f"y != {target.load}")


def amount(body: Body, line: st.AddAmount) -> tuple[Target, str]:
    """Computes the new number into `z`; returns the place and a test whether there is room."""
    target = resolved(body, line.place)
    value = expressions.expression(body, line.amount)
    body.line(f"z = {target.load} {'-' if line.take else '+'} {value}")
    tests = [f"z >= {line.low}"] if line.low is not None else []
    tests += [f"z <= {line.high}"] if line.high is not None else []
    return target, " and ".join(tests)


def _add_amount(body: Body, line: st.AddAmount) -> None:
    target, room = amount(body, line)
    if line.up_to:
        if line.low is not None:
            with body.indented(f"if z < {line.low}:"):
                body.line(f"z = {line.low}")
        if line.high is not None:
            with body.indented(f"if z > {line.high}:"):
                body.line(f"z = {line.high}")
        write(body, target, "z")
        return
    if not room:
        write(body, target, "z")
        return
    with body.indented(f"if {room}:"):
        write(body, target, "z")
    with body.indented("else:"):
        if line.otherwise is None:
            body.line(
                f"no_room({body.module.constant(body.module.wording.place(line.place))}, z, {line.low}, {line.high})"
            )
        else:
            body.note(body.site)
            lines(body, line.otherwise)


def _add_member(body: Body, line: st.AddMember) -> None:
    target = resolved(body, line.place)
    member = expressions.expression(body, line.member)
    match target.type, line.take:
        case SetType(), False:
            value = f"with_member(W, {target.load}, {member})"
        case ((ListType() | DeckType()), False):
            value = f"chain(W, {target.load}, ({member},))"
        case BagType(), False:
            value = f"in_order(chain(W, {target.load}, ({member},)))"
        case SetType(), True:
            value = f"without_member({target.load}, {member})"
        case _:
            value = f"taken({target.load}, {member}, {body.module.constant(body.module.wording.place(line.place))})"
    if line.take and line.otherwise is not None:
        body.line(f"x = {member}")
        with body.indented(f"if x in {target.load}:"):
            write(body, target, f"without_member({target.load}, x)")
        with body.indented("else:"):
            body.note(body.site)
            lines(body, line.otherwise)
        return
    write(body, target, value)


def _add_pair(body: Body, line: st.AddPair) -> None:
    relation = f"W[{body.module.places.relations[line.relation]}]"
    verb = "discard" if line.take else "add"
    body.line(f"x = {expressions.expression(body, line.first)}")
    body.line(f"y = {expressions.expression(body, line.second)}")
    name = body.module.constant(line.relation)
    body.note(body.site, "None", f"({name}, (x, y), (x, y) in {relation}, {not line.take})")
    body.line(f"z = (x, y) in {relation}")
    body.line(f"{relation}.{verb}((x, y))")
    if line.relation in body.module.layout.symmetric:
        body.line(f"{relation}.{verb}((y, x))")
    changed(body, line.relation, f"z != {not line.take}")


def _thing(body: Body, thing: Expression, kind: str) -> str:
    body.line(f"u = {expressions.quietly(body, thing)}")
    with body.indented(f"if W[{body.module.places.gone[kind]}][u]:"):
        body.line(f"gone({body.module.constant(body.module.wording.text(thing))})")
    return "u"


def _board_verb(body: Body, thing: Expression, kind: str, attribute: str, value: str) -> None:
    _thing(body, thing, kind)
    if attribute == "at" and present(body.module.layout.types[f"{kind}/at"]) == POINT:
        body.line(f"x = {value}")
        body.line("on_plane(W, x)")
        value = "x"
    elif attribute == "at" and body.module.program.boards:
        body.line(f"x = {value}")
        with body.indented("if x not in W[6] and x is not None:"):
            body.line("off_board(x)")
        value = "x"
    _write_attribute(body, kind, attribute, value)


def _put_down(body: Body, line: st.PlaceThing) -> None:
    """The place of a pose, and its facing where things of the kind have one."""
    body.line(f"q = {expressions.expression(body, line.spot)}")
    _board_verb(body, line.thing, line.kind, "at", "q and q[1]")
    facing = body.module.places.columns.get(f"{line.kind}/facing")
    if facing is not None:
        with body.indented(f"if q and W[{facing}][u] != q[2]:"):
            _write_attribute(body, line.kind, "facing", "q[2]")


def _write_attribute(body: Body, kind: str, attribute: str, value: str) -> None:
    """Writes an attribute of the thing `u`."""
    column = f"W[{body.module.places.columns[f'{kind}/{attribute}']}]"
    target = Target(
        f"{column}[u]",
        f"{column}[u]",
        "{}",
        f"{kind}/{attribute}",
        "u",
        body.module.layout.types[f"{kind}/{attribute}"],
    )
    write(body, target, value)


def _turn(body: Body, line: st.Turn) -> None:
    heading = expressions.expression(body, line.heading)
    if line.face and present(body.module.layout.types[f"{line.kind}/facing"]) == ANGLE:
        text = body.module.constant(f"face {body.module.wording.text(line.heading)}")
        thing = plane.of(body, expressions.quietly(body, line.thing), line.thing.type)
        heading = f"bearing_of({thing}, {plane.of(body, heading, line.heading.type)}, {text})"
    elif line.face:
        column = f"W[{body.module.places.columns[f'{line.kind}/at']}]"
        heading = f"direction({column}[u], {heading}, {getattr(line.heading.type, 'space', 'hex')!r})"
    _board_verb(body, line.thing, line.kind, "facing", heading)


def remove(body: Body, line: st.Remove) -> None:
    """Puts a thing out of play; reports of the removal follow, windows are opened by the exit of a block."""
    places = body.module.places
    flags = f"W[{places.gone[line.kind]}]"
    body.line(f"u = {expressions.quietly(body, line.thing)}")
    name = body.module.constant(f"{line.kind}/gone")
    opens = bool(body.module.framing.windows.intersection(line.events))
    if opens:
        body.line(f"W[0].lost = None if {flags}[u] else u")
    with body.indented(f"if not {flags}[u]:"):
        body.note(body.site, "None", f"({name}, u, False, True)")
        body.line(f"{flags}[u] = True")
        body.line(f"W[{places.in_play[line.kind]}] = in_play({flags})")
        changed(body, f"{line.kind}/gone")
        if line.events and not opens:
            body.line(f"report(W, {body.module.constant(line.events)}, u)")


# Names.


def _let(body: Body, line: st.Let) -> None:
    if line.value is None:
        return
    name = body.variable(line.variable)
    body.line(f"{name} = {valued(body, line.value, line.variable.type)}")
    body.site.title, body.site.type = line.variable.name, line.variable.type
    body.note(body.site, name)


def _tally(body: Body, line: st.TallyLine) -> None:
    if body.traced:
        body.line("j = []")
    functions.tally(body, line.variable, line.start, line.rows)
    body.site.type = line.variable.type
    body.note(body.site, body.variable(line.variable), "j")


def _decide(body: Body, line: st.DecideLine) -> None:
    if body.traced:
        body.line("j = []")
    name = body.variable(line.variable)
    first = True
    tests = 0
    for position, row in enumerate(line.rows):
        if row.guard is not None:
            code = expressions.expression(body, row.guard)
            body.line(f"if {code}:")
            body.deepen(1)
            _take(body, name, position, expressions.expression(body, row.value))
            body.deepen(-1)
            body.line("else:")
            body.deepen(1)
            tests += 1
            if body.traced:
                body.line(f"j.append(({position}, False))")
        else:
            _take(body, name, position, expressions.expression(body, row.value))
            first = False
            break
    if first:
        body.line("uncovered()")
    body.deepen(-tests)
    body.site.type = line.variable.type
    body.note(body.site, name, "j")


def _take(body: Body, name: str, position: int, value: str) -> None:
    body.line(f"{name} = {value}")
    if body.traced:
        body.line(f"j.append(({position}, True))")


# Structure.


def tested(body: Body, node: Expression, of: object, **more: object) -> str:
    """Evaluates a condition and records it as a test of its own; returns Python for its value."""
    site = body.module.site("test", of, routine=body.site.routine, line=True, **more)
    with body.at(site):
        body.begin()
        code = condition(body, node)
        if body.traced:
            site.title = body.module.wording.text(node)
            body.note(site, "x")
    return code


def _if(body: Body, line: st.If) -> None:
    for branch in line.branches:
        test = tested(body, branch.condition, line, cites=branch.cites)
        body.line(f"if {test}:")
        body.deepen(1)
        lines(body, branch.block)
        body.line("pass")
        body.deepen(-1)
        if branch is not line.branches[-1] or line.otherwise:
            body.line("else:")
            body.deepen(1)
    if line.otherwise:
        lines(body, line.otherwise)
    body.deepen(-len(line.branches) if line.otherwise else 1 - len(line.branches))


def _match(body: Body, line: st.Match) -> None:
    subject = body.temporary()
    body.line(f"{subject} = {expressions.expression(body, line.subject)}")
    body.note(body.site, subject)
    for position, case in enumerate(line.cases):
        values = ", ".join(expressions.quietly(body, each) for each in case.values)
        head = f"if {subject} in ({values},):" if position == 0 else f"elif {subject} in ({values},):"
        with body.indented(head):
            lines(body, case.block)


def _for_each(body: Body, line: st.ForEach) -> None:
    source = expressions.expression(body, line.binding.source)
    items = body.temporary()
    body.line(f"{items} = {iterated(line.binding.source, source)}")
    body.note(body.site, items)
    body.line(f"W[0].work += len({items})")
    body.line("if W[0].work > W[0].limits.work: overworked(W)")
    before = body.temporary()
    already_gone(body, line, items, before)
    with body.indented(f"for {loops.target(body, line.binding)} in {items}:"):
        pass_over(body, line, before)
        lines(body, line.block)


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
        or (isinstance(each, st.Line) and body.module.mask(writes(each)))  # type: ignore[arg-type]
        for each in nodes(block)
    )


def pass_over(body: Body, line: st.ForEach, before: str) -> None:
    """Passes over an item that is gone since the loop began, or fails `where` at its turn."""
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
                body.line("continue")


def visited_kind(source: Expression) -> str | None:
    """The kind of the things a loop visits, where one that is gone since the loop began is passed over."""
    kind = getattr(getattr(source.type, "item", None), "kind", None)
    return None if isinstance(source, Removed) else kind


def _repeat(body: Body, line: st.Repeat) -> None:
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
        body.line("if W[0].work > W[0].limits.work: overworked(W)")
        lines(body, line.block)


def together(body: Body, line: st.Together) -> None:
    """Nothing settles between the lines; then the state settles."""
    removals = any(event.on_removal for event in body.module.program.events.values())
    body.line("W[2] += 1")
    if removals:
        body.line("W[0].together += 1")
    lines(body, line.block)
    body.line("W[2] -= 1")
    if removals:
        body.line("W[0].together -= 1")
        with body.indented("if W[0].removals and not W[0].together:"):
            body.line("reported(W)")
    with body.indented("if W[1] and not W[2]:"):
        body.line("settle(W)")


def _perform(body: Body, line: st.Perform) -> None:
    procedure = body.module.program.procedures[line.procedure]
    name = f"p{body.module.routines[plain_key(key(procedure), line.steps)]}"
    given = ["W", *(expressions.expression(body, each) for each in line.arguments)]
    call = body.module.site("call", line, line=True, routine=body.site.routine, title=procedure.title)
    if body.traced:
        names = []
        for each in given[1:]:
            names.append(body.temporary())
            body.line(f"{names[-1]} = {each}")
        given = ["W", *names]
        body.note(call, "None", f"({''.join(f'{each}, ' for each in names)})")
    result = f"{name}({', '.join(given)})"
    place = "r" if line.result is None else body.variable(line.result)
    body.line(result if line.result is None and not body.traced else f"{place} = {result}")
    body.begin()
    back = body.module.site("return", line, line=True, routine=body.site.routine, type=procedure.result)
    body.note(back, place)


def plain_key(name: str, steps: tuple[str, str] | None) -> str:
    """The key of a plain routine, or of a range of its steps."""
    return name if steps is None else f"{name}:{steps[0]}..{steps[1]}"


def _trigger(body: Body, line: st.Trigger) -> None:
    given = "".join(f"{expressions.expression(body, each)}, " for each in line.arguments)
    heard = line.event in body.module.framing.heard
    if heard or body.traced or not all(map(simple, line.arguments)):
        body.line(f"x = ({given})")
    body.note(body.site, "x")
    if heard:
        body.line(f"tell(W, {body.module.constant(line.event)}, x)")
    if line.result is not None:
        body.line(f"{body.variable(line.result)} = ()")


def _finish(body: Body, line: st.Finish) -> None:
    body.line(f"r = {'None' if line.value is None else expressions.expression(body, line.value)}")
    body.note(body.site, "r")
    handler = body.site.routine.startswith("handler:")
    body.line("return (r,)" if handler and line.value is not None else "return r")


def need(body: Body, line: Need, routine: str) -> None:
    """An opening condition."""
    site = body.module.site("need", line, line=True, routine=routine)
    with body.at(site):
        body.begin()
        test = functions.held(body, line)
        if body.traced:
            body.line(f"x = {test}")
            test = "x"
            body.note(site, "x")
        with body.indented(f"if not {test}:"):
            body.line(f"raise NeedFailed({site.number})")
