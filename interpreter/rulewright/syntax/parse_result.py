"""What came of reading a text, and where reading it stopped before anybody knows why."""

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.syntax.nodes.declarations import File

MAX_MISTAKES = 100
"""How many mistakes of one text are told."""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """What a text says."""

    file: File | None  # all that could be read; none where the text is too large or nests too deep
    diagnostics: tuple[Diagnostic, ...]  # what is wrong, in order of place


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """The first thing that does not fit."""

    # `unexpected`, `misaligned` (an indentation that no block has), `glued` (two words without a space), `long` (a
    # number beyond the limit) or `deep` (nested beyond the limit)
    sort: str
    start: int  # where it begins, an offset into the text that was read
    end: int  # where it ends
    layout: str = ""  # `_NL` where a line ended too early, `_INDENT` or `_DEDENT` where the indentation does not fit
    accepted: frozenset[str] = frozenset()  # terminals of the grammar that would have fitted; never shown to anybody
