import pytest

from rulewright.cli.main import run_command_line
from support.duel_example import START, RunCommand


def test_a_closed_input_is_an_ended_one(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", "duel.rules")
    monkeypatch.setattr("sys.stdin", None)
    assert run_command_line(["play", *START, "--dice", "ask"]) == 2
