"""Truth tables of expressions: the results of both revisions for every combination of input classes."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod
from operator import itemgetter
from typing import Any

from rulewright.diff.differential_testing.expression_inputs import (
    ExpressionEvaluator,
    ExpressionLanguage,
    InputAtom,
    InputCollector,
    InputKey,
    UnboundedInputError,
)
from rulewright.program.expressions import Expression
from rulewright.program.outline.items import DeclaredName
from rulewright.program.types import Type, WordType, strip_optional
from rulewright.wording.condition_rendering import join_words

MAX_COMBINATIONS = 4096
"""Input combinations of one table."""


class ExpressionTable:
    """Results of both forms of an expression for every combination of inputs; sets of combinations are bit masks.

    Attributes:
        atoms: the inputs.
        roots: both forms; None where one revision has none.
        results: by side, for every combination: the value, and the fallible inputs read on the way.
        differing: mask of the combinations with other results or other fallible reads; full where one form is lacking.
        differing_values: mask of the combinations with other values.
        full_mask: mask of all combinations.
        probed_expressions: by side, the keys of the expressions that are read, by their identity.
        fixed_settings: settings of one revision only, taken as written.
    """

    def __init__(
        self, roots: tuple[Expression | None, Expression | None], reading: InputCollector, atoms: tuple[InputAtom, ...]
    ) -> None:
        self.roots = roots
        self.atoms = atoms
        self.sizes = tuple(len(atom.values) for atom in atoms)
        self.count = prod(self.sizes)
        self.full_mask = (1 << self.count) - 1
        self.probed_expressions = reading.probed_expressions
        self.fixed_settings = tuple(dict.fromkeys(reading.fixed_settings))
        self.results = tuple(
            None
            if root is None
            else [ExpressionEvaluator(reading, side, at).evaluate_root(root) for at in self._enumerate_inputs(side)]
            for side, root in enumerate(roots)
        )
        self._masks = [[0] * size for size in self.sizes]
        for number, chosen in enumerate(product(*(range(size) for size in self.sizes))):
            for at, item in enumerate(chosen):
                self._masks[at][item] |= 1 << number
        self.differing, self.differing_values = self._compare_results(reading.language)
        self._uniform_masks: dict[int, bool] = {}

    def _enumerate_inputs(self, side: int) -> Iterator[dict[InputKey, Any]]:
        for chosen in product(*([pair[side] for pair in atom.values] for atom in self.atoms)):
            yield {atom.key: value for atom, value in zip(self.atoms, chosen, strict=True)}

    def _compare_results(self, language: ExpressionLanguage) -> tuple[int, int]:
        old, new = self.results
        if old is None or new is None:
            return self.full_mask, self.full_mask
        assert self.roots[0] is not None
        assert self.roots[1] is not None
        common = _value_translator(self.roots[0].type, self.roots[1].type, language)
        pairs = [(common(one[0]) != other[0], one[1] != other[1]) for one, other in zip(old, new, strict=True)]
        masks = [sum(1 << at for at, pair in enumerate(pairs) if which(pair)) for which in (any, itemgetter(0))]
        return masks[0], masks[1]

    def matching_mask(self, given: Mapping[InputKey, Any], side: int) -> int:
        """Mask of the combinations that agree with what was read on one side; None where a value had no class."""
        result = self.full_mask
        for atom, masks in zip(self.atoms, self._masks, strict=True):
            at = atom.find_class(given, side)
            if at is not None:
                result &= masks[at]
            elif atom.pair is None and atom.key in given:
                return 0
        return result

    def is_uniform(self, mask: int) -> bool:
        """Whether each revision has one result for all combinations of a mask."""
        if mask not in self._uniform_masks:
            at = (mask & -mask).bit_length() - 1
            known = [result for result in self.results if result is not None]
            self._uniform_masks[mask] = all(item[number] == item[at] for item in known for number in iterate_bits(mask))
        return self._uniform_masks[mask]

    def decode_combination(self, number: int) -> tuple[int, ...]:
        """Classes of a combination, by its number (mixed radix)."""
        result = []
        for size in reversed(self.sizes):
            number, at = divmod(number, size)
            result.append(at)
        return tuple(reversed(result))

    def describe_combination(self, number: int) -> str:
        """Differing combination in words; inputs that make no difference are left out."""
        chosen = self.decode_combination(number)
        relevant = list(range(len(self.atoms)))
        for at in tuple(relevant):
            rest = [each for each in relevant if each != at]
            mask = self.full_mask
            for item in rest:
                mask &= self._masks[item][chosen[item]]
            if self.results[0] is not None and self.results[1] is not None and not mask & ~self.differing:
                relevant = rest
        words = [self._describe_atom(self.atoms[at], chosen[at]) for at in relevant]
        return join_words(words)

    @staticmethod
    def _describe_atom(atom: InputAtom, at: int) -> str:
        return atom.words[at] if atom.pair else f"`{atom.text}` {atom.words[at]}"


def iterate_bits(mask: int) -> Iterator[int]:
    """Numbers of the set bits of a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def build_expression_table(
    roots: tuple[Expression | None, Expression | None], language: ExpressionLanguage, most: int = MAX_COMBINATIONS
) -> ExpressionTable | None:
    """Table of an expression in both revisions; None where its inputs are infinite or have too many combinations."""
    for exact in (True, False):
        reading = InputCollector(language, is_exact=exact)
        try:
            for side, root in enumerate(roots):
                if root is not None:
                    reading.gather_inputs(root, side)
            atoms = reading.build_atoms(most)
        except UnboundedInputError:
            continue
        if prod(len(atom.values) for atom in atoms) <= most:
            return ExpressionTable(roots, reading, atoms)
    return None


def _value_translator(old: Type, new: Type, language: ExpressionLanguage) -> Callable[[Any], Any]:
    first, second = strip_optional(old), strip_optional(new)
    if not isinstance(first, WordType) or not isinstance(second, WordType):
        return lambda value: value
    names = language.translations.forward.names
    known = {
        f"{second.values}/{word.name}": at for at, word in enumerate(language.programs[1].values[second.values].words)
    }
    words = [
        names.names.get(DeclaredName("word", f"{first.values}/{word.name}"))
        for word in language.programs[0].values[first.values].words
    ]
    targets = [known.get(word.name, -1) if word else -1 for word in words]
    return lambda value: targets[value] if isinstance(value, int) else value
