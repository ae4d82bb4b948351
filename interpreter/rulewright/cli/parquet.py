"""Rows as a Parquet file, by a library that is an extra (`rulewright[parquet]`) and read when it is wanted."""

import io
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from rulewright.cli.named_files import may_write, write
from rulewright.cli.output import stopped
from rulewright.installing import installing

_LIBRARY = "pyarrow"
_BEGINNING = "PAR1"
_NUMBERS = {"plays": "int64", "of plays": "int64", "first": "int64", "other": "int64", "of pairs": "int64"}
_NUMBERS |= dict.fromkeys(("low", "high", "difference"), "float64") | {"seed": "int64"}


def can_write_parquet(file: str | None) -> None:
    """Looks, before the work, whether a Parquet file can be written.

    Raises:
        Stop: RW1138, the library is not installed; RW0013, the file holds something else; RW0011, it cannot be written.
    """
    if file is None:
        return
    if find_spec(_LIBRARY) is None:
        remedy = f"`{installing('parquet')}`, or `--format csv`, which needs nothing"
        raise stopped("RW1138", "the library for Parquet files is not installed", remedy)
    may_write(file, _BEGINNING)


def write_parquet(file: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Writes rows: numbers as numbers, all else as text, what is nothing as null; stops with RW0011 where it cannot."""
    arrow, parquet = import_module(_LIBRARY), import_module(f"{_LIBRARY}.parquet")
    columns = []
    for head, cells in zip(heads, zip(*rows, strict=True) if rows else [()] * len(heads), strict=True):
        sort = _NUMBERS.get(head)
        held = cells if sort else [None if each is None else str(each) for each in cells]
        columns.append(arrow.array(held, type=getattr(arrow, sort)() if sort else arrow.string()))
    written = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(columns, names=[*heads]), written)
    write(Path(file), written.getvalue())
