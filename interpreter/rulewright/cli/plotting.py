"""Writes pictures of odds: as data, or drawn by a library that is an extra and read when it is wanted."""

import io
import json
import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import Any

from rulewright.cli.named_files import PAGE, SVG, may_write, write
from rulewright.cli.output import stopped
from rulewright.cli.pictures import Curves, Drawn, Heat, Line, Picture
from rulewright.installing import installing

_LIBRARY = "matplotlib"
_DATA = '{"pictures": ['
_BEGINNINGS: dict[str, str | bytes] = {".svg": SVG, ".html": PAGE, ".png": b"\x89PNG\r\n", ".json": _DATA}
_STYLE = {
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
_STEPS = {"at-least": "steps-pre", "at-most": "steps-post"}
_SMALL = 0.05
_WIDTH, _HEIGHT = 7.5, 4.2
_MOST_SAID = 14
"""So many bars have their number above them, and so many places their name below."""
_LONGEST = 7
_ROUND_A_GRID = 1.6
_DARK = 0.55
_NUMBER = re.compile(r"(-?[0-9]{1,9})( or more| or less)?")
_GROUPS = re.compile(r'<g id="[^"]*"')
_HEAD = re.compile(r"^.*?(?=<svg )", re.DOTALL)
_SOURCE = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_ROOT = re.compile(r"(<svg [^>]*)>", re.DOTALL)


def can_draw(file: str | None) -> None:
    """Looks, before the work, whether a picture can be drawn and written.

    Raises:
        Stop: RW1196, the name does not say what is to be drawn; RW1195, the library is not installed; RW0013, the file
            holds something else; RW0011, it cannot be written.
    """
    if file is None:
        return
    ending = PurePath(file).suffix.lower()
    if ending not in _BEGINNINGS:
        remedy = "end the name in `.svg` or `.png`, in `.html` for a page with the tables, or in `.json` for the data"
        raise stopped("RW1196", f"the ending of `{file}` is not a known sort of picture", remedy)
    if ending != ".json" and find_spec(_LIBRARY) is None:
        raise stopped("RW1195", "the library for pictures is not installed", f"`{installing('pictures')}`")
    may_write(file, _BEGINNINGS[ending])


def draw(file: str, drawn: Sequence[Drawn]) -> None:
    """Writes pictures as SVG or PNG below each other, as a page with their tables, or as data, by the name of the file.

    Stops with RW0011 where the file cannot be written.
    """
    pictures = [each.picture for each in drawn]
    match PurePath(file).suffix.lower():
        case ".png":
            write(Path(file), _drawn(pictures, "png"))
        case ".svg":
            write(Path(file), svg(pictures))
        case ".json":
            write(Path(file), f"{_DATA}{', '.join(json.dumps(asdict(each)) for each in drawn)}]}}\n")
        case _:
            write(Path(file), _page(drawn))


def _page(drawn: Sequence[Drawn]) -> str:
    from markupsafe import Markup  # noqa: PLC0415 - wanted with pages only

    from rulewright.cli.reports import rendered  # noqa: PLC0415 - wanted with pages only

    sections = [(each, Markup(svg([each.picture]))) for each in drawn]  # noqa: S704 - ours
    return rendered("pictures.html", SimpleNamespace(title=drawn[0].title, sections=sections))


def svg(pictures: Sequence[Picture]) -> str:
    """Pictures below each other as SVG, texts as text; the same bytes each time."""
    drawn = _GROUPS.sub("<g", _SOURCE.sub("", _HEAD.sub("", _drawn(pictures, "svg").decode("utf-8"))))
    title = escape("; ".join(dict.fromkeys(each.title for each in pictures)))
    return _ROOT.sub(lambda root: f'{root[1]} role="img">\n <title>{title}</title>', drawn, count=1)


def _drawn(pictures: Sequence[Picture], form: str) -> bytes:
    with _style():
        heights = [_HEIGHT if isinstance(each, Curves) else _ROUND_A_GRID + 0.38 * len(each.rows) for each in pictures]
        width = max(
            (_WIDTH, *(_ROUND_A_GRID + 0.78 * len(each.columns) for each in pictures if isinstance(each, Heat)))
        )
        figure = import_module(f"{_LIBRARY}.figure").Figure(figsize=(width, sum(heights)), layout="constrained")
        for axes, each in zip(
            figure.subplots(len(pictures), height_ratios=heights, squeeze=False), pictures, strict=True
        ):
            _curves(axes[0], each) if isinstance(each, Curves) else _heat(axes[0], each)
        held = io.BytesIO()
        figure.savefig(held, format=form, dpi=144, metadata={"Date": None} if form == "svg" else {"Software": None})
    return held.getvalue()


@contextmanager
def _style() -> Iterator[None]:
    """The same look whatever the machine is set to; a letter that a font lacks is no reason to speak."""
    logging.getLogger(_LIBRARY).setLevel(logging.ERROR)
    library = import_module(_LIBRARY)
    with library.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.rcdefaults()
        library.rcParams.update(_STYLE)
        yield


def _curves(axes: Any, drawn: Curves) -> None:  # of an extra
    at = _places(drawn.places)
    axes.set_title(drawn.title)
    axes.set_xlabel("\n".join(filter(None, (drawn.across, drawn.note))))
    axes.set_ylabel(drawn.up)
    axes.grid(axis="y")
    if len(drawn.lines) == 1 and (drawn.is_share or drawn.is_apart) and drawn.layout not in _STEPS:
        (line,) = drawn.lines
        heights = [float("nan") if each is None else each for each in line.heights]
        axes.bar(at, heights, color="0.45", edgecolor="black", width=0.75, yerr=_errors(line))
        if max(at) - min(at) < _MOST_SAID and not line.low:
            for x, height, said in zip(at, line.heights, line.said, strict=True):
                axes.annotate(said, (x, height or 0), (0, 3), textcoords="offset points", ha="center", fontsize=9)
    else:
        for number, line in enumerate(drawn.lines):
            axes.errorbar(
                at,
                [float("nan") if each is None else each for each in line.heights],
                yerr=_errors(line),
                label=line.label,
                marker=_MARKERS[number % len(_MARKERS)],
                linestyle=_DASHES[number % len(_DASHES)],
                color=str(0.12 * (number % len(_DASHES))),
                markersize=6,
                drawstyle=_STEPS.get(drawn.layout, "default"),
            )
        if len(drawn.lines) > 1:
            axes.legend(fontsize=9)
    if drawn.is_share:
        if not any(each < 0 for line in drawn.lines for each in line.low):
            axes.set_ylim(0, None)
        decimals = 0 if axes.get_ylim()[1] > _SMALL else None  # on a small scale two marks would read alike without
        axes.yaxis.set_major_formatter(import_module(f"{_LIBRARY}.ticker").PercentFormatter(1, decimals, " %"))
    if all(_NUMBER.fullmatch(each) for each in drawn.places) and len(at) > _MOST_SAID:
        axes.xaxis.set_major_locator(import_module(f"{_LIBRARY}.ticker").MaxNLocator(integer=True))
    else:
        lean = max(map(len, drawn.places)) * len(at) > _LONGEST * _MOST_SAID
        axes.set_xticks(at, drawn.places, rotation=40 if lean else 0, ha="right" if lean else "center")


def _errors(line: Line) -> list[list[float]] | None:
    if not line.low:
        return None
    known = [each or 0.0 for each in line.heights]
    below = [max(0.0, each - low) for each, low in zip(known, line.low, strict=True)]
    return [below, [max(0.0, high - each) for each, high in zip(known, line.high, strict=True)]]


def _places(places: Sequence[str]) -> list[int]:
    """Where places stand: numbers where they are, all else one after the other."""
    found = [_NUMBER.fullmatch(each) for each in places]
    return [at if each is None or None in found else int(each[1]) for at, each in enumerate(found)]


def _heat(axes: Any, drawn: Heat) -> None:  # of an extra
    known = [each for row in drawn.cells for each in row if each is not None]
    low, high = (0.0, 1.0) if drawn.is_share else (min(known, default=0.0), max(known, default=1.0))
    span = (high - low) or 1.0
    shades = [[float("nan") if each is None else (each - low) / span for each in row] for row in drawn.cells]
    axes.imshow(shades, cmap="Greys", vmin=0, vmax=1.15, aspect="auto")
    axes.set_title(f"{drawn.title}: {drawn.of}")
    axes.set_xlabel("\n".join(filter(None, (drawn.across, drawn.note))))
    axes.set_ylabel(drawn.down)
    axes.set_xticks(range(len(drawn.columns)), drawn.columns)
    axes.set_yticks(range(len(drawn.rows)), drawn.rows)
    for row, (shaded, said) in enumerate(zip(shades, drawn.said, strict=True)):
        for column, (shade, text) in enumerate(zip(shaded, said, strict=True)):
            colour = "white" if shade > _DARK else "black"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=10)
