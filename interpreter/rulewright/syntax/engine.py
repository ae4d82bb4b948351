"""The parsing engine and its tables, kept between runs: from a text to its tree, or to the first thing that is off."""

import sys
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput, __version__
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from rulewright.keeping import Shelf, key_of
from rulewright.resources import folder
from rulewright.syntax.layout import Disorder, Layout, Line
from rulewright.syntax.lexer import PlaceLexer
from rulewright.syntax.parsed import Trouble

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


@dataclass(frozen=True)
class Reading:
    """A text that follows the grammar.

    Attributes:
        tree: its tree.
        lines: its logical lines in order.
    """

    tree: Tree[Token]
    lines: tuple[Line, ...]


class Engine:
    """Reads texts with the grammar of the language and its layout."""

    def __init__(self) -> None:
        self._lark = parser()

    def read(self, content: str) -> Reading | Trouble:
        """The tree of a text that ends with a line end, or the first thing that does not fit."""
        try:
            tree = self._lark.parse(content)
        except UnexpectedInput as error:
            return _trouble(error, content)
        except Disorder as error:
            return error.trouble
        layout = self._lark.options.postlex
        assert isinstance(layout, Layout)
        return Reading(tree, tuple(layout.lines))


@cache
def engine() -> Engine:
    """The one engine of this process."""
    return Engine()


def _trouble(error: UnexpectedInput, content: str) -> Trouble:
    accepted = _accepted(error)
    match error:
        case UnexpectedToken(token=Token() as token):
            layout = token.type if token.type in Layout.kinds else ""
            return Trouble("unexpected", token.start_pos or 0, token.end_pos or 0, layout, accepted)
        case UnexpectedCharacters():
            start = error.pos_in_stream or 0
            return Trouble("unexpected", start, start + 1, "", accepted)
        case _:
            return Trouble("unexpected", len(content), len(content), "", accepted)


def _accepted(error: UnexpectedInput) -> frozenset[str]:
    parser = error.interactive_parser
    return frozenset(parser.accepts()) if parser else frozenset()  # type: ignore[no-untyped-call]
