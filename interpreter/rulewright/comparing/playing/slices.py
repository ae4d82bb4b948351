"""Which procedures can come to what changed."""

from collections.abc import Iterable, Iterator, Mapping

from rulewright.comparing.playing.places import declarations
from rulewright.outline.names import Name
from rulewright.program import expressions as ex
from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.roles import nodes

ANYWHERE = frozenset(
    {"values", "word", "die", "kind", "plural", "record", "part", "board"}
    | {"attribute", "cell", "side", "field", "setting", "relation"}
)
"""Sorts of names that every state may depend on, whatever a procedure mentions: their start values are in it."""


def reaches(program: Program, changed: Iterable[Name]) -> frozenset[str]:
    """The procedures that can come to something that changed, or to a standing rule or condition that can.

    Standing rules and conditions that always hold are tried in every play. Stored data counts for every procedure:
    a state holds it before anything is carried out. Measures count for none.
    """
    wanted = frozenset(changed)
    if any(each.sort in ANYWHERE for each in wanted):
        return frozenset(program.procedures)
    graph = _graph(program)
    always = [each for each in graph if each.sort in {"rule", "invariant"}]
    if _reached(graph, always) & wanted:
        return frozenset(program.procedures)
    return frozenset(name for name in program.procedures if _reached(graph, [Name("procedure", name)]) & wanted)


def comes_to(program: Program, procedure: str) -> frozenset[Name]:
    """The declarations that a play of a procedure can come to, standing rules and conditions that always hold too."""
    graph = _graph(program)
    always = (each for each in graph if each.sort in {"rule", "invariant"})
    return _reached(graph, [Name("procedure", procedure), *always])


def echoes(program: Program, changed: Iterable[Name]) -> frozenset[str]:
    """The functions that changed, or that compute something that did."""
    wanted = frozenset(changed)
    graph = _graph(program)
    return frozenset(name for name in program.functions if _reached(graph, [Name("function", name)]) & wanted)


def measures_reaching(program: Program, changed: Iterable[Name]) -> frozenset[str]:
    """The measures that changed, or that compute something that did."""
    wanted = frozenset(changed)
    graph = _graph(program)
    return frozenset(
        name
        for name, each in program.measures.items()
        if Name("measure", name) in wanted or _reached(graph, _mentioned(each, program)) & wanted
    )


def entries(program: Program) -> frozenset[str]:
    """The procedures that plays begin with: those that nothing performs, and those that only each other perform."""
    graph = _graph(program)
    procedures = {Name("procedure", name) for name, each in program.procedures.items() if not each.inner}
    performed = {each for name, found in graph.items() for each in found if each.sort == "procedure" and each != name}
    first = procedures - performed
    reached = _reached(graph, [*first, *(each for each in graph if each.sort == "rule")])
    return frozenset(each.name for each in first | (procedures - reached))


def _reached(graph: Mapping[Name, frozenset[Name]], start: Iterable[Name]) -> frozenset[Name]:
    found = set(start)
    waiting = list(found)
    while waiting:
        for each in graph.get(waiting.pop(), ()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return frozenset(found)


def _graph(program: Program) -> dict[Name, frozenset[Name]]:
    """What every declaration mentions; an event leads to its handlers."""
    found = {name: frozenset(_mentioned(declared, program)) for name, declared in declarations(program)}
    for name, handler in program.handlers.items():
        event = Name("event", handler.event)
        found[event] = found[event] | {Name("handler", name)}
    return found


def _mentioned(declared: object, program: Program) -> Iterator[Name]:
    for node in nodes(declared):
        match node:
            case st.Perform(procedure=name):
                yield Name("procedure", name)
            case st.PerformExternal(external=name) | ex.ExternalValue(external=name):
                yield Name("external", name)
            case st.Trigger(event=name):
                yield Name("event", name)
            case st.Remove(events=events):
                yield from (Name("event", each) for each in events)
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                yield Name("function", name)
            case ex.Builtin(relation=name) if name in program.functions:
                yield Name("function", name)
