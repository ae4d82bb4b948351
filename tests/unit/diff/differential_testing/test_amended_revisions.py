"""A revision with more overlays is checked as an edit of the other revision with them, and comes to the same."""

from rulewright.base.files import MemoryFiles
from rulewright.diff.differential_testing.scenario_migration import LocatedRevision
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

RULES = """ruleset duel "A duel" revision "1"
use "duel_things.rules"
tally needed(u: Unit) from 4 "Needed":
  brave: -1 when u.brave
procedure strike(striker: Unit, target: Unit) "A strike":
  step 1 "Roll":
    roll d6 as blow by striker.owner
    if blow.natural >= needed(target):
      take up to 1 from target.health
"""
THINGS = """document DUE "The duel"
kind Unit, units "A unit":
  owner: player
  health: 0..9
  brave: flag = no
"""
HOUSE = """amends duel revision "1-house"
insert after needed/brave row weary: +1 when u.health < 3
"""
TEXTS = {"duel.rules": RULES, "duel_things.rules": THINGS, "house.rules": HOUSE}


def beside(folder: str, main: str = "duel.rules", **edited: str) -> LocatedRevision:
    texts = {f"{folder}/{name}": text for name, text in {**TEXTS, **edited}.items() if text}
    provider = MemoryFiles(texts)
    found = load_ruleset(locate_ruleset(f"{folder}/{main}", provider), (), provider)
    assert found.program is not None, found.errors
    return LocatedRevision(found, f"{folder}/{main}", (), provider)


def test_it_is_what_reading_it_there_comes_to() -> None:
    edited = {"duel.rules": RULES.replace("from 4", "from 5"), "house.rules": HOUSE.replace("< 3", "< 4")}
    old, new = beside("a/old"), beside("b/new", **edited)
    amended = old.load_amended(("a/old/house.rules",))
    found = new.load_amended_as(old, ("a/old/house.rules",), amended)
    there = beside("a/old", **edited).load_amended(("a/old/house.rules",))
    assert found is not None
    assert found.program == there.program != amended.program


def test_other_files_are_read_where_they_lie() -> None:
    old = beside("old")
    amended = old.load_amended(("old/house.rules",))
    one_file = RULES.replace('use "duel_things.rules"\n', THINGS.partition("\n")[2])
    more = THINGS.replace("kind Unit", 'use "more.rules"\nkind Unit', 1)
    new = (
        beside("new", "other.rules", **{"other.rules": RULES}),
        beside("new", **{"duel.rules": one_file, "duel_things.rules": ""}),
        beside("new", **{"duel_things.rules": more, "more.rules": "values Mood: calm, angry\n"}),
        beside("new", **{"DUE.clauses.yaml": 'document: DUE\nclauses:\n  - {id: DUE.a, where: 1, says: "A unit."}\n'}),
    )
    assert [each.load_amended_as(old, ("old/house.rules",), amended) for each in new] == [None] * 4
