"""Loops without their bounds: where next to no play reaches them, a loop leads back to itself and is solved exactly."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple

from rulewright.machine import codes
from rulewright.machine.request import Faulted
from rulewright.machine.run import Paused, Run
from rulewright.odds.chain import Ways, parts
from rulewright.odds.exploration import Answering, Explored, Heed, Over, explore

NEXT_TO_NONE = Fraction(1, 10**12)
"""A share of plays that is left out."""
_PATIENCE = 20_000_000
"""How many ways are gone to find how fast loops are left."""
_SLACK = 1 + 1e-9
"""More than what floating-point numbers lose."""
_BOUNDS = {codes.JUMPED_TOO_OFTEN, codes.LOOP_TOO_LONG}


class Followed(NamedTuple):
    """All that a play may come to."""

    found: Explored  # it
    beyond: Fraction  # the share of plays, at most, that is told wrongly
    rounds: "Rounds | None" = None  # what was counted of loops whose bounds were left out, where any were

    def rarer(self, share: Fraction) -> Fraction:
        """The same share of plays, where it may be no more than so much: 1 where it may be more."""
        return self.beyond if self.rounds is None else self.rounds.beyond(self.found, self.found.ways, share=share)


def follow(start: Run, answering: Answering, most: int, heed: Heed = lambda _: None) -> Followed:
    """All that a play may come to, as `explore`, and the share of plays, at most, that is told wrongly.

    The bound of a loop that promises to end after `MANY_ROUNDS` or more is left out where no more than `NEXT_TO_NONE`
    of all plays can reach it; elsewhere each round is a moment of its own.
    """
    if not (isinstance(start.outcome, Paused) and start.promises_rounds):
        return Followed(explore(start, answering, most, heed), Fraction(0))
    rounds = Rounds()
    found = explore(start.fork(), answering, most, heed, rounds)
    beyond = rounds.beyond(found, found.ways)
    if beyond <= NEXT_TO_NONE:
        return Followed(found, beyond, rounds)
    return Followed(explore(start, answering, most, heed), Fraction(0))


class Rounds:
    """Tells moments apart without the rounds of loops, and counts these."""

    def __init__(self) -> None:
        self.bound: int | None = None  # the lowest bound of a loop that was left out; none where none was under way
        self.counted: set[tuple[int, int]] = set()  # the steps in which a loop made a round, from moment to moment
        self.at_once = self.longest = 1  # the most lines that were run in one step
        self._before: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._work = 0

    def key(self, run: Run) -> Hashable:
        """As `Noting.key`."""
        return run.endless_key()  # type: ignore[no-any-return]

    def begun(self, run: Run) -> None:
        """As `Noting.begun`."""
        self._before, self._work = run.rounds(), run.work

    def came(self, run: Run, number: int, to: int) -> None:
        """As `Noting.came`."""
        self.longest = max(self.longest, run.work - self._work)
        for loop, (made, bound) in run.rounds().items():
            self.bound = bound if self.bound is None else min(self.bound, bound)
            more = made - self._before.get(loop, (0, bound))[0]
            if more > 0:
                self.counted.add((number, to))
                self.at_once = max(self.at_once, more)

    def beyond(self, found: Explored, ways: Sequence[Ways], start: int = 0, share: Fraction = NEXT_TO_NONE) -> Fraction:
        """The share of plays, at most, in which a loop reaches its bound, where moments lead on in some ways.

        It is 0, `share` or 1.

        A step shows no more rounds of a loop than it runs lines, even where the loop ends and begins again in it. So a
        play that reaches a bound has shown half of it before, unless one step runs as many lines.
        """
        if self.bound is None:
            return Fraction(0)
        half = self.bound // 2
        if self.longest > half or any(is_bound(end) for end in found.ends.values()):
            return Fraction(1)
        return _goes_on(ways, set(self.counted), half // self.at_once, start, share)


def is_bound(over: Over) -> bool:
    """Whether a play is over because a loop goes on at its bound."""
    return isinstance(over, Faulted) and over.code in _BOUNDS


def _goes_on(ways: Sequence[Ways], counted: set[tuple[int, int]], needed: int, start: int, share: Fraction) -> Fraction:
    """How likely a play is, at most, to go so many of the counted ways: 0, `share` or 1.

    Ways that lead round without a counted one are counted too, which makes it likelier.
    """
    plain: list[Ways] = [
        [(likely, to) for likely, to in each if (moment, to) not in counted] for moment, each in enumerate(ways)
    ]
    plain.append([(Fraction(1), each) for each in range(len(ways))])
    order: list[int] = []
    for moments in parts(plain, len(ways)):
        order += moments
        counted |= {(moment, to) for moment in moments for _, to in plain[moment] if to in moments}
    steps = [
        (moment, [(float(p) * _SLACK, to, (moment, to) in counted) for p, to in ways[moment]])
        for moment in reversed(order)
        if moment < len(ways)
    ]
    here = {start: 1.0}
    for _ in range(min(needed, _PATIENCE // sum(len(each) for each in ways))):
        onward: defaultdict[int, float] = defaultdict(float)
        for moment, each in steps:
            likely = here.get(moment, 0.0)
            for p, to, is_counted in each if likely else ():
                if is_counted:
                    onward[to] += likely * p
                else:
                    here[to] = here.get(to, 0.0) + likely * p
        if sum(onward.values()) <= share:
            return share if onward else Fraction(0)
        here = onward
    return Fraction(1)
