"""Tables of results from several starts, as text, CSV and Parquet, for `odds` and `simulate`."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from rulewright.base.diagnostics.terminal import make_visible
from rulewright.base.frozen import dataclass
from rulewright.base.installation import get_install_command
from rulewright.cli.command_files import require_overwritable, write_file
from rulewright.cli.odds_formatting import VALUES, layout_heading
from rulewright.cli.output import Output, make_stop
from rulewright.cli.plots import HeatMap
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import NameTable
from rulewright.odds.end_measures import AskedMeasure
from rulewright.odds.exact_odds import sort_values
from rulewright.odds.parameter_sweeps import SweepAxis
from rulewright.program.types import FlagType, strip_optional
from rulewright.runtime.type_codecs import format_value, value_to_json
from rulewright.runtime.values import Value

_SHADES = "·░▒▓█"
_MAX_VALUE_COLUMNS = 12
"""Limit of values with a column of their own."""


@dataclass(frozen=True, slots=True)
class SweepRow:
    """Results of one measure from one start, as text."""

    at: tuple[str, ...]  # start values
    shares: Mapping[Value, str]  # likelihood by value
    mean: str  # of numbers, else empty
    extra_columns: Mapping[str, str]  # by heading


def format_start_values(varied: Sequence[SweepAxis], values: Sequence[Value], names: NameTable) -> tuple[str, ...]:
    """Values of the varied things at a start, as text."""
    return tuple(format_value(value, sweep_axis.type, names) for sweep_axis, value in zip(varied, values, strict=True))


def start_values_json(varied: Sequence[SweepAxis], values: Sequence[Value], names: NameTable) -> list[Json]:
    """Values of the varied things at a start, as JSON."""
    return [value_to_json(value, sweep_axis.type, names) for sweep_axis, value in zip(varied, values, strict=True)]


def render_sweep_table(  # noqa: PLR0913, PLR0917 - what is told, and how
    measure: AskedMeasure,
    varied: Sequence[SweepAxis],
    lines: Sequence[SweepRow],
    names: NameTable,
    out: Output,
    layout: str = VALUES,
) -> Iterator[str]:
    """A line for each start and a column for each value; of many values only the mean, or the likeliest."""
    values = _column_values(
        measure, sort_values(dict.fromkeys(value for sweep_row in lines for value in sweep_row.shares))
    )
    narrow = len(values) <= _MAX_VALUE_COLUMNS
    beside = list(dict.fromkeys(heading for sweep_row in lines for heading in sweep_row.extra_columns))
    heads = [*(_column_heading(item, measure, names, layout) for item in values if narrow), "on average", *beside]
    rows = [
        [
            *(sweep_row.shares.get(value, "0 %" if sweep_row.shares else "") for value in values if narrow),
            sweep_row.mean,
            *(sweep_row.extra_columns.get(heading, "") for heading in beside),
        ]
        for sweep_row in lines
    ]
    filled = [number for number in range(len(heads)) if any(row[number] for row in rows)]
    shown = [[*(make_visible(sweep_axis.path) for sweep_axis in varied), *(heads[number] for number in filled)]]
    shown += [[*sweep_row.at, *(row[number] for number in filled)] for sweep_row, row in zip(lines, rows, strict=True)]
    yield out.paint(make_visible(measure.text), "strong")
    for number, line in enumerate(align_columns(shown)):
        yield line if number else out.paint(line, "dim")
    if not narrow:
        yield f"  {len(values)} values, too many for columns: `--format csv` has them all"


def render_csv_lines(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows as comma-separated values (RFC 4180), without line ends."""
    for row in (heads, *rows):
        written = io.StringIO()
        csv.writer(written, lineterminator="").writerow(row)
        yield written.getvalue()


def _column_values(measure: AskedMeasure, values: Sequence[Value]) -> Sequence[Value]:
    """Values with a column; of flags only `yes`."""
    is_flag = isinstance(strip_optional(measure.type), FlagType) and None not in values
    return (True,) if is_flag else values


def _column_heading(value: Value, measure: AskedMeasure, names: NameTable, layout: str) -> str:
    return "no value" if value is None else layout_heading(format_value(value, measure.type, names), layout)


def render_text_grid(heat: HeatMap, out: Output) -> Iterator[str]:
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


def align_columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(f"{item:>{width}}" for item, width in zip(row, widths, strict=True)).rstrip()


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
