"""Lines that change things: numbers, members, places, facings, what leaves play."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rulewright.program import statements as st
from rulewright.program.types import PlaneType, SetType
from support.reference import assigned_places, event_windows, grid_geometry, plane_geometry, standing_rules
from support.reference.assigned_places import get_place_type
from support.reference.judge_requests import JudgeRequest, find_grid_space
from support.reference.operators import make_collection
from support.reference.world import Env, JudgedFault

if TYPE_CHECKING:
    from support.reference.judge import Judge

Run = Generator[JudgeRequest, Any, Any]


def put_attribute(judge: "Judge", kind: str, name: str, thing: int, value: Any) -> None:
    """Gives a thing an attribute."""
    judge.world.game.attributes[f"{kind}/{name}"][thing] = value


def check_in_play(judge: "Judge", kind: str, thing: int) -> None:
    """Only things in play move, turn and are placed."""
    if thing in judge.world.game.gone[kind]:
        raise JudgedFault("RW0815")


def add_amount(judge: "Judge", env: Env, line: st.AddAmount) -> Run:
    """`add` and `take` of numbers, at a bound `up to`, `else`, or a fault."""
    amount = yield from judge.evaluate_expression(env, line.amount)
    place = yield from assigned_places.find_place(judge, env, line.place)
    wanted = place.get() + (-amount if line.take else amount)
    low = wanted if line.low is None else max(line.low, wanted)
    nearest = low if line.high is None else min(line.high, low)
    if line.up_to or nearest == wanted:
        yield from judge.apply_change(lambda: place.put(nearest))
    elif line.otherwise is not None:
        yield from judge.play_lines(env, line.otherwise)
    else:
        raise JudgedFault("RW0803")


def add_member(judge: "Judge", env: Env, line: st.AddMember) -> Run:
    """`add` and `take` of members."""
    member = yield from judge.evaluate_expression(env, line.member)
    place = yield from assigned_places.find_place(judge, env, line.place)
    held_ = list(place.get())
    type_ = get_place_type(line.place)
    if line.take and member not in held_:
        if isinstance(type_, SetType) and line.otherwise is None:
            return
        if line.otherwise is None:
            raise JudgedFault("RW0821")
        yield from judge.play_lines(env, line.otherwise)
        return
    if line.take:
        held_.remove(member)
    else:
        held_.append(member)
    yield from judge.apply_change(lambda: place.put(make_collection(type_, held_)))


def is_on_plane(judge: "Judge", kind: str) -> bool:
    """Whether things of a kind have their places on the plane."""
    types = {each.name: each.type for each in judge.program.kinds[kind].fields}
    return PlaneType("point") in (types["at"], getattr(types["at"], "inner", None))


def put_on_plane(judge: "Judge", env: Env, line: st.Move | st.PlaceThing) -> Run:
    """`move` to a point, `place` at a pose with its facing, or off the board."""
    thing = yield from judge.evaluate_expression(env, line.thing)
    spot = yield from judge.evaluate_expression(env, line.destination if isinstance(line, st.Move) else line.spot)
    check_in_play(judge, line.kind, thing)
    at, facing = (spot, None) if isinstance(line, st.Move) or spot is None else (spot[1], spot[2])
    extent = judge.world.start.base.plane
    ends = (extent.width, extent.depth)
    if at is not None and any(end is not None and not 0 <= each <= end for each, end in zip(at, ends, strict=True)):
        raise JudgedFault("RW0820")

    def put() -> None:
        put_attribute(judge, line.kind, "at", thing, at)
        if facing is not None and f"{line.kind}/facing" in judge.world.game.attributes:
            put_attribute(judge, line.kind, "facing", thing, facing)

    yield from judge.apply_change(put)


def turn_thing(judge: "Judge", env: Env, line: st.Turn) -> Run:
    """`turn … to` and `turn … to face`."""
    thing = yield from judge.evaluate_expression(env, line.thing)
    heading = yield from judge.evaluate_expression(env, line.heading)
    check_in_play(judge, line.kind, thing)
    if line.face and is_on_plane(judge, line.kind):
        faced = plane_geometry.make_body(judge.world, heading, line.heading.type)
        heading = plane_geometry.measure_bearing(plane_geometry.make_body(judge.world, thing, line.thing.type), faced)
    elif line.face:
        here = judge.world.game.attributes[f"{line.kind}/at"][thing]
        if here == heading or here is None:
            raise JudgedFault("RW0806")
        heading = grid_geometry.find_direction(here, heading, find_grid_space(judge.world))
    yield from judge.apply_change(lambda: put_attribute(judge, line.kind, "facing", thing, heading))


def remove_thing(judge: "Judge", env: Env, line: st.Remove) -> Run:
    """Out of play; windows on removal come right after, or after the block of a `together`."""
    thing = yield from judge.evaluate_expression(env, line.thing)
    if thing in judge.world.game.gone[line.kind]:
        return
    judge.world.game.gone[line.kind].add(thing)
    judge.world.known.clear()
    if judge.together:
        judge.postponed += [(event, thing) for event in line.events]
        return
    for event in line.events:
        yield from event_windows.trigger_event(judge, judge.program.events[event], (thing,), line.address)
    yield from standing_rules.settle_rules(judge)


def carry_out_together(judge: "Judge", env: Env, line: st.Together) -> Run:
    """Nothing settles between its lines."""
    judge.quiet += 1
    judge.together += 1
    before = judge.world.game.copy()
    try:
        yield from judge.play_lines(env, line.block)
    finally:
        judge.quiet -= 1
        judge.together -= 1
    if not judge.together:
        postponed, judge.postponed = judge.postponed, []
        for event, thing in postponed:
            yield from event_windows.trigger_event(judge, judge.program.events[event], (thing,), line.address)
    if judge.world.game != before:
        yield from standing_rules.settle_rules(judge)
