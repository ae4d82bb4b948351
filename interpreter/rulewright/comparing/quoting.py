"""What is said of an edit: words, and pieces of the text, a line with what stands inside it where that is short."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from rulewright.comparing.edits import REMARKS
from rulewright.frozen import dataclass
from rulewright.outline.items import Item, Outline
from rulewright.outline.names import Name


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a ruleset's text."""

    text: str


Phrase = tuple[str | Quote, ...]


def plain(phrase: Phrase) -> str:
    """A phrase with its pieces of text between backticks."""
    return "".join(f"`{each.text}`" if isinstance(each, Quote) else each for each in phrase)


def joined(phrases: Iterator[Phrase], between: str) -> Phrase:
    """Phrases after each other, with words between each two."""
    found: list[str | Quote] = []
    for number, phrase in enumerate(phrases):
        found += [between, *phrase] if number else phrase
    return tuple(found)


def listed(words: Sequence[str]) -> str:
    """Words one after the other, `and` before the last."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


_LONGEST = 160
_NEAR = 2
_LONGEST_BODY = 240
_LONGEST_WHOLE = 400
_HEADS = frozenset({"procedure", "handler", "standing rule"})
_MEMBERS = frozenset({"kind", "record"})


class Quoting:
    """Shows items of one revision.

    Args:
        outline: of that revision.
        moved: what is told by itself, so that what it stands in is shown without it.
    """

    def __init__(self, outline: Outline, moved: Iterable[Item]) -> None:
        self._lists = {item.name: item for item in outline.items if item.sort == "list of words"}
        self._moved = frozenset(id(each) for each in moved)

    def whole(self, item: Item) -> Phrase:
        """All that is to be shown of an item."""
        if item.sort in REMARKS:
            return (f'{item.sort} {item.id}: "{item.title}"',)
        if item.sort == "setting":
            return (f"setting {item.id}{titled(item)}: {self._choices(item)}",)
        if item.sort in _MEMBERS:
            members = ", ".join(each.id for each in item.items)
            return (f"{item.sort} {item.id}{titled(item)}{': ' if members else ''}{members}",)
        if item.sort == "list of words":
            return (f"{item.sort} {item.id}{titled(item)}: {', '.join(each.id for each in item.items)}",)
        if item.sort == "parameter":
            return ("parameter ", Quote(short(item.text)))
        return (Quote(self._full(item)),)

    def _choices(self, setting: Item) -> str:
        """What a setting can be, and what it is unless it is chosen: `low or high; low unless chosen`."""
        said: Mapping[str, str] = {part.name: part.text for part in setting.parts}
        words = self.listed(setting)
        every = [each.id for each in words.items] if words else ["yes", "no"] if said["type"] == "flag" else []
        choices = f"{', '.join(every[:-1])} or {every[-1]}" if len(every) > 1 else said["type"]
        return f"{choices}; {said['value']} unless chosen"

    def listed(self, setting: Item) -> Item | None:
        """The list of words that a setting chooses from."""
        said = (each for part in setting.parts if part.name == "type" for each in part.form)
        return next((self._lists[each] for each in said if isinstance(each, Name) and each in self._lists), None)

    def _full(self, item: Item) -> str:
        """The line of an item with the lines inside it where these are few and short."""
        inside = [each for each in item.items if each.sort not in {"parameter", "word"}]
        if self._has_moved(item):
            return self._opened(item)
        if not inside or item.sort in _HEADS:
            return short(_head(item), _LONGEST_WHOLE if item.name else _LONGEST)
        lines = [each.text for each in inside if not each.items]
        whole = f"{_head(item)}: {'; '.join(lines)}"
        if len(lines) == len(inside) and len(whole) <= (_LONGEST_WHOLE if item.name else _LONGEST_BODY):
            return whole
        if len(inside) == 1 and inside[0].sort == "branch":
            return self._full(inside[0])
        return f"{short(_head(item))}: …"

    def _opened(self, item: Item) -> str:
        """The line of an item into or out of which something moved, with its other branches."""
        if not item.items or item.items[0].sort != "branch":
            return short(_head(item))
        told = (self._opened(each) if self._has_moved(each) else self._full(each) for each in item.items)
        sorts = (each.sort for each in item.items)
        return "; ".join(
            f"else {each}" if number and sort == "branch" else each
            for number, (each, sort) in enumerate(zip(told, sorts, strict=True))
        )

    def _has_moved(self, item: Item) -> bool:
        return any(id(each) in self._moved for each in item.inside())


def _head(item: Item) -> str:
    """The text of an item without the rows inside it."""
    first = next((each.text for each in item.items if each.sort not in {"parameter", "word"} and each.text), "")
    before, found, _ = item.text.partition(f": {first}")
    return before if first and found else item.text


def titled(item: Item) -> str:
    """The title of an item, to stand after its name; nothing where it has none."""
    return f' "{item.title}"' if item.title else ""


def short(text: str, most: int = _LONGEST) -> str:
    """A text, cut behind a word where it is longer than so many characters."""
    return text if len(text) <= most else f"{text[:most].rpartition(' ')[0]} …"


def contrasted(old: str, new: str) -> tuple[str, str]:
    """Two texts that differ, each cut to where it differs, with a few words around, where either is long."""
    if max(len(old), len(new)) <= _LONGEST:
        return old, new
    was, now = old.split(" "), new.split(" ")
    before = _alike(was, now)
    after = min(min(len(was), len(now)) - before, _alike(was[::-1], now[::-1]))
    return _around(was, before, after), _around(now, before, after)


def _alike(words: Sequence[str], others: Sequence[str]) -> int:
    """With how many words both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(words, others, strict=False)))


def _around(words: Sequence[str], before: int, after: int) -> str:
    """What stands between so many words at the beginning and at the end, with two of these on each side."""
    first, last = max(before - _NEAR, 0), len(words) - max(after - _NEAR, 0)
    return " ".join([*(["…"] if first else []), *words[first:last], *(["…"] if last < len(words) else [])])
