"""Rulings and settings as footnotes: where they stand, what they say, and what stays in the part of readings."""

from rulewright.base.source import Text
from rulewright.wording.chapter_builder import make_chapter
from rulewright.wording.chapter_document import Chapter, ChapterSection, Paragraph
from rulewright.wording.chosen_readings import fold_chosen_readings
from support.revision_pairs import check_text

RULES = """\
ruleset example "Example" revision "1"
document EX "The example"
kind Unit, units "A unit":
  tokens: 0..9
ruling EX.below "units are never shared"

ruling EX.above "the strong win"
setting twice: flag = yes "Who wins twice is safe"
term strong(u: Unit) when all "a strong unit":
  some: u.tokens > 2

# Of everything.
ruling EX.alone "no dice are used"

procedure pay(u: Unit) "Pay":
  ruling EX.line "half a token does not exist"
  take 1 from u.tokens
  else:
    ruling EX.none "nobody owes a token"
  if u.tokens = 2:
    ruling EX.when "two is enough"
  if u.tokens = 3 and twice:
    add up to 1 to u.tokens
  ruling EX.last "nothing follows"
"""


def _make() -> Chapter:
    chosen = fold_chosen_readings(check_text(RULES))
    (source,) = {ruling.span.source for ruling in chosen.program.rulings}
    return make_chapter(chosen.program, {source: Text(source, RULES)}, (), chosen.settled)


def _find_section(chapter: Chapter, heading: str) -> ChapterSection:
    return next(each for part in chapter.sections for each in part.sections if each.heading == heading)


def _list_marked(paragraphs: tuple[Paragraph, ...]) -> list[tuple[str, list[int]]]:
    return [(each.text, [footnote.number for footnote in each.footnotes]) for each in paragraphs]


def test_a_ruling_is_a_footnote_of_the_line_below_it_and_a_setting_of_the_line_that_it_decides() -> None:
    section = _find_section(_make(), "Pay")
    assert _list_marked(section.entries[1:]) == [
        ("The unit loses 1 token, if it has one.", [1, 2]),
        ("If the unit's tokens are 3:", [3, 4, 5]),
    ]
    assert [(each.number, each.ruling, each.text) for each in section.foot] == [
        (1, "EX.line", "Half a token does not exist."),
        (2, "EX.none", "Nobody owes a token."),
        (3, "EX.when", "Two is enough."),
        (4, "", "Who wins twice is safe: yes. Possible readings: yes or no."),
        (5, "EX.last", "Nothing follows."),
    ]


def test_a_ruling_beside_a_declaration_is_a_footnote_of_its_heading() -> None:
    section = _find_section(_make(), "A unit")
    assert [each.text for each in section.footnotes] == ["Units are never shared."]
    assert section.foot == section.footnotes


def test_rulings_that_stand_beside_nothing_that_is_printed_are_in_the_part_of_readings() -> None:
    (paragraph,) = _find_section(_make(), "Chosen once").entries
    assert paragraph.grid is not None
    assert [row[0] for row in paragraph.grid.rows] == ["EX.above", "EX.alone"]
