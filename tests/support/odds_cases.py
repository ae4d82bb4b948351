"""Families of procedures whose odds are worked out by `odds`, by every play of the judge, and by libraries of dice.

`PYTHONPATH=tests python -m support.odds_cases 300` judges so many cases and says which differ; with `libraries` behind it, by
icepool and dyce too, which the extra `bench` has. Each says what it makes of those that it can express.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from support.judged_odds import LeftOutError, describe_difference
from support.odds_questions import TWO_PLAYERS, get_odds, work_out

_MOST_PLAYS = 20_000
FAULT = -99
"""What a library has in place of a result where the play meets a fault."""


@dataclass(frozen=True)
class OddsCase:
    """A procedure, who plays for what, and what a library of dice is told of it."""

    rules: str
    given: Sequence[Any] = ()
    state: str = TWO_PLAYERS
    best: tuple[tuple[int, str], ...] = ()


def make_opposed_case(draw: Random) -> OddsCase:
    one, other, sides = draw.randint(1, 2), draw.randint(1, 2), draw.choice([4, 6])
    least, most = draw.randint(2, 4), draw.randint(2, 4)
    rules = f"""
procedure main() gives -9..9 "Opposed pools":
  roll {one}d{sides} as blows
  roll {other}d{sides} as blocks
  finish with count(each d in blows where d.natural >= {least}) - count(each d in blocks where d.natural >= {most})
"""
    return OddsCase(rules, (one, other, sides, least, most))


def make_exploding_case(draw: Random) -> OddsCase:
    sides, often = draw.choice([4, 6, 8]), draw.randint(1, 3)
    rules = f"""
procedure main() gives 0..99 "A die that explodes":
  roll 1d{sides} explode on {sides} at most {often} as blow
  finish with total(blow)
"""
    return OddsCase(rules, (sides, often))


def make_kept_dice_case(draw: Random) -> OddsCase:
    count, sides = draw.randint(2, 4), draw.choice([4, 6])
    which, of = draw.choice(["keep highest", "keep lowest", "drop highest", "drop lowest"]), draw.randint(1, count - 1)
    rules = f"""
procedure main() gives 0..99 "Kept dice":
  roll {count}d{sides} {which} {of} as blows
  finish with total(blows)
"""
    lowest = (0, of) if which.startswith("keep") else (of, count)
    first, last = (count - lowest[1], count - lowest[0]) if which.endswith("highest") else lowest
    return OddsCase(rules, (count, sides, first, last))


def make_reroll_case(draw: Random) -> OddsCase:
    count, sides, low = draw.randint(1, 3), 4, draw.randint(2, 3)
    least = draw.randint(2, sides)
    rules = f"""
procedure main() gives 0..9 "Thrown again once":
  roll {count}d{sides} as blows
  let poor = {{each d in blows where d.natural < {low}}}
  reroll poor
  finish with count(each d in blows where d.natural >= {least})
"""
    return OddsCase(rules, (count, sides, low, least))


def make_deck_case(draw: Random) -> OddsCase:
    worths, hand = [draw.randint(0, 3) for _ in range(draw.randint(3, 5))], draw.randint(1, 3)
    rules = f"""
kind Card, cards:
  worth: 0..9
procedure main() gives 0..99 "Cards without replacement":
  let pile = [each c in cards]
  let sum: 0..99 = 0
  for each _ in 1..{hand}:
    draw from pile as card
    add up to card.worth to sum
  finish with sum
"""
    cards = ", ".join(f"c{number}: {{worth: {worth}}}" for number, worth in enumerate(worths))
    return OddsCase(rules, (worths, hand), state=f"{TWO_PLAYERS}cards: {{{cards}}}\n")


def make_bag_case(draw: Random) -> OddsCase:
    chits = [draw.randint(1, 3) for _ in range(draw.randint(2, 5))]
    adds = "\n".join(f"  add {each} to bag" for each in chits)
    rules = f"""
procedure main() gives 0..99 "Chits out of a bag":
  let bag: bag of 1..3 = {{}}
{adds}
  draw from bag as first
  draw from bag as second
  finish with 10 * first + second
"""
    return OddsCase(rules, (chits,))


def make_loop_case(draw: Random) -> OddsCase:
    sides, least, often = draw.choice([4, 6]), draw.randint(2, 4), draw.randint(1, 4)
    rules = f"""
procedure main() gives 0..99 "Thrown until it is enough, at most so often":
  let thrown: 0..99 = 0
  step 1 "Throw":
    roll d{sides} as blow
    set thrown to min(99, thrown + 1)
    if blow.natural >= {least}:
      finish with thrown
    proceed to 1 at most {often}
"""
    return OddsCase(rules, (sides, least, often))


def make_recursion_case(draw: Random) -> OddsCase:
    sides, deep = draw.choice([2, 4]), draw.randint(1, 4)
    rules = f"""
procedure main() gives 0..99 "Deeper as long as it is even":
  perform deeper({deep}) as found
  finish with found
inner procedure deeper(left: 0..9) gives 0..99 "One deeper":
  roll d{sides} as blow
  if left = 0 or blow.natural = 1 or blow.natural = 3:
    finish with blow.natural
  perform deeper(max(0, left - 1)) at most 9 deep as below
  finish with min(99, below + blow.natural)
"""
    return OddsCase(rules, (sides, deep))


def make_press_your_luck_case(draw: Random) -> OddsCase:
    sides, throws, bust = draw.choice([3, 4, 6]), draw.randint(1, 3), draw.randint(1, 2)
    rules = f"""
procedure main(p: player) gives 0..99 "Press your luck":
  let kept: 0..99 = 0
  for each _ in 1..{throws}:
    roll d{sides} as blow by p
    if blow.natural <= {bust}:
      finish with 0
    add up to blow.natural to kept
    ask p whether stops "Stop?":
      finish with kept
  finish with kept
"""
    return OddsCase(rules, best=((0, "result"),))


def make_two_sided_case(draw: Random) -> OddsCase:
    pile, sides = draw.randint(2, 4), draw.randint(1, 3)
    rules = f"""
procedure main(p: player, q: player) gives 0..9 "Take some; the last to take wins what the die showed":
  let left: 0..9 = {pile}
  let mover: player = p
  repeat while left > 0 at most {pile}:
    roll d{sides} as luck by mover
    ask mover to choose taken "How many?":
      option one
      option two when left >= 2
    set left to max(0, left - if(taken = "one", 1, 2))
    if left = 0:
      finish with if(mover = p, 4 + luck.natural, 4 - luck.natural)
    set mover to if(mover = p, q, p)
  finish with 4
"""
    return OddsCase(rules, best=((0, "result"), (1, "-result")))


CASE_FAMILIES: tuple[Callable[[Random], OddsCase], ...] = (
    make_opposed_case,
    make_exploding_case,
    make_kept_dice_case,
    make_reroll_case,
    make_deck_case,
    make_bag_case,
    make_loop_case,
    make_recursion_case,
    make_press_your_luck_case,
    make_two_sided_case,
)


def judge_case(case: OddsCase) -> str:
    """How `odds` and every play of the judge differ; nothing where they are equal as fractions."""
    return describe_difference(case.rules, _MOST_PLAYS, state=case.state, best=case.best)


def compute_by_libraries(family: str, given: Sequence[Any]) -> Mapping[str, Mapping[int, Fraction]]:
    """What each library that can say it makes of a case, by its name."""
    import dyce  # noqa: PLC0415 - of the extra `bench`
    import icepool  # noqa: PLC0415

    d, die = icepool.d, icepool.Die
    h, p, expand = dyce.H, dyce.P, dyce.expand

    def rest(chits: Sequence[int], first: int) -> list[int]:
        at = chits.index(first)
        return [*chits[:at], *chits[at + 1 :]]

    def loop(sides: int, least: int, often: int, number: int = 1) -> Any:
        return (
            FAULT if number > often + 1 else (d(sides) >= least).if_else(number, loop(sides, least, often, number + 1))
        )

    def loop_h(sides: int, least: int, often: int, number: int = 1) -> Any:
        if number > often + 1:
            return FAULT
        again = loop_h(sides, least, often, number + 1)
        return expand(lambda one: number if one.outcome >= least else again, h(sides))

    def dive(sides: int, deep: int) -> Any:
        below = dive(sides, deep - 1) if deep else 0
        return d(sides).map(lambda face: face if face % 2 or not deep else below + face)

    def dive_h(sides: int, deep: int) -> Any:
        below = dive_h(sides, deep - 1) if deep else 0
        return expand(lambda one: one.outcome if one.outcome % 2 or not deep else below + one.outcome, h(sides))

    def kept_h(count: int, sides: int, first: int, last: int) -> Counter[int]:
        found = Counter[int]()
        for roll, times in (p(sides) @ count).rolls_with_counts():
            found[sum(sorted(roll)[first:last])] += times
        return found

    formulas: Mapping[str, Mapping[str, Callable[..., Any]]] = {
        "icepool": {
            "make_opposed_case": lambda one, other, sides, least, most: (
                one @ (d(sides) >= least) - other @ (d(sides) >= most)
            ),
            "make_exploding_case": lambda sides, often: d(sides).explode({sides}, depth=often),
            "make_kept_dice_case": lambda count, sides, first, last: d(sides).pool(count)[first:last].sum(),
            "make_reroll_case": lambda count, sides, low, least: (
                count @ (d(sides).reroll(set(range(1, low)), depth=1) >= least)
            ),
            "make_deck_case": lambda worths, hand: icepool.Deck(list(worths)).deal(hand).sum(),
            "make_bag_case": lambda chits: die(list(chits)).map(lambda first: die(rest(chits, first)) + 10 * first),
            "make_loop_case": loop,
            "make_recursion_case": dive,
        },
        "dyce": {
            "make_opposed_case": lambda one, other, sides, least, most: (
                one @ h(sides).ge(least) - other @ h(sides).ge(most)
            ),
            "make_exploding_case": lambda sides, often: dyce.explode_n(h(sides), n=often),
            "make_kept_dice_case": kept_h,
            "make_reroll_case": lambda count, sides, low, least: (
                count @ expand(lambda one: h(sides) if one.outcome < low else one.outcome, h(sides)).ge(least)
            ),
            "make_bag_case": lambda chits: expand(
                lambda one: h.from_counts(Counter(rest(chits, one.outcome))) + 10 * one.outcome,
                h.from_counts(Counter(chits)),
            ),
            "make_loop_case": loop_h,
            "make_recursion_case": dive_h,
        },
    }
    asked = {name: by[family] for name, by in formulas.items() if family in by}
    return {name: _list_shares(compute(*given)) for name, compute in asked.items()}


def _list_shares(found: Any) -> Mapping[int, Fraction]:
    """How likely each result is, where a play that meets a fault has none."""
    counts = {int(outcome): count for outcome, count in found.items()}
    whole = sum(counts.values())
    return {outcome: Fraction(counts[outcome], whole) for outcome in sorted(counts) if outcome != FAULT}


def main(many: int, by: str = "") -> int:
    """Judges so many cases; says which differ, and how many."""
    wrong = told = left_out = 0
    for number in range(many):
        make = CASE_FAMILIES[number % len(CASE_FAMILIES)]
        case = make(Random(number))
        try:
            said = [judge_case(case)]
        except LeftOutError:
            said, left_out = [], left_out + 1
        if by == "libraries" and case.given:
            found = compute_by_libraries(make.__name__, case.given)
            told += len(found)
            likely = get_odds(work_out(case.rules, state=case.state))
            said += [f"{name}: {shares}, not {likely}" for name, shares in found.items() if shares != likely]
        for each in filter(None, said):
            wrong += 1
            print(f"{make.__name__} {number}: {each}")
    print(
        f"{many} cases, {left_out} left out for their many plays, {wrong} differ; libraries said {told} times what they make of one"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, *sys.argv[2:]))
