"""`run --view PLAYER` tells a player nothing that another chose in secret."""

import json
from pathlib import Path

import pytest

from rulewright.base.files import get_resource_folder
from rulewright.cli.main import run_command_line

MEL = get_resource_folder("rulesets") / "mel"
STATE = """\
players: {red: {seals: 1}, blue: {seals: 1}}
units:
  hammer: {owner: red, at: [0, 0], facing: 2, health: 3, morale: 2}
  anvil: {owner: blue, at: [1, 0], facing: 3, health: 3, morale: 1}
field: {shape: {radius: 3}}
game: {active: hammer}
"""
FORMATIONS = ("advance", "harass", "hold")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "state.yaml").write_text(STATE, encoding="utf-8")
    return tmp_path


def told(here: Path, capsys: pytest.CaptureFixture[str], script: str, *options: str) -> str:
    (here / "script.yaml").write_text(script, encoding="utf-8")
    files = ["--overlay", str(MEL / "mel_dice.rules"), "--state", "state.yaml", "--script", "script.yaml"]
    roles = ["--with", "attacker=hammer", "--with", "defender=anvil"]
    assert run_command_line(["run", "mel", "melee_attack", *files, *roles, "--trace", "full", *options]) == 2
    said = capsys.readouterr()
    return said.out + said.err


@pytest.mark.parametrize("form", ["plain", "json"])
def test_the_second_to_choose_a_formation_sees_nothing_of_the_first(
    form: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts = [f"[yes, no, yes, yes, {each}]" for each in FORMATIONS]
    seen = {told(here, capsys, each, "--view", "blue", "--format", form) for each in scripts}
    assert len(seen) == 1
    assert len({told(here, capsys, each, "--view", "red", "--format", form) for each in scripts}) == len(FORMATIONS)


def test_the_first_sees_nothing_of_what_the_second_may_choose(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(told(here, capsys, "[yes, no, yes, yes, hold]", "--view", "red", "--format", "json"))
    question = document["question"]
    assert (question["player"], question["choices"], question["schema"]) == ("blue", [], None)
    assert [each["answer"] for each in document["answers"]] == [True, False, True, True, "hold"]
    assert [each["code"] for each in document["diagnostics"]] == ["RW0261"]
