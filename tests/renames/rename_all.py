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

from rulewright.base.files import DISK, FileProvider, RevisedFiles
from rulewright.diff.comparison import compare_rulesets
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.editor.name_index import DECLARING_ROLES, NameTarget
from rulewright.editor.navigation import make_search_words
from rulewright.editor.refactoring import RenameResult, rename_target
from rulewright.editor.ruleset_gathering import GatheredRulesets, gather_rulesets
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.scenario_files import all_cases, read_suites


@dataclass(frozen=True)
class Outcome:
    """What came of renaming a target: empty where all is well, else what is wrong; or why it was refused."""

    target: NameTarget
    wrong: str = ""
    refused: str = ""


def new_name(target: NameTarget) -> str:
    """A name that nothing has, of the form of the old one."""
    return f"{target.name}.9z" if target.sort == "clause" else f"{target.name}_renamed"


def targets(gathered: GatheredRulesets) -> Iterator[NameTarget]:
    """What is declared in the folders that are searched."""
    for each in gathered.index.list_targets:
        if each.sort == "clause" or any(one.role in DECLARING_ROLES for one in gathered.index.find_occurrences(each)):
            yield each


def outcomes(ruleset: str, files: FileProvider) -> dict[str, tuple[str, ...]]:
    """What comes of every scenario of a folder, by file and name."""
    rules = RulesetLoader(files)
    found = read_suites([ruleset], rules).value or ()
    played = (play_case(each, rules) for each in all_cases(found))
    return {f"{each.case.file} {each.case.name}": (each.outcome, *map(str, each.misses)) for each in played}


def tried(ruleset: str, target: NameTarget, before: dict[str, tuple[str, ...]]) -> Outcome:
    """One rename."""
    name = new_name(target)
    made = rename_target(
        target, name, partial(gather_rulesets, ruleset, words=make_search_words(target.name, name)), DISK
    )
    if not isinstance(made, RenameResult):
        first = made.findings[0]
        return Outcome(target, refused=f"{first.code} {first.message}")
    after = RevisedFiles(DISK, made.after)
    now = {key.replace(name, target.name): each for key, each in outcomes(ruleset, after).items()}
    if [each[0] for each in now.values()] != [each[0] for each in before.values()]:
        other = next((key for key in before if now.get(key, ("",))[0] != before[key][0]), "a name of a scenario")
        return Outcome(target, f"{other}: {before.get(other)} -> {now.get(other)}")
    old, new = load_ruleset(locate_ruleset(ruleset)), load_ruleset(locate_ruleset(ruleset, after), provider=after)
    alike = compare_rulesets(old, new).static_verdict is not None
    return Outcome(target, "" if alike else "`diff` does not know that both play alike")


def main(rulesets: list[str], sample: int | None, seed: int) -> int:
    """Renames all names of some shipped rulesets, or a sample of each."""
    wrong = 0
    for ruleset in rulesets:
        place = f"{DISK.get_rulesets_folder()}/{ruleset}"
        before = outcomes(place, DISK)
        known = list(targets(gather_rulesets(place, DISK)))
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
