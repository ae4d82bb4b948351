"""Random programs: each grammar of `support/grammars` writes one for every seed; and starts for those of `random`."""

from functools import cache, partial
from pathlib import Path
from random import Random

from rulewright.runtime.state import GameSetup, Situation
from support.reference.ruleset_texts import read_rules
from support.roll_programs import NAMED, RollWriter
from support.text_grammar import Bound, Function, TextWriter, read_grammar

GRAMMARS = Path(__file__).parent / "grammars"
_SIDES = (2, 3, 3, 4, 4, 6, 6, 66, "step")
_DEPTHS = {"board": 2, "random": 2, "thick": 2}


@cache
def _read_grammar(sort: str) -> dict[str, list[str]]:
    return read_grammar((GRAMMARS / f"{sort}.grammar").read_text(encoding="utf-8"))


def write_program(sort: str, seed: int) -> str:
    """The program that a grammar writes for a seed."""
    functions: dict[str, Function] = {
        "head": lambda *_: read_rules(sort).rstrip("\n"),
        "roll": lambda writer, bound: _get_rolls(sort, writer, bound).write_pool(),
        "plain_roll": partial(_write_plain_roll, sort),
        "single_die": lambda writer, bound: _get_rolls(sort, writer, bound).write_single_die(),
    }
    writer = TextWriter(Random(f"{sort} {seed}"), _read_grammar(sort), functions)
    return writer.write("program", _DEPTHS.get(sort, 1))


def read_found(sort: str, seed: int) -> str:
    """A program of a sort that a fault was once found with, by the seed that wrote it then."""
    return read_rules(sort) + read_rules(f"found/{sort}_{seed}")


def make_situation(seed: int) -> Situation:
    """A start for a program of the grammar `random`: two to three units of two players."""
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


def _get_rolls(sort: str, writer: TextWriter, bound: Bound) -> RollWriter:
    """Rolls that may give one name: those of one alternative."""
    if "rolls" not in bound:
        draw, named = writer.draw, writer.draw.choice(NAMED)
        few = [f"min(2, {writer.write_one('number')})"] if any(writer.scope.values()) else []
        if sort == "mixed":
            bound["rolls"] = RollWriter(draw, draw.choice(_SIDES), named, numbers=few)
        elif sort == "random":
            bound["rolls"] = RollWriter(draw, draw.choice((3, 6)))
        else:
            bound["rolls"] = RollWriter(draw, draw.randint(2, 3), named, most=2, numbers=few, endless=False)
    rolls = bound["rolls"]
    assert isinstance(rolls, RollWriter)
    return rolls


def _write_plain_roll(sort: str, writer: TextWriter, bound: Bound) -> str:
    rolls = _get_rolls(sort, writer, bound)
    return rolls.write_plain_roll() if rolls.named == "none" else rolls.write_pool()
