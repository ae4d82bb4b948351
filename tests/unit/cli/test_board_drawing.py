"""Boards on the screen: in plays, at questions for a cell, and before and after a run."""

from pathlib import Path

import pytest

from support.duel_example import START as STRIKE, RunCommand
from support.hex_map_example import RIVER, RULES, STATE

START = ("march", "--state", "map.yaml", "--with", "unit=hammer")


@pytest.fixture(autouse=True)
def march(run: RunCommand) -> None:
    del run
    Path("march.rules").write_text(RULES.replace("SPACE", "hex"), encoding="utf-8")
    Path("map.yaml").write_text(f"{STATE}  coordinates: odd rows\n{RIVER}", encoding="utf-8")


def test_a_question_for_a_cell_stands_on_the_board(run: RunCommand) -> None:
    done = run("play", "march.rules", *START, typed="4\n")
    assert done.exit == 0
    assert (
        "       0     1     2     3\n"
        "    0  .     .     1=g1← 2\n"
        "    1     .     -#    H→*   4=s↘~\n"
        "    2  g2←   .           5=g3←\n"
        "    red: H hammer\n"
    ) in done.out
    assert done.out.index("- cannot be answered") < done.out.index("red: Where to?") < done.out.index("3  (1, 1)")
    assert "hammer moves: (2, 1) → (3, 1)" in done.out


def test_state_and_board_draw_it_again(run: RunCommand) -> None:
    done = run("play", "march.rules", *START, typed="state\nboard\nboard scout\nboard 9,9\nboard away\nquit\n")
    assert done.out.count("    1    .   #   H→* s↘~\n") == 3
    assert done.out.count("no cell is written") == 2
    assert "away: owner red, at none" in done.out


def test_a_run_draws_before_and_after(run: RunCommand) -> None:
    done = run("run", "march.rules", *START, "--policy", "first", "--board")
    assert done.exit == 0
    assert done.out.startswith("field, before\n     0   1   2   3\n  0  .   .   g1← .\n")
    assert done.out.index("march ended") < done.out.index("field, after\n") < done.out.index("H→/g1←")


def test_a_run_that_changes_nothing_is_drawn_once(run: RunCommand) -> None:
    done = run("run", "march.rules", "march", "--state", "map.yaml", "--with", "unit=away", "--board")
    assert "field, before" in done.out
    assert "after" not in done.out


def test_json_holds_no_drawing(run: RunCommand) -> None:
    done = run("run", "march.rules", *START, "--board", "--format", "json")
    assert done.exit == 2
    assert "`--board` and `--format json` cannot be combined" in done.out + done.err


def test_a_ruleset_without_boards_says_so(run: RunCommand) -> None:
    done = run("run", *STRIKE, "--board")
    assert done.exit == 2
    assert "there is no board of hexes or squares" in done.err
    assert not done.out


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("march.rules", "--end"), "of a SCENARIO, or of a RULESET with `--state FILE`"),
        (("march.rules", "--as", "text"), "of a SCENARIO, or of a RULESET with `--state FILE`"),
        (("march.rules", "--state", "map.yaml", "--as", "dot"), "a board is drawn as svg or text, not as dot"),
        (("march.rules", "march", "--state", "map.yaml"), "there is no place for `march`"),
        (("march.rules", "--state", "map.yaml", "--end"), "`--end` plays the script of a SCENARIO"),
        (("march.rules", "--state", "map.yaml", "--script", "x"), "`--script` does nothing without `--end`"),
        (("march.rules", "--state", "map.yaml", "--board", "sea"), "there is no board `sea`"),
        (("march.rules", "--state", "map.yaml", "--around", "9,9"), "`9,9` is not a place on `field`"),
        (("march.rules", "--state", "map.yaml", "--around", "away"), "no thing there has this name"),
        (("duel.rules", "--state", "state.yaml"), "`duel.rules` has no board"),
        (("march.rules", "--state", "none.yaml"), "none.yaml"),
    ],
)
def test_draw_says_what_cannot_be_drawn(arguments: tuple[str, ...], said: str, run: RunCommand) -> None:
    done = run("draw", *arguments)
    assert done.exit == 2
    assert said in done.err
    assert not done.out


def test_a_failed_scenario_shows_where_the_board_is_not_as_expected(run: RunCommand) -> None:
    expected = 'units: {hammer: {at: [3, 0]}}, field: {cells: {"0,0": {blocked: yes}}}'
    case = f"  wrong: {{script: [[2, 0]], expect: {{changes: {{{expected}}}}}}}\n"
    Path("m.scenario.yaml").write_text(SCENARIO + case, encoding="utf-8")
    done = run("test", "m.scenario.yaml", "-k", "wrong")
    assert done.exit == 1
    assert (
        "    field, at the end\n"
        "         0       1       2       3\n"
        "      0  !       .       !H→/g1← !\n"
        "      1      .       #       *       s↘~\n"
    ) in done.out
    assert "      ! not as expected\n" in done.out


def test_a_failure_apart_from_the_board_draws_none(run: RunCommand) -> None:
    case = "  wrong: {script: [[2, 0]], expect: {changes: {units: {hammer: {at: [2, 0], health: 1}}}}}\n"
    Path("m.scenario.yaml").write_text(SCENARIO + case, encoding="utf-8")
    done = run("test", "m.scenario.yaml", "-k", "wrong")
    assert done.exit == 1
    assert "at the end" not in done.out


def test_a_chapter_ends_with_the_board_of_a_state(run: RunCommand) -> None:
    plain, shown = (run("read", "march.rules", *state).out for state in ((), ("--state", "map.yaml")))
    assert shown.startswith(plain.rstrip("\n"))
    assert "## The field of map.yaml\n\n  ```text\n       0   1   2   3\n" in shown[len(plain) - 1 :]
    assert run("read", "march.rules", "--state", "map.yaml", "--html", "a.html").exit == 0
    assert '<img src="data:image/svg+xml;base64,' in Path("a.html").read_text(encoding="utf-8")
    assert run("read", "march.rules", "--state", "map.yaml", "--check", "a.html").exit == 0
    stale = run("read", "march.rules", "--check", "a.html")
    assert stale.exit == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("march.rules", "--state", "map.yaml", "--sheet"), "a sheet has none"),
        (("march.rules", "--state", "m.scenario.yaml"), "is a whole scenario"),
        (("duel.rules", "--state", "state.yaml"), "`duel.rules` has no board"),
        (("march.rules", "--state", "none.yaml"), "none.yaml"),
    ],
)
def test_read_says_what_is_no_board(arguments: tuple[str, ...], said: str, run: RunCommand) -> None:
    done = run("read", *arguments)
    assert done.exit == 2
    assert said in done.err
