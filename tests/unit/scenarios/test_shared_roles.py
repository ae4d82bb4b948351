"""Roles that a scenario does not name are those that it shares, as far as its procedure needs them."""

from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line

RULES = """\
ruleset pair "A pair" revision "1"
kind player, players:
  gold: 0..9 = 0
procedure give(giver: player, taker: player, amount: 0..9 = 1) "Give":
  step 1 "Give":
    add up to amount to taker.gold
    set giver.gold to 0
procedure lose(loser: player, taker: player) "Lose":
  step 1 "Lose":
    set loser.gold to 0
"""
HEAD = """\
procedure: give
with: {giver: red, taker: blue, amount: 3}
state: {players: {red: {gold: 5}, blue: {gold: 0}, green: {gold: 0}}}
scenarios:
"""
FILE = Path("pair.scenario.yaml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pair.rules").write_text(RULES, encoding="utf-8")


def ends(*golds: int) -> str:
    return "expect: {state: {players: {red: {gold: %d}, blue: {gold: %d}, green: {gold: %d}}}}" % golds  # noqa: UP031


@pytest.mark.parametrize(
    "scenario",
    [
        f"it: {{{ends(0, 3, 0)}}}",
        f"it: {{with: {{taker: green}}, {ends(0, 0, 1)}}}",
        f"it: {{with: {{taker: green, amount: 2}}, {ends(0, 0, 2)}}}",
        f"it: {{with: {{taker: green}}, cases: {{deep: {{with: {{giver: blue, amount: 2}}, {ends(5, 0, 2)}}}}}}}",
        f"it: {{with: {{loser: red}}, procedure: lose, {ends(0, 0, 0)}}}",
        f"it: {{cases: [[with.taker], [green]], {ends(0, 0, 3)}}}",
        f"it: {{cases: [[with.amount, expect.state.players.blue.gold], [4, 4]], {ends(0, 4, 0)}}}",
        f"it: {{{ends(0, 3, 0)}, then: {{with: {{taker: green}}, {ends(0, 3, 3)}}}}}",
    ],
)
def test_what_is_not_named_is_shared(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    FILE.write_text(f"{HEAD}  {scenario}\n", encoding="utf-8")
    code, printed = run_command_line(["test"]), capsys.readouterr().out
    if "procedure: lose" in scenario:
        assert "error RW0724: `lose` needs `taker`" in printed
    else:
        assert code == 0, printed


def test_a_scenario_that_names_its_procedure_has_roles_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    start = f"{HEAD}  it: {{procedure: give, with: {{giver: red}}, "
    FILE.write_text(f"{start}expect: {{invalid: [needs `taker`]}}}}\n", encoding="utf-8")
    assert run_command_line(["test"]) == 0, capsys.readouterr().out


def test_what_is_shared_is_played_as_well() -> None:
    FILE.write_text(f"{HEAD}  it: {{with: {{taker: green}}, {ends(0, 0, 1)}}}\n", encoding="utf-8")
    assert run_command_line(["run", str(FILE), "it"]) == 0
    assert run_command_line(["run", str(FILE), "it", "--with", "amount=2"]) == 0
