"""What expressions come to for every combination of what they read."""

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod
from operator import itemgetter
from typing import Any

from rulewright.comparing.playing.reading import Atom, EndlessError, Key, Language, Reading, members
from rulewright.outline.items import Name
from rulewright.program import expressions as ex
from rulewright.program.expressions import Expression
from rulewright.program.types import NumberType, OptionalType, Type, WordType, present
from rulewright.telling.conditions import listed


class _FaultError(Exception):
    """A value does not fit its slot."""


class Working:
    """Works out expressions of one revision for one combination of what they read."""

    def __init__(self, reading: Reading, side: int, given: Mapping[Key, Any]) -> None:
        self._reading = reading
        self._side = side
        self._given = given
        self._unsteady: list[Key] = []

    def result(self, root: Expression) -> tuple[Any, tuple[Key, ...]]:
        """What an expression comes to, and what was read on the way that may fail or ask."""
        try:
            value = self._value(root)
        except (_FaultError, TypeError):
            value = ("fault",)
        return value, tuple(self._unsteady)

    def _value(self, node: Expression) -> Any:  # noqa: C901, PLR0911, PLR0912
        of = self._value
        plan = self._reading.plans.get(id(node))
        if plan is not None:
            return self._planned(plan, node)
        match node:
            case ex.Literal(value=value):
                return value
            case ex.WordLiteral(position=position):
                return position
            case ex.Not(operand=operand):
                return not of(operand)
            case ex.Negation(operand=operand):
                return -of(operand)
            case ex.Narrowed(operand=operand, type=type_):
                return _fitting(of(operand), type_)
            case ex.Logical(operator="and", left=left, right=right):
                return of(left) and of(right)
            case ex.Logical(left=left, right=right):
                return of(left) or of(right)
            case ex.Arithmetic(operator=operator, left=left, right=right):
                return _computed(operator, of(left), of(right))
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                return of(then) if of(condition) else of(otherwise)
            case ex.Comparison(operator=operator, left=left, right=right):
                return ex.COMPARES[operator](of(left), of(right))
            case ex.Membership(item=item, collection=ex.Interval(low=low, high=high), negated=negated):
                return (of(low) <= of(item) <= of(high)) != negated
            case ex.Membership(item=item, collection=collection, negated=negated):
                return (of(item) in [of(each) for each in members(collection)]) != negated
        raise AssertionError(f"nothing known of {type(node).__name__}")

    def _planned(self, plan: tuple[str, Any], node: Expression) -> Any:
        sort, told = plan
        if sort == "kept":
            return told
        key, flag = told
        if not self._reading.language.steady[self._side].is_steady(node):
            self._unsteady.append(key)
        if sort == "sign":
            assert isinstance(node, ex.Comparison)
            return ex.COMPARES[node.operator](-self._given[key] if flag else self._given[key], 0)
        return self._given[key] if flag else not self._given[key]


def _computed(operator: str, left: Any, right: Any) -> Any:
    return left + right if operator == "+" else left - right if operator == "-" else left * right


def _fitting(value: Any, type_: Type) -> Any:
    bounds = present(type_)
    if value is None and not isinstance(type_, OptionalType):
        raise _FaultError
    if isinstance(bounds, NumberType) and value is not None:
        below = bounds.low is not None and value < bounds.low
        if below or (bounds.high is not None and value > bounds.high):
            raise _FaultError
    return value


MOST = 4096
"""Combinations of one table."""


class Table:
    """Both forms of an expression for every combination of what they read.

    Attributes:
        atoms: what they read.
        roots: both forms; none where one revision has none.
        results: by side, for every combination: the value, and what was read on the way that may fail or ask.
        differing: combinations for which the two come out otherwise, or read otherwise what may fail or ask, as a
            mask; all where one form is lacking.
        apart: those of them for which the two come to other values, as a mask.
        whole: all combinations, as a mask.
        listened: by side, the keys of the expressions that are read, by their identity.
        kept: settings of one revision only, which count as they are written.
    """

    def __init__(
        self, roots: tuple[Expression | None, Expression | None], reading: Reading, atoms: tuple[Atom, ...]
    ) -> None:
        self.roots = roots
        self.atoms = atoms
        self.sizes = tuple(len(each.values) for each in atoms)
        self.count = prod(self.sizes)
        self.whole = (1 << self.count) - 1
        self.listened = reading.listened
        self.kept = tuple(dict.fromkeys(reading.kept))
        self.results = tuple(
            None if root is None else [Working(reading, side, at).result(root) for at in self._every(side)]
            for side, root in enumerate(roots)
        )
        self._masks = [[0] * size for size in self.sizes]
        for number, chosen in enumerate(product(*(range(size) for size in self.sizes))):
            for at, each in enumerate(chosen):
                self._masks[at][each] |= 1 << number
        self.differing, self.apart = self._differing(reading.language)
        self._settled: dict[int, bool] = {}

    def _every(self, side: int) -> Iterator[dict[Key, Any]]:
        for chosen in product(*([pair[side] for pair in each.values] for each in self.atoms)):
            yield {each.key: value for each, value in zip(self.atoms, chosen, strict=True)}

    def _differing(self, language: Language) -> tuple[int, int]:
        old, new = self.results
        if old is None or new is None:
            return self.whole, self.whole
        assert self.roots[0] is not None
        assert self.roots[1] is not None
        common = _common(self.roots[0].type, self.roots[1].type, language)
        pairs = [(common(one[0]) != other[0], one[1] != other[1]) for one, other in zip(old, new, strict=True)]
        masks = [sum(1 << at for at, pair in enumerate(pairs) if which(pair)) for which in (any, itemgetter(0))]
        return masks[0], masks[1]

    def mask(self, given: Mapping[Key, Any], side: int) -> int:
        """The combinations that agree with what was read on one side; none where something had no class."""
        found = self.whole
        for each, masks in zip(self.atoms, self._masks, strict=True):
            at = each.at(given, side)
            if at is not None:
                found &= masks[at]
            elif each.pair is None and each.key in given:
                return 0
        return found

    def settled(self, mask: int) -> bool:
        """Whether both come out in one way each, whatever else the combinations of a mask hold."""
        if mask not in self._settled:
            at = (mask & -mask).bit_length() - 1
            known = [each for each in self.results if each is not None]
            self._settled[mask] = all(each[number] == each[at] for each in known for number in bits(mask))
        return self._settled[mask]

    def combination(self, number: int) -> tuple[int, ...]:
        """The classes of a combination."""
        found = []
        for size in reversed(self.sizes):
            number, at = divmod(number, size)
            found.append(at)
        return tuple(reversed(found))

    def told(self, number: int) -> str:
        """A differing combination in words, as short as may be: what makes no difference is left out."""
        chosen = self.combination(number)
        kept = list(range(len(self.atoms)))
        for at in tuple(kept):
            rest = [each for each in kept if each != at]
            mask = self.whole
            for each in rest:
                mask &= self._masks[each][chosen[each]]
            if self.results[0] is not None and self.results[1] is not None and not mask & ~self.differing:
                kept = rest
        words = [self._worded(self.atoms[at], chosen[at]) for at in kept]
        return listed(words)

    @staticmethod
    def _worded(atom: Atom, at: int) -> str:
        return atom.words[at] if atom.pair else f"`{atom.text}` {atom.words[at]}"


def bits(mask: int) -> Iterator[int]:
    """The numbers of the combinations in a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def table_of(roots: tuple[Expression | None, Expression | None], language: Language, most: int = MOST) -> Table | None:
    """The table of an expression in both revisions; none where it reads what has no end of values, or too much."""
    for exact in (True, False):
        reading = Reading(language, exact=exact)
        try:
            for side, root in enumerate(roots):
                if root is not None:
                    reading.gather(root, side)
            atoms = reading.atoms(most)
        except EndlessError:
            continue
        if prod(len(each.values) for each in atoms) <= most:
            return Table(roots, reading, atoms)
    return None


def _common(old: Type, new: Type, language: Language) -> Callable[[Any], Any]:
    """How the new revision holds a value of the old one."""
    first, second = present(old), present(new)
    if not isinstance(first, WordType) or not isinstance(second, WordType):
        return lambda value: value
    names = language.ways.across.names
    known = {
        f"{second.values}/{each.name}": at for at, each in enumerate(language.programs[1].values[second.values].words)
    }
    words = [
        names.names.get(Name("word", f"{first.values}/{each.name}"))
        for each in language.programs[0].values[first.values].words
    ]
    targets = [known.get(each.name, -1) if each else -1 for each in words]
    return lambda value: targets[value] if isinstance(value, int) else value
