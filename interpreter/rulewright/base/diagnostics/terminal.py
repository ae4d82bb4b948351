"""Terminal output: colours by role, and text of others made safe to print.

Visible text can neither steer a terminal nor reorder a line.
"""

import json
import re
import unicodedata
from typing import Any

from rulewright.base.frozen import dataclass

_ANSI_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "hint": "1;36",
    "strong": "1",
    "dim": "2",
    "good": "32",
    "place": "36",
    "add": "32",
    "ask": "1;36",
}


@dataclass(frozen=True, slots=True)
class Painter:
    """Colours a visible text by its role, or leaves it as it is."""

    colour: bool

    def __call__(self, text: str, role: str) -> str:
        """The text in the colour of `error`, `warning`, `hint`, `strong`, `dim`, `good`, `place`, `add` or `ask`."""
        if not self.colour or not text:
            return text
        return f"\x1b[{_ANSI_CODES[role]}m{text}\x1b[0m"


PLAIN_PAINTER = Painter(colour=False)


def make_visible(text: str) -> str:
    r"""The text with tabs as spaces and every control, format or surrogate character spelt out.

    >>> make_visible("a\x1b[2Jb")
    'a<U+001B>[2Jb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_spell_character, text))


def is_encodable(text: str) -> bool:
    """Whether a text has no lone surrogates, which names of files, lines and JSON may hold."""
    return not any("\ud800" <= item <= "\udfff" for item in text)


def make_lines_visible(text: str) -> str:
    """`make_visible` line by line; line ends stay."""
    return "\n".join(make_visible(line) for line in text.split("\n"))


def render_visible_json(data: Any) -> str:
    r"""Indented JSON text with every control, format or surrogate character as an escape.

    >>> render_visible_json("a\u202eb")
    '"a\\u202eb"'
    """
    return _BEYOND_ASCII.sub(_escape_character, json.dumps(data, indent=2, ensure_ascii=False))


_BEYOND_ASCII = re.compile("[^\n -~]")


def _escape_character(match: re.Match[str]) -> str:
    if match[0].isprintable():
        return match[0]
    return "\\u007f" if match[0] == "\x7f" else json.dumps(match[0])[1:-1]


def _spell_character(character: str) -> str:
    if character == "\t":
        return "    "
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}:
        return f"<U+{ord(character):04X}>"
    return character


def count_columns(text: str) -> int:
    """Width of a visible text in terminal columns: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_count_character_columns(character) for character in text)


def _count_character_columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
