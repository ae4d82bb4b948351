"""Python for what moves, turns, stands and leaves."""

from rulewright.machine.generate import expressions, plane
from rulewright.machine.generate.places import Target
from rulewright.machine.generate.writer import Body
from rulewright.machine.generate.writing import changed, write
from rulewright.program import statements as st
from rulewright.program.expressions import Expression
from rulewright.program.plane import ANGLE, POINT
from rulewright.program.types import present


def put(body: Body, thing: Expression, kind: str, attribute: str, value: str) -> None:
    """Writes the place or facing of a thing that is in play."""
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
        thing = plane.of(body, expressions.quietly(body, line.thing), line.thing.type)
        heading = f"bearing_of({thing}, {plane.of(body, heading, line.heading.type)}, {text})"
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


def _thing(body: Body, thing: Expression, kind: str) -> str:
    body.line(f"u = {expressions.quietly(body, thing)}")
    with body.indented(f"if W[{body.module.places.gone[kind]}][u]:"):
        body.line(f"gone({body.module.constant(body.module.wording.text(thing))})")
    return "u"


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
