"""Characters no text may hold, and how large a text may be; looked for before anything is read."""

import re
from collections.abc import Iterator

from rulewright.diagnostics.model import Diagnostic, Edit, Label, Severity
from rulewright.diagnostics.remedies import edited
from rulewright.source import Span, Text
from rulewright.syntax.layout import TAB, scan

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
_SAID = (
    (re.compile("\r"), "RW0144", "alone ends no line", "end lines with U+000A", "\n"),
    (re.compile(f"[{_BIDI}]"), "RW0142", "reverses the text that people see", "delete it", ""),
    (re.compile(f"[{_INVISIBLE}]"), "RW0142", "is invisible", "delete it", ""),
    (re.compile(f"[{_ODD_BLANK}]"), "RW0142", "only looks like a space", "write a plain space", " "),
    (re.compile(""), "RW0144", "cannot be printed", "delete it", ""),
)
"""Of each sort of forbidden characters the code, what is wrong, what to do, and what may stand there instead."""


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
    for character, starts in places.items():
        code, wrong, remedy, instead = next(said for sort, *said in _SAID if sort.match(character))
        others = len(starts) - 1
        elsewhere = f", here and in {others} other place{'s' if others > 1 else ''}" if others else ""
        spans = [Span(text.name, start, start + 1) for start in starts]
        edits = tuple(Edit(span, instead, safe=True) for span in spans)
        yield mistake(code, f"the character U+{ord(character):04X} {wrong}{elsewhere}", spans[0], remedy, edits)
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


def _tabs(text: Text, tabs: list[re.Match[str]]) -> Diagnostic:
    lines = "this line is" if len(tabs) == 1 else f"{len(tabs)} lines are"
    edits, remedy = _in_step(text), "indent with spaces, like the lines around"
    if all(each.safe for each in edits):
        remedy = "indent with two spaces for each level; `rulewright fmt` does it"
    return mistake("RW0148", f"{lines} indented with tabs", Span(text.name, *tabs[0].span()), remedy, edits)


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
    starts = [text.content.rfind("\n", 0, line.start) + 1 for line in lines]
    begun = zip(lines, starts, strict=True)
    unit = min((line.indent for line, start in begun if line.indent and start not in tabs), default=TAB)
    levels: dict[int, Edit] = {}
    above, opens = 0, False
    for line, start in zip(lines, starts, strict=True):
        indent = line.indent
        if start in tabs:
            indent = above + unit if opens else above
            levels[start] = Edit(Span(text.name, *tabs[start].span()), " " * indent, safe=opens)
        above, opens = indent, line.opens
    return tuple((plain | levels).values())


def mistake(code: str, message: str, span: Span, remedy: str, edits: tuple[Edit, ...] = ()) -> Diagnostic:
    """An error at a place, with what to do about it, and the edits that do it."""
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy, edits=edits)
