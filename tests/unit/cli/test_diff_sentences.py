"""Rows of the first screen for edits of starters and shipped rulesets: each names what changed, and where."""

import shutil
from pathlib import Path

import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand

MIDDLE = "| attacker_back | nothing_comes | defender_back | defender_back\n"
ROWS = [
    (
        "hex-combat",
        "  woods: -1 when",
        "  woods: -2 when",
        "The roll on the chart: woods: \N{MINUS SIGN}1 → \N{MINUS SIGN}2",
    ),
    (
        "hex-combat",
        "double when attack >= 2 * defence",
        "double when attack > 2 * defence",
        "The odds: 2:1: the attack is at least 2 \N{MULTIPLICATION SIGN} the defence → more than 2",
    ),
    (
        "hex-combat",
        "ask loser.owner for dest",
        "ask foe.owner for dest",
        "Where does it retreat to?: the loser's owner decides → the foe's owner decides",
    ),
    (
        "hex-combat",
        "  else:\n    remove loser",
        "  else:\n    nothing",
        "no longer: Remove the loser from play, if there is no possible answer",
    ),
    ("hex-combat", "speed: 1..6 = 3", "speed: 1..6 = 4", "A unit: speed: 3 → 4 at the start"),
    (
        "hex-combat",
        "turns: 1..20 = 6",
        "turns: 1..20 = 8",
        "A battle: turns: 6 → 8 if not given",
    ),
    (
        "hex-combat",
        f"  2..3 {MIDDLE}  4..5 |",
        f"  2..4 {MIDDLE}  5 |",
        "1 ? Combat results: 2 to 3 → 2 to 4 2 ? Combat results: 4 to 5 → 5",
    ),
    (
        "card-turn",
        "lot: highest roll d6 by p",
        "lot: highest roll 2d6 by p",
        "lot: The player rolls one d6, highest first → The player rolls 2d6, highest first",
    ),
    ("card-turn", '      option wait "Nothing"\n', "", "What is a point spent on?: Nothing: no longer an option"),
    (
        "card-turn",
        "a.strength <= 4)",
        "a.strength <= 3)",
        "there is one of “own” for the player whose strength is at most 4 → at most 3",
    ),
    (
        "card-turn",
        "    add card to p.hand\n",
        "    add card to p.hand\n    add 1 to p.score\n",
        "The hand is filled: now: The player gains 1 score",
    ),
    ("pig", "if throw.natural = 1:", "if throw.natural <= 2:", "the throw shows 1 → at most 2"),
    (
        "pig",
        "roll d6 as throw",
        "roll d8 as throw",
        "The roller rolls one d6 (throw) → The roller rolls one d8",
    ),
    (
        "pig",
        "    if throw.natural = 1:\n      finish with 0\n",
        "",
        "no longer: If the throw shows 1: the procedure ends, and its result is 0",
    ),
    (
        "risk",
        "1..min(3, attacker.armies - 1)",
        "1..min(4, attacker.armies - 1)",
        "chooses a number from 1 to the least of 3 and (the attacker's armies − 1) → ",  # noqa: RUF001
    ),
    (
        "risk",
        'attacker.armies >= 2 "one',
        'attacker.armies >= 3 "one',
        "one army has to stay behind: the attacker's armies are at least 2 → at least 3",
    ),
    (
        "tricorne-melee",
        "let suffered = min(hits, unit.blocks)\n  let leader",
        "let suffered = min(3, hits, unit.blocks)\n  let leader",
        "Let “suffered” be the least of the hits and the unit's blocks → Let “suffered” be the least of 3",
    ),
    (
        "tricorne-melee",
        "attacker.arm != artillery:\n    ask",
        "attacker.arm != cavalry:\n    ask",
        "The unit falls back: the attacker's arm is not artillery → not cavalry",
    ),
    (
        "mel",
        "    turn attacker to face defender.at  @10.a\n    trigger melee_begins(attacker, defender)  @10.b\n",
        "    trigger melee_begins(attacker, defender)  @10.b\n    turn attacker to face defender.at  @10.a\n",
        "Turn the attacker to face the defender's place; this now comes after: “At the beginning of the action”",
    ),
]
"""A ruleset, what is edited and to what, and what a row then says."""


@pytest.mark.parametrize(("name", "before", "after", "told"), ROWS)
def test_a_row_says_what_changed_and_where(run: RunCommand, name: str, before: str, after: str, told: str) -> None:
    shipped = Path(get_resource_folder("rulesets")) / name
    source = shipped if shipped.is_dir() else Path(get_resource_folder("starters")) / name
    for revision in ("old", "new"):
        shutil.copytree(source, revision, ignore=shutil.ignore_patterns("*.scenario.yaml"))
        for each in Path(revision).glob("*.rules"):
            if each.read_text(encoding="utf-8").startswith("amends"):
                each.unlink()
    texts = {each: each.read_text(encoding="utf-8") for each in Path("new").glob("*.rules")}
    ((edited, text),) = ((each, text) for each, text in texts.items() if before in text)
    assert text.count(before) == 1
    edited.write_text(text.replace(before, after), encoding="utf-8")
    out = run("diff", "old", "new", "--work", "0").out
    assert told in " ".join(out.split())
    assert "`" not in out.partition("CHECK")[0]
