"""Settling: standing rules until none applies, then what always holds."""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from rulewright.program.declarations import (
    Invariant,
    StandingRule,
)
from support.reference.calls import FinishCall
from support.reference.evaluation import evaluate, list_bound_members
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Env, JudgedFault, locate_faults

if TYPE_CHECKING:
    from support.reference.judge import Judge

Run = Generator[JudgeRequest, Any, Any]


def list_held_rules(judge: "Judge") -> set[str]:
    """Standing rules that wait."""
    return {name for running in judge.calls for name in running.holds}


def settle_rules(judge: "Judge") -> Run:
    """Fires standing rules until none applies, then judges the invariants."""
    if judge.quiet:
        return
    while (found := (yield from find_applicable_rule(judge))) is not None:
        with locate_faults(found[0].name):
            yield from fire_rule(judge, *found)
    if not any(running.holds for running in judge.calls):
        check_invariants(judge)


def fire_rule(judge: "Judge", rule: StandingRule, env: Env) -> Run:
    """One firing, which has to lower what is measured."""
    before = measure_rules(judge)
    judge.quiet += 1
    try:
        yield from judge.play_lines(env, rule.block)
    except FinishCall:
        pass
    finally:
        judge.quiet -= 1
    if not measure_rules(judge) < before:
        raise JudgedFault("RW0814")


def list_rules_by_priority(judge: "Judge") -> list[StandingRule]:
    """Standing rules by rising priority, then file order."""
    return sorted(judge.program.rules.values(), key=lambda rule: rule.priority)


def find_applicable_rule(judge: "Judge") -> Run:
    """The first rule whose `when` holds, with its names."""
    for rule in list_rules_by_priority(judge):
        if rule.name in list_held_rules(judge):
            continue
        with locate_faults(rule.name):
            for env in list_rule_bindings(judge, rule):
                if (yield from judge.evaluate_expression(env, rule.condition)):
                    return rule, env
    return None


def list_rule_bindings(judge: "Judge", rule: StandingRule | Invariant) -> Iterator[Env]:
    """The names inside, once for each member of the binding."""
    if rule.binding is None:
        yield {}
        return
    for _, inner in list_bound_members(judge.world, {}, rule.binding):
        yield inner


def measure_rules(judge: "Judge") -> list[Any]:
    """What every firing must lower."""
    return [evaluate(judge.world, {}, rule.lowers) for rule in list_rules_by_priority(judge)]


def check_invariants(judge: "Judge") -> None:
    """Every `always`."""
    for each in judge.program.invariants.values():
        with locate_faults(each.name):
            for env in list_rule_bindings(judge, each):
                judged = each.guard is None or evaluate(judge.world, env, each.guard)
                if judged and not evaluate(judge.world, env, each.condition):
                    raise JudgedFault("RW0810")
