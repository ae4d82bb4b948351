"""Settling: standing rules are tried until none applies."""

from typing import Any

from rulewright.machine import codes
from rulewright.machine.engine.frames import SETTLE_BLOCK, SETTLING, SWITCH, Frame, call, note, push_window
from rulewright.machine.engine.invariants import judge_invariants
from rulewright.machine.faults import Fault
from rulewright.machine.world import QUIET, RECORD, STACK, UNSETTLED, RuleTable, World


def settling(world: World) -> int:
    """Pushes a settling, and on top the windows of removals that waited for the end of `together`."""
    control = world[0]
    if world[UNSETTLED] and not world[QUIET]:
        world[STACK].append([SETTLE_BLOCK, SETTLING, 0, 0, None, None])
    if control.removals and not control.together:
        waiting, control.removals = control.removals, []
        for event, site, thing in reversed(waiting):
            push_window(world, event, site, 0, (thing,))
    return SWITCH


def settle(world: World) -> None:
    """Settles where every standing rule is a plain function."""
    rules, held = world[0].tables.rules, world[0].held
    tried = True
    while tried:
        tried = False
        for rule in rules:
            if world[UNSETTLED] & rule.bit and not (held and _held(world, rule)):
                found = rule.find(world)
                if found is not None:
                    _fire(world, rule, found)
                    tried = True
                    break
                world[UNSETTLED] ^= rule.bit
    if world[UNSETTLED] and not held:
        judge_invariants(world)


def due(world: World) -> bool:
    """Whether a settling can do anything: rules that are held stay unsettled until they are let go."""
    if not world[0].held:
        return bool(world[UNSETTLED])
    return any(world[UNSETTLED] & rule.bit and not _held(world, rule) for rule in world[0].tables.rules)


def _held(world: World, rule: RuleTable) -> bool:
    held = world[0].held
    return bool(held) and any(rule.number in rules for rules, _ in held)


def _fire(world: World, rule: RuleTable, found: tuple[Any, ...]) -> None:
    before = _measures(world)
    world[QUIET] += 1
    note(world, rule.site, found)
    rule.plain(world, *found)  # type: ignore[misc]
    note(world, rule.site + 1, found)
    world[QUIET] -= 1
    _must_fall(world, rule, before)


def _measures(world: World) -> tuple[int, ...]:
    record = world[RECORD]
    length = 0 if record is None else len(record)
    measures = tuple(each.lowers(world) for each in world[0].tables.rules)
    if record is not None:
        del record[length:]
    return measures


def _must_fall(world: World, rule: RuleTable, before: tuple[int, ...]) -> None:
    after = _measures(world)
    if not after < before or min(after) < 0:
        raise Fault(
            codes.MEASURE_NOT_LOWERED, f"`{rule.name}` fired and its measure did not become smaller", site=rule.site
        )


def settle_block(world: World, frame: Frame) -> int:
    """Settles where a standing rule may suspend: one firing at a time."""
    control = world[0]
    if frame[4] is not None:
        world[QUIET] -= 1
        rule = control.tables.rules[frame[4]]
        frame[4] = None
        _must_fall(world, rule, frame[5])
    for number, rule in enumerate(control.tables.rules):
        if not world[UNSETTLED] & rule.bit or _held(world, rule):
            continue
        found = rule.find(world)
        if found is None:
            world[UNSETTLED] &= ~rule.bit
        elif rule.plain is not None:
            _fire(world, rule, found)
            return SWITCH
        else:
            frame[5] = _measures(world)
            frame[4] = number
            world[QUIET] += 1
            note(world, rule.site, found)
            return call(world, rule.flow, rule.site, 0, found)
    judge_invariants(world)
    world[STACK].pop()
    return SWITCH
