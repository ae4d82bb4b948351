"""What is expected of rulings: those named are met, and with an empty list none is."""

from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line

RULES = """\
ruleset duel "Duel" revision "1"
kind Unit, units:
  owner: player
  morale: 0..9
procedure rally(unit: Unit) "Rally":
  if unit.morale = 0:
    ruling DUE.F1 "at nought it stays"
"""
SCENARIO = """\
procedure: rally
with: {{unit: hammer}}
state: {{players: [red], units: {{hammer: {{owner: red, morale: {morale}}}}}}}
scenarios:
  a rally: {{expect: {{rulings: {rulings}}}}}
"""


@pytest.mark.parametrize(
    ("morale", "rulings", "told"),
    [
        (0, "[DUE.F1]", ""),
        (0, "[]", "  rulings DUE.F1\n    expected: not met\n    got:      met\n"),
        (1, "[]", ""),
        (1, "[DUE.F1]", "  rulings DUE.F1\n    expected: met\n    got:      not met\n"),
    ],
)
def test_rulings(
    morale: int,
    rulings: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("duel.rules").write_text(RULES, encoding="utf-8")
    Path("duel.scenario.yaml").write_text(SCENARIO.format(morale=morale, rulings=rulings), encoding="utf-8")
    assert run_command_line(["test"]) == (1 if told else 0)
    assert told in capsys.readouterr().out
