"""Python that reads and writes places."""

from dataclasses import dataclass

from rulewright.machine.generate import expressions
from rulewright.machine.generate.writer import Body
from rulewright.program import statements as st
from rulewright.program.expressions import Expression
from rulewright.program.types import MapType, Type


@dataclass(frozen=True, slots=True)
class Target:
    """A place whose thing, cell and keys are computed.

    Attributes:
        load: Python that reads it.
        root: the place that is assigned to: a name, a column entry, a game field, or the pair of a cell table.
        wrap: the new value of the root, with `{}` where the new value of the place stands.
        name: `Kind/attribute`, `game/field`, `board/attribute`, or the name.
        key: Python for the thing or cell, else for the outermost entry, or `None`.
        type: of the place.
    """

    load: str
    root: str
    wrap: str
    name: str
    key: str
    type: Type


def resolved(body: Body, place: st.Place) -> Target:
    """A place with everything computed that says which one it is."""
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
        return Target(f"entry({outer.load}, {at})", outer.root, wrap, outer.name, of, type_)
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
