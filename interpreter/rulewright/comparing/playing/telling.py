"""States in which functions that changed come to something else, and others that call them do so too.

They are no evidence by themselves, but worth playing from.
"""

from collections.abc import Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.measuring import Taken
from rulewright.comparing.playing.situating import Placed
from rulewright.machine.compile import compile_program
from rulewright.program.declarations import Function, Measure, Paths, Program
from rulewright.program.expressions import CallFunction, DerivedAttribute, Expression, Local
from rulewright.roles import nodes


class Telling:
    """Takes functions of both revisions in a state."""

    def __init__(self, bench: Bench) -> None:
        task = bench.task
        pairs = list(_pairs(task))
        measures = tuple({each.name: each for each in row} for row in zip(*pairs, strict=True)) or ({}, {})
        programs = (replace(task.old, measures=measures[0]), replace(task.new, measures=measures[1]))
        executables = (compile_program(programs[0], traced=False), compile_program(programs[1], traced=False))
        self._changed = {each.name for each in task.altered.names[1]}
        self._taken = [Taken(bench.ways, executables, pair) for pair in pairs]

    def first(self, found: Placed) -> str:
        """The first function that changed itself and comes to something else in a state; empty where none does."""
        own = (each for each in self._taken if each.measures[1].name in self._changed)
        return next((each.measures[1].name for each in own if each.differing(found) is not None), "")

    def tells(self, found: Placed) -> int:
        """How many functions come to something else in a state, for some arguments."""
        return sum(each.differing(found) is not None for each in self._taken)


_KNOWN: WeakKeyDictionary[Bench, Telling] = WeakKeyDictionary()


def telling(bench: Bench) -> Telling:
    """That of a bench, made once."""
    found = _KNOWN.get(bench)
    if found is None:
        found = _KNOWN[bench] = Telling(bench)
    return found


def _pairs(task: Task) -> Iterator[tuple[Measure, Measure]]:
    """Functions that changed or call one that did, as measures of either revision."""
    reaching = _reaching(task.new, {each.name for each in task.altered.names[1]})
    for before, after in task.names.names.items():
        if before.sort in {"function", "attribute"} and after.name in reaching:
            pair = _measure(before.name, task.old), _measure(after.name, task.new)
            if pair[0] is not None and pair[1] is not None:
                yield pair[0], pair[1]


def _reaching(program: Program, changed: set[str]) -> set[str]:
    """The functions among some names, and those that call them, through others too."""
    calls = {
        name: {each.function for each in nodes(function.body) if isinstance(each, CallFunction | DerivedAttribute)}
        for name, function in program.functions.items()
    }
    found = changed & calls.keys()
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return found


def _measure(name: str, program: Program) -> Measure | None:
    function = program.functions.get(name)
    if function is None or isinstance(function.body, Paths):
        return None
    return Measure(
        name=function.name,
        title="",
        cites=(),
        span=function.span,
        parameters=function.parameters,
        variables=function.parameters,
        type=function.type,
        value=_call(function),
    )


def _call(function: Function) -> Expression:
    given = tuple(Local(variable=each, type=each.type, span=function.span) for each in function.parameters)
    if function.owner:
        return DerivedAttribute(target=given[0], function=function.name, type=function.type, span=function.span)
    return CallFunction(function=function.name, arguments=given, type=function.type, span=function.span)
