"""Names as people spell them: what is meant by one, by an address, clause or place, and where prose has one."""

import re
from collections.abc import Iterable, Iterator

from rulewright.diagnostics.remedies import nearest
from rulewright.frozen import dataclass
from rulewright.references.gathering import Gathered
from rulewright.references.index import Occurrence, Role, Target
from rulewright.source import Position, Span, Text

_PLACE = re.compile(r"(?P<source>.+):(?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9})\Z")
_BETWEEN = re.compile(r"[/.:#\-]")
_RULES = ".rules"
_SEGMENTS = 2
_LEAST = 3
"""A shorter name is a word of too many sentences, and stands in too many files."""


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody asks about."""

    text: str  # as it is written
    source: str = ""  # the file of a place in a file, or empty
    position: Position = Position(1, 1)  # the place in it

    def words(self, text: Text | None) -> frozenset[str] | None:
        """What has to stand in a file that names it; none where every file may."""
        return words(self.text.lstrip("@") if text is None else _around(text, self.position))


def words(*names: str) -> frozenset[str] | None:
    """What has to stand in a file that has one of some names or addresses; none where a name is too short to tell."""
    last = frozenset(_BETWEEN.split(each)[-1] for each in names)
    return last if all(len(each) >= _LEAST for each in last) else None


def query(spelt: str) -> Query:
    """What somebody asks about; `FILE:LINE:COLUMN` is a place."""
    found = _PLACE.match(spelt)
    if found is None:
        return Query(spelt)
    return Query(spelt, found["source"], Position(int(found["line"]), int(found["column"])))


def _around(text: Text, position: Position) -> str:
    """The name at a place, as far as letters go."""
    line, at = text.line(position.line), position.column - 1
    runs = re.finditer(r"\w+", line)
    return next((each[0] for each in runs if each.start() <= at <= each.end()), "")


def offset(text: Text, position: Position) -> int | None:
    """The offset of a place; none where the text has no such line or column."""
    if position.line < 1 or position.line > text.content.count("\n") + 1 or position.column < 1:
        return None
    line = text.line(position.line)
    return text.offset(position) if position.column <= len(line) + 1 else None


def meant(asked: Query, gathered: Gathered) -> tuple[Target, ...]:
    """All that may be meant; what is written in full before what it is a part of."""
    if asked.source:
        return tuple(_at(asked, gathered))
    plain = asked.text.lstrip("@").replace(":", ".", 1)
    whole = [each for each in gathered.index.targets if each.address == plain]
    found = whole or [*_addressed(asked.text, gathered)]
    return tuple(dict.fromkeys(found or _ends(plain, gathered)))


def _at(asked: Query, gathered: Gathered) -> Iterator[Target]:
    text = gathered.texts.get(asked.source)
    start = offset(text, asked.position) if text is not None else None
    found = gathered.index.at(asked.source, start) if start is not None else None
    if found is not None:
        yield found.target


def _addressed(spelt: str, gathered: Gathered) -> Iterator[Target]:
    """What the last part of an address names, where it is a name and nothing else."""
    if "/" not in spelt:
        return
    last = spelt.rpartition("/")[2]
    for names in gathered.names.values():
        for address in names.addresses.meant(spelt):
            pieces = address[-1].pieces
            if len(pieces) == 1 and (pieces[0].start, pieces[0].end) == (0, len(last.partition("#")[0])):
                yield pieces[0].target


def _ends(plain: str, gathered: Gathered) -> Iterator[Target]:
    """What is called so, or has an address that ends so, or one that follows a prefix."""
    for each in gathered.index.targets:
        behind = plain.endswith(f".{each.address}") and each.sort not in {"clause", "ruling"}
        if each.name == plain or each.address.endswith((f".{plain}", f"/{plain}")) or behind:
            yield each


def nameless(asked: Query, gathered: Gathered) -> tuple[Target, ...]:
    """The line, row or cell without a name at an address or a place, else what has a title that is or holds this."""
    known = {*gathered.index.targets}
    lines = [each for each in gathered.extents if each not in known]
    text = gathered.texts.get(asked.source)
    if text is not None:
        at = offset(text, asked.position)
        return tuple(each for each in lines if each.source == asked.source and gathered.extents[each].start == at)
    wanted = asked.text.strip("“”\"' ").casefold()
    titles = {each: title.casefold() for each, title in gathered.titles.items()}
    found = [each for each in lines if each.address == asked.text]
    found = found or [each for each, title in titles.items() if title == wanted]
    found = found or [each for each, title in titles.items() if len(wanted) >= _LEAST and wanted in title]
    return tuple(found or [each for each in lines if each.address.endswith(f"/{asked.text}")])


def addressed(target: Target, gathered: Gathered) -> tuple[Occurrence, ...]:
    """A line, row or cell without a name: where it stands, and where overlays and other files have its address."""
    extent = gathered.extents[target]
    text = gathered.texts[extent.source]
    stop = text.content.find("\n", extent.start, extent.end)
    found = [Occurrence(target, Role.DECLARED, Span(extent.source, extent.start, stop if stop >= 0 else extent.end))]
    ends = "/".join(target.address.split("/")[-_SEGMENTS:])
    written = re.compile(rf"(?<![\w.#]){re.escape(ends)}(?![\w#/])")
    for each in gathered.texts.values():
        role = Role.AMENDED if each.name.endswith(_RULES) else Role.MENTIONED
        found += [Occurrence(target, role, Span(each.name, *one.span())) for one in written.finditer(each.content)]
    return tuple(sorted(found, key=lambda each: each.span))


def near(asked: Query, targets: Iterable[Target]) -> str | None:
    """The address or name that may have been meant instead."""
    known = list(targets)
    plain = asked.text.lstrip("@")
    by_name = {each.name: each.address for each in known}
    return nearest(plain, [each.address for each in known]) or by_name.get(nearest(plain, by_name) or "")


def mentions(target: Target, gathered: Gathered) -> tuple[Occurrence, ...]:
    """The places that a rename leaves as they are, by text and place."""
    if len(target.name) < _LEAST:
        return ()
    known = {(each.span.source, each.span.start) for each in gathered.index.occurrences}
    word = re.compile(rf"(?<![\w.]){re.escape(target.name)}(?!\w|\.\w)")
    found = [
        Occurrence(target, Role.MENTIONED, span)
        for text in gathered.texts.values()
        for span in _words(word, text, gathered.prose)
        if (span.source, span.start) not in known
    ]
    return tuple(sorted(found, key=lambda each: each.span))


def _words(word: re.Pattern[str], text: Text, prose: frozenset[Span]) -> list[Span]:
    found = [Span(text.name, each.start(), each.end()) for each in word.finditer(text.content)]
    if not text.name.endswith(_RULES):
        return found
    own = [each for each in prose if each.source == text.name]
    return [span for span in found if any(each.start <= span.start and span.end <= each.end for each in own)]
