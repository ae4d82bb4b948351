"""Where reading a text stopped, before anybody knows why."""

from rulewright.frozen import dataclass


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
