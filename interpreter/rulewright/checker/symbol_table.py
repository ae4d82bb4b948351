"""Which symbol each name of a checked text means."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from rulewright.base.source import NameUse, Span


@dataclass(frozen=True)
class SymbolTable:
    """Names that the check resolved; those of procedures made by `like` count after what is written out."""

    noted: tuple[NameUse, ...] = ()
    derived: Collection[str] = frozenset()  # procedures made by `like`

    @cached_property
    def uses(self) -> Mapping[Span, NameUse]:
        """The use at each span."""
        result: dict[Span, NameUse] = {}
        for use in sorted(self.noted, key=lambda use: use.owner in self.derived):
            result.setdefault(use.span, use)
        return result
