"""Paths with ranges and calls inside of calls, the steps of each call, and what happens one after the other."""

from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line

RULES = """\
ruleset bout "A bout" revision "1"
kind player, players:
  gold: 0..9 = 0
event paid(who: player)
procedure fight(times: 1..3) "Fight":
  step 1 "One":
    let x = times + 1
  step 2 "Two" when times >= 2:
    let y = times
  step 3 "Three":
    perform rest(1)
procedure rest(n: 1..3) "Rest":
  step 1 "Sit":
    let z = n
procedure go(p: player) "Go":
  step 1 "A":
    let a = 1
  step 2 "B":
    for each k in {1, 2}:
      perform fight(k)
  step 3 "C":
    ask p whether pay "Pay?":
      trigger paid(p)
  step 4 "D":
    roll d6 as blow
"""
SCENARIO = """\
procedure: go
with: {{p: red}}
state: {{players: {{red: {{gold: 1}}, blue: {{}}}}}}
scenarios:
  it: {{script: [yes, [4]], expect: {{{expect}}}}}
"""
FILE = Path("bout.scenario.yaml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bout.rules").write_text(RULES, encoding="utf-8")


def played(expect: str, *arguments: str) -> int:
    FILE.write_text(SCENARIO.format(expect=expect), encoding="utf-8")
    return int(run_command_line(["test", *arguments]))


@pytest.mark.parametrize(
    "expect",
    [
        "path: [1, 2, 1, 3, 1, 1, 2, 3, 1, 3, 4]",
        "path: [go/1, go/2, fight/1, fight/3, rest/1, 1, 2, 3, 1, 3-4]",
        "path: [1-2, 1, 3, 1, fight/1-3, rest/1, go/3-4]",
        "path: [1, 2, fight: [1, 3, rest: [1]], fight: [1-3, rest: [1]], 3-4]",
        "path: [1-2, {fight: [1, 3, rest: [1]]}, {fight: [1, 2, 3, rest: [1]]}, 3, 4]",
        "path: {fight: [[1, 3], [1-3]], rest: [[1], [1]], go: [1-4]}",
        "path: {go: [[1-4]]}",
        "passed_over: [2]",
        "happens: [1, fight/1, rest/1, fight/2, pay, paid, 4, blow]",
        "happens: [fight/1, fight/1, perform.rest, go/3]",
        "happens: []",
    ],
)
def test_what_happened_is_expected(expect: str) -> None:
    assert played(expect) == 0


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        (
            "path: [1, 2, fight: [1, 3, rest: [1]], fight: [1, 3, rest: [1]], 3-4]",
            "path after 1\n    expected: 3, rest: [1]], 3, 4\n    got:      2, 3, rest: [1]], 3, 4\n",
        ),
        (
            "path: [1, 2, fight: [1, 3, rest: [1], 1, 2, 3, rest: [1]], 3-4]",
            "expected: 1, 2, 3, rest: [1]], 3, 4\n    got:      ], fight: [1, 2, 3, rest: [1]], 3, 4\n",
        ),
        ("path: [1-4]", "path after 2\n    expected: 3, 4\n    got:      1, 3, 1, 1, 2, 3, 1, 3, 4\n"),
        ("path: {fight: [1, 3]}", "path fight, call 2 of 2\n    expected: no more calls\n    got:      1, 2, 3\n"),
        ("path: {fight: [[1, 3], [1, 3]]}", "path fight, call 2 of 2\n    expected: 1, 3\n    got:      1, 2, 3\n"),
        ("path: {rest: []}", "path rest, call 1 of 2\n    expected: no more calls\n    got:      1\n"),
        ("happens: [fight/2, fight/2]", "happens after fight/2\n    expected: fight/2\n    got:      fight/3, "),
        ("happens: [paid, pay]", "happens after paid\n    expected: pay\n    got:      go/4, go/4/blow\n"),
        ("happens: [blow, 1, 2]", "happens after blow\n    expected: 1, 2\n    got:      nothing more\n"),
    ],
)
def test_where_it_went_otherwise(expect: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert played(expect) == 1
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("path: [1-7]", "error RW1007: there is no step `1-7`"),
        ("path: [4-1]", "error RW1007: there is no step `4-1`"),
        ("path: [1, figth: [1]]", "error RW1007: there is no procedure `figth`\n"),
        ("path: {figth: [1]}", "  help: did you mean `fight`?\n"),
        ("path: [1, fight: [4]]", "  help: you can write `fight/1`, `fight/2` or `fight/3`\n"),
        ("path: [1, [2]]", "error RW1002: this is [2]; it must be a step, or a procedure with its steps\n"),
        ("path: [1, fight: [[2]]]", "error RW1002: a list stands in a path; "),
        ("path: {fight: 1}", "error RW1002: this is 1; it must be a list of steps\n"),
        ("happens: [blwo]", "error RW1007: nothing that happens is called `blwo`\n"),
        ("happens: blow", "error RW1002: "),
    ],
)
def test_what_cannot_be_expected(expect: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert played(expect) == 2
    assert told in capsys.readouterr().out


@pytest.mark.parametrize(
    ("expect", "accepted"),
    [
        ("path: [1, 2]", "path: [1, 2, 1, 3, 1, 1, 2, 3, 1, 3, 4]"),
        ("path: [1-4]", "path: [1, 2, 1, 3, 1, 1, 2, 3, 1, 3, 4]"),
        (
            "path: [1, fight: [1], 2]",
            "path: [1, 2, {fight: [1, 3, {rest: [1]}]}, {fight: [1, 2, 3, {rest: [1]}]}, 3, 4]",
        ),
        ("path: {fight: [1, 3], go: [1-4]}", "path: {fight: [[1, 3], [1, 2, 3]], go: [1-4]}"),
        ("path: {go: [1]}", "path: {go: [1, 2, 3, 4]}"),
    ],
)
def test_paths_are_accepted_in_their_form(expect: str, accepted: str) -> None:
    assert played(expect, "--accept", "--yes") == 0
    assert accepted in FILE.read_text(encoding="utf-8")
