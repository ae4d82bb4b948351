"""Python for places of core: how they are read and written, and what follows from a change of the game."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import assert_never

from rulewright.base.node_roles import walk_nodes
from rulewright.program import statements as st
from rulewright.program.core import forms as core
from rulewright.runtime.generate import expressions
from rulewright.runtime.generate.writer import CONTROL_CODE, UNSETTLED_CODE, FunctionBuilder


@dataclass(frozen=True, slots=True)
class PlaceCode:
    """Python for a place."""

    load: str  # Python that reads it
    root: str  # assigned place: a name, a column entry, a game field, or the pair of a cell table
    wrap: str  # new value of the root, with `{}` for the new value of the place
    name: str  # `Kind/attribute`, `game/field`, `board/attribute`, or the name
    key: str  # Python for the thing or cell, else for the outermost entry, or `None`


def resolve_place(body: FunctionBuilder, place: core.Place) -> PlaceCode:
    """Python for a place, whose keys are names and constants."""
    result = _resolve_root(body, place.root)
    for inside in place.path:
        match inside:
            case core.EntryOf(key=key):
                at = expressions.emit_unrecorded(body, key)
                load = f"get_map_entry({result.load}, {at})"
                if result.wrap == "{}":
                    load = f"{result.load}.entries.get({at}, {result.load}.default)"
                result = _nest(result, load, f"{result.load}.with_entry({at}, {{}})", at)
            case core.ItemOf(position=position):
                at = expressions.emit_unrecorded(body, position)
                load = f"get_list_item({result.load}, {at})"
                result = _nest(result, load, f"replace_list_item({result.load}, {at}, {{}})", at)
            case core.PartOf(position=number):
                load = f"{result.load}[{number}]"
                result = _nest(result, load, f"replace_record_part({result.load}, {number}, {{}})", "None")
            case _:
                assert_never(inside)
    return result


def _nest(outer: PlaceCode, load: str, wrap: str, key: str) -> PlaceCode:
    of = key if outer.key == "None" else outer.key
    return PlaceCode(load, outer.root, outer.wrap.replace("{}", wrap), outer.name, of)


def emit_held_value(body: FunctionBuilder, stored: core.Set) -> None:
    """Computes what a line needs several times; a thing or cell of which something is written is no read of its own."""
    value = stored.value
    is_owner = any(value.origin is owner for owner in _list_owners(stored.origin))
    code = (expressions.emit_unrecorded if is_owner else expressions.emit_expression)(body, value)
    assert isinstance(stored.place.root, core.Local)
    body.add_line(f"{body.variable_place(stored.place.root)} = {code}")


def _list_owners(line: object) -> list[object]:
    """The things and cells whose attributes a line writes."""
    place = getattr(line, "place", None)
    owners: list[object] = [
        node.target for node in walk_nodes(place) if isinstance(node, st.AttributePlace | st.CellPlace)
    ]
    return [*owners, line.thing] if isinstance(line, st.Move | st.PlaceThing | st.Turn | st.Remove) else owners


def _resolve_root(body: FunctionBuilder, root: core.Local | core.StoreRoot) -> PlaceCode:
    places = body.module.places
    match root:
        case core.Local(name=name):
            variable = body.variable_place(root)
            return PlaceCode(variable, variable, "{}", name, "None")
        case core.GameField(name=name):
            slot = f"W[{places.game[name]}]"
            return PlaceCode(slot, slot, "{}", f"game/{name}", "None")
        case core.Attribute(kind=kind, name=name, thing=thing):
            of = expressions.emit_unrecorded(body, thing)
            slot = f"W[{places.columns[f'{kind}/{name}']}][{of}]"
            return PlaceCode(slot, slot, "{}", f"{kind}/{name}", of)
        case core.Gone(kind=kind, thing=thing):
            of = expressions.emit_unrecorded(body, thing)
            slot = f"W[{places.gone[kind]}][{of}]"
            return PlaceCode(slot, slot, "{}", f"{kind}/gone", of)
        case core.CellAttribute(board=board, name=name, cell=cell):
            of, table = expressions.emit_unrecorded(body, cell), f"W[{places.cells[f'{board}/{name}']}]"
            start = body.module.add_constant(body.module.layout.starts[f"{board}/{name}"])
            return PlaceCode(f"{table}.get({of}, {start})", f"{table}[{of}]", "{}", f"{board}/{name}", of)
        case _:
            raise TypeError(f"{type(root).__name__} is not written by a line")


def emit_store(body: FunctionBuilder, target: PlaceCode, value: str) -> None:
    body.add_line(f"{target.root} = {target.wrap.replace('{}', value)}")


def emit_mark_changed(body: FunctionBuilder, name: str, test: str = "True") -> None:
    """Marks what reads a place as unsettled; if its value changed, values of external terms are forgotten."""
    mask = body.module.combine_masks(frozenset({name}))
    if mask:
        body.add_line(f"{UNSETTLED_CODE} |= {mask}")
    if body.module.frames.may_want_values:
        with body.indent_under(f"if {test}:"):
            body.add_line(f"{CONTROL_CODE}.known.clear()")


def emit_write(body: FunctionBuilder, place: core.Place, value: str) -> None:
    """Writes a place, records the change, and marks what reads it."""
    match place.root:
        case core.Pair() as pair:
            _emit_pair(body, pair, value)
            return
        case core.Gone(kind=kind):
            target = resolve_place(body, place)
            name = body.module.add_constant(target.name)
            body.emit_entry(body.site, "None", f"({name}, {target.key}, False, True)")
            emit_store(body, target, value)
            flags = f"W[{body.module.places.gone[kind]}]"
            body.add_line(f"W[{body.module.places.in_play[kind]}] = list_things_in_play({flags})")
            emit_mark_changed(body, target.name)
            return
    target = resolve_place(body, place)
    if body.records_results or body.module.frames.may_want_values:
        body.add_line(f"y = {target.load}")
    if body.records_results:
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


def _emit_pair(body: FunctionBuilder, pair: core.Pair, value: str) -> None:
    """Makes a relation hold between two things, or no longer."""
    relation, verb = f"W[{body.module.places.relations[pair.relation]}]", "add" if value == "True" else "discard"
    first, second = (expressions.emit_unrecorded(body, thing) for thing in (pair.first, pair.second))
    name = body.module.add_constant(pair.relation)
    body.emit_entry(body.site, "None", f"({name}, ({first}, {second}), ({first}, {second}) in {relation}, {value})")
    body.add_line(f"z = ({first}, {second}) in {relation}")
    body.add_line(f"{relation}.{verb}(({first}, {second}))")
    if pair.symmetric:
        body.add_line(f"{relation}.{verb}(({second}, {first}))")
    emit_mark_changed(body, pair.relation, f"z != {value}")
