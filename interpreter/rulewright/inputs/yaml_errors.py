"""What PyYAML could not read, in words for the person who wrote it."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulewright.source import Text

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

_SPACES = "use spaces, two for each level"
_NO_COLON = "this line has no `:` after its key"
_KEY = re.compile(r"\w[^:#'\"\[\]{},&*]*")
_CAUSES: tuple[tuple[str, str, str], ...] = (
    ("mapping values are not allowed", "a second `:` stands here, or this line is indented too far", ""),
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
    if bare := _bare_key(error, text):
        return bare
    for pattern, message, remedy in _CAUSES:
        if re.search(pattern, problem):
            at = error.context_mark.index if "quotes never ends" in message and error.context_mark else offset
            return at, message, remedy
    return offset, "this cannot be read as YAML or JSON", ""


def _bare_key(error: "MarkedYAMLError", text: Text) -> tuple[int, str, str] | None:
    """What to say of a key without its `:`, at the line of the key, not at the later one where reading stopped."""
    problem, lines = error.problem or "", text.content.splitlines(keepends=True)
    if "could not find expected ':'" in problem and error.context_mark:
        at, number = error.context_mark.index, error.context_mark.line
        remedy = "put `:` at its end" if _heads(lines[number:]) else "a list item begins with `- `"
        return at, _NO_COLON, remedy
    number = error.problem_mark.line - 1 if error.problem_mark else 0
    if "mapping values are not allowed" in problem and number > 0 and lines[number - 1].rstrip().endswith(":"):
        at = sum(len(each) for each in lines[:number]) + _indent(lines[number])
        return (at, _NO_COLON, "put `:` at its end") if _heads(lines[number:]) else None
    return None


def _heads(lines: Sequence[str]) -> bool:
    """Whether the first line is nothing but the words of a key, and the next line stands below it."""
    below = next((each for each in lines[1:] if each.strip()), "")
    return _indent(below) > _indent(lines[0]) and _KEY.fullmatch(lines[0].strip()) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bad_start(offset: int, text: Text) -> tuple[int, str, str]:
    character = text.content[offset : offset + 1]
    if character == "\t":
        return offset, "a tab stands where only spaces may", _SPACES
    return offset, f"a value cannot begin with `{character}`", f'put it in quotes: `"{character}…"`'
