"""Plots of odds: choice of the plot and its data, and SVG, PNG, HTML and JSON output with matplotlib."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any

from rulewright.base.diagnostics import make_visible
from rulewright.base.files import get_install_command
from rulewright.base.frozen import dataclass
from rulewright.cli.command_files import HTML_PREFIX, SVG_PREFIX, require_overwritable, write_file
from rulewright.cli.odds_query import OddsQuery
from rulewright.cli.options import ChoiceOption, option
from rulewright.cli.output import make_stop
from rulewright.cli.result_tables import (
    CUMULATIVE,
    GRID,
    LAYOUTS,
    VALUES,
    MeasuredShares,
    OddsStyle,
    cumulate_likelihoods,
    layout_heading,
    measure_value_text,
)
from rulewright.odds.end_measures import AskedMeasure
from rulewright.odds.exact_odds import sort_values
from rulewright.odds.likelihood_formats import format_fraction, format_likelihood, format_percent
from rulewright.odds.monte_carlo import CONFIDENCE_LEVEL, confidence_interval
from rulewright.odds.plot_drawing import (
    PLOT_LIBRARY,
    CurveData,
    CurvePlot,
    HeatMap,
    PlotData,
    plots_to_svg,
    render_figure,
)
from rulewright.program.types import FlagType, strip_optional

_MAX_CURVES = 8
"""Limit of starts in one plot; of more the means are plotted."""
_MAX_GRID_CELLS = 20
"""Limit of rows and of columns of a heat map, and of words on an axis."""
_MAX_LABEL_DENOMINATOR = 999
_MIN_FIXED_PERCENT = 0.1
_GRID_DIMENSIONS = 2


layout_option = option(
    "--show", "", "each value, N or more, N or less, or a grid of two that vary", ChoiceOption(LAYOUTS), default=VALUES
)
picture_option = option("--picture", "FILE", "also draw it: FILE.svg or .png, .html with tables, .json as data")


@dataclass(frozen=True, slots=True)
class PlotWithTable:
    """A plot of one measure, and the table below it on a page."""

    title: str
    heading: str
    picture: PlotData
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def make_plots(
    shares_by_measure: Sequence[Sequence[MeasuredShares]],
    query: OddsQuery,
    style: OddsStyle,
    lost: Iterable[tuple[str, Fraction]] = (),
) -> list[PlotWithTable]:
    """A plot for each measure; `shares_by_measure` has the shares of each start in order.

    `lost` are shares of plays without a value, each with its fate in words.
    """
    title, note = make_visible(query.play.start.procedure.heading), describe_unfinished_shares(lost)
    return [
        PlotWithTable(
            title,
            make_visible(measure.text),
            make_plot(measure, starts, query, style, note),
            *_plot_table(measure, starts, query),
        )
        for measure, starts in zip(query.play.measures, shares_by_measure, strict=False)
    ]


def _plot_table(
    measure: AskedMeasure, starts: Sequence[MeasuredShares], query: OddsQuery
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Heads and rows: of one start a row for each value, of several a row for each start."""
    values = sort_values(dict.fromkeys(value for start in starts for value in start.likely))
    heads = [measure_value_text(value, measure, query.play.start.names) for value in values]
    if query.varied:
        paths = [make_visible(axis.path) for axis in query.varied]
        table = [(*paths, *heads, "on average")]
        for start in starts:
            likely = ((start.likely.get(value, Fraction(0)) if start.likely else None) for value in values)
            shares = ("" if share is None else format_percent(share).strip() for share in likely)
            table.append((*start.at, *shares, "" if start.mean is None else f"{float(start.mean):.4g}"))
        if all(start.mean is None for start in starts):
            table = [row[:-1] for row in table]
        return table[0], tuple(table[1:])
    (only,) = starts
    layouts = CUMULATIVE if measure.is_number else ()
    columns = [only.likely, *(cumulate_likelihoods(only.likely, values, layout) for layout in layouts)]
    rows = tuple(
        (head, *(format_percent(shares[value]).strip() for shares in columns), _format_exact_share(only, value))
        for value, head in zip(values, heads, strict=True)
    )
    exact = f"{CONFIDENCE_LEVEL:.0%} interval" if only.plays else "exactly"
    return ("value", "likely", *(layout_heading("it", layout) for layout in layouts), exact), rows


def _format_exact_share(start: MeasuredShares, value: Any) -> str:  # of a measure
    """A share as a fraction; of counted plays its confidence interval."""
    if not start.plays:
        return format_fraction(start.likely[value])
    return "{:.2%} to {:.2%}".format(*confidence_interval(round(start.likely[value] * start.plays), start.plays))


def make_plot(
    measure: AskedMeasure,
    shares_by_start: Sequence[MeasuredShares],
    query: OddsQuery,
    odds_style: OddsStyle,
    note: str = "",
) -> PlotData:
    """The plot of one measure from all starts.

    `odds_style` is an `OddsStyle`; `note` is text beside the plot.
    """
    (style, layout), names = odds_style, query.play.start.names
    title, of = make_visible(query.play.start.procedure.heading), make_visible(measure.text)
    plays = max(start.plays for start in shares_by_start)
    sure = f"{CONFIDENCE_LEVEL:.0%} intervals of {plays:,} plays" if plays else ""
    whole_note = "; ".join(filter(None, (sure, note)))
    if layout == GRID:
        return make_heat_map(measure, shares_by_start, query, style, whole_note)
    values = sort_values(dict.fromkeys(value for start in shares_by_start for value in start.likely))
    is_flag = isinstance(strip_optional(measure.type), FlagType) and None not in values
    shown = [True] if is_flag and query.varied else values
    heads = [
        text if value is None else layout_heading(text, layout)
        for value in shown
        for text in [measure_value_text(value, measure, names)]
    ]
    cumulated = [
        cumulate_likelihoods(start.likely, values, layout) if start.likely else {} for start in shares_by_start
    ]
    starts = [", ".join(start.at) for start in shares_by_start]
    varied = ", ".join(make_visible(axis.path) for axis in query.varied)
    if not query.varied or (measure.is_number and (len(starts) <= _MAX_CURVES or layout != VALUES)):
        curves = [
            _make_curve(
                f"{varied} {at}" if query.varied else "", [shares.get(value) for value in shown], style, start.plays
            )
            for at, shares, start in zip(starts, cumulated, shares_by_start, strict=True)
        ]
        across = layout_heading(of, layout)
        return CurvePlot(title, across, "how likely", tuple(heads), tuple(curves), note=whole_note, layout=layout)
    if measure.is_number:
        means = tuple(None if start.mean is None else float(start.mean) for start in shares_by_start)
        up = f"{of} on average"
        return CurvePlot(title, varied, up, tuple(starts), (CurveData("", means),), is_share=False, note=note)
    curves = [
        _make_curve(head, [shares.get(value) for shares in cumulated], style, shares_by_start[0].plays)
        for value, head in zip(shown, heads, strict=True)
    ]
    return CurvePlot(title, varied, f"how likely: {of}", tuple(starts), tuple(curves), note=whole_note)


def _make_curve(label: str, heights: Sequence[Fraction | None], style: str, plays: int) -> CurveData:
    known = [Fraction(0) if height is None else height for height in heights]
    between = [confidence_interval(round(item * plays), plays) for item in known] if plays else []
    return CurveData(
        label,
        tuple(None if height is None else float(height) for height in heights),
        tuple(low for low, _ in between),
        tuple(high for _, high in between),
        tuple("" if height is None else _format_short_likelihood(height, style) for height in heights),
    )


def _format_short_likelihood(likely: Fraction, style: str) -> str:
    if style == "odds" and likely not in {0, 1} and likely.denominator > _MAX_LABEL_DENOMINATOR:
        return f"1 in {float(1 / likely):.3g}"
    if style in {"fraction", "odds"} and likely.denominator <= _MAX_LABEL_DENOMINATOR:
        return format_likelihood(likely, style)
    number = float(likely * 100)
    return f"{number:.1f} %" if number >= _MIN_FIXED_PERCENT or not number else f"{number:.1g} %"


def make_heat_map(
    measure: AskedMeasure, starts: Sequence[MeasuredShares], query: OddsQuery, style: str, note: str = ""
) -> HeatMap:
    """A measure by two varied things: probability of a flag, or mean of a number."""
    is_share, of = isinstance(measure.type, FlagType), make_visible(measure.text)
    cells: dict[tuple[str, ...], tuple[float | None, str]] = {}
    for start in starts:
        known = start.likely.get(True, Fraction(0)) if start.likely else None
        number = known if is_share else start.mean
        label = "" if number is None else f"{float(number):.3g}"
        if is_share and number is not None:
            label = _format_short_likelihood(Fraction(number), style)
        cells[start.at] = (None if number is None else float(number), label)
    rows, columns = (tuple(dict.fromkeys(start.at[place] for start in starts)) for place in range(_GRID_DIMENSIONS))
    numbers, labels = (tuple(tuple(cells[row, column][part] for column in columns) for row in rows) for part in (0, 1))
    down, across = (make_visible(axis.path) for axis in query.varied)
    title = make_visible(query.play.start.procedure.heading)
    up = of if is_share else f"{of} on average"
    return HeatMap(title, up, down, across, rows, columns, numbers, labels, is_share, note)  # type: ignore[arg-type]


def require_layout_fits(layout: str, query: OddsQuery, beside: str = "") -> None:
    """Check before the work that the layout fits the question; stops with RW1197.

    `beside` names a result with a table of its own, if any.
    """
    if beside:
        raise make_stop("RW1197", f"{beside} in a table of its own, without `--show`", "leave it out")
    measures, varied = query.play.measures[: query.play.reported_count], query.varied
    other = next((one for one in measures if not one.is_number), None)
    if layout in CUMULATIVE and other is not None:
        message = f"`{make_visible(other.text)}` is not a number, so nothing is more or less than it"
        raise make_stop("RW1197", message, f"leave out `--show {layout}`, or ask for numbers alone")
    if layout != GRID:
        return
    if len(varied) != _GRID_DIMENSIONS:
        many = {0: "nothing varies", 1: "one varies"}.get(len(varied), f"{len(varied)} vary")
        raise make_stop("RW1197", f"a grid shows how two things vary, and {many}", "give `--vary PATH=VALUES` twice")
    other = next((one for one in measures if not one.is_number and not isinstance(one.type, FlagType)), None)
    if other is not None:
        message = f"a grid has one number for each start, and `{make_visible(other.text)}` has several values"
        raise make_stop("RW1197", message, f"ask for one of them: `--of '{make_visible(other.text)} = VALUE'`")
    wide = max(varied, key=lambda sweep_axis: len(sweep_axis.values))
    if len(wide.values) > _MAX_GRID_CELLS:
        message = f"a grid has at most {_MAX_GRID_CELLS} rows and columns, and `{make_visible(wide.path)}` has {len(wide.values)}"
        raise make_stop("RW1197", message, "vary it in larger paces: `1, 5, 9`")


def describe_unfinished_shares(shares: Iterable[tuple[str, Fraction]]) -> str:
    """Note on shares missing from a plot: of several starts the largest."""
    result: dict[str, list[Fraction]] = {}
    for what, share in shares:
        result.setdefault(what, []).append(share)
    worst = [(what, max(item), "up to " if len(item) > 1 else "") for what, item in result.items()]
    return "; ".join(f"{most}{format_percent(share).strip()} {what}" for what, share, most in worst if share)


_JSON_PREFIX = '{"pictures": ['
_PREFIX_BY_SUFFIX: dict[str, str | bytes] = {
    ".svg": SVG_PREFIX,
    ".html": HTML_PREFIX,
    ".png": b"\x89PNG\r\n",
    ".json": _JSON_PREFIX,
}


def require_drawable(file: str | None) -> None:
    """Check before the work that a plot can be drawn and written.

    Raises:
        CommandStop: RW1196, unknown file name suffix; RW1195, the library is not installed; RW0013, the file holds
            something else; RW0011, it cannot be written.
    """
    if file is None:
        return
    ending = PurePath(file).suffix.lower()
    if ending not in _PREFIX_BY_SUFFIX:
        remedy = "end the name in `.svg` or `.png`, in `.html` for a page with the tables, or in `.json` for the data"
        raise make_stop("RW1196", f"the ending of `{file}` is not a known sort of picture", remedy)
    if ending != ".json" and find_spec(PLOT_LIBRARY) is None:
        raise make_stop("RW1195", "the library for pictures is not installed", f"`{get_install_command('pictures')}`")
    require_overwritable(file, _PREFIX_BY_SUFFIX[ending])


def write_plots(file: str, drawn: Sequence[PlotWithTable]) -> None:
    """Write plots as SVG or PNG below each other, as a page with tables, or as JSON, by the suffix of the file.

    Stops with RW0011 where the file cannot be written.
    """
    pictures = [one.picture for one in drawn]
    match PurePath(file).suffix.lower():
        case ".png":
            content: str | bytes = render_figure(pictures, "png")
        case ".svg":
            content = plots_to_svg(pictures)
        case ".json":
            content = f"{_JSON_PREFIX}{', '.join(json.dumps(asdict(one)) for one in drawn)}]}}\n"
        case _:
            content = _render_plots_page(drawn)
    write_file(Path(file), content)


def _render_plots_page(drawn: Sequence[PlotWithTable]) -> str:
    from markupsafe import Markup  # noqa: PLC0415 - wanted with pages only

    from rulewright.cli.reports import render_template  # noqa: PLC0415 - wanted with pages only

    sections = [(one, Markup(plots_to_svg([one.picture]))) for one in drawn]  # noqa: S704 - ours
    return render_template("pictures.html", SimpleNamespace(title=drawn[0].title, sections=sections))
