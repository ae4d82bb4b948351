"""The function written by hand ends as the ruleset does: only then is a comparison of speed honest."""

import pytest
from mel import answerer, below, by_hand, program, situation

from rulewright.machine.advance import run
from rulewright.machine.compile import compile_program
from rulewright.machine.request import Ended

FIELDS = ("at", "facing", "health", "morale", "weak", "pool_reroll", "extra_attack", "extra_defence")


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
def test_same_ends(*, traced: bool) -> None:
    mel = program()
    start, executable = situation(mel), compile_program(mel, traced=traced)
    for seed in range(300):
        draw = below(seed)
        outcome = run(executable, start, "melee_attack", (0, 1), answerer(draw), chance=draw, decide=draw)
        assert isinstance(outcome, Ended), outcome
        units, asked = by_hand(seed), run(executable, start, "melee_attack", (0, 1), answerer(below(seed)))
        assert isinstance(asked, Ended)
        assert asked.state == outcome.state
        assert list(asked.entries) == list(outcome.entries)
        played = [[outcome.state.attribute(f"Unit/{name}", number) for name in FIELDS] for number in range(len(units))]
        assert played == [[getattr(unit, name) for name in FIELDS] for unit in units], seed
        assert [outcome.state.is_gone("Unit", number) for number in range(2)] == [unit.gone for unit in units]
