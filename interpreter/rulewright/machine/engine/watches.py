"""Watches of running calls, and removals that open no window."""

from typing import Any

from rulewright.machine.engine.frames import Frame
from rulewright.machine.world import World


def watch(world: World, frame: Frame, number: int) -> None:
    """Lets a watch hear from now on."""
    event, function = world[0].tables.watches[number]
    world[0].watching = [*world[0].watching, (number, frame, event, function)]


def tell(world: World, event: str, given: tuple[Any, ...]) -> None:
    """Tells the watches of running calls, outermost first."""
    for _, frame, heard, function in world[0].watching:
        if heard == event:
            function(world, frame, *given)


def report(world: World, events: tuple[str, ...], thing: int) -> None:
    """Tells of a removal that opens no window, now or at the end of `together`."""
    control = world[0]
    if control.together:
        control.removals = [*control.removals, *((event, 0, thing) for event in events)]
        return
    for event in events:
        tell(world, event, (thing,))


def reported(world: World) -> None:
    """Tells of the removals in a `together` that has ended, where none opens a window."""
    waiting, world[0].removals = world[0].removals, []
    for event, _, thing in waiting:
        tell(world, event, (thing,))
