"""Hybrids of two revisions, as texts."""

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.diff.comparison import compare_rulesets
from rulewright.diff.differential_testing.scenario_migration import LocatedRevision
from rulewright.diff.partial_revisions import PartialRevisions
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.outline.items import DeclaredName

BEFORE = """\
ruleset duel "A duel" revision "1"
document OLD "The old document"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
  shield: flag = no
game:
  round: 1..9 = 1  @OLD.1
term hurt(k: Knight) gives flag means k.health < 3
procedure strike(striker: Knight, target: Knight) "A strike":
  require enemy: striker.owner != target.owner "only enemies are struck"
  step 1 "Roll to hit":  @OLD.2
    ruling OLD.F.dice "a die is rolled once"
    roll d6 as blow by striker.owner
    if blow.natural >= 4:
      if hurt(target):
        take up to 2 from target.health
      else:
        take up to 1 from target.health
  step 2 "Falls" when target.health = 0:
    remove target
procedure rest(knight: Knight) "A rest":
  add up to round to knight.health
"""
AFTER = """\
ruleset duel "A duel" revision "2"
kind Knight, knights "A knight":
  owner: player
  wounds: 0..9
  shield: flag = no
  fresh: flag = yes
procedure strike(striker: Knight, target: Knight) "A strike":
  require enemy: striker.owner != target.owner "only enemies are struck"
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= 3:
      take up to 1 from target.wounds
  step 1a "Tires":
    set striker.fresh to no
  step 2 "Falls" when target.wounds = 0:
    remove target
procedure rest(knight: Knight) "A rest":
  take up to 1 from knight.wounds
  add up to 1 to knight.wounds
"""
BARE = """\
ruleset duel "A duel" revision "2"
kind Knight, knights "A knight":
  owner: player
  wounds: 0..9
  shield: flag = no
procedure strike(striker: Knight, target: Knight) "A strike":
  require enemy: striker.owner != target.owner "only enemies are struck"
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= 4:
      if hurt(target):
        take up to 2 from target.wounds
      else:
        take up to 1 from target.wounds
  step 2 "Falls" when target.wounds = 0:
    remove target
procedure rest(knight: Knight) "A rest":
  add up to round to knight.wounds
game:
  round: 1..9 = 1
term hurt(k: Knight) gives flag means k.wounds < 3
"""


def revised(text: str) -> LocatedRevision:
    files = MemoryFiles({"duel.rules": text})
    loaded = load_ruleset(locate_ruleset("duel.rules", files), (), files)
    assert loaded.program is not None, loaded.diagnostics
    return LocatedRevision(loaded, "duel.rules", (), files)


def hybrids(before: str, after: str) -> PartialRevisions:
    old, new = revised(before), revised(after)
    return PartialRevisions(old, new, compare_rulesets(old.loaded, new.loaded))


def text(found: PartialRevisions, *chosen: int) -> str:
    loaded = found.build_hybrid(frozenset(chosen))
    assert loaded is not None
    return loaded.texts["duel.rules"].content


def test_without_any_edit_it_is_the_old_revision_in_the_names_of_the_new_one() -> None:
    found = hybrids(BEFORE, AFTER)
    assert text(found) == BARE
    assert found.is_trusted


def test_with_all_edits_it_is_the_new_revision() -> None:
    found = hybrids(BEFORE, AFTER)
    assert text(found, *range(len(found.units))) == AFTER


@pytest.mark.parametrize("turned", [False, True])
def test_every_edit_can_be_made_with_what_it_needs(turned: bool) -> None:
    found = hybrids(AFTER, BEFORE) if turned else hybrids(BEFORE, AFTER)
    assert found.is_trusted
    assert all(found.build_hybrid(each) is not None for each in found.required_units)


def test_what_is_mentioned_is_made_too() -> None:
    found = hybrids(BEFORE, AFTER)
    tires = next(number for number, each in enumerate(found.units) if DeclaredName("step", "strike/1a") in each.fresh)
    assert text(found, *found.required_units[tires]) == BARE.replace(
        "  shield: flag = no\n", "  shield: flag = no\n  fresh: flag = yes\n"
    ).replace('  step 2 "Falls"', '  step 1a "Tires":\n    set striker.fresh to no\n  step 2 "Falls"')


CHART = """\
ruleset duel "A duel" revision "1"
values Aim: high, low
values Outcome: missed, grazed, struck
kind Knight, knights "A knight":
  owner: player
  health: 0..9
table outcome(face: 1..6, aim: Aim) gives Outcome "The blow":
  across aim: high | low
  1..3 | missed | grazed
  4..6 | grazed | struck
procedure strike(striker: Knight, target: Knight, aim: Aim) "A strike":
  roll d6 as blow by striker.owner
  if outcome(blow.natural, aim) = struck:
    take up to 1 from target.health
"""


def test_cells_of_one_row_are_edits_of_its_line() -> None:
    edited = CHART.replace("grazed | struck", "struck | missed").replace("missed | grazed", "missed | missed")
    edited = edited.replace("up to 1", "up to 2")
    old, new = (
        load_ruleset(locate_ruleset("a.rules", files), (), files)
        for files in (MemoryFiles({"a.rules": each}) for each in (CHART, edited))
    )
    sides = [LocatedRevision(each, "a.rules", (), MemoryFiles({})) for each in (old, new)]
    hybrids = PartialRevisions(*sides, compare_rulesets(old, new))
    assert hybrids.is_trusted
    assert [len(each.edits) for each in hybrids.units] == [1, 2, 1]
