"""Characters no text may hold, and how large a text may be; looked for before anything is read."""

import dataclasses
import re
from collections.abc import Container, Iterator

from rulewright.diagnostics.model import Diagnostic, Edit, Label, Severity
from rulewright.diagnostics.remedies import edited
from rulewright.source import Span, Text
from rulewright.syntax.layout import TAB, ScannedLine, scan

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
_SPACES = re.compile(r"^\t* +\t*(?=\S)", re.MULTILINE)
_TOP = re.compile(r"^(?=[^\s#])", re.MULTILINE)
_OF_LEVELS = frozenset({"RW0101", "RW0102", "RW0103", "RW0104", "RW0105", "RW0120", "RW0128", "RW0130"})
_BOM = "\ufeff"


def too_large(text: Text) -> Diagnostic | None:
    """What to say of a text beyond the limit; none for any other."""
    if len(text.content) <= LARGEST:
        return None
    return mistake(
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
        told = _character(character, Span(text.name, first, first + 1), len(others))
        spans = [Span(text.name, place, place + 1) for place in (first, *others)]
        yield dataclasses.replace(told, edits=tuple(Edit(span, _instead(character), safe=True) for span in spans))
    tabs = list(_TAB.finditer(text.content))
    if tabs:
        yield _tabs(text, tabs)


def readable(content: str) -> str:
    """The text with blanks for the characters that were reported, ending with a line end; offsets stay."""
    cleaned = _FORBIDDEN.sub(" ", content)
    return cleaned if cleaned.endswith("\n") else cleaned + "\n"


def hidden_by_a_character(text: Text, found: Diagnostic) -> bool:
    """Whether a mistake stands on a line with a character that was reported, which is then cause enough.

    Tabs among spaces are cause enough for whatever is wrong with levels in the same declaration.
    """
    if found.primary is None:
        return False
    offset = found.primary.span.start
    start, end = text.content.rfind("\n", 0, offset) + 1, text.content.find("\n", offset)
    end = end if end >= 0 else len(text.content)
    if _FORBIDDEN.search(text.content, start, end):
        return True
    if found.code not in _OF_LEVELS or not _SPACES.search(text.content):
        return False
    first = max((each.start() for each in _TOP.finditer(text.content, 0, end)), default=0)
    last = _TOP.search(text.content, end)
    return _TAB.search(text.content, first, last.start() if last else len(text.content)) is not None


def without_tabs(text: Text) -> Text:
    """A text indented with spaces where tabs stood; as it is where nobody knows which block a line belongs to."""
    edits = _in_step(text)
    return Text(text.name, edited(text, edits)) if all(each.safe for each in edits) else text


def _character(character: str, span: Span, others: int) -> Diagnostic:
    elsewhere = f", here and in {others} other place{'s' if others > 1 else ''}" if others else ""
    found = _alone(character, span)
    return dataclasses.replace(found, message=found.message + elsewhere)


def _instead(character: str) -> str:
    """What to write for a character that may not stand in a text."""
    if character == "\r":
        return "\n"
    return " " if re.match(f"[{_ODD_BLANK}]", character) else ""


def _alone(character: str, span: Span) -> Diagnostic:
    shown = f"U+{ord(character):04X}"
    if character == "\r":
        return mistake("RW0144", f"the character {shown} alone ends no line", span, "end lines with U+000A")
    if re.match(f"[{_BIDI}]", character):
        return mistake("RW0142", f"the character {shown} reverses the text that people see", span, "delete it")
    if re.match(f"[{_INVISIBLE}]", character):
        return mistake("RW0142", f"the character {shown} is invisible", span, "delete it")
    if re.match(f"[{_ODD_BLANK}]", character):
        return mistake("RW0142", f"the character {shown} only looks like a space", span, "write a plain space")
    return mistake("RW0144", f"the character {shown} cannot be printed", span, "delete it")


def _tabs(text: Text, tabs: list[re.Match[str]]) -> Diagnostic:
    first = tabs[0]
    lines = "this line is" if len(tabs) == 1 else f"{len(tabs)} lines are"
    edits = _in_step(text)
    sure = all(each.safe for each in edits)
    found = mistake(
        "RW0148",
        f"{lines} indented with tabs",
        Span(text.name, first.start(), first.end()),
        "indent with two spaces for each level; `rulewright fmt` does it"
        if sure
        else "indent with spaces, like the lines around",
    )
    return dataclasses.replace(found, edits=edits)


def _in_step(text: Text) -> tuple[Edit, ...]:
    """The edits that indent lines with spaces where tabs stand.

    In a text without spaces a tab is a level. Among spaces there is one way to read a line below one that opens a
    block; any other is taken to belong to the block of the line above.
    """
    tabs = {each.start(): each for each in _TAB.finditer(text.content)}
    plain = {at: Edit(Span(text.name, *each.span()), each[0].expandtabs(TAB), safe=True) for at, each in tabs.items()}
    if not tabs or not _SPACES.search(text.content):
        return tuple(plain.values())
    lines = scan(readable(text.content))
    unit = min((line.indent for line in lines if line.indent and not _tabbed(line, text, tabs)), default=TAB)
    levels: dict[int, Edit] = {}
    above, opens = 0, False
    for line in lines:
        indent = line.indent
        start = text.content.rfind("\n", 0, line.start) + 1
        if start in tabs:
            indent = above + unit if opens else above
            levels[start] = Edit(Span(text.name, *tabs[start].span()), " " * indent, safe=opens)
        above, opens = indent, line.opens
    return tuple((plain | levels).values())


def _tabbed(line: ScannedLine, text: Text, tabs: Container[int]) -> bool:
    return text.content.rfind("\n", 0, line.start) + 1 in tabs


def mistake(code: str, message: str, span: Span, remedy: str) -> Diagnostic:
    """An error at a place, with what to do about it."""
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy)
