"""What the solver knows of numbers of dice and members, and what it must not take for known."""

import pytest

from rulewright.diff.comparison import compare_rulesets
from support.reference.ruleset_texts import load_text

TEXT = """ruleset dice "Dice" revision "1"
kind Unit, units "A unit":
  owner: player
  m: 0..9 = 3
  flag: flag
  marks: list of 1..6 = []
term showing(hand: pool, n: 1..6) gives 0..99 means {showing}
procedure throw(u: Unit, n: 0..4) gives 0..999 "A throw":
  roll {roll} as hand by u.owner
  let high = count(each d in hand where d.natural > 3)
{lines}
  finish with {end}
procedure more(u: Unit) gives 0..999 "More dice":
  roll {other} as hand by u.owner
  finish with showing(hand, 1)
"""
PLAIN = {
    "roll": "n of d6",
    "other": "2d6",
    "lines": "  let low = showing(hand, 1)",
    "end": "high + low",
    "showing": "count(each d in hand where d.natural = n)",
}


def known(old: dict[str, str], new: dict[str, str]) -> str:
    both = []
    for parts in (old, new):
        text = TEXT
        for name, value in {**PLAIN, **parts}.items():
            text = text.replace(f"{{{name}}}", value)
        both.append(load_text(text))
    return str(compare_rulesets(*both).static_verdict)


def one(name: str, old: str, new: str, **more: str) -> str:
    return known({name: old, **more}, {name: new, **more})


PROVED = "equivalent (proved, by a solver)"
DICE = "count(each d in hand where d.natural {})"
LOW, HIGH = DICE.format("< 3"), DICE.format(">= 3")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"min(4, {LOW})", LOW),
        (f"max(0, {LOW})", LOW),
        ("min(4, high)", "high"),
        ("min(24, total(hand))", "total(hand)"),
        ("max(count(hand), total(hand))", "total(hand)"),
        (f"count(hand) - {LOW}", HIGH),
        (f"{LOW} + {HIGH}", "count(hand)"),
        (f"{DICE.format('= 1')} + {DICE.format('= 2')}", LOW),
        (f"if({DICE.format('= 1')} > {LOW}, 7, 8)", "8"),
        ("count(units) - count(each x in units where not x.flag)", "count(each x in units where x.flag)"),
        ("count(u.marks) - count(each x in u.marks where x > 2)", "count(each x in u.marks where x <= 2)"),
    ],
)
def test_counts_that_are_the_same(old: str, new: str) -> None:
    assert one("end", old, new) == PROVED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"min(3, {LOW})", LOW),
        ("min(23, total(hand))", "total(hand)"),
        (f"count(hand) - {LOW}", DICE.format("> 3")),
        (f"{DICE.format('<= 3')} + {HIGH}", "count(hand)"),
        (f"{DICE.format('= 1')} + {DICE.format('= 3')}", LOW),
        ("count(units) - count(each x in units where not x.flag)", "count(each x in units where x.flag or x.m = 9)"),
        ("count(units) - count(each x in units where x != u)", "1"),
        ("count({each x in u.marks: x})", "count(u.marks)"),
    ],
)
def test_counts_that_are_not(old: str, new: str) -> None:
    assert one("end", old, new) == "None"


def test_dice_of_a_parameter_are_those_that_calls_give() -> None:
    needless = "min({}, count(each d in hand where d.natural = n))"
    assert one("showing", needless.format(4), PLAIN["showing"]) == PROVED
    assert one("showing", needless.format(4), PLAIN["showing"], other="5d6") == "None"
    assert one("showing", needless.format(5), PLAIN["showing"], other="5d6") == PROVED


def test_dice_that_explode_bring_more() -> None:
    for roll in ("n of d6 explode on 6 at most 3", "[n of d6 explode on 6 at most 3]"):
        assert one("end", f"min(4, {LOW})", LOW, roll=roll) == "None"
    assert one("end", f"min(6, {LOW})", LOW, roll="[n of d6, 2 of d6]") == PROVED
    assert one("end", f"min(5, {LOW})", LOW, roll="[n of d6, 2 of d6]") == "None"


def test_a_name_that_lines_change_may_hold_more() -> None:
    lines = "  let low: 0..99 = count(each d in hand where d.natural < 3)\n{}  let k = low"
    assert one("end", "min(4, k)", "k", lines=lines.format("")) == PROVED
    assert one("end", "min(4, k)", "k", lines=lines.format("  add 3 to low\n")) == "None"


def test_a_name_that_a_loop_sets_again_may_hold_more() -> None:
    lines = (
        "  let low: 0..99 = 0\n  for each t in 1..3:\n    let found = low\n    set low to min({}, found)\n"
        "    roll {} of d6 as again by u.owner\n    set low to count(each d in again where d.natural < 3)"
    )
    assert known({"lines": lines.format(9, 8)}, {"lines": lines.format(8, 8)}) == "None"
