"""Lowering of standing rules and invariants to the settling, a routine like others."""

from rulewright.program import declarations as d
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import (
    make_conjunction,
    make_flag,
    make_get,
    make_none,
    make_number,
    make_op,
    make_test,
)
from rulewright.program.core.lower_functions import make_local_place
from rulewright.program.declarations import Program
from rulewright.program.types import FLAG, WHOLE, OptionalType, TupleType

_SETTLING_LOOP = 1


def lower_settling(program: Program, rules: list[d.StandingRule]) -> core.Routine:
    """Fires the first standing rule that applies until none does, each with a smaller measure; then judges."""
    temporaries: list[core.Local] = []

    def new_temporary(type_: core.CoreType) -> core.Local:
        temporaries.append(core.Local(len(temporaries), type_))
        return temporaries[-1]

    measures = TupleType((WHOLE,) * len(rules))
    before = new_temporary(measures)
    tried: list[core.Statement] = []
    for rule in rules:
        binding = () if rule.binding is None else tuple(each for each in rule.binding.variables if each is not None)
        members = TupleType(tuple(variable.type for variable in binding))
        found = new_temporary(OptionalType(members))
        parts = tuple(
            make_op("part", make_get(found, rule), type_=variable.type, origin=rule, facts=(number,))
            for number, variable in enumerate(binding)
        )
        fired = (
            core.Set(make_local_place(before), _measure_rules(rules, rule), origin=rule),
            core.Quiet((core.Call(f"rule:{rule.name}", parts, None, origin=rule),), holds_back=False, origin=rule),
            _require_lower(rules, rule, before),
            core.Leave(_SETTLING_LOOP, again=True, origin=rule),
        )
        due = core.Due(f"rule:{rule.name}")
        forgotten = (core.Set(core.Place(due, (), FLAG), make_flag(rule, value=False), origin=rule),)
        search = core.Apply(f"find:{rule.name}", (), type=found.type, origin=rule)
        is_none = make_test("equal", make_get(found, rule), make_none(rule), origin=rule)
        is_held = core.Load(core.Held(rule.name), type=FLAG, origin=rule)
        is_due = core.Load(due, type=FLAG, origin=rule)
        tests = make_conjunction([is_due, make_test("not", is_held, origin=rule)], rule)
        tried.append(
            core.If(
                tests,
                (
                    core.Set(make_local_place(found), search, origin=rule),
                    core.If(is_none, forgotten, fired, origin=rule),
                ),
                origin=rule,
            )
        )
    left = core.Leave(_SETTLING_LOOP, again=False, origin=None)
    firing: core.Block = (core.Loop(None, None, (*tried, left), _SETTLING_LOOP, origin=None),) if rules else ()
    judged = (core.Call(core.JUDGING, (), None, origin=None),) if program.invariants else ()
    is_held = core.Load(core.Held(""), type=FLAG, origin=None)
    judging: core.Block = (core.If(is_held, (), judged, origin=None),) if judged else ()
    return core.Routine(core.SETTLING, "settling", (), tuple(temporaries), (*firing, *judging), (), None, origin=None)


def _measure_rules(rules: list[d.StandingRule], origin: d.StandingRule) -> core.Op:
    measures = tuple(core.Apply(f"lowers:{rule.name}", (), type=WHOLE, origin=rule) for rule in rules)
    return core.Op("tuple", measures, type=TupleType((WHOLE,) * len(rules)), origin=origin)


def _require_lower(rules: list[d.StandingRule], rule: d.StandingRule, before: core.Local) -> core.If:
    """A fault unless the measures are smaller than before, as tuples in order, and none is below 0."""
    after = _measure_rules(rules, rule)
    falls = make_test("less", after, make_get(before, rule), origin=rule)
    parts = [
        make_test(
            "at least",
            core.Apply(f"lowers:{other.name}", (), type=WHOLE, origin=rule),
            make_number(0, rule),
            origin=rule,
        )
        for other in rules
    ]
    test = make_conjunction([falls, *parts], rule)
    return core.If(test, (), (core.Fail("RW0814", origin=rule),), origin=rule)


def lower_judging(program: Program) -> core.Routine:
    """Judges the invariants that are due."""
    lines: list[core.Statement] = []
    temporaries: list[core.Local] = []
    for number, invariant in enumerate(program.invariants.values()):
        names = () if invariant.binding is None else invariant.binding.variables
        members = TupleType(tuple(variable.type for variable in names if variable is not None))
        broken = core.Local(number, OptionalType(members))
        temporaries.append(broken)
        due = core.Due(f"invariant:{invariant.name}")
        search = core.Apply(f"invariant:{invariant.name}", (), type=broken.type, origin=invariant)
        holds = make_test("equal", make_get(broken, invariant), make_none(invariant), origin=invariant)
        failed = core.Fail("RW0810", (make_get(broken, invariant),), origin=invariant)
        judged = (
            core.Set(make_local_place(broken), search, origin=invariant),
            core.If(holds, (), (failed,), origin=invariant),
            core.Set(core.Place(due, (), FLAG), make_flag(invariant, value=False), origin=invariant),
        )
        lines.append(core.If(core.Load(due, type=FLAG, origin=invariant), judged, origin=invariant))
    return core.Routine(core.JUDGING, "settling", (), tuple(temporaries), tuple(lines), (), None, origin=None)
