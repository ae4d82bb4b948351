"""Flow-insensitive, type-based alias analysis: kinds of the things that names of a routine may hold, before typing."""

from collections.abc import Iterator
from functools import cached_property

from rulewright.base.diagnostics import DiagnosticCollector
from rulewright.base.node_roles import walk_nodes
from rulewright.checker import addresses
from rulewright.checker.name_spaces import resolve_type
from rulewright.checker.read_sets import unite_known
from rulewright.checker.scope import TypeEnvironment
from rulewright.checker.symbols import CALLABLE_SPACE, LinkedModule, Symbol, find_symbol
from rulewright.program import types as ty
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Attribute, Dotted, Expression, Index, Reference

PossibleKinds = frozenset[str] | None
"""Qualified kinds of the things that a value is or holds; None where it may be anything."""


def resolve_callable(
    name: Dotted, module: LinkedModule, report: DiagnosticCollector | None = None
) -> tuple[Symbol, LinkedModule] | None:
    """Symbol of a dotted name of a callable, and the module that declares it."""
    return find_symbol(name, CALLABLE_SPACE, module.get_module_at(name.span), report)


def get_base_name(place: Expression) -> str:
    """Bare name with which a place begins, or ""."""
    match place:
        case Reference(name=name):
            return name
        case Attribute(target=target) | Index(target=target):
            return get_base_name(target)
        case _:
            return ""


class AttributeKinds:
    """Kinds of the things that attributes of each plain name may hold, over all owners."""

    def __init__(self, environment: TypeEnvironment) -> None:
        self.linked = environment.linked
        self.kinds_by_name: dict[str, PossibleKinds] = {}
        owners = [{field.name: field.type for field in kind.fields} for kind in environment.kinds.values()]
        owners += [{part.name: part.type for part in record.parts} for record in environment.records.values()]
        for parts in (*environment.cell_attributes.values(), *environment.side_attributes.values()):
            owners.append({name: field.type for name, field in parts.items()})
        for owner in owners:
            for name, type_ in owner.items():
                self.kinds_by_name[name] = unite_known(
                    (self.kinds_by_name.get(name, frozenset()), _kinds_held_by_type(type_))
                )
        for module in self.linked.modules:
            for node in module.declarations:
                parts_ = node.fields if isinstance(node, d.Kind | d.Record) else ()
                self.kinds_by_name |= {part.name.text: None for part in parts_ if not isinstance(part, d.StoredField)}


class RoutineBody:
    """Syntax tree of a routine with the possible kinds of its names, computed when first asked for."""

    def __init__(self, node: d.Declaration, module: LinkedModule, attributes: AttributeKinds) -> None:
        self.node, self.module, self._attributes = node, module, attributes
        self._kinds_by_name: dict[str, PossibleKinds] = {}

    def infer_kinds(self, expression: Expression | None) -> PossibleKinds:
        """Kinds of the things that a value is or holds; None where it may be anything."""
        match expression:
            case Reference(name=name):
                return self._kinds_of_name(name, expression)
            case Attribute(name=name) if (
                get_base_name(expression) not in self.module.get_module_at(expression.span).uses
            ):
                return self._attributes.kinds_by_name.get(name.text)
            case Index(target=inner) | e.Group(items=(inner,)):
                return self.infer_kinds(inner)
            case e.Comprehension(binder=binder, value=value):
                return self.infer_kinds(binder.source if value is None else value)
            case e.Quantified(word="the", binder=binder):
                return self.infer_kinds(binder.source)
            case e.Collection(items=items):
                return unite_known(map(self.infer_kinds, items))
            case e.IfValue(then=left, otherwise=right) | e.Binary(operator="+" | "-", left=left, right=right):
                return unite_known((self.infer_kinds(left), self.infer_kinds(right)))
            case e.NoneValue():
                return frozenset()
            case _:
                return None

    def _kinds_of_name(self, name: str, written: Reference) -> PossibleKinds:
        if name not in self._kinds_by_name:
            self._kinds_by_name[name] = None
            if name in self._bound_values:
                self._kinds_by_name[name] = unite_known(
                    value if isinstance(value, frozenset) or value is None else self.infer_kinds(value)
                    for value in self._bound_values[name]
                )
            else:
                self._kinds_by_name[name] = self._kinds_of_global_name(written)
        return self._kinds_by_name[name]

    def _kinds_of_global_name(self, written: Reference) -> PossibleKinds:
        match self.module.get_module_at(written.span).names.get(written.name):
            case Symbol(sort="plural", name=kind):
                return frozenset({kind})
            case Symbol(sort="game", type=type_) if type_ is not None:
                return _kinds_held_by_type(type_)
            case _:
                return None

    @cached_property
    def _bound_values(self) -> dict[str, list[Expression | PossibleKinds]]:
        result: dict[str, list[Expression | PossibleKinds]] = {}
        for node in walk_nodes(self.node):
            for name, meaning in self._iterate_bindings(node):
                result.setdefault(name, []).append(meaning)
        return result

    def _iterate_bindings(self, node: object) -> Iterator[tuple[str, Expression | PossibleKinds]]:
        match node:
            case e.Binder(names=names, source=source):
                yield from ((each.text, source) for each in names)
            case d.Parameter(name=name, type=written):
                yield name.text, self._kinds_of_written_type(written)
            case d.Handler(event=event) | d.Watch(event=event):
                result = resolve_callable(event, self.module)
                yield from (
                    (text, _kinds_held_by_type(each))
                    for text, each in (result[0].parameters if result is not None else ())
                )
            case s.Let(name=name, type=None, value=value):
                yield name.text, value
            case s.Let(name=name, type=written) if written is not None:
                yield name.text, self._kinds_of_written_type(written)
            case s.Draw(name=name, source=source) | s.Rank(name=name, binder=e.Binder(source=source)):
                yield name.text, source
            case s.Ask(asked=respondents, shape=shape):
                names = shape.binder.names if isinstance(shape, s.OneOf) else (shape.name,)
                for item in names:
                    yield item.text, _get_answer_source(shape)
                    if respondents.each_name is not None:
                        yield item.text, respondents.who
                if respondents.each_name is not None:
                    yield respondents.each_name.text, respondents.who
            case s.Line() if (bound := addresses.get_bound_name(node)) is not None:
                yield bound.text, None
            case _:
                return

    def _kinds_of_written_type(self, written: e.Type) -> PossibleKinds:
        result = resolve_type(written, self.module, self._attributes.linked, DiagnosticCollector())
        return None if result is None else _kinds_held_by_type(result)


def _get_answer_source(shape: s.Shape) -> Expression | None:
    match shape:
        case s.OneOf(binder=binder) | s.Pick(binder=binder):
            return binder.source
        case s.Order(items=items):
            return items
        case _:
            return None


def _kinds_held_by_type(type_: Type) -> PossibleKinds:
    match type_:
        case ty.ThingType(kind=kind):
            return frozenset({kind})
        case ty.NumberType() | ty.FlagType() | ty.TextType() | ty.FractionType() | ty.WordType():
            return frozenset()
        case _:
            parts = ty.list_held_types(type_)
            return unite_known(map(_kinds_held_by_type, parts)) if parts else None
