"""Characters no text may hold, and how large a text may be; looked for before anything is read."""

import dataclasses
import re
from collections.abc import Iterator

from rulewright.diagnostics.model import Diagnostic, Label, Severity
from rulewright.source import Span, Text

LARGEST = 2_000_000
"""How many characters a text may have."""

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_CONTROL = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
_ODD_BLANK = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_FORBIDDEN = re.compile(f"[{_BIDI}{_INVISIBLE}{_CONTROL}{_ODD_BLANK}]|\r(?!\n)")
_TAB = re.compile(r"^ *\t[ \t]*(?=\S)", re.MULTILINE)
_TABS_ALONE = re.compile(r"^\t+", re.MULTILINE)
_TABS_AND_SPACES = re.compile(r"^(?: +\t|\t+ )", re.MULTILINE)
_BOM = "\ufeff"


def too_large(text: Text) -> Diagnostic | None:
    """A text beyond the limit."""
    if len(text.content) <= LARGEST:
        return None
    return _error(
        "RW0141",
        f"this text has {len(text.content):,} characters, and the limit is {LARGEST:,}",
        Span(text.name, 0, 0),
        "divide it into files and bring them together with `use`",
    )


def check_characters(text: Text) -> Iterator[Diagnostic]:
    """Invisible, reversing and control characters, each told at its first place, and tabs that indent."""
    places: dict[str, list[int]] = {}
    for found in _FORBIDDEN.finditer(text.content):
        if found.group() != _BOM or found.start():
            places.setdefault(found.group(), []).append(found.start())
    for character, (first, *others) in places.items():
        yield _character(character, Span(text.name, first, first + 1), len(others))
    tabs = list(_TAB.finditer(text.content))
    if tabs:
        yield _tabs(text, tabs)


def readable(content: str) -> str:
    """The text with blanks for the characters that were reported, ending with a line end; offsets stay."""
    cleaned = _FORBIDDEN.sub(" ", content)
    return cleaned if cleaned.endswith("\n") else cleaned + "\n"


def hidden_by_a_character(text: Text, found: Diagnostic) -> bool:
    """Whether a mistake stands on a line with a character that was reported, which is then cause enough."""
    if found.primary is None:
        return False
    offset = found.primary.span.start
    start, end = text.content.rfind("\n", 0, offset) + 1, text.content.find("\n", offset)
    return _FORBIDDEN.search(text.content, start, end if end >= 0 else len(text.content)) is not None


def without_tabs(text: Text) -> Text:
    """A text whose lines are indented with two spaces for each tab; one that mixes both is left as it is."""
    if _TABS_AND_SPACES.search(text.content):
        return text
    return Text(text.name, _TABS_ALONE.sub(lambda found: "  " * len(found[0]), text.content))


def _character(character: str, span: Span, others: int) -> Diagnostic:
    elsewhere = f", here and in {others} other place{'s' if others > 1 else ''}" if others else ""
    found = _alone(character, span)
    return dataclasses.replace(found, message=found.message + elsewhere)


def _alone(character: str, span: Span) -> Diagnostic:
    shown = f"U+{ord(character):04X}"
    if character == "\r":
        return _error("RW0144", f"the character {shown} alone ends no line", span, "end lines with U+000A")
    if re.match(f"[{_BIDI}]", character):
        return _error("RW0142", f"the character {shown} reverses the text that people see", span, "delete it")
    if re.match(f"[{_INVISIBLE}]", character):
        return _error("RW0142", f"the character {shown} is invisible", span, "delete it")
    if re.match(f"[{_ODD_BLANK}]", character):
        return _error("RW0142", f"the character {shown} only looks like a space", span, "write a plain space")
    return _error("RW0144", f"the character {shown} cannot be printed", span, "delete it")


def _tabs(text: Text, tabs: list[re.Match[str]]) -> Diagnostic:
    first = tabs[0]
    lines = "this line is" if len(tabs) == 1 else f"{len(tabs)} lines are"
    return _error(
        "RW0148",
        f"{lines} indented with tabs",
        Span(text.name, first.start(), first.end()),
        "indent with two spaces for each level; `rulewright fmt` does it",
    )


def _error(code: str, message: str, span: Span, remedy: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy)
