"""Facts: what is known at a place of the rules, and how it is forgotten (manual, Proofs)."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, TypeVar

from rulewright.analysis.facts.intervals import WHOLE, Range, hull
from rulewright.analysis.facts.keys import Key, key
from rulewright.analysis.reads import ANYTHING
from rulewright.frozen import dataclass
from rulewright.program.declarations import Function
from rulewright.program.expressions import Expression, Logical, Variable

Sources = frozenset[str]
_Name = TypeVar("_Name")
_Fact = TypeVar("_Fact", bound=tuple[Any, ...])


MOST_STEPS = 1_000
MOST_NAMES = 12
MOST_PARTS = 60
MOST_QUESTIONS = 6
MOST_EFFORT = 500_000


class Exhausted(Exception):  # noqa: N818
    """A check has taken all the steps it may take."""


class Effort:
    """The steps that conclusions of one check have taken together."""

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        self._steps = 0

    @property
    def steps(self) -> int:
        """How many there were so far."""
        return self._steps

    def spend(self, steps: int = 1) -> None:
        """Counts steps.

        Raises:
            Exhausted: they are more than `MOST_EFFORT`.
        """
        self._steps += steps
        if self._steps > MOST_EFFORT:
            raise Exhausted


class Look:
    """One look at facts, from the question that is asked first to its answer; those asked on the way belong to it.

    Attributes:
        steps: how many steps it took so far.
        questions: how many questions are open, each asked for another.
        parts: how many expressions are being bounded, each for another.
        names: how many names are being followed to their values, each inside the other.
        ranges: bounds found of names, by what they bound, the index and how many names were followed on the way.
    """

    __slots__ = ("names", "parts", "questions", "ranges", "steps")

    def __init__(self) -> None:
        self.questions = 0
        self.parts = 0
        self.steps = 0
        self.names = 0
        self.ranges: dict[tuple[str, int, int], Range] = {}

    def __enter__(self) -> None:
        if not self.questions:
            self.steps = 0
            self.ranges.clear()
        self.questions += 1

    def __exit__(self, *_: object) -> None:
        self.questions -= 1


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known to hold.

    Every fact carries what it reads, in the notation of `reads`, and is forgotten when that may have been written.

    Attributes:
        truths: for the key of a condition, whether it holds.
        ranges: for the key of a number, its bounds.
        values: for the index of a name, the few values it can have, each once.
        everywhere: for the keys of a collection and a condition, what holds of every member: the member's name, the
            condition, and what both read.
        either: for the key of `a and b` or `a or b` that leaves both open, its sides and whether it holds.
        told: what was learnt with all that follows since anything was forgotten, for the key of a condition, whether it
            holds and whether that passes with the expression: how deep inside others it stood.
        numbers: for a kind of which no thing ever leaves play how many there are.
        functions: bodies of terms and the like, which facts about their calls are opened with.
        reads: what those bodies read.
        effort: what all conclusions of the check have cost.
        look: the look at these facts that is under way.
    """

    truths: Mapping[Key, tuple[bool, Sources]] = field(default_factory=dict)
    ranges: Mapping[Key, tuple[Range, Sources]] = field(default_factory=dict)
    values: Mapping[int, tuple[tuple[Expression, ...], Sources]] = field(default_factory=dict)
    everywhere: Mapping[tuple[Key, Key], tuple[Variable, Expression, Sources]] = field(default_factory=dict)
    either: Mapping[Key, tuple[Logical, bool, Sources]] = field(default_factory=dict)
    told: Mapping[tuple[Key, bool, bool], int] = field(default_factory=dict, compare=False, repr=False)
    numbers: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    functions: Mapping[str, Function] = field(default_factory=dict, compare=False, repr=False)
    reads: Mapping[str, Sources] = field(default_factory=dict, compare=False, repr=False)
    effort: Effort = field(default_factory=Effort, compare=False, repr=False)
    look: Look = field(default_factory=Look, init=False, compare=False, repr=False)

    def unlearnt(self) -> "Facts":
        """Nothing learnt, only what functions mean and how many things there always are."""
        return Facts(numbers=self.numbers, functions=self.functions, reads=self.reads, effort=self.effort)

    def goes_on(self, look: Look | None = None) -> bool:
        """Counts a step; whether a look, else the one under way, may take it: beyond `MOST_STEPS` it finds no more."""
        self.effort.spend()
        under_way = look or self.look
        under_way.steps += 1
        return under_way.steps <= MOST_STEPS


def forget(facts: Facts, written: frozenset[str]) -> Facts:
    """The facts that still hold after these may have been written.

    Written are `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations,
    `local/<index>`, `dice` (faces, by a reroll), or `*` for all of these but names.
    """
    if not written:
        return facts
    named = frozenset(int(each.removeprefix("local/")) for each in written if each.startswith("local/"))
    values = (
        facts.values
        if named.isdisjoint(facts.values)
        else {index: fact for index, fact in facts.values.items() if index not in named}
    )
    return replace(
        facts,
        truths=_untouched(facts.truths, written),
        ranges=_untouched(facts.ranges, written),
        values=_untouched(values, written),
        everywhere=_untouched(facts.everywhere, written),
        either=_untouched(facts.either, written),
        told={},
    )


def _untouched(known: Mapping[_Name, _Fact], written: Sources) -> Mapping[_Name, _Fact]:
    """The facts that read nothing of what was written; each has what it reads at its end."""
    all_of_game, reading = ANYTHING in written, written | {ANYTHING} if _of_game(written) else written
    gone = {
        each for each, fact in known.items() if not reading.isdisjoint(fact[-1]) or (all_of_game and _of_game(fact[-1]))
    }
    return {each: fact for each, fact in known.items() if each not in gone} if gone else known


def _of_game(names: Sources) -> bool:
    return any(not name.startswith("local/") for name in names)


def merge(first: Facts, second: Facts) -> Facts:
    """What both know: the facts where two ways meet."""
    return replace(
        first,
        truths={
            each: (truth, sources | second.truths[each][1])
            for each, (truth, sources) in first.truths.items()
            if each in second.truths and second.truths[each][0] == truth
        },
        ranges={
            each: (hull(bounds, second.ranges[each][0]), sources | second.ranges[each][1])
            for each, (bounds, sources) in first.ranges.items()
            if each in second.ranges and hull(bounds, second.ranges[each][0]) != WHOLE
        },
        values={
            index: (either, sources | second.values[index][1])
            for index, (some, sources) in first.values.items()
            if index in second.values and (either := few((*some, *second.values[index][0])))
        },
        everywhere={each: fact for each, fact in first.everywhere.items() if each in second.everywhere},
        either={
            each: (sides, truth, sources | second.either[each][2])
            for each, (sides, truth, sources) in first.either.items()
            if each in second.either and second.either[each][1] == truth
        },
        told={},
    )


MOST_VALUES = 6


def few(values: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The values, each once; nothing where they are too many to be kept in mind."""
    found = tuple({key(value): value for value in values}.values())
    return found if len(found) <= MOST_VALUES else ()
