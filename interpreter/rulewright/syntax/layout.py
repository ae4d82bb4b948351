"""Layout: an error-tolerant scanner of lines and words, and indentation as tokens of the grammar."""

import dataclasses
import re
from collections.abc import Iterator
from functools import cached_property

from lark import Token
from lark.lark import PostLex

from rulewright.base.frozen import dataclass
from rulewright.syntax.nodes import ParseFailure

_WORD_PATTERN = re.compile(
    r"""
    (?P<string>"[^"\n]*")
  | (?P<open_string>"[^\n]*)
  | (?P<comment>\#[^\n]*)
  | (?P<cite>@[A-Za-z0-9_.:\-]*)
  | (?P<number>\d+\.\d+(?!\.)|\d*d\d+\b|\d+(?:\#\d+(?!\w))?)
  | (?P<word>[^\W\d]\w*(?:\#\d+(?!\w))?)
  | (?P<line_end>\n)
  | (?P<blank>[^\S\n]+)
  | (?P<sign>\.\.|!=|<=|>=|<>|==|=>|=<|&&|\|\||:=|\+=|-=|\+\+|--|//|.)
    """,
    re.VERBOSE,
)
_OPENING_SIGNS, _CLOSING_SIGNS = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class ScannedWord:
    """A word, number, sign, string or cite."""

    sort: str  # `word`, `number`, `sign`, `string`, `open_string` (never closed), `cite`, or `end` where none stands
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclasses.dataclass(frozen=True)
class ScannedLine:
    """A logical line, scanned without the grammar."""

    indent: int  # columns
    words: tuple[ScannedWord, ...]  # without comments; never empty

    @property
    def start(self) -> int:
        return self.words[0].start

    @property
    def end(self) -> int:
        """End of its last word, the margin included."""
        return self.words[-1].end

    @cached_property
    def body(self) -> tuple[ScannedWord, ...]:
        """Its words without the margin."""
        count = len(self.words)
        while count and self.words[count - 1].sort == "cite":
            count -= 1
        return self.words[:count]

    @property
    def opens_block(self) -> bool:
        """Whether it ends with a colon, before the margin."""
        return bool(self.body) and self.body[-1].text == ":"

    @property
    def verb(self) -> ScannedWord:
        """First word after the id of the line, if any; of an inner procedure the word `procedure`."""
        if [word.text for word in self.words[:2]] == ["inner", "procedure"]:
            return self.words[1]
        has_id = len(self.body) > 2 and self.body[1].text == ":" and self.body[0].sort == "word"  # noqa: PLR2004
        return self.body[2] if has_id else self.words[0]


def scan_lines(content: str) -> tuple[ScannedLine, ...]:
    """Logical lines of a text.

    A line continues inside brackets and before a line that begins with `@`; an unclosed bracket ends at the first line
    that is indented no deeper than the line it began on.
    """
    lines: list[ScannedLine] = []
    for indent, words in _scan_physical_lines(content):
        if lines and _is_continuation(lines[-1], indent, words[0]):
            lines[-1] = ScannedLine(lines[-1].indent, (*lines[-1].words, *words))
        else:
            lines.append(ScannedLine(indent, words))
    return tuple(lines)


def find_open_brackets(words: tuple[ScannedWord, ...]) -> list[ScannedWord]:
    """Unclosed brackets among words, outermost first."""
    opened: list[ScannedWord] = []
    for word in words:
        if word.sort == "sign" and word.text in _OPENING_SIGNS:
            opened.append(word)
        elif word.sort == "sign" and word.text in _CLOSING_SIGNS and opened:
            opened.pop()
    return opened


def _is_continuation(line: ScannedLine, indent: int, first: ScannedWord) -> bool:
    if first.sort == "cite":
        return True
    return bool(find_open_brackets(line.words)) and (indent > line.indent or first.text in _CLOSING_SIGNS)


def _scan_physical_lines(content: str) -> Iterator[tuple[int, tuple[ScannedWord, ...]]]:
    words: list[ScannedWord] = []
    indent, fresh = 0, True
    for match_ in _WORD_PATTERN.finditer(content):
        sort, text = str(match_.lastgroup), match_.group()
        if sort == "line_end":
            if words:
                yield indent, tuple(words)
            indent, words, fresh = 0, [], True
        elif sort == "blank" and fresh:
            indent = measure_indentation(text)
            fresh = False
        elif sort not in {"blank", "comment"}:
            words.append(ScannedWord(sort, text.rstrip("\r"), match_.start()))
            fresh = False
    if words:
        yield indent, tuple(words)


MAX_NESTING = 100
"""Limit on the nesting of brackets, blocks and operators."""

TAB_COLUMNS = 2
"""Columns of a tab where one is read in spite of its diagnostic."""

MAX_DIGITS = 100
"""Limit on the digits of a number."""

_LINE_END_TERMINAL = "_NL"
_CITE_TERMINAL = "CITE"
OPENING_TERMINALS = frozenset({"LPAR", "LSQB", "LBRACE"})
CLOSING_TERMINALS = frozenset({"RPAR", "RSQB", "RBRACE"})


class LayoutError(Exception):
    """Layout that cannot be made into tokens."""

    def __init__(self, trouble: ParseFailure) -> None:
        super().__init__(trouble.sort)
        self.failure = trouble


@dataclasses.dataclass(slots=True)
class LogicalLine:
    """A logical line of a parsed text, continuation lines included."""

    tokens: list[Token] = dataclasses.field(default_factory=list)  # in order, without layout and comments

    @property
    def start(self) -> int:
        return _get_start(self.tokens[0])

    @property
    def end(self) -> int:
        return _get_end(self.tokens[-1])

    @property
    def margin_start(self) -> int:
        """Index of the first cite of its margin, or its number of tokens."""
        count = len(self.tokens)
        while count and self.tokens[count - 1].type == _CITE_TERMINAL:
            count -= 1
        return count

    @property
    def head_end(self) -> int:
        """End of its last word before a final colon and the margin."""
        body = self.tokens[: self.margin_start]
        if len(body) > 1 and body[-1].type == "COLON":
            body = body[:-1]
        return _get_end(body[-1] if body else self.tokens[-1])


class LayoutPostLex(PostLex):
    """Postlex stage of Lark that turns line ends into `_NL`, `_INDENT` and `_DEDENT`.

    Layout tokens have the place of the end of the word before them, so that no node includes blank lines and comments.
    Serves one text at a time.
    """

    always_accept = (_LINE_END_TERMINAL,)
    token_types = frozenset({_LINE_END_TERMINAL, "_INDENT", "_DEDENT", "$END"})

    def __init__(self) -> None:
        self.lines: list[LogicalLine] = []

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Token stream with layout tokens, without line ends inside brackets.

        Raises:
            LayoutError: misaligned indentation, words without a space between, a number too long, or nesting too deep.
        """
        self.lines = []
        line = LogicalLine()
        levels = [0]
        depth = 0
        last: Token | None = None
        for token in stream:
            if token.type == _LINE_END_TERMINAL:
                if depth:
                    continue
                if line.tokens:
                    self.lines.append(line)
                    line = LogicalLine()
                yield from _make_line_end_tokens(token, last, levels)
                continue
            depth += (token.type in OPENING_TERMINALS) - (token.type in CLOSING_TERMINALS)
            _refuse_deep_nesting(depth, token)
            if (
                last is not None
                and _get_end(last) == _get_start(token)
                and _is_word_character(last[-1:])
                and _is_word_character(token[:1])
            ):
                raise LayoutError(ParseFailure("glued", _get_start(last), _get_end(token)))
            if len(token) > MAX_DIGITS and token.type in {"INT", "DECIMAL", "DICE", "OR_MORE"}:
                raise LayoutError(ParseFailure("long", _get_start(token), _get_end(token)))
            line.tokens.append(token)
            last = token
            yield token
        while len(levels) > 1:
            levels.pop()
            yield _make_token_after(last, "_DEDENT", "")


def measure_indentation(blanks: str) -> int:
    """Columns of the blanks at the start of a line."""
    return len(blanks.expandtabs(TAB_COLUMNS))


def _make_line_end_tokens(token: Token, last: Token | None, levels: list[int]) -> Iterator[Token]:
    yield _make_token_after(last, _LINE_END_TERMINAL, str(token))
    blanks = token.rpartition("\n")[2]
    if "#" in blanks:
        return
    indent = measure_indentation(blanks)
    if indent > levels[-1]:
        levels.append(indent)
        _refuse_deep_nesting(len(levels) - 1, token)
        yield _make_token_after(last, "_INDENT", "")
    while indent < levels[-1]:
        levels.pop()
        yield _make_token_after(last, "_DEDENT", "")
    if indent != levels[-1]:
        raise LayoutError(ParseFailure("misaligned", _get_end(token), _get_end(token)))


def _refuse_deep_nesting(depth: int, token: Token) -> None:
    if depth > MAX_NESTING:
        raise LayoutError(ParseFailure("deep", _get_start(token), _get_end(token)))


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"


def _make_token_after(last: Token | None, kind: str, value: str) -> Token:
    if last is None:
        return Token(kind, value, 0, 1, 1, 1, 1, 0)
    return Token(
        kind, value, last.end_pos, last.end_line, last.end_column, last.end_line, last.end_column, last.end_pos
    )


def _get_start(token: Token) -> int:
    return token.start_pos or 0


def _get_end(token: Token) -> int:
    return token.end_pos or 0
