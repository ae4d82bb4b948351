"""What the reference sheet of a ruleset has, and what it leaves out."""

from rulewright.wording.chapter_builder import make_reference_sheet
from support.revision_pairs import check_text as program_of


def test_a_ruleset_without_procedures_has_a_sheet_without_a_sequence() -> None:
    made = make_reference_sheet(
        program_of('ruleset example "Example" revision "1"\nkind Unit, units:\n  owner: player\n'), ()
    )
    assert made.sections == ()
