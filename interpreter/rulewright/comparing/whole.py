"""The four layers of a comparison and its one verdict."""

from rulewright.comparing.comparison import Comparison
from rulewright.comparing.verdict import Verdict
from rulewright.frozen import dataclass

NOT_PLAYED = Verdict("unknown", "plays were not compared")
"""The behaviour of two revisions nobody has played."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A comparison with what came of playing both revisions.

    Attributes:
        comparison: of text, structure and meaning.
        played: what plays say where the meaning leaves it open.
    """

    comparison: Comparison
    played: Verdict = NOT_PLAYED

    @property
    def verdict(self) -> Verdict:
        """The word for the whole."""
        return self.comparison.known or self.played

    @property
    def layers(self) -> dict[str, str]:
        """A word for each layer: `text`, `structure`, `meaning`, `behaviour`."""
        known = self.comparison.known
        same = "identical" if known is not None and known.word == "identical" else "equivalent"
        return {
            "text": self.comparison.text,
            "structure": self.comparison.structure,
            "meaning": same if known else "unknown",
            "behaviour": same if known else self.played.word,
        }
