"""Edits are told once, in the order of the text, in their sections and below their headings."""

import pytest

from rulewright.diff.comparison import FullComparison, compare_rulesets
from rulewright.diff.differential_testing.results import BehaviourComparison, BehaviourVerdict, MigratedPlay
from rulewright.diff.edit_report import render_edits
from rulewright.diff.edits import IMPLIED_SECTION
from rulewright.diff.first_screen import build_screen
from support.reference.ruleset_texts import load_text

RULES = """\
ruleset brawl "A brawl" revision "1"
values Mood: calm, angry
kind Fighter, fighters "A fighter":
  owner: player
  health: 0..9
  mood: Mood = calm
  hurt means health < 3
setting hard: flag = no "hard blows"
procedure rest(f: Fighter, hours: 1..8 = 1) "A rest":
  add up to hours to f.health
tally harm(f: Fighter) from 1 "Harm":
  hard: +1 when hard
procedure strike(target: Fighter) "A strike":
  step 1 "The blow":
    take up to harm(target) from target.health
    take up to 1 from target.health
    ask target.owner to choose reply "What then?":
      option rest "Rest":
        perform rest(target)
      option stand "Stand":
        nothing
"""


def _told(*edits: tuple[str, str], rules: str = RULES) -> list[tuple[str, str]]:
    """The section and the line of every edit."""
    text = rules
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    old, new = load_text(rules), load_text(text)
    comparison = compare_rulesets(old, new)
    found = render_edits(comparison, comparison.word_edits())
    return [(each.section, str(each)) for each in found if each.section != IMPLIED_SECTION]


def test_edits_stand_in_the_order_of_the_new_text() -> None:
    edits = (
        ("health: 0..9", "health: 0..8"),
        ("health < 3", "health < 4"),
        ("+1 when hard", "+2 when hard"),
        ("take up to 1 from", "take up to 2 from"),
    )
    assert _told(*edits) == [
        ("rules", "attribute Fighter.health: 0 to 9 → 0 to 8"),
        ("rules", "attribute Fighter.hurt: its health is less than 3 → less than 4"),
        ("rules", 'tally harm "Harm", hard: +1 → +2'),
        (
            "rules",
            'strike 1 "The blow": The target loses 1 health, as far as possible → The target loses 2 health, as far as possible',
        ),
    ]


def test_what_was_removed_stands_where_it_was() -> None:
    gone = 'tally harm(f: Fighter) from 1 "Harm":\n  hard: +1 when hard\n'
    edits = ((gone, ""), ("harm(target)", "2"), ("hours: 1..8 = 1", "hours: 1..9 = 1"))
    assert [said.partition(" ")[0] for _, said in _told(*edits)] == ["procedure", "tally", "strike"]


def test_a_list_is_told_with_the_setting_that_chooses_from_it() -> None:
    edits = (
        ("values Mood", "values Blows: soft, middling, hard_ones\nvalues Mood"),
        ("setting hard", 'setting blows: Blows = soft "how hard blows are"\nsetting hard'),
    )
    said = 'setting blows "how hard blows are": added: soft, middling or hard_ones; soft unless chosen'
    assert _told(*edits) == [("declarations", said)]


def test_a_default_is_told_once_and_not_at_every_call() -> None:
    said = 'procedure rest "A rest", parameter hours: 1 → 2 if not given'
    assert _told(("hours: 1..8 = 1", "hours: 1..8 = 2")) == [("rules", said)]


@pytest.mark.parametrize(
    ("before", "after", "section", "said"),
    [
        ("  hurt means", "  rage: 0..3 = 0\n  hurt means", "declarations", "added: `rage: 0..3 = 0`"),
        (
            "  hurt means",
            "  hale means health > 5\n  hurt means",
            "rewritten",
            "added: It is “hale” if its health is more than 5",
        ),
        ("calm, angry", "calm, wary, angry", "rules", "added"),
        (
            "procedure strike",
            "measure hale(p: player): count(each f in fighters where f.owner = p)\nprocedure strike",
            "declarations",
            "added: `measure hale(p: player): count(each f in fighters where f.owner = p)`",
        ),
    ],
)
def test_what_there_is_apart_from_what_happens(before: str, after: str, section: str, said: str) -> None:
    found = _told((before, after))
    assert [(where, line[line.index("added") :]) for where, line in found] == [(section, said)]


def test_options_are_named_with_their_question_and_title() -> None:
    edits = (('option stand "Stand"', 'option stand when target.health > 1 "Stand"'),)
    said = 'strike 1 "The blow", reply stand "Stand": now only when the target\'s health is more than 1'
    assert _told(*edits) == [("rules", said)]


def test_lines_that_moved_and_of_which_one_was_changed_are_told_so() -> None:
    loop = """    for each other in fighters where other != target:
      set other.mood to calm
      take up to {} from other.health
"""
    after = '  step 2 "After it":\n    set target.mood to calm\n'
    rules = RULES.replace("    take up to 1 from target.health\n", loop.format(1)) + after
    assert _told((loop.format(1), ""), (after, after + loop.format(2)), rules=rules) == [
        (
            "rules",
            'strike 2 "After it": For each “other” fighter of the fighters that is not the target; this moved here from “The blow”',
        ),
        (
            "rules",
            'strike 2 "After it": The “other” fighter loses 1 health, as far as possible → The “other” fighter loses 2 health, as far as possible',
        ),
    ]


@pytest.mark.parametrize("word", ["changed", "unknown"])
def test_the_only_edit_is_shown_by_whatever_makes_the_verdict_changed(word: str) -> None:
    old, new = load_text(RULES), load_text(RULES.replace("take up to 1 from", "take up to 2 from"))
    assert old.program is not None
    assert new.program is not None
    found = compare_rulesets(old, new)
    ends = MigratedPlay("a strike", "differs", "state")
    played = BehaviourComparison(
        BehaviourVerdict(word, "1 scenario"), 0, 0, None, 0, (), (), (), (), (), (), scenarios=(ends,)
    )
    edits = render_edits(found, found.word_edits())
    (row,) = build_screen(FullComparison(found, played), edits, found.word_edits()).rows
    assert row.is_shown == (word == "changed")


def test_a_row_of_a_table_with_another_input_says_what_it_applies_to() -> None:
    """What it gives is the same, so nothing is said of that."""
    table = "table luck(roll: 1..6, mood: Mood) gives 0..9:\n  across mood: calm | angry\n  1..5 | 1 | 2\n  6 | 3 | 4\n"
    rules = RULES.replace("setting hard", f"{table}setting hard")
    said = [each for _, each in _told(("  6 | 3", "  at least 6 | 3"), rules=rules)]
    assert said == [f"table luck, 6 6/{each}: 6 → 6 or more" for each in ("calm", "angry")]
