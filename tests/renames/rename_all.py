"""Renames every name of rulesets, one at a time, in memory, and looks at what comes of it.

`python tests/renames/rename_all.py [--sample N] RULESET...`: after each `check` finds nothing new, every scenario
comes out as before, and `diff` of the two says that names differ, or proves that both play alike. What is refused is
counted by its reason. Ends with 1 where a rename that was made changed anything.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from rulewright.comparing.comparison import compare
from rulewright.files import DISK, Provider
from rulewright.files.providers import Revised
from rulewright.references.gathering import Gathered, gather
from rulewright.references.index import DECLARING, Target
from rulewright.references.renaming import Renamed, renamed
from rulewright.references.spelling import words
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.play import play
from rulewright.workspace import load, locate


@dataclass(frozen=True)
class Outcome:
    """What came of renaming a target: empty where all is well, else what is wrong; or why it was refused."""

    target: Target
    wrong: str = ""
    refused: str = ""


def new_name(target: Target) -> str:
    """A name that nothing has, of the form of the old one."""
    return f"{target.name}.9z" if target.sort == "clause" else f"{target.name}_renamed"


def targets(gathered: Gathered) -> Iterator[Target]:
    """What is declared in the folders that are searched."""
    for each in gathered.index.targets:
        if each.sort == "clause" or any(one.role in DECLARING for one in gathered.index.of(each)):
            yield each


def outcomes(ruleset: str, files: Provider) -> dict[str, tuple[str, ...]]:
    """What comes of every scenario of a folder, by file and name."""
    rules = Rules(files)
    found = suites_of([ruleset], rules).value or ()
    played = (play(each, rules) for each in all_cases(found))
    return {f"{each.case.file} {each.case.name}": (each.outcome, *map(str, each.misses)) for each in played}


def tried(ruleset: str, target: Target, before: dict[str, tuple[str, ...]]) -> Outcome:
    """One rename."""
    name = new_name(target)
    made = renamed(target, name, partial(gather, ruleset, words=words(target.name, name)), DISK)
    if not isinstance(made, Renamed):
        first = made.findings[0]
        return Outcome(target, refused=f"{first.code} {first.message}")
    after = Revised(DISK, made.after)
    now = {key.replace(name, target.name): each for key, each in outcomes(ruleset, after).items()}
    if [each[0] for each in now.values()] != [each[0] for each in before.values()]:
        other = next((key for key in before if now.get(key, ("",))[0] != before[key][0]), "a name of a scenario")
        return Outcome(target, f"{other}: {before.get(other)} -> {now.get(other)}")
    old, new = load(locate(ruleset)), load(locate(ruleset, after), provider=after)
    alike = compare(old, new, solver=False).known is not None
    return Outcome(target, "" if alike else "`diff` does not know that both play alike")


def main(rulesets: list[str], sample: int | None, seed: int) -> int:
    """Renames all names of some shipped rulesets, or a sample of each."""
    wrong = 0
    for ruleset in rulesets:
        place = f"{DISK.shipped()}/{ruleset}"
        before = outcomes(place, DISK)
        known = list(targets(gather(place, DISK)))
        drawn = known if sample is None else Random(seed).sample(known, min(sample, len(known)))
        found = [tried(place, each, before) for each in drawn]
        for each in found:
            if each.wrong:
                print(f"{ruleset} {each.target.sort} {each.target.address}: {each.wrong}")
            elif each.refused:
                print(f"{ruleset} {each.target.sort} {each.target.address}: refused, {each.refused}")
        wrong += sum(bool(each.wrong) for each in found)
        told = Counter("refused" if each.refused else "wrong" if each.wrong else "renamed" for each in found)
        print(f"{ruleset}: {len(found)} names, {dict(told)}", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rulesets", nargs="+")
    parser.add_argument("--sample", type=int, help="so many names of each ruleset, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    sys.exit(main(given.rulesets, given.sample, given.seed))
