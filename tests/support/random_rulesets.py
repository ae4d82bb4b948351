"""The store of the programs of `grammars/random.grammar`, and starts for them."""

from random import Random

from rulewright.runtime.state import GameSetup, Situation
from support.reference.ruleset_texts import read_rules

HEAD = read_rules("random")


def make_situation(seed: int) -> Situation:
    """Two to three units of two players."""
    draw = Random(seed)
    number = draw.randint(2, 3)
    units = range(number)
    return Situation(
        GameSetup({"player": ("red", "blue"), "Unit": tuple(f"unit{each}" for each in units)}),
        {
            "Unit/owner": tuple(draw.randrange(2) for _ in units),
            "Unit/health": tuple(draw.randint(1, 5) for _ in units),
            "Unit/morale": tuple(draw.randint(0, 9) for _ in units),
            "Unit/mood": tuple(draw.randrange(3) for _ in units),
            "Unit/friends": tuple(tuple(each for each in units if draw.random() < 0.4) for _ in units),
        },
        {},
        {"turn": draw.randrange(4), "stack": tuple(draw.randrange(3) for _ in range(draw.randint(0, 4)))},
        relations={"bond": ((0, 1),) if draw.random() < 0.5 else ()},
    )
