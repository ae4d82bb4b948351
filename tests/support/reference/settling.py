"""Settling: standing rules until none applies, then what always holds."""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from rulewright.program.declarations import (
    Invariant,
    StandingRule,
)
from support.reference.asked import Asked
from support.reference.calls import Finish
from support.reference.evaluate import evaluate, members
from support.reference.world import Env, Faulty

if TYPE_CHECKING:
    from support.reference.perform import Judge

Run = Generator[Asked, Any, Any]


def held_rules(judge: "Judge") -> set[str]:
    """Standing rules that wait."""
    return {name for running in judge.calls for name in running.holds}


def settle(judge: "Judge") -> Run:
    """Fires standing rules until none applies, then judges the invariants."""
    if judge.quiet:
        return
    while (found := (yield from applicable(judge))) is not None:
        rule, env = found
        before = measure(judge)
        judge.quiet += 1
        try:
            yield from judge.lines(env, rule.block)
        except Finish:
            pass
        finally:
            judge.quiet -= 1
        judge.world.known.clear()
        if not measure(judge) < before:
            raise Faulty("RW0814")
    if not any(running.holds for running in judge.calls):
        invariants(judge)


def rules(judge: "Judge") -> list[StandingRule]:
    """Standing rules by rising priority, then file order."""
    return sorted(judge.program.rules.values(), key=lambda rule: rule.priority)


def applicable(judge: "Judge") -> Run:
    """The first rule whose `when` holds, with its names."""
    for rule in rules(judge):
        if rule.name in held_rules(judge):
            continue
        for env in rounds(judge, rule):
            if (yield from judge.value(env, rule.condition)):
                return rule, env
    return None


def rounds(judge: "Judge", rule: StandingRule | Invariant) -> Iterator[Env]:
    """The names inside, once for each member of the binding."""
    if rule.binding is None:
        yield {}
        return
    for _, inner in members(judge.world, {}, rule.binding):
        yield inner


def measure(judge: "Judge") -> list[Any]:
    """What every firing must lower."""
    return [evaluate(judge.world, {}, rule.lowers) for rule in rules(judge)]


def invariants(judge: "Judge") -> None:
    """Every `always`."""
    for each in judge.program.invariants.values():
        for env in rounds(judge, each):
            judged = each.guard is None or evaluate(judge.world, env, each.guard)
            if judged and not evaluate(judge.world, env, each.condition):
                raise Faulty("RW0810")
