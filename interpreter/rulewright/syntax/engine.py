"""The parsing engine, built once from the shipped grammar."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree, UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from platformdirs import user_cache_path

from rulewright.resources import folder
from rulewright.syntax.layout import Disorder, Layout, Line
from rulewright.syntax.lexer import PlaceLexer
from rulewright.syntax.trouble import Trouble


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
    """Lark with the grammar of the language and its layout."""

    def __init__(self) -> None:
        self._layout = Layout()
        place = _cache_file()
        self._lark = Lark(
            (folder("grammar") / "rules.lark").read_text(encoding="utf-8"),
            parser="lalr",
            lexer=PlaceLexer,
            postlex=self._layout,
            propagate_positions=True,
            maybe_placeholders=True,
            cache=str(place) if place else False,
        )

    def read(self, content: str) -> Reading | Trouble:
        """The tree of a text that ends with a line end, or the first thing that does not fit."""
        try:
            return Reading(self._lark.parse(content), tuple(self._layout.lines))
        except UnexpectedInput as error:
            return _trouble(error, content)
        except Disorder as error:
            return error.trouble


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


def _cache_file() -> Path | None:
    """Where Lark keeps its tables between runs; none where nothing can be kept."""
    place = user_cache_path("rulewright")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return place / "grammar.tables"
