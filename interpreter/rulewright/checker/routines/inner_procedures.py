"""All procedures of a program: what is found in an inner one counts where its callers do not rule it out (decision 0193)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from rulewright.base.diagnostics import Basis, Diagnostic, Label
from rulewright.base.frozen import replace
from rulewright.base.source import Span
from rulewright.checker.caller_guarantees import make_guaranteed_facts, order_callers_first
from rulewright.checker.infer.expression_inference import make_declaration_scope
from rulewright.checker.preconditions import CheckAttempt, RecordedCall
from rulewright.checker.routines.procedure_building import type_procedure
from rulewright.checker.scope import TypeEnvironment
from rulewright.checker.symbols import LinkedModule
from rulewright.program.declarations import Procedure
from rulewright.syntax.nodes import declarations as d

_MAX_BLAMED_CALLS = 6  # calls that are told apart where something is found; a chosen limit
_FindingKey = tuple[str, Span]


def type_all_procedures(environment: TypeEnvironment, skipped: frozenset[str]) -> dict[str, Procedure]:
    """Procedures by name in the order of the text, without those in which something is wrong; `skipped` are left out."""
    linked = environment.linked
    nodes = {
        name: (node, linked.procedure_views.get(name, module))
        for module, node in linked.iterate_declarations(d.Procedure)
        if (name := module.prefix + node.name.text) not in skipped
    }
    inner = {name for name, (node, _) in nodes.items() if node.inner}
    ordered = order_callers_first(nodes, inner, environment.effects)
    known = {name for name in inner.intersection(ordered) if not environment.effects.find_range_starts(name)}
    typer = _ProcedureTyper(environment, nodes)
    results = {
        name: typer.type_inner(name) if name in known else typer.type_alone(name)
        for name in (*ordered, *(name for name in nodes if name not in ordered))
    }
    return {name: procedure for name in nodes if (procedure := results[name]) is not None}


@dataclass(frozen=True)
class _ProcedureTyper:
    environment: TypeEnvironment
    nodes: Mapping[str, tuple[d.Procedure, LinkedModule]]

    def type_alone(self, name: str) -> Procedure | None:
        self.environment.report.address = name
        make = partial(self._make_procedure, name, ())
        return self.environment.results_store.get_or_make_result(("Procedure", name), make)

    def type_inner(self, name: str) -> Procedure | None:
        """A procedure by itself; where something rests on proofs, from what holds at all its calls."""
        attempt = self._begin_attempt(name)
        procedure = self.type_alone(name)
        if all(found.basis is not Basis.PROOFS for found in attempt.list_findings()):
            return procedure
        calls = [call for call in self.environment.preconditions.calls if call.callee == name]
        attempt.undo()
        procedure = self._type_from_calls(name, calls)
        if 1 < len(calls) <= _MAX_BLAMED_CALLS and any(map(_get_finding_key, attempt.list_findings())):
            attempt.undo()
            found_by_call = {call.span: {*self._iterate_findings_from(name, call)} for call in calls}
            procedure = self._type_from_calls(name, calls)
            attempt.replace_findings(lambda finding: _blame_calls(finding, found_by_call))
        return procedure

    def _begin_attempt(self, name: str) -> CheckAttempt:
        return CheckAttempt.begin(name, self.environment)

    def _iterate_findings_from(self, name: str, call: RecordedCall) -> Iterator[_FindingKey]:
        attempt = self._begin_attempt(name)
        self._type_from_calls(name, [call])
        yield from filter(None, map(_get_finding_key, attempt.list_findings()))
        attempt.undo()

    def _type_from_calls(self, name: str, calls: Sequence[RecordedCall]) -> Procedure | None:
        self.environment.report.address = name
        make = partial(self._make_procedure, name, calls)
        return self.environment.results_store.make_unkept_result(("Procedure", name), make)

    def _make_procedure(self, name: str, calls: Sequence[RecordedCall]) -> Procedure | None:
        node, module = self.nodes[name]
        scope = make_declaration_scope(module, self.environment)
        return type_procedure(node, scope, partial(make_guaranteed_facts, calls))


def _get_finding_key(finding: Diagnostic) -> _FindingKey | None:
    """What makes a finding that rests on proofs the same from other facts."""
    return (finding.code, finding.primary.span) if finding.primary and finding.basis is Basis.PROOFS else None


def _blame_calls(finding: Diagnostic, found_by_call: Mapping[Span, set[_FindingKey]]) -> Diagnostic:
    """A finding with the calls that do not rule it out, where others do."""
    key = _get_finding_key(finding)
    careless = [span for span, found in found_by_call.items() if key in found]
    if key is None or len(careless) == len(found_by_call):
        return finding
    labels = (Label(span, "performed here, where nothing rules it out") for span in careless)
    return replace(finding, secondary=(*finding.secondary, *labels))
