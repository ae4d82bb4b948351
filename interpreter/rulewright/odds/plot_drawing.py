"""Plots of odds as data, and drawn with matplotlib, which is an extra."""

import io
import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, TypeAlias

from rulewright.base.frozen import dataclass

PLOT_LIBRARY = "matplotlib"
_PLOT_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "rulewright",
    "text.parse_math": False,
    "font.size": 11,
    "axes.titlesize": 13,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "grid.color": "0.85",
    "errorbar.capsize": 3,
}
_MARKERS = "osD^vPX*"
_DASHES = ("-", "--", ":", "-.")
_STEP_STYLES = {"at-least": "steps-pre", "at-most": "steps-post"}
_SMALL_SCALE_SHARE = 0.05
_PLOT_WIDTH_IN, _PLOT_HEIGHT_IN = 7.5, 4.2
_MAX_LABELLED_BARS = 14
"""Limit of bars with a number above, and of ticks with a label."""
_MAX_LEVEL_LABEL_CHARS = 7
_GRID_MARGIN_IN = 1.6
_DARK_SHADE = 0.55
_PLACE_NUMBER_PATTERN = re.compile(r"(-?[0-9]{1,9})( or more| or less)?")
_GROUP_ID_PATTERN = re.compile(r'<g id="[^"]*"')
_SVG_PROLOG_PATTERN = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_METADATA_PATTERN = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_SVG_ROOT_PATTERN = re.compile(r"(<svg [^>]*)>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A number for each pair of values of two varied things."""

    title: str
    of: str  # colour scale title
    down: str
    across: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    said: tuple[tuple[str, ...], ...]
    is_share: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class CurveData:
    """Heights along the plot; None where unknown."""

    label: str
    heights: tuple[float | None, ...]
    low: tuple[float, ...] = ()  # 95 % confidence interval of counted plays
    high: tuple[float, ...] = ()
    said: tuple[str, ...] = ()  # label of each height


@dataclass(frozen=True, slots=True)
class CurvePlot:
    """Bars of one start, or lines of several series."""

    title: str
    across: str  # axis title
    up: str  # axis title
    places: tuple[str, ...]
    lines: tuple[CurveData, ...]
    is_share: bool = True  # heights are shares, not means
    is_apart: bool = False  # discrete: each height is a bar
    note: str = ""
    layout: str = "values"  # `at-least` and `at-most`: cumulated values are steps


PlotData: TypeAlias = CurvePlot | HeatMap


def plots_to_svg(pictures: Sequence[PlotData]) -> str:
    """Plots below each other as SVG with text elements; the output is deterministic."""
    drawn = _GROUP_ID_PATTERN.sub(
        "<g", _METADATA_PATTERN.sub("", _SVG_PROLOG_PATTERN.sub("", render_figure(pictures, "svg").decode("utf-8")))
    )
    title = escape("; ".join(dict.fromkeys(picture.title for picture in pictures)))
    return _SVG_ROOT_PATTERN.sub(lambda root: f'{root[1]} role="img">\n <title>{title}</title>', drawn, count=1)


def render_figure(pictures: Sequence[PlotData], form: str) -> bytes:
    """Plots below each other; `form` is one that matplotlib knows."""
    with _use_plot_style():
        heights = [
            _PLOT_HEIGHT_IN if isinstance(plot, CurvePlot) else _GRID_MARGIN_IN + 0.38 * len(plot.rows)
            for plot in pictures
        ]
        width = max(
            (
                _PLOT_WIDTH_IN,
                *(
                    _GRID_MARGIN_IN + 0.78 * len(heat_map.columns)
                    for heat_map in pictures
                    if isinstance(heat_map, HeatMap)
                ),
            )
        )
        figure = import_module(f"{PLOT_LIBRARY}.figure").Figure(figsize=(width, sum(heights)), layout="constrained")
        for axes, picture in zip(
            figure.subplots(len(pictures), height_ratios=heights, squeeze=False), pictures, strict=True
        ):
            _plot_curves(axes[0], picture) if isinstance(picture, CurvePlot) else _plot_heat_map(axes[0], picture)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=form, dpi=144, metadata={"Date": None} if form == "svg" else {"Software": None})
    return buffer.getvalue()


@contextmanager
def _use_plot_style() -> Iterator[None]:
    """Fixed style whatever the user's settings; missing glyphs are no warning."""
    logging.getLogger(PLOT_LIBRARY).setLevel(logging.ERROR)
    library = import_module(PLOT_LIBRARY)
    with library.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.rcdefaults()
        library.rcParams.update(_PLOT_STYLE)
        yield


def _plot_curves(axes: Any, drawn: CurvePlot) -> None:  # of an extra
    at = _axis_positions(drawn.places)
    axes.set_title(drawn.title)
    axes.set_xlabel("\n".join(filter(None, (drawn.across, drawn.note))))
    axes.set_ylabel(drawn.up)
    axes.grid(axis="y")
    if not at:
        return  # no play ended; the note says so
    if len(drawn.lines) == 1 and (drawn.is_share or drawn.is_apart) and drawn.layout not in _STEP_STYLES:
        (line,) = drawn.lines
        heights = [float("nan") if item is None else item for item in line.heights]
        axes.bar(at, heights, color="0.45", edgecolor="black", width=0.75, yerr=_error_bars(line))
        if max(at) - min(at) < _MAX_LABELLED_BARS and not line.low:
            for x, height, label in zip(at, line.heights, line.said, strict=True):
                axes.annotate(label, (x, height or 0), (0, 3), textcoords="offset points", ha="center", fontsize=9)
    else:
        for number, line in enumerate(drawn.lines):
            axes.errorbar(
                at,
                [float("nan") if item is None else item for item in line.heights],
                yerr=_error_bars(line),
                label=line.label,
                marker=_MARKERS[number % len(_MARKERS)],
                linestyle=_DASHES[number % len(_DASHES)],
                color=str(0.12 * (number % len(_DASHES))),
                markersize=6,
                drawstyle=_STEP_STYLES.get(drawn.layout, "default"),
            )
        if len(drawn.lines) > 1:
            axes.legend(fontsize=9)
    if drawn.is_share:
        if not any(item < 0 for line in drawn.lines for item in line.low):
            axes.set_ylim(0, None)
        decimals = 0 if axes.get_ylim()[1] > _SMALL_SCALE_SHARE else None  # distinct tick labels on a small scale
        axes.yaxis.set_major_formatter(import_module(f"{PLOT_LIBRARY}.ticker").PercentFormatter(1, decimals, " %"))
    if all(_PLACE_NUMBER_PATTERN.fullmatch(place) for place in drawn.places) and len(at) > _MAX_LABELLED_BARS:
        axes.xaxis.set_major_locator(import_module(f"{PLOT_LIBRARY}.ticker").MaxNLocator(integer=True))
    else:
        lean = max(map(len, drawn.places)) * len(at) > _MAX_LEVEL_LABEL_CHARS * _MAX_LABELLED_BARS
        axes.set_xticks(at, drawn.places, rotation=40 if lean else 0, ha="right" if lean else "center")


def _error_bars(line: CurveData) -> list[list[float]] | None:
    if not line.low:
        return None
    known = [height or 0.0 for height in line.heights]
    below = [max(0.0, item - low) for item, low in zip(known, line.low, strict=True)]
    return [below, [max(0.0, high - item) for item, high in zip(known, line.high, strict=True)]]


def _axis_positions(places: Sequence[str]) -> list[int]:
    """Positions of ticks: numbers at their value, all else in order."""
    result = [_PLACE_NUMBER_PATTERN.fullmatch(place) for place in places]
    return [at if match is None or None in result else int(match[1]) for at, match in enumerate(result)]


def _plot_heat_map(axes: Any, drawn: HeatMap) -> None:  # of an extra
    known = [item for row in drawn.cells for item in row if item is not None]
    low, high = (0.0, 1.0) if drawn.is_share else (min(known, default=0.0), max(known, default=1.0))
    span = (high - low) or 1.0
    shades = [[float("nan") if item is None else (item - low) / span for item in row] for row in drawn.cells]
    axes.imshow(shades, cmap="Greys", vmin=0, vmax=1.15, aspect="auto")
    axes.set_title(f"{drawn.title}: {drawn.of}")
    axes.set_xlabel("\n".join(filter(None, (drawn.across, drawn.note))))
    axes.set_ylabel(drawn.down)
    axes.set_xticks(range(len(drawn.columns)), drawn.columns)
    axes.set_yticks(range(len(drawn.rows)), drawn.rows)
    for row, (shaded, labels) in enumerate(zip(shades, drawn.said, strict=True)):
        for column, (shade, text) in enumerate(zip(shaded, labels, strict=True)):
            colour = "white" if shade > _DARK_SHADE else "black"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=10)
