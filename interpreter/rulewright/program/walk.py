"""Generic ways through programs: every node, the parts of an expression, copies with parts replaced, every address."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from rulewright.program.declarations import Declared, Program
from rulewright.program.expressions import Binding, Expression, Typed
from rulewright.program.rows import DecideRow, TableRow, TallyRow
from rulewright.program.types import Type
from rulewright.source import Span

_E = TypeVar("_E", bound=Typed | Binding)


@cache
def part_names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a class of nodes
    """The fields of a class of nodes but type and span, in order of declaration."""
    return tuple(each.name for each in fields(kind) if each.name not in {"type", "span"})


@cache
def _reader(kind: Any) -> Callable[[Any], tuple[Any, ...]]:  # noqa: ANN401 - a class of expressions, or of bindings
    """Reads the fields of an instance."""
    names = part_names(kind)
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple(getattr(node, name) for name in names)


def contents(node: Expression | Binding) -> tuple[Any, ...]:
    """The fields of an expression or binding but type and span, in order of declaration."""
    return _reader(type(node))(node)  # type: ignore[arg-type]


def parts(node: Expression | Binding) -> list[Expression]:
    """The expressions directly inside, in order of evaluation."""
    found: list[Any] = []
    for each in contents(node):
        if isinstance(each, Typed):
            found.append(each)
        elif isinstance(each, tuple):
            found.extend(item for item in each if isinstance(item, Typed))
        elif isinstance(each, Binding):
            found.extend(parts(each))
    return found


def inside(expression: Expression) -> Iterator[Expression]:
    """The expression and all inside it, outermost first."""
    waiting = [expression]
    while waiting:
        each = waiting.pop()
        yield each
        waiting.extend(reversed(parts(each)))


def rebuilt(node: _E, change: Callable[[Any], Any]) -> _E:
    """A copy whose direct parts went through a function; bindings inside count as parts."""
    changed: dict[str, Any] = {}
    for name, old in zip(part_names(type(node)), contents(node), strict=True):  # type: ignore[arg-type]
        if isinstance(old, Typed | Binding):
            new = change(old)
        elif isinstance(old, tuple) and old and isinstance(old[0], Typed):
            new = tuple(change(each) for each in old)
        else:
            continue
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def mapped(node: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401
    """A copy of a node of any class whose direct parts went through a function; texts, types and places stay."""
    if isinstance(node, tuple):
        found = tuple(change(each) for each in node)
        return node if all(a is b for a, b in zip(found, node, strict=True)) else found
    if not hasattr(node, "__dataclass_fields__") or isinstance(node, Span | Type | type):
        return node
    parts = {name: (getattr(node, name), change(getattr(node, name))) for name in part_names(type(node))}  # type: ignore[arg-type]
    changed = {name: now for name, (was, now) in parts.items() if now is not was}
    return replace(node, **changed) if changed else node


_PLAIN = frozenset({str, int, bool, tuple[str, ...], Span, Type})


@cache
def _parts(kind: Any) -> Callable[[Any], tuple[Any, ...]] | None:  # noqa: ANN401 - any class
    """Reads what a node of a class may hold, the last first; none for what is no node."""
    if not is_dataclass(kind) or issubclass(kind, Span | Type):  # type: ignore[arg-type]
        return None
    names = [each.name for each in reversed(fields(kind)) if each.type not in _PLAIN]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: tuple(getattr(node, name) for name in names)


def nodes(node: Any) -> Iterator[Any]:  # noqa: ANN401
    """The node and all nodes below it, outermost first, in written order; no types and no spans."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            waiting.extend(reversed(each))
            continue
        parts = _parts(each.__class__)
        if parts is not None:
            yield each
            waiting.extend(parts(each))


def rows(program: Program) -> Iterator[TallyRow | DecideRow | TableRow]:
    """The rows of all tallies, decides and tables, in written order."""
    for group in (program.functions, program.procedures, program.handlers, program.rules):
        for each in nodes(tuple(group.values())):
            if isinstance(each, TallyRow | DecideRow | TableRow):
                yield each


def places(program: Program) -> dict[str, Span]:
    """The span of every declaration, step, line and row, by address; the outermost where several share one."""
    found: dict[str, Span] = {}
    for address, span in _places(program):
        found.setdefault(address, span)
    return found


def place_of(address: str, program: Program) -> Span | None:
    """Where an address is written; of a line that a run gave a number of its own, the line."""
    return places(program).get(address)


def _places(node: Any) -> Iterator[tuple[str, Span]]:  # noqa: ANN401 - walks whatever a program is made of
    if isinstance(node, tuple):
        for each in node:
            yield from _places(each)
    elif isinstance(node, Mapping):
        for each in node.values():
            yield from _places(each)
    elif is_dataclass(node) and not isinstance(node, Span):
        address = node.name if isinstance(node, Declared) else getattr(node, "address", "")
        span = getattr(node, "span", None)
        if address and isinstance(span, Span):
            yield address, span
        for each in fields(node):
            yield from _places(getattr(node, each.name))
