"""What the reference sheet of a ruleset has, and what it leaves out."""

from rulewright.wording.chapter_builder import make_reference_sheet
from rulewright.wording.chapter_document import ChapterSection
from support.revision_pairs import check_text as program_of

RULES = """
ruleset example "Example" revision "1"
values Hour: dawn, noon
kind Unit, units:
  owner: player
  weak: flag = no
die fate: none, none, 1, 2
setting hour: Hour = noon "The hour of the battle"
tally strength(unit: Unit) from 2 "Strength":
  tired: -1 when unit.weak "weak"
  least: at least 0
procedure bookkeeping(unit: Unit) "Bookkeeping":
  set unit.weak to no
procedure charge(unit: Unit) "Charge":
  step a "Roll" when unit.weak:
    roll strength(unit) of fate as omen by unit.owner
    ask unit.owner to choose then "What now?":
      option on "Go on":
        perform bookkeeping(unit)
      option back "Fall back"
  step b "Rest":
    perform bookkeeping(unit)
"""


def lines(section: ChapterSection) -> list[str]:
    found = [f"{section.number} {section.heading}".strip()]
    for entry in section.entries:
        found += [entry.text] if entry.text else []
        found += [" | ".join(row) for row in (entry.grid.rows if entry.grid else ())]
        found += [each.text for each in entry.inside]
    return found + [line for inner in section.sections for line in lines(inner)]


def test_a_sheet_has_the_steps_with_each_branch_then_figures_dice_and_readings() -> None:
    made = make_reference_sheet(program_of(RULES), ())
    assert [line for part in made.sections for line in lines(part)] == [
        "Sequence",
        "Charge",
        "a Roll",
        "Only if the unit is marked “weak”; else this step is skipped.",
        "The unit's owner rolls as many fate dice as “Strength” for the unit (omen).",
        "The unit's owner decides, “What now?”:",
        "Go on: carry out “Bookkeeping” (the unit).",
        "Fall back.",
        "b Rest",
        "Carry out “Bookkeeping” (the unit).",
        "Bookkeeping",
        "The unit is no longer marked “weak”.",
        "Modifiers",
        "Strength",
        "Begin at 2; each row that applies changes it, in order:",
        "−1 | the unit is marked “weak” | weak",  # noqa: RUF001 - as it is printed
        "at least 0 | always | ",
        "Dice",
        "Fate: 2 × blank, 1 and 2.",  # noqa: RUF001 - a product
        "Readings",
        "Chosen for each play",
        "The hour of the battle | noon | dawn or noon",
    ]


def test_a_ruleset_without_procedures_has_a_sheet_without_a_sequence() -> None:
    made = make_reference_sheet(
        program_of('ruleset example "Example" revision "1"\nkind Unit, units:\n  owner: player\n'), ()
    )
    assert made.sections == ()
