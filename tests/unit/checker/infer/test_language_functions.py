"""The functions of the language: all typed, all shown in the manual, with examples that hold."""

from collections.abc import Callable

import pytest

from rulewright.checker.infer.calls import LANGUAGE_FUNCTIONS
from support.manual_functions import FUNCTION_NAMES, FUNCTIONS, MANUAL, ManualFunction

NAMES_AT_HAND = "u: Unit, t: Unit, n: 0..9, check: pool, d: die, waiting: list of Unit"
MINIS = "m: Mini, foe: Mini"
PLANE = """\
kind Mini, minis:
  at: point
  facing: angle
  base: shape
  reach: inches
kind Wall, walls:
  outline: polygon
board battlefield of plane
"""
EXPECTED_WARNINGS = {
    "other": "RW0407",
    "position": "RW0418",
    "direction": "RW0419",
    **dict.fromkeys(("point", "distance", "gap", "bearing", "segment", "edge", "crosses"), "RW0422"),
}


def test_every_function_has_a_rule() -> None:
    assert set(LANGUAGE_FUNCTIONS) - FUNCTION_NAMES == {"die"}
    assert FUNCTION_NAMES - set(LANGUAGE_FUNCTIONS) == set()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.name)
def test_examples_hold(infer_measure: Callable[..., tuple[str, list[str]]], function: ManualFunction) -> None:
    on_plane = function.group == "Plane"
    type_, messages = infer_measure(function.example, MINIS if on_plane else NAMES_AT_HAND, PLANE if on_plane else "")
    assert type_
    expected = {EXPECTED_WARNINGS[function.name]} if messages and function.name in EXPECTED_WARNINGS else set()
    turned = {"RW0419"} if function.name == "bearing" else set()
    assert {message[:6] for message in messages} == expected | turned


def test_every_row_of_the_manual_is_read() -> None:
    rows = [line for line in MANUAL.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(rows) == len(FUNCTIONS)
