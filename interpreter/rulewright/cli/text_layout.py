"""Layout of text for people: columns, wrapped and shortened lines, lists under a title, lists of which the first are named."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from rulewright.base.frozen import dataclass
from rulewright.cli.output import Output

_ELLIPSIS = " …"


@dataclass(frozen=True, slots=True)
class TitledList:
    """A title and the lines below it, as pages list them too."""

    title: str
    lines: tuple[str, ...]


def render_titled_lists(lists: Iterable[TitledList], out: Output) -> Iterator[str]:
    """Each list behind an empty line, its title strong; nothing of a list without lines."""
    for each in lists:
        if each.lines:
            yield from ("", out.paint(each.title, "strong"), *(f"  {line}" for line in each.lines))


def name_first(items: Iterable[str], most: int, more: str = "and {} more") -> list[str]:
    """At most `most` of the items, and how many more there are."""
    known = list(items)
    return [*known[:most], *([more.replace("{}", str(len(known) - most), 1)] if len(known) > most else [])]


def wrap_lines(text: str, width: int, most: int = 0, indent: int = 0) -> list[str]:
    """The lines of a wrapped text, at least one, all but the first behind `indent` spaces; of more than `most` the last ends in `…`."""
    hanging = " " * indent
    lines = wrap(text, width, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False) or [""]
    if not most or len(lines) <= most:
        return lines
    last = wrap(lines[most - 1], width - 2, break_long_words=False, break_on_hyphens=False)[0]
    return [*lines[: most - 1], f"{last.rstrip(' ;,')}{_ELLIPSIS}"]


def shorten_line(text: str, width: int) -> str:
    """A text in one line."""
    return wrap_lines(text, width, 1)[0]


def align_columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(f"{item:>{width}}" for item, width in zip(row, widths, strict=True)).rstrip()
