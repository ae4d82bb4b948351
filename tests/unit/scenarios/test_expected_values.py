"""What lines give, options in any order, and answers that are refused at another time: as it is written and told."""

from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line

RULES = """\
ruleset march "A march" revision "1"
kind player, players:
  rich: flag = no
kind Unit, units:
  owner: player
  at: hex
board field of hex
game:
  hand: bag of 1..9
procedure go(unit: Unit) "Go":
  step 1 "Roll":
    roll d6 as one
    roll 2d6 as two
    draw from hand as card
    let all_units = units
    let taken = {each u in units where u.owner != unit.owner and one.natural = 1}
  step 2 "Move":
    ask unit.owner for dest in neighbours(unit.at) "Where"
    move unit to dest
  step 3 "Again" when one.natural = 6:
    proceed to 1 at most 2
  step 4 "Bids":
    ask all players as p for bid in {0, 1, 2, 3} where p.rich or bid <= 2 "Bid"
"""
HEAD = """\
procedure: go
with: {unit: a}
state:
  players: {red: {rich: yes}, blue: {}}
  units: {a: {owner: red, at: [0, 0]}, b: {owner: blue, at: [3, 0]}}
  field: {shape: {radius: 4}}
  game: {hand: [3, 4]}
scenarios:
"""
ONCE = "[[5], [3, 4], 3, [1, 0], 1, 2]"
TWICE = "[[6], [3, 4], 3, [1, 0], [1], [1, 1], [2, 0], 1, 2]"
FILE = Path("march.scenario.yaml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("march.rules").write_text(RULES, encoding="utf-8")


def played(script: str, expect: str, *arguments: str) -> int:
    FILE.write_text(f"{HEAD}  it: {{script: {script}, expect: {{{expect}}}}}\n", encoding="utf-8")
    return int(run_command_line(["test", *arguments]))


VALUES = [
    (ONCE, "one: 5"),
    (ONCE, "one: [5]"),
    (ONCE, "two: [3, 4]"),
    (ONCE, "two: [[3, 4]]"),
    (ONCE, "card: 3"),
    (ONCE, "dest: [1, 0]"),
    (ONCE, "dest: [[1, 0]]"),
    (ONCE, "all_units: [a, b]"),
    (ONCE, "all_units: [[a, b]]"),
    (ONCE, "taken: [[]]"),
    (TWICE, "one: [6, 1]"),
    (TWICE, "two: [[3, 4], [1, 1]]"),
    (TWICE, "card: [3, 4]"),
    (TWICE, "dest: [[1, 0], [2, 0]]"),
    (TWICE, "all_units: [[a, b], [a, b]]"),
]


@pytest.mark.parametrize(("script", "values"), VALUES)
def test_values_are_written_as_anywhere_else(script: str, values: str) -> None:
    assert played(script, f"values: {{{values}}}") == 0


@pytest.mark.parametrize(
    ("script", "values", "told"),
    [
        (ONCE, "two: [3, 5]", "expected: [3, 5]\n    got:      [3, 4]"),
        (ONCE, "dest: [0, 1]", "expected: (0, 1)\n    got:      (1, 0)"),
        (TWICE, "dest: [1, 0]", "expected: (1, 0)\n    got:      (1, 0), then (2, 0)"),
        (TWICE, "one: 6", "expected: 6\n    got:      6, then 1"),
        (ONCE, "taken: []", "expected: it does not run; `[[]]` says that it gives nothing"),
        (ONCE, "one: []", "expected: it does not run\n"),
        (
            ONCE,
            "dest: [1]",
            "what `go/2/dest` gives is [1]; it must be the two numbers of a cell, such as `[2, -1]`",
        ),
        (
            ONCE,
            "dest: [a, b]",
            "  help: a value of this line is a list: `[…]`, or of a line that runs twice `[[…], […]]`",
        ),
        (ONCE, "two: 7", "what `go/1/two` gives is 7; it must be a list"),
        (ONCE, "all_units: [c]", "a member of what `go/1/all_units` gives is `c`, which is not a Unit here"),
        (ONCE, "one: [[5]]", "what `go/1/one` gives is [5]; it must be a whole number, from 1 to 6"),
    ],
)
def test_what_is_told_of_values(script: str, values: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert played(script, f"values: {{{values}}}") != 0
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("script", "values", "accepted"),
    [
        (ONCE, "dest: [0, 1]", "dest: [1, 0]"),
        (ONCE, "dest: [[0, 1]]", "dest: [[1, 0]]"),
        (TWICE, "dest: [0, 1]", "dest: [[1, 0], [2, 0]]"),
        (ONCE, "two: [3, 5]", "two: [3, 4]"),
        (ONCE, "one: 4", "one: 5"),
        (ONCE, "one: [4]", "one: [5]"),
        (ONCE, "taken: [b]", "taken: [[]]"),
    ],
)
def test_values_are_accepted_in_the_form_they_have(script: str, values: str, accepted: str) -> None:
    assert played(script, f"values: {{{values}}}", "--accept", "--yes") == 0
    assert f"values: {{{accepted}}}" in FILE.read_text(encoding="utf-8")


def test_options_from_a_set_have_no_order(capsys: pytest.CaptureFixture[str]) -> None:
    around = "[1, -1], [1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1]"
    assert played(ONCE, f"offered: {{dest: [{around}], bid: [3, 1, 2, 0]}}") == 0
    assert played(ONCE, "offered: {bid: [3, 1, 2]}") == 1
    assert "expected: 3, 1, 2\n    got:      0, 1, 2, 3\n" in capsys.readouterr().out
    assert played(ONCE, "offered: {bid: [3, 1, 2, 0, 0]}") == 1


@pytest.mark.parametrize(
    ("rejected", "told"),
    [
        ("answer: 3, because: more than 2, time: 2", ""),
        ("answer: 3, because: more than 2", "accepted; it is refused so with `time: 2`\n"),
        ("answer: 9, because: of gold, by: blue", "`red` is asked; `blue` is asked with `time: 2`\n"),
        ("answer: 2, because: more than 2", "got:      accepted\n"),
    ],
)
def test_who_is_asked_later_is_named_by_the_time(rejected: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert played(ONCE, f"rejects: [{{at: bid, {rejected}}}]") == (1 if told else 0)
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ("units: {a: {at: [1, 0]}}, game: {hand: [4]}", ""),
        ("units: {a: {at: [1, 0]}, b: {at: [3, 0]}}, game: {hand: [4]}", "changes b.at"),
        ("units: {a: {at: [1, 0], owner: red}}, game: {hand: [4]}", "changes a.owner"),
        ("units: {a: {at: [1, 0]}}, game: {hand: [4]}, players: {red: {rich: yes}}", "changes red.rich"),
        ("units: {a: {at: [1, 0]}, b: {}}, game: {hand: [4]}, players: {}", ""),
    ],
)
def test_what_is_said_to_change_has_changed(changes: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert played(ONCE, f"changes: {{{changes}}}", "--format", "plain") == (1 if told else 0)
    said = capsys.readouterr().out
    assert (f"{told}\n    expected: a change\n    got:      stays " in said) == bool(told), said
    assert played(ONCE, f"changes: {{{changes}}}", "--accept", "--yes") == 0
    assert "b: {at" not in FILE.read_text(encoding="utf-8")


def test_what_changed_and_came_back_may_be_told() -> None:
    back = "[[6], [3, 4], 3, [1, 0], [1], [1, 1], [0, 0], 1, 2]"
    assert played(back, "changes: {units: {a: {at: [0, 0]}}, game: {hand: []}}") == 0
