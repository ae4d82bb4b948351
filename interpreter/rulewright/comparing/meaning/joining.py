"""Steps of a procedure as one row of lines where no line leads between them, and what they are called then."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from rulewright.frozen import dataclass
from rulewright.program import declarations as d, statements as st
from rulewright.program.expressions import Typed
from rulewright.program.walk import lines_of
from rulewright.roles import mapped, nodes

_Routine = TypeVar("_Routine", bound=d.Routine)


@dataclass(frozen=True, slots=True)
class Joints:
    """What the steps of all procedures are called once they are joined, by procedure and id."""

    begins: Mapping[tuple[str, str], str]  # the joined step that begins with a step to which a line leads
    ends: Mapping[tuple[str, str], str]  # the joined step that ends with the last step of a range
    ranges: frozenset[str]  # procedures of which a range is performed


def joints(program: d.Program) -> Joints:
    """Where the steps of a program are joined: they are counted anew in every procedure."""
    ranges = [(each.procedure, *each.steps) for each in lines_of(program, st.Perform) if each.steps is not None]
    begins: dict[tuple[str, str], str] = {}
    ends: dict[tuple[str, str], str] = {}
    for name, procedure in program.procedures.items():
        first = {begin for called, begin, _ in ranges if called == name}
        last = {end for called, _, end in ranges if called == name}
        for number, group in enumerate(_groups(procedure, first, last)):
            begins[name, group[0].id] = ends[name, group[-1].id] = f"§{number}"
    return Joints(begins, ends, frozenset(called for called, _, _ in ranges))


def joined(procedure: d.Procedure, found: Joints) -> d.Procedure:
    """A procedure with its steps joined and guards as branches; a first step that none leads to is of the opening."""
    steps: list[d.Step] = []
    for each in procedure.steps:
        name = found.begins.get((procedure.name, each.id))
        block = _guarded(each)
        if name is None and steps:
            steps[-1] = replace(steps[-1], block=steps[-1].block + block)
        else:
            steps.append(replace(each, id=name or "", guard=None, block=block, title="", cites=(), address=""))
    opening = procedure.opening
    targets = {found.begins[procedure.name, each] for each in _led_to(procedure)}
    if steps and procedure.name not in found.ranges and steps[0].id not in targets:
        opening, steps = (*opening, steps[0].block), steps[1:]
    return replace(procedure, opening=opening, steps=tuple(steps))


def _led_to(procedure: d.Procedure) -> frozenset[str]:
    return frozenset(each.step for each in nodes((procedure.opening, procedure.steps)) if isinstance(each, st.Proceed))


def _groups(procedure: d.Procedure, first: set[str], last: set[str]) -> Iterator[list[d.Step]]:
    """The steps of a procedure, together what may only be entered together."""
    begins = first | _led_to(procedure)
    group: list[d.Step] = []
    for each in procedure.steps:
        if group and (each.id in begins or group[-1].id in last):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _guarded(step: d.Step) -> st.Block:
    if step.guard is None:
        return step.block
    branch = st.Branch(step.guard, step.block, (), step.span)
    return (st.If(address="", cites=(), span=step.span, branches=(branch,), otherwise=None),)


def led(routine: _Routine, found: Joints) -> _Routine:
    """A routine whose lines name steps as they are called once they are joined."""

    def changed(node: Any) -> Any:
        made = node if isinstance(node, Typed) else mapped(node, changed)
        match made:
            case st.Proceed(step=step):
                return replace(made, step=found.begins[routine.name, step])
            case st.Perform(procedure=name, steps=(first, last)):
                return replace(made, steps=(found.begins[name, first], found.ends[name, last]))
            case _:
                return made

    return mapped(routine, changed)  # type: ignore[no-any-return]
