"""Places of a program that something happens at: what traces, requests and faults point to, and who listens there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rulewright.program.types import Type

YES_NO = (True, False)
CLAIMABLE_SORTS = frozenset({"pick", "split", "order", "place", "heading"})
"""Sorts of requests of which rows may leave no legal answer, so that a player may claim that there is none."""
LISTED_ANSWERS: dict[str, tuple[Any, ...]] = {"whether": YES_NO, "turn": (), "one": (), "choose": ()}
"""Legal answers by the sort of a request; empty where the data of the request are the answers."""


CONDITION_SORTS = frozenset({"test", "need", "step", "reason", "term"})
"""Sorts of entries about conditions; their records begin with the values of the names whose attributes were read."""


@dataclass(slots=True)
class SourcePoint:
    """One place, known by its number in generated code."""

    number: int  # position in the executable's table
    sort: str  # as in `trace.TraceEntry`
    address: str  # of the line, row or declaration
    cites: tuple[str, ...] = ()  # whole clause ids
    title: str = ""  # what people read
    node: Any = None  # the line, row or expression itself
    line: bool = False  # whether it is a line of a routine and not part of an expression
    routine: str = ""  # name of the routine it stands in, or empty
    type: Type | None = None  # of its result
    request_sort: str = ""  # sort of the request made here; empty where none is, or where it depends on the data
    # of a question the policies of players for it: by their id a word, and the function that judges an answer, or empty
    policies: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # texts and types of the values a trace records here, in order
    reads: list[tuple[str, Type]] = field(default_factory=list)
    # the same of the names whose attributes are read; they stand before the values read
    owners: list[tuple[str, Type]] = field(default_factory=list)


@dataclass(frozen=True)
class ValueProbes:
    """Who is told of values as they are computed; nothing else changes by it."""

    # of the expressions, by their identity; the program they are part of must be kept
    numbers: Mapping[int, int] = field(default_factory=dict)
    # called with the number and the value whenever one of them was computed, also in what records forget
    listener: Callable[[int, Any], None] = lambda _number, _value: None

    def report_value(self, number: int, value: Any) -> Any:
        """Reports a value, and returns it."""
        self.listener(number, value)
        return value


NO_PROBES = ValueProbes()
"""Nothing is listened to."""
