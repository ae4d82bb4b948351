"""Which routines may suspend.

A routine that may suspend runs in a frame that can be frozen; any other is a plain Python function. Suspending is
catching: it spreads to callers, and through standing rules to every line that may make one fire.
"""

from dataclasses import dataclass
from typing import Any, Literal

from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Handler, Hold, Procedure, Program, StandingRule, Watch
from rulewright.program.effects import Footprint, written_by
from rulewright.program.walk import Routine, reached, routines
from rulewright.roles import nodes

_STOPPING = (st.Ask, st.Roll, st.Reroll, st.Draw, st.Shuffle, st.PerformExternal, st.FinishOuter, st.Proceed)
_PLAIN_CALLS = 50


@dataclass(frozen=True, slots=True)
class Framing:
    """What may suspend."""

    program: Program  # the program judged
    routines: frozenset[str]  # names of procedures, handlers and rules that run in frames; sorts apart by `sort:name`
    windows: frozenset[str]  # events with at least one handler
    heard: frozenset[str]  # events that some watch hears of
    wanting: frozenset[str]  # external terms that may have to be asked for, and functions that read one
    footprint: Footprint  # what the program's parts read

    def framed(self, routine: Routine) -> bool:
        """Whether a routine runs in a frame."""
        return key(routine) in self.routines

    def suspends(self, line: Any) -> bool:
        """Whether a line, with everything in it, may suspend."""
        return any(_suspends(each, self) for each in nodes(line))

    def unsettles(self, line: st.Statement) -> bool:
        """Whether a simple line may make a standing rule fire that runs in a frame."""
        written = written_by(line)
        return bool(written) and any(
            written & self.footprint.reads((rule.binding, rule.condition))
            for rule in self.program.rules.values()
            if self.framed(rule) or self.wants((rule.binding, rule.condition))
        )

    def wants(self, node: Any) -> bool:
        """Whether an expression may need a value that has to be asked for."""
        return bool(self.wanting & self.footprint.reads(node))


def key(routine: Routine) -> str:
    """The name of a routine, apart from routines of other sorts."""
    return f"{sort_of(routine)}:{routine.name}"


def sort_of(routine: Routine) -> Literal["procedure", "handler", "rule"]:
    """Which of the three sorts a routine is."""
    match routine:
        case Procedure():
            return "procedure"
        case Handler():
            return "handler"
        case StandingRule():
            return "rule"


def framing(program: Program) -> Framing:
    """The least set of suspending routines that is closed under calling and settling."""
    footprint = Footprint(program)
    windows = frozenset(each.event for each in program.handlers.values())
    wanting = frozenset(name for name, each in program.external_terms.items() if each.default is None)
    heard = frozenset(
        part.event for each in program.procedures.values() for part in each.opening if isinstance(part, Watch)
    )
    callers = _callers(program)
    framed = reached(_recursive(callers) | _deep(callers), callers.__getitem__)
    while True:
        judged = Framing(program, framed, windows, heard, wanting, footprint)
        grown = framed | {key(each) for each in routines(program) if _needs_frame(each, judged)}
        if grown == framed:
            return judged
        framed = reached(grown, callers.__getitem__)


def _needs_frame(routine: Routine, judged: Framing) -> bool:
    if isinstance(routine, Procedure) and any(isinstance(each, Watch | Hold) for each in routine.opening):
        return True
    return judged.suspends(_body(routine))


def _body(routine: Routine) -> Any:
    return (routine.opening, routine.steps) if isinstance(routine, Procedure) else routine.block


def _suspends(node: Any, judged: Framing) -> bool:
    match node:
        case st.Perform(procedure=name):
            return f"procedure:{name}" in judged.routines
        case st.Trigger(event=event):
            return event in judged.windows
        case st.Remove(events=events) if judged.windows.intersection(events):
            return True
        case ex.ExternalValue() | ex.CallFunction() | ex.DerivedAttribute():
            return judged.wants(node)
        case st.Line():
            return _stops(node) or judged.unsettles(node)  # type: ignore[arg-type]
        case _:
            return False


def _stops(line: st.Line) -> bool:
    if isinstance(line, st.Rank):
        return any(each.requests for each in line.keys)
    return isinstance(line, _STOPPING)


def _callers(program: Program) -> dict[str, list[str]]:
    """Who performs each procedure."""
    found: dict[str, list[str]] = {key(each): [] for each in routines(program)}
    for each in routines(program):
        called = {node.procedure: None for node in nodes(_body(each)) if isinstance(node, st.Perform)}
        for name in called:
            found[f"procedure:{name}"].append(key(each))
    return found


def _recursive(callers: dict[str, list[str]]) -> set[str]:
    """Routines that perform themselves, if only through others, and all that these perform."""
    return callers.keys() - set(_outside_in(callers))


def _deep(callers: dict[str, list[str]]) -> set[str]:
    """Routines with so many calls below them that as plain functions they would nest too deep for Python."""
    height = dict.fromkeys(callers, 0)
    for name in reversed(_outside_in(callers)):
        for each in callers[name]:
            height[each] = max(height[each], height[name] + 1)
    return {name for name, calls in height.items() if calls > _PLAIN_CALLS}


def _outside_in(callers: dict[str, list[str]]) -> list[str]:
    """Routines, each after all that perform it; those in circles, and all that these perform, are left out."""
    called: dict[str, list[str]] = {name: [] for name in callers}
    for name, each in callers.items():
        for caller in each:
            called[caller].append(name)
    left = {name: len(each) for name, each in callers.items()}
    found = [name for name, count in left.items() if not count]
    for name in found:
        for inner in called[name]:
            left[inner] -= 1
            if not left[inner]:
                found.append(inner)
    return found
