"""What can be changed: each operator makes the edits of one node."""

from collections.abc import Callable, Iterator

from rulewright.mutations.mutant import Edit
from rulewright.mutations.operators.adverbs import adverbs
from rulewright.mutations.operators.conditions import conditions, quantities
from rulewright.mutations.operators.expressions import defaults, extremes, flags, orders, signs, words
from rulewright.mutations.operators.jumps import jumps
from rulewright.mutations.operators.lines import lines
from rulewright.mutations.operators.numbers import numbers
from rulewright.mutations.operators.parts import parts, sequences
from rulewright.mutations.operators.people import deciders, roles
from rulewright.mutations.visiting import Visit

ALL: tuple[Callable[[Visit], Iterator[Edit]], ...] = (
    conditions, quantities, numbers, signs, extremes, defaults, flags, words, jumps, deciders, roles, orders, sequences,
    lines, parts, adverbs,
)  # fmt: skip
"""All operators; where two make the same edit, the first names it."""
