"""What the tool has to say about a text or an input, as data."""

import re
from collections.abc import Iterable
from enum import Enum

from rulewright.base.frozen import dataclass
from rulewright.base.source import Span

SUPPRESSION_COMMENT = re.compile(r"#\s*quiet\s+(?P<codes>RW\d{4}(?:\s*,\s*RW\d{4})*)\s*(?::\s*(?P<reason>.*))?$")
"""A comment that keeps findings beside it from being told: `# quiet RW0535: the count is for people`."""


class Severity(Enum):
    """How much a diagnostic weighs: an error stops the next stage, a warning and a hint do not."""

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Label:
    """A place and what to say about it; an empty text only underlines."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement that helps to mend the cause, and whether it is safe.

    Safe: the rules mean what they meant, or a text with an error gets the one reading it can have. Whatever leaves
    something out that the author wrote on purpose, or guesses, is not safe.
    """

    span: Span
    replacement: str
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding."""

    code: str  # permanent code `RWnnnn`; a page in `diagnostics/pages` explains it
    severity: Severity  # error, warning or hint
    message: str  # one plain sentence, lower case, no full stop, the user's words in backticks
    # the tightest place of the cause; none where no text is at fault (a flag, a missing file)
    primary: Label | None = None
    secondary: tuple[Label, ...] = ()  # other places that matter, in any text
    notes: tuple[str, ...] = ()  # facts the reader needs, such as values read; full sentences
    help: str = ""  # the remedy, or empty
    # the remedy as replacements in texts; all of them together mend the cause, and none overlaps another
    edits: tuple[Edit, ...] = ()
    address: str = ""  # address of the step or declaration the place belongs to, or empty
    pointer: str | None = None  # JSON pointer into an input (state, script, save), or none for rules text

    @property
    def is_safe_to_mend(self) -> bool:
        """Whether there are edits, and all of them are safe."""
        return bool(self.edits) and all(edit.safe for edit in self.edits)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of them stops the next stage."""
    return any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)


def sort_by_place(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by place, then code, then message; each finding once.

    Those without a place come first.
    """

    def get_sort_key(each: Diagnostic) -> tuple[str, int, int, str, str]:
        span = each.primary.span if each.primary else Span("", 0, 0)
        return (span.source, span.start, span.end, each.code, each.message)

    return tuple(sorted(dict.fromkeys(diagnostics), key=get_sort_key))


__all__ = ["Diagnostic", "Edit", "Label", "Severity", "has_errors", "sort_by_place"]
