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
