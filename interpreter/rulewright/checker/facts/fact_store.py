"""Facts at a point of the program, their structural keys, and how they are invalidated and merged (manual, Proofs).

A key is nested tuples of what an expression is made of, with names by index. That of `loser.morale` is
`("StoredAttribute", ("local", 0), "Unit", "morale")`, and `loser.morale >= 1` is known as `("<", (that key), ("literal", "int", 1))`
being false. Expressions of one key have one value until something that they read is written.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache
from typing import Any, TypeVar

from rulewright.base.frozen import dataclass, replace
from rulewright.checker.facts.intervals import UNBOUNDED, Interval, join_intervals
from rulewright.checker.read_sets import ANY_STATE, cache_by_identity
from rulewright.program import expressions as ex
from rulewright.program.conditions import find_selected_member, list_operands
from rulewright.program.declarations import Function
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, FlagType, SetType, ThingType
from rulewright.program.walk import get_contents

FactKey = tuple[object, ...]
_BoundDepths = Mapping[int, int]
_NO_BOUND_NAMES: _BoundDepths = {}

NONE_KEY: FactKey = ("literal", "NoneType", None)


@dataclass(frozen=True, slots=True)
class NormalizedClaim:
    """A condition in normal form: its key, and the truth of the key under which the condition holds."""

    key: FactKey
    truth: bool

    def negated(self) -> "NormalizedClaim":
        return NormalizedClaim(self.key, not self.truth)


def make_key(expression: Expression, bound: _BoundDepths = _NO_BOUND_NAMES) -> FactKey:
    """Structural key of a value; bound names count by their nesting (de Bruijn levels), so that `x` and `y` are alike."""
    return _build_key(expression, bound) if bound else _make_free_key(expression)


@cache_by_identity(most=20_000)
def _make_free_key(expression: Expression) -> FactKey:
    return _build_key(expression, _NO_BOUND_NAMES)


def _build_key(expression: Expression, bound: _BoundDepths) -> FactKey:
    match expression:
        case ex.Local(variable=variable):
            depth = bound.get(variable.index)
            return ("local", variable.index) if depth is None else ("bound", depth)
        case ex.Literal(value=value):
            return ("literal", type(value).__name__, value)
        case ex.Narrowed(operand=operand):
            return make_key(operand, bound)
        case ex.Aggregate(word="count", binding=binding):
            return ("size", make_members_key(binding, bound))
        case ex.Comparison() | ex.Membership() | ex.Not():
            claim = normalize_claim(expression, bound)
            return claim.key if claim.truth else ("not", claim.key)
        case ex.Quantifier(word="some" | "no"):
            claim = normalize_claim(expression, bound)
            return claim.key if claim.truth else ("not", claim.key)
        case ex.Comprehension(binding=binding) if is_plain_selection(expression):
            return make_members_key(binding, bound)
        case ex.Comprehension(binding=binding) | ex.Aggregate(binding=binding) | ex.Quantifier(binding=binding):
            inner = _bind_depths(binding, bound)
            rest = expression.body if isinstance(expression, ex.Quantifier) else expression.value
            word = "list" if isinstance(expression, ex.Comprehension) else expression.word
            return (
                word,
                type(expression.type).__name__,
                make_members_key(binding, bound),
                rest and make_key(rest, inner),
            )
        case ex.Logical(operator=operator):
            return (
                "Logical",
                operator,
                *sorted((make_key(item, bound) for item in list_operands(expression, operator)), key=repr),
            )
        case ex.TheOnly(binding=binding):
            return ("the", make_members_key(binding, bound))
        case ex.RelationHolds(relation=relation, first=first, second=second):
            sides = (make_key(first, bound), make_key(second, bound))
            return ("RelationHolds", relation, *(sorted(sides, key=repr) if expression.symmetric else sides))
        case ex.Builtin(name="occupants", arguments=(cell,), type=SetType(ThingType(kind))):
            return ("Builtin", "occupants", (make_key(cell, bound),), kind)
        case ex.Builtin(name=name, arguments=arguments) if name in _SYMMETRIC_BUILTINS:
            return ("Builtin", name, tuple(sorted((make_key(argument, bound) for argument in arguments), key=repr)), "")
        case _:
            return (
                type(expression).__name__,
                *(_make_part_key(content, bound) for content in get_contents(expression)),
            )


def split_multiple(product: ex.Arithmetic) -> tuple[int, Expression] | None:
    """Factor and operand of `2 * x`; None of other sums, or where the factor is below 1."""
    match product:
        case (
            ex.Arithmetic(operator="*", left=ex.Literal(value=int() as number), right=other)
            | ex.Arithmetic(operator="*", left=other, right=ex.Literal(value=int() as number))
        ) if number >= 1:
            return number, other
        case _:
            return None


def _make_part_key(value: object, bound: _BoundDepths) -> object:
    if isinstance(value, tuple):
        return tuple(_make_part_key(item, bound) for item in value)
    if isinstance(value, ex.Typed):
        return make_key(value, bound)  # type: ignore[arg-type]
    return value


def _bind_depths(binding: Binding, bound: _BoundDepths) -> _BoundDepths:
    depth = len(bound)
    names: list[Variable] = [variable for variable in binding.variables if variable is not None]
    return {**bound, **{name.index: depth + place for place, name in enumerate(names)}}


def is_plain_selection(comprehension: ex.Comprehension) -> bool:
    """Whether it is `{each x in S where C}`, without a value of its own."""
    value, names = comprehension.value, comprehension.binding.variables
    return isinstance(value, ex.Local) and len(names) == 1 and value.variable == names[0]


def make_members_key(binding: Binding, bound: _BoundDepths = _NO_BOUND_NAMES) -> FactKey:
    """Structural key of the members a binding visits."""
    source = make_key(binding.source, bound)
    if binding.where is None:
        return source
    depths = _bind_depths(binding, bound)
    if bound:
        where = make_key(binding.where, depths)
    else:
        where = _make_condition_key(binding.where, _intern_indices(tuple(depths)))
    return ("where", source, len(binding.variables), where)


@cache_by_identity(most=20_000)
def _make_condition_key(condition: Expression, indices: tuple[int, ...]) -> FactKey:
    """Key of a condition in which variables of some indices are bound, in order of their depth."""
    return make_key(condition, {index: depth for depth, index in enumerate(indices)})


@cache
def _intern_indices(indices: tuple[int, ...]) -> tuple[int, ...]:
    """The one tuple that stands for all that are equal, since results are cached by identity."""
    return indices


_ORDER_NORMAL_FORMS = {"<": (False, True), ">=": (False, False), ">": (True, True), "<=": (True, False)}


def normalize_claim(condition: Expression, bound: _BoundDepths = _NO_BOUND_NAMES) -> NormalizedClaim:
    """Normal form of a condition: `a >= b` is the opposite of `a < b`, `some` of `no`, `x = no` of `x`."""
    return _build_claim(condition, bound) if bound else _normalize_free_claim(condition)


@cache_by_identity(most=20_000)
def _normalize_free_claim(condition: Expression) -> NormalizedClaim:
    return _build_claim(condition, _NO_BOUND_NAMES)


def _build_claim(condition: Expression, bound: _BoundDepths) -> NormalizedClaim:
    match condition:
        case ex.Not(operand=operand):
            return normalize_claim(operand, bound).negated()
        case ex.Comparison(operator="=" | "!=" as operator, left=left, right=right):
            claim = _normalize_equality(left, right, bound)
            return claim if operator == "=" else claim.negated()
        case ex.Comparison(operator=operator, left=left, right=right):
            swapped, truth = _ORDER_NORMAL_FORMS[operator]
            first, second = (right, left) if swapped else (left, right)
            return NormalizedClaim(("<", make_key(first, bound), make_key(second, bound)), truth)
        case ex.Membership(item=item, collection=collection, negated=negated):
            return NormalizedClaim(("in", make_key(item, bound), make_key(collection, bound)), not negated)
        case ex.Quantifier(word="some" | "no") if member := find_selected_member(condition):
            return normalize_claim(member, bound)
        case ex.Quantifier(word="some" | "no" as word, binding=binding):
            return NormalizedClaim(("some", make_members_key(binding, bound)), word == "some")
        case _:
            return NormalizedClaim(make_key(condition, bound), truth=True)


def _normalize_equality(left: Expression, right: Expression, bound: _BoundDepths) -> NormalizedClaim:
    for flag, other in ((right, left), (left, right)):
        if isinstance(flag, ex.Literal) and isinstance(flag.type, FlagType):
            claim = normalize_claim(other, bound)
            return claim if flag.value else claim.negated()
    first, second = make_key(left, bound), make_key(right, bound)
    return NormalizedClaim(make_equality_key(first, second), truth=True)


def make_equality_key(first: FactKey, second: FactKey) -> FactKey:
    """Key of `first = second`, the same in both orders."""
    return ("=", *sorted((first, second), key=repr))


_SYMMETRIC_BUILTINS = frozenset({"adjacent", "distance", "gap", "contact", "overlaps"})


def order_sides(key: FactKey) -> FactKey:
    """A key whose sides may have changed, in the order in which keys are made where that says nothing."""
    match key:
        case ("=", *sides):
            return ("=", *sorted(sides, key=repr))
        case ("Logical", operator, *sides):
            return ("Logical", operator, *sorted(sides, key=repr))
        case ("Builtin", word, tuple() as sides, *rest) if word in _SYMMETRIC_BUILTINS:
            return ("Builtin", word, tuple(sorted(sides, key=repr)), *rest)
        case _:
            return key


def map_key(key: FactKey, change: Callable[[FactKey], FactKey | None]) -> FactKey:
    """A key with its parts replaced, the outermost first; `change` gives None for a part that stays."""
    new = change(key)
    if new is not None:
        return new
    return order_sides(tuple(map_key(part, change) if isinstance(part, tuple) else part for part in key))


def iterate_subkeys(key: object) -> Iterator[FactKey]:
    """A key and all keys in it, outermost first."""
    if isinstance(key, tuple):
        yield key
        for part in key:
            yield from iterate_subkeys(part)


def list_local_reads(key: FactKey) -> "ReadKeys":
    """Read keys of the names in a key."""
    return frozenset(f"local/{subkey[1]}" for subkey in iterate_subkeys(key) if subkey[:1] == ("local",))


ReadKeys = frozenset[str]
_Name = TypeVar("_Name")
_Fact = TypeVar("_Fact", bound=tuple[Any, ...])
MAX_PROOF_STEPS = 1_000  # steps of one question; a chosen limit, as are those below
MAX_FOLLOWED_NAMES = 12  # names followed to their values, nested
MAX_NESTED_BOUNDS = 60  # expressions bounded for each other, nested
MAX_NESTED_QUESTIONS = 6  # questions asked for each other; beyond, only types give bounds
MAX_UNDECIDED_CONDITIONS = 16
"""The newest ones are kept, for each new fact may decide any of them; a chosen limit."""
MAX_CHECK_PROOF_STEPS = 500_000  # steps of one check, which stops beyond them (RW0850)


class ProofEffortExhausted(Exception):  # noqa: N818
    """All proofs of a check took more than `MAX_CHECK_PROOF_STEPS`."""


@dataclasses.dataclass(slots=True, eq=False)
class ProofEffort:
    """Number of steps that all proofs of one check have taken."""

    steps: int = 0

    def spend(self, steps: int = 1) -> None:
        """Counts steps.

        Raises: ProofEffortExhausted beyond `MAX_CHECK_PROOF_STEPS`.
        """
        self.steps += steps
        if self.steps > MAX_CHECK_PROOF_STEPS:
            raise ProofEffortExhausted


@dataclasses.dataclass(slots=True, eq=False)
class ProofSession:
    """One question to the facts, with the questions asked on the way to its answer."""

    steps: int = 0
    open_questions: int = 0  # questions under way, each asked for another
    open_bounds: int = 0  # bounds under way, each computed for another
    followed_names: int = 0  # names being followed to their values, nested
    # computed bounds of names, by what is bounded, variable index, and number of names followed
    bounds_by_name: dict[tuple[str, int, int], Interval] = field(default_factory=dict)

    def __enter__(self) -> None:
        if not self.open_questions:
            self.steps = 0
            self.bounds_by_name.clear()
        self.open_questions += 1

    def __exit__(self, *_: object) -> None:
        self.open_questions -= 1


@dataclass(frozen=True, slots=True)
class Facts:
    """Abstract state at a point of the program.

    Every fact carries the keys it reads, in the notation of `collect_reads`, and is dropped when one may have been
    written.
    """

    # truth of conditions by key
    truths: dict[FactKey, tuple[bool, ReadKeys]] = field(default_factory=dict)
    # bounds of numbers by key
    ranges: dict[FactKey, tuple[Interval, ReadKeys]] = field(default_factory=dict)
    # the few possible values of a name by variable index, without repeats
    values: dict[int, tuple[tuple[Expression, ...], ReadKeys]] = field(default_factory=dict)
    # number of members of a name that a roll gave it, as an expression, by variable index
    sizes: dict[int, tuple[Expression, ReadKeys]] = field(default_factory=dict)
    # universally quantified conditions by the keys of collection and condition: variable of the member, condition,
    # reads
    universal: dict[tuple[FactKey, FactKey], tuple[Variable, Expression, ReadKeys]] = field(default_factory=dict)
    # conjunctions and disjunctions with two undecided sides: condition, truth, reads
    undecided: dict[FactKey, tuple[ex.Logical, bool, ReadKeys]] = field(default_factory=dict)
    # inlining depth at which a condition was learnt with this truth since facts were last invalidated
    learnt_depths: dict[tuple[FactKey, bool], int] = field(default_factory=dict, compare=False, repr=False)
    # number of things of kinds that never leave play
    kind_counts: Mapping[str, Interval] = field(default_factory=dict, compare=False, repr=False)
    # functions that may be inlined
    functions: Mapping[str, Function] = field(default_factory=dict, compare=False, repr=False)
    # read sets of these functions
    reads: Mapping[str, ReadKeys] = field(default_factory=dict, compare=False, repr=False)
    # cost of all proofs of the check
    effort: ProofEffort = field(default_factory=ProofEffort, compare=False, repr=False)
    session: ProofSession = field(default_factory=ProofSession, init=False, compare=False, repr=False)

    def without_learnt(self) -> "Facts":
        return Facts(kind_counts=self.kind_counts, functions=self.functions, reads=self.reads, effort=self.effort)

    def with_definitions_of(self, other: "Facts") -> "Facts":
        """What is known here, with the functions of other facts."""
        return replace(self, functions=other.functions, reads=other.reads, effort=other.effort)

    def take_step(self, session: ProofSession | None = None) -> bool:
        """Counts a step; False where the session (or `look`) has taken more than `MAX_PROOF_STEPS`."""
        self.effort.spend()
        under_way = session or self.session
        under_way.steps += 1
        return under_way.steps <= MAX_PROOF_STEPS


def is_whole_kind_inside(facts: Facts, thing: Expression, collection: Expression) -> bool:
    """Whether all things in play of the kind of `thing` are known to be in a collection."""
    if not isinstance(thing.type, ThingType):
        return False
    member = Variable("", 0, thing.type)
    one = ex.Local(type=thing.type, span=thing.span, variable=member)
    membership = ex.Membership(type=FLAG, span=thing.span, item=one, collection=collection, negated=False)
    every = ex.InPlay(type=SetType(thing.type), span=thing.span, kind=thing.type.kind)
    return (make_key(every), make_key(membership, {member.index: 0})) in facts.universal


def invalidate_facts(facts: Facts, written: frozenset[str]) -> Facts:
    """Facts that still hold after writes (kill).

    Written are `Kind/attribute`, `Kind/gone`, `game/field`, `board/attribute`, names of relations, `local/<index>`,
    `dice` (faces, by a reroll), or `*` for all of these but names.
    """
    if not written:
        return facts
    named = frozenset(int(item.removeprefix("local/")) for item in written if item.startswith("local/"))
    return replace(
        facts,
        truths=_keep_unaffected(facts.truths, written),
        ranges=_keep_unaffected(facts.ranges, written),
        values=_keep_unaffected(_drop_names(facts.values, named), written),
        sizes=_keep_unaffected(_drop_names(facts.sizes, named), written),
        universal=_keep_unaffected(facts.universal, written),
        undecided=_keep_unaffected(facts.undecided, written),
        learnt_depths={},
    )


def _drop_names(known: dict[int, _Fact], named: frozenset[int]) -> dict[int, _Fact]:
    return known if named.isdisjoint(known) else {index: fact for index, fact in known.items() if index not in named}


def _keep_unaffected(known: dict[_Name, _Fact], written: ReadKeys) -> dict[_Name, _Fact]:
    all_of_game, reading = ANY_STATE in written, written | {ANY_STATE} if _has_game_state_key(written) else written
    affected = {
        item
        for item, fact in known.items()
        if not reading.isdisjoint(fact[-1]) or (all_of_game and _has_game_state_key(fact[-1]))
    }
    return {item: fact for item, fact in known.items() if item not in affected} if affected else known


def _has_game_state_key(names: ReadKeys) -> bool:
    return any(not name.startswith("local/") for name in names)


def merge_facts(first: Facts, second: Facts) -> Facts:
    """Facts that hold in both states (join), where two paths meet."""
    return replace(
        first,
        truths={
            item: (truth, sources | second.truths[item][1])
            for item, (truth, sources) in first.truths.items()
            if item in second.truths and second.truths[item][0] == truth
        },
        ranges={
            item: (join_intervals(bounds, second.ranges[item][0]), sources | second.ranges[item][1])
            for item, (bounds, sources) in first.ranges.items()
            if item in second.ranges and join_intervals(bounds, second.ranges[item][0]) != UNBOUNDED
        },
        values={
            index: (either, sources | second.values[index][1])
            for index, (some, sources) in first.values.items()
            if index in second.values and (either := limit_values((*some, *second.values[index][0])))
        },
        sizes={
            index: fact
            for index, fact in first.sizes.items()
            if index in second.sizes and make_key(fact[0]) == make_key(second.sizes[index][0])
        },
        universal={item: fact for item, fact in first.universal.items() if item in second.universal},
        undecided={
            item: (sides, truth, sources | second.undecided[item][2])
            for item, (sides, truth, sources) in first.undecided.items()
            if item in second.undecided and second.undecided[item][1] == truth
        },
        learnt_depths={},
    )


MAX_TRACKED_VALUES = 6  # possible values of one name


def limit_values(values: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The values without repeats; () where they are more than `MAX_TRACKED_VALUES`."""
    result = tuple({make_key(value): value for value in values}.values())
    return result if len(result) <= MAX_TRACKED_VALUES else ()
