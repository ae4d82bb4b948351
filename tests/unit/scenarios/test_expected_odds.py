"""What scenarios expect of all the ways that chance can go."""

from pathlib import Path

import pytest

from rulewright.cli.main import run_command_line
from rulewright.scenarios.expected_odds import parse_share

RULES = """\
ruleset duel "Duel" revision "1"
kind Knight, knights:
  owner: player
  health: 0..9
  squire: Knight? = none
external procedure omen() gives flag "An omen"
procedure strike(striker: Knight, target: Knight) gives 0..2 "A strike":
  require alive: target.health > 0 "the dead are not struck"
  step 1 "The blow":
    roll d6 as blow by striker.owner
    if blow.natural < 5:
      finish with 0
  step 2 "The answer":
    ask target.owner whether parry "Parry?":
      finish with 1
  step 3 "The wound":
    take 2 from target.health
    finish with 2
procedure foretell() gives flag "Foretell":
  perform omen() as told
  finish with told
procedure wander(striker: Knight) "Wander":
  roll d100 as east by striker.owner
  roll d100 as north by striker.owner
  roll d100 as up by striker.owner
  set striker.health to min(9, east.natural + north.natural * up.natural)
"""
HEAD = """\
procedure: strike
with: {striker: gawain, target: mordred}
state: {players: [red, blue], knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 3}}}
scenarios:
  a strike:
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("duel.rules").write_text(RULES, encoding="utf-8")


def tried(scenario: str, *arguments: str) -> int:
    Path("duel.scenario.yaml").write_text(f"{HEAD}    {scenario}\n", encoding="utf-8")
    return int(run_command_line(["test", *arguments]))


def test_beyond_the_limit_odds_are_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rulewright.scenarios.expected_odds.MAX_STATES", 2)
    assert tried("{procedure: wander, with: {striker: gawain}, expect: {odds: {gawain.health >= 0: 1}}}") == 3
    assert "error RW0907: the odds are not known: there are more than 2 " in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    "written", ["", "to", "at least", "at least 2", "1/3 to", " " * 10_000 + "to", "-1/3", "1e-1", "½"]
)
def test_what_is_no_share(written: str) -> None:
    assert parse_share(written) is None
