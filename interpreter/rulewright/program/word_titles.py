"""Which words of a list people call by their titles, and every way to write one."""

from collections import Counter
from collections.abc import Mapping, Sequence

from rulewright.frozen import dataclass

_MOST_WORDS = 4
"""A longer title explains its word; a shorter one is another name of it."""
_NO_NAMES = frozenset({"none", "yes", "no"})
"""How other values are written."""


@dataclass(frozen=True, slots=True)
class WordTitles:
    """How the words of one list are called and written."""

    names: Sequence[str]  # of the words, in order
    titles: Sequence[str]  # of each, empty where it has none

    @property
    def called(self) -> tuple[str, ...]:
        """What people call each word: its title where that is a name, else the word itself.

        A title is a name if it has at most four words and no comma, and no other word of the list is called so.

        >>> WordTitles(["heavy", "mend"], ["Heavy blow", "heals after wounds are dealt"]).called
        ('Heavy blow', 'mend')
        """
        spelt = Counter(each.casefold() for each in (*self.names, *self.titles))
        pairs = zip(self.names, self.titles, strict=True)
        return tuple(title if _is_name(title, name, spelt) else name for name, title in pairs)

    @property
    def spellings(self) -> Mapping[str, int]:
        """The position of a word by its name, and by its title where no other word is written so."""
        often = Counter(self.titles)
        titles = {title: at for at, title in enumerate(self.titles) if _is_written(title) and often[title] == 1}
        return titles | {name: at for at, name in enumerate(self.names)}


def _is_written(title: str) -> bool:
    return bool(title.strip()) and title not in _NO_NAMES


def _is_name(title: str, word: str, spelt: Mapping[str, int]) -> bool:
    """Whether a title is a name that nothing else in the list has; it may be its own word with other capitals."""
    if not _is_written(title) or "," in title or len(title.split()) > _MOST_WORDS:
        return False
    return spelt[title.casefold()] == 1 + (title.casefold() == word.casefold())
