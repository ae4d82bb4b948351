"""Which procedures, functions and measures can come to a changed declaration."""

from collections.abc import Iterable, Iterator, Mapping

from rulewright.base.node_roles import walk_nodes
from rulewright.diff.differential_testing.altered_places import executable_declarations
from rulewright.program import expressions as ex, statements as st
from rulewright.program.declarations import Program
from rulewright.program.outline.items import DeclaredName
from rulewright.program.walk import compute_transitive_closure

STATE_SORTS = frozenset(
    {"values", "word", "die", "kind", "plural", "record", "part", "board"}
    | {"attribute", "cell", "side", "field", "setting", "relation"}
)
"""Sorts of names on which every state may depend by start values, whatever a procedure mentions."""


def procedures_reaching(program: Program, changed: Iterable[DeclaredName]) -> frozenset[str]:
    """Procedures that can reach a changed declaration, or a standing rule or condition that can.

    Standing rules and conditions that always hold are tried in every play. Changed stored data counts for every
    procedure: a state holds it before anything is carried out. Measures count for none.
    """
    wanted = frozenset(changed)
    if any(declared_name.sort in STATE_SORTS for declared_name in wanted):
        return frozenset(program.procedures)
    leading = _names_leading_to(_build_mention_graph(program), wanted)
    if any(declared_name.sort in {"rule", "invariant"} for declared_name in leading):
        return frozenset(program.procedures)
    return frozenset(name for name in program.procedures if DeclaredName("procedure", name) in leading)


def functions_reaching(program: Program, changed: Iterable[DeclaredName]) -> frozenset[str]:
    """Functions that changed, or that compute with something that did."""
    leading = _names_leading_to(_build_mention_graph(program), frozenset(changed))
    return frozenset(name for name in program.functions if DeclaredName("function", name) in leading)


def measures_reaching(program: Program, changed: Iterable[DeclaredName]) -> frozenset[str]:
    """Measures that changed, or that compute with something that did."""
    leading = _names_leading_to(_build_mention_graph(program), frozenset(changed))
    return frozenset(
        name
        for name, measure in program.measures.items()
        if DeclaredName("measure", name) in leading or not leading.isdisjoint(_mentions_in(measure, program))
    )


def find_entry_procedures(program: Program) -> frozenset[str]:
    """Procedures that plays begin with: performed by nothing, or only by each other."""
    graph = _build_mention_graph(program)
    procedures = {
        DeclaredName("procedure", name) for name, procedure in program.procedures.items() if not procedure.inner
    }
    performed = {
        declared_name
        for name, result in graph.items()
        for declared_name in result
        if declared_name.sort == "procedure" and declared_name != name
    }
    first = procedures - performed
    reached = _reachable_names(
        graph, [*first, *(declared_name for declared_name in graph if declared_name.sort == "rule")]
    )
    return frozenset(declared_name.name for declared_name in first | (procedures - reached))


def _reachable_names(
    graph: Mapping[DeclaredName, frozenset[DeclaredName]], start: Iterable[DeclaredName]
) -> frozenset[DeclaredName]:
    return compute_transitive_closure(start, lambda name: graph.get(name, frozenset()))


def _names_leading_to(
    graph: Mapping[DeclaredName, frozenset[DeclaredName]], wanted: Iterable[DeclaredName]
) -> frozenset[DeclaredName]:
    back: dict[DeclaredName, list[DeclaredName]] = {}
    for name, mentioned in graph.items():
        for declared_name in mentioned:
            back.setdefault(declared_name, []).append(name)
    return compute_transitive_closure(wanted, lambda name: back.get(name, ()))


def _build_mention_graph(program: Program) -> dict[DeclaredName, frozenset[DeclaredName]]:
    """Mention graph of the declarations; an event mentions its handlers."""
    result = {name: frozenset(_mentions_in(declared, program)) for name, declared in executable_declarations(program)}
    for name, handler in program.handlers.items():
        event = DeclaredName("event", handler.event)
        result[event] = result[event] | {DeclaredName("handler", name)}
    return result


def _mentions_in(declared: object, program: Program) -> Iterator[DeclaredName]:
    for node in walk_nodes(declared):
        match node:
            case st.Perform(procedure=name):
                yield DeclaredName("procedure", name)
            case st.PerformExternal(external=name) | ex.ExternalValue(external=name):
                yield DeclaredName("external", name)
            case st.Trigger(event=name):
                yield DeclaredName("event", name)
            case st.Remove(events=events):
                yield from (DeclaredName("event", event) for event in events)
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                yield DeclaredName("function", name)
            case ex.Builtin(relation=name) if name in program.functions:
                yield DeclaredName("function", name)
