"""What is asked only of plays in which something is so: `result given hammer.health > 0`."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeVar

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.inputs.findings import quoted
from rulewright.machine.later import Later, joined, simplest
from rulewright.machine.values import Value
from rulewright.program.types import NumberType, Type

_GIVEN = re.compile(r"\s+given\s+")


class Out(Enum):
    """What a measure comes to in plays of which it is not asked."""

    OUT = "not asked of"


class NoConditionError(Exception):
    """It is not known of some play whether it is asked of: the condition has no value there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text  # the condition, as it was written


_Share = TypeVar("_Share")


def among(came: Mapping[Any, _Share]) -> dict[Value, _Share]:
    """What came of plays that are asked of."""
    return {value: share for value, share in came.items() if value is not Out.OUT}


def where(holds: Any, value: Any) -> Any:
    """A value where something holds, else that it is not asked of; either may hang on lots.

    Raises:
        Undecided: they hang on too much together.
    """
    if not isinstance(holds, Later):
        return value if holds else Out.OUT
    both = joined((holds, value))
    return simplest(both.lots, [one if so else Out.OUT for so, one in both.values])


def conditioned(text: str) -> tuple[str, str]:
    """An expression, and what must be so in the plays of which it is asked: `result given hammer.health > 0`."""
    asked, *conditions = _GIVEN.split(text)
    return asked, conditions[0] if len(conditions) == 1 else " and ".join(f"({each})" for each in conditions)


def no_flag(text: str, type_: Type) -> Diagnostic:
    """RW1202, for a condition of another type."""
    message = f"{quoted(text)} is {type_}; a condition must be yes or no"
    remedy = f"compare it: `{text} > 0`" if isinstance(type_, NumberType) else "compare it: `… = …` is yes or no"
    return Diagnostic("RW1202", Severity.ERROR, message, help=remedy)
