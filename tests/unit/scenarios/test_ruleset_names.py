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
