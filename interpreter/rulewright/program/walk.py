"""Ways through programs: the parts of an expression, copies with parts replaced, every row and address."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, TypeVar

from rulewright.program.declarations import Declared, Program
from rulewright.program.expressions import Binding, Expression, Typed
from rulewright.program.rows import DecideRow, TableRow, TallyRow
from rulewright.roles import Role, names, nodes, reading
from rulewright.source import Span

_E = TypeVar("_E", bound=Typed | Binding)


def contents(node: Expression | Binding) -> tuple[Any, ...]:
    """The fields of an expression or binding but type and span, in order of declaration."""
    return _reader(type(node))(node)  # type: ignore[arg-type]


@cache
def _reader(kind: Any) -> Callable[[Any], tuple[Any, ...]]:  # noqa: ANN401 - a class of expressions, or of bindings
    return reading(names(kind, Role.PLACE, Role.PROOF))


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
    for name, old in zip(names(type(node), Role.PLACE, Role.PROOF), contents(node), strict=True):  # type: ignore[arg-type]
        if isinstance(old, Typed | Binding):
            new = change(old)
        elif isinstance(old, tuple) and old and isinstance(old[0], Typed):
            new = tuple(change(each) for each in old)
        else:
            continue
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


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


def _places(program: Program) -> Iterator[tuple[str, Span]]:
    for each in nodes(program):
        address = each.name if isinstance(each, Declared) else getattr(each, "address", "")
        span = getattr(each, "span", None)
        if address and isinstance(span, Span):
            yield address, span
