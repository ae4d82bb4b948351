"""Rulesets made at random: machine and judge play them alike, and the formatter keeps them."""

from hypothesis import assume, given, settings, strategies as st

from rulewright.base.diagnostics import has_errors
from support.judge_comparison import compare_with_judge
from support.random_rulesets import RulesetWriter, make_situation
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count

SEEDS = st.integers(0, 2**32)


@settings(max_examples=choose_count(30, 120), deadline=None)
@given(seed=SEEDS, play=SEEDS)
def test_machine_and_judge_play_alike(seed: int, play: int) -> None:
    found = load_text(RulesetWriter(seed).write_ruleset())
    assume(not has_errors(found.diagnostics))
    assert found.program is not None
    compare_with_judge(found.program, make_situation(play), "main", (0, 1), play)
