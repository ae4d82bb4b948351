"""What a solver wishes for comes on top: it takes no play away that is tried without it."""

from rulewright.diff.differential_testing import compare_plays
from rulewright.diff.differential_testing.results import BehaviourComparison, ComparisonEffort, ComparisonFixtures
from rulewright.diff.proving.equivalence_query import SituationWish
from support.revision_pairs import check_text, match_names

RULES = """
ruleset drill "Drill" revision "1"
kind Unit, units "A unit":
  owner: player
  steps: 0..9
  tired: flag
procedure drill(u: Unit) "A drill":
  for each x in units where x.owner = u.owner and not x.tired:
    take up to 1 from x.steps
    roll d6 as effort by u.owner
    if effort.natural > x.steps:
      set x.tired to yes
"""
REWRITTEN = RULES.replace("    take up to 1 from x.steps\n", "    if x.steps > 0:\n      take up to 1 from x.steps\n")
WISH = SituationWish(things={}, gone=(), relations={}, game={}, settings={}, names={})


def compare_with(*wishes: SituationWish) -> BehaviourComparison:
    old, new = check_text(RULES), check_text(REWRITTEN)
    fixtures = ComparisonFixtures(wishes=wishes)
    effort = ComparisonEffort(work=120_000, workers=1)
    return compare_plays(old, new, match_names(old, new), fixtures=fixtures, effort=effort)


def test_wishes_of_a_solver_add_plays_and_leave_the_others_as_they_are() -> None:
    plain, wished = compare_with(), compare_with(WISH)
    assert wished.plays > plain.plays
    pairs = list(zip(plain.evidence, wished.evidence, strict=True))
    assert pairs
    assert all(more.plays >= less.plays and (more.tried or 0) >= (less.tried or 0) for less, more in pairs)
    assert (plain.verdict.basis, wished.verdict.basis) == ("sampled", "sampled")
