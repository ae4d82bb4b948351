"""Boards on the screen: in plays, at questions for a cell, and before and after a run."""

from pathlib import Path

import pytest

from support.duel_example import RunCommand
from support.hex_map_example import RIVER, RULES, STATE


@pytest.fixture(autouse=True)
def march(run: RunCommand) -> None:
    del run
    Path("march.rules").write_text(RULES.replace("SPACE", "hex"), encoding="utf-8")
    Path("map.yaml").write_text(f"{STATE}  coordinates: odd rows\n{RIVER}", encoding="utf-8")


SCENARIO = """\
ruleset: march.rules
procedure: march
with: {unit: hammer}
state: map.yaml
scenarios:
  up:
    script: [[2, 0]]
    expect: {changes: {}}
  stops: {script: [], expect: {changes: {}}}
"""


UNSEEN = """\
procedure march(unit: Unit) "March":
  step 1 "Go":
    ask unit.owner secretly for c in field "Where to?"
    reveal c
    move unit to c
"""


def test_draw_draws_the_board_of_a_scenario(run: RunCommand) -> None:
    Path("m.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    assert "H→*" in run("draw", "m.scenario.yaml", "up", "--as", "text").out
    assert "H→/g1←" in run("draw", "m.scenario.yaml", "up", "--as", "text", "--end").out
    assert "4=s↘~" in run("draw", "m.scenario.yaml", "stops", "--as", "text", "--end").out
    done = run("draw", "m.scenario.yaml", "up", "--write", "board.svg")
    assert done.exit == 0
    assert Path("board.svg").read_text(encoding="utf-8").startswith("<svg ")


def test_nobody_sees_where_a_secret_answer_may_be(run: RunCommand) -> None:
    before, _, _ = RULES.replace("SPACE", "hex").partition("procedure")
    Path("march.rules").write_text(f"{before}{UNSEEN}", encoding="utf-8")
    Path("m.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    drawn = run("draw", "m.scenario.yaml", "stops", "--as", "text").out
    done = run("draw", "m.scenario.yaml", "stops", "--as", "text", "--end")
    assert done.exit == 0
    assert done.out == drawn


def test_draw_draws_the_board_of_a_state(run: RunCommand) -> None:
    assert "H→*" in run("draw", "march.rules", "--state", "map.yaml", "--as", "text", "--around", "hammer").out
    assert "<title>field</title>" in run("draw", "march.rules", "--state", "map.yaml").out


def test_a_chapter_ends_with_the_board_of_a_state(run: RunCommand) -> None:
    plain, shown = (run("read", "march.rules", *state).out for state in ((), ("--state", "map.yaml")))
    assert shown.startswith(plain.rstrip("\n"))
    assert "## The field of map.yaml\n\n  ```text\n       0   1   2   3\n" in shown[len(plain) - 1 :]
    assert run("read", "march.rules", "--state", "map.yaml", "--html", "a.html").exit == 0
    assert '<img src="data:image/svg+xml;base64,' in Path("a.html").read_text(encoding="utf-8")
    assert run("read", "march.rules", "--state", "map.yaml", "--check", "a.html").exit == 0
    stale = run("read", "march.rules", "--check", "a.html")
    assert stale.exit == 1
