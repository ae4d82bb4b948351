"""Python for lines that change the game or a name: places read and written, values marked and recorded, boards."""

from contextlib import nullcontext
from dataclasses import dataclass

from rulewright.machine.generate import calls, expressions, statements
from rulewright.machine.generate.writer import Body
from rulewright.machine.values import plainly_ordered
from rulewright.program import statements as st
from rulewright.program.expressions import Expression
from rulewright.program.offsets import AXIAL
from rulewright.program.plane import ANGLE, POINT, POSE
from rulewright.program.types import BagType, CellType, DeckType, ListType, MapType, NumberType, SetType, Type, present


@dataclass(frozen=True, slots=True)
class Target:
    """A place whose thing, cell and keys are computed."""

    load: str  # Python that reads it
    root: str  # the place that is assigned to: a name, a column entry, a game field, or the pair of a cell table
    wrap: str  # the new value of the root, with `{}` where the new value of the place stands
    name: str  # `Kind/attribute`, `game/field`, `board/attribute`, or the name
    key: str  # Python for the thing or cell, else for the outermost entry, or `None`
    type: Type  # of the place


def resolved(body: Body, place: st.Place) -> Target:
    """A place, with its thing, cell or keys computed."""
    places = body.module.places
    match place:
        case st.VariablePlace(variable):
            name = body.variable(variable)
            return Target(name, name, "{}", variable.name, "None", variable.type)
        case st.GamePlace(name, type_):
            slot = f"W[{places.game[name]}]"
            return Target(slot, slot, "{}", f"game/{name}", "None", type_)
        case st.AttributePlace(target, kind, name, type_):
            thing = _kept(body, expressions.quietly(body, target))
            slot = f"W[{places.columns[f'{kind}/{name}']}][{thing}]"
            return Target(slot, slot, "{}", f"{kind}/{name}", thing, type_)
        case st.CellPlace(target, board, name, type_):
            cell = _kept(body, expressions.quietly(body, target))
            table = f"W[{places.cells[f'{board}/{name}']}]"
            start = body.module.constant(body.module.layout.starts[f"{board}/{name}"])
            load = f"{table}.get({cell}, {start})"
            return Target(load, f"{table}[{cell}]", "{}", f"{board}/{name}", cell, type_)
        case st.EntryPlace(target, key, type_):
            return _entry(body, resolved(body, target), key, type_)
        case st.PartPlace(target, _, position, type_):
            outer = resolved(body, target)
            wrap = outer.wrap.replace("{}", f"put_part({outer.load}, {position}, {{}})")
            return Target(f"{outer.load}[{position}]", outer.root, wrap, outer.name, outer.key, type_)


def _entry(body: Body, outer: Target, key: Expression, type_: Type) -> Target:
    at = _kept(body, expressions.expression(body, key))
    of = at if outer.key == "None" else outer.key
    if isinstance(outer.type, MapType):
        wrap = outer.wrap.replace("{}", f"{outer.load}.put({at}, {{}})")
        in_place = f"{outer.load}.entries.get({at}, {outer.load}.default)"
        load = in_place if outer.wrap == "{}" else f"entry({outer.load}, {at})"
        return Target(load, outer.root, wrap, outer.name, of, type_)
    wrap = outer.wrap.replace("{}", f"put_item({outer.load}, {at}, {{}})")
    return Target(f"item({outer.load}, {at})", outer.root, wrap, outer.name, of, type_)


def _kept(body: Body, code: str) -> str:
    """The code, or a name for its value where it is more than a name."""
    if code.isidentifier() or code.isdecimal():
        return code
    name = body.temporary()
    body.line(f"{name} = {code}")
    return name


def store(body: Body, target: Target, value: str) -> None:
    """Assigns a value to a place."""
    body.line(f"{target.root} = {target.wrap.replace('{}', value)}")


def changed(body: Body, name: str, test: str = "True") -> None:
    """Marks what reads a place as unsettled; where its value changed, values of external terms are forgotten."""
    mask = body.module.mask(frozenset({name}))
    if mask:
        body.line(f"W[1] |= {mask}")
    if body.module.framing.wanting:
        with body.indented(f"if {test}:"):
            body.line("W[0].known.clear()")


def valued(body: Body, value: Expression, target: Type) -> str:
    """A value for a slot; a single value for a map is its default."""
    code = expressions.expression(body, value)
    if isinstance(target, MapType) and not isinstance(value.type, MapType):
        return f"Map({code}, {{}})"
    return code


def write(body: Body, target: Target, value: str) -> None:
    """Assigns, marks and records."""
    if body.noted or body.module.framing.wanting:
        body.line(f"y = {target.load}")
    if body.noted:
        if value != "z":
            body.line(f"z = {value}")
        store(body, target, "z")
        name = body.module.constant(target.name)
        after = "z" if target.wrap == "{}" else target.load
        with body.indented(f"if y != {after}:") if body.unread and body.opened else nullcontext():
            body.note(body.site, "None", f"({name}, {target.key}, y, {after})")
    else:
        store(body, target, value)
    if "/" in target.name:
        changed(body, target.name, f"y != {target.load}")


def change(body: Body, line: st.Statement) -> None:
    """A changing line without settling; an otherwise block of `add` and `take` is written in place.

    Raises:
        TypeError: the line changes nothing; such lines are written elsewhere.
    """
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
            put(body, thing, kind, "at", expressions.expression(body, to))
        case st.PlaceThing(spot=spot) if present(spot.type) == POSE:
            put_down(body, line)
        case st.PlaceThing(thing=thing, kind=kind, spot=spot):
            put(body, thing, kind, "at", expressions.expression(body, spot))
        case st.Turn():
            turn(body, line)
        case st.Remove():
            remove(body, line)
        case _:
            raise TypeError(type(line))


def amount(body: Body, line: st.AddAmount) -> tuple[Target, str]:
    """Computes the new number into `z`; returns the place and a test whether there is room."""
    target = resolved(body, line.place)
    value = expressions.expression(body, line.amount)
    body.line(f"z = {target.load} {'-' if line.take else '+'} {value}")
    tests = [f"z >= {line.low}"] if line.low is not None else []
    tests += [f"z <= {line.high}"] if line.high is not None else []
    return target, " and ".join(tests)


def _never_negative(type_: Type) -> bool:
    return isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0


def _add_amount(body: Body, line: st.AddAmount) -> None:
    target, room = amount(body, line)
    if line.up_to:
        positive = _never_negative(line.amount.type)
        if line.low is not None and (line.take or not positive):
            body.line(f"z = {calls.extreme('max', 'z', str(line.low))}")
        if line.high is not None and not (line.take and positive):
            body.line(f"z = {calls.extreme('min', 'z', str(line.high))}")
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
            statements.lines(body, line.otherwise)


def _add_member(body: Body, line: st.AddMember) -> None:
    target = resolved(body, line.place)
    member = expressions.expression(body, line.member)
    match target.type, line.take:
        case SetType(item), False:
            value = f"{'plain_with' if plainly_ordered(item) else 'with_member'}(W, {target.load}, {member})"
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
            statements.lines(body, line.otherwise)
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


def put(body: Body, thing: Expression, kind: str, attribute: str, value: str) -> None:
    """Writes the place or facing of a thing; it is a fault if the thing is out of play."""
    body.line(f"u = {expressions.quietly(body, thing)}")
    with body.indented(f"if W[{body.module.places.gone[kind]}][u]:"):
        body.line(f"gone({body.module.constant(body.module.wording.text(thing))})")
    if attribute == "at" and present(body.module.layout.types[f"{kind}/at"]) == POINT:
        body.line(f"x = {value}")
        body.line("on_plane(W, x)")
        value = "x"
    elif attribute == "at" and body.module.program.boards:
        body.line(f"x = {value}")
        with body.indented("if x not in W[6] and x is not None:"):
            hexes = present(body.module.layout.types[f"{kind}/at"]) == CellType("hex")
            body.line(f"off_board(x, {'W[0].base.coordinates' if hexes else repr(AXIAL)})")
        value = "x"
    _write_attribute(body, kind, attribute, value)


def put_down(body: Body, line: st.PlaceThing) -> None:
    """The place of a pose, and its facing where things of the kind have one."""
    body.line(f"q = {expressions.expression(body, line.spot)}")
    put(body, line.thing, line.kind, "at", "q and q[1]")
    facing = body.module.places.columns.get(f"{line.kind}/facing")
    if facing is not None:
        with body.indented(f"if q and W[{facing}][u] != q[2]:"):
            _write_attribute(body, line.kind, "facing", "q[2]")


def turn(body: Body, line: st.Turn) -> None:
    """Turns a thing to a heading, or to face something."""
    heading = expressions.expression(body, line.heading)
    if line.face and present(body.module.layout.types[f"{line.kind}/facing"]) == ANGLE:
        text = body.module.constant(f"face {body.module.wording.text(line.heading)}")
        thing = calls.placed(body, expressions.quietly(body, line.thing), line.thing.type)
        heading = f"bearing_of({thing}, {calls.placed(body, heading, line.heading.type)}, {text})"
    elif line.face:
        column = f"W[{body.module.places.columns[f'{line.kind}/at']}]"
        heading = f"direction({column}[u], {heading}, {getattr(line.heading.type, 'space', 'hex')!r})"
    put(body, line.thing, line.kind, "facing", heading)


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


def _write_attribute(body: Body, kind: str, attribute: str, value: str) -> None:
    """Writes an attribute of the thing `u`."""
    name = f"{kind}/{attribute}"
    slot = f"W[{body.module.places.columns[name]}][u]"
    write(body, Target(slot, slot, "{}", name, "u", body.module.layout.types[name]), value)
