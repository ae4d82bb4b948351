"""What `odds` and `simulate` found from several starts: one table for each measure, and rows for a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.cli.odds_values import VALUES, head_of
from rulewright.cli.output import Output
from rulewright.cli.pictures import Heat
from rulewright.codecs.table import show, to_json
from rulewright.diagnostics.terminal import visible
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.machine.values import Value
from rulewright.odds.measures import AskedMeasure
from rulewright.odds.odds import from_least
from rulewright.odds.sweeps import Varied
from rulewright.program.types import FlagType, present

_SHADES = "·░▒▓█"
_WIDEST = 12
"""So many values have columns of their own."""


@dataclass(frozen=True, slots=True)
class Line:
    """What was found of one measure from one start."""

    at: tuple[str, ...]  # what is varied, as people say it
    shares: Mapping[Value, str]  # how likely each value is, as it is told
    mean: str  # of numbers, as it is told; or empty
    beside: Mapping[str, str]  # what else is told of the start, by its heading


def at_start(varied: Sequence[Varied], values: Sequence[Value], names: Names) -> tuple[str, ...]:
    """The values that a start has of what is varied, as people say them."""
    return tuple(show(value, each.type, names) for each, value in zip(varied, values, strict=True))


def start_json(varied: Sequence[Varied], values: Sequence[Value], names: Names) -> list[Json]:
    """The values that a start has of what is varied, as data."""
    return [to_json(value, each.type, names) for each, value in zip(varied, values, strict=True)]


def sweep_table(  # noqa: PLR0913, PLR0917 - what is told, and how
    measure: AskedMeasure,
    varied: Sequence[Varied],
    lines: Sequence[Line],
    names: Names,
    out: Output,
    layout: str = VALUES,
) -> Iterator[str]:
    """A line for each start with a column for each value; of very many values only the mean, or the likeliest."""
    values = _shown(measure, from_least(dict.fromkeys(value for each in lines for value in each.shares)))
    narrow = len(values) <= _WIDEST
    beside = list(dict.fromkeys(heading for each in lines for heading in each.beside))
    heads = [*(_value(each, measure, names, layout) for each in values if narrow), "on average", *beside]
    rows = [
        [
            *(each.shares.get(value, "0 %" if each.shares else "") for value in values if narrow),
            each.mean,
            *(each.beside.get(heading, "") for heading in beside),
        ]
        for each in lines
    ]
    filled = [number for number in range(len(heads)) if any(row[number] for row in rows)]
    shown = [[*(visible(each.path) for each in varied), *(heads[number] for number in filled)]]
    shown += [[*each.at, *(row[number] for number in filled)] for each, row in zip(lines, rows, strict=True)]
    yield out.paint(visible(measure.text), "strong")
    for number, line in enumerate(aligned(shown)):
        yield line if number else out.paint(line, "dim")
    if not narrow:
        yield f"  {len(values)} values, too many for columns: `--format csv` has them all"


def csv_lines(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows as comma-separated values (RFC 4180), each one line without its end."""
    for row in (heads, *rows):
        written = io.StringIO()
        csv.writer(written, lineterminator="").writerow(row)
        yield written.getvalue()


def _shown(measure: AskedMeasure, values: Sequence[Value]) -> Sequence[Value]:
    """The values that have columns: of flags `yes` alone."""
    is_flag = isinstance(present(measure.type), FlagType) and None not in values
    return (True,) if is_flag else values


def _value(value: Value, measure: AskedMeasure, names: Names, layout: str) -> str:
    return "no value" if value is None else head_of(show(value, measure.type, names), layout)


def grid(heat: Heat, out: Output) -> Iterator[str]:
    """A heat map in letters: a row for each value of the first that varies, shades from nothing to all."""
    known = [each for row in heat.cells for each in row if each is not None]
    low, high = (0.0, 1.0) if heat.is_share else (min(known, default=0.0), max(known, default=0.0))
    rows = [
        [row, *(f"{said or '-'} {_shade(each, low, high)}" for each, said in zip(cells, told, strict=True))]
        for row, cells, told in zip(heat.rows, heat.cells, heat.said, strict=True)
    ]
    yield out.paint(heat.of, "strong")
    yield f"  {heat.down} down, {heat.across} across"
    for number, line in enumerate(aligned([["", *(f"{each}  " for each in heat.columns)], *rows])):
        yield line if number else out.paint(line, "dim")
    if heat.note:
        yield f"  {heat.note}"


def _shade(number: float | None, low: float, high: float) -> str:
    if number is None:
        return " "
    return _SHADES[min(len(_SHADES) - 1, int((number - low) / ((high - low) or 1.0) * len(_SHADES)))]


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows with their columns below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(f"{each:>{width}}" for each, width in zip(row, widths, strict=True)).rstrip()
