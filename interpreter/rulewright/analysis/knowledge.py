"""Facts: what is known at a place of the rules, and how it is forgotten (manual, Proofs)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rulewright.analysis.keys import Key
from rulewright.program.declarations import Function
from rulewright.program.expressions import Expression

Range = tuple[int | None, int | None]
Sources = frozenset[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known to hold.

    Every fact carries what it reads, in the notation of `reads`, and is forgotten when that may have been written.

    Attributes:
        truths: for the key of a condition, whether it holds.
        ranges: for the key of a number, its bounds.
        values: for the index of a name, the only value it can have.
        functions: bodies of terms and the like, which facts about their calls are opened with.
    """

    truths: Mapping[Key, tuple[bool, Sources]] = field(default_factory=dict)
    ranges: Mapping[Key, tuple[Range, Sources]] = field(default_factory=dict)
    values: Mapping[int, tuple[Expression, Sources]] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=dict, compare=False, repr=False)


def forget(facts: Facts, written: frozenset[str]) -> Facts:
    """The facts that still hold after these may have been written.

    Written are `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations,
    `local/<index>`, `dice` (faces, by a reroll), or `*` for all of these but names.
    """
    raise NotImplementedError


def merge(first: Facts, second: Facts) -> Facts:
    """What both know: the facts where two ways meet."""
    raise NotImplementedError
