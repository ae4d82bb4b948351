"""Which procedures and steps of a text say something else than in the last commit."""

import re
from collections.abc import Iterator

from rulewright.editing.answers import Lens
from rulewright.editing.desk import Desk, Open
from rulewright.editing.places import chunks
from rulewright.frozen import dataclass
from rulewright.source import Span
from rulewright.syntax.layout import ScannedLine, scan

CHANGED, NEW = "changed since the last commit", "new since the last commit"
_STEP = re.compile(r"step\s+([\w.\-]+)")
_PROCEDURE = re.compile(r"procedure\s+(\w+)")


@dataclass(frozen=True, slots=True)
class _Written:
    """A procedure or step as it is written."""

    words: tuple[tuple[int, tuple[str, ...]], ...]  # of its lines, comments and blanks left out, each with its indent
    at: int  # where its first word begins
    size: int  # of that word


def since_commit(desk: Desk, opened: Open) -> Iterator[Lens]:
    """Above each procedure and step what became of it since the last commit; nothing where there is none."""
    before = desk.committed(opened.name)
    if before is None:
        return
    was = dict(_written(before))
    for address, now in _written(opened.live.text.content):
        then = was.get(address)
        if then is None or then.words != now.words:
            place = Span(opened.name, now.at, now.at + now.size)
            yield Lens(place, NEW if then is None else CHANGED, "compare", address)


def _written(content: str) -> Iterator[tuple[str, _Written]]:
    """The procedures and steps of a text, by address."""
    start = 0
    for chunk in chunks(content):
        lines = scan(chunk)
        named = _PROCEDURE.search(chunk, 0, chunk.find("\n")) if lines and lines[0].verb.text == "procedure" else None
        if named is not None:
            yield named[1], _of(lines, start)
            for first, line in enumerate(lines):
                step = _STEP.match(chunk, line.start)
                if step is not None:
                    after = (at for at, each in enumerate(lines) if at > first and each.indent <= line.indent)
                    yield f"{named[1]}/{step[1]}", _of(lines[first : next(after, len(lines))], start)
        start += len(chunk)


def _of(lines: tuple[ScannedLine, ...], start: int) -> _Written:
    words = tuple((each.indent, tuple(word.text for word in each.words)) for each in lines)
    return _Written(words, start + lines[0].start, lines[0].words[0].end - lines[0].start)
