"""The four layers of a comparison and its one verdict."""

from rulewright.comparing.comparison import Comparison
from rulewright.comparing.naming import Name
from rulewright.comparing.playing.data import Behaviour
from rulewright.comparing.playing.slices import entries
from rulewright.comparing.verdict import Verdict
from rulewright.frozen import dataclass
from rulewright.program.declarations import Program

NOT_PLAYED = Verdict("unknown", "plays were not compared")
"""The behaviour of two revisions nobody has played."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A comparison with what came of playing both revisions.

    Attributes:
        comparison: of text, structure and meaning.
        behaviour: what plays say where the meaning leaves it open; none where nothing was played.
        lost: what can be begun or asked for by itself in the old revision only.
        found: the same of the new one.
    """

    comparison: Comparison
    behaviour: Behaviour | None = None
    lost: tuple[Name, ...] = ()
    found: tuple[Name, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The word for the whole: what only one revision can begin is a change, though no play of both can show it."""
        known, played = self.comparison.known, self.played
        if known is not None:
            return known
        if played.word == "changed" or not (self.lost or self.found):
            return played
        said = [
            f"only {side} has {_called(names)}" for side, names in (("OLD", self.lost), ("NEW", self.found)) if names
        ]
        return Verdict("changed", "; ".join(said), "one can do or measure what the other cannot")

    @property
    def played(self) -> Verdict:
        """What plays alone say."""
        if self.behaviour is None:
            return NOT_PLAYED
        said = self.behaviour.verdict
        match said.word, said.how:
            case "changed", _:
                number = len(self.behaviour.witnesses) + len(self.behaviour.values)
                return Verdict("changed", f"{number} witness{'' if number == 1 else 'es'}")
            case "equivalent", "unreached":
                return Verdict("equivalent", "no procedure comes to what changed")
            case "equivalent", "sampled":
                return Verdict("equivalent", f"sampled {said.number}, seed {said.seed}")
            case "equivalent", how:
                space = "; ".join(said.space)
                return Verdict("equivalent", f"{how} {said.number}{': ' if space else ''}{space}")
            case _:
                return Verdict("unknown", said.limit)

    @property
    def layers(self) -> dict[str, str]:
        """A word for each layer: `text`, `structure`, `meaning`, `behaviour`."""
        known = self.comparison.known
        same = "identical" if known is not None and known.word == "identical" else "equivalent"
        return {
            "text": self.comparison.text,
            "structure": self.comparison.structure,
            "meaning": same if known else "unknown",
            "behaviour": same if known else self.verdict.word,
        }


def whole(old: Program, new: Program, comparison: Comparison, behaviour: Behaviour | None) -> Whole:
    """Joins what reading and playing found.

    A procedure that nothing performs, or a measure, of one revision only is a change by itself. Other declarations of
    one revision only are not: where they matter, plays differ.
    """
    names = comparison.correspondence.names
    kept = frozenset(names.values())
    lost = tuple(each for each in comparison.remaining.old if each not in names and _is_begun(each, old))
    found = tuple(each for each in comparison.remaining.new if each not in kept and _is_begun(each, new))
    return Whole(comparison, behaviour, lost, found)


def _is_begun(name: Name, program: Program) -> bool:
    return name.sort == "measure" or (name.sort == "procedure" and name.name in entries(program))


def _called(names: tuple[Name, ...]) -> str:
    return ", ".join(f"{each.sort} {each.name}" for each in names)
