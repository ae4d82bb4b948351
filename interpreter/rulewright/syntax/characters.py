"""Characters no text may hold, and how large a text may be; looked for before anything is read."""

import re
from collections.abc import Iterator

from rulewright.base.diagnostics.model import Diagnostic, Edit, Label, Severity
from rulewright.base.diagnostics.remedies import apply_text_edits
from rulewright.base.source import Span, Text
from rulewright.syntax.layout import TAB_COLUMNS, scan_lines

MAX_TEXT_CHARACTERS = 2_000_000
"""How many characters a text may have."""

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
_CONTROL = "\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
_ODD_BLANK = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_FORBIDDEN_PATTERN = re.compile(f"[{_BIDI}{_INVISIBLE}{_CONTROL}{_ODD_BLANK}]|\r(?!\n)")
_TAB_INDENT = re.compile(r"^ *\t[ \t]*(?=\S)", re.MULTILINE)
_SPACE_INDENT = re.compile(r"^\t* +\t*(?=\S)", re.MULTILINE)
_LINE_AT_MARGIN = re.compile(r"^(?=[^\s#])", re.MULTILINE)
_LEVEL_CODES = frozenset({"RW0101", "RW0102", "RW0103", "RW0104", "RW0105", "RW0120", "RW0128", "RW0130"})
_BOM = "\ufeff"
_FORBIDDEN_CHARACTERS = (
    (re.compile("\r"), "RW0144", "alone ends no line", "end lines with U+000A", "\n"),
    (re.compile(f"[{_BIDI}]"), "RW0142", "reverses the text that people see", "delete it", ""),
    (re.compile(f"[{_INVISIBLE}]"), "RW0142", "is invisible", "delete it", ""),
    (re.compile(f"[{_ODD_BLANK}]"), "RW0142", "only looks like a space", "write a plain space", " "),
    (re.compile(""), "RW0144", "cannot be printed", "delete it", ""),
)
"""Of each sort of forbidden characters the code, what is wrong, what to do, and what may stand there instead."""


def check_text_size(text: Text) -> Diagnostic | None:
    """What to say of a text beyond the limit; none for any other."""
    if len(text.content) <= MAX_TEXT_CHARACTERS:
        return None
    return make_mistake(
        "RW0141",
        f"this text has {len(text.content):,} characters, and the limit is {MAX_TEXT_CHARACTERS:,}",
        Span(text.name, 0, 0),
        "divide it into files and bring them together with `use`",
    )


def check_characters(text: Text) -> Iterator[Diagnostic]:
    """Invisible, reversing and control characters, each told at its first place, and tabs that indent."""
    places: dict[str, list[int]] = {}
    for match_ in _FORBIDDEN_PATTERN.finditer(text.content):
        if match_.group() != _BOM or match_.start():
            places.setdefault(match_.group(), []).append(match_.start())
    for character, starts in places.items():
        code, wrong, remedy, instead = next(said for sort, *said in _FORBIDDEN_CHARACTERS if sort.match(character))
        others = len(starts) - 1
        elsewhere = f", here and in {others} other place{'s' if others > 1 else ''}" if others else ""
        spans = [Span(text.name, start, start + 1) for start in starts]
        edits = tuple(Edit(span, instead, safe=True) for span in spans)
        yield make_mistake(code, f"the character U+{ord(character):04X} {wrong}{elsewhere}", spans[0], remedy, edits)
    tabs = list(_TAB_INDENT.finditer(text.content))
    if tabs:
        yield _diagnose_tabs(text, tabs)


def blank_forbidden_characters(content: str) -> str:
    """The text with blanks for the characters that were reported, ending with a line end; offsets stay."""
    cleaned = _FORBIDDEN_PATTERN.sub(" ", content)
    return cleaned if cleaned.endswith("\n") else cleaned + "\n"


def is_hidden_by_character(text: Text, found: Diagnostic) -> bool:
    """Whether a mistake stands on a line with a character that was reported, which is then cause enough.

    Tabs among spaces are cause enough for whatever is wrong with levels in the same declaration.
    """
    if found.primary is None:
        return False
    offset = found.primary.span.start
    start, end = text.content.rfind("\n", 0, offset) + 1, text.content.find("\n", offset)
    end = end if end >= 0 else len(text.content)
    if _FORBIDDEN_PATTERN.search(text.content, start, end):
        return True
    if found.code not in _LEVEL_CODES or not _SPACE_INDENT.search(text.content):
        return False
    first = max((match.start() for match in _LINE_AT_MARGIN.finditer(text.content, 0, end)), default=0)
    last = _LINE_AT_MARGIN.search(text.content, end)
    return _TAB_INDENT.search(text.content, first, last.start() if last else len(text.content)) is not None


def replace_tabs(text: Text) -> Text:
    """A text indented with spaces where tabs stood; as it is where nobody knows which block a line belongs to."""
    edits = _make_untabbing_edits(text)
    return Text(text.name, apply_text_edits(text, edits)) if all(edit.safe for edit in edits) else text


def _diagnose_tabs(text: Text, tabs: list[re.Match[str]]) -> Diagnostic:
    lines = "this line is" if len(tabs) == 1 else f"{len(tabs)} lines are"
    edits, remedy = _make_untabbing_edits(text), "indent with spaces, like the lines around"
    if all(edit.safe for edit in edits):
        remedy = "indent with two spaces for each level; `rulewright fmt` does it"
    return make_mistake("RW0148", f"{lines} indented with tabs", Span(text.name, *tabs[0].span()), remedy, edits)


def _make_untabbing_edits(text: Text) -> tuple[Edit, ...]:
    """The edits that indent lines with spaces where tabs stand.

    In a text without spaces a tab is a level. Among spaces there is one way to read a line below one that opens a
    block; any other is taken to belong to the block of the line above.
    """
    tabs = {match.start(): match for match in _TAB_INDENT.finditer(text.content)}
    plain = {
        at: Edit(Span(text.name, *match.span()), match[0].expandtabs(TAB_COLUMNS), safe=True)
        for at, match in tabs.items()
    }
    if not tabs or not _SPACE_INDENT.search(text.content):
        return tuple(plain.values())
    lines = scan_lines(blank_forbidden_characters(text.content))
    starts = [text.content.rfind("\n", 0, line.start) + 1 for line in lines]
    begun = zip(lines, starts, strict=True)
    unit = min((line.indent for line, start in begun if line.indent and start not in tabs), default=TAB_COLUMNS)
    levels: dict[int, Edit] = {}
    above, opens = 0, False
    for line, start in zip(lines, starts, strict=True):
        indent = line.indent
        if start in tabs:
            indent = above + unit if opens else above
            levels[start] = Edit(Span(text.name, *tabs[start].span()), " " * indent, safe=opens)
        above, opens = indent, line.opens_block
    return tuple((plain | levels).values())


def make_mistake(code: str, message: str, span: Span, remedy: str, edits: tuple[Edit, ...] = ()) -> Diagnostic:
    """An error at a place, with what to do about it, and the edits that do it."""
    return Diagnostic(code, Severity.ERROR, message, Label(span), help=remedy, edits=edits)
