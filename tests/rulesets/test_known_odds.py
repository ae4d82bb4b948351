"""The small games have the odds that everybody can look up: every roll and every pack is played, and counted twice."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import pytest

from rulewright import api

PICTURES = 10
PACK = [*(card for card in range(1, 10) for _ in range(4)), *([PICTURES] * 16)]


@cache
def ruleset(name: str) -> api.Ruleset:
    return api.load(name)


def rolls(play: api.Play, answers: Mapping[str, Any]) -> Iterator[api.Play]:
    """The ends of a play by every roll; questions are answered by the end of their address."""
    if play.request is None:
        assert play.ended, play.outcome
        yield play
    elif play.request.sort == "roll":
        for faces in product(*(die.faces for die in play.request.dice for _ in range(die.count))):
            yield from rolls(play.answered(list(faces)), answers)
    else:
        yield from rolls(play.answered(answers[play.request.address.rpartition("/")[2]]), answers)


def armies(play: api.Play) -> tuple[int, int]:
    territories: Any = play.state["territories"]
    return territories["here"]["armies"], territories["there"]["armies"]


RISK = {
    (3, 2): {(0, 2): 2890, (1, 1): 2611, (2, 0): 2275},
    (3, 1): {(0, 1): 855, (1, 0): 441},
    (2, 2): {(0, 2): 295, (1, 1): 420, (2, 0): 581},
    (2, 1): {(0, 1): 125, (1, 0): 91},
    (1, 2): {(0, 1): 55, (1, 0): 161},
    (1, 1): {(0, 1): 15, (1, 0): 21},
}


@pytest.mark.parametrize("dice", RISK)
def test_losses_of_a_battle_by_the_dice_of_both(dice: tuple[int, int]) -> None:
    state = {
        "players": ["red", "blue"],
        "territories": {"here": {"owner": "red", "armies": 9}, "there": {"owner": "blue", "armies": 9}},
    }
    roles = {"attacker": "here", "defender": "there"}
    play = api.start(ruleset("risk"), "battle", state, roles)
    ends = Counter(armies(each) for each in rolls(play, {"dice": dice[0], "guards": dice[1]}))
    losses = {(9 - here, 9 - there): times for (here, there), times in ends.items()}
    assert losses == RISK[dice] == risk_by_hand(*dice)


def risk_by_hand(attack: int, defence: int) -> dict[tuple[int, int], int]:
    found: Counter[tuple[int, int]] = Counter()
    for faces in product(range(1, 7), repeat=attack + defence):
        pairs = zip(sorted(faces[:attack])[::-1], sorted(faces[attack:])[::-1], strict=False)
        lost = [red <= white for red, white in pairs]
        found[lost.count(True), lost.count(False)] += 1
    return dict(found)
