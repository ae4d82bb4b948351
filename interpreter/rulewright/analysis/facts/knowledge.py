"""Facts: what is known at a place of the rules, and how it is forgotten (manual, Proofs)."""

from collections.abc import Mapping
from dataclasses import field, replace

from rulewright.analysis.facts.intervals import WHOLE, Range, hull
from rulewright.analysis.facts.keys import Key, key
from rulewright.analysis.reads import ANYTHING
from rulewright.frozen import dataclass
from rulewright.program.declarations import Function
from rulewright.program.expressions import Expression, Logical, Variable

Sources = frozenset[str]


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
        functions: bodies of terms and the like, which facts about their calls are opened with.
        reads: what those bodies read.
    """

    truths: Mapping[Key, tuple[bool, Sources]] = field(default_factory=dict)
    ranges: Mapping[Key, tuple[Range, Sources]] = field(default_factory=dict)
    values: Mapping[int, tuple[tuple[Expression, ...], Sources]] = field(default_factory=dict)
    everywhere: Mapping[tuple[Key, Key], tuple[Variable, Expression, Sources]] = field(default_factory=dict)
    either: Mapping[Key, tuple[Logical, bool, Sources]] = field(default_factory=dict)
    told: Mapping[tuple[Key, bool, bool], int] = field(default_factory=dict, compare=False, repr=False)
    functions: Mapping[str, Function] = field(default_factory=dict, compare=False, repr=False)
    reads: Mapping[str, Sources] = field(default_factory=dict, compare=False, repr=False)

    def unlearnt(self) -> "Facts":
        """Nothing learnt, only what functions mean."""
        return Facts(functions=self.functions, reads=self.reads)


def forget(facts: Facts, written: frozenset[str]) -> Facts:
    """The facts that still hold after these may have been written.

    Written are `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations,
    `local/<index>`, `dice` (faces, by a reroll), or `*` for all of these but names.
    """
    if not written:
        return facts
    return replace(
        facts,
        truths={each: fact for each, fact in facts.truths.items() if not _touched(fact[1], written)},
        ranges={each: fact for each, fact in facts.ranges.items() if not _touched(fact[1], written)},
        values={
            index: fact
            for index, fact in facts.values.items()
            if not _touched(fact[1], written) and f"local/{index}" not in written
        },
        everywhere={each: fact for each, fact in facts.everywhere.items() if not _touched(fact[2], written)},
        either={each: fact for each, fact in facts.either.items() if not _touched(fact[2], written)},
        told={},
    )


def _touched(sources: Sources, written: Sources) -> bool:
    if sources & written:
        return True
    return (ANYTHING in written and _of_game(sources)) or (ANYTHING in sources and _of_game(written))


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
