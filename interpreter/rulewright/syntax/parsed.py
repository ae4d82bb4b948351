"""What came of reading a text, and where reading it stopped before anybody knows why."""

from rulewright.diagnostics.model import Diagnostic
from rulewright.frozen import dataclass
from rulewright.syntax.nodes.declarations import File


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says.

    Attributes:
        file: all that could be read; none where the text is too large or nests too deep.
        diagnostics: what is wrong, in order of place.
    """

    file: File | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Trouble:
    """The first thing that does not fit.

    Attributes:
        sort: `unexpected`, `misaligned` (an indentation that no block has), `glued` (two words without a space),
            `long` (a number beyond the limit) or `deep` (nested beyond the limit).
        start: where it begins, an offset into the text that was read.
        end: where it ends.
        layout: `_NL` where a line ended too early, `_INDENT` or `_DEDENT` where the indentation does not fit.
        accepted: terminals of the grammar that would have fitted; never shown to anybody.
    """

    sort: str
    start: int
    end: int
    layout: str = ""
    accepted: frozenset[str] = frozenset()
