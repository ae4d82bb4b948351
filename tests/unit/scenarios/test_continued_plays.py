"""What comes after a play: begun on the state that it left, judged by itself, under the same readings."""

import json
from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line
from support.strike_scenarios import SHIELDED_STRIKE_HEAD

FEUD = """\
  a feud:
    script: [[5], parry]
    expect: {changes: {knights: {mordred: {shield: no}}}}
    then:
      script: [[4]]
      expect: {result: 1, changes: {knights: {mordred: {health: 2}}}}
      then:
        with: {striker: mordred, target: gawain}
        patch: {game: {active: blue}}
        script: [[5]]
        expect: {changes: {knights: {gawain: {health: 4}}}}
"""
FILE = "duel/duel.scenario.yaml"


pytestmark = pytest.mark.usefixtures("folder")


def results(content: str, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str]]:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + content, encoding="utf-8")
    run_command_line(["test", "--format", "json", *arguments])
    return [(each["name"], each["outcome"]) for each in json.loads(capsys.readouterr().out)["results"]]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_each_play_goes_on_where_the_last_one_ended(workers: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert results(FEUD, capsys, "--workers", workers) == [
        ("a feud", "passed"),
        ("a feud / then", "passed"),
        ("a feud / then / then", "passed"),
    ]
    assert results(FEUD, capsys, "-k", "then / then") == [("a feud / then / then", "passed")]


def test_another_procedure_has_roles_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    content = FEUD.partition("      script: [[4]]")[0] + (
        "      procedure: gust\n      with: {k: gawain}\n      script: [{result: 1}]\n"
        "      expect: {changes: {knights: {gawain: {health: 6}}}}\n"
    )
    assert results(content, capsys) == [("a feud", "passed"), ("a feud / then", "passed")]


def test_readings_and_conditions_hold_for_their_own_play(capsys: pytest.CaptureFixture[str]) -> None:
    content = FEUD.replace(
        "    script: [[5], parry]", "    matrix: {settings: {deadly: [no, yes]}}\n    script: [[5], parry]"
    )
    content = content.replace("expect: {result: 1, ", 'expect: {always: ["for each k in knights: not k.shield"], ')
    assert {outcome for _, outcome in results(content, capsys)} == {"passed"}
    assert len(results(content, capsys)) == 6
    wrong = content.replace("not k.shield", "k.health >= 3")
    assert [outcome for _, outcome in results(wrong, capsys)] == ["passed", "failed", "passed"] * 2


def test_nothing_follows_what_does_not_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert [outcome for _, outcome in results(FEUD.replace("[[5], parry]", "[[5]]"), capsys)] == ["wrong"] * 3
    run_command_line(["test"])
    printed = capsys.readouterr().out
    assert (
        "error RW1020: `a feud` does not end, so no play can follow it\n  --> duel/duel.scenario.yaml:11:5" in printed
    )


def test_what_comes_after_is_accepted_where_it_stands() -> None:
    wrong = FEUD.replace("result: 1", "result: 2").replace("gawain: {health: 4}", "gawain: {health: 3}")
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + wrong, encoding="utf-8")
    assert run_command_line(["test", "--accept", "--yes"]) == 0
    assert Path(FILE).read_text(encoding="utf-8") == SHIELDED_STRIKE_HEAD + FEUD


def test_a_table_and_a_run_have_it_too(capsys: pytest.CaptureFixture[str]) -> None:
    content = """\
  a feud:
    script: [[5], parry]
    expect: {changes: {knights: {mordred: {shield: no}}}}
    cases:
      - [case, then.script, then.expect.result]
      - [a hit, [[4]], 1]
      - [a miss, [[3]], 0]
"""
    assert [name for name, outcome in results(content, capsys) if outcome == "passed"] == [
        *("a feud / a hit", "a feud / a hit / then", "a feud / a miss", "a feud / a miss / then"),
    ]
    assert run_command_line(["run", FILE, "a feud / a hit / then"]) == 0
    assert "mordred.health: 3 → 2" in capsys.readouterr().out


def test_changes_of_rules_are_noticed_by_what_comes_after(capsys: pytest.CaptureFixture[str]) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + FEUD, encoding="utf-8")
    run_command_line(["mutate", "duel", "--step", "harm", "--format", "json", "--workers", "1"])
    told = json.loads(capsys.readouterr().out)
    assert "a feud / then" in json.dumps(told)
