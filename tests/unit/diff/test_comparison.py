"""A change of a line is never forgotten on the way to what plays have to tell."""

import pytest

from rulewright.diff.comparison import compare_rulesets
from rulewright.program.outline.items import DeclaredName
from support.reference.ruleset_texts import load_text

RULES = """\
ruleset guard "A guard" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
whenever death for each u in units:
  when u.health = 0
  priority 1
  lowers count(units)
  remove u
procedure strike(target: Unit) "A strike":
  hold death
  step 1 "The blow" when target.health >= 2:
    for each u in units where u.health >= 3:
      if u.health >= 4 and u.owner = target.owner:
        take up to 1 from target.health
"""


@pytest.mark.parametrize(
    ("before", "after"), [(">= 2", ">= 5"), (">= 3", ">= 5"), (">= 4", ">= 5"), ("  hold death\n", "")]
)
def test_what_was_changed_is_not_proved(before: str, after: str) -> None:
    found = compare_rulesets(load_text(RULES), load_text(RULES.replace(before, after)))
    assert DeclaredName("procedure", "strike") in (*found.unproved.old, *found.unproved.new)
    assert found.static_verdict is None
