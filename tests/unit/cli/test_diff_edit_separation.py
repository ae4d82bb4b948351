"""Each edit that can be told from others has a witness of its own, and the others are named."""

import json
import re
from pathlib import Path

import pytest

from support.duel_example import STRIKE_RULES, RunCommand

BEFORE = """\
ruleset duel "A duel" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
  shield: flag = no
tally needed(target: Knight) from 4 "Needed to hit":
  shield: +1 when target.shield
procedure strike(striker: Knight, target: Knight) "A strike":
  require enemy: striker.owner != target.owner "only enemies are struck"
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= needed(target):
      take up to 1 from target.health
  step 2 "Falls" when target.health = 0:
    remove target
procedure rest(knight: Knight) "A rest":
  add up to 1 to knight.health
"""
EDITS = {
    "shield: +1 when": "shield: +2 when",
    "when target.health = 0": "when target.health <= 1",
    "add up to 1 to knight": "add up to 2 to knight",
}
WITNESSES = """\
Witness 1: A strike: the game ends differently
  shows
    tally needed "Needed to hit", shield: +1 → +2
  start
       players:
         red: {}
         blue: {}
       knights:
         gawain: {owner: red, health: 1, shield: yes}
         mordred: {owner: blue, health: 0}
       with: {striker: mordred, target: gawain}
  play
       1  Roll to hit
         blue   blow 1d6: 5
  OLD    because the die is 5, at least Needed to hit (5)
  NEW    skipped, because the die is 5, less than Needed to hit (6)
  OLD      Needed to hit: 5 = 4 +1 (shield)
  NEW      Needed to hit: 6 = 4 +2 (shield)
  OLD    gawain loses 1 health: 1 → 0
       2  Falls
         gawain is out of play
       strike ended

Witness 2: A strike: the game ends differently
  shows
    strike 2 "Falls": only when the target's health is 0 → at most 1
  start
       players:
         red: {}
         blue: {}
       knights:
         knight_1: {owner: red, health: 0}
         knight_2: {owner: blue, health: 1}
       with: {striker: knight_1, target: knight_2}
  play
       1  Roll to hit
         red    blow 1d6: 1
         skipped, because the die is 1, less than Needed to hit (4)
  OLD  2  Falls: skipped, knight_2's health is 1
  NEW  2  Falls
  NEW    knight_2 is out of play
       strike ended

Witness 3: A rest: the game ends differently
  shows
    procedure rest "A rest": The knight gains 1 health, as far as possible → The knight gains 2 health, as far as possible
  start
       players:
         red: {}
       knights:
         knight_1: {owner: red, health: 0}
       with: {knight: knight_1}
  play
  OLD    knight_1 gains 1 health: 0 → 1
  NEW    knight_1 gains 2 health: 0 → 2
       rest ended
"""
HIDDEN = """\
Witness 1: A strike: the two ask different questions from here on
  shows
    strike 1 "Roll to hit": added: The procedure ends
  start
       players:
         red: {}
       knights:
         knight_1: {owner: red, health: 0}
         knight_2: {owner: red, health: 0}
       with: {striker: knight_2, target: knight_1}
  play
       1  Roll to hit
  OLD    red: rolls blow:
  NEW  strike ended

Found only in plays without other edits:
  strike 1 "Roll to hit": The target loses 1 health, as far as possible → The target loses 2 health, as far as possible
"""


def written(name: str, text: str, edits: dict[str, str]) -> None:
    for old, new in edits.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def _three(run: RunCommand) -> None:
    del run
    written("before.rules", BEFORE, {})
    written("after.rules", BEFORE, EDITS)


@pytest.mark.usefixtures("_three")
def test_three_edits_have_a_witness_each(run: RunCommand) -> None:
    done = run("diff", "before.rules", "after.rules", "--workers", "1", "--all")
    assert done.exit == 1
    assert "Witness 1" + done.out.partition("\n\nWitness 1")[2] == WITNESSES


@pytest.mark.usefixtures("_three")
def test_several_processes_find_a_witness_for_each_too(run: RunCommand) -> None:
    document = json.loads(run("diff", "before.rules", "after.rules", "--workers", "2", "--format", "json").out)
    assert [each["shows"] for each in document["played"]["witnesses"]] == [[0], [1], [2]]
    assert [each["needs"] for each in document["played"]["witnesses"]] == [[], [], []]
    assert document["played"]["separated"] == {
        "seen": [0, 1, 2],
        "hidden": [],
        "whole": [],
        "silent": [],
        "untried": [],
    }


@pytest.mark.usefixtures("_three")
def test_what_is_not_shown_is_named(run: RunCommand) -> None:
    done = run("diff", "before.rules", "after.rules", "--workers", "1", "--witnesses", "1", "--all")
    assert done.out.endswith(
        "\nPlays show these too (more --witnesses):\n"
        '  procedure rest "A rest": The knight gains 1 health, as far as possible → The knight gains 2 health, as far as possible\n'
        "\nFound only in plays without other edits:\n"
        '  strike 2 "Falls": only when the target\'s health is 0 → at most 1\n'
    )


@pytest.mark.usefixtures("_three")
def test_the_change_log_and_the_page_say_what_a_witness_shows(run: RunCommand) -> None:
    log = run("diff", "before.rules", "after.rules", "--workers", "1", "--format", "markdown").out
    assert '  - shows tally needed "Needed to hit", shield: +1 → +2\n' in log
    assert run("diff", "before.rules", "after.rules", "--workers", "1", "--html", "page.html").exit == 1
    page = Path("page.html").read_text(encoding="utf-8")
    changes = re.findall(r'<section class="change" id.*?</section>', page, re.DOTALL)
    (change,) = [each for each in changes if "tally needed &#34;Needed to hit&#34;, shield: +1 → +2" in each]
    assert change.count('<table class="text story">') == 1


def test_an_edit_that_others_hide(run: RunCommand) -> None:
    written("before.rules", STRIKE_RULES, {})
    written("after.rules", STRIKE_RULES, {"    roll d6": "    finish\n    roll d6", "take up to 1": "take up to 2"})
    done = run("diff", "before.rules", "after.rules", "--workers", "1", "--all")
    assert "Witness 1: " + done.out.partition("\nWitness 1: ")[2] == HIDDEN


def test_edits_that_cannot_be_made_alone_are_one(run: RunCommand) -> None:
    written("before.rules", WHOLE, {})
    written("after.rules", WHOLE, MADE)
    document = json.loads(run("diff", "before.rules", "after.rules", "--workers", "1", "--format", "json").out)
    assert [each["text"] for each in document["edits"]] == TEXTS
    assert [each["shows"] for each in document["played"]["witnesses"]] == [[0, 1, 2], [3, 4, 5]]


WHOLE = """\
ruleset duel "A duel" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
  shield: flag = no
term weak(k: Knight) gives flag means k.health < 3
term reach(k: Knight) gives 0..9 means 1
procedure strike(striker: Knight, target: Knight) "A strike":
  step 1 "Strike":
    if weak(target):
      take up to 1 from target.health
  step 2 "Rest":
    add up to reach(striker) to striker.health
procedure rest(knight: Knight) "A rest":
  step 1 "Rest":
    add up to reach(knight) to knight.health
"""
MADE = {
    "term weak(k: Knight) gives flag means k.health < 3\n": (
        "term weak(k: Knight) when all:\n  hurt: k.health < 3\n  bare: not k.shield\n"
    ),
    "reach(k: Knight) gives 0..9 means 1": "reach(k: Knight, more: 0..9) gives 0..9 means more",
    "reach(striker)": "reach(striker, 2)",
    "reach(knight)": "reach(knight, 1)",
}
TEXTS = [
    "It applies if the knight's health is less than 3 → The knight's health is less than 3; The knight is not marked “shield”",
    "added: The knight's health is less than 3",
    "added: The knight is not marked “shield”",
    "1 → more",
    "added: `more: 0..9`",
    "The striker gains health equal to “reach” for the striker, as far as possible → The striker gains health equal to “reach” for the striker and 2, as far as possible",
    "The knight gains health equal to “reach” for the knight, as far as possible → The knight gains health equal to “reach” for the knight and 1, as far as possible",
]
