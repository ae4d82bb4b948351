"""Plays come to the numbers and distances that conditions compare with."""

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import ComparisonEffort
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


def test_things_come_to_stand_as_far_apart_as_is_written() -> None:
    old, new = check_text(RULES), check_text(RULES.replace("> 6", ">= 6"))
    found = compare_plays(old, new, match_names(old, new), effort=ComparisonEffort(work=200_000, workers=1))
    assert found.verdict.word == "changed"
