"""Generic ways through typed expressions: their parts, and copies with parts replaced."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, TypeVar

from rulewright.program.expressions import Binding, Expression, Typed

_E = TypeVar("_E", bound=Typed | Binding)


_NAMES: dict[type[Any], tuple[str, ...]] = {}


def _field_names(node: Any) -> tuple[str, ...]:  # noqa: ANN401 - an expression or a binding
    found = _NAMES.get(type(node))
    if found is None:
        found = _NAMES[type(node)] = tuple(each.name for each in fields(node) if each.name not in {"type", "span"})
    return found


def contents(node: Expression | Binding) -> tuple[Any, ...]:
    """The fields of an expression or binding but type and span, in order of declaration."""
    return tuple(getattr(node, name) for name in _field_names(node))


def parts(node: Expression | Binding) -> Iterator[Expression]:
    """The expressions directly inside, in order of evaluation."""
    for each in contents(node):
        if isinstance(each, Binding):
            yield from parts(each)
        elif isinstance(each, tuple):
            yield from (item for item in each if isinstance(item, Typed))  # type: ignore[misc]
        elif isinstance(each, Typed):
            yield each  # type: ignore[misc]


def inside(expression: Expression) -> Iterator[Expression]:
    """The expression and all inside it, outermost first."""
    yield expression
    for part in parts(expression):
        yield from inside(part)


def rebuilt(node: _E, change: Callable[[Any], Any]) -> _E:
    """A copy whose direct parts went through a function; bindings inside count as parts."""
    changed: dict[str, Any] = {}
    for name in _field_names(node):
        old = getattr(node, name)
        if isinstance(old, Typed | Binding):
            new = change(old)
        elif isinstance(old, tuple) and old and isinstance(old[0], Typed):
            new = tuple(change(each) for each in old)
        else:
            continue
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node
