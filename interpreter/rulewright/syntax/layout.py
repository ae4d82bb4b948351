"""Layout: indentation becomes tokens, and every line keeps its own."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lark import Token
from lark.lark import PostLex

from rulewright.syntax.parsed import Trouble

NESTING = 100
"""How deep brackets, blocks and operators may nest."""

TAB = 2
"""How wide a tab counts where one is read in spite of its diagnostic."""

DIGITS = 100
"""How many digits a number may be written with."""

_LINE_END = "_NL"
_MARGIN = "CITE"
_OPENING = frozenset({"LPAR", "LSQB", "LBRACE"})
_NUMBERS = frozenset({"INT", "DECIMAL", "DICE"})
_CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})


class Disorder(Exception):  # noqa: N818 - carries what is wrong with the lines
    """The lines do not stand in order.

    Attributes:
        trouble: where and how.
    """

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.sort)
        self.trouble = trouble


@dataclass(slots=True)
class Line:
    """A logical line: continued lines are one.

    Attributes:
        tokens: its tokens in order, without layout and comments.
    """

    tokens: list[Token] = field(default_factory=list)

    @property
    def start(self) -> int:
        """Where its first token begins."""
        return _start(self.tokens[0])

    @property
    def end(self) -> int:
        """Where its last token ends."""
        return _end(self.tokens[-1])

    @property
    def margin(self) -> int:
        """How many of its tokens stand before the cites of its margin."""
        count = len(self.tokens)
        while count and self.tokens[count - 1].type == _MARGIN:
            count -= 1
        return count

    @property
    def head_end(self) -> int:
        """Where its last word ends: before a final colon and the margin."""
        body = self.tokens[: self.margin]
        if len(body) > 1 and body[-1].type == "COLON":
            body = body[:-1]
        return _end(body[-1] if body else self.tokens[-1])


class Layout(PostLex):
    """Turns line ends into layout tokens.

    Layout tokens take the place after the last word before them, so that no node reaches over blank lines and
    comments. Serves one text at a time.
    """

    always_accept = (_LINE_END,)
    kinds = frozenset({_LINE_END, "_INDENT", "_DEDENT", "$END"})

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The stream with `_INDENT` and `_DEDENT`, and without the line ends inside brackets.

        Raises:
            Disorder: a line closes a block halfway, two words stand without a space, a number is too long, or the
                text nests too deep.
        """
        self.lines = []
        line = Line()
        levels = [0]
        depth = 0
        last: Token | None = None
        for token in stream:
            if token.type == _LINE_END:
                if depth:
                    continue
                if line.tokens:
                    self.lines.append(line)
                    line = Line()
                yield from _line_end(token, last, levels)
                continue
            depth += (token.type in _OPENING) - (token.type in _CLOSING)
            _refuse_deep(depth, token)
            _refuse_glued(last, token)
            _refuse_long(token)
            line.tokens.append(token)
            last = token
            yield token
        while len(levels) > 1:
            levels.pop()
            yield _after(last, "_DEDENT", "")


def indentation(blanks: str) -> int:
    """How far a line is indented by these blanks."""
    return len(blanks.expandtabs(TAB))


def _line_end(token: Token, last: Token | None, levels: list[int]) -> Iterator[Token]:
    """The line end, moved to the last word, and the change of indentation it brings."""
    yield _after(last, _LINE_END, str(token))
    blanks = token.rpartition("\n")[2]
    if "#" in blanks:
        return
    indent = indentation(blanks)
    if indent > levels[-1]:
        levels.append(indent)
        _refuse_deep(len(levels) - 1, token)
        yield _after(last, "_INDENT", "")
    while indent < levels[-1]:
        levels.pop()
        yield _after(last, "_DEDENT", "")
    if indent != levels[-1]:
        raise Disorder(Trouble("misaligned", _end(token), _end(token)))


def _refuse_deep(depth: int, token: Token) -> None:
    if depth > NESTING:
        raise Disorder(Trouble("deep", _start(token), _end(token)))


def _refuse_long(token: Token) -> None:
    if len(token) > DIGITS and token.type in _NUMBERS:
        raise Disorder(Trouble("long", _start(token), _end(token)))


def _refuse_glued(last: Token | None, token: Token) -> None:
    if last is not None and _end(last) == _start(token) and _is_wordy(last[-1:]) and _is_wordy(token[:1]):
        raise Disorder(Trouble("glued", _start(last), _end(token)))


def _is_wordy(character: str) -> bool:
    return character.isalnum() or character == "_"


def _after(last: Token | None, kind: str, value: str) -> Token:
    if last is None:
        return Token(kind, value, 0, 1, 1, 1, 1, 0)
    return Token(
        kind, value, last.end_pos, last.end_line, last.end_column, last.end_line, last.end_column, last.end_pos
    )


def _start(token: Token) -> int:
    return token.start_pos or 0


def _end(token: Token) -> int:
    return token.end_pos or 0
