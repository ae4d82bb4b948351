"""Every node of a text, fast; the names that written rules mention, and what those mean in turn."""

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from rulewright.analysis.identity import by_identity
from rulewright.analysis.symbols import Linked
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d
from rulewright.syntax.nodes import expressions as e
from rulewright.syntax.nodes.expressions import Name

_PLAIN = frozenset({str, int, bool, Span, Name})


@cache
def _holding(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a class of nodes
    """The fields of a class of nodes that can hold nodes."""
    return tuple(each.name for each in fields(kind) if each.type not in _PLAIN)


@by_identity(most=500)
def nodes_of(declaration: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a declaration or header
    """As `nodes_in`; found once for all that pass over the same declaration."""
    return tuple(nodes_in(declaration))


def nodes_in(*roots: Any) -> Iterator[Any]:  # noqa: ANN401 - any nodes, or tuples of them
    """The roots and all nodes in them, names left out, in no particular order."""
    waiting: list[Any] = list(roots)
    while waiting:
        node = waiting.pop()
        if node is None or isinstance(node, str | int):
            continue
        if isinstance(node, tuple):
            waiting.extend(node)
            continue
        yield node
        waiting.extend([getattr(node, name) for name in _holding(type(node))])  # type: ignore[arg-type]


ANYTHING = "*"


class Mentions:
    """What expressions read, by plain names, with the bodies of the functions they call."""

    def __init__(self, linked: Linked) -> None:
        """Collects the bodies that a name can stand for."""
        self._bodies: dict[str, list[Any]] = {}
        self._plurals: set[str] = set()
        for module in linked.modules:
            for declaration in module.declarations:
                self._collect(declaration)

    def _collect(self, declaration: d.Declaration) -> None:
        match declaration:
            case d.Kind(plural=plural, fields=parts) | d.Record(name=plural, fields=parts):
                self._plurals.add(plural.text)
                for part in parts:
                    if not isinstance(part, d.StoredField):
                        self._bodies.setdefault(part.name.text, []).append(part)
            case d.Term() | d.Relation() | d.Tally() | d.Decide() | d.Table() | d.Paths():
                self._bodies.setdefault(declaration.name.text, []).append(declaration)
            case d.ExternalTerm():
                self._plurals.add(ANYTHING)
                self._bodies.setdefault(declaration.name.text, []).append(e.Reference(ANYTHING, declaration.span))
            case _:
                return

    def of(self, *nodes: Any) -> frozenset[str]:  # noqa: ANN401 - any nodes
        """Every name mentioned, `gone` where things in play are, and `*` where anything may be read."""
        found: set[str] = set()
        waiting = list(nodes)
        while waiting:
            for name in mentioned(waiting.pop()) - found:
                found.add(name)
                waiting.extend(self._bodies.get(name, ()))
        return frozenset(found | ({"gone"} if found & self._plurals else set()) | _implied(found))


def mentioned(*nodes: Any) -> frozenset[str]:  # noqa: ANN401 - any nodes
    """The plain names that stand in nodes themselves."""
    return frozenset({_name(node) for node in nodes_in(*nodes)} - {""})


def _name(node: Any) -> str:  # noqa: ANN401 - any node
    match node:
        case e.Reference(name=name):
            return name
        case e.Attribute(name=name):
            return name.text
        case _:
            return ""


def _implied(found: set[str]) -> set[str]:
    return {"at", "gone"} if "occupants" in found else set()
