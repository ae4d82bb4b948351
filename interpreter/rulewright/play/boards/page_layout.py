"""What drawings on a page share: counters with letters, marks, and a legend of samples with words."""

from collections.abc import Iterable, Iterator, Sequence
from math import cos, radians, sin
from textwrap import wrap

from rulewright.base.frozen import dataclass

LINE_HEIGHT = 20
SAMPLE_WIDTH = 34
MIN_PAGE_WIDTH = 420.0
"""How wide a page is at least, so that a legend has room."""
_LETTER_WIDTH = 7.0
_PLAYER_STYLE_COUNT = 4
_POINTER_HALF_WIDTH = 7.0
_MAX_NAMED_ITEMS = 40


@dataclass(frozen=True, slots=True)
class CounterDrawn:
    """A round counter with letters."""

    x: float  # of its middle
    y: float  # of its middle
    radius: float  # how large it is
    style: str  # whose it is: `p0` of the first player, and so on; `nobody`
    letters: str  # what is written on it
    pointer: str = ""  # the corners of a triangle that shows where it faces; empty where it faces nowhere
    thing: tuple[str, int] | None = None  # the kind and number of the thing that it stands for


@dataclass(frozen=True, slots=True)
class LegendLine:
    """A line of a legend."""

    x: float  # of its sample
    y: float  # of the line
    sort: str  # of the sample: `counter`, `ground`, `side`, `mark`, or empty where it goes on from the line before
    key: str  # which sample of its sort
    text: str  # what it stands for


def owner_style(owner: int | None) -> str:
    """How the counters of a player look; more players than there are looks share the last."""
    return "nobody" if owner is None else f"p{min(owner, _PLAYER_STYLE_COUNT)}"


def pointer_corners(x: float, y: float, reach: float, degrees: float) -> str:
    """A triangle that points somewhere, so far from a middle; degrees go clockwise from the right."""
    across, down = cos(radians(degrees)), sin(radians(degrees))
    corners = ((reach + 8, 0.0), (reach, -_POINTER_HALF_WIDTH), (reach, _POINTER_HALF_WIDTH))
    return svg_points(
        (x + ahead * across - aside * down, y + ahead * down + aside * across) for ahead, aside in corners
    )


def svg_points(corners: Iterable[tuple[float, float]]) -> str:
    """Corners as an attribute of SVG."""
    return " ".join(f"{round_length(across)},{round_length(down)}" for across, down in corners)


def lay_out_legend(items: Sequence[tuple[str, str, str]], x: float, y: float, width: float) -> Iterator[LegendLine]:
    """Samples with their words, one below the other; each item is the sort of the sample, its key and its text."""
    letters = max(20, int((width - SAMPLE_WIDTH) / _LETTER_WIDTH))
    for sort, key, text in items:
        for number, line in enumerate(wrap(text, letters)):
            yield LegendLine(round_length(x), round_length(y), "" if number else sort, key, line)
            y += LINE_HEIGHT


def join_named_items(items: Sequence[str]) -> str:
    """Items one after the other; of many the first, and how many more there are."""
    more = [f"and {len(items) - _MAX_NAMED_ITEMS} more"] if len(items) > _MAX_NAMED_ITEMS else []
    return ", ".join([*items[:_MAX_NAMED_ITEMS], *more])


def round_length(number: float) -> float:
    """A length as it is written into a drawing: tenths, and whole where they come out even."""
    rounded = round(number, 1)
    return int(rounded) if rounded == int(rounded) else rounded
