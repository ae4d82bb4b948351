"""What can be changed: each operator makes the edits of one node, and all together the mutants of a text."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from rulewright.mutations.mutant import Edit, Mutant
from rulewright.mutations.operators.expressions import (
    conditions,
    defaults,
    extremes,
    flags,
    numbers,
    orders,
    quantities,
    signs,
    words,
)
from rulewright.mutations.operators.parts import adverbs, deciders, jumps, lines, parts, roles, sequences
from rulewright.mutations.visiting import Known, Visit, visits
from rulewright.source import Text
from rulewright.syntax.nodes.declarations import File

ALL: tuple[Callable[[Visit], Iterator[Edit]], ...] = (
    conditions, quantities, numbers, signs, extremes, defaults, flags, words, jumps, deciders, roles, orders, sequences,
    lines, parts, adverbs,
)  # fmt: skip
"""All operators; where two make the same edit, the first names it."""


def mutants(file: File, text: Text, known: Known) -> tuple[Mutant, ...]:
    """The mutants of a text, in order of place; no two of them are the same text, or have the same name."""
    found: dict[tuple[int, int, str], Mutant] = {}
    for visit in visits(file, text, known):
        for edit in _edits(visit):
            place = edit.place
            found.setdefault((place.start, place.end, edit.new), _mutant(edit, visit))
    return numbered(sorted(found.values(), key=lambda each: (each.place.start, -each.place.end)))


def numbered(mutants: Iterable[Mutant]) -> tuple[Mutant, ...]:
    """The same mutants, those of one title with the numbers from 1."""
    counts: Counter[str] = Counter()
    found = []
    for each in mutants:
        counts[each.title] += 1
        found.append(replace(each, number=counts[each.title]))
    return tuple(found)


def _edits(visit: Visit) -> Iterator[Edit]:
    for operator in ALL:
        for edit in operator(visit):
            if visit.written(edit.place) != edit.new:
                yield edit


def _mutant(edit: Edit, visit: Visit) -> Mutant:
    old = visit.written(edit.place)
    return Mutant(edit.operator, visit.address, edit.place, old, edit.new, visit.line, visit.cites)
