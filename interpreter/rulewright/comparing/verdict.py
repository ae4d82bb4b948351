"""What to call a difference between two revisions."""

from rulewright.comparing.edits import Edit, Relabelled, Renamed, is_rule
from rulewright.frozen import dataclass

WORDS = {
    "identical": "both say the same, word for word",
    "cosmetic": "layout, titles, questions, margins or names of variables differ; play does not",
    "renumbered": "steps or declared names are called otherwise; play does not differ",
    "equivalent": "rules are written otherwise, but play the same",
    "changed": "there is a play in which the two differ",
    "unknown": "no difference was found in play, and none is excluded",
}
"""The words for whole comparisons, from the least difference to the greatest, then what nobody knows."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A word of `WORDS`, and how it is known: `proved`, `exhausted 1200`, `sampled 3000, seed 1`, a limit.

    Attributes:
        word: of `WORDS`.
        how: it is known.
        instead: what it says here, where that is not what the word says elsewhere.
    """

    word: str
    how: str = ""
    instead: str = ""

    @property
    def says(self) -> str:
        """What the word says."""
        return self.instead or WORDS[self.word]

    def __str__(self) -> str:
        """The word with what it rests on."""
        return f"{self.word} ({self.how})" if self.how else self.word


def of_texts(texts_same: bool, prints_same: bool) -> str:  # noqa: FBT001
    """The word for two texts: `identical`, `cosmetic` where only layout and comments differ, or `changed`."""
    return "identical" if texts_same else "cosmetic" if prints_same else "changed"


def of_edits(edits: tuple[Edit, ...]) -> str:
    """The word for edits: `identical` for none, `cosmetic`, `renumbered`, or `changed` where rules are written anew."""
    if any(map(is_rule, edits)):
        return "changed"
    if any(isinstance(each, Renamed) or (isinstance(each, Relabelled) and not each.new.owner) for each in edits):
        return "renumbered"
    return "cosmetic" if edits else "identical"
