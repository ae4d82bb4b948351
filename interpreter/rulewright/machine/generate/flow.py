"""What writes the flow of a routine, as seen by what writes its ends of blocks."""

from contextlib import AbstractContextManager
from typing import Protocol

from rulewright.machine.generate.writer import Body
from rulewright.machine.source_point import Site
from rulewright.program import statements as st


class Flow(Protocol):
    """Where a block goes on.

    Attributes:
        sort: of the routine: `procedure`, `handler` or `rule`.
        binds: whether the routine holds rules or watches.
    """

    sort: str
    binds: bool

    def go(self, body: Body, number: int) -> None:
        """Goes on at a block."""

    def final(self, number: int) -> int:
        """The block itself, or the one that its empty lines lead to."""

    def number(self, block: int) -> int:
        """The number of a block that something outside continues at."""


def at(body: Body, sort: str, line: st.Statement | st.RankKey) -> AbstractContextManager[Site]:
    """A place of its own for what is written about a line."""
    body.begin()
    return body.at(body.module.site(sort, line, line=True, routine=body.site.routine))
