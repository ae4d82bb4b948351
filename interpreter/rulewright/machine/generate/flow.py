"""What writes the flow of a routine, as seen by what writes its requests."""

from typing import Protocol

from rulewright.machine.generate.writer import Body


class Flow(Protocol):
    """Where a question goes on."""

    def go(self, body: Body, number: int) -> None:
        """Goes on at a block."""

    def number(self, block: int) -> int:
        """The number of a block that something outside continues at."""
