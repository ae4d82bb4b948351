"""Python for lines that change the game or a variable: places read and written, changes marked and recorded."""

from contextlib import nullcontext
from dataclasses import dataclass

from rulewright.program import statements as st
from rulewright.program.board_geometry import ANGLE, AXIAL, POINT, POSE
from rulewright.program.expressions import Expression
from rulewright.program.types import (
    BagType,
    CellType,
    DeckType,
    ListType,
    MapType,
    NumberType,
    SetType,
    Type,
    strip_optional,
)
from rulewright.runtime.generate import expressions
from rulewright.runtime.generate.writer import BOARD_CODE, CONTROL_CODE, UNSETTLED_CODE, FunctionBuilder
from rulewright.runtime.values import has_plain_order


@dataclass(frozen=True, slots=True)
class PlaceCode:
    """Python for a place, its thing, cell and keys already computed."""

    load: str  # Python that reads it
    root: str  # assigned place: a name, a column entry, a game field, or the pair of a cell table
    wrap: str  # new value of the root, with `{}` for the new value of the place
    name: str  # `Kind/attribute`, `game/field`, `board/attribute`, or the name
    key: str  # Python for the thing or cell, else for the outermost entry, or `None`
    type: Type  # of the place


def resolve_place(body: FunctionBuilder, place: st.Place) -> PlaceCode:
    """Emits the thing, cell or keys of a place; returns its code."""
    places = body.module.places
    match place:
        case st.VariablePlace(variable):
            name = body.variable_place(variable)
            return PlaceCode(name, name, "{}", variable.name, "None", variable.type)
        case st.GamePlace(name, type_):
            slot = f"W[{places.game[name]}]"
            return PlaceCode(slot, slot, "{}", f"game/{name}", "None", type_)
        case st.AttributePlace(target, kind, name, type_):
            thing = _emit_temporary(body, expressions.emit_unrecorded(body, target))
            slot = f"W[{places.columns[f'{kind}/{name}']}][{thing}]"
            return PlaceCode(slot, slot, "{}", f"{kind}/{name}", thing, type_)
        case st.CellPlace(target, board, name, type_):
            cell = _emit_temporary(body, expressions.emit_unrecorded(body, target))
            table = f"W[{places.cells[f'{board}/{name}']}]"
            start = body.module.add_constant(body.module.layout.starts[f"{board}/{name}"])
            load = f"{table}.get({cell}, {start})"
            return PlaceCode(load, f"{table}[{cell}]", "{}", f"{board}/{name}", cell, type_)
        case st.EntryPlace(target, key, type_):
            return _resolve_entry(body, resolve_place(body, target), key, type_)
        case st.PartPlace(target, _, position, type_):
            outer = resolve_place(body, target)
            wrap = outer.wrap.replace("{}", f"replace_record_part({outer.load}, {position}, {{}})")
            return PlaceCode(f"{outer.load}[{position}]", outer.root, wrap, outer.name, outer.key, type_)


def _resolve_entry(body: FunctionBuilder, outer: PlaceCode, key: Expression, type_: Type) -> PlaceCode:
    at = _emit_temporary(body, expressions.emit_expression(body, key))
    of = at if outer.key == "None" else outer.key
    if isinstance(outer.type, MapType):
        wrap = outer.wrap.replace("{}", f"{outer.load}.with_entry({at}, {{}})")
        in_place = f"{outer.load}.entries.get({at}, {outer.load}.default)"
        load = in_place if outer.wrap == "{}" else f"get_map_entry({outer.load}, {at})"
        return PlaceCode(load, outer.root, wrap, outer.name, of, type_)
    wrap = outer.wrap.replace("{}", f"replace_list_item({outer.load}, {at}, {{}})")
    return PlaceCode(f"get_list_item({outer.load}, {at})", outer.root, wrap, outer.name, of, type_)


def _emit_temporary(body: FunctionBuilder, code: str) -> str:
    if code.isidentifier() or code.isdecimal():
        return code
    name = body.new_temporary()
    body.add_line(f"{name} = {code}")
    return name


def emit_store(body: FunctionBuilder, target: PlaceCode, value: str) -> None:
    body.add_line(f"{target.root} = {target.wrap.replace('{}', value)}")


def emit_mark_changed(body: FunctionBuilder, name: str, test: str = "True") -> None:
    """Marks what reads a place as unsettled; if its value changed, values of external terms are forgotten."""
    mask = body.module.combine_masks(frozenset({name}))
    if mask:
        body.add_line(f"{UNSETTLED_CODE} |= {mask}")
    if body.module.framing.external_dependents:
        with body.indent_under(f"if {test}:"):
            body.add_line(f"{CONTROL_CODE}.known.clear()")


def emit_slot_value(body: FunctionBuilder, value: Expression, target: Type) -> str:
    """Python for a value stored in a slot; a single value for a map becomes its default."""
    code = expressions.emit_expression(body, value)
    if isinstance(target, MapType) and not isinstance(value.type, MapType):
        return f"GameMap({code}, {{}})"
    return code


def emit_write(body: FunctionBuilder, target: PlaceCode, value: str) -> None:
    if body.records_results or body.module.framing.external_dependents:
        body.add_line(f"y = {target.load}")
    if body.records_results:
        if value != "z":
            body.add_line(f"z = {value}")
        emit_store(body, target, "z")
        name = body.module.add_constant(target.name)
        after = "z" if target.wrap == "{}" else target.load
        with body.indent_under(f"if y != {after}:") if body.records_no_reads and body.has_recorded else nullcontext():
            body.emit_entry(body.site, "None", f"({name}, {target.key}, y, {after})")
    else:
        emit_store(body, target, value)
    if "/" in target.name:
        emit_mark_changed(body, target.name, f"y != {target.load}")


def emit_change(body: FunctionBuilder, line: st.Statement) -> None:
    """A changing line without settling; an otherwise block of `add` and `take` is written in place.

    Raises:
        TypeError: the line changes nothing.
    """
    match line:
        case st.Assign(place=place, value=value):
            target = resolve_place(body, place)
            emit_write(body, target, emit_slot_value(body, value, place.type))
        case st.AddAmount():
            _emit_add_amount(body, line)
        case st.AddMember():
            _emit_add_member(body, line)
        case st.AddPair():
            _emit_add_pair(body, line)
        case st.Move(thing=thing, kind=kind, destination=to):
            emit_put_thing(body, thing, kind, "at", expressions.emit_expression(body, to))
        case st.PlaceThing(spot=spot) if strip_optional(spot.type) == POSE:
            emit_place_pose(body, line)
        case st.PlaceThing(thing=thing, kind=kind, spot=spot):
            emit_put_thing(body, thing, kind, "at", expressions.emit_expression(body, spot))
        case st.Turn():
            emit_turn(body, line)
        case st.Remove():
            emit_remove(body, line)
        case _:
            raise TypeError(type(line))


def emit_new_amount(body: FunctionBuilder, line: st.AddAmount) -> tuple[PlaceCode, str]:
    """Computes the new number into `z`; returns the place and a test whether there is room."""
    target = resolve_place(body, line.place)
    value = expressions.emit_expression(body, line.amount)
    body.add_line(f"z = {target.load} {'-' if line.take else '+'} {value}")
    tests = [f"z >= {line.low}"] if line.low is not None else []
    tests += [f"z <= {line.high}"] if line.high is not None else []
    return target, " and ".join(tests)


def _is_never_negative(type_: Type) -> bool:
    return isinstance(type_, NumberType) and type_.low is not None and type_.low >= 0


def _emit_add_amount(body: FunctionBuilder, line: st.AddAmount) -> None:
    target, room = emit_new_amount(body, line)
    if line.up_to:
        positive = _is_never_negative(line.amount.type)
        if line.low is not None and (line.take or not positive):
            body.add_line(f"z = {expressions.emit_extreme('max', 'z', str(line.low))}")
        if line.high is not None and not (line.take and positive):
            body.add_line(f"z = {expressions.emit_extreme('min', 'z', str(line.high))}")
        emit_write(body, target, "z")
        return
    if not room:
        emit_write(body, target, "z")
        return
    with body.indent_under(f"if {room}:"):
        emit_write(body, target, "z")
    with body.indent_under("else:"):
        if line.otherwise is None:
            body.add_line(
                f"fault_no_room({body.module.add_constant(body.module.wording.render_place(line.place))}, z, {line.low}, {line.high})"
            )
        else:
            body.emit_entry(body.site)
            body.module.emitters.block_lines(body, line.otherwise)


def _emit_add_member(body: FunctionBuilder, line: st.AddMember) -> None:
    target = resolve_place(body, line.place)
    member = expressions.emit_expression(body, line.member)
    match target.type, line.take:
        case SetType(item), False:
            value = f"{'add_plain_member' if has_plain_order(item) else 'add_set_member'}(W, {target.load}, {member})"
        case ((ListType() | DeckType()), False):
            value = f"concatenate_lists(W, {target.load}, ({member},))"
        case BagType(), False:
            value = f"sort_values(concatenate_lists(W, {target.load}, ({member},)))"
        case SetType(), True:
            value = f"remove_member({target.load}, {member})"
        case _:
            value = f"take_required_member({target.load}, {member}, {body.module.add_constant(body.module.wording.render_place(line.place))})"
    if line.take and line.otherwise is not None:
        body.add_line(f"x = {member}")
        with body.indent_under(f"if x in {target.load}:"):
            emit_write(body, target, f"remove_member({target.load}, x)")
        with body.indent_under("else:"):
            body.emit_entry(body.site)
            body.module.emitters.block_lines(body, line.otherwise)
        return
    emit_write(body, target, value)


def _emit_add_pair(body: FunctionBuilder, line: st.AddPair) -> None:
    relation = f"W[{body.module.places.relations[line.relation]}]"
    verb = "discard" if line.take else "add"
    body.add_line(f"x = {expressions.emit_expression(body, line.first)}")
    body.add_line(f"y = {expressions.emit_expression(body, line.second)}")
    name = body.module.add_constant(line.relation)
    body.emit_entry(body.site, "None", f"({name}, (x, y), (x, y) in {relation}, {not line.take})")
    body.add_line(f"z = (x, y) in {relation}")
    body.add_line(f"{relation}.{verb}((x, y))")
    if line.relation in body.module.layout.symmetric:
        body.add_line(f"{relation}.{verb}((y, x))")
    emit_mark_changed(body, line.relation, f"z != {not line.take}")


def emit_put_thing(body: FunctionBuilder, thing: Expression, kind: str, attribute: str, value: str) -> None:
    """Writes the place or facing of a thing; a fault if the thing is out of play."""
    body.add_line(f"u = {expressions.emit_unrecorded(body, thing)}")
    with body.indent_under(f"if W[{body.module.places.gone[kind]}][u]:"):
        body.add_line(f"fault_out_of_play({body.module.add_constant(body.module.wording.render_expression(thing))})")
    if attribute == "at" and strip_optional(body.module.layout.types[f"{kind}/at"]) == POINT:
        body.add_line(f"x = {value}")
        body.add_line("check_on_plane(W, x)")
        value = "x"
    elif attribute == "at" and body.module.program.boards:
        body.add_line(f"x = {value}")
        with body.indent_under(f"if x not in {BOARD_CODE} and x is not None:"):
            hexes = strip_optional(body.module.layout.types[f"{kind}/at"]) == CellType("hex")
            body.add_line(f"fault_off_board(x, {f'{CONTROL_CODE}.base.coordinates' if hexes else repr(AXIAL)})")
        value = "x"
    _emit_write_attribute(body, kind, attribute, value)


def emit_place_pose(body: FunctionBuilder, line: st.PlaceThing) -> None:
    """Writes the position of a pose, and its facing if things of the kind have one."""
    body.add_line(f"q = {expressions.emit_expression(body, line.spot)}")
    emit_put_thing(body, line.thing, line.kind, "at", "q and q[1]")
    facing = body.module.places.columns.get(f"{line.kind}/facing")
    if facing is not None:
        with body.indent_under(f"if q and W[{facing}][u] != q[2]:"):
            _emit_write_attribute(body, line.kind, "facing", "q[2]")


def emit_turn(body: FunctionBuilder, line: st.Turn) -> None:
    heading = expressions.emit_expression(body, line.heading)
    if line.face and strip_optional(body.module.layout.types[f"{line.kind}/facing"]) == ANGLE:
        text = body.module.add_constant(f"face {body.module.wording.render_expression(line.heading)}")
        thing = expressions.emit_plane_body(body, expressions.emit_unrecorded(body, line.thing), line.thing.type)
        heading = f"bearing_of({thing}, {expressions.emit_plane_body(body, heading, line.heading.type)}, {text})"
    elif line.face:
        column = f"W[{body.module.places.columns[f'{line.kind}/at']}]"
        heading = f"find_direction({column}[u], {heading}, {getattr(line.heading.type, 'space', 'hex')!r})"
    emit_put_thing(body, line.thing, line.kind, "facing", heading)


def emit_remove(body: FunctionBuilder, line: st.Remove) -> None:
    """Puts a thing out of play; reports of the removal follow, windows are opened by the exit of the block."""
    places = body.module.places
    flags = f"W[{places.gone[line.kind]}]"
    body.add_line(f"u = {expressions.emit_unrecorded(body, line.thing)}")
    name = body.module.add_constant(f"{line.kind}/gone")
    opens = bool(body.module.framing.windows.intersection(line.events))
    if opens:
        body.add_line(f"{CONTROL_CODE}.lost = None if {flags}[u] else u")
    with body.indent_under(f"if not {flags}[u]:"):
        body.emit_entry(body.site, "None", f"({name}, u, False, True)")
        body.add_line(f"{flags}[u] = True")
        body.add_line(f"W[{places.in_play[line.kind]}] = list_things_in_play({flags})")
        emit_mark_changed(body, f"{line.kind}/gone")
        if line.events and not opens:
            body.add_line(f"report_removal(W, {body.module.add_constant(line.events)}, u)")


def _emit_write_attribute(body: FunctionBuilder, kind: str, attribute: str, value: str) -> None:
    name = f"{kind}/{attribute}"
    slot = f"W[{body.module.places.columns[name]}][u]"
    emit_write(body, PlaceCode(slot, slot, "{}", name, "u", body.module.layout.types[name]), value)
