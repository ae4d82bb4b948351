"""What conditions and values come to for every combination of what they read: flags, words, numbers with bounds."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from rulewright.comparing.naming import Name
from rulewright.comparing.playing.crossing import Ways
from rulewright.comparing.playing.places import phrase
from rulewright.comparing.playing.steady import Steady
from rulewright.frozen import dataclass as frozen
from rulewright.machine.constants import start_value
from rulewright.machine.wording import Wording
from rulewright.program import expressions as ex
from rulewright.program.declarations import Program
from rulewright.program.expressions import Expression
from rulewright.program.types import FlagType, MapType, NoneType, NumberType, OptionalType, Type, WordType

MOST = 4096
"""Combinations of one table."""

Key = Hashable


@frozen(frozen=True, slots=True)
class Atom:
    """Something that is read.

    Attributes:
        key: what it says, alike in both revisions; of two numbers that are only held against each other both keys.
        text: as it is written.
        values: it can have, one for each class, as the old revision and the new one hold them.
        words: for each class.
        lows: the lowest number of each class, where classes are ranges.
        nodes: expressions that read it, one of a side.
        sign: whether its values are below, equal, above.
    """

    key: Key
    text: str
    values: tuple[tuple[Any, Any], ...]
    words: tuple[str, ...]
    lows: tuple[int, ...] = ()
    nodes: tuple[tuple[int, Expression], ...] = ()
    sign: bool = False

    def at(self, value: Any, side: int) -> int | None:  # noqa: ANN401
        """The class of a value; none where it has none."""
        if self.lows:
            return max(0, bisect_right(self.lows, value) - 1)
        return next((at for at, pair in enumerate(self.values) if pair[side] == value), None)


@frozen(frozen=True, slots=True)
class Language:
    """How both revisions are read.

    Attributes:
        programs: both.
        ways: between them.
        renamed: old names by new ones.
        by_number: whether names of a routine are known by their numbers.
        steady: judges what cannot fail and asks nobody, in both.
    """

    programs: tuple[Program, Program]
    ways: Ways
    renamed: Mapping[str, str]
    by_number: bool
    steady: tuple[Steady, Steady]

    def key(self, node: Any, side: int) -> Key:  # noqa: ANN401
        """What an expression says, with the names of the new revision."""
        return repr(phrase(node, {} if side else self.renamed, by_number=self.by_number))

    def text(self, node: Expression, side: int) -> str:
        """As it is written."""
        return Wording(self.programs[side]).text(node)

    def kept(self, node: Expression, side: int) -> tuple[Any] | None:
        """The reading of a setting that only one revision has, in a tuple; none of anything else."""
        if not isinstance(node, ex.SettingValue):
            return None
        way = self.ways.back if side else self.ways.across
        if way.names.new("setting", node.name) in way.there.settings:
            return None
        setting = self.programs[side].settings[node.name]
        return (start_value(setting.value, setting.type),)


class Table:
    """Both forms of an expression for every combination of what they read.

    Attributes:
        atoms: what they read.
        roots: both forms; none where one revision has none.
        results: by side, for every combination: the value, and what was read on the way that may fail or ask.
        differing: combinations for which the two come out otherwise, as a mask; all where one form is lacking.
        whole: all combinations, as a mask.
        listened: by side, the keys of the expressions that are read, by their identity.
    """

    def __init__(
        self, roots: tuple[Expression | None, Expression | None], reading: "_Reading", atoms: tuple[Atom, ...]
    ) -> None:
        self.roots = roots
        self.atoms = atoms
        self.sizes = tuple(len(each.values) for each in atoms)
        self.count = prod(self.sizes)
        self.whole = (1 << self.count) - 1
        self.listened = reading.listened
        self.results = tuple(
            None if root is None else [reading.result(root, side, at) for at in self._every(side)]
            for side, root in enumerate(roots)
        )
        self._masks = [[0] * size for size in self.sizes]
        for number, chosen in enumerate(product(*(range(size) for size in self.sizes))):
            for at, each in enumerate(chosen):
                self._masks[at][each] |= 1 << number
        self.differing = self._differing(reading.language)
        self._known: dict[tuple[int, tuple[int | None, ...]], int] = {}

    def _every(self, side: int) -> Iterator[dict[Key, Any]]:
        for chosen in product(*([pair[side] for pair in each.values] for each in self.atoms)):
            yield {each.key: value for each, value in zip(self.atoms, chosen, strict=True)}

    def _differing(self, language: Language) -> int:
        old, new = self.results
        if old is None or new is None:
            return self.whole
        assert self.roots[0] is not None
        assert self.roots[1] is not None
        common = _common(self.roots[0].type, self.roots[1].type, language)
        return sum(
            1 << at
            for at, ((first, asks), (second, wants)) in enumerate(zip(old, new, strict=True))
            if common(first) != second or asks != wants
        )

    def mask(self, given: Mapping[Key, Any], side: int) -> int:
        """The combinations that agree with what was read on one side; none where something had no class."""
        found = self.whole
        for each, masks in zip(self.atoms, self._masks, strict=True):
            at = _class_of(each, given, side)
            if at is not None:
                found &= masks[at]
            elif at is None and not each.sign and each.key in given:
                return 0
        return found

    def settled(self, mask: int) -> bool:
        """Whether both come out in one way each, whatever else the combinations of a mask hold."""
        at = (mask & -mask).bit_length() - 1
        for results in self.results:
            if results is not None and any(results[each] != results[at] for each in bits(mask)):
                return False
        return True

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
        return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))

    @staticmethod
    def _worded(atom: Atom, at: int) -> str:
        return atom.words[at] if atom.sign else f"`{atom.text}` {atom.words[at]}"


def bits(mask: int) -> Iterator[int]:
    """The numbers of the combinations in a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def table(roots: tuple[Expression | None, Expression | None], language: Language, most: int = MOST) -> Table | None:
    """The table of an expression in both revisions; none where it reads what has no end of values, or too much."""
    for exact in (True, False):
        reading = _Reading(language, exact=exact)
        try:
            for side, root in enumerate(roots):
                if root is not None:
                    reading.gather(root, side)
            atoms = reading.atoms(most)
        except _EndlessError:
            continue
        if prod(len(each.values) for each in atoms) <= most:
            return Table(roots, reading, atoms)
    return None


def region(node: Expression) -> Iterator[Expression]:
    """An expression and those in it that are worked out with it, up to what is read."""
    yield node
    match node:
        case ex.Not(operand=operand) | ex.Negation(operand=operand) | ex.Narrowed(operand=operand):
            inner: tuple[Expression, ...] = (operand,)
        case ex.Logical(left=left, right=right):
            inner = (left, right)
        case ex.Arithmetic(operator=operator, left=left, right=right) if operator in {"+", "-", "*"}:
            inner = (left, right)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            inner = (condition, then, otherwise)
        case ex.Comparison(left=left, right=right) if _scalar(left.type) and _scalar(right.type):
            inner = (left, right)
        case ex.Membership(item=item, collection=collection) if _scalar(item.type) and _listed(collection):
            inner = (item, *_members(collection))
        case _:
            inner = ()
    for each in inner:
        yield from region(each)


class _EndlessError(Exception):
    """Something has no end of values, or more than can be tried."""


@dataclass
class _Leaf:
    """What is read in one place or several: its types, texts and the numbers it is held against."""

    nodes: list[tuple[int, Expression]] = field(default_factory=list)
    constants: set[int] = field(default_factory=set)
    whole: bool = False


@dataclass
class _Reading:
    """Gathers what expressions read, and works them out."""

    language: Language
    exact: bool
    leaves: dict[Key, _Leaf] = field(default_factory=dict)
    signs: dict[Key, tuple[tuple[int, Expression], tuple[int, Expression]]] = field(default_factory=dict)
    listened: tuple[dict[int, tuple[Key, Expression]], dict[int, tuple[Key, Expression]]] = field(
        default_factory=lambda: ({}, {})
    )
    _plans: dict[int, tuple[str, Any]] = field(default_factory=dict)

    def gather(self, node: Expression, side: int) -> None:  # noqa: C901
        match node:
            case ex.Literal() | ex.WordLiteral():
                return
            case ex.Not(operand=operand) | ex.Negation(operand=operand) | ex.Narrowed(operand=operand):
                self.gather(operand, side)
            case ex.Logical(left=left, right=right):
                self.gather(left, side)
                self.gather(right, side)
            case ex.Arithmetic(operator=operator, left=left, right=right) if operator in {"+", "-", "*"}:
                self.gather(left, side)
                self.gather(right, side)
            case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
                for each in (condition, then, otherwise):
                    self.gather(each, side)
            case ex.Comparison(left=left, right=right) if _scalar(left.type) and _scalar(right.type):
                self._compared(node, side)
            case ex.Membership(item=item, collection=collection) if _scalar(item.type) and _listed(collection):
                self._member(node, side)
            case _:
                self._leaf(node, side)

    def _compared(self, node: ex.Comparison, side: int) -> None:
        numbers = all(isinstance(_inner(each.type), NumberType) for each in (node.left, node.right))
        constants = [_constant(each) for each in (node.left, node.right)]
        if self.exact or not numbers:
            self.gather(node.left, side)
            self.gather(node.right, side)
        elif constants[0] is not None or constants[1] is not None:
            other = node.left if constants[0] is None else node.right
            if constants[0] is None or constants[1] is None:
                self._against(other, {each for each in constants if each is not None}, node, side)
        elif _is_leaf(node.left) and _is_leaf(node.right):
            self._signed(node, side)
        else:
            self._leaf(node, side)

    def _against(self, other: Expression, constants: set[int], node: Expression, side: int) -> None:
        if _is_leaf(other):
            key = self._note(other, side)
            self.leaves[key].constants |= constants
        else:
            self._leaf(node, side)

    def _member(self, node: ex.Membership, side: int) -> None:
        inside = _members(node.collection)
        constants = [_constant(each) for each in inside]
        if self.exact or not isinstance(_inner(node.item.type), NumberType):
            for each in (node.item, *inside):
                self.gather(each, side)
        elif None in constants:
            self._leaf(node, side)
        else:
            self._against(node.item, {each for each in constants if each is not None}, node, side)

    def _signed(self, node: ex.Comparison, side: int) -> None:
        keys = [self._hear(each, side) for each in (node.left, node.right)]
        turned = repr(keys[0]) > repr(keys[1])
        key = ("sign", *(reversed(keys) if turned else keys))
        pair = (side, node.left), (side, node.right)
        self.signs.setdefault(key, (pair[1], pair[0]) if turned else pair)
        self._plans[id(node)] = ("sign", (key, turned))

    def _leaf(self, node: Expression, side: int) -> None:
        kept = self.language.kept(node, side)
        if kept is not None:
            self._plans[id(node)] = ("kept", kept[0])
            return
        if isinstance(node, ex.Comparison):
            base, straight = _sense(node)
            key = self._note(node, side, base)
            self._plans[id(node)] = ("atom", (key, straight))
            return
        if not _scalar(node.type):
            raise _EndlessError
        key = self._note(node, side)
        self.leaves[key].whole = True

    def _note(self, node: Expression, side: int, said: object = None) -> Key:
        key = self._hear(node, side, said)
        self.leaves.setdefault(key, _Leaf()).nodes.append((side, node))
        self._plans.setdefault(id(node), ("atom", (key, True)))
        return key

    def _hear(self, node: Expression, side: int, said: object = None) -> Key:
        straight = not isinstance(node, ex.Comparison) or said is None or _sense(node)[1]
        key = self.language.key(node if said is None else said, side)
        self.listened[side][id(node)] = (key if straight else ("not", key), node)
        return key

    def atoms(self, most: int) -> tuple[Atom, ...]:
        """What was read, with all values.

        Raises:
            _EndlessError: something has no end of them.
        """
        found = [self._atom(key, leaf, most) for key, leaf in self.leaves.items()]
        return (*found, *(self._sign(key, pair) for key, pair in self.signs.items()))

    def _atom(self, key: Key, leaf: _Leaf, most: int) -> Atom:
        nodes = tuple(dict(reversed(leaf.nodes)).items())
        side, node = leaf.nodes[0]
        text = self.language.text(node, side)
        types = [(side, _inner(each.type)) for side, each in leaf.nodes]
        optional = any(isinstance(each.type, OptionalType) for _, each in leaf.nodes)
        if isinstance(types[0][1], NumberType):
            lows = [each.low for _, each in types if isinstance(each, NumberType)]
            highs = [each.high for _, each in types if isinstance(each, NumberType)]
            low, high = _least(lows), _most(highs)
            if not self.exact and not leaf.whole and not optional:
                return _ranges(key, text, low, high, leaf.constants, nodes)
            if low is None or high is None or high - low >= most:
                raise _EndlessError
            values = [(each, each) for each in range(low, high + 1)]
        else:
            values = self._values(dict(types))
        straight = not isinstance(node, ex.Comparison) or _sense(node)[1]
        words = [self._word(pair if straight else (not pair[0], not pair[1]), types[0]) for pair in values]
        if optional:
            values, words = [(None, None), *values], ["none", *words]
        return Atom(key, text, tuple(values), tuple(words), nodes=nodes)

    def _values(self, types: Mapping[int, Type]) -> list[tuple[Any, Any]]:
        type_ = next(iter(types.values()))
        if not isinstance(type_, WordType):
            return [(False, False), (True, True)]
        programs = self.language.programs
        lists = {side: programs[side].values[each.values].words for side, each in types.items() if isinstance(each, WordType)}
        if len(lists) == 1:
            return [(at, at) for at in range(len(next(iter(lists.values()))))]
        old, new = types[0], types[1]
        assert isinstance(old, WordType)
        assert isinstance(new, WordType)
        names = self.language.ways.across.names
        known = {f"{new.values}/{each.name}": at for at, each in enumerate(lists[1])}
        targets = [names.new("word", f"{old.values}/{each.name}") or "" for each in lists[0]]
        return [(at, known[target]) for at, target in enumerate(targets) if target in known]

    def _word(self, pair: tuple[Any, Any], typed: tuple[int, Type]) -> str:
        side, type_ = typed
        match type_:
            case FlagType():
                return "yes" if pair[side] else "no"
            case WordType(values):
                return self.language.programs[side].values[values].words[pair[side]].name
            case _:
                return str(pair[side])

    def _sign(self, key: Key, pair: tuple[tuple[int, Expression], tuple[int, Expression]]) -> Atom:
        first, second = (self.language.text(node, side) for side, node in pair)
        words = tuple(f"`{first}` {word} `{second}`" for word in ("below", "equal to", "above"))
        return Atom(key, f"{first} and {second}", tuple((at, at) for at in (-1, 0, 1)), words, nodes=pair[:1], sign=True)

    def result(self, root: Expression, side: int, at: Mapping[Key, Any]) -> tuple[Any, tuple[Key, ...]]:
        """What an expression comes to, and what was read on the way that may fail or ask."""
        unsteady: list[Key] = []
        try:
            value = self._value(root, side, at, unsteady)
        except (_FaultError, TypeError):
            value = ("fault",)
        return value, tuple(unsteady)

    def _value(self, node: Expression, side: int, at: Mapping[Key, Any], unsteady: list[Key]) -> Any:  # noqa: ANN401, C901, PLR0911, PLR0912
        of = lambda each: self._value(each, side, at, unsteady)  # noqa: E731
        plan = self._plans.get(id(node))
        if plan is not None:
            return self._planned(plan, node, side, at, unsteady)
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
                return _COMPARED[operator](of(left), of(right))
            case ex.Membership(item=item, collection=ex.Interval(low=low, high=high), negated=negated):
                return (of(low) <= of(item) <= of(high)) != negated
            case ex.Membership(item=item, collection=collection, negated=negated):
                return (of(item) in [of(each) for each in _members(collection)]) != negated
        message = f"nothing known of {type(node).__name__}"
        raise AssertionError(message)

    def _planned(  # noqa: PLR0913, PLR0917
        self, plan: tuple[str, Any], node: Expression, side: int, at: Mapping[Key, Any], unsteady: list[Key]
    ) -> Any:  # noqa: ANN401
        sort, told = plan
        if sort == "kept":
            return told
        key, flag = told
        if not self.language.steady[side].is_steady(node):
            unsteady.append(key)
        if sort == "sign":
            assert isinstance(node, ex.Comparison)
            return _COMPARED[node.operator](-at[key] if flag else at[key], 0)
        return at[key] if flag else not at[key]


class _FaultError(Exception):
    """A value does not fit its slot."""


def _computed(operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401
    return left + right if operator == "+" else left - right if operator == "-" else left * right


_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def _fitting(value: Any, type_: Type) -> Any:  # noqa: ANN401
    inner = _inner(type_)
    if value is None and not isinstance(type_, OptionalType):
        raise _FaultError
    if isinstance(inner, NumberType) and value is not None:
        below = inner.low is not None and value < inner.low
        if below or (inner.high is not None and value > inner.high):
            raise _FaultError
    return value


def _class_of(atom: Atom, given: Mapping[Key, Any], side: int) -> int | None:
    if atom.sign:
        _, first, second = atom.key  # type: ignore[misc]
        if first not in given or second not in given or given[first] is None or given[second] is None:
            return None
        return 1 + (given[first] > given[second]) - (given[first] < given[second])
    return atom.at(given[atom.key], side) if atom.key in given else None


def _common(old: Type, new: Type, language: Language) -> Callable[[Any], Any]:
    """How the new revision holds a value of the old one."""
    first, second = _inner(old), _inner(new)
    if not isinstance(first, WordType) or not isinstance(second, WordType):
        return lambda value: value
    names = language.ways.across.names
    known = {f"{second.values}/{each.name}": at for at, each in enumerate(language.programs[1].values[second.values].words)}
    words = [names.names.get(Name("word", f"{first.values}/{each.name}")) for each in language.programs[0].values[first.values].words]
    targets = [known.get(each.name, -1) if each else -1 for each in words]
    return lambda value: targets[value] if isinstance(value, int) else value


def _ranges(  # noqa: PLR0913, PLR0917
    key: Key,
    text: str,
    low: int | None,
    high: int | None,
    constants: set[int],
    nodes: tuple[tuple[int, Expression], ...],
) -> Atom:
    """A number that is only held against constants: every range between them is one class."""
    first = low if low is not None else min(constants) - 1
    starts = {first, *constants, *(each + 1 for each in constants)}
    lows = sorted(each for each in starts if each >= first and (high is None or each <= high))
    ends = [*(each - 1 for each in lows[1:]), high]
    words = [
        str(start) if start == end else f"{start} or more" if end is None else f"{start} to {end}"
        for start, end in zip(lows, ends, strict=True)
    ]
    if low is None:
        words[0] = f"{ends[0]} or less"
    return Atom(key, text, tuple((each, each) for each in lows), tuple(words), tuple(lows), nodes)


def _least(numbers: Sequence[int | None]) -> int | None:
    known = [each for each in numbers if each is not None]
    return min(known) if len(known) == len(numbers) else None


def _most(numbers: Sequence[int | None]) -> int | None:
    known = [each for each in numbers if each is not None]
    return max(known) if len(known) == len(numbers) else None


def _inner(type_: Type) -> Type:
    return type_.inner if isinstance(type_, OptionalType) else type_


def _scalar(type_: Type) -> bool:
    return isinstance(_inner(type_), NumberType | FlagType | WordType | NoneType)


def _listed(collection: Expression) -> bool:
    if isinstance(collection, ex.MakeCollection):
        return not isinstance(collection.type, MapType) and all(_scalar(each.type) for each in collection.items)
    return isinstance(collection, ex.Interval)


def _members(collection: Expression) -> tuple[Expression, ...]:
    if isinstance(collection, ex.Interval):
        return (collection.low, collection.high)
    assert isinstance(collection, ex.MakeCollection)
    return collection.items


_WRITTEN = (ex.Literal, ex.WordLiteral, ex.Not, ex.Negation, ex.Narrowed, ex.Logical, ex.Arithmetic, ex.Conditional)


def _is_leaf(node: Expression) -> bool:
    return not isinstance(node, (*_WRITTEN, ex.Comparison, ex.Membership)) and not isinstance(node.type, OptionalType)


def _constant(node: Expression) -> int | None:
    match node:
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return value
        case ex.Negation(operand=ex.Literal(value=int() as value)):
            return -value
        case _:
            return None


def _sense(node: ex.Comparison) -> tuple[object, bool]:
    """What a comparison says in one sense, `=` or `<`, and whether that is its own."""
    turned = node.operator in {">", "<="}
    sides = [node.right, node.left] if turned else [node.left, node.right]
    if node.operator in {"=", "!="}:
        sides.sort(key=lambda each: repr(phrase(each, {}, by_number=True)))
        return ("=", *sides), node.operator == "="
    return ("<", *sides), node.operator in {"<", ">"}
