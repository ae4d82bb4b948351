"""Which lines of a text are those of an item, and lines of the old revision as the new one would write them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.frozen import dataclass as frozen
from rulewright.outline.items import Item, Outline
from rulewright.outline.names import Name
from rulewright.source import Text


@frozen(frozen=True, slots=True)
class Extent:
    """Lines of an item, counted from 0.

    Attributes:
        file: the name of the text.
        first: its first line.
        body: the first line of what stands inside it; `end` where nothing has lines of its own.
        end: the line after its last.
    """

    file: str
    first: int
    body: int
    end: int


class Extents:
    """The items of one revision that begin a line, with their lines."""

    def __init__(self, outline: Outline, texts: Mapping[str, Text]) -> None:
        self.lines: dict[str, list[str]] = {name: text.content.splitlines() for name, text in texts.items()}
        self._texts = texts
        self._found: dict[int, Extent] = {}
        for item in outline.items:
            self._visit(item, frozenset())

    def of(self, item: Item) -> Extent | None:
        """The lines of an item; none where it stands in a line of another."""
        return self._found.get(id(item))

    def inside(self, item: Item) -> Iterator[Item]:
        """The items inside one that have lines of their own, outer ones without those inside them."""
        for each in item.items:
            if self.of(each) is not None:
                yield each
            else:
                yield from self.inside(each)

    def _visit(self, item: Item, taken: Iterable[tuple[str, int]]) -> None:
        text = self._texts.get(item.span.source)
        here = None if text is None else (item.span.source, text.position(item.span.start).line - 1)
        seen = {*taken, *([here] if here else ())}
        for each in item.items:
            self._visit(each, seen)
            own = self.of(each)
            if own is not None:
                seen.add((own.file, own.first))
        if text is not None and here is not None and here not in taken:
            end = self._end(here, text.position(item.span.end).line - 1)
            bodies = [extent.first for each in self.inside(item) for extent in [self._found[id(each)]]]
            self._found[id(item)] = Extent(here[0], here[1], min(bodies, default=end), end)

    def _end(self, here: tuple[str, int], last: int) -> int:
        """The line after the last that is indented deeper, or goes on with `else`."""
        lines = self.lines[here[0]]
        depth, end = indentation(lines[here[1]]), last + 1
        for number in range(last + 1, len(lines)):
            line = lines[number]
            if not line.strip():
                continue
            if indentation(line) < depth + 1 - line.lstrip().startswith("else"):
                break
            end = number + 1
        return end


def indentation(line: str) -> int:
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip())


_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|#.*|(?<=step )[\w.]+|(?<=proceed to )[\w.]+|@[\w.:-]+|[A-Za-z_]\w*')
_INNER = frozenset({"local", "parameter", "step"})
_SILENT = re.compile(r"\s*(?:@[\w.:-]+\s*)*$")


def rewritten(lines: Sequence[str], owner: str, names: Mapping[Name, Name], depth: int) -> list[str]:
    """Lines with the names of the new revision, without margins and rulings, indented to a depth.

    `owner` is the old name of the declaration they stand in, for names that only it knows.
    """
    inner, outer = _words(owner, names)

    def replaced(found: re.Match[str]) -> str:
        word = found[0]
        if word[0] in '"#':
            return word if word[0] == '"' else ""
        return "" if word[0] == "@" else inner.get(word, outer.get(word, word))

    shift = depth - indentation(lines[0]) if lines else 0
    kept = (_PARTS.sub(replaced, each).rstrip() for each in lines if not _SILENT.match(each))
    return [" " * max(0, indentation(each) + shift) + each.lstrip() for each in kept]


def _words(owner: str, names: Mapping[Name, Name]) -> tuple[dict[str, str], dict[str, str]]:
    """Words that were renamed, inside a declaration and everywhere."""
    inner, outer = dict[str, str](), dict[str, str]()
    for old, new in names.items():
        if old.last != new.last:
            if old.sort not in _INNER:
                outer[old.last] = new.last
            elif old.owner.partition("/")[0] == owner:
                inner[old.last] = new.last
    return inner, outer
