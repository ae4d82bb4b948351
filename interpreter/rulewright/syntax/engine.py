"""The parsing engine: from a text to its tree, or to the first thing that is off; its tables are kept between runs.

A text is cut by what the grammar takes at each place: a word of the language is a name elsewhere, and where what
follows cannot follow the word.
"""

import re
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput, __version__
from lark.common import LexerConf
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.lexer import Lexer, LexerState, PatternStr, TerminalDef
from lark.parsers.lalr_analysis import Reduce

from rulewright.keeping import Shelf, key_of
from rulewright.resources import folder
from rulewright.syntax.layout import Disorder, Layout, Line
from rulewright.syntax.parsed import Trouble
from rulewright.syntax.words import RESERVED

_NAME = "NAME"


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
        literals = (each.pattern.value for each in conf.terminals if isinstance(each.pattern, PatternStr))
        signs = sorted((each for each in literals if not each.isalpha()), key=len, reverse=True)
        self._literal = re.compile("|".join([r"\w+", *map(re.escape, signs)]))
        self._places: dict[object, Place] = {}
        self._followers: dict[object, Place] = {}

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:  # Lark's is not typed
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
            if token.type != _NAME and _NAME in states[position] and self._is_a_name(token, text, parser_state):
                token = Token(_NAME, str(token), at, end_pos=token.end_pos)
            yield token
            at += len(token)

    def _is_a_name(self, word: Token, text: str, parser_state: Any) -> bool:
        """Whether a word of the language can only be a name here: as one it fits, and with what follows it does not."""
        if not word.isidentifier() or word in RESERVED:
            return False
        states, stack, end = parser_state.parse_conf.states, parser_state.state_stack, word.end_pos or 0
        after = [_after(states, stack, terminal) for terminal in (word.type, _NAME)]
        as_a_word, as_a_name = (state is not None and self._goes_on(state, states, text, end) for state in after)
        return as_a_name and not as_a_word

    def _goes_on(self, state: Any, states: Mapping[Any, Any], text: str, at: int) -> bool:
        """Whether what stands at an offset, after blanks, fits a state of the parser."""
        while blank := self._blank.match(text, at):
            at = blank.end()
        if state not in self._followers:
            self._followers[state] = self._place(states[state])
        return self._followers[state].token(text, at) is not None

    def _place(self, taken: Container[str]) -> Place:
        return Place(self._terminals, taken, self._literal)

    def _misfit(self, text: str, at: int, parser_state: Any) -> UnexpectedToken | UnexpectedCharacters:
        token = self._place({each.name for each in self._terminals}).token(text, at)
        if token is None:
            return UnexpectedCharacters(text, at, 0, 0, state=parser_state)  # type: ignore[no-untyped-call]
        return UnexpectedToken(token, set(), state=parser_state)  # type: ignore[no-untyped-call]


def _after(states: Mapping[Any, Any], stack: Sequence[Any], terminal: str) -> Any:
    """The state after a terminal, once all rules that it ends are reduced; none where it does not fit."""
    reduced = list(stack)
    while True:
        kind, to = states[reduced[-1]].get(terminal, (None, None))
        if kind is not Reduce:
            return to
        if to.expansion:
            del reduced[-len(to.expansion) :]
        reduced.append(states[reduced[-1]][to.origin.name][1])


def _precedence(terminal: TerminalDef) -> tuple[int, int, int, str]:
    """A sort key: higher priority first, then what can be longer."""
    return -terminal.priority, -terminal.pattern.max_width, -len(terminal.pattern.value), terminal.name


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
    made = _kept(key)
    if made is None:
        made, tables = Lark(grammar, postlex=Layout(), **_OPTIONS), BytesIO()
        made.save(tables)
        _SHELF.keep(key, tables.getvalue())
    return made


def _kept(key: str) -> Lark | None:
    tables = _SHELF.kept(key)
    try:
        return None if tables is None else Lark.load(BytesIO(tables))
    except Exception:  # noqa: BLE001 - what are no tables raises anything
        return None


@dataclass(frozen=True)
class Reading:
    """A text that follows the grammar."""

    tree: Tree[Token]
    lines: tuple[Line, ...]  # its logical lines in order


class Engine:
    """Reads texts with the grammar of the language and its layout."""

    def __init__(self) -> None:
        self._lark = parser()

    @property
    def terminals(self) -> Mapping[str, str]:
        """What each terminal is written as: itself, or the pattern of a shape."""
        return {each.name: each.pattern.value for each in self._lark.terminals}

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
    parser = error.interactive_parser
    accepted = frozenset(parser.accepts()) if parser else frozenset[str]()  # type: ignore[no-untyped-call]
    match error:
        case UnexpectedToken(token=Token() as token):
            layout = token.type if token.type in Layout.kinds else ""
            return Trouble("unexpected", token.start_pos or 0, token.end_pos or 0, layout, accepted)
        case UnexpectedCharacters():
            start = error.pos_in_stream or 0
            return Trouble("unexpected", start, start + 1, "", accepted)
        case _:
            return Trouble("unexpected", len(content), len(content), "", accepted)
