"""Project files (`rulewright.toml`): reader, schema, positions in the TOML text, and completion context."""

import errno
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import isfinite
from typing import Any

from rulewright.base.bounded_files import (
    PROJECT_FILE_NAME,
    ProjectFileError,
    is_below_folder,
    read_regular_file,
    resolve_links,
)
from rulewright.base.diagnostics import Diagnostic, Label, Severity
from rulewright.base.diagnostics.pages import find_page, list_page_files
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents import document_nodes
from rulewright.documents.document_shapes import DocumentShape, ErrorCodes
from rulewright.documents.findings import Findings, ReadResult, join_alternatives
from rulewright.runtime.codec_protocols import Schema, closed_object, schema_header, with_message_words

PathStep = str | int
TomlPath = tuple[PathStep, ...]

_BLANK_PATTERN = re.compile(r"[ \t\r]+")
_QUOTED_PATTERN = re.compile(
    r'"""(?:[^\\]|\\.)*?(?:"""|\Z)|' + r"'''.*?(?:'''|\Z)" + r'|"(?:[^"\\\n]|\\.)*"?' + r"|'[^'\n]*'?", re.DOTALL
)
_KEY_PATTERN = re.compile(r"[^\s.=\[\]{},#\"']+")
_VALUE_PATTERN = re.compile(r"[^\s,\[\]{}#\"']+")
_ENTRY_PATTERN = re.compile(r"[ \t]*(?:\[{1,2}[^\[\]\n,]+\]{1,2}[ \t\r]*(?:#.*)?$|[\w.\-\"']+[ \t]*=)", re.MULTILINE)
"""Start of an entry or header line; it ends an unclosed list above it."""


@dataclass(frozen=True, slots=True)
class TomlCursor:
    """Syntactic context at an offset of a TOML text, for completion."""

    path: TomlPath  # keys from the root
    is_key: bool  # a key is expected
    is_value: bool  # a value is expected
    start: int  # offset of the unfinished word
    is_in_text: bool  # inside a comment, or a text that is no value
    in_head: bool = False  # inside `[…]` of a header
    quote: str = ""  # opening quote of the word


@dataclass(frozen=True, slots=True)
class TomlPlaces:
    """Spans of keys and values by their paths."""

    keys: Mapping[TomlPath, Span]
    values: Mapping[TomlPath, Span]


def scan_toml(text: Text) -> TomlPlaces:
    """Spans of everything in a text that can be located; quotes are included. Never fails."""
    scan = _TomlScanner(text)
    scan.scan_to(len(text.content))
    return TomlPlaces(scan.keys, scan.values)


def find_toml_cursor(content: str, offset: int) -> TomlCursor:
    """What stands at an offset of a project file: its table, and the key or value being written."""
    scan = _TomlScanner(Text("", content[:offset]))
    scan.scan_to(offset)
    return scan.cursor_at_end()


class _TomlScanner:
    """Error-tolerant scanner for positions; the values themselves come from `tomllib`."""

    def __init__(self, text: Text) -> None:
        self._name, self._content = text.name, text.content
        self.keys: dict[TomlPath, Span] = {}
        self.values: dict[TomlPath, Span] = {}
        self._table: TomlPath = ()
        self._key_parts: list[tuple[str, Span]] = []  # of the unfinished key
        self._open_brackets: list[tuple[str, TomlPath, int]] = []  # bracket, path and offset of each
        self._path: TomlPath = ()  # of the expected value
        self._expected = "key"  # `key`, `head`, `value` or `nothing`
        self._last_word = (0, 0, "")  # of the last word: span and quote
        self._comment_start = -1

    def scan_to(self, end: int) -> None:
        at = 0
        while at < end:
            at = self._scan_token(at)

    def _scan_token(self, at: int) -> int:
        sign = self._content[at]
        if sign == "\n":
            self._begin_line(at + 1)
            return at + 1
        blank = _BLANK_PATTERN.match(self._content, at)
        if blank is not None:
            return blank.end()
        if sign == "#":
            line = self._content.find("\n", at)
            self._comment_start = at
            return line if line >= 0 else len(self._content)
        word = _QUOTED_PATTERN.match(self._content, at)
        word = word or (_VALUE_PATTERN if self._expected == "value" else _KEY_PATTERN).match(self._content, at)
        if word is not None:
            self._take_word(word[0], at, word.end())
            return word.end()
        self._take_sign(sign, at)
        return at + 1

    def _begin_line(self, at: int) -> None:
        self._comment_start = -1
        if not self._open_brackets or _ENTRY_PATTERN.match(self._content, at):
            self._open_brackets, self._key_parts, self._path, self._expected = [], [], self._table, "key"

    def _take_word(self, written: str, start: int, end: int) -> None:
        quote = written[:1] if written[:1] in {'"', "'"} else ""
        self._last_word = (start, end, quote)
        if self._expected == "value":
            self.values[self._path] = Span(self._name, start, end)
            self._expected = "nothing"
        elif self._expected in {"key", "head"}:
            plain = written.strip(quote) if quote else written
            self._key_parts.append((plain, Span(self._name, start, end)))

    def _take_sign(self, sign: str, at: int) -> None:
        match sign:
            case "[" if self._expected == "key" and not self._open_brackets and not self._key_parts:
                self._expected, self._table = "head", ()
            case "]" if self._expected == "head":
                self._table = self._finish_key(())
                self._expected = "nothing"
            case "=" if self._expected == "key" and self._key_parts:
                self._path = self._finish_key(self._enclosing_path())
                self._expected = "value"
            case "[" | "{" if self._expected == "value":
                self._open_brackets.append((sign, self._path, at))
                self._path = (*self._path, 0) if sign == "[" else self._path
                self._expected = "value" if sign == "[" else "key"
            case "]" | "}" if self._open_brackets:
                _, self._path, start = self._open_brackets.pop()
                self.values[self._path] = Span(self._name, start, at + 1)
                self._expected, self._key_parts = "nothing", []
            case "," if self._open_brackets:
                self._begin_next_member()
            case _:
                pass

    def _begin_next_member(self) -> None:
        sign, around, _ = self._open_brackets[-1]
        if sign == "{":
            self._path, self._expected, self._key_parts = around, "key", []
        else:
            last = self._path[-1] if len(self._path) > len(around) else 0
            self._path, self._expected = (*around, int(last) + 1 if isinstance(last, int) else 0), "value"

    def _enclosing_path(self) -> TomlPath:
        return self._open_brackets[-1][1] if self._open_brackets else self._table

    def _finish_key(self, above: TomlPath) -> TomlPath:
        for part, span in self._key_parts:
            above = (*above, part)
            self.keys.setdefault(above, span)
        self._key_parts = []
        return above

    def cursor_at_end(self) -> TomlCursor:
        end, (start, last, quote) = len(self._content), self._last_word
        wants = self._expected
        is_in_word = last == end > start
        if is_in_word and wants == "nothing":
            wants = "value"
        open_quote = bool(is_in_word and quote and (last - start == 1 or self._content[last - 1] != quote))
        closed = bool(is_in_word and quote) and not open_quote
        path = self._path if wants == "value" else () if wants == "head" else self._enclosing_path()
        parts = self._key_parts[:-1] if is_in_word and wants in {"key", "head"} else self._key_parts
        path = (*path, *(part for part, _ in parts)) if wants in {"key", "head"} else path
        words = self._comment_start >= 0 or closed
        known = (wants == "value", wants in {"key", "head"})
        at = start if is_in_word else end
        return TomlCursor(path, known[1], known[0], at, words, wants == "head", quote if open_quote else "")


_MAX_FILE_BYTES = 100_000
_FINDING_WEIGHTS = ("off", "hint", "warning", "error")

COVERAGE_SORTS = (
    "steps", "lines", "edges", "conditions", "atoms", "rows", "modifiers", "options", "answers", "handlers", "rules",
    "settings", "clauses",
)  # fmt: skip
"""Sorts of coverage that may have a floor."""

REVIEW_CHECKS = ("check", "fmt", "test", "cover", "mutate", "changed", "unknown")
"""Checks that may fail a review of a change (`.github/actions/review`): a verb, changed play, no verdict."""
_TOML_REMEDIES = (
    ("Expected '='", 'write `=` and a value behind the key, such as `rulesets = ["skirmish"]`'),
    ("Invalid value", 'a value is a number, `true`, `false`, a list in `[ ]`, or a text in quotes: `"off"`'),
    ("Unterminated|Illegal character '\\\\n'", 'end the text with `"`'),
    ("Unclosed array", "write `,` between the members of the list, and `]` behind them"),
    ("Unclosed inline|for a key part", "write `,` between the entries, and `}` behind them"),
    ("Expected ']'", "end the heading with `]`"),
    ("Expected newline", "begin a line for each entry"),
    ("overwrite|twice|redefine", "write each key and each heading once"),
)
"""Remedy by message of `tomllib`."""


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """Settings of a project, from its `rulewright.toml`."""

    folder: str  # of the file
    rulesets: tuple[str, ...]  # default arguments of commands, relative to `folder`
    shared_folders: tuple[
        str, ...
    ]  # real paths of folders outside the project whose rules and clause lists may be used
    weights: Mapping[str, str]  # by code: `off`, `hint`, `warning` or `error`
    published_readings: Mapping[str, Mapping[str, str]]  # published reading by ruleset and setting, as rules write it
    coverage_floors: Mapping[str, float]  # percent by sort or `all`
    mutation_floor: float | None  # percent of mutants that scenarios notice
    text: Text

    def find_reading(self, *names: str) -> Span | None:
        """Span of a ruleset of which readings are published, or of one of its settings."""
        return scan_toml(self.text).keys.get(("readings", *names))


def _weight_schema(code: str) -> Schema:
    says = "a finding weighs `off`, `hint`, `warning` or `error`"
    return with_message_words({"enum": list(_FINDING_WEIGHTS)}, says=says, help=f'write `{code} = "off"`')


def project_schema() -> Schema:
    """JSON Schema of project files; whether folders exist is checked elsewhere."""
    folders = with_message_words(
        {"type": "array", "items": {"type": "string", "not": {"pattern": "\0"}}},
        whole=True,
        says="`allow` is a list of folders",
        help='write `allow = ["../base"]`',
    )
    findings = with_message_words(
        closed_object({page_file: _weight_schema(page_file) for page_file in list_page_files()}),
        unknown="there is no message {key}",
        otherwise="write the code of a message, as `check` prints it",
        says="`findings` says by code what each weighs",
        help='write `[findings]`, and below it `RW0560 = "off"`',
    )
    rulesets = with_message_words(
        {"type": "array", "items": {"type": "string", "minLength": 1, "not": {"pattern": "\0"}}},
        whole=True,
        says="`rulesets` is a list of files and folders",
        help='write `rulesets = ["skirmish"]`',
    )
    settings = with_message_words(
        {"type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]}},
        whole=True,
        says="`readings` says by ruleset and setting what is published",
        help='write `[readings.skirmish]`, and below it `ties_go_to = "defender"`',
    )
    readings = with_message_words(
        {"type": "object", "additionalProperties": settings},
        says="`readings` says by ruleset and setting what is published",
        help='write `[readings.skirmish]`, and below it `ties_go_to = "defender"`',
    )
    percent = with_message_words(
        {"type": "number", "minimum": 0, "maximum": 100}, says="a floor is a number from 0 to 100"
    )
    covered = with_message_words(
        closed_object(dict.fromkeys(("all", *COVERAGE_SORTS), percent)),
        unknown="there is no floor of coverage for {key}",
        otherwise=f"the sorts are {join_alternatives(['all', *COVERAGE_SORTS])}",
        says="`coverage` says by sort how much of it is reached, in percent",
        help="write `coverage = {all = 80, steps = 100}`",
    )
    floors = with_message_words(
        closed_object(
            {
                "coverage": covered | {"description": "how much of each sort of rule scenarios must reach"},
                "mutation": percent | {"description": "how many of the changes made to rules scenarios must notice"},
            }
        ),
        unknown="there is no floor {key}",
        otherwise="the floors are `coverage` and `mutation`",
        says="`floors` says how much the scenarios must reach and notice",
        help="write `[floors]`, and below it `mutation = 75`",
    )
    fails = with_message_words(
        {"type": "array", "items": {"enum": list(REVIEW_CHECKS)}},
        whole=True,
        says=f"`fails` is a list of {join_alternatives(REVIEW_CHECKS)}",
        help='write `fails = ["check", "test"]`',
    )
    review = with_message_words(
        closed_object(
            {"fails": fails | {"description": "what of the work of commands, or of their findings, fails it"}}
        ),
        unknown="a review has no {key}",
        otherwise="its key is `fails`",
        says="`review` says what fails the review of a change",
        help='write `[review]`, and below it `fails = ["check", "test"]`',
    )
    keys = closed_object(
        {
            "rulesets": rulesets | {"description": "what commands take where no PATH is named, from this folder"},
            "allow": folders | {"description": "folders whose rules and clause lists may be used too"},
            "findings": findings | {"description": "what each warning or hint of `check` weighs, by code"},
            "readings": readings | {"description": "the readings that are published, by ruleset and setting"},
            "floors": floors | {"description": "how much scenarios must reach and notice, in percent"},
            "review": review | {"description": "what fails the review of a change"},
        }
    )
    whole = with_message_words(
        keys,
        unknown="a project file has no {key}",
        otherwise="its keys are `rulesets`, `allow`, `findings`, `readings`, `floors` and `review`",
    )
    return {**schema_header("project", "A project file"), **whole}


@cache
def _project_shape() -> DocumentShape:
    return DocumentShape(project_schema(), ErrorCodes("RW0018", "RW0018", "RW0018", "RW0018"))


@dataclass(frozen=True, slots=True)
class _TomlNodes:
    """Converter from TOML values to nodes with spans."""

    places: TomlPlaces
    text: Text

    def make_node(self, value: object, path: TomlPath) -> document_nodes.DocumentNode:
        """Node of a value; types that no project file uses become `None`."""
        span = self.value_span(path)
        match value:
            case list():
                return document_nodes.ListNode(
                    tuple(self.make_node(item, (*path, at)) for at, item in enumerate(value)), span, ""
                )
            case dict():
                keys = ((document_nodes.MapKey(key, self.key_span((*path, key)), ""), (*path, key)) for key in value)
                return document_nodes.MapNode(
                    tuple((key, self.make_node(value[key.text], below)) for key, below in keys), span, ""
                )
            case str():
                return document_nodes.ScalarNode(value, value, span, "")
            case int():
                return document_nodes.ScalarNode(value, str(value), span, "")
            case float() if isfinite(value):
                return document_nodes.ScalarNode(Fraction(value), str(value), span, "")
            case _:
                return document_nodes.ScalarNode(None, "", span, "")

    def key_span(self, path: TomlPath) -> Span:
        """Span of a key, else of the nearest parent."""
        return self.places.keys.get(path) or (self.key_span(path[:-1]) if path else Span(self.text.name, 0, 0))

    def value_span(self, path: TomlPath) -> Span:
        """Span of a value; of a table that of its key."""
        return self.places.values.get(path) or self.key_span(path)

    def unquoted_span(self, path: TomlPath) -> Span:
        span = self.value_span(path)
        return Span(span.source, span.start + 1, span.end - 1)


def load_project_file(top: str) -> ProjectSettings:
    """Settings of the project file of a folder.

    Raises:
        ProjectError: RW0018, the file is unreadable or invalid.
    """
    place = os.path.join(top, PROJECT_FILE_NAME)  # noqa: PTH118
    name = os.path.relpath(place) if is_below_folder(top, resolve_links(".")) else place
    text = Text(name, "")
    try:
        text = Text(name, read_regular_file(place, _MAX_FILE_BYTES).decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8"
        if isinstance(error, OSError):
            reason = "it is a link" if error.errno == errno.ELOOP else (error.strerror or "no reason given").lower()
        raise ProjectFileError(
            _project_error(f"the project file cannot be read: {reason}", Span(name, 0, 0)), text
        ) from None
    parsed = parse_project(text, top)
    if parsed.value is None:
        raise ProjectFileError(parsed.diagnostics[0], text)
    return parsed.value


def parse_project(text: Text, top: str) -> ReadResult[ProjectSettings]:
    """Settings of the text of a project file; RW0018 for each error, by place."""
    try:
        mapping = tomllib.loads(text.content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        remedy = next((says for cause, says in _TOML_REMEDIES if re.search(cause, str(error))), "")
        return ReadResult(None, (_project_error("this is not TOML", _toml_error_span(str(error), text), remedy),))
    findings = Findings()
    places = _TomlNodes(scan_toml(text), text)
    if not _project_shape().validate_node(places.make_node(mapping, ()), findings):
        return findings.make_result(_EMPTY_PROJECT)
    findings.collected += [
        *_find_absent_paths(mapping, top, places),
        *_find_weighed_errors(mapping.get("findings", {}), places),
    ]
    floors = mapping.get("floors", {})
    return findings.make_result(
        ProjectSettings(
            top,
            tuple(mapping.get("rulesets", ())),
            tuple(resolve_links(os.path.join(top, item)) for item in mapping.get("allow", ())),  # noqa: PTH118
            mapping.get("findings", {}),
            {
                name: {key: _spell_reading(one) for key, one in item.items()}
                for name, item in mapping.get("readings", {}).items()
            },
            floors.get("coverage", {}),
            floors.get("mutation"),
            text,
        )
    )


_EMPTY_PROJECT = ProjectSettings("", (), (), {}, {}, {}, None, Text("", ""))


def _spell_reading(value: str | bool | int) -> str:  # noqa: FBT001 - as TOML has it
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _find_absent_paths(project_data: Mapping[str, Any], top: str, places: _TomlNodes) -> Iterator[Diagnostic]:
    for at, item in enumerate(project_data.get("rulesets", ())):
        place = resolve_links(os.path.join(top, item))  # noqa: PTH118
        if not (is_below_folder(place, resolve_links(top)) and os.path.exists(place)):  # noqa: PTH110
            message = f"there is no file or folder `{item}` in this project"
            yield _project_error(message, places.unquoted_span(("rulesets", at)), remedy="name a ruleset from here")
    for at, each in enumerate(project_data.get("allow", ())):
        if not os.path.isdir(resolve_links(os.path.join(top, each))):  # noqa: PTH112, PTH118
            yield _project_error(
                f"there is no folder `{each}`", places.unquoted_span(("allow", at)), remedy="name a folder from here"
            )


def _find_weighed_errors(weights: Iterable[str], places: _TomlNodes) -> Iterator[Diagnostic]:
    for code in weights:
        known = find_page(code)
        if known is not None and known.severity == Severity.ERROR.value:
            message = f"{code} is an error, and stays one: a project weighs only warnings and hints"
            yield _project_error(message, places.key_span(("findings", code)), remedy="take this line out")


def _project_error(message: str, span: Span, remedy: str = "") -> Diagnostic:
    return Diagnostic("RW0018", Severity.ERROR, message, Label(span), help=remedy)


def _toml_error_span(message: str, text: Text) -> Span:
    match_ = re.search(r"at line (\d+), column (\d+)", message)
    if match_ is None:
        return Span(text.name, len(text.content), len(text.content))
    lines = text.content.splitlines(keepends=True)
    offset = sum(map(len, lines[: int(match_[1]) - 1])) + int(match_[2]) - 1
    return Span(text.name, offset, min(offset + 1, len(text.content)))
