"""Declarations in the making: what all parts of `declare` share."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from rulewright.analysis.clauses.cites import qualify
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes
from rulewright.analysis.symbols import Linked, Module, Symbol
from rulewright.frozen import dataclass
from rulewright.program import declarations as typed
from rulewright.program.expressions import Expression
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes.expressions import Expression as ExpressionNode
from rulewright.syntax.nodes.expressions import Name

_Node = TypeVar("_Node", bound=d.Declared)


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Declarations:
    """Everything declared that is no function and no routine, by qualified name, in order of declaration."""

    shapes: Shapes = dataclasses.field(default_factory=Shapes)
    values: dict[str, typed.WordList] = dataclasses.field(default_factory=dict)
    dice: dict[str, typed.NamedDie] = dataclasses.field(default_factory=dict)
    boards: dict[str, typed.Board] = dataclasses.field(default_factory=dict)
    game: dict[str, typed.Field] = dataclasses.field(default_factory=dict)
    settings: dict[str, typed.Setting] = dataclasses.field(default_factory=dict)
    relations: dict[str, typed.Relation] = dataclasses.field(default_factory=dict)
    external_procedures: dict[str, typed.ExternalProcedure] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """A start value still to be inferred, the slot it is for, and who takes it."""

    node: ExpressionNode
    type: Type
    module: Module
    address: str
    take: Callable[[Expression], None]


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class Work:
    """Declarations in the making.

    Attributes:
        linked: all modules.
        report: where findings go.
        found: what is declared so far.
        starts: start values that wait until every type is known.
    """

    linked: Linked
    report: Report
    found: Declarations = dataclasses.field(default_factory=Declarations)
    starts: list[Start] = dataclasses.field(default_factory=list)

    def each(self, sort: type[_Node]) -> Iterator[tuple[Module, _Node]]:
        """Every declaration of a sort with its module; findings meanwhile carry its address."""
        for module in self.linked.modules:
            for node in module.declarations:
                if isinstance(node, sort):
                    name = getattr(node, "name", None)
                    self.report.address = module.prefix + name.text if name else "game"
                    yield module, node

    def shared(self, name: str, node: d.Declared) -> dict[str, Any]:
        """The fields that all declarations of a program share."""
        title = node.title.text if node.title else ""
        return {"name": name, "title": title, "cites": qualify(node.cites, self.linked), "span": node.head}

    def is_new(self, name: Name, seen: set[str]) -> bool:
        """Whether a field or parameter is the first of its name (RW0207); notes it."""
        if name.text not in seen:
            seen.add(name.text)
            return True
        message = f"`{name.text}` is declared twice"
        self.report.error("RW0207", name.span, message, help="choose another name for one of them")
        return False


def is_entered(space: Mapping[str, Symbol], name: Name) -> bool:
    """Whether a declaration is the one its name stands for, and not a second one."""
    symbol = space.get(name.text)
    return symbol is not None and symbol.span == name.span
