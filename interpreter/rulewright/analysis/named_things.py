"""Which kinds of things the names of a routine can stand for, told before any expression is typed (manual, Proofs)."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from rulewright.analysis import addresses
from rulewright.analysis.name_spaces import resolve_type
from rulewright.analysis.reads import nodes_in
from rulewright.analysis.report import Report
from rulewright.analysis.scope import Shapes
from rulewright.analysis.symbols import Linked, Module, Symbol, home
from rulewright.program import types as ty
from rulewright.program.types import Type
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s
from rulewright.syntax.nodes.expressions import Attribute, Dotted, Expression, Index, Reference

Kinds = frozenset[str] | None
"""Qualified kinds of the things that a value is or holds; none where it may be anything."""


def resolve(name: Dotted, module: Module) -> tuple[Symbol, Module] | None:
    """What a dotted name of something callable stands for, and the module that declares it."""
    found = home(name, module.at(name.span))
    symbol = found.callables.get(name.parts[-1].text) if found is not None else None
    return (symbol, found) if symbol is not None and found is not None else None


def base(place: Expression) -> str:
    """The bare name a place begins with, or nothing."""
    match place:
        case Reference(name=name):
            return name
        case Attribute(target=target) | Index(target=target):
            return base(target)
        case _:
            return ""


class Attributes:
    """What attributes of each plain name can hold."""

    def __init__(self, linked: Linked, shapes: Shapes) -> None:
        self.linked = linked
        self._known: dict[str, Kinds] = {}
        owners = [{each.name: each.type for each in kind.fields} for kind in shapes.kinds.values()]
        owners += [{each.name: each.type for each in record.parts} for record in shapes.records.values()]
        for parts in (*shapes.cells.values(), *shapes.sides.values()):
            owners.append({name: each.type for name, each in parts.items()})
        for owner in owners:
            for name, type_ in owner.items():
                self._known[name] = _union((self._known.get(name, frozenset()), _held(type_)))
        for module in linked.modules:
            for node in module.declarations:
                parts_ = node.fields if isinstance(node, d.Kind | d.Record) else ()
                self._known |= {each.name.text: None for each in parts_ if not isinstance(each, d.StoredField)}

    def of(self, name: str) -> Kinds:
        """The kinds that attributes of this name hold."""
        return self._known.get(name)


class Body:
    """The text of a routine, and what its names can stand for."""

    def __init__(self, node: d.Declaration, module: Module, attributes: Attributes) -> None:
        """Looks at the text when first asked; the module is the one whose names it sees."""
        self.node, self.module, self._attributes = node, module, attributes
        self._known: dict[str, Kinds] = {}

    def kinds(self, expression: Expression | None) -> Kinds:  # noqa: PLR0911 - one case for each sort
        """The kinds of the things that a value is or holds."""
        match expression:
            case Reference(name=name):
                return self._named(name, expression)
            case Attribute(name=name) if base(expression) not in self.module.at(expression.span).uses:
                return self._attributes.of(name.text)
            case Index(target=inner) | e.Group(items=(inner,)):
                return self.kinds(inner)
            case e.Comprehension(binder=binder, value=value):
                return self.kinds(binder.source if value is None else value)
            case e.Quantified(word="the", binder=binder):
                return self.kinds(binder.source)
            case e.Collection(items=items):
                return _union(map(self.kinds, items))
            case e.IfValue(then=left, otherwise=right) | e.Binary(operator="+" | "-", left=left, right=right):
                return _union((self.kinds(left), self.kinds(right)))
            case e.NoneValue():
                return frozenset()
            case _:
                return None

    def _named(self, name: str, written: Reference) -> Kinds:
        if name not in self._known:
            self._known[name] = None
            if name in self._meanings:
                self._known[name] = _union(
                    each if isinstance(each, frozenset) or each is None else self.kinds(each)
                    for each in self._meanings[name]
                )
            else:
                self._known[name] = self._elsewhere(written)
        return self._known[name]

    def _elsewhere(self, written: Reference) -> Kinds:
        """What a name that the routine does not bind holds: a plural, or a field of the game."""
        match self.module.at(written.span).names.get(written.name):
            case Symbol(sort="plural", name=kind):
                return frozenset({kind})
            case Symbol(sort="game", type=type_) if type_ is not None:
                return _held(type_)
            case _:
                return None

    @cached_property
    def _meanings(self) -> dict[str, list[Expression | Kinds]]:
        """What each name is bound to, wherever the routine binds it."""
        found: dict[str, list[Expression | Kinds]] = {}
        for node in nodes_in(self.node):
            for name, meaning in self._bound(node):
                found.setdefault(name, []).append(meaning)
        return found

    def _bound(self, node: object) -> Iterator[tuple[str, Expression | Kinds]]:  # noqa: C901 - one case for each sort
        match node:
            case e.Binder(names=names, source=source):
                yield from ((each.text, source) for each in names)
            case d.Parameter(name=name, type=written):
                yield name.text, self._typed(written)
            case d.Handler(event=event) | d.Watch(event=event):
                found = resolve(event, self.module)
                yield from ((text, _held(each)) for text, each in (found[0].parameters if found is not None else ()))
            case s.Let(name=name, type=None, value=value):
                yield name.text, value
            case s.Let(name=name, type=written) if written is not None:
                yield name.text, self._typed(written)
            case s.Draw(name=name, source=source) | s.Rank(name=name, binder=e.Binder(source=source)):
                yield name.text, source
            case s.Ask(asked=asked, shape=shape):
                names = shape.binder.names if isinstance(shape, s.OneOf) else (shape.name,)
                for each in names:
                    yield each.text, _answer(shape)
                    if asked.each_name is not None:
                        yield each.text, asked.who
                if asked.each_name is not None:
                    yield asked.each_name.text, asked.who
            case s.Line() if (bound := addresses.bound_name(node)) is not None:
                yield bound.text, None
            case _:
                return

    def _typed(self, written: e.Type) -> Kinds:
        found = resolve_type(written, self.module, self._attributes.linked, Report())
        return None if found is None else _held(found)


def _answer(shape: s.Shape) -> Expression | None:
    match shape:
        case s.OneOf(binder=binder) | s.Pick(binder=binder):
            return binder.source
        case s.Order(items=items):
            return items
        case _:
            return None


def _held(type_: Type) -> Kinds:
    match type_:
        case ty.ThingType(kind=kind):
            return frozenset({kind})
        case ty.NumberType() | ty.FlagType() | ty.TextType() | ty.FractionType() | ty.WordType():
            return frozenset()
        case _:
            parts = ty.held_by(type_)
            return _union(map(_held, parts)) if parts else None


def _union(found: Iterable[Kinds]) -> Kinds:
    whole = frozenset[str]()
    for each in found:
        if each is None:
            return None
        whole |= each
    return whole
