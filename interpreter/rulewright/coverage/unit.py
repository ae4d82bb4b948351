"""One thing of a ruleset that scenarios reach or leave out."""

import re

from rulewright.frozen import dataclass
from rulewright.source import Span

SORTS = {
    "steps": "steps entered",
    "lines": "lines carried out",
    "edges": "ways on: jumps, ends of steps, steps passed over, branches",
    "conditions": "conditions that held and that failed",
    "atoms": "parts of `and` and `or` on which the outcome hung",
    "rows": "rows of decides and tables taken",
    "modifiers": "rows of tallies applied and idle",
    "options": "options chosen",
    "answers": "yes and no",
    "handlers": "handlers carried out",
    "rules": "standing rules carried out",
    "settings": "values of settings",
    "clauses": "clauses of documents",
}
"""Sorts of units, in the order of reports, with what is counted."""


_NUMBER = re.compile(r"#\d+")


@dataclass(frozen=True, slots=True)
class Unit:
    """Something that can be reached.

    Attributes:
        sort: a key of `SORTS`.
        address: of the line, row or declaration it belongs to; the id of a clause.
        detail: which side of it, such as `holds`; empty where there is one.
        span: where it stands; none for a clause.
        text: what stands there, for reading.
        cites: clauses in its margin.
        dead: why it cannot be reached, or empty.
    """

    sort: str
    address: str
    detail: str
    span: Span | None
    text: str = ""
    cites: tuple[str, ...] = ()
    dead: str = ""

    @property
    def name(self) -> str:
        """What exclusions call it."""
        return f"{self.address} {self.detail}".strip()

    def is_at(self, address: str) -> bool:
        """Whether it is meant by an address: its own, its name, or that of something around it."""
        return address in {self.name, self.address} or self.address.startswith(f"{address}/")

    @property
    def key(self) -> tuple[str, str, Span | None]:
        """The same for the same place of the same text, whatever address a ruleset or overlay gives it."""
        return self.sort, _NUMBER.sub("", self.detail) if self.span else self.name, self.span
