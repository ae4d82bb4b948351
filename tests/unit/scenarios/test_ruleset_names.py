"""`ruleset: NAME` of a scenario file means the same wherever the command is given."""

from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line

PLAYED = """\
ruleset: pig
procedure: turn
with: {roller: a}
state: {players: [a, b]}
scenarios:
  a turn: {seed: 1, policy: first, plays: 2, expect: {always: ["yes"]}}
"""
OTHER = 'ruleset pig "Another game" revision "1"\nprocedure other():\n  step 1:\n    nothing\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.scenario.yaml").write_text(PLAYED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_shipped_ruleset_goes_by_its_name_from_everywhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command_line(["test", "sub/x.scenario.yaml"]) == 0, capsys.readouterr().out
    monkeypatch.chdir(folder / "sub")
    assert run_command_line(["test", "x.scenario.yaml"]) == 0, capsys.readouterr().out


def test_a_folder_where_the_command_is_given_does_not_stand_in_for_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "pig").mkdir()
    (folder / "pig" / "pig.rules").write_text(OTHER, encoding="utf-8")
    assert run_command_line(["test", "sub/x.scenario.yaml"]) == 0, capsys.readouterr().out
    (folder / "sub" / "pig").mkdir()
    (folder / "sub" / "pig" / "pig.rules").write_text(OTHER, encoding="utf-8")
    assert run_command_line(["test", "sub/x.scenario.yaml"]) == 2
    assert "turn" in capsys.readouterr().out


def test_a_slip_in_its_name_is_told_as_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "sub" / "x.scenario.yaml").write_text(PLAYED.replace("pig", "pgi"), encoding="utf-8")
    assert run_command_line(["test", "sub/x.scenario.yaml"]) == 2
    told = capsys.readouterr().out
    assert "RW0008: `pgi` is not a file, a folder or a shipped ruleset" in told
    assert "did you mean `pig`?" in told
