"""The names that a declaration, or an attribute that rules compute, has for itself, and what a line calls itself by."""

from collections.abc import Iterator
from typing import Any

from rulewright.analysis.addresses import bound_name
from rulewright.references.index import Role
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Name, written_in

Node = Any

WITH_FIELDS = (d.Kind, d.Record, d.Board, d.Game)

_BINDING: dict[type, Role] = {s.Ask: Role.ASKED, s.Roll: Role.ROLLED, s.Draw: Role.DRAWN}


def scopes(declaration: Node) -> Iterator[tuple[str, Node]]:
    """What has names of its own, each with what its address has beside that of the declaration."""
    if isinstance(declaration, WITH_FIELDS):
        yield from ((f"/{each.name.text}", each) for each in declaration.fields)
    else:
        yield "", declaration


def own_names(scope: Node) -> Iterator[tuple[Name, Role]]:
    """Each place where a name of its own is given, with how; a parameter first."""
    for each in getattr(scope, "parameters", ()):
        yield each.name, Role.DECLARED
    for node in written_in(scope):
        for name in _bound(node):
            if name.text != "_":
                yield name, _BINDING.get(type(node), Role.DECLARED)


def _bound(node: Node) -> tuple[Name, ...]:
    match node:
        case e.Binder(names=names):
            return names
        case s.Asked(each_name=Name() as name):
            return (name,)
        case s.Line():
            bound = bound_name(node)
            return (bound,) if bound else ()
        case _:
            return ()


def acting(line: Node) -> tuple[str, list[tuple[str, Any]]]:  # noqa: PLR0911 - one case for each sort of line
    """The verb of a line that has no name, and the names with their places that make its address: `take.x.armies`."""
    match line:
        case s.Set(place=place):
            return "set", _named(place)
        case s.Change(word=word, place=place):
            return word, _named(place)
        case s.Move(thing=thing) | s.Turn(thing=thing) | s.Place(thing=thing) | s.Remove(thing=thing):
            return type(line).__name__.lower(), _named(thing)
        case s.Reroll(dice=place) | s.Shuffle(deck=place):
            return type(line).__name__.lower(), _named(place)
        case s.ForEach(binder=binder):
            return "for", _texts(binder.names[:1])
        case s.Proceed(step=name) | s.Reveal(name=name) | s.Finish(procedure=Name() as name):
            return type(line).__name__.lower(), _texts((name,))
        case s.Perform(procedure=called) | s.Trigger(event=called) | d.Watch(event=called):
            return type(line).__name__.lower(), _texts(called.parts)
        case s.RulingLine(number=number):
            return "ruling", _texts((number,))
        case _:
            return type(line).__name__.lower(), []


def _texts(names: tuple[Name, ...]) -> list[tuple[str, Any]]:
    return [(each.text, each.span) for each in names]


def _named(expression: Node) -> list[tuple[str, Any]]:
    match expression:
        case e.Reference(name=name, span=span):
            return [(name, span)]
        case e.Attribute(target=target, name=name):
            return [*_named(target), (name.text, name.span)]
        case e.Index(target=target) | e.Call(function=target):
            return _named(target)
        case _:
            return []
