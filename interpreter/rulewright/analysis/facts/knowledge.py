"""Facts: what is known at a place of the rules, and how it is forgotten (manual, Proofs)."""

import dataclasses
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, TypeVar

from rulewright.analysis.facts.intervals import WHOLE, Range, hull
from rulewright.analysis.reads import ANYTHING, by_identity
from rulewright.frozen import dataclass
from rulewright.program import expressions as ex
from rulewright.program.conditions import operands
from rulewright.program.declarations import Function
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, FlagType, SetType, ThingType
from rulewright.program.walk import contents

Key = tuple[object, ...]
_Bound = Mapping[int, int]
_FREE: _Bound = {}

NONE: Key = ("literal", "NoneType", None)


@dataclass(frozen=True, slots=True)
class Claim:
    """A condition in one spelling: its key, and whether the condition says so or the opposite."""

    key: Key
    truth: bool

    def opposite(self) -> "Claim":
        """The claim that holds when this one does not."""
        return Claim(self.key, not self.truth)


def key(expression: Expression, bound: _Bound = _FREE) -> Key:
    """The key of a value; names bound inside count by their nesting, so that `x` and `y` are alike."""
    return _key(expression, bound) if bound else _free_key(expression)


@by_identity(most=20_000)
def _free_key(expression: Expression) -> Key:
    return _key(expression, _FREE)


def _key(expression: Expression, bound: _Bound) -> Key:  # noqa: C901, PLR0911, PLR0912 - one case for each sort
    match expression:
        case ex.Local(variable=variable):
            depth = bound.get(variable.index)
            return ("local", variable.index) if depth is None else ("bound", depth)
        case ex.Literal(value=value):
            return ("literal", type(value).__name__, value)
        case ex.Narrowed(operand=operand):
            return key(operand, bound)
        case ex.Aggregate(word="count", binding=binding):
            return ("size", members(binding, bound))
        case ex.Comparison() | ex.Membership() | ex.Not():
            said = claim(expression, bound)
            return said.key if said.truth else ("not", said.key)
        case ex.Quantifier(word="some" | "no"):
            said = claim(expression, bound)
            return said.key if said.truth else ("not", said.key)
        case ex.Comprehension(binding=binding) if selects(expression):
            return members(binding, bound)
        case ex.Comprehension(binding=binding) | ex.Aggregate(binding=binding) | ex.Quantifier(binding=binding):
            inner = _inside(binding, bound)
            rest = expression.body if isinstance(expression, ex.Quantifier) else expression.value
            word = "list" if isinstance(expression, ex.Comprehension) else expression.word
            return (word, type(expression.type).__name__, members(binding, bound), rest and key(rest, inner))
        case ex.Logical(operator=operator):
            return (
                "Logical",
                operator,
                *sorted((key(each, bound) for each in operands(expression, operator)), key=repr),
            )
        case ex.TheOnly(binding=binding):
            return ("the", members(binding, bound))
        case ex.RelationHolds(relation=relation, first=first, second=second):
            sides = (key(first, bound), key(second, bound))
            return ("RelationHolds", relation, *(sorted(sides, key=repr) if expression.symmetric else sides))
        case ex.Builtin(name="occupants", arguments=(cell,), type=SetType(ThingType(kind))):
            return ("Builtin", "occupants", (key(cell, bound),), kind)
        case ex.Builtin(name="adjacent" | "distance" | "gap" | "contact" | "overlaps" as name, arguments=arguments):
            return ("Builtin", name, tuple(sorted((key(each, bound) for each in arguments), key=repr)), "")
        case _:
            return (type(expression).__name__, *(_part(each, bound) for each in contents(expression)))


def multiple(product: ex.Arithmetic) -> tuple[int, Expression] | None:
    """`2 * x` as the number and what is taken so often; none where it is another sum, or the number is below 1."""
    match product:
        case (
            ex.Arithmetic(operator="*", left=ex.Literal(value=int() as number), right=other)
            | ex.Arithmetic(operator="*", left=other, right=ex.Literal(value=int() as number))
        ) if number >= 1:
            return number, other
        case _:
            return None


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """What `and` joins; a condition without it alone."""
    return tuple(operands(condition, "and"))


def _part(value: object, bound: _Bound) -> object:
    if isinstance(value, tuple):
        return tuple(_part(each, bound) for each in value)
    if isinstance(value, ex.Typed):
        return key(value, bound)  # type: ignore[arg-type]
    return value


def _inside(binding: Binding, bound: _Bound) -> _Bound:
    depth = len(bound)
    names: list[Variable] = [each for each in binding.variables if each is not None]
    return {**bound, **{each.index: depth + place for place, each in enumerate(names)}}


def selects(comprehension: ex.Comprehension) -> bool:
    """Whether it is `{each x in S where C}`, without a value of its own."""
    value, names = comprehension.value, comprehension.binding.variables
    return isinstance(value, ex.Local) and len(names) == 1 and value.variable == names[0]


def members(binding: Binding, bound: _Bound = _FREE) -> Key:
    """The key of the members a binding visits."""
    source = key(binding.source, bound)
    if binding.where is None:
        return source
    return ("where", source, len(binding.variables), key(binding.where, _inside(binding, bound)))


_ORDERS = {"<": (False, True), ">=": (False, False), ">": (True, True), "<=": (True, False)}


def claim(condition: Expression, bound: _Bound = _FREE) -> Claim:
    """A condition in one spelling: `a >= b` is the opposite of `a < b`, `some` of `no`, `x = no` of `x`."""
    return _claim(condition, bound) if bound else _free_claim(condition)


@by_identity(most=20_000)
def _free_claim(condition: Expression) -> Claim:
    return _claim(condition, _FREE)


def _claim(condition: Expression, bound: _Bound) -> Claim:
    match condition:
        case ex.Not(operand=operand):
            return claim(operand, bound).opposite()
        case ex.Comparison(operator="=" | "!=" as operator, left=left, right=right):
            said = _equality(left, right, bound)
            return said if operator == "=" else said.opposite()
        case ex.Comparison(operator=operator, left=left, right=right):
            swapped, truth = _ORDERS[operator]
            first, second = (right, left) if swapped else (left, right)
            return Claim(("<", key(first, bound), key(second, bound)), truth)
        case ex.Membership(item=item, collection=collection, negated=negated):
            return Claim(("in", key(item, bound), key(collection, bound)), not negated)
        case ex.Quantifier(word="some" | "no" as word, binding=binding):
            return Claim(("some", members(binding, bound)), word == "some")
        case _:
            return Claim(key(condition, bound), truth=True)


def _equality(left: Expression, right: Expression, bound: _Bound) -> Claim:
    for flag, other in ((right, left), (left, right)):
        if isinstance(flag, ex.Literal) and isinstance(flag.type, FlagType):
            said = claim(other, bound)
            return said if flag.value else said.opposite()
    first, second = key(left, bound), key(right, bound)
    return Claim(equal(first, second), truth=True)


def equal(first: Key, second: Key) -> Key:
    """The key of `first = second`, the same in both orders."""
    return ("=", *sorted((first, second), key=repr))


Sources = frozenset[str]
_Name = TypeVar("_Name")
_Fact = TypeVar("_Fact", bound=tuple[Any, ...])
MOST_STEPS = 1_000
MOST_NAMES = 12
MOST_PARTS = 60
MOST_QUESTIONS = 6
MOST_OPEN = 16
"""So many conditions that leave two sides open are kept in mind, the newest: each new fact may decide any of them."""
MOST_EFFORT = 500_000


class Exhausted(Exception):  # noqa: N818
    """A check has taken all the steps it may take."""


@dataclasses.dataclass(slots=True, eq=False)
class Effort:
    """The steps that conclusions of one check have taken together."""

    steps: int = 0

    def spend(self, steps: int = 1) -> None:
        """Counts steps.

        Raises:
            Exhausted: they are more than `MOST_EFFORT`.
        """
        self.steps += steps
        if self.steps > MOST_EFFORT:
            raise Exhausted


@dataclasses.dataclass(slots=True, eq=False)
class Look:
    """One look at facts, from the first question to its answer; questions asked on the way belong to it."""

    steps: int = 0  # how many it took so far
    questions: int = 0  # how many are open, each asked for another
    parts: int = 0  # how many expressions are being bounded, each for another
    names: int = 0  # how many are being followed to their values, each inside the other
    # bounds found of names, by what they bound, the index and how many names were followed on the way
    ranges: dict[tuple[str, int, int], Range] = field(default_factory=dict)

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
    """

    # for the key of a condition, whether it holds
    truths: Mapping[Key, tuple[bool, Sources]] = field(default_factory=dict)
    ranges: Mapping[Key, tuple[Range, Sources]] = field(default_factory=dict)  # for the key of a number, its bounds
    # for the index of a name, the few values it can have, each once
    values: Mapping[int, tuple[tuple[Expression, ...], Sources]] = field(default_factory=dict)
    # for the keys of a collection and a condition, what holds of every member: the member's name, the condition, and
    # what both read
    everywhere: Mapping[tuple[Key, Key], tuple[Variable, Expression, Sources]] = field(default_factory=dict)
    # for the key of `a and b` or `a or b` that leaves both open, its sides and whether it holds
    either: Mapping[Key, tuple[ex.Logical, bool, Sources]] = field(default_factory=dict)
    # what was learnt with all that follows since anything was forgotten, for the key of a condition and whether it
    # holds: how deep inside others it stood
    told: Mapping[tuple[Key, bool], int] = field(default_factory=dict, compare=False, repr=False)
    # for a kind of which no thing ever leaves play how many there are, at least and at most
    numbers: Mapping[str, Range] = field(default_factory=dict, compare=False, repr=False)
    # bodies of terms and the like, which facts about their calls are opened with
    functions: Mapping[str, Function] = field(default_factory=dict, compare=False, repr=False)
    reads: Mapping[str, Sources] = field(default_factory=dict, compare=False, repr=False)  # what those bodies read
    # what all conclusions of the check have cost
    effort: Effort = field(default_factory=Effort, compare=False, repr=False)
    # the look at these facts that is under way
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


def all_inside(facts: Facts, thing: Expression, collection: Expression) -> bool:
    """Whether all things in play that are of the kind of this one are known to be in a collection."""
    if not isinstance(thing.type, ThingType):
        return False
    member = Variable("", 0, thing.type)
    one = ex.Local(type=thing.type, span=thing.span, variable=member)
    said = ex.Membership(type=FLAG, span=thing.span, item=one, collection=collection, negated=False)
    every = ex.InPlay(type=SetType(thing.type), span=thing.span, kind=thing.type.kind)
    return (key(every), key(said, {member.index: 0})) in facts.everywhere


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
