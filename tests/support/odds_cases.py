"""Procedures made at random whose odds are worked out twice: by `odds`, and by writing out every throw here.

What is written out here knows nothing of the machine. `PYTHONPATH=tests python -m support.odds_cases 300` judges so
many cases and says which differ; with `libraries` behind it, by icepool and dyce too, which the extra `bench` has; with
`simulated`, how often intervals of `simulate` hold what is true.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product
from random import Random

from rulewright.base.files import MemoryFiles
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay, prepare_measured_play
from rulewright.odds.exact_odds import PlayOdds, compute_odds
from rulewright.odds.monte_carlo import confidence_interval, simulate_plays
from rulewright.play.session import PlayStart
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from support.reference.ruleset_texts import load_program, read_situation

Likely = Mapping[int, Fraction]
TWO = "players: [ann, bob]\n"


@dataclass(frozen=True)
class OddsCase:
    """A procedure, how likely each result is, how likely a fault, and what best play is worth."""

    rules: str
    likely: Likely = field(default_factory=dict)
    faulty: Fraction = Fraction(0)
    best: Fraction | None = None
    state: str = TWO
    objectives: tuple[tuple[int, str], ...] = ()
    given: tuple[object, ...] | None = None  # what a library of dice is told of it, where one can say it


def compute_case_odds(case: OddsCase) -> PlayOdds:
    """What `odds` makes of a case."""
    return compute_odds(*ask_case(case), 200_000, lambda _: None)


def ask_case(case: OddsCase) -> tuple[MeasuredPlay, PlayAnswerer]:
    """The play of a case that is asked for its result, and who answers."""
    text = f'ruleset example "Example" revision "1"\n{case.rules}'
    checked = load_program(text)
    procedure = checked.procedures.get("main") or next(iter(checked.procedures.values()))
    arguments = tuple(range(len(procedure.parameters)))
    begun = PlayStart(
        compile_program(checked, traced=False), procedure, read_situation(case.state, checked), arguments, RunLimits()
    )
    files = MemoryFiles({"example.rules": text})
    found = prepare_measured_play(begun, ("result",), "example.rules", (), files, case.objectives)
    assert found.value is not None, found.diagnostics
    return found.value, PlayAnswerer(begun.names, maximizing_players=frozenset(found.value.objectives))


def describe_difference(case: OddsCase) -> str:
    """How `odds` and what is written out differ; nothing where they are equal as fractions."""
    found = compute_case_odds(case)
    if case.best is not None:
        told = found.optimal_values[0]
        return "" if told.low == told.high == case.best else f"best play {told.low}..{told.high}, not {case.best}"
    (told_likely,) = (dict(each.probabilities) for each in found.distributions)
    faulty = sum(found.faults.values(), Fraction(0))
    if told_likely != dict(case.likely) or faulty != case.faulty or found.never_ends or found.open_share:
        return f"{told_likely} and faults {faulty}, not {dict(case.likely)} and {case.faulty}"
    return ""


def _count_results(results: Iterator[int]) -> Likely:
    counts = Counter(results)
    whole = sum(counts.values())
    return {result: Fraction(many, whole) for result, many in sorted(counts.items())}


def _weigh_outcomes(ways: Iterator[tuple[int, Fraction]]) -> Likely:
    found: dict[int, Fraction] = {}
    for result, likely in ways:
        found[result] = found.get(result, Fraction(0)) + likely
    return dict(sorted(found.items()))


def make_opposed_case(draw: Random) -> OddsCase:
    one, other = (draw.randint(1, 3) for _ in range(2))
    sides, least, most = draw.choice([4, 6]), draw.randint(2, 4), draw.randint(2, 4)
    rules = f"""
procedure clash() gives -9..9 "Opposed pools":
  roll {one}d{sides} as blows
  roll {other}d{sides} as blocks
  finish with count(each d in blows where d.natural >= {least}) - count(each d in blocks where d.natural >= {most})
"""
    throws = product(range(1, sides + 1), repeat=one + other)
    return OddsCase(
        rules,
        _count_results(sum(each >= least for each in t[:one]) - sum(each >= most for each in t[one:]) for t in throws),
        given=(one, other, sides, least, most),
    )


def make_exploding_case(draw: Random) -> OddsCase:
    sides, often = draw.choice([4, 6, 8]), draw.randint(1, 3)
    rules = f"""
procedure burst() gives 0..99 "A die that explodes":
  roll 1d{sides} explode on {sides} at most {often} as blow
  finish with total(blow)
"""

    def ways(left: int, before: int, likely: Fraction) -> Iterator[tuple[int, Fraction]]:
        for face in range(1, sides + 1):
            if face == sides and left:
                yield from ways(left - 1, before + face, likely / sides)
            else:
                yield before + face, likely / sides

    likely = _weigh_outcomes(ways(often, 0, Fraction(1)))
    return OddsCase(rules, likely, given=(sides, often))


def make_kept_dice_case(draw: Random) -> OddsCase:
    count, sides = draw.randint(2, 4), draw.choice([4, 6])
    which, of = draw.choice(["keep highest", "keep lowest", "drop highest", "drop lowest"]), draw.randint(1, count - 1)
    rules = f"""
procedure choice() gives 0..99 "Kept dice":
  roll {count}d{sides} {which} {of} as blows
  finish with total(blows)
"""

    def total(throw: tuple[int, ...]) -> int:
        ordered = sorted(throw, reverse=which.endswith("highest"))
        return sum(ordered[:of]) if which.startswith("keep") else sum(ordered[of:])

    likely = _count_results(map(total, product(range(1, sides + 1), repeat=count)))
    lowest = (0, of) if which.startswith("keep") else (of, count)
    first, last = (count - lowest[1], count - lowest[0]) if which.endswith("highest") else lowest
    return OddsCase(rules, likely, given=(count, sides, first, last))


def make_reroll_case(draw: Random) -> OddsCase:
    count, sides = draw.randint(1, 3), draw.choice([4, 6])
    low, least = draw.randint(2, 3), draw.randint(2, sides)
    rules = f"""
procedure again() gives 0..9 "Thrown again once":
  roll {count}d{sides} as blows
  let poor = {{each d in blows where d.natural < {low}}}
  reroll poor
  finish with count(each d in blows where d.natural >= {least})
"""

    def hits() -> Iterator[int]:
        faces = range(1, sides + 1)
        for throw in product(product(faces, repeat=2), repeat=count):
            yield sum((second if first < low else first) >= least for first, second in throw)

    return OddsCase(rules, _count_results(hits()), given=(count, sides, low, least))


def make_deck_case(draw: Random) -> OddsCase:
    worths = [draw.randint(0, 3) for _ in range(draw.randint(3, 5))]
    hand = draw.randint(1, 3)
    cards = ", ".join(f"c{number}: {{worth: {worth}}}" for number, worth in enumerate(worths))
    rules = f"""
kind Card, cards:
  worth: 0..9
procedure hand() gives 0..99 "Cards without replacement":
  let pile = [each c in cards]
  let sum: 0..99 = 0
  for each _ in 1..{hand}:
    draw from pile as card
    add up to card.worth to sum
  finish with sum
"""
    state = f"{TWO}cards: {{{cards}}}\n"
    likely = _count_results(sum(each[:hand]) for each in permutations(worths))
    return OddsCase(rules, likely, state=state, given=(worths, hand))


def make_bag_case(draw: Random) -> OddsCase:
    chits = [draw.randint(1, 3) for _ in range(draw.randint(2, 5))]
    adds = "\n".join(f"  add {each} to bag" for each in chits)
    rules = f"""
procedure drawn() gives 0..99 "Chits out of a bag":
  let bag: bag of 1..3 = {{}}
{adds}
  draw from bag as first
  draw from bag as second
  finish with 10 * first + second
"""
    likely = _count_results(10 * one + two for one, two in permutations(chits, 2))
    return OddsCase(rules, likely, given=(chits,))


def make_loop_case(draw: Random) -> OddsCase:
    sides, least, often = draw.choice([4, 6]), draw.randint(2, 4), draw.randint(1, 4)
    rules = f"""
procedure until() gives 0..99 "Thrown until it is enough, at most so often":
  let thrown: 0..99 = 0
  step 1 "Throw":
    roll d{sides} as blow
    set thrown to min(99, thrown + 1)
    if blow.natural >= {least}:
      finish with thrown
    proceed to 1 at most {often}
"""
    again = Fraction(least - 1, sides)
    likely = {number: again ** (number - 1) * (1 - again) for number in range(1, often + 2)}
    return OddsCase(rules, likely, again ** (often + 1), given=(sides, least, often))


def make_recursion_case(draw: Random) -> OddsCase:
    sides, deep = draw.choice([2, 4]), draw.randint(1, 4)
    rules = f"""
procedure dive() gives 0..99 "Deeper as long as it is even":
  perform deeper({deep}) as found
  finish with found
inner procedure deeper(left: 0..9) gives 0..99 "One deeper":
  roll d{sides} as blow
  if left = 0 or blow.natural = 1 or blow.natural = 3:
    finish with blow.natural
  perform deeper(max(0, left - 1)) at most 9 deep as below
  finish with min(99, below + blow.natural)
"""

    def ways(left: int, likely: Fraction) -> Iterator[tuple[int, Fraction]]:
        for face in range(1, sides + 1):
            if left == 0 or face % 2:
                yield face, likely / sides
            else:
                yield from ((face + below, each) for below, each in ways(left - 1, likely / sides))

    return OddsCase(rules, _weigh_outcomes(ways(deep, Fraction(1))), given=(sides, deep))


def make_press_your_luck_case(draw: Random) -> OddsCase:
    sides, throws, bust = draw.choice([3, 4, 6]), draw.randint(1, 4), draw.randint(1, 2)
    rules = f"""
procedure press(p: player) gives 0..99 "Press your luck":
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

    def worth(kept_: int, left: int) -> Fraction:
        if not left:
            return Fraction(kept_)
        faces = (kept_ + face for face in range(bust + 1, sides + 1))
        return sum((max(Fraction(each), worth(each, left - 1)) for each in faces), Fraction(0)) / sides

    return OddsCase(rules, best=worth(0, throws), objectives=((0, "result"),))


def make_two_sided_case(draw: Random) -> OddsCase:
    pile, sides = draw.randint(2, 5), draw.randint(1, 3)
    rules = f"""
procedure nim(p: player, q: player) gives 0..9 "Take some; the last to take wins what the die showed":
  let left: 0..9 = {pile}
  let won: -9..9 = 0
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

    def worth(left: int, side: int) -> Fraction:
        total = Fraction(0)
        for luck in range(1, sides + 1):
            after = [4 + side * luck if left == take else worth(left - take, -side) for take in (1, 2) if take <= left]
            total += side * max(side * Fraction(each) for each in after)
        return total / sides

    return OddsCase(rules, best=worth(pile, 1), objectives=((0, "result"), (1, "-result")))


def make_dice_by_dice_case(draw: Random) -> OddsCase:
    """As many dice as others brought, more or fewer, also none; the first are looked at once more at the end."""
    count, sides, least = draw.randint(1, 3), draw.choice([3, 4]), draw.randint(2, 3)
    more, by, worth = draw.randint(-2, 1), draw.choice([-1, 1]), draw.randint(0, 2)
    again, both, parts, looks = (draw.random() < 0.5 for _ in range(4))
    rules = f"""
game:
  left: 0..9 = {count + 1}
procedure chain() gives -999..999 "Dice by dice":
  roll {count}d{sides} as blows
  let hits = count(each d in blows where d.natural >= {least})
  take up to hits from left
  roll max(0, {"left" if both else "hits"} + {more}) of d{sides} as answers
  {"reroll answers" if again else "let same = hits"}
  let answered = count(each d in answers where d.natural >= {least})
  let back: 0..999 = 0
  {f"if answered = {worth}:" if parts else "if 1 = 1:"}
    roll max(0, 1 + {by} * answered) of d{sides} as last
    set back to total(last) + 10 * count(last)
  finish with back + 50 * {"answered" if looks else "count(each d in blows where d.natural = 1)"} - 7 * left
"""
    faces = range(1, sides + 1)

    def thrown(number: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        number = max(0, number)
        yield from ((throw, Fraction(1, sides**number)) for throw in product(faces, repeat=number))

    def ways() -> Iterator[tuple[int, Fraction]]:
        for blows, one in thrown(count):
            hits = sum(each >= least for each in blows)
            left = max(0, count + 1 - hits)
            for answers, two in thrown((left if both else hits) + more):
                answered = sum(each >= least for each in answers)
                end = 50 * (answered if looks else blows.count(1)) - 7 * left
                for last, three in thrown(1 + by * answered) if answered == worth or not parts else [((), Fraction(1))]:
                    yield sum(last) + 10 * len(last) + end, one * two * three

    return OddsCase(rules, _weigh_outcomes(ways()))


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
    make_dice_by_dice_case,
)


def main(many: int, by: str = "") -> int:
    """Judges so many cases; says which differ, and how many."""
    cases = [(number, CASE_FAMILIES[number % len(CASE_FAMILIES)]) for number in range(many)]
    if by == "simulated":
        return report_interval_coverage(many)
    wrong = told = 0
    for number, make in cases:
        case = make(Random(number))
        said = [describe_difference(case)]
        if by == "libraries" and case.given is not None:
            from support.odds_by_libraries import compute_by_libraries  # noqa: PLC0415 - of the extra `bench`

            found = compute_by_libraries(make.__name__, case.given, case.faulty)
            told += len(found)
            said += [f"{name}: {likely}" for name, likely in found.items() if likely != dict(case.likely)]
        for each in filter(None, said):
            wrong += 1
            print(f"{make.__name__} {number}: {each}")
    print(f"{many} cases, {wrong} differ" + (f"; libraries said {told} times what they make of one" if told else ""))
    return int(wrong > 0)


def report_interval_coverage(many: int, plays: int = 1000) -> int:
    """Says how many of so many repetitions of one question hold what is true in their intervals."""
    case = make_opposed_case(Random(0))
    play, answers = ask_case(case)
    held = dict.fromkeys(case.likely, 0)
    for seed in range(many):
        counted = simulate_plays(play, answers, seed, range(plays))
        for value, likely in case.likely.items():
            low, high = confidence_interval(counted.value_counts[0].get(value, 0), plays)
            held[value] += low <= likely <= high
    for value, times in held.items():
        print(f"{value}: {float(case.likely[value]):.4f}, in the interval in {times} of {many}")
    together = sum(held.values()) / len(held) / many
    print(f"{100 * together:.1f} % of all intervals hold it")
    return int(together < _MIN_COVERAGE)


_MIN_COVERAGE = 0.93


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, *sys.argv[2:]))
