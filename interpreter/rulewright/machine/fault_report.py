"""Where a run stopped and why: refusals, and faults with the values read."""

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any

from rulewright.machine import codes
from rulewright.machine.entries import Record, reason, stretch
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault, NeedFailed
from rulewright.machine.graph import FIRST_SLOT
from rulewright.machine.request import Faulted, Reason, Refused
from rulewright.machine.source_point import Site
from rulewright.machine.stalemate import conditions
from rulewright.machine.state import initial
from rulewright.machine.values import Value
from rulewright.machine.world import CONTROL, STACK, World
from rulewright.program import expressions as ex
from rulewright.program.types import Type
from rulewright.program.wording import simple
from rulewright.roles import nodes

_OUTERMOST = 2


def refusal(executable: Executable, world: World, failed: NeedFailed) -> Refused | None:
    """A refusal, where the opening condition is that of the outermost call."""
    stack = world[STACK]
    site = executable.sites[failed.site]
    if len(stack) != _OUTERMOST or executable.tables.flows[stack[-1][1]].key != site.routine:
        return None
    record = Record(executable, *stretch(world))
    if site.title:
        return Refused((Reason(site.address, site.title, site.cites),), record)
    condition = executable.wording.text(site.node.condition)
    judged = [each for each in record.entries if each.sort == "need" and each.result is False]
    if not judged:
        return Refused((Reason(site.address, f"`{condition}` does not hold", site.cites),), record)
    found = reason(replace(judged[-1], title=condition), executable.concealed)
    return Refused((replace(found, address=site.address, cites=found.cites or site.cites),), record)


def fault(executable: Executable, world: World, failed: BaseException, *, is_stuck: bool = False) -> Faulted:
    """A fault: its line, what the line read, and the state before the outermost call.

    It is stuck where a bound was reached, and without it the play would go on for ever whatever anybody does.
    """
    control = world[CONTROL]
    site, local = _place(executable, failed.__traceback__) or (_under_way(executable, world), {})
    match failed:
        case Fault(code=code, message=message):
            own = failed.read
            site = site if failed.site is None else executable.sites[failed.site]
        case NeedFailed():
            need = executable.sites[failed.site]
            code, message, own, site = codes.NEED_FAILED, _unmet(need), (), need
        case RecursionError():
            code, message, own = codes.DEPTH, "calls lead too deep into each other to be followed", ()
        case _:
            raise failed
    asked: tuple[Any, ...] = (site.node,)
    remedy = codes.REMEDIES.get(code, "")
    if is_stuck:
        held, out = conditions(executable.program, site.node)
        asked, remedy = (*held, *out), codes.STALEMATE
        message = _stuck(*([executable.wording.text(each) for each in found] for found in (held, out)))
    read = (*own, *(each for node in asked for each in _read(executable, world, node, local)))
    entries = Record(executable, *stretch(world))
    origin = initial(control.origin, executable.layout)
    return Faulted(origin, code, site.address, message, tuple(dict.fromkeys(read)), entries, remedy)


def _stuck(held: Sequence[str], out: Sequence[str]) -> str:
    """What is said of a play that no player can end: under which conditions it goes on, and which would lead out."""
    back = [f"leads back here while {_quoted(held, 'and')} holds"] if held else []
    leaves = [f"would lead out where {_quoted(out, 'or')} holds"] if out else []
    ways = f"; it {' and '.join((*back, *leaves))}" if held or out else ""
    return f"no player can end this: whatever is rolled and answered, the play goes on for ever{ways}"


def _quoted(texts: Sequence[str], word: str) -> str:
    return f" {word} ".join(f"`{each}`" for each in dict.fromkeys(texts))


def _unmet(need: Site) -> str:
    """What is said of a procedure that was performed although an opening condition of it does not hold."""
    name = need.routine.rpartition(":")[2]
    return f"`{name}` cannot start: {need.title or need.address}"


def _place(executable: Executable, traceback: TracebackType | None) -> tuple[Site, dict[str, Any]] | None:
    """The innermost line of a routine in the generated code, and the Python names there; none outside of it."""
    found: tuple[Site, dict[str, Any]] | None = None
    name = f"<{executable.program.name}>"
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename == name:
            site = executable.sites[executable.lines[traceback.tb_lineno]]
            if site.line:
                found = (site, frame.f_locals)
        traceback = traceback.tb_next
    return found


def _under_way(executable: Executable, world: World) -> Site:
    """The line that the innermost call is at: the first of its block, else the line that made the call."""
    for frame in reversed(world[STACK]):
        code: Any = getattr(executable.blocks[frame[0]], "__code__", None)
        written = code is not None and code.co_filename == f"<{executable.program.name}>"
        numbers = [executable.lines[line] for _, _, line in code.co_lines() if line] if written else []
        number: int | None = next((each for each in (*numbers, frame[2]) if executable.sites[each].line), None)
        if number is not None:
            return executable.sites[number]
    return executable.sites[0]


def _read(executable: Executable, world: World, line: Any, local: dict[str, Any]) -> list[tuple[str, Value, Type]]:
    """The values of the names and attributes that the line reads, as far as they are known; of its members nothing."""
    found = []
    heads = _heads(line)
    bound = {each.index for node in nodes(heads) if isinstance(node, ex.Binding) for each in node.variables if each}
    for node in nodes(heads):
        if any(isinstance(each, ex.Local) and each.variable.index in bound for each in nodes(node)):
            continue
        if isinstance(node, ex.Local | ex.StoredAttribute | ex.GameField) and simple(node):
            try:
                value = _value(executable, world, local, node)
            except (KeyError, IndexError, TypeError):
                continue
            found.append((executable.wording.text(node), value, node.type))
    return found


def _heads(node: Any) -> Any:
    """A line without the blocks inside it."""
    inside = {"block", "branches", "cases", "otherwise", "opening", "steps"}
    names = getattr(type(node), "__dataclass_fields__", ())
    return tuple(getattr(node, name) for name in names if name not in inside)


def _value(executable: Executable, world: World, local: dict[str, Any], node: Any) -> Any:
    places = executable.places
    match node:
        case ex.Local(variable=variable):
            name = f"v{variable.index}"
            return local[name] if name in local else local["F"][FIRST_SLOT + variable.index]
        case ex.StoredAttribute(target=target, kind=kind, name=name):
            return world[places.columns[f"{kind}/{name}"]][_value(executable, world, local, target)]
        case ex.GameField(name=name):
            return world[places.game[name]]
        case _:
            raise KeyError
