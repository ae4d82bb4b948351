"""What a comparison tells is true: of both only what both tell alike, edits as they are, scenarios that were tried."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from rulewright.cli.diff_witnesses import order_start_like, render_start
from rulewright.diff.differential_testing.results import WitnessSide
from support.duel_example import RunCommand

REPEATED = """\
ruleset duel "A duel" revision "1"
kind Knight, knights:
  owner: player
  health: 0..9
  shield: flag = no
tally needed(target: Knight) from 4 "Needed to hit":
  shield: +1 when target.shield "the shield"
procedure strike(striker: Knight, target: Knight) "A strike":
  let left: 0..3 = 3
  step 1 "Roll to hit":
    repeat while left > 0 at most 3:
      set left to left - 1
      roll d6 as blow by striker.owner
      if blow.natural >= needed(target):
        take up to 1 from target.health
  step 2 "Falls" when target.health = 0:
    remove target
"""
BIDDING = """\
ruleset bids "Bids" revision "1"
kind player, players:
  score: 0..9 = 0
procedure bid() "Bid":
  ask all players as p whether dare "Do you dare?"
  for each p in players:
    if dare[p]:
      add up to 1 to p.score
procedure bout(lead: player) "Bout":
  for each p in players:
    ask p whether go "Go?":
      add up to 1 to p.score
    ask p whether again "Again?":
      add up to 1 to p.score
"""
BLOCKS = """\
ruleset duel "A duel" revision "1"
kind Knight, knights:
  owner: player
  health: 0..9
procedure tire(k: Knight) "Tire":
  if k.health > 3:
    if k.health > 5:
      take up to 1 from k.health
    take up to 2 from k.health
"""


def compared(run: RunCommand, before: str, after: str, *flags: str) -> str:
    Path("old.rules").write_text(before, encoding="utf-8")
    Path("new.rules").write_text(after, encoding="utf-8")
    assert run("check", "new.rules").exit == 0
    return run("diff", "old.rules", "new.rules", *flags, "--all").out


def told(out: str, part: str = "play") -> list[tuple[str, str]]:
    """The start or the play of the first witness: the revision that tells a line, or nothing, and the line."""
    witness = out.partition("Witness 1: ")[2].partition("\n\n")[0].partition(f"\n  {part}\n")[2]
    lines = re.split(r"\n  (?=[a-z])", witness)[0].splitlines()
    return [(each[2:5].strip(), each[7:]) for each in lines]


def test_no_line_of_a_story_is_wider_than_the_terminal(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    reason = "the shield, which is held high above the head until the blow has fallen or the arm is tired"
    before = REPEATED.replace('"the shield"', f'"{reason}"')
    lines = told(compared(run, before, before.replace("shield: +1", "shield: +2"), "--format", "human"))
    assert any("the shield, which" in line for _, line in lines)
    assert all(len(line) <= 73 for _, line in lines)
    whole = " ".join(line.strip() for _, line in lines)
    assert f"({reason})" in whole


def stories(run: RunCommand, before: str, after: str, *flags: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The stories of the page: their titles, and their rows; what both tell once, gaps as empty, marked words in []."""
    compared(run, before, after, "--html", "page.html", *flags)
    page = re.sub(r"</?(?:ins|del)>", "|", Path("page.html").read_text(encoding="utf-8"))
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for title, table in re.findall(r"<p>([^<]*)</p>\n<table class=\"text story\">(.*?)</table>", page, re.DOTALL):
        body = table.partition("the play</th></tr>")[2]
        rows = [
            re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in re.findall("<tr>(.*?)</tr>", body, re.DOTALL)
        ]
        found.append(
            (title, [(row[0].strip(), row[-1].strip()) if len(row) > 1 else (row[0].strip(),) * 2 for row in rows])
        )
    return found


def test_the_page_tells_the_same_happening_on_one_row(run: RunCommand) -> None:
    """What one revision alone tells stands opposite a gap, what follows in both beside each other again."""
    before = REPEATED.replace("3 = 3", "1 = 1").replace("at most 3", "at most 1")
    after = before.replace("        take up to 1 from", "        set target.shield to no\n        take up to 1 from")
    ((title, rows),) = stories(run, before, after)
    assert title == "A strike: the game ends differently"
    apart = [row for row in rows if row[0] != row[1]]
    (lost,) = apart
    assert lost[0] == ""
    assert re.fullmatch(r"\w+\.shield: yes → no", lost[1])
    at = rows.index(lost)
    assert at > 0
    assert rows[at - 1][0] == rows[at - 1][1]
    assert any("is out of play" in each for each, _ in rows[at + 1 :])
    assert rows[-1] == ("strike ended",) * 2


def test_the_page_marks_the_words_that_differ(run: RunCommand) -> None:
    ((title, rows),) = stories(run, BLOCKS, BLOCKS.replace("take up to 2", "take up to 3"))
    assert title == "Tire: the game ends differently"
    (apart,) = [row for row in rows if row[0] != row[1]]
    old, new = (re.findall(r"\|(.*?)\|", each) for each in apart)
    assert (old[0], new[0]) == ("2", "3")
    assert re.sub(r"\|.*?\|", "", apart[0]) == re.sub(r"\|.*?\|", "", apart[1])


def test_each_change_has_its_own_story_or_says_why_there_is_none(run: RunCommand) -> None:
    after = BIDDING.replace('"Do you dare?":', '"Do you dare?":').replace(
        "    if dare[p]:\n      add up to 1", "    if dare[p]:\n      add up to 2"
    )
    after = after.replace('again "Again?":\n      add up to 1', 'again "Again?":\n      add up to 3')
    told_ = stories(run, BIDDING, after)
    assert [title for title, _ in told_] == [
        "Bid: the game ends differently",
        "Bout: the game ends differently",
    ]
    page = Path("page.html").read_text(encoding="utf-8")
    sections = re.findall(r'<section class="change" id="change-\d+">.*?</section>', page, re.DOTALL)
    assert [len(re.findall("<table", each)) for each in sections] == [1, 1]
    for number, section in enumerate(sections):
        assert f"gains {number + 2} score" in re.sub("<.*?>", "", section)
    compared(run, BIDDING, after, "--html", "page.html", "--work", "0")
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count("No play to show: nothing was played") == len(sections)


def test_the_page_lays_partners_of_both_texts_on_one_row(run: RunCommand) -> None:
    """A line that was moved under another number or written otherwise stands beside what it was."""
    after = REPEATED.replace('  step 1 "Roll', '  step 0 "Salute":\n    set target.shield to no\n  step 1 "Roll')
    after = after.replace("blow.natural >= needed(target)", "needed(target) <= blow.natural and target.health > 0")
    compared(run, REPEATED, after, "--html", "page.html", "--work", "0")
    page = Path("page.html").read_text(encoding="utf-8").partition("<h2>Texts")[2]
    rows = [re.sub("</?u>", "|", each) for each in re.findall("<tr>(.*?)</tr>", page, re.DOTALL)]
    cells = [[re.sub("<.*?>", "", each).strip() for each in re.findall("<td[^>]*>(.*?)</td>", row)] for row in rows]
    assert ["", "", "10", "step 0 &#34;Salute&#34;:"] in cells
    assert ["", "", "11", "set target.shield to no"] in cells
    (beside,) = [each for each in cells if "natural" in each[1]]
    assert "needed(target)" in beside[3].replace("|", "")


def test_starts_that_differ_in_nothing_but_their_order_are_told_alike() -> None:
    session: Any = None
    old, new = (
        WitnessSide("turn", {"field": {"cells": cells}}, {}, (), "asks", "turn/1", {}, session)
        for cells in ({"3,1": 1, "4,1": {"a": 1, "b": [2, 1]}}, {"4,1": {"b": [2, 1], "a": 1}, "3,1": 1})
    )
    assert [*render_start(new)] != [*render_start(old)] == [*render_start(order_start_like(new, old))]
    assert [*render_start(order_start_like(old, new))] == [*render_start(new)]


def test_a_row_without_a_play_of_its_own_is_shown_by_one_of_all_edits(run: RunCommand) -> None:
    assert run("new", "before", "--from", "hex-combat").exit == 0
    shutil.copytree("before", "after")
    rules, plays = Path("after/before.rules"), Path("after/plays.scenario.yaml")
    text = rules.read_text(encoding="utf-8")
    for was, now in (
        ("woods: flag = no", "woods: flag = no\n  hill: flag = no"),
        ("die_roll(defender: Unit, ", "die_roll(attacker: Unit, defender: Unit, "),
        ('"woods"\ntable', '"woods"\n  downhill: +1 when attacker.at.hill "downhill"\ntable'),
        ("roll: 0..6", "roll: 0..7"),
        ("  6 |", "  at least 6 |"),
        ("die_roll(defender, throw", "die_roll(attacker, defender, throw"),
    ):
        assert was in text
        text = text.replace(was, now)
    rules.write_text(text, encoding="utf-8")
    hill = """
  a hill helps:
    procedure: attack
    with: {attacker: lancers, defender: pikes}
    patch: {units: {lancers: {at: [4, 3]}, pikes: {at: [5, 3]}}, field: {cells: {"4,3": {hill: yes}}}}
    script: {1/throw: 3, fall_back/dest: [6, 3]}
    expect: {result: defender_back}
"""
    plays.write_text(plays.read_text(encoding="utf-8") + hill, encoding="utf-8")
    shown = run("diff", "before", "after", "--show", "1", "--work", "3000", "--workers", "1").out
    assert "No play of its own; in this one OLD and NEW differ by all edits together\nA play: An attack: " in shown
    assert "  NEW    The roll on the chart: 4 = 3 +1 (downhill)\n" in shown
