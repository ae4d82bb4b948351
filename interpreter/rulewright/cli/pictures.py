"""Pictures of odds: which picture shows what was found, as data without a library."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import click

from rulewright.cli.asked_odds import AskedPlay
from rulewright.cli.odds_values import (
    CUMULATIVE,
    GRID,
    LAYOUTS,
    VALUES,
    Telling,
    cumulated,
    exactly,
    head_of,
    likelihood,
    percent,
)
from rulewright.cli.options import OneOf, together
from rulewright.cli.output import stopped
from rulewright.codecs.table import show
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.odds.measures import AskedMeasure
from rulewright.odds.odds import from_least
from rulewright.odds.simulation import CONFIDENCE, confidence_interval
from rulewright.program.types import FlagType, present

_MOST_LINES = 8
"""So many starts stand side by side; of more the average of each is drawn."""
_MOST_CELLS = 20
"""So wide and so high a heat map may be, and so many words have a line each."""
_WORST = 999
_TENTH = 0.1
_TWO = 2


picture_options = together(
    click.option(
        "--show",
        "layout",
        type=OneOf(LAYOUTS),
        default=VALUES,
        help="each value, N or more, N or less, or a grid of two that vary",
    ),
    click.option("--picture", metavar="FILE", help="also draw it: FILE.svg or .png, .html with tables, .json as data"),
)
"""How the values stand in the terminal and in a picture, and where that is written."""


@dataclass(frozen=True, slots=True)
class Shares:
    """How likely each value of a measure is from one start."""

    at: tuple[str, ...]  # the start, as people say it
    likely: Mapping[Any, Fraction]  # by value; nothing where the play cannot begin
    mean: Fraction | float | None  # of numbers
    plays: int = 0  # how many were counted, or none where the shares are exact


@dataclass(frozen=True, slots=True)
class Line:
    """What is drawn at each place along the picture; none where nothing is known."""

    label: str
    heights: tuple[float | None, ...]
    low: tuple[float, ...] = ()  # of counted plays where the truth is, in 95 of 100
    high: tuple[float, ...] = ()
    said: tuple[str, ...] = ()  # each height in words


@dataclass(frozen=True, slots=True)
class Curves:
    """Bars of one start, or lines of several things."""

    title: str
    across: str  # what stands along the picture
    up: str  # what its height says
    places: tuple[str, ...]
    lines: tuple[Line, ...]
    is_share: bool = True  # heights are shares, not averages
    is_apart: bool = False  # places have nothing between them, so that each height is a bar
    note: str = ""
    layout: str = VALUES  # one of `LAYOUTS`: what is added up falls or climbs in steps


@dataclass(frozen=True, slots=True)
class Heat:
    """A number for each pair of two things that vary."""

    title: str
    of: str  # what the numbers are
    down: str
    across: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    said: tuple[tuple[str, ...], ...]
    is_share: bool
    note: str = ""


Picture: TypeAlias = Curves | Heat


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture of one measure, and the table that a page has below it."""

    title: str  # of the page
    heading: str
    picture: Picture
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def drawn(
    found: Sequence[Sequence[Shares]], asked: AskedPlay, telling: Telling, lost: Iterable[tuple[str, Fraction]] = ()
) -> list[Drawn]:
    """What is drawn of each measure, whose shares from each start are given in order.

    `lost` are shares of plays that come to no value, each with what becomes of them.
    """
    procedure, note = asked.play.begun.procedure, lost_told(lost)
    title = visible(procedure.heading)
    return [
        Drawn(
            title, visible(measure.text), picture_of(measure, each, asked, telling, note), *_table(measure, each, asked)
        )
        for measure, each in zip(asked.play.measures, found, strict=False)
    ]


def _table(
    measure: AskedMeasure, found: Sequence[Shares], asked: AskedPlay
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Heads and rows: of one start a row for each value, of several a row for each start."""
    names = asked.play.begun.names
    values = from_least(dict.fromkeys(value for each in found for value in each.likely))
    heads = ["no value" if each is None else show(each, measure.type, names) for each in values]
    if asked.varied:
        rows = [
            (
                *each.at,
                *(percent(each.likely.get(value, Fraction(0))).strip() if each.likely else "" for value in values),
                "" if each.mean is None else f"{float(each.mean):.4g}",
            )
            for each in found
        ]
        paths = tuple(visible(each.path) for each in asked.varied)
        if all(each.mean is None for each in found):
            return (*paths, *heads), tuple(row[:-1] for row in rows)
        return (*paths, *heads, "on average"), tuple(rows)
    (only,) = found
    columns = {
        head_of("it", layout): cumulated(only.likely, values, layout) for layout in CUMULATIVE if measure.is_number
    }
    told = tuple(
        (head, *(percent(each[value]).strip() for each in (only.likely, *columns.values())), _exact(only, value))
        for value, head in zip(values, heads, strict=True)
    )
    exact = f"{CONFIDENCE:.0%} interval" if only.plays else "exactly"
    return ("value", "likely", *columns, exact), told


def _exact(found: Shares, value: Any) -> str:  # of a measure
    """A share as a fraction; of counted plays where the truth is."""
    if not found.plays:
        return exactly(found.likely[value])
    return "{:.2%} to {:.2%}".format(*confidence_interval(round(found.likely[value] * found.plays), found.plays))


def picture_of(
    measure: AskedMeasure, found: Sequence[Shares], asked: AskedPlay, telling: Telling, note: str = ""
) -> Picture:
    """The picture that shows one measure from all starts.

    `telling` is one of `STYLES`, or nothing, and one of `LAYOUTS`; `note` is what has to be said beside it.
    """
    style, layout = telling
    begun = asked.play.begun
    title = visible(begun.procedure.heading)
    plays = max(each.plays for each in found)
    sure = f"{CONFIDENCE:.0%} intervals of {plays:,} plays" if plays else ""
    note = "; ".join(filter(None, (sure, note)))
    if layout == GRID:
        return heat_of(measure, found, asked, style, note)
    values = from_least(dict.fromkeys(value for each in found for value in each.likely))
    is_flag = isinstance(present(measure.type), FlagType) and None not in values
    shown = [True] if is_flag and asked.varied else values
    heads = ["no value" if each is None else head_of(show(each, measure.type, begun.names), layout) for each in shown]
    told = [cumulated(each.likely, values, layout) if each.likely else {} for each in found]
    starts, of = [", ".join(each.at) for each in found], ", ".join(visible(each.path) for each in asked.varied)
    if not asked.varied or (measure.is_number and (len(found) <= _MOST_LINES or layout != VALUES)):
        labels = [f"{of} {each}" if asked.varied else "" for each in starts]
        along = [
            _line(label, [shares.get(value) for value in shown], style, each.plays)
            for label, shares, each in zip(labels, told, found, strict=True)
        ]
        across, up = head_of(visible(measure.text), layout), "how likely"
        return Curves(title, across, up, tuple(heads), tuple(along), note=note, layout=layout)
    if measure.is_number:
        means = Line("", tuple(None if each.mean is None else float(each.mean) for each in found))
        up, note = f"{visible(measure.text)} on average", "" if note == sure else note.removeprefix(f"{sure}; ")
        return Curves(title, of, up, tuple(starts), (means,), is_share=False, note=note)
    along = [
        _line(head, [shares.get(value) for shares in told], style, found[0].plays)
        for value, head in zip(shown, heads, strict=True)
    ]
    up = f"how likely: {visible(measure.text)}"
    return Curves(title, of, up, tuple(starts), tuple(along), note=note)


def _line(label: str, heights: Sequence[Fraction | None], style: str, plays: int) -> Line:
    known = [Fraction(0) if each is None else each for each in heights]
    between = [confidence_interval(round(each * plays), plays) for each in known] if plays else []
    return Line(
        label,
        tuple(None if each is None else float(each) for each in heights),
        tuple(low for low, _ in between),
        tuple(high for _, high in between),
        tuple("" if each is None else _said(each, style) for each in heights),
    )


def _said(likely: Fraction, style: str) -> str:
    """A likelihood short enough to stand in a picture."""
    if style == "odds" and likely not in {0, 1} and likely.denominator > _WORST:
        return f"1 in {float(1 / likely):.3g}"
    if style in {"fraction", "odds"} and likely.denominator <= _WORST:
        return likelihood(likely, style)
    number = float(likely * 100)
    return f"{number:.1f} %" if number >= _TENTH or not number else f"{number:.1g} %"


def heat_of(measure: AskedMeasure, found: Sequence[Shares], asked: AskedPlay, style: str, note: str = "") -> Heat:
    """A measure by two things that vary: of a flag how likely it is, of numbers their mean."""
    procedure, is_share = asked.play.begun.procedure, isinstance(measure.type, FlagType)
    title, of = visible(procedure.heading), visible(measure.text)
    cells: dict[tuple[str, ...], tuple[float | None, str]] = {}
    for each in found:
        known = each.likely.get(True, Fraction(0)) if each.likely else None
        number = known if is_share else each.mean
        said = "" if number is None else _said(Fraction(number), style) if is_share else f"{float(number):.3g}"
        cells[each.at] = (None if number is None else float(number), said)
    rows, columns = (tuple(dict.fromkeys(each.at[number] for each in found)) for number in range(_TWO))
    numbers = tuple(tuple(cells[row, column][0] for column in columns) for row in rows)
    told = tuple(tuple(cells[row, column][1] for column in columns) for row in rows)
    down, across = (visible(each.path) for each in asked.varied)
    return Heat(
        title, of if is_share else f"{of} on average", down, across, rows, columns, numbers, told, is_share, note
    )


def can_show(layout: str, asked: AskedPlay, beside: str = "") -> None:
    """Looks, before the work, whether what is asked can be laid out so; stops with RW1197 where it cannot.

    `beside` says what is told in a table of its own, if anything is.
    """
    if beside:
        raise stopped("RW1197", f"{beside} in a table of its own, without `--show`", "leave it out")
    told, varied = asked.play.measures[: asked.play.told], asked.varied
    other = next((each for each in told if not each.is_number), None)
    if layout in CUMULATIVE and other is not None:
        message = f"`{visible(other.text)}` is not a number, so nothing is more or less than it"
        raise stopped("RW1197", message, f"leave out `--show {layout}`, or ask for numbers alone")
    if layout != GRID:
        return
    if len(varied) != _TWO:
        many = ("nothing varies", "one varies")[len(varied)] if len(varied) < _TWO else f"{len(varied)} vary"
        raise stopped("RW1197", f"a grid shows how two things vary, and {many}", "give `--vary PATH=VALUES` twice")
    other = next((each for each in told if not each.is_number and not isinstance(each.type, FlagType)), None)
    if other is not None:
        message = f"a grid has one number for each start, and `{visible(other.text)}` has several values"
        raise stopped("RW1197", message, f"ask for one of them: `--of '{visible(other.text)} = VALUE'`")
    wide = max(varied, key=lambda each: len(each.values))
    if len(wide.values) > _MOST_CELLS:
        message = (
            f"a grid has at most {_MOST_CELLS} rows and columns, and `{visible(wide.path)}` has {len(wide.values)}"
        )
        raise stopped("RW1197", message, "vary it in larger paces: `1, 5, 9`")


def lost_told(shares: Iterable[tuple[str, Fraction]]) -> str:
    """What a picture or grid does not show of some plays, in words: of several starts the largest share."""
    found: dict[str, list[Fraction]] = {}
    for what, share in shares:
        found.setdefault(what, []).append(share)
    worst = [(what, max(each), "up to " if len(each) > 1 else "") for what, each in found.items()]
    return "; ".join(f"{most}{percent(share).strip()} {what}" for what, share, most in worst if share)
