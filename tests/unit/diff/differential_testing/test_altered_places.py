"""What has no line of its own is reached where plays come to it: events, blocks, dice that are rolled."""

import pytest

from rulewright.diff.differential_testing.play_comparison import compare_plays
from rulewright.diff.differential_testing.results import BehaviourComparison, ComparisonEffort
from support.revision_pairs import check_text, match_names

RULES = """
ruleset raid "Raid" revision "1"

die omen: 1, 1, 2, 3

event struck(k: Knight) "A knight is struck":
  holders {k}

kind Knight, knights:
  owner: player
  wounds: 0..5
  shield: flag = no

handler flinch for each other in knights on struck:
  nothing

procedure strike(target: Knight) gives flag "Strike":
  roll 1 of omen as signs
  let lucky = some d in signs where d.face = 3
  together:
    take up to 1 from target.wounds
    set target.shield to lucky
  trigger struck(target)
  finish with lucky
"""
FEW = ComparisonEffort(work=180_000, workers=1)


def compared(before: str, after: str) -> BehaviourComparison:
    assert RULES.count(before) == 1
    old, new = check_text(RULES), check_text(RULES.replace(before, after))
    return compare_plays(old, new, match_names(old, new), effort=FEW)


@pytest.mark.parametrize(
    ("before", "after", "address"),
    [
        ("  holders {k}\n", "  holders {k}\n  order by [k.owner]\n", "struck"),
        ("  together:\n    take", "  together:\n    nothing\n    take", "strike/together"),
        ("  nothing\n", "  let idle = other.shield\n", "flinch"),
        ("die omen: 1, 1, 2, 3", "die omen: 1, 2, 1, 3", "strike/signs"),
    ],
)
def test_what_every_play_comes_to_is_reached_by_every_play(before: str, after: str, address: str) -> None:
    found = compared(before, after)
    assert found.verdict.limit == f"nothing differed in {found.plays} plays"
    reached = [each.plays for each in found.evidence if address in each.addresses]
    assert reached
    assert set(reached) == {found.plays}
