"""A folder with a small ruleset, and a way to run commands in it."""

import io
from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line
from support.duel_example import RULES, STATE, CommandOutcome, RunCommand


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> RunCommand:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "duel.rules").write_text(RULES, encoding="utf-8")
    (tmp_path / "state.yaml").write_text(STATE, encoding="utf-8")

    def command(*arguments: str, typed: str = "") -> CommandOutcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        ended = run_command_line(arguments)
        printed = capsys.readouterr()
        return CommandOutcome(ended, printed.out, printed.err)

    return command
