"""Files, but for some, for which another text stands."""

from collections.abc import Mapping

from rulewright.files.providers import Provider

NOWHERE = frozenset({"/dev/null", "nul", "NUL"})
"""How git calls a file that is not there."""


class Replaced:
    """Files of another provider; the text of one place is read from another file, or is not there."""

    def __init__(self, place: str, source: str, files: Provider) -> None:
        """Reads `source` for `place`; the device that holds nothing says that there is no such file."""
        self._files = files
        self._identity = files.identity(place)
        self._source = source

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        if self.identity(place) != self._identity:
            return self._files.sort(place)
        return "" if self._source in NOWHERE else "file"

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        return self._files.read(self._source if self.identity(place) == self._identity else place, most)

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        return self._files.files(place)

    def identity(self, place: str) -> str:
        """The same for two places of one file."""
        return self._files.identity(place)

    def shipped(self) -> str:
        """The folder of shipped rulesets, or nothing."""
        return self._files.shipped()


class Revised:
    """Files of another provider; those whose new content is given hold that."""

    def __init__(self, files: Provider, contents: Mapping[str, str]) -> None:
        """Keeps the new contents, by place."""
        self._files = files
        self._contents = {files.identity(place): content.encode() for place, content in contents.items()}

    def sort(self, place: str) -> str:
        """`file`, `folder`, or nothing where there is neither."""
        return self._files.sort(place)

    def read(self, place: str, most: int) -> bytes:
        """What a file holds, up to so many bytes."""
        content = self._contents.get(self._files.identity(place))
        return self._files.read(place, most) if content is None else content[:most]

    def files(self, place: str) -> tuple[str, ...]:
        """The names in a folder, in order."""
        return self._files.files(place)

    def identity(self, place: str) -> str:
        """The same for two places of one file."""
        return self._files.identity(place)

    def shipped(self) -> str:
        """The folder of shipped rulesets, or nothing."""
        return self._files.shipped()
