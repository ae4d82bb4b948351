"""Exact odds of procedures written at random, held against every outcome that the judge comes to, as fractions.

`PYTHONPATH=tests python -m support.judged_odds [CASES [FILE]]` compares 1,000 cases unless told otherwise, and goes on where
the file says that it was broken off. It tells how many were compared, how many were left out and why, and which differ,
and exits with 1 where any does.

A case is a procedure with its start. The judge plays it once for each sequence of faces, draws, shuffles and answers.
From these come, for players who take each legal answer alike and for players who take the first, how likely each result,
each number left in the game and each fault is; and what best play is worth. `odds` has to say the same, in three ways: by
merged states, without merging, and with the sums of all pools known beforehand.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product
from math import factorial, prod
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay
from rulewright.odds.exact_odds import PlayOdds, begin_run, compute_odds
from rulewright.odds.hidden_information import HiddenInformationError
from rulewright.play.session import PlayStart
from rulewright.runtime import pool_builder
from support.odds_questions import TWO_PLAYERS, answer_play, ask_best_play, ask_play, make_answerer
from support.random_programs import write_program
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay, play_with_judge
from support.reference.ruleset_texts import load_text
from support.reference.world import UnsupportedByJudge

CASES, PLAYS, _MOST_STATES = 1_000, 2_000, 1_000_000
_TOO_MANY = "too many plays"
_CHANCE_SORTS = frozenset({"roll", "draw", "shuffle"})
_GRAMMARS = ("chance", "dice", "chance", "pick")
"""By what the texts are written, for seeds in turn."""
POLICIES = ("random", "first")


class LeftOutError(Exception):
    """A case is not compared, for the reason given."""


@dataclass(frozen=True)
class Leaf:
    """How a play ended: what is measured of the end, or the code of a fault."""

    worths: tuple[Hashable, ...]
    fault: str = ""


@dataclass
class Fork:
    """A request of the judge, and what follows each answer to it."""

    chooser: int | None  # a player, or chance
    ways: list["Fork | Leaf"] = field(default_factory=list)


def enumerate_plays(
    begun: PlayStart, measure: Callable[[JudgedPlay], tuple[Hashable, ...]], most: int
) -> "Fork | Leaf":
    """All plays of the judge, as a tree.

    Raises:
        LeftOutError: there are too many, or somebody from outside is asked.
    """
    root: list[Fork | Leaf] = []
    taken: list[int] = []  # by request of a play, the number of the way that it takes
    for _ in range(most):
        counts = _play_ways(begun, taken, root, measure)
        if prod(counts) > most:  # as many plays there are on average, where forks are alike
            break
        while counts and taken[-1] + 1 == counts[-1]:
            counts.pop()
            taken.pop()
        if not counts:
            return root[0]
        taken[-1] += 1
    raise LeftOutError(_TOO_MANY)


def _play_ways(
    begun: PlayStart,
    taken: list[int],
    root: "list[Fork | Leaf]",
    measure: Callable[[JudgedPlay], tuple[Hashable, ...]],
) -> list[int]:
    """Adds a play that takes these ways and then the first ones; returns how many ways each of its requests has."""
    ways, counts = root, list[int]()

    def answer(asked: JudgeRequest) -> Any:
        nonlocal ways
        number, answers = len(counts), _list_answers(asked)
        counts.append(len(answers))
        if len(ways) == (taken[number - 1] if number else 0):
            ways.append(Fork(None if asked.sort in _CHANCE_SORTS else asked.player or 0))
        if number == len(taken):
            taken.append(0)
        fork = ways[-1]
        assert isinstance(fork, Fork)
        ways = fork.ways
        return answers[taken[number]]

    played = play_with_judge(begun.executable.program, begun.situation, begun.procedure.name, begun.arguments, answer)
    if played.how == "refused":
        raise LeftOutError("refused")
    ways.append(Leaf(measure(played)) if played.how == "ended" else Leaf((), played.result))
    return counts


def _list_answers(asked: JudgeRequest) -> list[Any]:
    """All faces, draws and orders, equally likely, or all legal answers in order."""
    match asked.sort:
        case "roll":
            _refuse_many(prod(map(len, asked.faces)))
            return [*product(*asked.faces)]
        case "draw":
            return [*asked.items]
        case "shuffle" | "handlers":
            _refuse_many(factorial(len(asked.items)))
            return [*permutations(asked.items)]
        case _:
            if asked.legal is None:
                raise LeftOutError(f"asks for a {asked.sort}")
            return [*asked.legal]


def _refuse_many(ways: int) -> None:
    if ways > PLAYS:
        raise LeftOutError(_TOO_MANY)


def weigh_plays(tree: "Fork | Leaf", policy: str) -> Counter[Leaf]:
    """How likely each end is."""
    found = Counter[Leaf]()
    waiting: list[tuple[Fork | Leaf, Fraction]] = [(tree, Fraction(1))]
    while waiting:
        at, likely = waiting.pop()
        if isinstance(at, Leaf):
            found[at] += likely  # type: ignore[assignment]
            continue
        ways = at.ways[:1] if at.chooser is not None and policy == "first" else at.ways
        waiting += [(each, likely / len(ways)) for each in ways]
    return found


def compute_best_value(tree: "Fork | Leaf", sides: Mapping[int, int]) -> Fraction:
    """What the first measure comes to on average, if players on side 1 make it as high as can be, those on side -1 as low."""
    if isinstance(tree, Leaf):
        if tree.fault:
            raise LeftOutError("best play may meet a fault")
        (worth, *_) = tree.worths
        assert isinstance(worth, int)
        return Fraction(worth)
    values = [compute_best_value(each, sides) for each in tree.ways]
    if tree.chooser is None:
        return sum(values, Fraction(0)) / len(values)
    return max(values) if sides[tree.chooser] > 0 else min(values)


def _asks(tree: "Fork | Leaf") -> bool:
    return isinstance(tree, Fork) and (tree.chooser is not None or any(map(_asks, tree.ways)))


def describe_difference(
    rules: str, most: int = PLAYS, *, state: str = TWO_PLAYERS, best: tuple[tuple[int, str], ...] = ((0, "result"),)
) -> str:
    """How odds and every outcome written out differ; nothing where they are equal as fractions.

    Raises:
        LeftOutError: they are not compared: `check` refuses the rules, or there are more plays.
    """
    program = load_text(f'ruleset example "Example" revision "1"\n{rules}').program
    if program is None:
        raise LeftOutError("`check` refuses it")
    measures = ("result", *program.game.keys() & {"score"})
    play = ask_play(rules, *measures, state=state)

    def measure(played: JudgedPlay) -> tuple[Hashable, ...]:
        return tuple(played.result if each == "result" else played.game.game[each] for each in measures)

    tree = enumerate_plays(play.start, measure, most)
    for policy in POLICIES:
        answers = make_answerer(play, policy=policy)
        expected = _split_by_measure(weigh_plays(tree, policy), len(measures))
        for way, found in _compute_every_way(play, answers):
            told = _list_told(found)
            if told != expected:
                return f"{policy}, {way}: {told}, not {expected}"
    if not _asks(tree):
        return ""
    try:
        worth = compute_best_value(tree, {player: -1 if wish.startswith("-") else 1 for player, wish in best})
        low, high = find_optimal_values(ask_best_play(rules, *best, state=state))
    except (LeftOutError, HiddenInformationError):
        return ""
    return "" if low == high == worth else f"best play: {low}..{high}, not {worth}"


def find_optimal_values(play: MeasuredPlay) -> tuple[Fraction, Fraction]:
    """Between what bounds lies what the first of those who play for the best can expect."""
    told = answer_play(play, most=_MOST_STATES).optimal_values[0]
    return told.low, told.high


_Told = tuple[list[dict[Hashable, Fraction]], dict[str, Fraction]]
"""By measure, how likely each value is, and by code, how likely each fault."""


def _split_by_measure(ends: Counter[Leaf], measures: int) -> _Told:
    found: list[Counter[Hashable]] = [Counter() for _ in range(measures)]
    faults = Counter[str]()
    for leaf, likely in ends.items():
        if leaf.fault:
            faults[leaf.fault] += likely  # type: ignore[assignment]
        for each, worth in zip(found, leaf.worths, strict=False):
            each[worth] += likely  # type: ignore[assignment]
    return [dict(each) for each in found], dict(faults)  # type: ignore[arg-type]


def _list_told(found: PlayOdds) -> _Told:
    assert not found.never_ends
    assert not found.open_share
    assert not found.error_share
    faults = Counter[str]()
    for (code, _), likely in found.faults.items():
        faults[code] += likely  # type: ignore[assignment]
    return [dict(each.probabilities) for each in found.distributions], dict(faults)  # type: ignore[arg-type]


def _compute_every_way(play: MeasuredPlay, answers: PlayAnswerer) -> Iterator[tuple[str, PlayOdds]]:
    def compute(**more: Any) -> PlayOdds:
        return compute_odds(play, answers, _MOST_STATES, lambda _: None, **more)

    yield "merged", compute()
    yield "not merged", compute(at=begin_run(play.start))
    with patch.object(pool_builder, "_MAX_DISTINCT_ROLLS", 0):
        yield "by sums of pools", compute()


def write_case(seed: int) -> str:
    """The text of a case."""
    return write_program(_GRAMMARS[seed % len(_GRAMMARS)], seed)


@dataclass
class Counts:
    """What came of cases; `seeds` of them are done."""

    seeds: int = 0
    compared: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)

    def compare_seed(self, seed: int, most: int = PLAYS) -> None:
        """Compares the case of a seed, unless it has more plays."""
        rules = write_case(seed)
        self.seeds = seed + 1
        try:
            said = describe_difference(rules, most)
        except (LeftOutError, UnsupportedByJudge) as left_out:
            self.left_out[str(left_out)] += 1
            return
        self.compared += 1
        self.differing += [f"seed {seed}: {said}\n{rules}"] if said else []


def compare_seeds(seeds: Iterable[int], most: int = PLAYS) -> Counts:
    """What came of the cases of some seeds that have no more plays."""
    counts = Counts()
    for seed in seeds:
        counts.compare_seed(seed, most)
    return counts


def main(cases: int, file: str) -> int:
    """Compares so many cases, and tells of them."""
    kept = Path(file) if file else None
    counts = Counts()
    if kept is not None and kept.exists():
        read = json.loads(kept.read_text(encoding="utf-8"))
        counts = Counts(**read | {"left_out": Counter(read["left_out"])})
    while counts.compared < cases:
        counts.compare_seed(counts.seeds)
        if kept is not None:
            written = kept.with_suffix(".new")
            written.write_text(json.dumps(vars(counts)), encoding="utf-8")
            written.replace(kept)
    print(*counts.differing, sep="\n")
    left_out = "".join(f", {number:,} left out: {why}" for why, number in counts.left_out.most_common())
    print(f"{counts.compared:,} cases{left_out}, {len(counts.differing)} differ")
    return int(bool(counts.differing))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else CASES, "".join(sys.argv[2:3])))
