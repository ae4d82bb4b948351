"""What no play comes to: measures, and numbers that a state may hold in one revision only."""

import pytest

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import (
    BehaviourComparison,
    ChangedNames,
    ComparisonEffort,
    ValueWitness,
)
from rulewright.diff.edits import Correspondence
from rulewright.program.outline.items import DeclaredName
from support.revision_pairs import check_text, match_names

RULES = """
ruleset duel "Duel" revision "1"

kind Knight, knights:
  owner: player
  wounds: 0..5

game:
  round: 1..9 = 1

setting least: -1..1 = 0 "least"

term hurt(k: Knight) gives flag means k.wounds > 0

measure wounded(p: player): count(each k in knights where k.owner = p and hurt(k))
measure rounds: round

procedure rest(knight: Knight) "Rest":
  add up to 1 to knight.wounds
"""

FEW = ComparisonEffort(work=60_000, workers=1, witnesses=4, shrinks=100)


def compared(before: str, after: str, *changed: DeclaredName) -> BehaviourComparison:
    """The rules against themselves with one text in place of another."""
    assert RULES.count(before) == 1
    old, new = check_text(RULES), check_text(RULES.replace(before, after))
    measures = [DeclaredName("measure", each) for each in old.measures]
    names = Correspondence({**match_names(old, new).names, **{each: each for each in (*changed, *measures)}}, {})
    return compare_plays(old, new, names, ChangedNames(changed, changed), effort=FEW, seed=1)


@pytest.mark.parametrize(
    ("before", "after", "name", "values"),
    [
        ("wounds: 0..5", "wounds: 0..6", "Knight.wounds", ("not allowed", 6)),
        ("wounds: 0..5", "wounds: 1..5", "Knight.wounds", (0, "not allowed")),
        ("round: 1..9", "round: 1..8", "game.round", (9, "not allowed")),
        ("least: -1..1", "least: -2..1", "least", ("not allowed", -2)),
    ],
)
def test_a_number_that_one_revision_does_not_allow(
    before: str, after: str, name: str, values: tuple[object, object]
) -> None:
    found = compared(before, after, DeclaredName("attribute", "Knight/wounds"))
    assert found.verdict.word == "changed"
    assert found.values == (ValueWitness(name, name, ({}, {}), ({}, {}), values),)


def test_a_measure_is_taken_in_states() -> None:
    found = compared("k.owner = p and hurt(k)", "hurt(k)", DeclaredName("measure", "wounded"))
    assert found.verdict.word == "changed"
    (value,) = found.values
    assert (value.old, value.new, value.values) == ("wounded", "wounded", (0, 1))
    assert value.states is not None
    assert set(value.states[1]) == {"players", "knights"}


def test_a_measure_changes_with_what_it_computes() -> None:
    found = compared("k.wounds > 0", "k.wounds > 1", DeclaredName("function", "hurt"))
    assert found.verdict.word == "changed"
    assert [(each.old, each.values) for each in found.values] == [("wounded", (1, 0))]


def test_a_measure_that_was_the_same_is_unknown() -> None:
    found = compared(
        "k.owner = p and hurt(k)", "hurt(k) and p = k.owner and k in knights", DeclaredName("measure", "wounded")
    )
    assert found.verdict.word == "unknown"
    assert found.verdict.limit == "measure `wounded` was the same in 200 states"


TWO_KINDS = """
ruleset farm "Farm" revision "1"
kind Cow, cows:
  owner: player
  health: 0..5
kind Pig, pigs:
  owner: player
  health: 0..5
  wounds: 0..5
procedure look(cow: Cow, pig: Pig) gives flag "Look":
  finish with pig.health > 3 and cow.health > 3
"""


def test_attributes_of_one_name_are_told_apart_by_their_kind() -> None:
    old = check_text(TWO_KINDS)
    new = check_text(
        TWO_KINDS.replace("kind Cow, cows:\n  owner: player\n  health", "kind Cow, cows:\n  owner: player\n  wounds")
        .replace("pig.health > 3", "pig.wounds >= 4")
        .replace("cow.health", "cow.wounds")
    )
    names = match_names(old, new, {DeclaredName("attribute", "Cow/health"): DeclaredName("attribute", "Cow/wounds")})
    found = compare_plays(
        old, new, names, ChangedNames((LOOK,), (LOOK,)), effort=ComparisonEffort(work=360_000, workers=1)
    )
    assert found.verdict.word == "changed"


LOOK = DeclaredName("procedure", "look")
