"""Declarations computed from arguments: terms, relations, derived attributes, tallies, decides, tables, measures.

Bodies are built on demand, so that a tally or a derived attribute can be used above its declaration.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from rulewright.analysis.functions.bodies import derived_attribute, function
from rulewright.analysis.functions.computed import external_term, invariant, measure
from rulewright.analysis.functions.demand import demand
from rulewright.analysis.functions.reads import function_reads
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope, Shapes, Variables, fresh
from rulewright.analysis.symbols import Linked, Module
from rulewright.program.declarations import Function
from rulewright.program.types import EmptyType
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.nodes.names import Name

__all__ = ["announce", "demand", "external_term", "functions", "invariant", "measure"]

_Build = Callable[[], Function | None]


def announce(linked: Linked, shapes: Shapes, report: Report) -> None:
    """Makes every function of every module known to `demand`.

    Called once all stored fields, relations, settings and values are in the shapes, and before any expression is
    inferred. Functions are terms, derived relations, derived attributes, tallies, decides and tables.
    """
    for module in linked.modules:
        for name, address, build in _found(fresh(linked, module, shapes, report), module):
            shapes.pending[address] = _Pending(name, address, build, shapes, report).run


def functions(shapes: Shapes) -> dict[str, Function]:
    """All functions, in order of declaration; those with errors are left out."""
    found = {name: demand(shapes, name) for name in shapes.pending}
    return {name: made for name, made in found.items() if made is not None}


@dataclass(slots=True, eq=False, repr=False)
class _Pending:
    """A function built when it is first needed; one whose body leads back to itself is an error."""

    name: Name
    address: str
    build: _Build
    shapes: Shapes
    report: Report
    state: str = "waiting"

    def run(self) -> None:
        match self.state:
            case "waiting":
                self.state = "begun"
                self._build()
                self.state = "done"
            case "begun":
                self.state = "reported"
                message = f"`{self.name.text}` is defined by itself"
                self.report.error("RW0324", self.name.span, message, help="a rule can go round, a meaning cannot")
            case _:
                return

    def _build(self) -> None:
        outer, self.report.address = self.report.address, self.address
        self.shapes.promises.building.append(self.address)
        made = self.build()
        self.shapes.promises.building.pop()
        self.report.address = outer
        if made is not None and self.state != "reported":
            self.shapes.functions[self.address] = made
            self.shapes.reads[self.address] = function_reads(made, self.shapes.reads)


def _found(scope: Scope, module: Module) -> Iterator[tuple[Name, str, _Build]]:
    for node in module.declarations:
        inner = replace(scope, variables=Variables())
        match node:
            case nodes.Relation(value=None, conditions=None):
                continue
            case nodes.Term() | nodes.Relation() | nodes.Tally() | nodes.Decide() | nodes.Table() | nodes.Paths():
                yield node.name, module.prefix + node.name.text, partial(function, node, inner)
            case nodes.Kind() | nodes.Record():
                yield from _attributes(node, scope)
            case _:
                continue


def _attributes(node: nodes.Kind | nodes.Record, scope: Scope) -> Iterator[tuple[Name, str, _Build]]:
    owner = scope.module.types[node.name.text].name
    for field in node.fields:
        if isinstance(field, nodes.DerivedField | nodes.DerivedConditions):
            address = f"{owner}/{field.name.text}"
            scope.shapes.derived.setdefault(owner, {}).setdefault(field.name.text, (address, EmptyType()))
            inner = replace(scope, owner=owner, variables=Variables())
            yield field.name, address, partial(derived_attribute, field, inner)
