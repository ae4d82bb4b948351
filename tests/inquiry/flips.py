"""Whether flips are real and the smallest: `python tests/inquiry/flips.py --count 200`; the results as it goes."""

import sys
from argparse import ArgumentParser
from collections import Counter
from itertools import count
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from rulewright.inquiry.replaying import replayed
from support.flips import GAMES, Decision, decisions, smallest
from rulewright.inquiry.explaining import worth_of

EACH = 5


def wrong(decision: Decision) -> tuple[str, str]:
    """What a search came to, and what is wrong with it or nothing."""
    searched = decision.searched()
    best = searched.flips[0] if searched.flips else None
    for each in searched.flips[:3]:
        value = worth_of(replayed(decision.course, each).session, decision.subject)
        if not decision.goal.is_wanted(value):
            return "false", f"{each} is not real"
    if best is None and not searched.is_sure:
        return "unknown", ""
    found = None if best is None else (len(best.changes), best.steps)
    brute = smallest(decision, best.steps if best is not None and len(best.changes) > 1 else None)
    if best is not None and len(best.changes) > 1:
        return f"{len(best.changes)}", "" if brute is None else f"{found} told, {brute} found"
    return "none" if found is None else str(found[0]), "" if brute == found else f"{found} told, {brute} found"


def main() -> int:
    options = ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    told: Counter[str] = Counter()
    slowest = 0.0
    false = 0
    for seed in count(given.seed):
        if sum(told.values()) >= given.count:
            break
        for name, overlays, procedure in GAMES:
            for each in decisions(name, overlays, procedure, seed, EACH):
                before = process_time()
                each.searched(10_000)
                slowest = max(slowest, process_time() - before)
                what, trouble = wrong(each)
                told[f"{name} {what}"] += 1
                if trouble:
                    false += 1
                    print(f"{name} seed {seed} {each.subject.text}: {trouble}")
    print(f"{sum(told.values())} decisions, {false} wrong; slowest search {slowest:.2f} s of processor time")
    print(", ".join(f"{what}: {number}" for what, number in sorted(told.items())))
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
