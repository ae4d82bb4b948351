"""What is recorded is a scenario that passes, and says what happened."""

import io
from pathlib import Path
from unittest.mock import patch

import pytest

from rulewright.cli.main import run_command_line

STATE = """\
players: [red, blue]
knights: {gawain: {owner: red, health: 9}, mordred: {owner: blue, health: 3, shield: yes}}
game: {active: red}
"""
STRIKE = ["strike", "--state", "state.yaml", "--with", "striker=gawain", "--with", "target=mordred"]


@pytest.fixture(autouse=True)
def _written(folder: Path) -> None:
    (folder / "state.yaml").write_text(STATE, encoding="utf-8")


def test_a_run_is_written_as_people_write_it(folder: Path) -> None:
    (folder / "script.yaml").write_text("[[6], dodge]\n", encoding="utf-8")
    arguments = ["run", "duel", *STRIKE, "--overlay", "duel/blunt.rules", "--script", "script.yaml"]
    assert run_command_line([*arguments, "--record", "duel/strike.scenario.yaml"]) == 0
    assert (
        (folder / "duel/strike.scenario.yaml").read_text(encoding="utf-8")
        == """\
ruleset: "."
overlays: [blunt.rules]
procedure: strike
with: {striker: gawain, target: mordred}
state:
  players: [red, blue]
  knights: {gawain: {owner: red, health: 9}, mordred: {owner: blue, health: 3, shield: yes}}
  game: {active: red}
scenarios:
  recorded:
    script: [[6], dodge]
    expect: {result: 1, path: [1, 2, 3], changes: {knights: {mordred: {health: 2}}}}
"""
    )
    assert run_command_line(["test", "duel"]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [*STRIKE, "--seed", "3", "--policy", "first"],
        ["strike", "--state", "state.yaml", "--with", "striker=mordred", "--with", "target=gawain"],
        ["gust", "--state", "state.yaml", "--with", "k=gawain", "--script", "wind.yaml"],
    ],
    ids=["with dice", "refused", "a fault"],
)
def test_what_is_recorded_passes(arguments: list[str], folder: Path) -> None:
    (folder / "wind.yaml").write_text("[{result: 2}]\n", encoding="utf-8")
    run_command_line(["run", "duel", *arguments, "--record", "recorded.scenario.yaml"])
    assert run_command_line(["test", "recorded.scenario.yaml"]) == 0


def test_a_play_with_people_is_recorded() -> None:
    with patch("sys.stdin", io.StringIO("5\nparry\n")):
        assert run_command_line(["play", "duel", *STRIKE, "--dice", "ask", "--record", "played.scenario.yaml"]) == 0
    assert run_command_line(["test", "played.scenario.yaml"]) == 0


def test_nothing_is_written_over(folder: Path) -> None:
    (folder / "mine.scenario.yaml").write_text("mine", encoding="utf-8")
    assert (
        run_command_line(["run", "duel", *STRIKE, "--seed", "3", "--policy", "first", "--record", "mine.scenario.yaml"])
        == 2
    )
    assert (folder / "mine.scenario.yaml").read_text(encoding="utf-8") == "mine"


def test_boards_are_recorded() -> None:
    examples = Path(__file__).parents[3] / "rulesets" / "mel" / "examples"
    roles = ["--with", "attacker=hammer", "--with", "defender=anvil"]
    inputs = ["--state", str(examples / "duel.yaml"), "--script", str(examples / "push.yaml")]
    assert run_command_line(["run", "mel", "melee_attack", *inputs, *roles, "--record", "mel.scenario.yaml"]) == 0
    assert run_command_line(["test", "mel.scenario.yaml"]) == 0
