"""Python for lines that change the game or a name."""

from rulewright.machine.generate import boards, expressions, statements
from rulewright.machine.generate.places import Target, resolved
from rulewright.machine.generate.writer import Body
from rulewright.machine.generate.writing import changed, valued, write
from rulewright.machine.values import plainly_ordered
from rulewright.program import statements as st
from rulewright.program.plane import POSE
from rulewright.program.types import BagType, DeckType, ListType, NumberType, SetType, Type, present


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
            boards.put(body, thing, kind, "at", expressions.expression(body, to))
        case st.PlaceThing(spot=spot) if present(spot.type) == POSE:
            boards.put_down(body, line)
        case st.PlaceThing(thing=thing, kind=kind, spot=spot):
            boards.put(body, thing, kind, "at", expressions.expression(body, spot))
        case st.Turn():
            boards.turn(body, line)
        case st.Remove():
            boards.remove(body, line)
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


def _never_below_nought(type_: Type) -> bool:
    return isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0


def _add_amount(body: Body, line: st.AddAmount) -> None:
    target, room = amount(body, line)
    if line.up_to:
        positive = _never_below_nought(line.amount.type)
        if line.low is not None and (line.take or not positive):
            with body.indented(f"if z < {line.low}:"):
                body.line(f"z = {line.low}")
        if line.high is not None and not (line.take and positive):
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
