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


KEPT = "script: {2/parry: {always: no}}, "
PASSES = [
    KEPT + "expect: {odds: {result: {0: 2/3, 2: 1/3, 1: 0}, mordred.health = 1: 1/3}}",
    KEPT
    + "expect: {odds: {result = 2: at least 1/3, result = 0: at most 67 %, result >= 0: 1, striker = gawain: 1.0}}",
    KEPT + "expect: {odds: {target.health: {1: 0.3 to 0.4}, visits(2): {1: 33 % to 34%, 0: 2/3}}}",
    KEPT + "expect: {odds: {mordred.squire: {none: 1}, gawain.owner: {red: 1}}}",
    "policy: random, expect: {odds: {result: {1: 1/6, 2: 1/6}}}",
    "policy: first, expect: {odds: {result: {1: 1/3}}}",
    "script: [[5], no], expect: {result: 2, odds: {result = 2: 1}}",
    "policy: random, expect: {odds: {result = 2 given visits(2) > 0: 1/2, result given result > 0: {1: 1/2, 2: 1/2}}}",
]


@pytest.mark.parametrize("scenario", PASSES)
def test_odds_that_hold(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert tried(f"{{{scenario}}}") == 0, capsys.readouterr()


FAILS = [
    (
        KEPT + "expect: {odds: {result = 2: 1/2}}",
        "  odds result = 2\n    expected: 1/2\n    got:      1/3 (33.3333 %)\n",
    ),
    (
        KEPT + "expect: {odds: {result = 2 given mordred.health > 3: 0}}",
        "    expected: some plays that meet the condition\n    got:      none\n",
    ),
    (
        KEPT + "expect: {odds: {result = 2: 33.333 %}}",
        "    expected: 33.333 %\n    got:      1/3 (33.3333 %), not exactly 33.333 %: write `1/3`, or use `--accept`\n",
    ),
    (
        "procedure: wander, with: {striker: gawain}, expect: {odds: {gawain.health = 9: 99.994 %}}",
        ", not exactly 99.994 %: write `99.99 % to 100.00 %`, or use `--accept`\n",
    ),
    (KEPT + "expect: {odds: {result: {2: at most 33 %}}}", "  odds result: 2\n    expected: at most 33 %\n"),
    (KEPT + "expect: {odds: {9 / mordred.health >= 9: 0, 1 / (mordred.health - 1) > 9: 0}}", "none in 1/3 (33.3333 %)"),
    (
        KEPT + "patch: {knights: {mordred: {health: 1}}}, expect: {odds: {result = 2: 1/3}}",
        "    expected: every play ends\n    got:      1/3 (33.3333 %) of all plays: RW0803",
    ),
    (
        "patch: {knights: {mordred: {health: 0}}}, expect: {odds: {result = 2: 0}}",
        "    expected: the play begins\n    got:      the start is refused: the dead are not struck\n",
    ),
    (
        "script: [[5], no], expect: {result: 1, odds: {result = 2: 0}}",
        "  odds result = 2\n    expected: 0\n    got:      1\n  result\n    expected: 1\n    got:      2\n",
    ),
]


@pytest.mark.parametrize(("scenario", "told"), FAILS)
def test_odds_that_do_not_hold(scenario: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert tried(f"{{{scenario}}}") == 1
    assert told in capsys.readouterr().out


WRONG = [
    (KEPT + "expect: {odds: {result: 1/3}}", "error RW1021: `result` is 0..2, so one share is not enough"),
    (KEPT + "expect: {odds: {result = 2: 4/3}}", "error RW1021: the text `4/3` is not a share of all plays"),
    (KEPT + "expect: {odds: {result = 2: yes}}", "error RW1021: the text `yes` is not a share"),
    (KEPT + "expect: {odds: {result = 2: 1/2 to 1/3}}", "error RW1021"),
    (KEPT + "expect: {odds: {result = 2: 1/0}}", "error RW1021"),
    (KEPT + "expect: {odds: {result: {7: 0}}}", "error RW0712: `result` is 7; it must be from 0 to 2"),
    (KEPT + "expect: {odds: {lancelot.health: {7: 0}}}", "error RW0301: `lancelot` is not known here"),
    (KEPT + "expect: {odds: {'visits(9)': {1: 0}}}", "error RW1132"),
    (KEPT + "expect: {odds: {result = 2 given mordred.health: 1}}", "error RW1202: `mordred.health` is 0..9; a"),
    (KEPT + "expect: {odds: {result = 2 given 1 / (result - 2) > 0: 1}}", "error RW1204: `1 / (result - 2) > 0` has"),
    (KEPT + "expect: {odds: {}}", "error RW1002: nothing is asked"),
    (KEPT + "expect: {odds: {result: {}}}", "error RW1002: no value is named"),
    (KEPT + "expect: {odds: [result]}", "error RW1002: this is [result]; it must be a mapping"),
    (KEPT + "expect: {odds: {result = 2: 1}, refused: [no]}", "error RW1013"),
    ("expect: {odds: {result = 2: 1/3}}", "error RW1121: the choice `Parry?` is left open"),
    ("script: [[5], no, yes], expect: {odds: {result = 2: 1}}", "error RW0743: this answer is left over"),
    ("script: [[7]], expect: {odds: {result = 2: 1/3}}", "error RW0730"),
    ("procedure: foretell, with: {}, expect: {odds: {result: 1/3}}", "error RW1122: no rule gives the result of"),
    ("policy: random, expect: {odds: {result = 2: 1/6}, result: 2}", "error RW1009"),
]


@pytest.mark.parametrize(("scenario", "told"), WRONG)
def test_odds_that_cannot_be_expected(scenario: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert tried(f"{{{scenario}}}") == 2
    assert told in "".join(capsys.readouterr())


def test_what_comes_of_an_external_stands_in_the_script() -> None:
    assert (
        tried("{procedure: foretell, with: {}, script: {foretell/told: {always: yes}}, expect: {odds: {result: 1}}}")
        == 0
    )


def test_beyond_the_limit_odds_are_not_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rulewright.scenarios.expected_odds.MAX_STATES", 2)
    assert tried("{procedure: wander, with: {striker: gawain}, expect: {odds: {gawain.health >= 0: 1}}}") == 3
    assert "error RW0907: the odds are not known: there are more than 2 " in "".join(capsys.readouterr())


def test_odds_are_accepted_as_exact_shares_where_they_do_not_hold(capsys: pytest.CaptureFixture[str]) -> None:
    asked = "result = 2: {0}, result: {{0: at least 1/2, 1: {1}, 2: {2}}}, mordred.health = 1: {2}"
    before, after = (
        f"{KEPT}expect: {{odds: {{{asked.format(*each)}}}}}"
        for each in (("1/2", "20 %", "at most 0.3"), ("1/3", "0", "1/3"))
    )
    assert tried(f"{{{before}}}", "--accept", "--yes") == 0
    told = capsys.readouterr().out
    assert f"     6 -     {{{before}}}\n     6 +     {{{after}}}\n1 passed\n" in told
    assert Path("duel.scenario.yaml").read_text(encoding="utf-8") == f"{HEAD}    {{{after}}}\n"


def test_odds_of_plays_that_do_not_end_are_not_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    dying = "patch: {knights: {mordred: {health: 1}}}, expect: {odds: {result = 2: 1/2}}"
    assert tried(f"{{{KEPT}{dying}}}", "--accept", "--yes") == 1
    assert "RW1051: `odds` of `a strike` is not accepted: not every play begins and ends" in capsys.readouterr().out


def test_a_change_on_a_line_is_noticed_by_odds(capsys: pytest.CaptureFixture[str]) -> None:
    tried(f"{{{KEPT}expect: {{odds: {{result = 2: 1/3}}}}}}")
    run_command_line(["mutate", "-k", "number 5 -> 6", "--workers", "1"])
    assert "1 of 1 change is noticed" in capsys.readouterr().out


@pytest.mark.parametrize(
    "written", ["", "to", "at least", "at least 2", "1/3 to", " " * 10_000 + "to", "-1/3", "1e-1", "½"]
)
def test_what_is_no_share(written: str) -> None:
    assert parse_share(written) is None


def test_what_comes_of_an_external_stands_beside_the_scenario(capsys: pytest.CaptureFixture[str]) -> None:
    foretold = "{procedure: foretell, with: {}, expect: {odds: {result: 1/3}}}"
    assert tried(foretold) == 2
    assert "or how likely each answer is in `duel.odds.yaml`: `{ANSWER: 2/3, ANSWER: 1/3}`" in capsys.readouterr().out
    beside = Path("duel.odds.yaml")
    beside.write_text("omen: {yes: 1/3, no: 2/3}\n", encoding="utf-8")
    assert tried(foretold) == 0
    beside.write_text("omen: {yes: 1/2, no: 1/2}\n", encoding="utf-8")
    assert tried(foretold) == 1
    assert "    expected: 1/3\n    got:      1/2 (50 %)\n" in capsys.readouterr().out
    for text, said in (
        (
            "omen: {yes: 1/2}\n",
            "error RW1126: the likelihoods of `omen` add up to 1/2, not to 1\n  --> duel.odds.yaml:1:1",
        ),
        ("omens: {yes: 1}\n", "error RW1126: there is no external `omens`\n  --> duel.odds.yaml:1:1"),
        ("[omen]\n", "error RW1126: `duel.odds.yaml` is not a mapping from externals to answers"),
    ):
        beside.write_text(text, encoding="utf-8")
        assert tried(foretold) == 2
        assert said in "".join(capsys.readouterr())
