"""The keys of `expect:` are the same wherever they stand: in their shapes, in how they are judged, in the manual."""

import re
from pathlib import Path

from rulewright.scenarios.case_play import EXPECTATION_HANDLERS
from rulewright.scenarios.expectation_schema import EXCLUSIVE_KEYS, EXPECTATION_KEYS, expect_schema

MANUAL = Path(__file__).parents[3] / "grammar" / "manual" / "25-scenarios.md"


def test_each_key_that_has_a_shape_is_judged() -> None:
    assert list(EXPECTATION_HANDLERS) == list(EXPECTATION_KEYS) == list(expect_schema()["properties"])
    assert {key for alone, barred in EXCLUSIVE_KEYS.items() for key in (alone, *barred)} == set(EXPECTATION_KEYS)


def test_the_manual_lists_each_key_once() -> None:
    listed = MANUAL.read_text(encoding="utf-8").partition("| under `expect` | holds |\n")[2].partition("\n\n")[0]
    first_cells = [line.split("|")[1] for line in listed.splitlines()[1:]]
    told = [key for cell in first_cells for key in re.findall(r"`(\w+)`", cell)]
    assert sorted(told) == sorted(EXPECTATION_KEYS)
