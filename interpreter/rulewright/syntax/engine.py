"""The parsing engine, built once from the shipped grammar."""

from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree
from platformdirs import user_cache_path

from rulewright.resources import folder
from rulewright.syntax.layout import Layout, Line


class Engine:
    """Lark with the grammar of the language and its layout."""

    def __init__(self) -> None:
        self._layout = Layout()
        place = _cache_file()
        self._lark = Lark(
            (folder("grammar") / "rules.lark").read_text(encoding="utf-8"),
            parser="lalr",
            postlex=self._layout,
            propagate_positions=True,
            maybe_placeholders=True,
            cache=str(place) if place else False,
        )

    def parse(self, content: str) -> tuple[Tree[Token], tuple[Line, ...]]:
        """The tree of a text that ends with a line end, and its logical lines.

        Raises:
            UnexpectedInput: the text does not follow the grammar.
            Misaligned: a line closes a block halfway.
            Glued: two words without a space.
        """
        tree = self._lark.parse(content)
        return tree, tuple(self._layout.lines)


@cache
def engine() -> Engine:
    """The one engine of this process."""
    return Engine()


def _cache_file() -> Path | None:
    """Where Lark keeps its tables between runs; none where nothing can be kept."""
    place = user_cache_path("rulewright")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return place / "grammar.tables"
