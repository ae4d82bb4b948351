"""The parsing engine: from a text to its tree, or to the first thing that does not fit."""

from dataclasses import dataclass
from functools import cache

from lark import Token, Tree, UnexpectedInput
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from rulewright.syntax.layout import Disorder, Layout, Line
from rulewright.syntax.tables import parser
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
