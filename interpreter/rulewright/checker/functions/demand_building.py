"""Functions built when first needed, so that they can be used above their declaration."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rulewright.checker.change_impact import FUNCTION_SORT
from rulewright.checker.functions.function_bodies import type_function
from rulewright.checker.infer.expression_inference import make_declaration_scope
from rulewright.checker.read_sets import collect_plain_names, collect_reads
from rulewright.checker.scope import Scope, TypeEnvironment, VariableTable
from rulewright.program.declarations import Function
from rulewright.program.types import EmptyType
from rulewright.program.walk import get_outer_expressions, sort_dependencies_first
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.nodes.expressions import Name

_FunctionBuild = partial[Function | None]


def register_functions(environment: TypeEnvironment) -> None:
    """Registers all functions of all modules for `TypeEnvironment.demand_function`.

    Called once all stored fields, relations, settings and values are in the environment, and before any expression is
    inferred. Functions are terms, derived relations, derived attributes, tallies, decides and tables.
    """
    for module in environment.linked.modules:
        for name, address, build in _iterate_function_builders(make_declaration_scope(module, environment)):
            environment.pending_functions[address] = _PendingFunction(name, address, build, environment)


def build_all_functions(environment: TypeEnvironment) -> dict[str, Function]:
    """All functions without errors, in order of declaration."""
    for name in _iterate_deep_functions(_map_possible_calls(environment)):
        environment.demand_function(name)
    mapping = {name: environment.demand_function(name) for name in environment.pending_functions}
    return {name: function for name, function in mapping.items() if function is not None}


_MAX_BUILD_DEPTH = 10  # functions typed inside each other


def _map_possible_calls(environment: TypeEnvironment) -> dict[str, list[str]]:
    pending = {
        address: pending_function
        for address, pending_function in environment.pending_functions.items()
        if isinstance(pending_function, _PendingFunction)
    }
    called: dict[str, list[str]] = {}
    for address, pending_function in pending.items():
        called.setdefault(pending_function.name.text, []).append(address)
    return {
        address: [result for name in collect_plain_names(item.node) for result in called.get(name, ())]
        for address, item in pending.items()
    }


def _iterate_deep_functions(leads: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Functions to build first, so that none is built more than `_MAX_BUILD_DEPTH` deep inside others."""
    heights = dict.fromkeys(leads, 0)
    for name in sort_dependencies_first(leads):
        heights[name] = 1 + max((heights[lead] for lead in leads[name] if lead != name), default=0)
        if heights[name] >= _MAX_BUILD_DEPTH:
            heights[name] = 0
            yield name


@dataclass(slots=True, eq=False, repr=False)
class _PendingFunction:
    """A function built when first needed; a body that leads back to itself is an error."""

    name: Name
    address: str
    build_function: _FunctionBuild
    environment: TypeEnvironment
    state: str = "waiting"

    @property
    def node(self) -> Any:  # a declaration or an attribute
        return self.build_function.args[0]

    def __call__(self) -> None:
        match self.state:
            case "waiting":
                self.state = "begun"
                self._run_build()
                self.state = "done"
            case "begun":
                self.state = "reported"
                message = f"`{self.name.text}` is defined by itself"
                remedy = "give one of them a meaning without the other"
                self.environment.report.error("RW0324", self.name.span, message, help=remedy)
            case _:
                return

    def _run_build(self) -> None:
        environment, report = self.environment, self.environment.report
        outer, report.address = report.address, self.address
        environment.preconditions.functions_in_progress.append(self.address)
        key = (FUNCTION_SORT, self.address)
        function = environment.results_store.get_or_make_result(key, self.build_function)
        environment.preconditions.functions_in_progress.pop()
        report.address = outer
        if function is not None and self.state != "reported":
            environment.functions[self.address] = function
            parts = get_outer_expressions(function.body)
            read = (item for part in parts for item in collect_reads(part, environment.reads_by_function))
            environment.reads_by_function[self.address] = frozenset(
                item for item in read if not item.startswith("local/")
            )


def _iterate_function_builders(scope: Scope) -> Iterator[tuple[Name, str, _FunctionBuild]]:
    for node in scope.module.declarations:
        inner = replace(scope, variables=VariableTable())
        match node:
            case nodes.Relation(value=None, conditions=None):
                continue
            case nodes.Term() | nodes.Relation() | nodes.Tally() | nodes.Decide() | nodes.Table() | nodes.Paths():
                yield node.name, scope.module.prefix + node.name.text, partial(type_function, node, inner)
            case nodes.Kind() | nodes.Record():
                yield from _iterate_attribute_builders(node, scope)
            case _:
                continue


def _iterate_attribute_builders(
    node: nodes.Kind | nodes.Record, scope: Scope
) -> Iterator[tuple[Name, str, _FunctionBuild]]:
    known = scope.module.types.get(node.name.text)
    if known is None:
        return
    owner = known.name
    for field in node.fields:
        if isinstance(field, nodes.DerivedField | nodes.DerivedConditions):
            address = f"{owner}/{field.name.text}"
            scope.environment.derived_attributes.setdefault(owner, {}).setdefault(
                field.name.text, (address, EmptyType())
            )
            inner = replace(scope, owner=owner, variables=VariableTable())
            yield field.name, address, partial(type_function, field, inner)
