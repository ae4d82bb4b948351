"""Declarations computed from arguments: terms, relations, derived attributes, tallies, decides, tables, measures.

Bodies are built on demand, so that a tally or a derived attribute can be used above its declaration.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from rulewright.analysis.declaration_edits import FUNCTION
from rulewright.analysis.functions.bodies import derived_attribute, external_term, function, invariant, measure
from rulewright.analysis.infer import fresh
from rulewright.analysis.reads import mentioned, reads
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Scope, Shapes, Variables
from rulewright.analysis.symbols import Linked, Module
from rulewright.program.declarations import Function
from rulewright.program.types import EmptyType
from rulewright.program.walk import expressions, inner_first
from rulewright.syntax.nodes import declarations as nodes
from rulewright.syntax.nodes.expressions import Name

__all__ = ["announce", "external_term", "functions", "invariant", "measure"]

_Build = partial[Function | None]


def announce(linked: Linked, shapes: Shapes, report: Report) -> None:
    """Makes every function of every module known to `Shapes.function`.

    Called once all stored fields, relations, settings and values are in the shapes, and before any expression is
    inferred. Functions are terms, derived relations, derived attributes, tallies, decides and tables.
    """
    for module in linked.modules:
        for name, address, build in _found(fresh(linked, module, shapes, report), module):
            shapes.pending[address] = _Pending(name, address, build, shapes, report)


def functions(shapes: Shapes) -> dict[str, Function]:
    """All functions, in order of declaration; those with errors are left out."""
    for name in _far(_leads(shapes)):
        shapes.function(name)
    found = {name: shapes.function(name) for name in shapes.pending}
    return {name: made for name, made in found.items() if made is not None}


_FAR = 10


def _leads(shapes: Shapes) -> dict[str, list[str]]:
    """For each function those it may mention, by their plain names."""
    pending = {address: each for address, each in shapes.pending.items() if isinstance(each, _Pending)}
    called: dict[str, list[str]] = {}
    for address, each in pending.items():
        called.setdefault(each.name.text, []).append(address)
    return {
        address: [found for name in mentioned(each.node) for found in called.get(name, ())]
        for address, each in pending.items()
    }


def _far(leads: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The functions to build before others need them, so that none is built more than `_FAR` deep inside others."""
    heights = dict.fromkeys(leads, 0)
    for name in inner_first(leads):
        heights[name] = 1 + max((heights[each] for each in leads[name] if each != name), default=0)
        if heights[name] >= _FAR:
            heights[name] = 0
            yield name


@dataclass(slots=True, eq=False, repr=False)
class _Pending:
    """A function built when it is first needed; one whose body leads back to itself is an error."""

    name: Name
    address: str
    build: _Build
    shapes: Shapes
    report: Report
    state: str = "waiting"

    @property
    def node(self) -> Any:  # a declaration or an attribute
        """What was written."""
        return self.build.args[0]

    def __call__(self) -> None:
        match self.state:
            case "waiting":
                self.state = "begun"
                self._build()
                self.state = "done"
            case "begun":
                self.state = "reported"
                message = f"`{self.name.text}` is defined by itself"
                self.report.error(
                    "RW0324", self.name.span, message, help="give one of them a meaning without the other"
                )
            case _:
                return

    def _build(self) -> None:
        outer, self.report.address = self.report.address, self.address
        self.shapes.promises.building.append(self.address)
        made = self.shapes.parts.of((FUNCTION, self.address), self.shapes, self.report, self.build)
        self.shapes.promises.building.pop()
        self.report.address = outer
        if made is not None and self.state != "reported":
            self.shapes.functions[self.address] = made
            read = (each for part in expressions(made.body) for each in reads(part, self.shapes.reads))
            self.shapes.reads[self.address] = frozenset(each for each in read if not each.startswith("local/"))


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
    known = scope.module.types.get(node.name.text)
    if known is None:
        return
    owner = known.name
    for field in node.fields:
        if isinstance(field, nodes.DerivedField | nodes.DerivedConditions):
            address = f"{owner}/{field.name.text}"
            scope.shapes.derived.setdefault(owner, {}).setdefault(field.name.text, (address, EmptyType()))
            inner = replace(scope, owner=owner, variables=Variables())
            yield field.name, address, partial(derived_attribute, field, inner)
