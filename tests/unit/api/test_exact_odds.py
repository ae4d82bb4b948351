"""Exact odds by the public face alone, beside counts written by hand."""

import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from rulewright import api

ROLES = {"attacker": "hammer", "defender": "anvil"}
UNIT = {"attack_dice": 3, "attack_guard": 2, "guard_strike": 2, "guard_dice": 3}
LONE = {"attack_dice": 1, "attack_guard": 1, "guard_strike": 1, "guard_dice": 1}
YES = "whole"


@cache
def _mel() -> api.Ruleset:
    folder = Path(__file__).parents[3] / "rulesets" / "mel"
    return api.load(str(folder), overlays=[str(folder / "mel_dice.rules")])


def _play(dice: dict[str, Any], *, recorded: bool = False) -> api.Play:
    state = {
        "players": ["red", "blue"],
        "units": {
            "hammer": {"owner": "red", "at": [0, 0], "facing": 2, "health": 3, "morale": 2, **dice},
            "anvil": {"owner": "blue", "at": [1, 0], "facing": 3, "health": 3, "morale": 1, **dice},
        },
        "field": {"shape": {"radius": 3}},
        "game": {"active": "hammer"},
    }
    return api.start(_mel(), "melee_attack", state, ROLES, recorded=recorded)


def _decided(play: api.Play) -> Any:
    """Pools are thrown again where that is allowed; everything else is declined."""
    assert play.request is not None
    if play.request.sort == "whether":
        return play.request.name == YES
    return "decline"


def _odds(play: api.Play, result: Callable[[api.Play], Any]) -> tuple[Counter[Any], int]:
    """The exact distribution, by forking at chance and merging equal futures, and how many states were gone on from."""
    waiting = {play.key(): (play, Fraction(1))}
    odds: Counter[Any] = Counter()
    count = 0
    while waiting:
        level, waiting = list(waiting.values()), {}
        for here, weight in level:
            count += 1
            if here.ended:
                odds[result(here)] += weight  # type: ignore[assignment]
                continue
            ways = [(here.fell(each), each.weight) for each in here.chances]
            for after, likely in ways or [(here.answered(_decided(here)), Fraction(1))]:
                key = after.key()
                _, before = waiting.get(key, (after, Fraction(0)))
                waiting[key] = after, before + weight * likely
    return odds, count


def _healths(play: api.Play) -> tuple[int, int]:
    units = play.state["units"]
    return _health(units, "hammer"), _health(units, "anvil")


def _health(units: Any, name: str) -> int:
    health: int = 0 if units[name].get("gone") else units[name]["health"]
    return health


def _pool(dice: int, wanted: int) -> Counter[int]:
    """Hits or blocks of a pool, with the extra die of two alike, by every throw."""
    found: Counter[int] = Counter()
    for faces in product(range(1, 7), repeat=dice):
        hits = sum(face >= 3 for face in faces)
        for extra in range(1, 7):
            more = faces.count(wanted) >= 2 and extra >= 3
            found[hits + more] += Fraction(1, 6 ** (dice + 1))  # type: ignore[assignment]
    return found


def _by_hand(strike: int, cover: int, riposte: int, guard: int) -> Counter[tuple[int, int]]:
    """The healths after the action."""
    found: Counter[tuple[int, int]] = Counter()
    pools = _pool(strike, 6), _pool(cover, 1), _pool(riposte, 6), _pool(guard, 1)
    for (a, p), (b, q), (c, r), (d, s) in product(*(each.items() for each in pools)):
        found[max(0, 3 - max(0, c - b)), max(0, 3 - max(0, a - d))] += p * q * r * s
    return found


def test_the_odds_of_a_whole_action_are_those_counted_by_hand() -> None:
    odds, count = _odds(_play(UNIT), _healths)
    assert odds == _by_hand(3, 2, 2, 3)
    assert sum(odds.values()) == 1
    assert count < 10_000


def test_with_one_die_a_pool_they_are_those_of_every_throw() -> None:
    odds, _ = _odds(_play(LONE), _healths)
    assert odds == _thrown(_play(LONE)) == _by_hand(1, 1, 1, 1)


def _thrown(play: api.Play) -> Counter[Any]:
    """Every throw, dice told apart."""
    while not play.ended:
        assert play.request is not None
        if play.request.sort == "roll":
            found: Counter[Any] = Counter()
            for face in range(1, 7):
                for result, likely in _thrown(play.answered([face])).items():
                    found[result] += likely * Fraction(1, 6)
            return found
        play = play.answered(_decided(play))
    return Counter({_healths(play): Fraction(1)})  # type: ignore[dict-item]


def test_an_older_play_can_be_gone_on_with_again() -> None:
    play = _play(LONE, recorded=True)
    while not play.chances:
        play = play.answered(_decided(play))
    assert {each.weight for each in play.chances} == {Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)}
    ways = [play.fell(each) for each in play.chances]
    assert play.key() not in {each.key() for each in ways}
    assert [each.key() for each in ways] == [play.fell(each).key() for each in play.chances]
    assert play.answered([1]).key() == play.answered([2]).key() != play.answered([3]).key()


SHOWN = """\
ruleset strikes "Strikes" revision "1"
kind Knight, knights:
  owner: player
procedure strikes(striker: Knight) gives 0..6 "Strikes":
  roll 6d6 as blows by striker.owner
  finish with count(each d in blows where d.natural >= 5)
"""


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    (tmp_path / "strikes.rules").write_text(SHOWN, encoding="utf-8")
    given = {
        "api": api,
        "Counter": Counter,
        "Fraction": Fraction,
        "ruleset": api.load(str(tmp_path / "strikes.rules")),
        "state": {"players": ["red"], "knights": {"gawain": {"owner": "red"}}},
    }
    assert api.__doc__ is not None
    _, example = re.findall("```python\n(.*?)```", api.__doc__, re.DOTALL)
    exec(example, given)  # noqa: S102 - what is documented is run
    third = Fraction(1, 3)
    expected = {hits: len(_choose(6, hits)) * third**hits * (1 - third) ** (6 - hits) for hits in range(7)}
    assert given["odds"] == expected


def _choose(among: int, count: int) -> list[Any]:
    return [each for each in product((0, 1), repeat=among) if sum(each) == count]


def test_what_is_over_has_no_chances() -> None:
    play = _play(LONE)
    assert play.chances == ()
    with pytest.raises(ValueError, match="no question is waiting"):
        _ended(play).answered([1])
    assert _ended(play).chances == ()


def _ended(play: api.Play) -> api.Play:
    while not play.ended:
        play = play.fell(play.chances[0]) if play.chances else play.answered(_decided(play))
    return play


def _strikes(rules: str, tmp_path: Path, skill: int = 5) -> api.Play:
    text = f"""\
ruleset strikes "Strikes" revision "1"
kind Knight, knights:
  owner: player
  skill: 1..6
tally harder(k: Knight) from 4 "Needed":
  weak: +1 when k.skill < 6 "weak"
procedure strikes(striker: Knight, needed: 1..6 = 5) gives 0..24 "Strikes":
{rules}"""
    (tmp_path / "strikes.rules").write_text(text, encoding="utf-8")
    state = {
        "players": ["red"],
        "knights": {"gawain": {"owner": "red", "skill": skill}, "mordred": {"owner": "red", "skill": 2}},
    }
    return api.start(api.load(str(tmp_path / "strikes.rules")), "strikes", state, {"striker": "gawain"})


def _results(play: api.Play) -> Counter[Any]:
    """How likely each result is, by the chances of every roll."""
    if play.ended:
        return Counter({play.result: Fraction(1)})  # type: ignore[dict-item]
    found: Counter[Any] = Counter()
    for each in play.chances:
        for result, weight in _results(play.fell(each)).items():
            found[result] += each.weight * weight
    return found


@pytest.mark.parametrize(
    ("needed", "outcomes"), [("5", 9), ("needed", 9), ("limit", 9), ("sum", 9), ("striker.skill", 1287)]
)
def test_dice_count_as_one_where_the_rules_hold_them_against_a_number(
    needed: str, outcomes: int, tmp_path: Path
) -> None:
    rules = f"""\
  let limit = striker.skill
  let sum = harder(striker)
  roll 8d6 as blows by striker.owner
  finish with count(each d in blows where d.natural >= {needed})
"""
    assert len(_strikes(rules, tmp_path).chances) == outcomes


ROUNDS = """\
  let hits: 0..24 = 0
  for each k in knights:
    let limit = k.skill
    roll 3d6 as blows by k.owner
    add count(each d in blows where d.natural >= limit) to hits
  finish with hits
"""
LATE = """\
  let hits: 0..24 = 0
  roll 3d6 as blows by striker.owner
  for each k in knights:
    let limit = k.skill
    add count(each d in blows where d.natural >= limit) to hits
  finish with hits
"""
AGAIN = """\
  let hits: 0..24 = 0
  let rounds: 0..2 = 0
  step 1:
    roll 3d6 as blows by striker.owner
  step 2:
    let limit = if(rounds = 0, 5, 2)
    add count(each d in blows where d.natural >= limit) to hits
  step 3:
    if rounds < 1:
      add 1 to rounds
      proceed to 2 at most 3
    finish with hits
"""


@pytest.mark.parametrize(("rules", "is_one_roll"), [(ROUNDS, False), (LATE, True), (AGAIN, True)])
def test_dice_stay_apart_as_far_as_numbers_that_come_later_tell_them(
    rules: str, tmp_path: Path, *, is_one_roll: bool
) -> None:
    expected: Counter[Any] = Counter()
    for faces in product(range(1, 7), repeat=3 if is_one_roll else 6):
        high, low = (faces, faces) if is_one_roll else (faces[:3], faces[3:])
        expected[sum(each >= 5 for each in high) + sum(each >= 2 for each in low)] += Fraction(1, 6 ** len(faces))
    assert _results(_strikes(rules, tmp_path)) == expected


def test_keys_of_two_starts_are_equal_where_the_start_is() -> None:
    first, second, other = _play(LONE), _play(LONE), _play({**LONE, "attack_dice": 2})
    assert first.key() == second.key() != other.key()
    assert _ended(first).key() == _ended(second).key()


def test_keys_of_starts_with_other_things_differ(tmp_path: Path) -> None:
    rules = "  roll d6 as blow by striker.owner\n  finish with blow.natural\n"
    play = _strikes(rules, tmp_path)
    ruleset = api.load(str(tmp_path / "strikes.rules"))
    state: dict[str, Any] = play.state
    renamed = {**state, "knights": {"gawain": state["knights"]["gawain"], "kay": state["knights"]["mordred"]}}
    keys = [api.start(ruleset, "strikes", each, {"striker": "gawain"}).key() for each in (state, renamed, state)]
    assert keys[0] == keys[2] != keys[1]
