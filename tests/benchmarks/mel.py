"""Prints how fast MEL is played, beside the same action written by hand in Python: `python tests/benchmarks/mel.py`."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from mel_by_hand import Attack, Player, Unit

from rulewright.machine.advance import run
from rulewright.machine.compile import compile_program
from rulewright.machine.question import Question
from rulewright.machine.request import Ended
from rulewright.machine.situation import Base, Situation
from rulewright.program.declarations import Program
from rulewright.workspace import load, locate

MEL = Path(__file__).parents[2] / "rulesets" / "mel"
RADIUS = 3
CELLS = tuple((q, r) for q in range(-RADIUS, RADIUS + 1) for r in range(-RADIUS, RADIUS + 1) if abs(q + r) <= RADIUS)
CHANCE = frozenset({"roll", "draw", "shuffle"})
PLAYS = 3000
ROUNDS = 7


def program() -> Program:
    """MEL with its dice."""
    found = load(locate(str(MEL)), (str(MEL / "mel_dice.rules"),))
    assert found.program is not None, found.diagnostics
    return found.program


def below(seed: int) -> Callable[[int], int]:
    """Chance: whole numbers below a limit."""
    draw = Random(seed).random
    return lambda limit: int(draw() * limit)


def situation(mel: Program) -> Situation:
    """The start of every play."""
    values: dict[str, tuple[Any, ...]] = {
        "owner": (0, 1),
        "at": ((0, 0), (1, 0)),
        "facing": (2, 3),
        "health": (3, 3),
        "morale": (2, 1),
        "attack_dice": (3, 3),
        "attack_guard": (2, 2),
        "guard_strike": (2, 2),
        "guard_dice": (3, 3),
        "pool_reroll": (True, False),
        "weak": (False, False),
    }
    fields = mel.kinds["Unit"].fields
    return Situation(
        Base({"player": ("red", "blue"), "Unit": ("hammer", "anvil")}, {"field": CELLS}, {"wounds_that_count": 0}),
        {f"Unit/{each.name}": values.get(each.name, (0, 0)) for each in fields} | {"player/seals": (1, 1)},
        {},
        {"active": 0},
        {"field/blocked": {(2, 0): True}},
    )


def by_hand(seed: int) -> list[Unit]:
    """One play of the function written by hand."""
    red, blue = Player(1), Player(1)
    units = [
        Unit(red, (0, 0), 2, 3, 2, 3, 2, 2, 3, pool_reroll=True),
        Unit(blue, (1, 0), 3, 3, 1, 3, 2, 2, 3),
    ]
    Attack(units, frozenset(CELLS), frozenset({(2, 0)}), below(seed)).play()
    return units


def answerer(draw: Callable[[int], int]) -> Callable[[Question], Any]:
    """Answers by chance alone."""

    def answer(question: Question) -> Any:
        if question.sort in CHANCE:
            return question.outcome(draw(question.outcomes))
        legal = question.legal
        return legal[draw(len(legal))]

    return answer


def seconds(play: Callable[[int], object]) -> float:
    """The time of one play."""
    times = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        for seed in range(PLAYS):
            play(seed)
        times.append((perf_counter() - begun) / PLAYS)
    return median(times)


def main() -> None:
    """Prints the table."""
    mel = program()
    start = situation(mel)
    hand = seconds(by_hand)
    print(f"by hand          {hand * 1e6:8.1f} µs a play")
    for traced in (False, True):
        executable = compile_program(mel, traced=traced)

        def play(seed: int, executable: Any = executable) -> None:
            draw = below(seed)
            outcome = run(executable, start, "melee_attack", (0, 1), answerer(draw), chance=draw, decide=draw)
            assert isinstance(outcome, Ended), outcome

        machine = seconds(play)
        word = "traced" if traced else "untraced"
        print(f"{word:<16} {machine * 1e6:8.1f} µs a play, ratio {hand / machine:.2f}")


if __name__ == "__main__":
    main()
