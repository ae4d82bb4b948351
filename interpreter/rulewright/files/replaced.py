"""Files, but for some, for which another text stands."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulewright.files.providers import Relayed

NOWHERE = frozenset({"/dev/null", "nul", "NUL"})
"""How git calls a file that is not there."""


@dataclass(frozen=True)
class Replaced(Relayed):
    """Files of another provider; the text of one place is read from another file, or is not there.

    Attributes:
        place: whose text is another.
        source: the file that is read for it; the device that holds nothing says that there is no such file.
    """

    place: str
    source: str

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        if not self._is_replaced(place):
            return super().sort(place)
        return "" if self.source in NOWHERE else "file"

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return super().read(self.source if self._is_replaced(place) else place, most)

    def _is_replaced(self, place: str) -> bool:
        return self.identity(place) == self.identity(self.place)


@dataclass(frozen=True)
class Revised(Relayed):
    """Files of another provider; those whose new content is given hold that.

    Attributes:
        contents: the new contents, by place.
    """

    contents: Mapping[str, str]
    _held: dict[str, bytes] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self) -> None:
        """Knows the new contents by what is the same for two places of one file."""
        self._held.update({self.identity(place): content.encode() for place, content in self.contents.items()})

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        content = self._held.get(self.identity(place))
        return super().read(place, most) if content is None else content[:most]
