"""Parsing engine: LALR(1) by Lark with a contextual lexer of its own; its tables are cached between runs.

The lexer tries only the terminals that the parser accepts in its state. A word of the language is a name where the
state accepts a name and the token after it fits the name only.
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

from rulewright.base.disk_cache import CacheBucket, make_cache_key
from rulewright.base.files import get_resource_folder
from rulewright.syntax.layout import LayoutError, LayoutPostLex, LogicalLine
from rulewright.syntax.nodes import ParseFailure
from rulewright.syntax.words import RESERVED_WORDS

_NAME_TERMINAL = "NAME"


class TerminalMatcher:
    """Matcher of a set of terminals: patterns, such as a number, and literals (words and signs).

    A literal that a pattern matches too, as a word matches that of a name, is the literal.
    """

    def __init__(self, terminals: Sequence[TerminalDef], accepted: Container[str], literal: re.Pattern[str]) -> None:
        fitting = [terminal for terminal in terminals if terminal.name in accepted]
        self._terminals_by_literal = {
            terminal_def.pattern.value: terminal_def.name
            for terminal_def in fitting
            if isinstance(terminal_def.pattern, PatternStr)
        }
        self._shapes = [
            (terminal_def.name, re.compile(terminal_def.pattern.to_regexp()))
            for terminal_def in fitting
            if not isinstance(terminal_def.pattern, PatternStr)
        ]
        self._literal = literal

    def match_token(self, text: str, at: int) -> Token | None:
        """The token at an offset, if a terminal of the set matches."""
        for name, pattern in self._shapes:
            if result := pattern.match(text, at):
                written = result.group()
                return Token(self._terminals_by_literal.get(written, name), written, at, end_pos=result.end())
        result = self._literal.match(text, at)
        if result and result.group() in self._terminals_by_literal:
            return Token(self._terminals_by_literal[result.group()], result.group(), at, end_pos=result.end())
        return None


class LazyContextualLexer(Lexer):
    """Contextual lexer that tries the few patterns of a parser state one after another.

    Lark's contextual lexer compiles one large pattern for every set of terminals of a state. This grammar has hundreds
    of such sets, and most texts are read before they are compiled. Tokens have offsets, but no lines and columns.
    """

    __future_interface__ = 2

    def __init__(self, conf: LexerConf) -> None:
        ignored = {
            terminal.name: terminal.pattern.to_regexp() for terminal in conf.terminals if terminal.name in conf.ignore
        }
        self._terminals = sorted(
            (terminal for terminal in conf.terminals if terminal.name not in ignored), key=_get_precedence
        )
        self._always_accepted = conf.postlex.always_accept if conf.postlex else ()
        self._blank = re.compile("|".join(ignored.values()))
        literals = (terminal.pattern.value for terminal in conf.terminals if isinstance(terminal.pattern, PatternStr))
        signs = sorted((literal for literal in literals if not literal.isalpha()), key=len, reverse=True)
        self._literal = re.compile("|".join([r"\w+", *map(re.escape, signs)]))
        self._matchers: dict[object, TerminalMatcher] = {}
        self._follower_matchers: dict[object, TerminalMatcher] = {}

    def lex(self, lexer_state: LexerState, parser_state: Any) -> Iterator[Token]:
        """Tokens of a text, without blanks and comments.

        Raises:
            UnexpectedToken: a token that the state does not accept.
            UnexpectedCharacters: no terminal of the grammar matches.
        """
        text = lexer_state.text.text
        states = parser_state.parse_conf.states
        at = 0
        while at < len(text):
            if blank := self._blank.match(text, at):
                at = blank.end()
                continue
            position = parser_state.position
            if position not in self._matchers:
                self._matchers[position] = self._make_matcher({*states[position], *self._always_accepted})
            token = self._matchers[position].match_token(text, at)
            if token is None:
                raise self._make_lex_error(text, at, parser_state)
            if (
                token.type != _NAME_TERMINAL
                and _NAME_TERMINAL in states[position]
                and self._is_name_here(token, text, parser_state)
            ):
                token = Token(_NAME_TERMINAL, str(token), at, end_pos=token.end_pos)
            yield token
            at += len(token)

    def _is_name_here(self, word: Token, text: str, parser_state: Any) -> bool:
        """Whether the next token can follow the word as a name, but not as a keyword (a second token of lookahead)."""
        if not word.isidentifier() or word in RESERVED_WORDS:
            return False
        states, stack, end = parser_state.parse_conf.states, parser_state.state_stack, word.end_pos or 0
        after = [_find_state_after(states, stack, terminal) for terminal in (word.type, _NAME_TERMINAL)]
        as_a_word, as_a_name = (state is not None and self._can_continue(state, states, text, end) for state in after)
        return as_a_name and not as_a_word

    def _can_continue(self, state: Any, states: Mapping[Any, Any], text: str, at: int) -> bool:
        while blank := self._blank.match(text, at):
            at = blank.end()
        if state not in self._follower_matchers:
            self._follower_matchers[state] = self._make_matcher(states[state])
        return self._follower_matchers[state].match_token(text, at) is not None

    def _make_matcher(self, accepted: Container[str]) -> TerminalMatcher:
        return TerminalMatcher(self._terminals, accepted, self._literal)

    def _make_lex_error(self, text: str, at: int, parser_state: Any) -> UnexpectedToken | UnexpectedCharacters:
        token = self._make_matcher({terminal.name for terminal in self._terminals}).match_token(text, at)
        if token is None:
            return UnexpectedCharacters(text, at, 0, 0, state=parser_state)  # type: ignore[no-untyped-call]
        return UnexpectedToken(token, set(), state=parser_state)  # type: ignore[no-untyped-call]


def _find_state_after(states: Mapping[Any, Any], stack: Sequence[Any], terminal: str) -> Any:
    """The LALR state after shifting a terminal, all due reductions included; none where the terminal is an error."""
    reduced = list(stack)
    while True:
        kind, to = states[reduced[-1]].get(terminal, (None, None))
        if kind is not Reduce:
            return to
        if to.expansion:
            del reduced[-len(to.expansion) :]
        reduced.append(states[reduced[-1]][to.origin.name][1])


def _get_precedence(terminal: TerminalDef) -> tuple[int, int, int, str]:
    """Sort key: higher priority first, then wider patterns."""
    return -terminal.priority, -terminal.pattern.max_width, -len(terminal.pattern.value), terminal.name


_TABLE_CACHE = CacheBucket("tables", max_entries=4, max_bytes=16_000_000)
_LARK_OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": LazyContextualLexer,
    "propagate_positions": True,
    "maybe_placeholders": True,
}


def load_parser() -> Lark:
    """The Lark parser with `LayoutPostLex`, from cached tables if they fit grammar, Lark and Python.

    Damaged or missing tables are rebuilt; where nothing can be cached, in every run.
    """
    grammar = _read_grammar()
    key = _make_table_key(grammar)
    parser = _load_cached_parser(key)
    if parser is None:
        parser, tables = Lark(grammar, postlex=LayoutPostLex(), **_LARK_OPTIONS), BytesIO()
        parser.save(tables)
        _TABLE_CACHE.store_bytes(key, tables.getvalue())
    return parser


def export_tables() -> bytes:
    """The tables of the parser, for an installation that cannot keep them; `import_tables` takes them."""
    tables = BytesIO()
    load_parser().save(tables)
    return tables.getvalue()


def import_tables(content: bytes) -> None:
    """Keeps tables that the same version of rulewright exported, so that they need not be built."""
    _TABLE_CACHE.store_bytes(_make_table_key(_read_grammar()), content)


def _read_grammar() -> str:
    return (get_resource_folder("grammar") / "rules.lark").read_text(encoding="utf-8")


def _make_table_key(grammar: str) -> str:
    return make_cache_key(grammar, str(_LARK_OPTIONS), __version__, sys.version)


def _load_cached_parser(key: str) -> Lark | None:
    tables = _TABLE_CACHE.load_bytes(key)
    try:
        return None if tables is None else Lark.load(BytesIO(tables))
    except Exception:  # noqa: BLE001 - what are no tables raises anything
        return None


@dataclass(frozen=True)
class ParseTree:
    """Parse tree of a text, with its logical lines."""

    tree: Tree[Token]
    lines: tuple[LogicalLine, ...]  # in order


class ParsingEngine:
    """Parser of the grammar of the language and its layout."""

    def __init__(self) -> None:
        self._lark = load_parser()

    @property
    def terminals(self) -> Mapping[str, str]:
        """Pattern of each terminal by name; a literal is its own pattern."""
        return {terminal.name: terminal.pattern.value for terminal in self._lark.terminals}

    def parse_tree(self, content: str) -> ParseTree | ParseFailure:
        """Parse tree of a text that ends with a line end, or the first error."""
        try:
            tree = self._lark.parse(content)
        except UnexpectedInput as error:
            return _make_failure(error, content)
        except LayoutError as error:
            return error.failure
        layout = self._lark.options.postlex
        assert isinstance(layout, LayoutPostLex)
        return ParseTree(tree, tuple(layout.lines))


@cache
def get_engine() -> ParsingEngine:
    """The engine of this process."""
    return ParsingEngine()


def _make_failure(error: UnexpectedInput, content: str) -> ParseFailure:
    parser = error.interactive_parser
    accepted = frozenset(parser.accepts()) if parser else frozenset[str]()  # type: ignore[no-untyped-call]
    match error:
        case UnexpectedToken(token=Token() as token):
            layout = token.type if token.type in LayoutPostLex.token_types else ""
            return ParseFailure("unexpected", token.start_pos or 0, token.end_pos or 0, layout, accepted)
        case UnexpectedCharacters():
            start = error.pos_in_stream or 0
            return ParseFailure("unexpected", start, start + 1, "", accepted)
        case _:
            return ParseFailure("unexpected", len(content), len(content), "", accepted)
