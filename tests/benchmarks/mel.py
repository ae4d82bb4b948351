"""Prints how fast MEL is played, beside the same action written by hand in Python: `python tests/benchmarks/mel.py`.

Both sides play a whole action with seeded dice and choices, each with its own. The rules are played as `rulewright run`
plays them; that both come to the same ends on the same faces and choices is a test beside this file. A fork is one of a
play that stands at its fifth request.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1])]

from benchmarks.mel_by_hand import Attack, Player, Unit
from rulewright.documents.name_table import NameTable
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, run_to_end
from rulewright.program.declarations import Program
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import CHANCE_SORTS, Ended
from rulewright.runtime.run import Outcome, Paused, Run
from rulewright.runtime.state import GameSetup, Situation

MEL = Path(__file__).parents[2] / "rulesets" / "mel"
RADIUS = 3
CELLS = tuple((q, r) for q in range(-RADIUS, RADIUS + 1) for r in range(-RADIUS, RADIUS + 1) if abs(q + r) <= RADIUS)
PLAYS = 1000
ROUNDS = 7


def program() -> Program:
    """MEL with its dice."""
    found = load_ruleset(locate_ruleset(str(MEL)), (str(MEL / "mel_dice.rules"),))
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
        GameSetup({"player": ("red", "blue"), "Unit": ("hammer", "anvil")}, {"field": CELLS}, {"wounds_that_count": 0}),
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


def played(executable: Executable, start: Situation, draw: Callable[[int], int]) -> Run:
    """A play of the rules with dice and choices drawn; over."""
    live = Run.begin(executable, start, "melee_attack", (0, 1))
    while isinstance(live.outcome, Paused):
        live.reply(_drawn(live.outcome.asked, draw))
    return live


def _drawn(question: PendingQuestion, draw: Callable[[int], int]) -> Any:
    if question.sort in CHANCE_SORTS:
        return question.outcome_at(draw(question.outcome_count))
    return question.legal_answers[draw(len(question.legal_answers))]


def seconds(play: Callable[[int], object]) -> float:
    """The time of one play."""
    times = []
    for _ in range(ROUNDS):
        begun = process_time()
        for seed in range(PLAYS):
            play(seed)
        times.append((process_time() - begun) / PLAYS)
    return median(times)


def by_rules(executable: Executable, start: Situation) -> Callable[[int], Outcome]:
    """Plays the rules as the verb `run` does."""
    program_ = executable.program
    begun = PlayStart(executable, program_.procedures["melee_attack"], start, (0, 1), RunLimits())
    names = NameTable(program_, start.base)

    def play(seed: int) -> Outcome:
        outcome = run_to_end(begun, AnswerSourceChain(names, SeededRandom(seed), policy="random")).session.outcome
        assert isinstance(outcome, Ended), outcome
        return outcome

    return play


def standing(executable: Executable, start: Situation) -> Run:
    """A play that stands at its fifth request."""
    live = Run.begin(executable, start, "melee_attack", (0, 1))
    for _ in range(4):
        assert isinstance(live.outcome, Paused)
        live.reply(_drawn(live.outcome.asked, below(0)))
    return live


def figures() -> dict[str, float]:
    """Seconds of a play by hand, untraced, traced decisively and in full, and of a fork."""
    mel = program()
    start = situation(mel)
    untraced, traced = (compile_program(mel, traced=each) for each in (False, True))
    decisive = compile_program(mel, traced=True, decisive=True)
    live = standing(untraced, start)
    return {
        "by hand": seconds(by_hand),
        "untraced": seconds(by_rules(untraced, start)),
        "decisive": seconds(by_rules(decisive, start)),
        "traced": seconds(by_rules(traced, start)),
        "fork": seconds(lambda _: live.fork()),
    }


def main() -> None:
    """Prints the table."""
    found = figures()
    for name, each in found.items():
        print(f"{name:<10} {each * 1e6:8.1f} µs, by hand {found['by hand'] / each:.3f}")
    print(f"a fork is {found['fork'] / found['untraced']:.3f} of an untraced play")


if __name__ == "__main__":
    main()
