"""A table of cases: what its rows are called and say, where they fail, what is accepted in them."""

import json
from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line
from support.strike_scenarios import SHIELDED_STRIKE_HEAD

SCENARIOS = (
    SHIELDED_STRIKE_HEAD
    + """\
  blows:
    patch: {knights: {mordred: {shield: no}}}
    covers: [DUEL.1.d]
    cases:
      - [striker.health, script.1, expect.result]
      - [5, [4], 1]
      - [2, [4], 0]
  answers:
    script: [[5], ~]
    cases:
      - [case,      script.2, expect.result, expect.changes.knights.mordred]
      - [a parry,   parry,    0,             {shield: no}]
      - ["a leap",  dodge,    1,             {health: 2}]  # it goes on
  readings:
    patch: {knights: {mordred: {shield: no}}}
    matrix: {settings: {deadly: [no, yes]}}
    cases:
      - [script, settings.deadly]
      - [[[4]], no]
    expect: {result: 1}
"""
)
FILE = "duel/duel.scenario.yaml"


@pytest.fixture(autouse=True)
def _written(folder: Path) -> None:
    (folder / FILE).write_text(SCENARIOS, encoding="utf-8")


def results(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    run_command_line(["test", "--format", "json", *arguments])
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["results"]
    return found


def test_each_row_is_a_test_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert [(each["name"], each["line"], each["outcome"], each["covers"]) for each in results(capsys)] == [
        ("blows / 5, [4]", 13, "passed", ["DUEL.1.d"]),
        ("blows / 2, [4]", 14, "passed", ["DUEL.1.d"]),
        ("answers / a parry", 19, "passed", []),
        ("answers / a leap", 20, "passed", []),
        ("readings / [[4]], no [deadly: no]", 26, "passed", []),
        ("readings / [[4]], no [deadly: yes]", 26, "passed", []),
    ]
    assert [each["name"] for each in results(capsys, "-k", "leap")] == ["answers / a leap"]


def test_a_row_fails_at_its_cell(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = SCENARIOS.replace("{health: 2}]", "{health: 1}]").replace("[2, [4], 0]", "[2, [4], 1]")
    (folder / FILE).write_text(content, encoding="utf-8")
    cells = [
        (each["name"], miss["cell"]["line"], miss["cell"]["column"])  # type: ignore[index, attr-defined]
        for each in results(capsys)
        for miss in each["misses"]  # type: ignore[attr-defined]
    ]
    assert cells == [
        ("blows / 2, [4]", 14, 18),
        ("answers / a leap", 20, 46),
    ]


def test_cells_are_written_anew_and_nothing_else(folder: Path) -> None:
    content = SCENARIOS.replace("{health: 2}]", "{health: 1}]").replace("[2, [4], 0]", "[2, [4], 1]")
    (folder / FILE).write_text(content, encoding="utf-8")
    assert run_command_line(["test", "--accept", "--yes"]) == 0
    assert (folder / FILE).read_text(encoding="utf-8") == SCENARIOS


def test_what_a_row_cannot_say_is_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = SCENARIOS.replace("knights.mordred]\n", "knights.mordred.health]\n")
    content = content.replace("{shield: no}]\n", "3]\n").replace("{health: 2}]", "2]")
    (folder / FILE).write_text(content, encoding="utf-8")
    assert run_command_line(["test", "--accept", "--yes"]) == 1
    assert "warning RW1052: `changes` of `answers / a parry` is not accepted" in capsys.readouterr().out
    assert (folder / FILE).read_text(encoding="utf-8") == content


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("expect.result]", "expect.resutl]", "error RW1001: `resutl` is not part of what is expected\n  --> "),
        ("striker.health", "seed", "1 passed, 1 failed"),
        (
            "striker.health",
            "plays",
            "error RW1009: `plays` does nothing without a seed\n  --> duel/duel.scenario.yaml:12:10",
        ),
        (
            "striker.health",
            "expect.path",
            "it must be a list of steps, or a mapping from procedures to steps\n  --> duel/duel.scenario.yaml:13:10",
        ),
    ],
)
def test_a_row_has_the_shape_of_a_scenario(
    old: str, new: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / FILE).write_text(SCENARIOS.replace(old, new, 1), encoding="utf-8")
    run_command_line(["test", "-k", "blows"])
    assert told in capsys.readouterr().out


def test_a_column_may_be_one_of_several_things(folder: Path) -> None:
    one = "mordred: {owner: blue, health: 3, shield: yes}"
    content = SCENARIOS.split("  answers:", maxsplit=1)[0].replace(one, "mordred x2: {owner: blue, health: 3}")
    content = content.replace("target: mordred", "target: mordred_2").replace(
        "knights: {mordred: {", "knights: {mordred_2: {"
    )
    (folder / FILE).write_text(content.replace("striker.health", "mordred_2.health"), encoding="utf-8")
    assert run_command_line(["test", "-k", "blows / 5"]) == 0


def test_a_state_may_be_a_column(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = SCENARIOS.split("scenarios:", maxsplit=1)[0].split("state:\n")
    content = f"""\
{before}states:
  one:
{after.replace("  ", "    ")}  two:
{after.replace("  ", "    ").replace("health: 5", "health: 2")}scenarios:
  blows:
    patch: {{knights: {{mordred: {{shield: no}}}}}}
    cases:
      - [state, script.1, expect.result]
      - [one, [4], 1]
      - [two, [4], 0]
"""
    (folder / FILE).write_text(content, encoding="utf-8")
    assert [each["name"] for each in results(capsys)] == ["blows / one, [4]", "blows / two, [4]"]
    assert run_command_line(["test"]) == 0
