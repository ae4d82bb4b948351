"""From a program to something that runs: source, what it calls, and the tables of the engine."""

import copyreg
from dataclasses import dataclass
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from rulewright.machine import dice, faults, grids, operations, plane, ranking, search
from rulewright.machine.engine import events, frames
from rulewright.machine.executable import Executable
from rulewright.machine.generate.module import generate
from rulewright.machine.generate.writer import Module
from rulewright.machine.geometry import angle, inches
from rulewright.machine.later import Later, greatest, least
from rulewright.machine.placing import pose_search
from rulewright.machine.source_point import SILENT, Probes
from rulewright.machine.unthrown import Unthrown
from rulewright.machine.values import Map, in_order, make_set
from rulewright.machine.world import (
    UNREAD,
    EventTable,
    FlowTable,
    HandlerTable,
    InvariantTable,
    RuleTable,
    Tables,
    stands,
    walls,
)
from rulewright.program.declarations import Handler, Program, StandingRule
from rulewright.program.types import ThingType


@dataclass(frozen=True, slots=True)
class Written:
    """A program written as Python: all that is made from it alone."""

    module: Module  # the program with the tables of what was written
    flows: tuple[FlowTable, ...]  # tables of its graphs
    code: CodeType  # the Python, compiled

    @property
    def source(self) -> str:
        """The Python."""
        return "\n".join(self.module.source) + "\n"


def linked(written: Written, probes: Probes = SILENT) -> Executable:
    """The executable of a program that was written; its module is used up."""
    module, program = written.module, written.module.program
    functions = _environment(module) | {"seen": probes.seen}
    exec(written.code, functions)  # noqa: S102
    numbers = [int(name[1:]) for name in functions if name[0] == "b" and name[1:].isdecimal()]
    blocks: list[Any] = [functions.get(f"b{number}") for number in range(max(numbers, default=0) + 1)]
    blocks[: frames.RESERVED] = [frames.end_block, events.settle_block, events.window_block, events.judge_block]
    return Executable(
        program=program,
        layout=module.layout,
        places=module.places,
        traced=module.traced,
        source=written.source,
        lines=(0, *module.lines),
        functions=functions,
        blocks=tuple(blocks),
        tables=_tables(written, functions),
        explained=module.explained,
        measures={name: functions[f"m{number}"] for number, name in enumerate(program.measures)},
    )


PROVIDERS = (operations, grids, dice, frames, events, faults, ranking, search, plane, pose_search)
"""Modules whose functions generated code calls by name; no two have one of the same name."""


def _environment(module: Module) -> dict[str, Any]:
    offered: dict[str, Any] = {
        "__builtins__": dict(_BUILTINS),
        "Map": Map,
        "NeedFailed": faults.NeedFailed,
        "U": UNREAD,
        "Later": Later,
        "Unthrown": Unthrown,
        "in_order": in_order,
        "make_set": make_set,
        "ceil": operations.ceil,
        "floor": operations.floor,
        "inches": inches,
        "angle": angle,
    }
    for provider in PROVIDERS:
        offered |= {
            name: value
            for name, value in vars(provider).items()
            if isinstance(value, FunctionType) and value.__module__ == provider.__name__ and not name.startswith("_")
        }
    return offered | {f"K{number}": value for number, value in enumerate(module.constants)}


_BUILTINS: dict[str, Any] = {
    each.__name__: each for each in (abs, enumerate, isinstance, len, range, set, sorted, sum, tuple)
} | {
    "max": greatest,
    "min": least,
}


def _tables(written: Written, functions: dict[str, Any]) -> Tables:
    module, program = written.module, written.module.program
    rules = [_rule(module, functions, number, each) for number, each in enumerate(program.rules.values())]
    priorities = {each.name: each.priority for each in program.rules.values()}
    return Tables(
        flows=written.flows,
        rules=tuple(sorted(rules, key=lambda each: (priorities[each.name], each.number))),
        events={name: _event(module, functions, number, name) for number, name in enumerate(program.events)},
        invariants=tuple(
            InvariantTable(name, 1 << (len(rules) + number), functions[f"i{number}"])
            for number, name in enumerate(program.invariants)
        ),
        watches=tuple((event, functions[f"w{number}"]) for number, event in enumerate(module.watches)),
        masks=module.masks,
        sites=tuple(module.sites),
        stands=stands(program, module.places),
        walls=walls(program, module.places),
    )


def _rule(module: Module, functions: dict[str, Any], number: int, rule: StandingRule) -> RuleTable:
    plain, flow = _routine(module, functions, f"rule:{rule.name}")
    site = _pair(module, "rule", rule)
    find, lowers = functions[f"r{number}"], functions[f"l{number}"]
    return RuleTable(number, rule.name, 1 << number, find, lowers, plain, flow, site)


def _routine(module: Module, functions: dict[str, Any], key: str) -> tuple[Any, int]:
    if key in module.routines:
        return functions[f"p{module.routines[key]}"], -1
    return None, module.flows[key]


def _pair(module: Module, sort: str, declared: Handler | StandingRule) -> int:
    """Two sites, for the beginning and the end."""
    site = module.site(sort, declared, line=True)
    module.site(f"{sort} ended", declared, line=True)
    return site.number


def _event(module: Module, functions: dict[str, Any], number: int, name: str) -> EventTable:
    handlers = tuple(
        _handler(module, functions, at, each)
        for at, each in enumerate(module.program.handlers.values())
        if each.event == name
    )
    closes = module.program.events[name].first_taker
    return EventTable(name, functions.get(f"e{number}"), functions.get(f"o{number}"), handlers, closes)


def _handler(module: Module, functions: dict[str, Any], number: int, handler: Handler) -> HandlerTable:
    plain, flow = _routine(module, functions, f"handler:{handler.name}")
    first = handler.binding.variables[0]
    kind = first.type.kind if first is not None and isinstance(first.type, ThingType) else ""
    owner = module.places.columns.get(f"{kind}/owner")
    find, judge = functions[f"h{number}"], functions[f"g{number}"]
    site = _pair(module, "handler", handler)
    return HandlerTable(handler.name, find, judge, owner, handler.optional, plain, flow, site)


def compile_program(program: Program, *, traced: bool, decisive: bool = False, probes: Probes = SILENT) -> Executable:
    """The executable of a program.

    A traced one records what it reads and changes, and where it is decisive only what a decisive story tells; an
    untraced one records nothing.
    """
    return linked(write(program, traced=traced, decisive=decisive, probes=probes), probes)


def _reduced(executable: Executable) -> tuple[Any, ...]:
    """Another process compiles the program for itself."""
    return partial(compile_program, traced=executable.traced), (executable.program,)


copyreg.pickle(Executable, _reduced)


def write(program: Program, *, traced: bool, decisive: bool = False, probes: Probes = SILENT) -> Written:
    """A program as Python, compiled but not yet run."""
    module, flows = generate(program, traced=traced, decisive=decisive, probes=probes)
    return Written(module, flows, compile("\n".join([*module.source, ""]), f"<{program.name}>", "exec"))
