"""Rulesets made at random: machine and judge play them alike, and the formatter keeps them."""

from hypothesis import assume, given, settings, strategies as st

from rulewright.base.diagnostics import has_errors
from support.compare import side_by_side
from support.draws import drawn
from support.reference.ruleset_texts import load_text
from support.rulesets import Writer, situation

SEEDS = st.integers(0, 2**32)


@settings(max_examples=drawn(30, 120), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_machine_and_judge_play_alike(seed: int, play: int) -> None:
    found = load_text(Writer(seed).text())
    assume(not has_errors(found.diagnostics))
    assert found.program is not None
    side_by_side(found.program, situation(play), "main", (0, 1), play)
