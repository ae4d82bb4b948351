"""The four layers of a comparison and its one verdict."""

from collections.abc import Iterator

from rulewright.comparing.comparison import Comparison, Verdict
from rulewright.comparing.playing.data import Behaviour
from rulewright.comparing.playing.points import entries
from rulewright.frozen import dataclass
from rulewright.outline.items import Name
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
        closed: procedures of both that are inner, and so cannot be begun, in the new revision only.
        opened: the same of the old one.
    """

    comparison: Comparison
    behaviour: Behaviour | None = None
    lost: tuple[Name, ...] = ()
    found: tuple[Name, ...] = ()
    closed: tuple[Name, ...] = ()
    opened: tuple[Name, ...] = ()

    @property
    def known(self) -> Verdict | None:
        """The word where reading alone says it."""
        return None if self.closed or self.opened else self.comparison.known

    @property
    def verdict(self) -> Verdict:
        """The word for the whole: what only one revision can begin is a change, though no play of both can show it."""
        known, played = self.known, self.played
        if known is not None:
            return known
        sides = {
            "only OLD has": self.lost,
            "only NEW has": self.found,
            "only OLD begins": self.closed,
            "only NEW begins": self.opened,
        }
        said = [f"{which} {_called(names)}" for which, names in sides.items() if names]
        if played.word == "changed" or not said:
            return self._without_solver(played)
        return Verdict("changed", "; ".join(said), "one can do or measure what the other cannot")

    def _without_solver(self, played: Verdict) -> Verdict:
        """A verdict that is no certainty, with what would be needed to ask for one."""
        missing = self.comparison.solved.missing
        if played.word == "changed" or not missing:
            return played
        return Verdict(played.word, f"{played.how}; {missing}", played.instead)

    @property
    def played(self) -> Verdict:
        """What plays alone say."""
        if self.behaviour is None:
            return NOT_PLAYED
        said = self.behaviour.verdict
        match said.word, said.how:
            case "changed", _:
                return Verdict("changed", ", ".join(_counted(self.behaviour)))
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
        known = self.known
        same = "identical" if known is not None and known.word == "identical" else "equivalent"
        return {
            "text": self.comparison.text,
            "structure": self.comparison.structure,
            "meaning": same if known else "unknown",
            "behaviour": same if known else self.verdict.word,
        }


def _counted(behaviour: Behaviour) -> Iterator[str]:
    """How much a reader is shown: witnesses, and values of functions; where there are none, scenarios that differ."""
    differing = (
        0 if behaviour.witnesses or behaviour.values else sum(each.outcome == "differs" for each in behaviour.scenarios)
    )
    for number, one, more in (
        (len(behaviour.witnesses), "witness", "witnesses"),
        (len(behaviour.values), "value", "values"),
        (differing, "scenario", "scenarios"),
    ):
        if number:
            yield f"{number} {one if number == 1 else more}"


def whole(old: Program, new: Program, comparison: Comparison, behaviour: Behaviour | None) -> Whole:
    """Joins what reading and playing found.

    A procedure that nothing performs, or a measure, of one revision only is a change by itself, and so is one that is
    inner in one of them. Other declarations of
    one revision only are not: where they matter, plays differ.
    """
    names = comparison.correspondence.names
    kept = frozenset(names.values())
    lost = tuple(each for each in comparison.remaining.old if each not in names and _is_begun(each, old))
    found = tuple(each for each in comparison.remaining.new if each not in kept and _is_begun(each, new))
    both = [(one, other) for one, other in names.items() if one.sort == "procedure"]
    return Whole(
        comparison,
        behaviour,
        lost,
        found,
        closed=tuple(one for one, other in both if new.procedures[other.name].inner > old.procedures[one.name].inner),
        opened=tuple(other for one, other in both if old.procedures[one.name].inner > new.procedures[other.name].inner),
    )


def _is_begun(name: Name, program: Program) -> bool:
    return name.sort == "measure" or (name.sort == "procedure" and name.name in entries(program))


def _called(names: tuple[Name, ...]) -> str:
    return ", ".join(f"{each.sort} {each.name}" for each in names)
