"""The function written by hand ends as the ruleset does: only then is a comparison of speed honest."""

import pytest

from benchmarks.mel import below, by_hand, played, program, situation
from rulewright.runtime.executable import compile_program
from rulewright.runtime.request import Ended

FIELDS = ("at", "facing", "health", "morale", "weak", "pool_reroll", "extra_attack", "extra_defence")


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
def test_same_ends(*, traced: bool) -> None:
    mel = program()
    start, executable = situation(mel), compile_program(mel, traced=traced)
    for seed in range(300):
        outcome, units = played(executable, start, below(seed)).outcome, by_hand(seed)
        assert isinstance(outcome, Ended), outcome
        found = [
            [outcome.state.get_attribute(f"Unit/{name}", number) for name in FIELDS] for number in range(len(units))
        ]
        assert found == [[getattr(unit, name) for name in FIELDS] for unit in units], seed
        assert [outcome.state.is_gone("Unit", number) for number in range(2)] == [unit.gone for unit in units]
