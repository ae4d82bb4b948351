"""Which functions depend on their arguments and on settings alone."""

from collections.abc import Iterator

from rulewright.machine.footprint import Footprint
from rulewright.program import expressions as ex
from rulewright.program.declarations import Function, Program
from rulewright.program.walk import nodes


def is_pure(function: Function, program: Program) -> bool:
    """Whether it reads nothing of a state, through other functions neither."""
    if Footprint(program).reads(function.body):
        return False
    return not any(isinstance(each, ex.BoardCells | ex.Itself) for each in _all(function, program))


def settings_of(function: Function, program: Program) -> frozenset[str]:
    """The settings it reads, through other functions too."""
    return frozenset(each.name for each in _all(function, program) if isinstance(each, ex.SettingValue))


def _all(function: Function, program: Program) -> Iterator[object]:
    """Every node of a function and of those it calls."""
    waiting, known = [function], {function.name}
    while waiting:
        for node in nodes(waiting.pop().body):
            yield node
            name = node.function if isinstance(node, ex.CallFunction | ex.DerivedAttribute) else ""
            if name and name not in known:
                known.add(name)
                waiting.append(program.functions[name])
