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


def test_a_play_with_people_is_recorded() -> None:
    with patch("sys.stdin", io.StringIO("5\nparry\n")):
        assert run_command_line(["play", "duel", *STRIKE, "--dice", "ask", "--record", "played.scenario.yaml"]) == 0
    assert run_command_line(["test", "played.scenario.yaml"]) == 0


def test_boards_are_recorded() -> None:
    examples = Path(__file__).parents[3] / "rulesets" / "mel" / "examples"
    roles = ["--with", "attacker=hammer", "--with", "defender=anvil"]
    inputs = ["--state", str(examples / "duel.yaml"), "--script", str(examples / "push.yaml")]
    assert run_command_line(["run", "mel", "melee_attack", *inputs, *roles, "--record", "mel.scenario.yaml"]) == 0
    assert run_command_line(["test", "mel.scenario.yaml"]) == 0
