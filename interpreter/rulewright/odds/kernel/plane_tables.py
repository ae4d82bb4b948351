"""Distances, contact and sight of things on the plane, as tables of the start: what moves a thing gives the play back.

Round bases may be turned; arcs are tables by facing.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from rulewright.odds.kernel.kernel_module import KernelModule, column_address
from rulewright.odds.kernel.routine_code import OperationTable, RoutineCode
from rulewright.odds.kernel.value_shapes import NONE_CODE, WORD_BYTES, BatchUnsupportedError
from rulewright.odds.kernel.wasm_assembler import Code, choose, test_const
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.types import strip_optional
from rulewright.runtime import plane_bodies
from rulewright.runtime.faults import Fault
from rulewright.runtime.geometry import FULL_TURN_DEG
from rulewright.runtime.working_memory import find_plane_columns

PLANE_NUMBERS: dict[str, Callable[..., Any]] = {
    "gap": plane_bodies.gap_of,
    "plane distance": plane_bodies.distance_of,
    "bearing": plane_bodies.bearing_of,
}
"""Operations on two bodies that give a number, by a quotient of two whole ones."""
PLANE_TESTS: dict[str, Callable[..., Any]] = {
    "contact": plane_bodies.contact_of,
    "touches": plane_bodies.touches_of,
    "overlaps": plane_bodies.overlaps_of,
    "aboard": plane_bodies.aboard_of,
    "sees": plane_bodies.sees_of,
}
"""Operations on two bodies that give a flag."""
PLANE_OPERATIONS = OperationTable()
_MAX_ENTRIES = 1 << 12
_PAIR = 2


@PLANE_OPERATIONS.register(*PLANE_TESTS, "in arc")
def _test_bodies(c: RoutineCode, node: core.Op) -> Code:
    """Whether something holds between two things; not if one of them is out of play."""
    kinds, things, place = _place_table(c, node)
    in_play = [_is_in_play(c, *each) for each in zip(kinds, things, strict=True)]
    return choose(in_play[0] & in_play[1], place.load().ne(0), test_const(value=False))


def measure_bodies(c: RoutineCode, node: core.Op) -> tuple[Code, Code]:
    """A number between two things in play, as a quotient of whole numbers."""
    kinds, things, place = _place_table(c, node)
    for each in zip(kinds, things, strict=True):
        c.require(_is_in_play(c, *each), "a distance from something that is not on the board")
    c.require(place.load().ne(NONE_CODE), "a distance from something that is not on the board")
    return place.load(), place.load(WORD_BYTES)


def _is_in_play(c: RoutineCode, kind: str, thing: Code) -> Code:
    return ~c.module.is_gone(kind, thing)


def _place_table(c: RoutineCode, node: core.Op) -> tuple[tuple[str, str], tuple[Code, Code], Code]:
    """Kinds and numbers of the two things, and the address of their entry."""
    module, shapes = c.module, c.module.shapes
    bodies, rest = node.arguments[:_PAIR], node.arguments[_PAIR:]
    types = [strip_optional(each.type) for each in bodies]  # type: ignore[arg-type]
    facts = [each.value for each in rest if isinstance(each, core.Const)]
    if (
        module.is_exhaustive
        or len(facts) != (node.name == "in arc")
        or not all(isinstance(each, ty.ThingType) for each in types)
    ):
        raise BatchUnsupportedError(f"`{node.name}`")
    first, second = (each.kind for each in types if isinstance(each, ty.ThingType))
    if node.name == "sees" and _may_walls_change(module):
        raise BatchUnsupportedError("`sees` where walls may change")
    counts = shapes.thing_counts[first], shapes.thing_counts[second]
    turns = FULL_TURN_DEG if facts else 1
    if counts[0] * counts[1] * turns > _MAX_ENTRIES:
        raise BatchUnsupportedError(f"`{node.name}` of very many things")
    width = 2 * WORD_BYTES if node.name in PLANE_NUMBERS else WORD_BYTES
    address = module.place_table(
        (node.name, first, second, *facts), lambda: _tabulate(module, node.name, (first, second), *facts)
    )
    things = c.hold(c.present(bodies[0])), c.hold(c.present(bodies[1]))
    for kind, thing in zip((first, second), things, strict=True):
        may_turn = (facts and thing is things[0]) or (node.name != "bearing" and _is_round(module, kind))
        _require_unmoved(c, kind, thing, [each for each in node.facts[1] if not may_turn or each != f"{kind}/facing"])
    index = things[0] * counts[1] + things[1]
    if facts:
        facing = c.hold(column_address(module.find_place(f"{first}/facing"), things[0]).load())
        c.require(facing.operate("lt_u", turns), "a facing between whole degrees")
        index = index * turns + facing
    return (first, second), things, c.hold(index * width + address)


def _is_round(module: KernelModule, kind: str) -> bool:
    """Whether all bases of a kind are round at the start."""
    columns = find_plane_columns(module.program, kind, module.executable.places)
    bases = () if columns is None or columns.base is None else module.world[columns.base]
    return all(base is None or base[0] == "round" for base in bases)


def _require_unmoved(c: RoutineCode, kind: str, thing: Code, places: Sequence[str]) -> None:
    """Gives the play back if a thing does not stand as at the start."""
    for name in places:
        place = c.module.places.get(name)
        if place is not None and place.is_attribute and name.startswith(f"{kind}/"):
            address = column_address(place, thing)
            same = address.load().eq((address + c.module.copy_distance).load())
            c.require(same, "a distance from something that was moved")


def _may_walls_change(module: KernelModule) -> bool:
    """Whether a play may change what stands in the way of sight."""
    tables, slots = module.executable.tables, module.executable.places.in_play
    walls = {kind for kind, slot in slots.items() for in_play, _ in tables.walls if slot == in_play}
    written = [place.root for places in module.facts.stores.values() for place in places]
    return any(isinstance(root, core.Gone | core.Attribute) and root.kind in walls for root in written)


def _tabulate(module: KernelModule, name: str, kinds: tuple[str, str], *degrees: Any) -> list[int]:
    world, words = module.world, list[int]()
    columns = [find_plane_columns(module.program, kind, module.executable.places) for kind in kinds]
    things = [range(module.shapes.thing_counts[kind]) for kind in kinds]
    for pair in product(*things):
        bodies = [
            None if of is None else plane_bodies.body_of_thing(world, of, thing)
            for of, thing in zip(columns, pair, strict=True)
        ]
        if name == "in arc":
            turned = [bodies[0] and bodies[0]._replace(facing=facing) for facing in range(FULL_TURN_DEG)]
            words += [int(plane_bodies.in_arc_of(world, body, bodies[1], *degrees)) for body in turned]
            continue
        if name in PLANE_TESTS:
            words.append(int(PLANE_TESTS[name](world, *bodies)))
            continue
        try:
            number = Fraction(PLANE_NUMBERS[name](*bodies, ""))
            words += [number.numerator, number.denominator]
        except Fault:
            words += [NONE_CODE, 1]
    return words


@PLANE_OPERATIONS.register(*PLANE_NUMBERS)
def _emit_plane_number(c: RoutineCode, node: core.Op) -> Code:
    upper, lower = map(c.hold, measure_bodies(c, node))
    c.require(lower.eq(1), "a fraction")
    return upper
