"""Which scenarios are played against a mutant, and in which order."""

from collections import Counter
from collections.abc import Sequence

from rulewright.mutations.mutant import Mutant
from rulewright.scoring.baseline import Baseline, Run


def plays_of(mutant: Mutant, baseline: Baseline) -> tuple[Run, ...]:
    """The runs that can notice a mutant: those of rulesets with its text that come to its line.

    Outside of lines all of them. A run that does not come to a line goes as before whatever stands there.
    Rulesets with most runs first, since each is read anew; in one ruleset the quickest first.
    """
    runs = with_text(mutant, baseline)
    if mutant.line is not None and mutant.line in baseline.told:
        runs = [each for each in runs if mutant.line in each.come_to]
    return _ordered(runs)


def with_text(mutant: Mutant, baseline: Baseline) -> list[Run]:
    """The runs whose ruleset holds the text of a mutant."""
    return [each for each in baseline.runs if mutant.place.source in each.files]


def plainest(mutant: Mutant, baseline: Baseline) -> Run:
    """A run with the fewest overlays among those with the text of a mutant."""
    return min(with_text(mutant, baseline), key=lambda each: [len(part) for part in each.ruleset[1:]])


def _ordered(runs: Sequence[Run]) -> tuple[Run, ...]:
    counts = Counter(each.ruleset for each in runs)
    return tuple(sorted(runs, key=lambda each: (-counts[each.ruleset], each.ruleset, each.seconds)))
