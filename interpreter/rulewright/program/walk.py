"""Generic ways through typed expressions: their parts, and copies with parts replaced."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from rulewright.program.expressions import Binding, Expression, Typed

_E = TypeVar("_E", bound=Typed | Binding)


@cache
def _names(kind: Any) -> tuple[str, ...]:  # noqa: ANN401 - a class of expressions, or of bindings
    return tuple(each.name for each in fields(kind) if each.name not in {"type", "span"})


@cache
def _reader(kind: Any) -> Callable[[Any], tuple[Any, ...]]:  # noqa: ANN401 - a class of expressions, or of bindings
    """Reads the fields of an instance."""
    names = _names(kind)
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
    for name, old in zip(_names(type(node)), contents(node), strict=True):  # type: ignore[arg-type]
        if isinstance(old, Typed | Binding):
            new = change(old)
        elif isinstance(old, tuple) and old and isinstance(old[0], Typed):
            new = tuple(change(each) for each in old)
        else:
            continue
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node
