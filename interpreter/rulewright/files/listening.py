"""The disk, and what it said: so that what was made of its files need not be made again while it would say the same."""

from hashlib import sha256
from typing import Any

from rulewright.files.providers import Disk

Said = dict[tuple[Any, ...], object]
"""What was answered, by the name of the question and what it was about; of the content of a file a digest."""


class Listening:
    """The files of this machine, and what was said of them.

    Attributes:
        under: those that are asked.
        said: every answer so far.
    """

    def __init__(self, under: Disk) -> None:
        """Nothing was said yet."""
        self.under = under
        self.said: Said = {}

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        found = self.said["sort", place] = self.under.sort(place)
        return found

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        self.said["read", place, most] = None  # until it is read
        content = self.under.read(place, most)
        self.said["read", place, most] = sha256(content).hexdigest()
        return content

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        found = self.said["files", place] = self.under.files(place)
        return found

    def identity(self, place: str) -> str:
        """The path with every link followed, as far as that is possible."""
        found = self.said["identity", place] = self.under.identity(place)
        return found

    def shipped(self) -> str:
        """The folder of shipped rulesets, as seen from where the tool was started if it is below."""
        found = self.said["shipped",] = self.under.shipped()
        return found


def still_said(said: Said, under: Disk) -> bool:
    """Whether the files of this machine would give the same answers now."""
    now = Listening(under)
    try:
        for question, *about in said:
            getattr(now, question)(*about)
    except (OSError, ValueError):
        return False
    return now.said == said
