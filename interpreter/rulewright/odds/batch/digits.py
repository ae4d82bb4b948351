"""WebAssembly for where things lie, and for values that are digits of a number: records, tuples, maps."""

from typing import Any

from rulewright.odds.batch.shapes import NONE
from rulewright.odds.batch.writer import Body, Module, constant, held
from rulewright.program import types as ty
from rulewright.program.types import Type, present


def places(module: Module) -> Any:
    """Where things lie in the working memory of a run."""
    return module.executable.places


def in_play(module: Module, kind: str) -> int:
    """Where the set of the things of a kind that are in play lies."""
    members = ty.SetType(ty.ThingType(kind))
    at = places(module).in_play[kind]
    return module.place(f"{kind}/gone", lambda: [module.shapes.held(module.world[at], members)])


def column(module: Module, kind: str, name: str) -> int:
    """Where an attribute of the things of a kind lies."""
    of = f"{kind}/{name}"
    type_, at = module.executable.layout.types[of], places(module).columns[of]
    return module.place(of, lambda: [module.shapes.held(each, type_) for each in module.world[at]])


def game(module: Module, name: str) -> int:
    """Where a field of the game lies."""
    type_ = module.executable.layout.types[f"game/{name}"]
    return module.place(f"game/{name}", lambda: [module.shapes.held(module.world[places(module).game[name]], type_)])


def of_cells(module: Module, board: str, name: str) -> int:
    """Where an attribute of the cells of a board lies."""
    of = f"{board}/{name}"
    type_, start = module.executable.layout.types[of], module.executable.layout.starts[of]
    at, cells = places(module).cells[of], module.shapes.cells
    return module.place(of, lambda: [module.shapes.held(module.world[at].get(each, start), type_) for each in cells])


def number_of(body: Body, code: str, type_: Type) -> str:
    """The number of a value among those of its type."""
    body.module.shapes.size(type_)
    lowest = body.module.shapes.lowest(present(type_))
    if isinstance(type_, ty.OptionalType):
        name = body.temporary(code)
        none = f"(i64.eq {held(name)} {constant(NONE)})"
        return f"(select (i64.const 0) (i64.sub {held(name)} {constant(lowest - 1)}) {none})"
    return code if not lowest else f"(i64.sub {code} {constant(lowest)})"


def value_of_number(body: Body, code: str, type_: Type) -> str:
    """The value of a number among those of a type."""
    lowest = body.module.shapes.lowest(present(type_))
    if isinstance(type_, ty.OptionalType):
        name = body.temporary(code)
        return f"(select {constant(NONE)} (i64.add {held(name)} {constant(lowest - 1)}) (i64.eqz {held(name)}))"
    return code if not lowest else f"(i64.add {code} {constant(lowest)})"


def digits(body: Body, codes: list[str], type_: Type) -> str:
    """A record or tuple made of the values of its parts."""
    found = constant(0)
    shapes = body.module.shapes
    shapes.size(type_)
    for code, part, weight in zip(codes, shapes.parts(type_), shapes.weights(type_), strict=True):
        found = f"(i64.add {found} (i64.mul {number_of(body, code, part)} {constant(weight)}))"
    return found


def digit(body: Body, code: str, type_: Type, position: int) -> str:
    """A part of a record or tuple."""
    shapes = body.module.shapes
    part, weight = shapes.parts(type_)[position], shapes.weights(type_)[position]
    found = f"(i64.rem_u (i64.div_u {code} {constant(weight)}) {constant(shapes.size(part))})"
    return value_of_number(body, found, part)


def _weight(body: Body, key: str, type_: ty.MapType) -> str:
    """What the entry of a key counts for."""
    body.module.shapes.size(type_)
    weights = body.module.shapes.weights(type_)
    base = body.module.table(("weights", type_), lambda: list(weights))
    return f"(i64.load (i32.add {base} (i32.shl (i32.wrap_i64 {key}) (i32.const 3))))"


def entry(body: Body, code: str, key: str, type_: ty.MapType, *, present_: bool = False) -> str:
    """What a map has for a key; where it must not be none and is, the play is given back."""
    part = body.module.shapes.parts(type_)[0]
    size = constant(body.module.shapes.size(part))
    found = value_of_number(body, f"(i64.rem_u (i64.div_u {code} {_weight(body, key, type_)}) {size})", part)
    if not present_ or isinstance(type_.value, ty.OptionalType):
        return found
    name = body.temporary(found)
    body.unless(f"(i64.ne {held(name)} {constant(NONE)})", "a map has no value for a key")
    return held(name)


def with_entry(body: Body, code: str, key: str, new: str, type_: ty.MapType) -> str:
    """A map with another value for a key."""
    part = body.module.shapes.parts(type_)[0]
    before, weight = body.temporary(code), body.temporary(_weight(body, key, type_))
    old = f"(i64.rem_u (i64.div_u {held(before)} {held(weight)}) {constant(body.module.shapes.size(part))})"
    change = f"(i64.mul (i64.sub {number_of(body, new, part)} {old}) {held(weight)})"
    return f"(i64.add {held(before)} {change})"


def larger(body: Body, one: str, other: str, *, least: bool) -> str:
    """The larger of two numbers, or the least."""
    first, second = body.temporary(one), body.temporary(other)
    compares = "lt_s" if least else "gt_s"
    return f"(select {held(first)} {held(second)} (i64.{compares} {held(first)} {held(second)}))"
