"""The parser of the shipped grammar, with tables that are built once and kept between runs."""

import sys
from io import BytesIO
from typing import Any

from lark import Lark, __version__

from rulewright.keeping import Shelf, key_of
from rulewright.resources import folder
from rulewright.syntax.layout import Layout
from rulewright.syntax.lexer import PlaceLexer

_SHELF = Shelf("tables", most=4, size=16_000_000)
_OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": PlaceLexer,
    "propagate_positions": True,
    "maybe_placeholders": True,
}


def parser() -> Lark:
    """The parser; its line ends go through a `Layout`, which is its option `postlex`.

    What was kept for the same grammar, Lark and Python is used again. Where nothing was kept, or what was kept is
    damaged, the tables are built; where nothing can be kept, they are built for every run.
    """
    grammar = (folder("grammar") / "rules.lark").read_text(encoding="utf-8")
    key = key_of(grammar, str(_OPTIONS), __version__, sys.version)
    return _kept(key) or _built(grammar, key)


def _kept(key: str) -> Lark | None:
    tables = _SHELF.kept(key)
    try:
        return None if tables is None else Lark.load(BytesIO(tables))
    except Exception:  # noqa: BLE001 - what are no tables raises anything
        return None


def _built(grammar: str, key: str) -> Lark:
    made = Lark(grammar, postlex=Layout(), **_OPTIONS)
    tables = BytesIO()
    made.save(tables)
    _SHELF.keep(key, tables.getvalue())
    return made
