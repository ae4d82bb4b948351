"""How much of a ruleset plays reach: steps, lines, options, rows, and conditions seen true and seen false."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rulewright.program.declarations import Program, Step
from rulewright.program.expressions import ConditionRow, Row
from rulewright.program.statements import Line, Option

Reached = tuple[str, str]


def list_reachable(program: Program) -> dict[str, set[Reached]]:
    """What could be reached, by sort: an address, and what may come of it."""
    found: dict[str, set[Reached]] = {}
    for each in _iterate_parts(program, set()):
        for sort, outcome in _list_outcomes(each):
            found.setdefault(sort, set()).add((each.address, outcome))
    return found


def _list_outcomes(part: Any) -> Iterator[tuple[str, str]]:
    match part:
        case Step():
            yield "steps", "entered"
        case Line():
            yield "lines", "entered"
        case Option():
            yield "options", "taken"
        case ConditionRow():
            yield "conditions", "held"
            yield "conditions", "failed"
        case Row():
            yield "rows", "taken"


def _iterate_parts(node: Any, seen: set[int]) -> Iterator[Any]:
    if isinstance(node, tuple | Mapping):
        for each in node.values() if isinstance(node, Mapping) else node:
            yield from _iterate_parts(each, seen)
    elif is_dataclass(node) and id(node) not in seen:
        seen.add(id(node))
        yield node
        for each in fields(node):
            yield from _iterate_parts(getattr(node, each.name), seen)


def report_reach(program: Program, reached: Iterable[Reached]) -> Iterator[str]:
    """A line for each sort with the number reached, and one for each thing never reached."""
    known = set(reached)
    for sort, every in list_reachable(program).items():
        yield f"  {len(every & known)} of {len(every)} {sort}"
        yield from (f"    never {outcome}: {address}" for address, outcome in sorted(every - known))
