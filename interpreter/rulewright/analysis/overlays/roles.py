"""Roles of a procedure under other names: what `like` does to the lines it takes over."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from rulewright.analysis.addresses import bound_name
from rulewright.analysis.survey import nodes_in
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import statements as s
from rulewright.syntax.nodes.expressions import Binder, Call, Reference
from rulewright.syntax.nodes.names import Dotted, Name

Node = Any
Parameters = Callable[[Dotted], frozenset[str]]
"""The names of the parameters of an event."""


def renamed(node: Node, names: Mapping[str, str], parameters: Parameters) -> Node:
    """The node with roles read under their new names, except where a watch hears of an event that has the name."""
    match node:
        case tuple():
            return tuple(renamed(each, names, parameters) for each in node)
        case Reference(name=name):
            return replace(node, name=names[name]) if name in names else node
        case Call(function=Reference()):
            return replace(node, arguments=renamed(node.arguments, names, parameters))
        case d.Watch(event=event):
            hidden = parameters(event)
            names = {old: new for old, new in names.items() if old not in hidden}
        case None | str() | int() | Name() | Dotted():
            return node
        case _:
            pass
    return _rebuilt(node, names, parameters)


def _rebuilt(node: Node, names: Mapping[str, str], parameters: Parameters) -> Node:
    changes = {}
    for field in fields(node):
        old = getattr(node, field.name)
        if field.name not in {"span", "head"}:
            new = renamed(old, names, parameters)
            if new is not old and new != old:
                changes[field.name] = new
    return replace(node, **changes) if changes else node


def spoken(*nodes: Node) -> dict[str, Node]:
    """Every bare name that lines read or bind, with the first node that does."""
    found: dict[str, Node] = {}
    called = {id(each.function) for each in nodes_in(*nodes) if isinstance(each, Call)}
    for each in sorted((n for n in nodes_in(*nodes) if hasattr(n, "span")), key=lambda n: n.span):
        for name in _names(each) if id(each) not in called else ():
            found.setdefault(name, each)
    return found


def _names(node: Node) -> tuple[str, ...]:
    match node:
        case Reference(name=name):
            return (name,)
        case Binder(names=names):
            return tuple(each.text for each in names)
        case s.Line():
            bound = bound_name(node)
            return (bound.text,) if bound else ()
        case _:
            return ()
