"""Puts the words of one logical line together: spaces, and line breaks at 120 characters."""

from collections.abc import Sequence

from lark import Token

from rulewright.frozen import dataclass
from rulewright.syntax.layout import Line

WIDTH = 120
"""How long a line may be."""

_CONTINUED = 4
_OPENING = frozenset({"LPAR", "LSQB", "LBRACE"})
_CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})
_RANGE = ".."
_TIGHT_BEFORE = frozenset({"COMMA", "COLON", "DOT", "QMARK"}) | _CLOSING
_TIGHT_AFTER = frozenset({"DOT"}) | _OPENING
_ENDS_VALUE = frozenset({"NAME", "INT", "DECIMAL", "STRING", "YES", "NO", "NONE", "STEP"}) | _CLOSING
_HOLDS_BRACKET = frozenset({"NAME", "RPAR", "RSQB"})
_BEFORE_CONDITION = frozenset({"ELSE", "ONLY"})
_SIGNS = frozenset({"PLUS", "MINUS"})


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word with the space before it.

    Attributes:
        text: the word.
        gap: the space.
        depth: how many brackets are open before it.
        kind: its terminal.
    """

    text: str
    gap: str
    depth: int
    kind: str


def lay_out(line: Line, indent: int) -> list[str]:
    """The physical lines of a logical line at an indentation, without comments."""
    cites = [str(token) for token in line.tokens[line.margin :]]
    rows = _break(_pieces(line.tokens[: line.margin]), indent)
    if not cites:
        return rows
    margin = " ".join(cites)
    if len(rows[-1]) + 2 + len(margin) <= WIDTH:
        return [*rows[:-1], f"{rows[-1]}  {margin}"]
    opens = line.tokens[line.margin - 1].type == "COLON"
    return rows + _filled(cites, indent + (_CONTINUED if opens else _CONTINUED // 2))


def _pieces(tokens: Sequence[Token]) -> list[_Piece]:
    pieces: list[_Piece] = []
    depth = 0
    for number, token in enumerate(tokens):
        depth -= token.type in _CLOSING
        pieces.append(_Piece(" ".join(token.split()), _gap(tokens, number), depth, token.type))
        depth += token.type in _OPENING
        if token.type == "STRING":
            pieces[-1] = _Piece(str(token), pieces[-1].gap, pieces[-1].depth, token.type)
    return pieces


def _gap(tokens: Sequence[Token], number: int) -> str:
    """The space before a token."""
    if number == 0:
        return ""
    before, token = tokens[number - 1], tokens[number]
    if token.type in _TIGHT_BEFORE or before.type in _TIGHT_AFTER or _RANGE in {str(before), str(token)}:
        return ""
    if token.type in {"LPAR", "LSQB"} and _is_held(tokens, number - 1):
        return ""
    if before.type in _SIGNS and (number == 1 or tokens[number - 2].type not in _ENDS_VALUE):
        return ""
    return " "


def _is_held(tokens: Sequence[Token], number: int) -> bool:
    """Whether a token has the bracket after it as its own: a call, an index, or `if(…)`."""
    token = tokens[number]
    if token.type == "IF":
        return number > 0 and tokens[number - 1].type not in _BEFORE_CONDITION and not _begins_block(tokens, number)
    return token.type in _HOLDS_BRACKET


def _begins_block(tokens: Sequence[Token], number: int) -> bool:
    """Whether a word begins a line that has an id and opens a block; after the colon of a row stands a value."""
    return [each.type for each in tokens[1:number]] == ["COLON"] and tokens[-1].type == "COLON"


def _break(pieces: Sequence[_Piece], indent: int) -> list[str]:
    """The head of a line, broken inside its last outermost bracket where it is too long.

    What stands in the bracket goes on the next line with the rest, else on lines of its own before the rest.
    """
    whole = " " * indent + _joined(pieces)
    if len(whole) <= WIDTH:
        return [whole]
    cut = _last_bracket(pieces, indent)
    if not cut:
        return [whole]
    first = " " * indent + _joined(pieces[:cut])
    rest = " " * (indent + _CONTINUED) + _joined(pieces[cut:])
    if len(rest) <= WIDTH:
        return [first, rest]
    closing = next(number for number in range(cut, len(pieces)) if pieces[number].depth == 0)
    return [first, *_wrapped(pieces[cut:closing], indent + _CONTINUED), *_break(pieces[closing:], indent)]


def _last_bracket(pieces: Sequence[_Piece], indent: int) -> int:
    """How many pieces stand up to the opening of the last outermost bracket that fits; 0 if there is none."""
    found = 0
    for number, piece in enumerate(pieces[:-1]):
        is_outermost = piece.kind in _OPENING and piece.depth == 0 and pieces[number + 1].kind not in _CLOSING
        if is_outermost and indent + len(_joined(pieces[: number + 1])) <= WIDTH:
            found = number + 1
    return found


def _wrapped(pieces: Sequence[_Piece], indent: int) -> list[str]:
    """Pieces inside a bracket, on as few lines as they fit."""
    rows: list[str] = []
    left = list(pieces)
    while left:
        count = _fitting(left, indent)
        rows.append(" " * indent + _joined(left[:count]))
        left = left[count:]
    return rows


def _fitting(pieces: Sequence[_Piece], indent: int) -> int:
    """How many of these go on one line."""
    if indent + len(_joined(pieces)) <= WIDTH:
        return len(pieces)
    breaks = [number for number in range(1, len(pieces)) if _may_break(pieces, number)]
    fitting = [number for number in breaks if indent + len(_joined(pieces[:number])) <= WIDTH]
    return (fitting[-1:] or breaks[:1] or [len(pieces)])[0]


def _may_break(pieces: Sequence[_Piece], number: int) -> bool:
    piece, before = pieces[number], pieces[number - 1]
    return piece.depth > 0 and (before.kind == "COMMA" or piece.kind in {"AND", "OR", "WHERE"})


def _joined(pieces: Sequence[_Piece]) -> str:
    return "".join(piece.gap + piece.text if number else piece.text for number, piece in enumerate(pieces))


def _filled(words: Sequence[str], indent: int) -> list[str]:
    """Words on as few lines as they fit."""
    rows: list[str] = []
    for word in words:
        if rows and len(rows[-1]) + 1 + len(word) <= WIDTH:
            rows[-1] += f" {word}"
        else:
            rows.append(" " * indent + word)
    return rows
