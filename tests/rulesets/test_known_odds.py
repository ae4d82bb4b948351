"""The small games have the odds that everybody can look up: plays are counted, and counted by hand beside."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations, product
from math import factorial, prod
from typing import Any

import pytest

from rulewright import api


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


def chance_of_nothing(play: api.Play, goal: int, kept: int = 0) -> Fraction:
    """How likely a turn of Pig ends with 0, for one who stops at a goal."""
    if play.ended:
        return Fraction(play.result == 0)
    after = [(face, play.answered([face])) for face in range(1, 7)]
    ways = [(kept + face, each if each.ended else each.answered(kept + face < goal)) for face, each in after]
    return sum((chance_of_nothing(each, goal, score) for score, each in ways), Fraction(0)) / 6


def nothing_by_hand(goal: int, kept: int = 0) -> Fraction:
    if kept >= goal:
        return Fraction(0)
    return Fraction(1, 6) + sum((nothing_by_hand(goal, kept + face) for face in range(2, 7)), Fraction(0)) / 6


@pytest.mark.parametrize(("goal", "odds"), [(2, Fraction(1, 6)), (10, nothing_by_hand(10))])
def test_a_turn_of_pig_that_ends_with_nothing(goal: int, odds: Fraction) -> None:
    play = api.start(ruleset("pig"), "turn", {"players": ["red", "blue"]}, {"roller": "red"})
    assert chance_of_nothing(play, goal) == odds


YAHTZEE = {
    "three_of_a_kind": 1656,
    "four_of_a_kind": 156,
    "full_house": 300,
    "small_straight": 1200,
    "large_straight": 240,
    "yahtzee": 6,
}


def test_what_one_throw_of_yahtzee_is_worth() -> None:
    begun = api.start(ruleset("yahtzee"), "turn", {"players": ["red"]}, {"roller": "red"})
    found: Counter[str] = Counter()
    for faces in combinations_with_replacement(range(1, 7), 5):
        times = factorial(5) // prod(factorial(each) for each in Counter(faces).values())
        thrown = begun.answered(list(faces)).answered([])
        found.update({box: times for box in YAHTZEE if thrown.answered(box).result != 0})
    assert dict(found) == YAHTZEE == yahtzee_by_hand()


def yahtzee_by_hand() -> dict[str, int]:
    found: Counter[str] = Counter()
    for faces in product(range(1, 7), repeat=5):
        alike, shown = sorted(Counter(faces).values()), set(faces)
        rows = [sum(shown >= set(range(low, low + size)) for low in range(1, 8 - size)) for size in (4, 5)]
        worth = {
            "three_of_a_kind": alike[-1] >= 3,
            "four_of_a_kind": alike[-1] >= 4,
            "full_house": alike == [2, 3],
            "small_straight": rows[0] > 0,
            "large_straight": rows[1] > 0,
            "yahtzee": alike == [5],
        }
        found.update([box for box, holds in worth.items() if holds])
    return {box: found[box] for box in YAHTZEE}


def hand(pack: list[int]) -> api.Play:
    """A hand of blackjack before the shuffle."""
    state = {"players": {"red": {"chips": 9}, "house": {}}, "game": {"pack": pack}}
    return api.start(ruleset("blackjack"), "hand", state, {"guest": "red", "dealer": "house"})


def stood(play: api.Play) -> api.Play:
    """The end of a hand in which the player draws no card."""
    return play if play.ended else play.answered(answer=False)


def test_an_ace_and_a_ten_in_64_of_1326_first_two_cards() -> None:
    pack = [card for card in range(1, 10) for _ in range(4)] + [10] * 16
    begun, found = hand(pack), 0
    for pair in combinations(range(52), 2):
        rest = [card for place, card in enumerate(pack) if place not in pair]
        dealt = begun.answered([pack[pair[0]], 2, pack[pair[1]], *without_one(rest, 2)])
        found += stood(dealt).result == "blackjack"
    assert found == 64


def without_one(cards: list[int], card: int) -> list[int]:
    """The cards without one such; a pair of twos leaves two others."""
    at = cards.index(card)
    return [*cards[:at], *cards[at + 1 :]]


def test_the_dealer_of_a_small_pack() -> None:
    pack = [5, 6, 7, 8, 10, 10]
    begun = hand(pack)
    orders = sorted(set(permutations(pack)))
    assert Counter(stood(begun.answered(list(order))).result for order in orders) == Counter(
        blackjack_by_hand(order) for order in orders
    )


def blackjack_by_hand(order: tuple[int, ...]) -> str:
    mine, house, *rest = order[0] + order[2], order[1], *order[3:]
    while house < 17:
        house += rest.pop(0)
    if house > 21 or mine > house:
        return "won"
    return "push" if mine == house else "lost"


def test_of_64_bids_of_three_42_win_outright() -> None:
    state = {"players": {each: {"money": 3} for each in ("red", "blue", "green")}}
    begun = api.start(ruleset("auction"), "auction", state)
    found: Counter[str] = Counter()
    for bids in product(range(4), repeat=3):
        play = begun
        for bid in bids:
            play = play.answered(bid)
        found["tie" if play.request else "nobody" if play.result is None else "outright"] += 1
        assert play.request or play.result in (None, ("red", "blue", "green")[bids.index(max(bids))])
    assert found == {"outright": 3 * (1 + 4 + 9), "tie": 64 - 42 - 1, "nobody": 1}
