"""Windows: watches, handlers in their order, the first taker."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from rulewright.program.declarations import (
    Event,
    Handler,
    Watch,
)
from support.reference import standing_rules
from support.reference.calls import Call, FinishCall
from support.reference.evaluation import bind_member, evaluate, get_kind, list_bound_members
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Env, locate_faults

if TYPE_CHECKING:
    from support.reference.judge import Judge

Run = Generator[JudgeRequest, Any, Any]


def trigger_event(judge: "Judge", event: Event, given: tuple[Any, ...], address: str) -> Run:
    """Watches, outermost first; then handlers, by owner in the event's order; gives what they finished with."""
    for running in list(judge.calls):
        for watch in running.watches:
            if watch.event == event.name:
                yield from tell_watch(judge, running, watch, given)
    waiting = yield from list_waiting_handlers(judge, event, given)
    gained: list[Any] = []
    for owner in list_owners(judge, event, given, waiting):
        group = [each for each in waiting if find_handler_owner(judge, *each) == owner]
        if event.first_taker:
            if (yield from let_player_take(judge, group, given, address, owner, gained)):
                break
            continue
        if len(group) > 1:
            labels = tuple(label_handler(judge, *each) for each in group)
            order = yield JudgeRequest("handlers", address, owner, items=labels)
            group = [group[labels.index(each)] for each in order]
        for handler, item in group:
            yield from offer_handler(judge, handler, item, given, owner, gained)
    return tuple(gained)


def let_player_take(
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
        env = bind_member(bind_handler(handler, given), handler.binding, item)
        if (yield from _is_ready(judge, handler, env)):
            open_.append((handler, item))
    if not open_:
        return False
    may_pass = not [each for each, _ in open_ if not each.optional]
    taken = open_[0]
    if len(open_) > 1:
        numbers = (*range(len(open_)), None) if may_pass else tuple(range(len(open_)))
        number = yield JudgeRequest("taker", address, owner, legal=numbers)
        if number is None:
            return False
        taken = open_[number]
    elif may_pass and not (yield JudgeRequest("handler", taken[0].name, owner, legal=(True, False))):
        return False
    yield from run_handler(judge, *taken, given, gained)
    return True


def tell_watch(judge: "Judge", running: Call, watch: Watch, given: tuple[Any, ...]) -> Run:
    """A watch hears of an event; it changes names of its call only."""
    running.env.update({each.index: value for each, value in zip(watch.parameters, given, strict=True)})
    with locate_faults(watch.address):
        hears = watch.guard is None or (yield from judge.evaluate_expression(running.env, watch.guard))
    if hears:
        yield from judge.play_lines(running.env, watch.block)


def list_waiting_handlers(judge: "Judge", event: Event, given: tuple[Any, ...]) -> Run:
    """Handlers in file order, each with the holders whose `when` holds."""
    handlers = [each for each in judge.program.handlers.values() if each.event == event.name]
    if not handlers:
        return []
    holders = None
    if event.holders is not None:
        with locate_faults(handlers[0].name):
            holders = yield from judge.evaluate_expression(bind_event(event, given), event.holders)
    waiting = []
    for handler in handlers:
        inside = bind_handler(handler, given)
        with locate_faults(handler.name):
            found = yield from judge.compute_with_externals(
                lambda handler=handler, inside=inside: list(list_bound_members(judge.world, inside, handler.binding))
            )
            for item, inner in found:
                if (holders is None or item in holders) and (yield from _is_ready(judge, handler, inner)):
                    waiting.append((handler, item))
    return waiting


def _is_ready(judge: "Judge", handler: Handler, env: Env) -> Run:
    with locate_faults(handler.name):
        return handler.guard is None or (yield from judge.evaluate_expression(env, handler.guard))


def bind_event(event: Event, given: tuple[Any, ...]) -> Env:
    """An event's parameters."""
    return {each.index: value for each, value in zip(event.parameters, given, strict=True)}


def bind_handler(handler: Handler, given: tuple[Any, ...]) -> Env:
    """A handler's names: the first are the event's parameters."""
    return {each.index: value for each, value in zip(handler.variables, given, strict=False)}


def find_handler_owner(judge: "Judge", handler: Handler, item: Any) -> Any:
    """Whose handler it is: the owner of the holder, or the player that holds it."""
    kind = get_kind(handler.binding.variables[0].type)  # type: ignore[union-attr]
    return item if kind == "player" else judge.world.game.attributes[f"{kind}/owner"][item]


def list_owners(judge: "Judge", event: Event, given: tuple[Any, ...], waiting: list[tuple[Handler, Any]]) -> list[Any]:
    """Owners in the event's order, those it does not list last."""
    env = bind_event(event, given)
    listed = () if event.order is None else evaluate(judge.world, env, event.order)
    owning = {find_handler_owner(judge, *each) for each in waiting}
    return [each for each in dict.fromkeys((*listed, *sorted(owning))) if each in owning]


def label_handler(judge: "Judge", handler: Handler, item: Any) -> str:
    """What an order of handlers is told by."""
    kind = get_kind(handler.binding.variables[0].type)  # type: ignore[union-attr]
    return f"{handler.name}: {judge.world.start.base.things[kind][item]}"


def offer_handler(
    judge: "Judge", handler: Handler, item: Any, given: tuple[Any, ...], owner: Any, gained: list[Any]
) -> Run:
    """One handler of a window: tested again, asked where it is optional, run, settled."""
    env = bind_member(bind_handler(handler, given), handler.binding, item)
    if not (yield from _is_ready(judge, handler, env)):
        return
    if handler.optional and not (yield JudgeRequest("handler", handler.name, owner, legal=(True, False))):
        return
    yield from run_handler(judge, handler, item, given, gained)


def run_handler(judge: "Judge", handler: Handler, item: Any, given: tuple[Any, ...], gained: list[Any]) -> Run:
    """A handler and the settling after it."""
    env = bind_member(bind_handler(handler, given), handler.binding, item)
    try:
        yield from judge.play_lines(env, handler.block)
    except FinishCall as finish:
        if finish.given:
            gained.append(finish.value)
    yield from standing_rules.settle_rules(judge)
