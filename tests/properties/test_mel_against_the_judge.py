"""MEL from random starts with random answers: the machine and the judge never differ."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.declarations import Program
from rulewright.runtime.state import GameSetup, Situation
from support.judge_comparison import compare_with_judge
from support.sample_sizes import choose_count

MEL = Path(__file__).parents[2] / "rulesets" / "mel"
RADIUS = 2
CELLS = tuple((q, r) for q in range(-RADIUS, RADIUS + 1) for r in range(-RADIUS, RADIUS + 1) if abs(q + r) <= RADIUS)
UNITS = ("hammer", "anvil", "tongs", "bellows")


@cache
def _load_mel(*overlays: str) -> Program:
    found = load_ruleset(locate_ruleset(str(MEL)), tuple(str(MEL / f"{name}.rules") for name in overlays))
    assert found.program is not None, found.diagnostics
    return found.program


def _make_start(program: Program, draw: Random) -> Situation:
    """Two to four units on different hexes, the first two next to each other."""
    number = draw.randint(2, len(UNITS))
    here = draw.choice(CELLS)
    beside = [cell for cell in CELLS if (cell[0] - here[0], cell[1] - here[1]) in {(1, 0), (0, 1), (-1, 1), (-1, 0)}]
    if not beside:
        here, beside = (0, 0), [(1, 0)]
    there = draw.choice(beside)
    others = draw.sample([cell for cell in CELLS if cell not in {here, there}], number - 2)
    values = {
        "owner": lambda at: at % 2,
        "at": lambda at: (here, there, *others)[at],
        "facing": lambda _: draw.randrange(6),
        "health": lambda _: draw.randint(1, 3),
        "morale": lambda _: draw.randint(0, 2),
        "extra_attack": lambda _: 0,
        "extra_defence": lambda _: 0,
        "abilities": lambda _: tuple(sorted(draw.sample(range(_count_words(program)), draw.randint(0, 2)))),
    }
    fields = program.kinds["Unit"].fields
    return Situation(
        GameSetup(
            {"player": ("red", "blue"), "Unit": UNITS[:number]},
            {"field": tuple(sorted(CELLS))},
            {"wounds_that_count": draw.randrange(2)},
        ),
        {f"Unit/{each.name}": tuple(values[each.name](at) for at in range(number)) for each in fields},
        {},
        {"active": 0},
        {"field/blocked": dict.fromkeys(draw.sample(CELLS, draw.randint(0, 6)), True)},
    )


def _count_words(program: Program) -> int:
    return len(program.values["Ability"].words) if "Ability" in program.values else 0


@pytest.mark.parametrize(
    "overlays", [(), ("mel_house_rules",), ("mel_abilities",)], ids=lambda names: "+".join(names) or "plain"
)
@settings(max_examples=choose_count(15, 60), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_mel_is_played_alike(overlays: tuple[str, ...], seed: int) -> None:
    program = _load_mel(*overlays)
    draw = Random(seed)
    compare_with_judge(program, _make_start(program, draw), "melee_attack", (0, 1), draw.randrange(2**32))
