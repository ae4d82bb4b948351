"""Whichever way round and by however many processes two revisions are compared; `pages/plays.md` shows what is found."""

from pathlib import Path

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import ComparisonEffort
from support.language_cases import split_blocks
from support.revision_pairs import check_text, match_names

RULES = next(
    block["content"]
    for block in split_blocks((Path(__file__).parents[1] / "pages/plays.md").read_text(encoding="utf-8"), "rules")
)
FEW = ComparisonEffort(work=480_000, workers=1, witnesses=4, shrinks=100)


def test_the_other_way_round_is_the_mirror() -> None:
    old, new = check_text(RULES), check_text(RULES.replace("natural >= 4 or", "natural >= 3 or"))
    names = match_names(old, new)
    there = compare_plays(old, new, names, effort=FEW, seed=2)
    back = compare_plays(new, old, names.invert_direction(), effort=FEW, seed=2)
    assert there.verdict == back.verdict
    assert {each.sort for each in there.witnesses} == {each.sort for each in back.witnesses}


def test_several_processes_find_the_same() -> None:
    old = check_text(RULES)
    new = check_text(RULES.replace("blow.natural >= 4 or mighty", "mighty or not (blow.natural <= 3)"))
    names = match_names(old, new)
    alone = compare_plays(old, new, names, effort=ComparisonEffort(work=300_000, workers=1), seed=3)
    both = compare_plays(old, new, names, effort=ComparisonEffort(work=300_000, workers=2), seed=3)
    assert alone == both
