"""What plays never tried is told in terms of what differs, and never as if it had come out differently."""

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import BehaviourComparison, ComparisonEffort
from support.revision_pairs import check_text, match_names

RULES = """
ruleset shoot "Shoot" revision "1"
kind Archer, archers:
  owner: player
  at: point
  base: shape
board table of plane in inches, bases in mm
tally needed(a: Archer, t: Archer) from 3 "Needed":
  long: +1 when gap(a, t) > 6
procedure shoot(a: Archer, t: Archer) "A shot":
  require other: a != t
  roll d6 as shot by a.owner
  if shot.natural >= needed(a, t):
    remove t
"""


def compared(work: int) -> BehaviourComparison:
    old, new = check_text(RULES), check_text(RULES.replace("> 6", ">= 6"))
    return compare_plays(old, new, match_names(old, new), effort=ComparisonEffort(work=work, workers=1))


def test_a_length_that_was_never_equal_did_not_come_out_differently() -> None:
    found = compared(8_000)
    assert found.verdict.word == "unknown"
    assert found.verdict.limit == "`gap(a, t) >= 6` at `needed/long` was never tried with `gap(a, t)` equal to `6`"


def test_things_come_to_stand_as_far_apart_as_is_written() -> None:
    assert compared(200_000).verdict.word == "changed"
