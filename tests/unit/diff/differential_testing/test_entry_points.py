"""Plays begin with everything that can be begun, and first with what nothing else performs."""

import pytest

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import BehaviourComparison, ComparisonEffort
from support.revision_pairs import check_text, match_names

FEW = ComparisonEffort(work=60_000, workers=1)
BLOW = """
ruleset raid "Raid" revision "1"
kind Knight, knights:
  hurt: flag = no
procedure strike(target: Knight) "Strike":
  perform blow(target, 1)
procedure blow(target: Knight, force: 0..9) "A blow":
  if force >= 5:
    set target.hurt to yes
"""
ALARM = """
ruleset raid "Raid" revision "1"
game:
  alarm: flag = no
procedure raid() "Raid":
  perform noise(1)
procedure noise(force: 0..9) "A noise":
  if force >= 5:
    set alarm to yes
"""
MARCH = """
ruleset raid "Raid" revision "1"
kind Knight, knights:
  steps: 0..9 = 2
procedure march(k: Knight) "March":
  step 1 "Out":
    add up to 1 to k.steps
  step 2 "Home":
    take up to 1 from k.steps
  step 3 "On":
    add up to 2 to k.steps
procedure sally(k: Knight) "Out and home":
  perform march(k) steps 1 to 2
"""


def compared(rules: str, before: str, after: str) -> BehaviourComparison:
    assert rules.count(before) == 1
    old, new = check_text(rules), check_text(rules.replace(before, after))
    return compare_plays(old, new, match_names(old, new), effort=FEW)


@pytest.mark.parametrize(
    ("rules", "before", "after", "begun"),
    [
        pytest.param(BLOW, "force >= 5", "force >= 6", "blow", id="with arguments that nobody gives"),
        pytest.param(ALARM, "force >= 5", "force >= 6", "noise", id="though all plays of the first were tried"),
        pytest.param(MARCH, "add up to 2", "add up to 3", "march", id="of which others perform only some steps"),
        pytest.param(BLOW, "blow(target, 1)", "blow(target, 5)", "strike", id="none where the first tells them apart"),
    ],
)
def test_what_others_perform_is_begun_where_nothing_else_shows_a_difference(
    rules: str, before: str, after: str, begun: str
) -> None:
    found = compared(rules, before, after)
    assert found.verdict.word == "changed", found.verdict
    assert {each.new.procedure for each in found.witnesses} == {begun}


def test_what_cannot_be_begun_is_not() -> None:
    found = compared(ALARM.replace("procedure noise", "inner procedure noise"), "force >= 5", "force >= 6")
    assert found.verdict.limit == f"nothing differed in {found.plays} plays"
    assert [each.new for each in found.entrances] == ["raid"]


def test_what_takes_dice_is_not_begun_by_itself() -> None:
    rules = """
ruleset raid "Raid" revision "1"
kind Knight, knights:
  hurt: flag = no
procedure strike(target: Knight) "Strike":
  roll 2d6 as thrown
  perform blow(target, thrown)
procedure blow(target: Knight, thrown: pool) "A blow":
  for each _ in 1..2:
    if some d in thrown where d.natural >= 5:
      set target.hurt to yes
"""
    found = compared(rules, "for each _ in 1..2", "for each _ in 1..1")
    assert {each.new for each in found.entrances} == {"strike"}
    assert "never began" not in found.verdict.limit
