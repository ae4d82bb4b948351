"""Whether flips are real and the smallest, on random plays: `python tests/inquiry/counterfactuals.py --count 200`."""

import gc
import sys
from argparse import ArgumentParser
from collections import Counter
from itertools import count
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from rulewright.cli.main import GC_THRESHOLD
from support.exhaustive_counterfactuals import GAMES, describe_wrong_result, list_random_values

EACH = 5


def main() -> int:
    options = ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--most", type=int, default=10_000)
    given = options.parse_args()
    gc.set_threshold(GC_THRESHOLD)  # as the command does
    told: Counter[str] = Counter()
    slowest, false = 0.0, 0
    for seed in count(given.seed):
        if told.total() >= given.count:
            break
        for name, overlays, procedure in GAMES:
            for each in list_random_values(name, overlays, procedure, seed, EACH):
                before = process_time()
                searched = each.search(given.most)
                slowest = max(slowest, process_time() - before)
                trouble = describe_wrong_result(each, searched) if searched.is_sure else ""
                found = (
                    f"{len(searched.counterfactuals[0].changes)} changed"
                    if searched.counterfactuals
                    else "none of up to two"
                )
                told[f"{name} {found if searched.is_sure else 'given up'}"] += 1
                if trouble:
                    false += 1
                    print(f"{name} seed {seed} {each.subject.text}: {trouble}", flush=True)
        print(f"{told.total()} decisions, {false} wrong, slowest search {slowest:.2f} s of the processor", flush=True)
    print(", ".join(f"{what}: {number}" for what, number in sorted(told.items())))
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
