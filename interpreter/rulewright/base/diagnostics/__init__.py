"""Diagnostics as data (one cause, one message, with its place, notes, remedy and edits), their collector, and safe text.

Text of others is made visible before it is printed: it can neither steer a terminal nor reorder a line. Colours go by role.
"""

import dataclasses
import json
import re
import unicodedata
from collections.abc import Iterable
from enum import Enum
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.base.source import NameUse, Span

SUPPRESSION_COMMENT = re.compile(r"#\s*quiet\s+(?P<codes>RW\d{4}(?:\s*,\s*RW\d{4})*)\s*(?::\s*(?P<reason>.*))?$")
"""The comment that suppresses findings of its line: `# quiet RW0535: the count is for people`."""


class Severity(Enum):
    """Weight of a diagnostic; only an error stops the next stage."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


class Basis(Enum):
    """What a finding takes for granted: it may fall away once that is mended."""

    TEXT = "text"
    """Nothing but the declarations that it names."""
    NAMES = "names"
    """That all names were read: something is missing."""
    PROOFS = "proofs"
    """What is known of values, which another error in the declaration may change."""


@dataclass(frozen=True, slots=True)
class Label:
    """A span and what to say about it; an empty text only underlines."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A text replacement that mends the cause, and whether `rulewright check --fix` may apply it unasked.

    Safe: the rules mean what they meant, or a text with an error gets the one reading it can have. An edit that
    guesses, or drops what the author wrote on purpose, is not safe.
    """

    span: Span
    replacement: str
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Remedy:
    """A remedy in words and, where possible, as edits."""

    help: str = ""
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a text or an input."""

    code: str  # permanent code `RWnnnn`; a page in `diagnostics/pages` explains it
    severity: Severity
    message: str  # one plain sentence, lower case, no full stop, the user's words in backticks
    # the tightest place of the cause; none where no text is at fault (a flag, a missing file)
    primary: Label | None = None
    secondary: tuple[Label, ...] = ()  # other places that matter, in any text
    notes: tuple[str, ...] = ()  # facts the reader needs, such as values read; full sentences
    help: str = ""  # remedy, or empty
    # the remedy as replacements in texts; all of them together mend the cause, and none overlaps another
    edits: tuple[Edit, ...] = ()
    address: str = ""  # address of the step or declaration the place belongs to, or empty
    pointer: str | None = None  # JSON pointer into an input (state, script, save), or none for rules text
    basis: Basis = Basis.TEXT
    # name or sentence that equal findings are grouped by, `OWNER.NAME` of an attribute; empty where none are
    subject: str = ""

    @property
    def is_safe_to_mend(self) -> bool:
        """Whether there are edits, all of them safe."""
        return bool(self.edits) and all(edit.safe for edit in self.edits)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any diagnostic is an error."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)


def sort_by_place(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics without duplicates, by place, code and message; those without a place first."""

    def get_sort_key(each: Diagnostic) -> tuple[str, int, int, str, str]:
        span = each.primary.span if each.primary else Span("", 0, 0)
        return (span.source, span.start, span.end, each.code, each.message)

    return tuple(sorted(dict.fromkeys(diagnostics), key=get_sort_key))


def format_name_list(names: Iterable[str]) -> str:
    """Names in backticks, separated by commas."""
    return ", ".join(f"`{name}`" for name in names)


@dataclasses.dataclass(eq=False, repr=False)
class DiagnosticCollector:
    """List of diagnostics, and of the names that were resolved; passes go on after each.

    A pass sets `address` to the declaration or step under way; every diagnostic carries it. `owner` is the declaration
    whose variables are resolved.
    """

    address: str = ""
    owner: str = ""
    diagnostics: list[Diagnostic] = dataclasses.field(default_factory=list)
    uses: list[NameUse] = dataclasses.field(default_factory=list)

    def note_use(self, span: Span, space: str, owner: str, name: str) -> None:
        """Notes which symbol the name at a place means."""
        self.uses.append(NameUse(span, space, owner, name))

    def error(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds an error; `more` are fields of `Diagnostic`, `remedy`, `label` (text at the place) and `missing`.

        `missing` is the name that was not found: the subject of a finding that takes for granted that all were read.
        """
        self._add_diagnostic(Severity.ERROR, code, span, message, more)

    def proved_error(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds an error that rests on proofs."""
        self._add_diagnostic(Severity.ERROR, code, span, message, {"basis": Basis.PROOFS, **more})

    def warning(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds a warning, which rests on proofs if `basis` does not say otherwise."""
        self._add_diagnostic(Severity.WARNING, code, span, message, {"basis": Basis.PROOFS, **more})

    def hint(self, code: str, span: Span, message: str, **more: object) -> None:
        """Adds a hint, which rests on proofs if `basis` does not say otherwise."""
        self._add_diagnostic(Severity.HINT, code, span, message, {"basis": Basis.PROOFS, **more})

    def has_error_here(self) -> bool:
        """Whether the declaration at `address` has an error."""
        name = self.address.partition("/")[0]
        return any(
            diagnostic.severity is Severity.ERROR and diagnostic.address.partition("/")[0] == name
            for diagnostic in self.diagnostics
        )

    def _add_diagnostic(self, severity: Severity, code: str, span: Span, message: str, more: dict[str, object]) -> None:
        label, remedy = more.pop("label", ""), more.pop("remedy", None)
        assert isinstance(label, str)
        if "missing" in more:
            more |= {"subject": more.pop("missing"), "basis": Basis.NAMES}
        if isinstance(remedy, Remedy):
            more |= {"help": remedy.help, "edits": remedy.edits}
        self.diagnostics.append(
            Diagnostic(
                code,
                severity,
                message,
                Label(span, label),
                address=self.address,
                **more,  # type: ignore[arg-type]
            )
        )


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


def format_counted_noun(number: int, noun: str, several: str = "") -> str:
    """`1 play`, `2 plays`; `several` is the plural that is not made by an `s`."""
    return f"{number} {noun if number == 1 else several or f'{noun}s'}"


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
