"""What comes to a limit says so in every verb: code, place and exit; what cannot be judged is not called impossible."""

import json
import shutil
from math import cos, sin, tau
from pathlib import Path

import pytest

from rulewright import api
from rulewright.runtime.faults import RunLimits
from support.duel_example import RunCommand
from support.sample_sizes import sample_cases

RULES = """\
ruleset wide "Wide" revision "1"
kind Unit, units:
  owner: player
  morale: 0..9
procedure guarded(u: Unit):
  if some a in 1..50000 where (some b in 1..50000 where a + b = 0):
    set u.morale to 0
procedure needed(u: Unit):
  require none_such: no a in 1..50000 where (some b in 1..50000 where a + b = 0) "there is one"
  set u.morale to 0
procedure filtered(u: Unit):
  ask u.owner for n in 1..3 where (no a in 1..50000 where (some b in 1..50000 where a + b + n = 0)) "How many?":
    set u.morale to n
  else:
    nothing
procedure chosen(u: Unit):
  ask u.owner to choose way "Which?":
    option costly when no a in 1..50000 where (some b in 1..50000 where a + b = 0) "Costly":
      set u.morale to 0
    option cheap "Cheap"
procedure required(u: Unit):
  ask u.owner to pick 0..2 of each w in units as used "Which?":
    require few: no a in 1..50000 where (some b in 1..50000 where a + b + count(used) = 0) "few"
    for each w in used:
      set w.morale to 0
  else:
    nothing
procedure gathered(u: Unit):
  let held: set of 1..99999 = {}
  for each n in 1..3000:
    set held to {n}
    for each m in 1..3000:
      add m to held
  if count(held) > 2:
    set u.morale to 0
"""
UNITS = {"players": ["red", "blue"], "units": {"a": {"owner": "red", "morale": 1}, "b": {"owner": "blue", "morale": 2}}}
LINES = {"guarded": "if", "needed": "none_such", "filtered": "n", "chosen": "way", "gathered": ""}


@pytest.fixture
def wide(run: RunCommand, tmp_path: Path) -> RunCommand:
    (tmp_path / "wide.rules").write_text(RULES, encoding="utf-8")
    (tmp_path / "duel.rules").unlink()
    return run


def _rocks(number: int, corners: int) -> dict[str, dict[str, list[list[float]]]]:
    """Round blockers that touch each other, in a ring around the guard's leader."""
    found = {}
    for at in range(number):
        x, y = (5 + 1.3 * cos(tau * at / number + 0.9), 1.3 * sin(tau * at / number + 0.9))
        turns = [tau * corner / corners for corner in range(corners)]
        found[f"rock{at}"] = {"outline": [[round(x + cos(turn), 3), round(y + sin(turn), 3)] for turn in turns]}
    return found


@pytest.mark.parametrize(("number", "corners", "exit_"), sample_cases([(5, 12, 0), (8, 12, 0), (12, 60, 3)], 3))
def test_searches_for_a_place_among_round_blockers_cost_what_they_take(
    run: RunCommand, tmp_path: Path, number: int, corners: int, exit_: int
) -> None:
    shipped = Path(__file__).parents[3] / "rulesets" / "legion-melee" / "examples"
    shutil.copy(shipped / "storm_and_guard.yaml", tmp_path)
    patch = {"obstacles": _rocks(number, corners), "melee": [["storm", "guard"]]}
    case = {"policy": "first", "patch": patch, "expect": {"measures": {"engaged_units": 2}}}
    head = {"ruleset": "legion-melee", "procedure": "end_activation", "state": "storm_and_guard.yaml"}
    file = tmp_path / "rocks.scenario.yaml"
    file.write_text(json.dumps({**head, "scenarios": {"rocks": case}}), encoding="utf-8")
    done = run("test", "rocks.scenario.yaml")
    assert (done.exit, done.err) == (exit_, ""), done.out
    assert ("more than 5,000,000 steps" in done.out) == (exit_ == 3)


@pytest.mark.parametrize(
    ("limits", "code"),
    [(RunLimits(work=2_000), "RW0901"), (RunLimits(size=1_000), "RW0851"), (RunLimits(members=99), "RW0903")],
)
def test_limits_of_the_python_face(wide: RunCommand, limits: RunLimits, code: str) -> None:
    del wide
    ruleset = api.load("wide.rules")
    for procedure in ("guarded", "needed", "filtered", "chosen"):
        fault = api.start(ruleset, procedure, UNITS, {"u": "a"}, limits=limits).fault
        if code != "RW0903":
            assert fault is not None
            assert (fault.code, fault.address) == (code, f"{procedure}/{LINES[procedure]}")
    play = api.start(ruleset, "required", UNITS, {"u": "a"}, limits=limits)
    if code != "RW0903":
        fault = play.answered(["a"]).fault
        assert fault is not None
        assert (fault.code, fault.address) == (code, "required/used")


LONG = """\
ruleset long "Long" revision "1"
kind Unit, units:
  owner: player
  morale: 0..9
procedure go(u: Unit) "Go":
  for each n in 1..40000:
    for each m in 1..n:
      if m = 9:
        set u.morale to 3
  set u.morale to 1
"""


def deep(last: str) -> str:
    """Procedures inside each other, more than may be, and a line at the bottom; the outermost alone can be begun."""
    chained = "".join(f"inner procedure p{i}(u: Unit):\n  perform p{i - 1}(u)\n" for i in range(1, 260))
    chained += "procedure all(u: Unit):\n  perform p259(u)\n"
    head = 'ruleset deep "Deep" revision "1"\nkind Unit, units:\n  owner: player\n  morale: 0..9\n'
    return f"{head}inner procedure p0(u: Unit):\n  set u.morale to {last}\n{chained}"


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new", "work", "said", "code"),
    [
        (LONG, LONG.replace("m = 9", "m = 8"), 700_000, "300,000 steps (`--max-steps`, RW0901)", "RW0901"),
        (LONG, LONG.replace("40000", "20"), 700_000, "300,000 steps (`--max-steps`, RW0901)", "RW0901"),
        (LONG.replace("40000", "20"), LONG, 700_000, "300,000 steps (`--max-steps`, RW0901)", "RW0901"),
        (deep("1"), deep("2"), 60_000, "200 calls inside each other (`--max-depth`, RW0902)", "RW0902"),
    ],
)
def test_a_comparison_names_the_limit_that_its_plays_met(
    run: RunCommand, old: str, new: str, work: int, said: str, code: str
) -> None:
    Path("old.rules").write_text(old, encoding="utf-8")
    Path("new.rules").write_text(new, encoding="utf-8")
    command = ("diff", "old.rules", "new.rules", "--workers", "1", "--work", str(work))
    done = run(*command, "--format", "json")
    found = json.loads(done.out)
    assert done.exit == 3
    plays = found["played"]["plays"]
    assert found["played"]["limits"] == [{"code": code, "plays": plays}]
    how = f"{plays} of {plays} plays ended at {said}"
    assert found["verdict"] == {"word": "unknown", "how": f"{how}; nothing differed until then"}
    if code == "RW0902":
        assert f"({how}" in run(*command, "--all").out
