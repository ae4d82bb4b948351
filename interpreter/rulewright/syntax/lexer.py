"""Cuts a text into tokens by what the grammar takes at each place: a word of the language is a name elsewhere."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from lark import Token
from lark.common import LexerConf
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lexer import Lexer, LexerState, PatternStr, TerminalDef


class Place:
    """What the grammar takes at a place: shapes, such as a number, and literals, words and signs that are themselves.

    A literal that has a shape, as a word has the shape of a name, is that literal.
    """

    def __init__(self, terminals: Sequence[TerminalDef], taken: Container[str], literal: re.Pattern[str]) -> None:
        fitting = [each for each in terminals if each.name in taken]
        self._literals = {each.pattern.value: each.name for each in fitting if isinstance(each.pattern, PatternStr)}
        self._shapes = [
            (each.name, re.compile(each.pattern.to_regexp()))
            for each in fitting
            if not isinstance(each.pattern, PatternStr)
        ]
        self._literal = literal

    def token(self, text: str, at: int) -> Token | None:
        """The token that begins at an offset, if one fits."""
        for name, pattern in self._shapes:
            if found := pattern.match(text, at):
                written = found.group()
                return Token(self._literals.get(written, name), written, at, end_pos=found.end())
        found = self._literal.match(text, at)
        if found and found.group() in self._literals:
            return Token(self._literals[found.group()], found.group(), at, end_pos=found.end())
        return None


class PlaceLexer(Lexer):
    """Tries the few patterns of a place one after another.

    Lark's contextual lexer compiles one large pattern for every set of terminals that fit together. This grammar has
    hundreds of such sets, and a text is read before they are compiled. Tokens have offsets, but no lines and columns.
    """

    __future_interface__ = 2

    def __init__(self, conf: LexerConf) -> None:
        ignored = {each.name: each.pattern.to_regexp() for each in conf.terminals if each.name in conf.ignore}
        self._terminals = sorted((each for each in conf.terminals if each.name not in ignored), key=_precedence)
        self._always = conf.postlex.always_accept if conf.postlex else ()
        self._blank = re.compile("|".join(ignored.values()))
        self._literal = re.compile("|".join([r"\w+", *_signs(conf.terminals)]))
        self._places: dict[object, Place] = {}

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:  # noqa: ANN401 - Lark's is not typed
        """The tokens of a text, without blanks and comments.

        Raises:
            UnexpectedToken: what stands there fits elsewhere in the grammar.
            UnexpectedCharacters: it fits nowhere.
        """
        text = lexer_state.text.text
        states = parser_state.parse_conf.states
        at = 0
        while at < len(text):
            if blank := self._blank.match(text, at):
                at = blank.end()
                continue
            position = parser_state.position
            if position not in self._places:
                self._places[position] = self._place({*states[position], *self._always})
            token = self._places[position].token(text, at)
            if token is None:
                raise self._misfit(text, at, parser_state)
            yield token
            at += len(token)

    def _place(self, taken: Container[str]) -> Place:
        return Place(self._terminals, taken, self._literal)

    def _misfit(self, text: str, at: int, parser_state: Any) -> UnexpectedToken | UnexpectedCharacters:  # noqa: ANN401
        token = self._place({each.name for each in self._terminals}).token(text, at)
        if token is None:
            return UnexpectedCharacters(text, at, 0, 0, state=parser_state)  # type: ignore[no-untyped-call]
        return UnexpectedToken(token, set(), state=parser_state)  # type: ignore[no-untyped-call]


def _precedence(terminal: TerminalDef) -> tuple[int, int, int, str]:
    """Priority first, then what can be longer."""
    return -terminal.priority, -terminal.pattern.max_width, -len(terminal.pattern.value), terminal.name


def _signs(terminals: Iterable[TerminalDef]) -> list[str]:
    """The literals that are no words, as patterns, the longest first."""
    literals = (each.pattern.value for each in terminals if isinstance(each.pattern, PatternStr))
    return [re.escape(each) for each in sorted(literals, key=len, reverse=True) if not each.isalpha()]
