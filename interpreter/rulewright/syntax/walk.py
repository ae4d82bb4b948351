"""Visits every node of a tree."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

from rulewright.source import Span


def walk(node: object) -> Iterator[object]:
    """The node and every node below it, in no special order; spans and plain values are left out."""
    left = [node]
    while left:
        each = left.pop()
        if isinstance(each, tuple):
            left.extend(each)
        elif is_dataclass(each) and not isinstance(each, (Span, type)):
            yield each
            left.extend(getattr(each, name) for name in _names(type(each)))


@cache
def _names(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls) if field.name not in {"span", "head"})
