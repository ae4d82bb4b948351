"""Python for chance: dice, draws, shuffles, and ranks that throw for members that are equal."""

from collections.abc import Callable

from rulewright.machine import graph as g
from rulewright.machine.generate import changing, expressions, loops
from rulewright.machine.generate.changing import resolved, store
from rulewright.machine.generate.writer import Body, Flow
from rulewright.machine.layout import constant
from rulewright.machine.source_point import Site
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import PAIRED_FACES, DeckType, DieType, ListType, MapType, PoolType
from rulewright.program.wording import simple

SORTS: dict[type, str] = {st.Roll: "roll", st.Reroll: "roll", st.Draw: "draw", st.Shuffle: "shuffle"}


def thrown(body: Body, exit_: g.Chance, site: Site, flow: Flow) -> None:
    """Asks for dice, or a draw; nothing is asked for no dice and for the only member."""
    line = exit_.line
    by = line.learner if isinstance(line, st.Draw) else getattr(line, "by", None)
    body.line(f"p = {'None' if by is None else expressions.quietly(body, by)}")
    match line:
        case st.Roll(is_plain=True):
            _throw(body, exit_, line, site, flow)
        case st.Roll():
            described(body, line)
            with body.indented(body.unless_insisted("dice(W, x) == 0")):
                body.line("W[0].pending = (0, None, x)")
                body.line(f"{body.variable(line.variable)} = land(W, (), {called(body, line)})")
                body.note(site, body.variable(line.variable), "(p, True, ())")
                flow.go(body, exit_.then)
        case st.Reroll():
            body.line(f"x = again(W, {expressions.expression(body, line.dice)}, {many(line)})")
            with body.indented(body.unless_insisted("not x")):
                body.note(site, "None", "(p, True, ())")
                flow.go(body, exit_.then)
        case st.Draw():
            _draw(body, exit_, line, site, flow)
        case st.Shuffle():
            body.line(f"x = {resolved(body, line.place).load}")
            with body.indented(body.unless_insisted("len(x) < 2")):
                body.note(site, "None", "(p, True, ())")
                flow.go(body, exit_.then)
    body.pend(flow.number(exit_.resume), "x")


def at_once(exit_: g.Chance, *, traced: bool) -> list[int]:
    """The blocks that go on where nothing is thrown or drawn, as often as each is written there."""
    match exit_.line:
        case st.Roll(is_plain=True, parts=parts):
            return [exit_.then] if traced and parts[0].count is not None else []
        case st.Draw(otherwise=otherwise):
            return [exit_.then] if otherwise is None else [exit_.then, exit_.otherwise]
        case _:
            return [exit_.then]


def fallen(body: Body, exit_: g.Chance, site: Site, flow: Flow) -> None:
    """Takes the faces, the member drawn or the new order."""
    line = exit_.line
    match line:
        case st.Roll(is_plain=True):
            _land(body, line, "W[0].reply")
            site.type = line.variable.type
            body.note(site, "r", "(W[0].pending[1], False, thrown(W, r))")
        case st.Roll():
            body.line(f"r = land(W, W[0].reply, {called(body, line)})")
            with body.indented("if r is None:"):
                body.line(f"F[0] = {flow.number(exit_.resume)}")
                body.line("return -2")
            body.line(f"{body.variable(line.variable)} = r")
            site.type = line.variable.type
            body.note(site, "r", f"(W[0].pending[1], False, {dice_record(line)}(W, r))")
        case st.Reroll():
            if body.traced:
                body.line("x = before_reroll(W, W[0].pending[2])")
            body.line("r = reroll(W, W[0].pending[2], W[0].reply)")
            body.note(site, "None", "(W[0].pending[1], False, r, x)")
        case st.Draw():
            body.line("r = W[0].reply")
            _told_from(body, line)
            _take(body, line)
            site.title, site.type = line.variable.name, line.variable.type
            body.note(site, "r", "(W[0].pending[1], False, ())")
        case st.Shuffle():
            target = resolved(body, line.place)
            store(body, target, "W[0].reply")
            body.note(site, "None", "(W[0].pending[1], False, ())")
            if "/" in target.name:
                changing.changed(body, target.name)
    flow.go(body, exit_.then)


def _throw(body: Body, exit_: g.Chance, line: st.Roll, site: Site, flow: Flow) -> None:
    """Describes a plain roll in `x`; where its count comes to none, it is thrown at once."""
    (part,) = line.parts
    constant = body.module.constant
    assert not isinstance(part.die, st.ComputedDie)
    name = part.die.name if isinstance(part.die, st.NamedDie) else ""
    die = faces_of(body.module.program, part.die), name
    if part.count is None:
        body.line(f"x = {constant((((1, *die, (), True, None),), (), ()))}")
        return
    body.line(f"many = {expressions.expression(body, part.count)}")
    with body.indented(body.unless_insisted("many.__class__ is not Later and many <= 0")):
        if body.traced:
            _land(body, line, "()")
            body.note(site, "r", "(p, True, ())")
            flow.go(body, exit_.then)
        else:
            body.line("W[0].reply = ()")
            body.line(f"return {flow.number(exit_.resume)}")
    with body.indented("if many > W[0].limits.dice:"):
        body.line("too_many(W, many)")
    body.line(f"x = (((many, {constant(die[0])}, {constant(name)}, (), False, None),), (), ())")


def _land(body: Body, line: st.Roll, faces: str) -> None:
    """Adds the dice of a plain roll that fell on some faces; the value is in `r`."""
    (part,) = line.parts
    assert not isinstance(part.die, st.ComputedDie)
    sides = faces_of(body.module.program, part.die)
    name = part.die.name if isinstance(part.die, st.NamedDie) else ""
    fresh = body.module.constant({face: (sides, face, face, 0, True, None, name, line.variable.name) for face in sides})
    if faces == "()":
        body.line("W[4].append([])")
    else:
        landed = f"[{fresh}[each] for each in {faces}]"
        body.line(
            f"W[4].append({landed if body.traced else f'{faces} if isinstance({faces}, Unthrown) else {landed}'})"
        )
    body.line("r = (len(W[4]) - 1, 0)" if part.count is None else "r = len(W[4]) - 1")
    body.line(f"{body.variable(line.variable)} = r")


def called(body: Body, line: st.Roll) -> str:
    """The name of a roll."""
    return body.module.constant(line.variable.name)


def many(line: st.Reroll) -> str:
    """Whether one die (0), some dice (1) or a pool (2) is rolled again."""
    match line.dice.type:
        case DieType():
            return "0"
        case PoolType():
            return "2"
        case _:
            return "1"


def dice_record(line: st.Roll) -> str:
    """The function that gives the dice of a roll for the record."""
    options = (*line.options, *(each for part in line.parts for each in part.options))
    return "exploded" if any(each.word == "explode" for each in options) else "thrown"


def described(body: Body, line: st.Roll) -> None:
    """Describes a roll in `x`."""
    single = len(line.parts) == 1 and line.parts[0].count is None
    body.line(f"x = ({parts(body, line.parts, single=single)}, {_options(body, line.options)}, ())")


def parts(body: Body, dice: tuple[st.Dice, ...], *, single: bool) -> str:
    """Python for the parts of a roll described."""
    written = []
    for part in dice:
        count = "1" if part.count is None else expressions.expression(body, part.count)
        name = part.die.name if isinstance(part.die, st.NamedDie) else ""
        faces = f"{_sides(body, part.die)}, {body.module.constant(name)}"
        called = "None" if part.part is None else expressions.expression(body, part.part)
        described = f"({count}, {faces}, {_options(body, part.options)}, {single}, {called})"
        more = part.advantage
        written.append(described if more is None else f"advantaged({described}, {expressions.expression(body, more)})")
    return f"({', '.join(written)},)"


def _sides(body: Body, die: st.Die) -> str:
    if isinstance(die, st.ComputedDie):
        return f"sides({expressions.expression(body, die.faces)})"
    return body.module.constant(faces_of(body.module.program, die))


def faces_of(program: Program, die: st.NumberedDie | st.PairedDie | st.NamedDie) -> tuple[object, ...]:
    """The faces of a die, in order."""
    match die:
        case st.NumberedDie(faces=most):
            return tuple(range(1, most + 1))
        case st.PairedDie():
            return PAIRED_FACES
        case st.NamedDie(name=name):
            return tuple(constant(each) for each in program.dice[name].faces)


def _options(body: Body, options: tuple[st.RollOption, ...]) -> str:
    written = []
    for each in options:
        value = expressions.expression(body, each.value)
        bound = "None" if each.bound is None else expressions.expression(body, each.bound)
        name = body.module.constant((each.word, each.best))
        written.append(f"({name}, {value}, {bound})")
    return f"({''.join(f'{each}, ' for each in written)})"


def _draw(body: Body, exit_: g.Chance, line: st.Draw, site: Site, flow: Flow) -> None:
    site.title, site.type = line.variable.name, line.variable.type
    type_ = line.place.type
    _told_from(body, line)
    load = resolved(body, line.place).load
    body.line(f"x = {load}.keys()" if isinstance(type_, MapType) else f"x = {load}")
    with body.indented("if not x:"):
        if line.otherwise is None:
            body.line(f"none_left({body.module.constant(body.module.wording.place(line.place))})")
        else:
            body.note(site)
            flow.go(body, exit_.otherwise)
    test = "x.__class__ is tuple" if isinstance(type_, DeckType) else "len(set(x)) == 1"
    if body.traced:
        with body.indented(f"if {test}:"):
            body.line("x = x[:1]")
    with body.indented(body.unless_insisted(test)):
        body.line("r = x[0]")
        _take(body, line)
        body.note(site, "r", "(p, True, ())")
        flow.go(body, exit_.then)


def _told_from(body: Body, line: st.Draw) -> None:
    """Records whose attribute is drawn from, so that a story can say it."""
    if isinstance(line.place, st.AttributePlace) and body.noted and simple(line.place.target):
        body.line(expressions.expression(body, line.place.target))


def _take(body: Body, line: st.Draw) -> None:
    target = resolved(body, line.place)
    rest = "without_entry" if isinstance(target.type, MapType) else "without_member"
    store(body, target, f"{rest}({target.load}, r)")
    if "/" in target.name:
        changing.changed(body, target.name)
    body.line(f"{body.variable(line.variable)} = r")


def plain(body: Body, line: st.Rank) -> None:
    """A rank whose keys neither roll nor ask."""
    slots = body.temporary()
    body.line(f"{slots} = [None] * 4")
    begin(body, line, slots, 0)
    for position, key in enumerate(line.keys):
        sort(body, line, key, position, slots, 0)
    end(body, line, slots, 0)


def begin(body: Body, line: st.Rank, slots: str, at: int) -> None:
    """Gathers the members of a rank."""
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
        body.line(f"part({slots}, {at}, {values}, {position}, {key.best == 'highest'})")


def end(body: Body, line: st.Rank, slots: str, at: int) -> None:
    """Sets the name of a rank to the order that was found."""
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
    if type_ is not None and (key.best != "ask" or inner.calls):  # whom a key asks is told with the answer
        inner.note(inner.site, "r")
    inner.line("return r")
    body.module.finish(inner)
    return call


# Keys that roll or ask.


def throw(body: Body, exit_: g.Throw, flow: Flow) -> None:
    """Asks for the dice of all members that are still equal, if any are."""
    key, at = exit_.key, exit_.slot
    body.line(f"x = tied(F, {at})")
    with body.indented("if not x:"):
        flow.go(body, exit_.then)
    rolls = _valued(body, exit_.line, key, "x", lambda inner: _roll(inner, key))
    body.line(f"p, x = thrown_for(W, x, {rolls})")
    body.pend(flow.number(exit_.resume), "x")


def _roll(inner: Body, key: st.RankKey) -> str:
    return f"({expressions.quietly(inner, key.value)}, {parts(inner, key.dice or (), single=False)})"


def parted(body: Body, exit_: g.Thrown, site: Site, flow: Flow) -> None:
    """Parts the members by their dice, and throws again for those still equal."""
    key, at = exit_.throw.key, exit_.throw.slot
    body.line("x = fallen_for(W, W[0].reply)")
    with body.indented("if x is None:"):
        body.line(f"F[0] = {flow.number(exit_.throw.resume)}")
        body.line("return -2")
    body.note(site, "None", "(W[0].pending[1], False, x[0])")
    body.line(f"part(F, {at}, x[1], {exit_.throw.position}, {key.best == 'highest'})")
    flow.go(body, exit_.again)


def ask(body: Body, exit_: g.AskRow, flow: Flow) -> None:
    """Asks the owner of the next row for its order, if there is one."""
    key, at = exit_.key, exit_.slot
    owners = _valued(body, exit_.line, key, f"F[{at}]", lambda inner: loops.evaluated(inner, key.value))
    body.line(f"x = row(F, {at}, {owners})")
    with body.indented("if x is None:"):
        flow.go(body, exit_.then)
    body.line("p, x = x[0], ('order', x[1], len(x[1]), len(x[1]), None, ())")
    body.pend(flow.number(exit_.resume), "x")


def answered(body: Body, exit_: g.RowOrdered, site: Site, flow: Flow) -> None:
    """Takes the order of a row."""
    body.note(site, "W[0].reply", "(W[0].pending[1], False, ())")
    body.line(f"ordered(F, {exit_.asked.slot}, W[0].reply, {exit_.asked.position})")
    flow.go(body, exit_.again)
