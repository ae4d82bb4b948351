"""Files of which one is another text."""

from dataclasses import dataclass

from rulewright.files import Provider
from rulewright.source import Text


@dataclass(frozen=True)
class Changed:
    """Files in which one text stands in the place of the one that has its name.

    Attributes:
        under: the files.
        text: what stands there instead.
    """

    under: Provider
    text: Text

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        return self.under.sort(place)

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        if self.identity(place) == self.identity(self.text.name):
            return self.text.content.encode()[:most]
        return self.under.read(place, most)

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        return self.under.files(place)

    def identity(self, place: str) -> str:
        """The same for two places of one file."""
        return self.under.identity(place)

    def shipped(self) -> str:
        """The folder of shipped rulesets, or nothing."""
        return self.under.shipped()
