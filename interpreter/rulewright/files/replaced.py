"""The disk, but for one file, which another stands for."""

from rulewright.files.providers import Disk

NOWHERE = frozenset({"/dev/null", "nul", "NUL"})
"""How git calls a file that is not there."""


class Replaced(Disk):
    """The files of this machine; the text of one place is read from another file, or is not there."""

    def __init__(self, place: str, source: str) -> None:
        """Reads `source` for `place`; the device that holds nothing says that there is no such file."""
        self._identity = super().identity(place)
        self._source = source

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        if self.identity(place) != self._identity:
            return super().sort(place)
        return "" if self._source in NOWHERE else "file"

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return super().read(self._source if self.identity(place) == self._identity else place, most)
