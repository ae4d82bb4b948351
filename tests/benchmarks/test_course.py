"""All sides end alike on the same faces: only then is a comparison of speed honest."""

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from random import Random

import pytest

from benchmarks.course import (
    STARTS,
    Dice,
    Play,
    in_python,
    in_spiff,
    in_transitions,
    in_zen,
    program,
    result_of,
    situation,
)
from rulewright.runtime.executable import compile_program
from rulewright.runtime.run import Run

PLAYS = 160


def dice(number: int) -> Dice:
    """Faces that look mixed, the same for every side."""
    faces = chain((((number * 7919 + at * 104729) >> 5) % 6 + 1 for at in range(200)), repeat(1))
    return lambda: next(faces)


def _results(engine: Callable[[Dice], Play]) -> list[tuple[int, ...]]:
    faces: Iterator[int]

    def die() -> int:
        return next(faces)

    play, found = engine(die), []
    for number in range(PLAYS):
        faces = iter(dice(number), None)
        found.append(play(number))
    return found


@pytest.mark.parametrize("traced", [False, True], ids=["untraced", "traced"])
def test_the_rules_end_as_python_does(*, traced: bool) -> None:
    executable = compile_program(program(), traced=traced)
    found = []
    for number in range(PLAYS):
        die = dice(number)
        live = Run.begin(
            executable,
            situation(number % STARTS),
            "melee",
            (0, 1),
            answering=lambda asked, die=die: tuple(die() for _ in range(asked.dice_to_roll[0].dice_count)),  # type: ignore[misc]
        )
        found.append(result_of(live.outcome))
    assert found == _results(in_python)
    assert len({each[0] for each in found}) == 3


@pytest.mark.parametrize("engine", [in_transitions, in_spiff])
def test_other_engines_end_as_python_does(engine: Callable[[Dice], Play]) -> None:
    pytest.importorskip({"in_transitions": "transitions", "in_spiff": "SpiffWorkflow"}[engine.__name__])
    assert _results(engine) == _results(in_python)


def test_zen_comes_to_the_same_shares() -> None:
    pytest.importorskip("zen")
    draw = Random(3).randint
    play, plain = in_zen(), in_python(lambda: draw(1, 6))
    for start in range(STARTS):
        numbers = [start + STARTS * again for again in range(200)]
        theirs, ours = ([each(number)[0] == 1 for number in numbers] for each in (play, plain))
        assert abs(sum(theirs) - sum(ours)) < 50, start
