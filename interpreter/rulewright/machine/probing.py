"""Expressions whose values somebody listens to while a program runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Probes:
    """What is listened to; computing is not changed by it.

    Attributes:
        numbers: of the expressions, by their identity; the program they are part of must be kept.
        heard: called with the number and the value whenever one of them was computed, also in what records forget.
    """

    numbers: Mapping[int, int] = field(default_factory=dict)
    heard: Callable[[int, Any], None] = lambda _number, _value: None

    def seen(self, number: int, value: Any) -> Any:  # noqa: ANN401
        """Tells of a value, and hands it on."""
        self.heard(number, value)
        return value


SILENT = Probes()
"""Nothing is listened to."""
