"""Values that are not known, and what one path of symbolic execution takes to be so of them.

A number is a linear form over symbols. What a path knows are bounds of linear forms, which values are equal, and which
are not (King 1976). Where that does not decide a test, the path is taken both ways. A path that no state can take is
taken too: that costs time and proofs, and makes none false.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from math import ceil, floor, gcd, lcm
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.checker.facts.intervals import join_intervals
from rulewright.program.types import FLAG, FlagType, NumberType, OptionalType, TextType, Type, strip_optional

MAX_TRIED_VALUES = 40
"""Values of a number that are tried one by one."""
_MAX_PATHS = 400

Interval = tuple[Fraction | int | None, Fraction | int | None]


class NotProvedError(Exception):
    """Two forms were not shown to do the same."""


class WidenedError(Exception):
    """A value may be more than was thought; what was compared before does not count."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A value that is not known; symbols of one comparison with one number are the same value."""

    number: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A known value in which nothing is computed: a direction, a cell, a text.

    Constants of one type that are told apart are other values where their texts differ.
    """

    type: str
    text: str
    is_told_apart: bool = False


@dataclass(frozen=True, slots=True)
class LinearForm:
    """A number: a sum of symbols with coefficients, ascending, and a constant."""

    terms: tuple[tuple[int, Fraction | int], ...]
    constant: Fraction | int


@dataclass(frozen=True, slots=True)
class Collection:
    """Members of a `list`, `set` or `bag` that are computed one by one."""

    kind: str
    members: tuple[Any, ...]


Domain = Type
"""What a symbol may be: a number or position of a word, a flag, `OPAQUE`, or one of these or none."""
OPAQUE = TextType()
"""Domain of values of which nothing is known but whether they are equal."""
SymbolicValue = Any
"""A number or word as `LinearForm`, a flag as `bool` or `Symbol`, `None`, or one of the other classes of this module."""


def make_number(value: Fraction | int) -> LinearForm:
    return LinearForm((), value)


def add_forms(one: LinearForm, other: LinearForm, times: Fraction | int = 1) -> LinearForm:
    """A linear form and a multiple of another."""
    terms = dict(one.terms)
    for symbol, coefficient in other.terms:
        terms[symbol] = terms.get(symbol, 0) + times * coefficient
    kept = tuple(sorted((symbol, coefficient) for symbol, coefficient in terms.items() if coefficient))
    return LinearForm(kept, one.constant + times * other.constant)


def scale_form(form: LinearForm, times: Fraction | int) -> LinearForm:
    return add_forms(make_number(0), form, times)


class SharedSymbols:
    """The symbols of one comparison, by what they are the value of.

    Attributes:
        tried: numbers of the symbols whose values are tried one by one as soon as they are read.
        has_calls: whether a function was applied, which may be executed.
        opens_calls: whether functions are executed where they are applied.
    """

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._domains: list[Domain] = []
        self.tried: set[int] = set()
        self.has_calls = False
        self.opens_calls = False

    def find_symbol(self, key: Any, domain: Domain = OPAQUE) -> Symbol:
        """The symbol of a value that both revisions know by one key."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._domains)
            self._domains.append(domain)
        elif self._domains[number] != domain:
            wide = _join_domains(self._domains[number], domain)
            if wide != self._domains[number]:
                self._domains[number] = wide
                raise WidenedError
        return Symbol(number)

    def get_domain(self, number: int) -> Domain:
        return self._domains[number]


class PathConditions:
    """What one path takes to be so; `script` are its first choices.

    Attributes:
        choices: all choices of the path, each with how many there were.
        computed: values from which something was computed that is no linear form.
    """

    def __init__(self, symbols: SharedSymbols, script: list[int]) -> None:
        self.symbols = symbols
        self.choices: list[tuple[int, int]] = []
        self.computed: list[SymbolicValue] = []
        self._script = script
        self._values: dict[int, SymbolicValue] = {}
        self._bounds: dict[tuple[tuple[int, int], ...], Interval] = {}
        self._distinct: set[frozenset[Any]] = set()

    def choose(self, count: int) -> int:
        """One of so many ways; each path takes another one."""
        at = len(self.choices)
        picked = self._script[at] if at < len(self._script) else 0
        self.choices.append((picked, count))
        return picked

    # Symbols.

    def read_symbol(self, key: Any, domain: Domain = OPAQUE) -> SymbolicValue:
        """The value of what a key stands for."""
        symbol = self.symbols.find_symbol(key, domain)
        if symbol.number in self.symbols.tried:
            self._try_values(symbol)
        known = self.symbols.get_domain(symbol.number)
        if isinstance(known, OptionalType) and not isinstance(domain, OptionalType):
            return self.open_optional(symbol)
        return self.normalize(LinearForm(((symbol.number, 1),), 0) if isinstance(domain, NumberType) else symbol)

    def _try_values(self, symbol: Symbol) -> None:
        """Goes on with one value of a symbol."""
        match self.symbols.get_domain(symbol.number):
            case NumberType():
                if symbol.number not in self._values:
                    terms = ((symbol.number, 1),)
                    low, high = map(int, self._find_bounds(terms))  # type: ignore[arg-type]
                    value = low + self.choose(high - low + 1)
                    self._narrow(terms, value, value)
            case FlagType():
                self.is_true(symbol)
            case OptionalType():
                self.open_optional(symbol)

    def list_triable(self, *values: SymbolicValue) -> list[int]:
        """Symbols in values that may be tried, and are not yet."""
        return [number for number in dict.fromkeys(_list_symbols(values)) if self._is_triable(number)]

    def _is_triable(self, number: int) -> bool:
        domain = self.symbols.get_domain(number)
        if isinstance(domain, NumberType):
            low, high = domain.low, domain.high
            if low is None or high is None or high - low >= MAX_TRIED_VALUES:
                return False
        return domain != OPAQUE and number not in self.symbols.tried

    def normalize(self, value: SymbolicValue) -> SymbolicValue:
        """A value with all that the path knows put in."""
        match value:
            case Symbol(number):
                known = self._values.get(number, value)
                return value if known is value or known == value else self.normalize(known)
            case LinearForm(terms=terms):
                if not any(number in self._values for number, _ in terms):
                    return value
                result = make_number(value.constant)
                for number, coefficient in terms:
                    result = add_forms(result, self._values.get(number, LinearForm(((number, 1),), 0)), coefficient)
                return self.normalize(result)
            case Collection(kind, members):
                normal = tuple(map(self.normalize, members))
                return Collection(kind, normal if kind == "list" else tuple(sorted(normal, key=repr)))
            case tuple():
                return tuple(map(self.normalize, value))
            case _:
                return value

    def is_true(self, value: SymbolicValue) -> bool:
        """Whether a flag is `yes`."""
        value = self.normalize(value)
        if isinstance(value, Symbol):
            self._values[value.number] = self.choose(2) == 0
            return bool(self._values[value.number])
        if not isinstance(value, bool):
            raise NotProvedError
        return value

    def open_optional(self, value: SymbolicValue) -> SymbolicValue:
        """None, or what an optional value then is."""
        value = self.normalize(value)
        if isinstance(value, Symbol) and isinstance(domain := self.symbols.get_domain(value.number), OptionalType):
            is_none = self.choose(2) == 0
            self._values[value.number] = None if is_none else self.read_symbol(("there", value), domain.inner)
            return self._values[value.number]
        return value

    # Numbers.

    def find_sign(self, form: LinearForm, *, exact: bool) -> int:
        """-1 where a form is below 0, else 0 or 1; where it need not be exact, 0 stands for both."""
        form = self.normalize(form)
        if not form.terms:
            return -1 if form.constant < 0 else 0 if form.constant == 0 or not exact else 1
        terms, factor = _make_primitive(form.terms)
        bound = -form.constant / Fraction(factor)  # form < 0 where the terms are below the bound, or above it
        low, high = self._find_bounds(terms)
        below: Interval = (None, ceil(bound) - 1)
        above: Interval = (floor(bound) + 1, None)
        ways: list[tuple[int, Interval]] = []
        if not exact:
            ways = [(-1, below), (0, (ceil(bound), None))] if factor > 0 else [(-1, above), (0, (None, floor(bound)))]
        else:
            ways = [(-1, below), (1, above)] if factor > 0 else [(-1, above), (1, below)]
            if bound == floor(bound):
                ways.append((0, (floor(bound), floor(bound))))
        open_ways = [(sign, way) for sign, (a, b) in ways if _is_filled(way := _intersect((low, high), (a, b)))]
        if not open_ways:
            open_ways = ways[:1]  # no state comes here
        sign, way = open_ways[self.choose(len(open_ways))] if len(open_ways) > 1 else open_ways[0]
        if len(open_ways) > 1 and len(terms) > 1:
            self.computed.append(form)
        self._narrow(terms, *way)
        return sign

    def _find_bounds(self, terms: tuple[tuple[int, int], ...]) -> Interval:
        sums: list[Fraction | int | None] = [0, 0]
        for number, coefficient in terms:
            domain = self.symbols.get_domain(number)
            assert isinstance(domain, NumberType)
            ends = self._bounds.get(((number, 1),)) or (domain.low, domain.high)
            for at, end in enumerate(ends if coefficient > 0 else ends[::-1]):
                known = sums[at]
                sums[at] = None if known is None or end is None else known + coefficient * end
        return _intersect((sums[0], sums[1]), self._bounds.get(terms, (None, None)))

    def _narrow(self, terms: tuple[tuple[int, int], ...], low: Any, high: Any) -> None:
        self._bounds[terms] = low, high
        if low is None or low != high:
            return
        for number, coefficient in reversed(terms):
            if abs(coefficient) == 1 and number not in self._values:
                rest = LinearForm(tuple(term for term in terms if term[0] != number), -low)
                self._values[number] = scale_form(rest, -coefficient)
                return

    def is_same(self, one: SymbolicValue, other: SymbolicValue) -> bool:
        """Whether two values are one as far as the path knows; it is not taken both ways for it."""
        match one, other:
            case LinearForm(), LinearForm():
                difference = self.normalize(add_forms(one, other, -1))
                if not difference.terms:
                    return bool(difference.constant == 0)
                terms, factor = _make_primitive(difference.terms)
                low, high = self._find_bounds(terms)
                return low is not None and low == high == -difference.constant / factor
            case tuple(), tuple():
                return len(one) == len(other) and all(map(self.is_same, one, other))
            case _:
                return type(one) is type(other) and bool(self.normalize(one) == self.normalize(other))

    # Values of other types.

    def is_equal(self, one: SymbolicValue, other: SymbolicValue) -> bool:
        """Whether two values of one type are equal."""
        one, other = self.open_optional(one), self.open_optional(other)
        if one == other and type(one) is type(other):
            return True
        match one, other:
            case LinearForm(), LinearForm():
                return self.find_sign(add_forms(one, other, -1), exact=True) == 0
            case (None, _) | (_, None):
                return False
            case (Constant(), Constant()) if one.type == other.type and one.is_told_apart:
                return False
            case bool(), bool():
                return one is other
            case (bool(), Symbol()) | (Symbol(), bool()):
                return self.is_true(one) is self.is_true(other)
            case Symbol(number), Symbol() if isinstance(self.symbols.get_domain(number), FlagType):
                return self.is_true(one) is self.is_true(other)
            case tuple(), tuple() if len(one) == len(other):
                return all(map(self.is_equal, one, other))
            case (Symbol(), Symbol() | Constant()) | (Constant(), Symbol()):
                return self._may_be_one(one, other)
            case _:
                return self.is_true(self.read_symbol(("equal", frozenset({one, other})), FLAG))

    def _may_be_one(self, one: SymbolicValue, other: SymbolicValue) -> bool:
        if any({self.normalize(each) for each in pair} == {one, other} for pair in self._distinct):
            return False
        if self.choose(2) == 0:
            symbol, value = (one, other) if isinstance(one, Symbol) else (other, one)
            if isinstance(value, Symbol) and value.number > symbol.number:
                symbol, value = value, symbol
            self._values[symbol.number] = value
            return True
        self._distinct.add(frozenset({one, other}))
        return False


def _join_domains(one: Domain, other: Domain) -> Domain:
    """Domain of what either revision may hold, or holds where it rules out none."""
    match one, other:
        case (OptionalType(), _) | (_, OptionalType()):
            return OptionalType(_join_domains(strip_optional(one), strip_optional(other)))
        case NumberType(low, high), NumberType(other_low, other_high):
            return NumberType(*join_intervals((low, high), (other_low, other_high)))
        case _ if one == other:
            return one
        case _:
            raise NotProvedError


def _make_primitive(terms: tuple[tuple[int, Fraction | int], ...]) -> tuple[tuple[tuple[int, int], ...], Fraction]:
    """Terms with coprime whole coefficients, the first positive, and the factor that was taken out."""
    scale = reduce(lcm, (Fraction(coefficient).denominator for _, coefficient in terms))
    common = reduce(gcd, (int(coefficient * scale) for _, coefficient in terms), 0)
    factor = Fraction(common if terms[0][1] > 0 else -common, scale)
    return tuple((number, int(coefficient / factor)) for number, coefficient in terms), factor


def _intersect(one: Interval, other: Interval) -> Interval:
    lows = [low for low in (one[0], other[0]) if low is not None]
    highs = [high for high in (one[1], other[1]) if high is not None]
    return max(lows, default=None), min(highs, default=None)


def _is_filled(interval: Interval) -> bool:
    low, high = interval
    return low is None or high is None or ceil(low) <= floor(high)


def _list_symbols(value: SymbolicValue) -> Iterator[int]:
    match value:
        case Symbol(number):
            yield number
        case LinearForm(terms=terms):
            yield from (number for number, _ in terms)
        case Collection(members=inside) | (tuple() as inside):
            for each in inside:
                yield from _list_symbols(each)


def explore_paths(symbols: SharedSymbols) -> Iterator[PathConditions]:
    """All paths of a run that is done with each; depth first, by replay of their choices."""
    script: list[int] = []
    for _ in range(_MAX_PATHS):
        path = PathConditions(symbols, script)
        yield path
        taken = path.choices
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        if not taken:
            return
        script = [choice for choice, _ in taken]
        script[-1] += 1
    raise NotProvedError
