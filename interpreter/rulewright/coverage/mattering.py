"""Which part of a condition a pair of runs shows to matter."""

from collections.abc import Collection
from itertools import product

from rulewright.coverage.hearing import Outcome


def shown_by(part: int, outcomes: Collection[Outcome]) -> tuple[Outcome, Outcome] | None:
    """Two outcomes of one condition in which it hung on a part, counted from 0; none where no two show it.

    In the two the part differs, the whole differs, and every other part that both looked at is the same. A part that
    one of them did not look at, because the condition was decided, may be anything.
    """
    held = [each for each in outcomes if each.held]
    failed = [each for each in outcomes if not each.held]
    return next((pair for pair in product(held, failed) if _hangs_on(part, *pair)), None)


def _hangs_on(part: int, held: Outcome, failed: Outcome) -> bool:
    return None not in (held.parts[part], failed.parts[part]) and all(
        (one != other) == (number == part)
        for number, (one, other) in enumerate(zip(held.parts, failed.parts, strict=True))
        if one is not None and other is not None
    )
