"""Layout: indentation becomes tokens, and every line keeps its own."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lark import Token
from lark.lark import PostLex

_LINE_END = "_NL"
_MARGIN = "CITE"
_OPENING = frozenset({"LPAR", "LSQB", "LBRACE"})
_CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})


class Misaligned(Exception):  # noqa: N818 - names what is wrong with the line
    """A line stands at an indentation that no open block has.

    Attributes:
        offset: where the line begins.
    """

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class Glued(Exception):  # noqa: N818 - names what is wrong with the words
    """Two words stand together without a space, as in `elseif`.

    Attributes:
        start: where the first word begins.
        between: where the second begins.
        end: where it ends.
    """

    def __init__(self, start: int, between: int, end: int) -> None:
        super().__init__(start, between, end)
        self.start = start
        self.between = between
        self.end = end


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

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The stream with `_INDENT` and `_DEDENT`, and without the line ends inside brackets.

        Raises:
            Misaligned: a line closes a block halfway.
            Glued: two words without a space.
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
            _refuse_glued(last, token)
            line.tokens.append(token)
            last = token
            yield token
        while len(levels) > 1:
            levels.pop()
            yield _after(last, "_DEDENT", "")


def _line_end(token: Token, last: Token | None, levels: list[int]) -> Iterator[Token]:
    """The line end, moved to the last word, and the change of indentation it brings."""
    yield _after(last, _LINE_END, str(token))
    indent = _indentation(token)
    if indent is None:
        return
    if indent > levels[-1]:
        levels.append(indent)
        yield _after(last, "_INDENT", "")
    while indent < levels[-1]:
        levels.pop()
        yield _after(last, "_DEDENT", "")
    if indent != levels[-1]:
        raise Misaligned(_end(token))


def _indentation(token: Token) -> int | None:
    """The indentation of the line after a line end; none where the text ends or a comment does not tell."""
    text = token.rpartition("\n")[2]
    return None if "#" in text else len(text)


def _refuse_glued(last: Token | None, token: Token) -> None:
    if last is None or _end(last) != _start(token):
        return
    if (last[-1:].isalnum() or last[-1:] == "_") and (token[:1].isalnum() or token[:1] == "_"):
        raise Glued(_start(last), _start(token), _end(token))


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
