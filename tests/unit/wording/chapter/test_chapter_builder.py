"""The parts of a chapter, its glossary, and where titles lead."""

from rulewright.wording.chapter_builder import make_chapter
from support.revision_pairs import check_text as program_of

RULES = """
ruleset example "Example" revision "1"
kind Unit, units "A unit":
  owner: player
  weak: flag = no
die fate: 1, 2, 3
term able(unit: Unit) when all "a unit that can act":
  strong: not unit.weak "it is weak"
tally strength(unit: Unit) from 2 "Strength":
  tired: -1 when unit.weak "weak"
table worth(points: 1..9) gives 1..9 "Worth":
  few: 1..4 | 1
  many: 5..9 | 2
procedure charge(unit: Unit) "Charge":
  if able(unit):
    roll strength(unit) of fate as omen by unit.owner
"""


def test_titles_lead_to_what_has_them_and_to_nothing_where_two_have_them() -> None:
    program = program_of(RULES)
    links = make_chapter(program, {}, ()).links
    assert links["a unit that can act"] == links["A unit that can act"] == "function-able"
    program = program_of(RULES.replace('"Worth"', '"Strength"'))
    assert "Strength" not in make_chapter(program, {}, ()).links
