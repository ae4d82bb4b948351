"""Syntax nodes: what the author wrote, with spans, nothing resolved; and what comes of parsing.

`expressions`, `statements` (with rows) and `declarations` hold the classes; `declarations.File` is the whole text. Every
node is frozen, has a `span`, and refers to others by `Name` only.
"""

from rulewright.base.diagnostics import Diagnostic
from rulewright.base.frozen import dataclass
from rulewright.syntax.nodes.declarations import File

MAX_MISTAKES = 100
"""Limit on the mistakes reported of one text."""


@dataclass(frozen=True, slots=True)
class ParsedText:
    """Nodes of a text, and its diagnostics."""

    file: File | None  # what could be parsed; none if the text is too large or nests too deep
    diagnostics: tuple[Diagnostic, ...]  # in order of place


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """The first syntax error of a text, not yet explained."""

    # `unexpected`, `misaligned` (an indentation that no block has), `glued` (two words without a space), `long` (a
    # number beyond the limit) or `deep` (nested beyond the limit)
    sort: str
    start: int  # offset into the parsed content
    end: int
    layout: str = ""  # `_NL` where a line ended too early, `_INDENT` or `_DEDENT` where the indentation does not fit
    accepted: frozenset[str] = frozenset()  # terminals that the parser would have accepted
