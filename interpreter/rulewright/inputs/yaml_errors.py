"""What PyYAML could not read, in words for the person who wrote it."""

import re
from typing import TYPE_CHECKING

from rulewright.source import Text

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

_SPACES = "use spaces, two for each level"
_CAUSES: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "a second `:` stands here, or this line is indented too far", ""),
    ("could not find expected ':'", "this line has no `:` after its key", "a list item begins with `- `"),
    ("unknown escape", "this `\\` means nothing in a text in double quotes", "write `\\\\` for the character itself"),
    ("Unicode character escape", "this `\\u` escape is no whole character", "write the character itself"),
    ("expected 4 hexadecimal|did not find expected hexdecimal|expected 2 hex", "this escape is incomplete", ""),
    ("unexpected end of stream", "this text in quotes never ends", ""),
    ("unexpected document separator", "this text in quotes never ends", ""),
    ("',' or '\\]'", "this list has no `,` or `]` where one is needed", ""),
    ("',' or '}'", "this mapping has no `,` or `}` where one is needed", ""),
    ("'-' indicator", "this line is no item of the list above", "indent it as the items are, and begin it with `- `"),
    ("document start", "something stands after the end of the document", ""),
    ("directive", "lines that begin with `%` are not read", "leave it out"),
    ("indentation", "the indentation of this line fits no line above it", ""),
    ("alphabetic or numeric", "`&` and `*` need a name", 'put a text in quotes: `"&"`'),
    ("node content", "a value is missing here", ""),
    ("expected key|expected <block end>", "this fits nothing above it", "look at indentation, quotes and `:` here"),
)


def forbidden_character(content: str) -> int | None:
    """The offset of the first character that YAML does not allow in a text, or none."""
    return min((content.index(each) for each in set(content) if not _is_allowed(each)), default=None)


def _is_allowed(character: str) -> bool:
    """The printable characters of YAML 1.2 without the byte order mark."""
    return (
        " " <= character <= "~"
        or character in "\t\n\r\x85"
        or "\xa0" <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufefe"
        or "\uff00" <= character <= "\ufffd"
        or character >= "\U00010000"
    )


def explain(error: "MarkedYAMLError", text: Text, opened: int | None) -> tuple[int, str, str]:
    """The offset, the message and the remedy for an error of PyYAML, inside the bracket opened at an offset."""
    offset = error.problem_mark.index if error.problem_mark else 0
    problem, context = error.problem or "", error.context or ""
    if "cannot start any token" in problem:
        return _bad_start(offset, text)
    if offset >= len(text.content) and "flow" in context and opened is not None:
        return opened, f"this `{text.content[opened]}` is never closed", ""
    for pattern, message, remedy in _CAUSES:
        if re.search(pattern, problem):
            at = error.context_mark.index if "quotes never ends" in message and error.context_mark else offset
            return at, message, remedy
    return offset, "this cannot be read as YAML or JSON", ""


def _bad_start(offset: int, text: Text) -> tuple[int, str, str]:
    character = text.content[offset : offset + 1]
    if character == "\t":
        return offset, "a tab stands where only spaces may", _SPACES
    return offset, f"a value cannot begin with `{character}`", f'put it in quotes: `"{character}…"`'
