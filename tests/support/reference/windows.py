"""Windows: watches, handlers in their order, the first taker."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rulewright.program.declarations import (
    Event,
    Handler,
    Watch,
)
from support.reference import settling
from support.reference.asked import Asked
from support.reference.calls import Call, Finish
from support.reference.evaluate import bound, evaluate, kind_of, members
from support.reference.world import Env

if TYPE_CHECKING:
    from support.reference.perform import Judge

Run = Generator[Asked, Any, Any]


def trigger(judge: "Judge", event: Event, given: tuple[Any, ...], address: str) -> Run:
    """Watches, outermost first; then handlers, by owner in the event's order; gives what they finished with."""
    for running in list(judge.calls):
        for watch in running.watches:
            if watch.event == event.name:
                yield from tell(judge, running, watch, given)
    waiting = yield from collect(judge, event, given)
    gained: list[Any] = []
    for owner in owners(judge, event, given, waiting):
        group = [each for each in waiting if owner_of(judge, *each) == owner]
        if event.first_taker:
            if (yield from takes(judge, group, given, address, owner, gained)):
                break
            continue
        if len(group) > 1:
            labels = tuple(label(judge, *each) for each in group)
            order = yield Asked("handlers", address, owner, items=labels)
            group = [group[labels.index(each)] for each in order]
        for handler, item in group:
            yield from handle(judge, handler, item, given, owner, gained)
    return tuple(gained)


def takes(
    judge: "Judge",
    group: list[tuple[Handler, Any]],
    given: tuple[Any, ...],
    address: str,
    owner: Any,
    gained: list[Any],
) -> Run:
    """One player takes a handler, or none where every one is optional; whether one ran."""
    open_ = []
    for handler, item in group:
        env = bound(handler_env(handler, given), handler.binding, item)
        if handler.guard is None or (yield from judge.value(env, handler.guard)):
            open_.append((handler, item))
    if not open_:
        return False
    may_pass = not [each for each, _ in open_ if not each.optional]
    taken = open_[0]
    if len(open_) > 1:
        numbers = (*range(len(open_)), None) if may_pass else tuple(range(len(open_)))
        number = yield Asked("taker", address, owner, legal=numbers)
        if number is None:
            return False
        taken = open_[number]
    elif may_pass and not (yield Asked("handler", taken[0].name, owner, legal=(True, False))):
        return False
    yield from run_handler(judge, *taken, given, gained)
    return True


def tell(judge: "Judge", running: Call, watch: Watch, given: tuple[Any, ...]) -> Run:
    """A watch hears of an event; it changes names of its call only."""
    running.env.update({each.index: value for each, value in zip(watch.parameters, given, strict=True)})
    if watch.guard is None or (yield from judge.value(running.env, watch.guard)):
        yield from judge.lines(running.env, watch.block)


def collect(judge: "Judge", event: Event, given: tuple[Any, ...]) -> Run:
    """Handlers in file order, each with the holders whose `when` holds."""
    if event.holders is None:
        return []
    env = event_env(event, given)
    holders = yield from judge.value(env, event.holders)
    waiting = []
    for handler in judge.program.handlers.values():
        if handler.event != event.name:
            continue
        inside = handler_env(handler, given)
        found = yield from judge.computed(
            lambda handler=handler, inside=inside: list(members(judge.world, inside, handler.binding))
        )
        for item, inner in found:
            if item in holders and (handler.guard is None or (yield from judge.value(inner, handler.guard))):
                waiting.append((handler, item))
    return waiting


def event_env(event: Event, given: tuple[Any, ...]) -> Env:
    """An event's parameters."""
    return {each.index: value for each, value in zip(event.parameters, given, strict=True)}


def handler_env(handler: Handler, given: tuple[Any, ...]) -> Env:
    """A handler's names: the first are the event's parameters."""
    return {each.index: value for each, value in zip(handler.variables, given, strict=False)}


def owner_of(judge: "Judge", handler: Handler, item: Any) -> Any:
    """Whose handler it is: the owner of the holder, or the player that holds it."""
    kind = kind_of(handler.binding.variables[0].type)  # type: ignore[union-attr]
    return item if kind == "player" else judge.world.game.attributes[f"{kind}/owner"][item]


def owners(judge: "Judge", event: Event, given: tuple[Any, ...], waiting: list[tuple[Handler, Any]]) -> list[Any]:
    """Owners in the event's order, those it does not list last."""
    env = event_env(event, given)
    listed = () if event.order is None else evaluate(judge.world, env, event.order)
    owning = {owner_of(judge, *each) for each in waiting}
    return [each for each in dict.fromkeys((*listed, *sorted(owning))) if each in owning]


def label(judge: "Judge", handler: Handler, item: Any) -> str:
    """What an order of handlers is told by."""
    kind = kind_of(handler.binding.variables[0].type)  # type: ignore[union-attr]
    return f"{handler.name}: {judge.world.start.base.things[kind][item]}"


def handle(judge: "Judge", handler: Handler, item: Any, given: tuple[Any, ...], owner: Any, gained: list[Any]) -> Run:
    """One handler of a window: tested again, asked where it is optional, run, settled."""
    env = bound(handler_env(handler, given), handler.binding, item)
    if handler.guard is not None and not (yield from judge.value(env, handler.guard)):
        return
    if handler.optional and not (yield Asked("handler", handler.name, owner, legal=(True, False))):
        return
    yield from run_handler(judge, handler, item, given, gained)


def run_handler(judge: "Judge", handler: Handler, item: Any, given: tuple[Any, ...], gained: list[Any]) -> Run:
    """A handler and the settling after it."""
    env = bound(handler_env(handler, given), handler.binding, item)
    try:
        yield from judge.lines(env, handler.block)
    except Finish as finish:
        if finish.given:
            gained.append(finish.value)
    yield from settling.settle(judge)
