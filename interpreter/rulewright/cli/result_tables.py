"""Results of `odds` and `simulate`: values with their likelihood as text and JSON, tables of several starts as text, CSV, Parquet."""

import csv
import io
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rulewright.base.diagnostics import make_visible
from rulewright.base.files import get_install_command
from rulewright.base.frozen import dataclass
from rulewright.cli.command_files import require_overwritable, write_file
from rulewright.cli.output import Output, make_stop
from rulewright.cli.text_layout import align_columns
from rulewright.documents.name_table import NameTable
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay
from rulewright.odds.exact_odds import sort_values
from rulewright.odds.likelihood_formats import format_likelihood, format_percent
from rulewright.odds.parameter_sweeps import SweepAxis
from rulewright.program.types import FlagType, strip_optional
from rulewright.runtime.request import RefusalReason
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.wording.entry_rendering import render_reason

if TYPE_CHECKING:
    from rulewright.cli.odds_query import OddsQuery
    from rulewright.odds.plot_drawing import HeatMap

PERCENT = 100
_BAR_WIDTH = 30
_MAX_UNORDERED_VALUES = 2
_MAX_NAMED_ROLLS = 3
"""Limit of scripted rolls and draws that are named."""


VALUES = "values"
GRID = "grid"
CUMULATIVE = ("at-least", "at-most")
LAYOUTS = (VALUES, *CUMULATIVE, GRID)
"""Layouts of values: each alone, at least, at most, or one number for each pair of varied values."""
OddsStyle: TypeAlias = tuple[str, str]
"""One of `STYLES`, or empty for percentage and fraction; and one of `LAYOUTS`."""
_AT_MOST_LAYOUT = "at-most"


def cumulate_likelihoods(likely: Mapping[Any, Fraction], values: Sequence[Any], layout: str) -> dict[Any, Fraction]:
    """Likelihood of each value, cumulated upwards or downwards if `layout` says so."""
    if layout not in CUMULATIVE:
        return {item: likely.get(item, Fraction(0)) for item in values}
    known = sorted(((value, item) for value, item in likely.items() if value is not None), key=itemgetter(0))
    places, sums = [value for value, _ in known], [Fraction(0), *accumulate(item for _, item in known)]
    nothing = likely.get(None, Fraction(0))
    if layout == _AT_MOST_LAYOUT:
        return {item: nothing if item is None else sums[bisect_right(places, item)] for item in values}
    return {item: nothing if item is None else sums[-1] - sums[bisect_left(places, item)] for item in values}


def layout_heading(shown: str, layout: str) -> str:
    """Label of a value: `3`, `3 or more` or `3 or less`."""
    return shown + {"at-least": " or more", _AT_MOST_LAYOUT: " or less"}.get(layout, "")


def render_value_table(
    measure: AskedMeasure,
    rows: Sequence[tuple[Value, Fraction, str]],
    names: NameTable,
    out: Output,
    layout: str = VALUES,
) -> Iterator[str]:
    """Table of values with likelihood and bar; of numbers also cumulated."""
    likely = {value: share for value, share, _ in rows}
    shown = [measure_value_text(value, measure, names) for value in likely]
    width, wide = max(map(len, shown), default=0), max((len(item) for _, _, item in rows), default=0)
    is_summed = layout != VALUES or is_ordered(measure, likely)
    word, sums = ("less", _AT_MOST_LAYOUT) if layout == _AT_MOST_LAYOUT else ("more", "at-least")
    cumulative = cumulate_likelihoods(likely, [*likely], sums) if is_summed else {}
    for text, (value, share, likelihood) in zip(shown, rows, strict=True):
        beyond = f"  or {word} {format_percent(cumulative[value])}" if is_summed and value is not None else ""
        bar = out.paint("█" * round(_BAR_WIDTH * share), "dim")
        yield f"  {text:>{width}}  {likelihood:<{wide}}{beyond}  {bar}".rstrip()


def measure_value_text(value: Value, measure: AskedMeasure, names: NameTable) -> str:
    """A value of a measure as players read it."""
    return "no value" if value is None else format_value(value, measure.type, names)


def is_ordered(measure: AskedMeasure, values: Mapping[Value, Fraction]) -> bool:
    """Whether values are three numbers or more."""
    return measure.is_number and None not in values and len(values) > _MAX_UNORDERED_VALUES


def describe_scripted_chance(given: Mapping[str, str], *, by_script: bool) -> Iterator[str]:
    """Sentence on rolls and draws that a script answers, of its own file (`by_script`) or of a case."""
    if given:
        pairs = [f"`{at}`: {answer}" for at, answer in given.items()]
        more = f" and {len(pairs) - _MAX_NAMED_ROLLS} more" if len(pairs) > _MAX_NAMED_ROLLS else ""
        them = "it" if len(given) == 1 else "them"
        remedy = f"`--no-script` leaves {them} to chance"
        remedy = f"leave {them} out of `--script` to have odds of {them}" if by_script else remedy
        yield make_visible(f"the script gives {', '.join(pairs[:_MAX_NAMED_ROLLS])}{more}; {remedy}")


def output_refusal_reasons(reasons: Sequence[RefusalReason], play: MeasuredPlay, out: Output) -> None:
    """Print why the procedure cannot begin."""
    name = play.start.procedure.name
    lines = format_refusal_reasons(reasons, play)
    head = out.paint(f"{make_visible(name)} cannot begin", "error")
    shown = [head, *(f"  {item}" for item in lines)]
    out.print_report(lambda: {"version": 1, "procedure": name, "refused": lines}, shown)


def format_refusal_reasons(reasons: Sequence[RefusalReason], play: MeasuredPlay) -> list[str]:
    """Reasons why the procedure cannot begin, as lines."""
    return [render_reason(reason, play.start.names) or make_visible(reason.address) for reason in reasons]


_SHADES = "·░▒▓█"


def format_start_values(varied: Sequence[SweepAxis], values: Sequence[Value], names: NameTable) -> tuple[str, ...]:
    """Values of the varied things at a start, as text."""
    return tuple(format_value(value, sweep_axis.type, names) for sweep_axis, value in zip(varied, values, strict=True))


def render_csv_lines(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows as comma-separated values (RFC 4180), without line ends."""
    for row in (heads, *rows):
        written = io.StringIO()
        csv.writer(written, lineterminator="").writerow(row)
        yield written.getvalue()


_MAX_VALUE_COLUMNS = 12
"""Limit of values with a column of their own."""


@dataclass(frozen=True, slots=True)
class MeasuredShares:
    """Shares of the values of a measure from one start: exact, or of counted plays."""

    at: tuple[str, ...]  # start values, as text
    likely: Mapping[Any, Fraction]  # by value; empty if the play cannot begin
    mean: Fraction | float | None  # None: no numbers
    mean_text: str  # of a column
    extra_columns: Mapping[str, str]  # by heading
    plays: int = 0  # number counted; 0: the shares are exact

    def format_columns(self, values: Sequence[Value], odds_style: OddsStyle) -> dict[Value, str]:
        """Text of the share of each value, cumulated if the layout says so."""
        style, layout = odds_style
        if not self.likely:
            return {}
        likely = self.likely if layout == VALUES else cumulate_likelihoods(self.likely, values, layout)
        every = values if style not in {"", "percent"} else likely
        return {value: self._format_share(likely.get(value, Fraction(0)), style) for value in every}

    def _format_share(self, share: Fraction, style: str) -> str:
        if not self.plays:
            return format_likelihood(share, style or "percent")
        from rulewright.odds.monte_carlo import confidence_interval  # noqa: PLC0415 - `diff` counts no plays

        successes = round(share * self.plays)
        low, high = confidence_interval(successes, self.plays)
        return f"{successes / self.plays * PERCENT:.2f} ± {(high * PERCENT - low * PERCENT) / 2:.2f} %"


def render_sweep_table(
    measure: AskedMeasure, starts: Sequence[MeasuredShares], query: "OddsQuery", out: Output, odds_style: OddsStyle
) -> Iterator[str]:
    """A line for each start and a column for each value; of many values only the mean, or the likeliest."""
    names = query.play.start.names
    every = sort_values({value for start in starts for value in start.likely})
    shares = [start.format_columns(every, odds_style) for start in starts]
    values = sort_values(dict.fromkeys(value for columns in shares for value in columns))
    is_flag = isinstance(strip_optional(measure.type), FlagType) and None not in values
    shown_values = ([True] if is_flag else values) if len(values) <= _MAX_VALUE_COLUMNS else []
    beside = list(dict.fromkeys(heading for start in starts for heading in start.extra_columns))
    headings = (measure_value_text(value, measure, names) for value in shown_values)
    layouts = (odds_style[1] if value is not None else VALUES for value in shown_values)
    heads = [*map(layout_heading, headings, layouts), "on average", *beside]
    rows = [
        [
            *(columns.get(value, "0 %" if columns else "") for value in shown_values),
            start.mean_text,
            *(start.extra_columns.get(heading, "") for heading in beside),
        ]
        for start, columns in zip(starts, shares, strict=True)
    ]
    filled = [number for number in range(len(heads)) if any(row[number] for row in rows)]
    shown = [[*(make_visible(one.path) for one in query.varied), *(heads[number] for number in filled)]]
    shown += [[*start.at, *(row[number] for number in filled)] for start, row in zip(starts, rows, strict=True)]
    yield out.paint(make_visible(measure.text), "strong")
    for number, line in enumerate(align_columns(shown)):
        yield line if number else out.paint(line, "dim")
    if len(values) > _MAX_VALUE_COLUMNS:
        yield f"  {len(values)} values, too many for columns: `--format csv` has them all"


def render_text_grid(heat: "HeatMap", out: Output) -> Iterator[str]:
    """A heat map as letters: a row for each value of the first varied thing, shades from 0 to 1."""
    known = [item for row in heat.cells for item in row if item is not None]
    low, high = (0.0, 1.0) if heat.is_share else (min(known, default=0.0), max(known, default=0.0))
    rows = [
        [row, *(f"{label or '-'} {_shade_letter(cell, low, high)}" for cell, label in zip(cells, labels, strict=True))]
        for row, cells, labels in zip(heat.rows, heat.cells, heat.said, strict=True)
    ]
    yield out.paint(heat.of, "strong")
    yield f"  {heat.down} down, {heat.across} across"
    for number, line in enumerate(align_columns([["", *(f"{column}  " for column in heat.columns)], *rows])):
        yield line if number else out.paint(line, "dim")
    if heat.note:
        yield f"  {heat.note}"


def _shade_letter(number: float | None, low: float, high: float) -> str:
    if number is None:
        return " "
    return _SHADES[min(len(_SHADES) - 1, int((number - low) / ((high - low) or 1.0) * len(_SHADES)))]


_LIBRARY = "pyarrow"
_PARQUET_PREFIX = "PAR1"
_COLUMN_TYPES = {"plays": "int64", "of plays": "int64", "first": "int64", "other": "int64", "of pairs": "int64"}
_COLUMN_TYPES |= dict.fromkeys(("low", "high", "difference"), "float64") | {"seed": "int64"}


def require_writable_parquet(file: str | None) -> None:
    """Check before the work that a Parquet file can be written.

    Raises:
        CommandStop: RW1138, the library is not installed; RW0013, the file holds something else; RW0011, it cannot be
            written.
    """
    if file is None:
        return
    if find_spec(_LIBRARY) is None:
        remedy = f"`{get_install_command('parquet')}`, or `--format csv`, which needs nothing"
        raise make_stop("RW1138", "the library for Parquet files is not installed", remedy)
    require_overwritable(file, _PARQUET_PREFIX)


def write_parquet(file: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows with pyarrow: numeric and text columns, missing values as null; stops with RW0011 on failure."""
    arrow, parquet = import_module(_LIBRARY), import_module(f"{_LIBRARY}.parquet")
    columns = []
    for head, cells in zip(heads, zip(*rows, strict=True) if rows else [()] * len(heads), strict=True):
        sort = _COLUMN_TYPES.get(head)
        values = cells if sort else [None if cell is None else str(cell) for cell in cells]
        columns.append(arrow.array(values, type=getattr(arrow, sort)() if sort else arrow.string()))
    written = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(columns, names=[*heads]), written)
    write_file(Path(file), written.getvalue())
