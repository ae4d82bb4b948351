"""What expressions of two revisions read: flags, words, and numbers with bounds or held against constants."""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulewright.comparing.playing.changes import phrase
from rulewright.comparing.playing.translate_values import Ways
from rulewright.frozen import dataclass as frozen
from rulewright.machine.layout import start_value
from rulewright.program import expressions as ex
from rulewright.program.declarations import Paths, Program
from rulewright.program.expressions import Expression
from rulewright.program.types import (
    FlagType,
    FractionType,
    LengthType,
    MapType,
    NoneType,
    NumberType,
    OptionalType,
    Type,
    WordType,
    present,
)
from rulewright.program.wording import Wording
from rulewright.roles import nodes


def region(node: Expression) -> Iterator[Expression]:
    """An expression and those in it that are worked out with it, up to what is read."""
    yield node
    for each in _worked_out(node) or ():
        yield from region(each)


def _worked_out(node: Expression) -> tuple[Expression, ...] | None:  # noqa: PLR0911 - one case for each class
    """What an expression is worked out from; none where it is read as a whole."""
    match node:
        case ex.Literal() | ex.WordLiteral():
            return ()
        case ex.Not(operand=operand) | ex.Negation(operand=operand) | ex.Narrowed(operand=operand):
            return (operand,)
        case ex.Logical(left=left, right=right):
            return left, right
        case ex.Arithmetic(operator=operator, left=left, right=right) if operator in {"+", "-", "*"}:
            return left, right
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            return condition, then, otherwise
        case ex.Comparison(left=left, right=right) if scalar(left.type) and scalar(right.type):
            return left, right
        case ex.Membership(item=item, collection=collection) if scalar(item.type) and listed(collection):
            return item, *members(collection)
        case _:
            return None


def scalar(type_: Type) -> bool:
    """Whether its values are numbers, flags or words, or none."""
    return isinstance(present(type_), NumberType | FlagType | WordType | NoneType)


def listed(collection: Expression) -> bool:
    """Whether it is written out, member by member or from one number to another."""
    if isinstance(collection, ex.MakeCollection):
        return not isinstance(collection.type, MapType) and all(scalar(each.type) for each in collection.items)
    return isinstance(collection, ex.Interval)


def members(collection: Expression) -> tuple[Expression, ...]:
    """The members of what is written out, or its two ends."""
    if isinstance(collection, ex.Interval):
        return (collection.low, collection.high)
    assert isinstance(collection, ex.MakeCollection)
    return collection.items


_WRITTEN = (ex.Literal, ex.WordLiteral, ex.Not, ex.Negation, ex.Narrowed, ex.Logical, ex.Arithmetic, ex.Conditional)


def is_leaf(node: Expression) -> bool:
    """Whether it is read, and cannot be none."""
    return not isinstance(node, (*_WRITTEN, ex.Comparison, ex.Membership)) and not isinstance(node.type, OptionalType)


def constant(node: Expression) -> int | None:
    """The whole number it is written as; none where it is something else."""
    match node:
        case ex.Literal(value=int() as value) if not isinstance(value, bool):
            return value
        case ex.Negation(operand=ex.Literal(value=int() as value)):
            return -value
        case _:
            return None


def sense(node: ex.Comparison) -> tuple[object, bool]:
    """What a comparison says in one sense, `=` or `<`, and whether that is its own."""
    turned = node.operator in {">", "<="}
    sides = [node.right, node.left] if turned else [node.left, node.right]
    if node.operator in {"=", "!="}:
        sides.sort(key=lambda each: repr(phrase(each, {}, by_number=True)))
        return ("=", *sides), node.operator == "="
    return ("<", *sides), node.operator in {"<", ">"}


def _is_ordered(node: Expression) -> bool:
    """Whether it compares two numbers, fractions or lengths, neither of which can be none."""
    sides = (node.left, node.right) if isinstance(node, ex.Comparison) else ()
    return bool(sides) and all(isinstance(each.type, NumberType | FractionType | LengthType) for each in sides)


Key = Hashable
_MAY_FAIL = (ex.TheOnly, ex.Entry, ex.Narrowed, ex.ExternalValue, ex.PlaneAttribute, ex.Rounded, ex.SideAttribute)
_TOTAL = frozenset({"connected", "min", "max", "abs", "occupants", "removed", "pairs", "adjacent", "neighbours"})


@frozen(frozen=True, slots=True)
class Atom:
    """Something that is read."""

    key: Key  # what it says, alike in both revisions; of two numbers that are only held against each other both keys
    text: str  # as it is written
    # that it can have, one for each class, as the old revision and the new one hold them
    values: tuple[tuple[Any, Any], ...]
    words: tuple[str, ...]  # for each class
    lows: tuple[int, ...] = ()  # the lowest number of each class, where classes are ranges
    nodes: tuple[tuple[int, Expression], ...] = ()  # expressions that read it, one of a side
    pair: tuple[Key, Key] | None = None  # what is held against each other, where its values are below, equal, above

    def at(self, given: Mapping[Key, Any], side: int) -> int | None:
        """The class of what was read; none where nothing was, or what has no class."""
        if self.pair is not None:
            first, second = (given.get(each) for each in self.pair)
            return None if first is None or second is None else 1 + (first > second) - (first < second)
        return self._class(given[self.key], side) if self.key in given else None

    def _class(self, value: Any, side: int) -> int | None:
        if self.lows:
            return max(0, bisect_right(self.lows, value) - 1)
        return next((at for at, pair in enumerate(self.values) if pair[side] == value), None)


class Steady:
    """Judges which expressions of one program come to a value wherever they are read: none fails, nobody is asked."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._functions: dict[str, bool] = {}

    def is_steady(self, node: object) -> bool:
        """Whether it never fails and asks nobody, through functions too; a function that calls itself may fail."""
        return all(map(self._is_steady, nodes(node)))

    def _is_steady(self, node: object) -> bool:
        match node:
            case ex.CallFunction(function=name) | ex.DerivedAttribute(function=name):
                return self._function(name)
            case ex.StoredAttribute(name=name):
                return name != "at"
            case ex.Arithmetic(operator=operator):
                return operator != "/"
            case ex.Aggregate(word=word):
                return word in {"count", "sum"}
            case ex.Builtin(name=name):
                return name in _TOTAL and len(node.arguments) > 1
            case _:
                return not isinstance(node, _MAY_FAIL)

    def _function(self, name: str) -> bool:
        if name not in self._functions:
            self._functions[name] = False
            body = self._program.functions[name].body
            self._functions[name] = not isinstance(body, Paths) and self.is_steady(body)
        return self._functions[name]


@frozen(frozen=True, slots=True)
class Language:
    """How both revisions are read."""

    programs: tuple[Program, Program]  # both
    ways: Ways  # between them
    renamed: Mapping[str, str]  # old names by new ones
    by_number: bool  # whether names of a routine are known by their numbers
    steady: tuple[Steady, Steady]  # judges what cannot fail and asks nobody, in both

    def key(self, node: Any, side: int) -> Key:
        """What an expression says, with the names of the new revision."""
        return repr(phrase(node, {} if side else self.renamed, by_number=self.by_number))

    def text(self, node: Expression, side: int) -> str:
        """An expression as it is written in one revision."""
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


class EndlessError(Exception):
    """Something has no end of values, or more than can be tried."""


@dataclass
class _Leaf:
    """What is read in one place or several: its types, texts and the numbers it is held against."""

    nodes: list[tuple[int, Expression]] = field(default_factory=list)
    constants: set[int] = field(default_factory=set)
    whole: bool = False


@dataclass
class Reading:
    """Gathers what expressions read."""

    language: Language  # of both revisions
    exact: bool  # whether every value counts by itself; else numbers count by what they are held against
    leaves: dict[Key, _Leaf] = field(default_factory=dict)  # what is read, by what it says
    # pairs of numbers that are only held against each other
    signs: dict[tuple[Key, Key], tuple[tuple[int, Expression], tuple[int, Expression]]] = field(default_factory=dict)
    # by side, what is read by the identity of the expression; a key after `not` is read the other way
    listened: tuple[dict[int, tuple[Key, Expression]], dict[int, tuple[Key, Expression]]] = field(
        default_factory=lambda: ({}, {})
    )
    # how an expression is worked out that is read, by its identity: `atom`, `sign` or `kept`
    plans: dict[int, tuple[str, Any]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)  # settings of one revision only, as they are written
    # comparisons that are read as wholes, by what they compare
    compared: dict[frozenset[Key], list[tuple[int, ex.Comparison]]] = field(default_factory=dict)

    def gather(self, node: Expression, side: int) -> None:
        """Notes what an expression reads.

        Raises:
            EndlessError: it comes to something without an end of values.
        """
        found = _worked_out(node)
        if isinstance(node, ex.Comparison) and found is not None:
            self._compared(node, side)
        elif found is None:
            self._whole(node, side)
        elif isinstance(node, ex.Membership):
            self._member(node, found, side)
        else:
            for each in found:
                self.gather(each, side)

    def _compared(self, node: ex.Comparison, side: int) -> None:
        numbers = all(isinstance(present(each.type), NumberType) for each in (node.left, node.right))
        constants = [constant(each) for each in (node.left, node.right)]
        if self.exact or not numbers:
            self.gather(node.left, side)
            self.gather(node.right, side)
        elif constants[0] is not None or constants[1] is not None:
            other = node.left if constants[0] is None else node.right
            if constants[0] is None or constants[1] is None:
                self._against(other, {each for each in constants if each is not None}, node, side)
        elif is_leaf(node.left) and is_leaf(node.right):
            self._signed(node, side)
        else:
            self._whole(node, side)

    def _against(self, other: Expression, constants: set[int], node: Expression, side: int) -> None:
        if is_leaf(other):
            key = self._note(other, side)
            self.leaves[key].constants |= constants
        else:
            self._whole(node, side)

    def _whole(self, node: Expression, side: int) -> None:
        """Reads an expression as a whole; of comparisons only `atoms` knows what else compares the same."""
        if isinstance(node, ex.Comparison) and _is_ordered(node):
            pair = frozenset(self.language.key(each, side) for each in (node.left, node.right))
            self.compared.setdefault(pair, []).append((side, node))
        else:
            self._leaf(node, side)

    def _member(self, node: ex.Membership, worked_out: tuple[Expression, ...], side: int) -> None:
        constants = [constant(each) for each in worked_out[1:]]
        if self.exact or not isinstance(present(node.item.type), NumberType):
            for each in worked_out:
                self.gather(each, side)
        elif None in constants:
            self._leaf(node, side)
        else:
            self._against(node.item, {each for each in constants if each is not None}, node, side)

    def _signed(self, node: ex.Comparison, side: int) -> None:
        left, right = self._hear(node.left, side), self._hear(node.right, side)
        turned = repr(left) > repr(right)
        keys = (right, left) if turned else (left, right)
        pair = (side, node.left), (side, node.right)
        self.signs.setdefault(keys, (pair[1], pair[0]) if turned else pair)
        self.plans[id(node)] = ("sign", (("sign", *keys), turned))

    def _leaf(self, node: Expression, side: int) -> None:
        kept = self.language.kept(node, side)
        if kept is not None:
            self.plans[id(node)] = ("kept", kept[0])
            self.kept.append(self.language.text(node, side))
            return
        if isinstance(node, ex.Comparison):
            base, straight = sense(node)
            key = self._note(node, side, base)
            self.plans[id(node)] = ("atom", (key, straight))
            return
        if not scalar(node.type):
            raise EndlessError
        key = self._note(node, side)
        self.leaves[key].whole = True

    def _note(self, node: Expression, side: int, said: object = None) -> Key:
        key = self._hear(node, side, said)
        self.leaves.setdefault(key, _Leaf()).nodes.append((side, node))
        self.plans.setdefault(id(node), ("atom", (key, True)))
        return key

    def _hear(self, node: Expression, side: int, said: object = None) -> Key:
        straight = not isinstance(node, ex.Comparison) or said is None or sense(node)[1]
        key = self.language.key(node if said is None else said, side)
        self.listened[side][id(node)] = (key if straight else ("not", key), node)
        return key

    def atoms(self, most: int) -> tuple[Atom, ...]:
        """What was read, with all values.

        Raises:
            EndlessError: something has no end of them.
        """
        for alike in self.compared.values():
            senses = {self.language.key(sense(node)[0], side) for side, node in alike}
            for side, node in alike:
                (self._leaf if len(senses) == 1 else self._signed)(node, side)
        found = [self._atom(key, leaf, most) for key, leaf in self.leaves.items()]
        return (*found, *(self._sign(keys, pair) for keys, pair in self.signs.items()))

    def _atom(self, key: Key, leaf: _Leaf, most: int) -> Atom:
        nodes = tuple(dict(reversed(leaf.nodes)).items())
        side, node = leaf.nodes[0]
        text = self.language.text(node, side)
        types = [(side, present(each.type)) for side, each in leaf.nodes]
        optional = any(isinstance(each.type, OptionalType) for _, each in leaf.nodes)
        if isinstance(types[0][1], NumberType):
            lows = [each.low for _, each in types if isinstance(each, NumberType)]
            highs = [each.high for _, each in types if isinstance(each, NumberType)]
            low, high = _bound(lows, min), _bound(highs, max)
            if not self.exact and not leaf.whole and not optional:
                return _ranges(key, text, low, high, leaf.constants, nodes)
            if low is None or high is None or high - low >= most:
                raise EndlessError
            values: list[tuple[Any, Any]] = [(each, each) for each in range(low, high + 1)]
        else:
            values = self._values(dict(types))
        straight = not isinstance(node, ex.Comparison) or sense(node)[1]
        words = [self._word(pair if straight else (not pair[0], not pair[1]), types[0]) for pair in values]
        if optional:
            values, words = [(None, None), *values], ["none", *words]
        return Atom(key, text, tuple(values), tuple(words), nodes=nodes)

    def _values(self, types: Mapping[int, Type]) -> list[tuple[Any, Any]]:
        type_ = next(iter(types.values()))
        if not isinstance(type_, WordType):
            return [(False, False), (True, True)]
        programs = self.language.programs
        lists = {
            side: programs[side].values[each.values].words for side, each in types.items() if isinstance(each, WordType)
        }
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
                return str(self.language.programs[side].values[values].words[pair[side]].name)
            case _:
                return str(pair[side])

    def _sign(self, keys: tuple[Key, Key], pair: tuple[tuple[int, Expression], tuple[int, Expression]]) -> Atom:
        first, second = (self.language.text(node, side) for side, node in pair)
        words = tuple(f"`{first}` {word} `{second}`" for word in ("below", "equal to", "above"))
        values = tuple((at, at) for at in (-1, 0, 1))
        return Atom(("sign", *keys), f"{first} and {second}", values, words, nodes=pair[:1], pair=keys)


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


def _bound(numbers: Sequence[int | None], widest: Callable[[list[int]], int]) -> int | None:
    """The widest of some bounds; none where one of them is open."""
    known = [each for each in numbers if each is not None]
    return widest(known) if len(known) == len(numbers) else None
