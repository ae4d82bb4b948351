"""Which names of two revisions mean the same."""

from collections.abc import Mapping

from rulewright.frozen import dataclass
from rulewright.outline.names import Name


@dataclass(frozen=True, slots=True)
class Correspondence:
    """What of an old revision is what of a new one.

    Attributes:
        names: from old names to new ones, those that stayed the same among them; what was removed is not in it.
        addresses: from old addresses to new ones: of steps, lines, rows and options that were matched.
    """

    names: Mapping[Name, Name]
    addresses: Mapping[str, str]

    def new(self, sort: str, name: str) -> str | None:
        """What an old name became; none where it was removed."""
        found = self.names.get(Name(sort, name))
        return None if found is None else found.name

    def mirrored(self) -> "Correspondence":
        """The same, from the new revision to the old one."""
        return Correspondence(
            {new: old for old, new in self.names.items()}, {new: old for old, new in self.addresses.items()}
        )
