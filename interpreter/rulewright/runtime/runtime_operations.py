"""Functions that generated code calls: numbers, collections, dice, things; for cells see `runtime.grid_cells`."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice, product
from math import ceil, floor
from operator import attrgetter
from typing import Any

from rulewright.program import types as ty
from rulewright.runtime import faults
from rulewright.runtime.dice import Die, list_pool_dice
from rulewright.runtime.event_engine import fault_work_limit
from rulewright.runtime.faults import Fault, NeedsExternalValue, require_value
from rulewright.runtime.random_values import (
    NeedsConcreteValue,
    RandomValue,
    apply_to_random,
    current_value,
    map_random,
)
from rulewright.runtime.symbolic_pool import SymbolicPool
from rulewright.runtime.values import GameMap, PartlyShuffledDeck, Value, make_set, order_key, sort_values
from rulewright.runtime.working_memory import (
    CONTROL,
    RECORD,
    ROLLS,
    WorkingMemory,
)

__all__ = ["ceil", "floor"]


# Numbers.


def divide_exactly(world: WorkingMemory, left: Any, right: Any) -> Any:
    """Exact quotient; an `int` if whole."""
    if right == 0:
        raise Fault(faults.DIVISION_BY_ZERO, "division by zero")
    if left.__class__ is RandomValue or right.__class__ is RandomValue:
        return _divide_random(world, left, right)
    quotient = Fraction(left) / right
    return check_number_size(world, int(quotient) if quotient.denominator == 1 else quotient)


def _divide_random(world: WorkingMemory, left: Any, right: Any) -> Any:
    divisor = current_value(right)
    if isinstance(divisor, RandomValue) and 0 in divisor.values:
        raise NeedsConcreteValue(divisor)
    if not isinstance(divisor, RandomValue):
        return map_random(lambda value: divide_exactly(world, value, divisor), left)
    return apply_to_random(partial(divide_exactly, world), left, divisor)


def round_half_away(value: Any) -> Any:
    """Nearest whole number, halves away from zero."""
    if value.__class__ is RandomValue:
        return map_random(round_half_away, value)
    return int(floor(value + Fraction(1, 2)) if value >= 0 else ceil(value - Fraction(1, 2)))


def shift_word(word: Any, steps: Any, last: int) -> Any:
    """Word `steps` further on in its list, stopping at the ends."""
    if word.__class__ is RandomValue or steps.__class__ is RandomValue:
        return apply_to_random(partial(shift_word, last=last), word, steps)
    return max(0, min(last, word + steps))


def require_type(value: Any, target: ty.Type, text: str) -> Any:
    """The value, or a fault if it is not of a type."""
    if not fits_type(value, target):
        if value is None:
            return require_value(value, text)
        raise Fault(faults.OUT_OF_BOUNDS, f"`{text}` does not fit here")
    return value


def fits_type(value: Any, target: ty.Type) -> bool:
    """Whether a value of a wider type belongs to this one."""
    match target:
        case ty.OptionalType(inner):
            return value is None or fits_type(value, inner)
        case ty.NumberType():
            return value is not None and target.contains_number(value)
        case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
            return all(fits_type(each, item) for each in value)
        case ty.MapType(key, inner):
            return fits_type(value.default, inner) and all(
                fits_type(k, key) and fits_type(value[k], inner) for k in value
            )
        case ty.TupleType(parts):
            return all(map(fits_type, value, parts))
        case _:
            return value is not None


# Collections.


def make_interval(world: WorkingMemory, low: int, high: int) -> tuple[int, ...]:
    """Whole numbers from low to high; empty if low exceeds high."""
    _check_collection_size(world, high - low + 1)
    return tuple(range(low, high + 1))


def _check_collection_size(world: WorkingMemory, size: int) -> None:
    control = world[CONTROL]
    if size > control.limits.members:
        raise Fault(faults.MEMBER_LIMIT, f"a collection of {size:,} members, more than {control.limits.members:,}")
    control.work_left -= size
    control.size_left -= size
    if control.work_left < 0 or control.size_left < 0:
        fault_work_limit(world)


def _charge_work(world: WorkingMemory, visits: int, parts: int = 0) -> None:
    control = world[CONTROL]
    control.work_left -= visits
    control.size_left -= parts
    if control.work_left < 0 or control.size_left < 0:
        fault_work_limit(world)


def charge_collection(world: WorkingMemory, members: tuple[Any, ...]) -> tuple[Any, ...]:
    """A new collection, its size charged."""
    control = world[CONTROL]
    control.size_left -= len(members)
    if control.size_left < 0:
        fault_work_limit(world)
    return members


def charge_scan(world: WorkingMemory, members: Any) -> Any:
    """A collection about to be scanned, its size charged."""
    _charge_work(world, len(members))
    return members


def has_member(world: WorkingMemory, member: Value, members: Any) -> bool:
    if len(members) > _MAX_UNCHARGED_MEMBERS:
        _charge_work(world, len(members))
    return member in members


def are_collections_equal(world: WorkingMemory, left: Any, right: Any) -> bool:
    """Whether two collections, each possibly none, are equal."""
    if left is not None and right is not None and len(left) > _MAX_UNCHARGED_MEMBERS:
        _charge_work(world, len(left))
    return left == right  # type: ignore[no-any-return]


_MAX_UNCHARGED_MEMBERS = 16
"""Members up to which a scan charges nothing; chosen."""
_MAX_NUMBER_BITS = 13_280
"""Size limit of a number, in bits: about 4,000 decimal digits, below the 4,300 that Python converts to text."""


def check_number_size(world: WorkingMemory, number: Any) -> Any:
    """A number of an unbounded type, its digits limited.

    Raises:
        Fault: RW0851, it has more than about 4,000 digits.
    """
    if number.__class__ is RandomValue:
        if max(map(_count_bits, number.values)) >= _MACHINE_WORD_BITS:
            raise NeedsConcreteValue(number)
        return number
    if isinstance(number, int) and -_MACHINE_WORD_LIMIT < number < _MACHINE_WORD_LIMIT:
        return number
    bits = _count_bits(number)
    if bits > _MAX_NUMBER_BITS:
        raise Fault(faults.SIZE_LIMIT, "a number of more than 4,000 digits")
    _charge_work(world, bits // 64, bits // 64)
    return number


def _count_bits(number: int | Fraction) -> int:
    return number.numerator.bit_length() + number.denominator.bit_length()


_MACHINE_WORD_BITS = 64
_MACHINE_WORD_LIMIT = 1 << (_MACHINE_WORD_BITS - 1)


def unite_sets(world: WorkingMemory, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Union of two sets."""
    _check_collection_size(world, len(left) + len(right))
    return make_set(left + right)


def make_plain_set(members: tuple[Any, ...]) -> tuple[Any, ...]:
    """Set of members whose Python order is the order of the language."""
    return tuple(sorted(set(members)))


def unite_plain_sets(world: WorkingMemory, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Union of two sets whose members' Python order is the order of the language."""
    _check_collection_size(world, len(left) + len(right))
    if not left or not right or left[-1] < right[0]:
        return left + right
    return tuple(sorted({*left, *right}))


def subtract_set(world: WorkingMemory, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Difference of two sets."""
    _charge_work(world, len(left) * (1 + len(right)), len(left))
    return tuple(item for item in left if item not in right)


def concatenate_lists(world: WorkingMemory, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    _check_collection_size(world, len(left) + len(right))
    return left + right


def subtract_list(world: WorkingMemory, left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """A list with each member of another taken out once, from the front."""
    _charge_work(world, len(left) * (1 + len(right)), len(left))
    rest = list(left)
    for item in right:
        if item in rest:
            rest.remove(item)
    return tuple(rest)


def get_map_entry(target: GameMap, key: Value) -> Value:
    return target.entries.get(key, target.default)


def get_list_item(target: tuple[Any, ...], position: int) -> Any:
    """Member of a list, counted from 1."""
    if not 1 <= position <= len(target):
        raise Fault(faults.NO_SUCH_PLACE, f"position {position} in a list of {len(target)}")
    return target[position - 1]


def find_position(member: Value, target: tuple[Any, ...]) -> int:
    """Position of a member in a list, from 1."""
    if member not in target:
        raise Fault(faults.NO_SUCH_PLACE, "`position` of something that is not in the list")
    return target.index(member) + 1


def other_of_pair(member: Value, pair: tuple[Any, ...]) -> Any:
    """The other member of a set of two."""
    if len(pair) == 2:  # noqa: PLR2004
        if pair[0] == member:
            return pair[1]
        if pair[1] == member:
            return pair[0]
    raise Fault(faults.NOT_A_PAIR, "`other` needs a set of two that contains the member given")


def sort_descending(members: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(sorted(members, reverse=True))


def rotate_to_start(members: tuple[Any, ...], first: Value) -> tuple[Any, ...]:
    """The members in turn order, beginning with one."""
    if first not in members:
        return members
    at = members.index(first)
    return members[at:] + members[:at]


def pairs(world: WorkingMemory, left: tuple[Any, ...], right: tuple[Any, ...]) -> Iterable[tuple[Any, Any]]:
    _check_collection_size(world, len(left) * len(right))
    return tuple(product(left, right))


def remove_duplicates(members: list[Any]) -> list[Any]:
    return list(dict.fromkeys(members))


# Things and relations.


def list_removed_things(gone_flags: list[bool]) -> tuple[int, ...]:
    return tuple(number for number, out in enumerate(gone_flags) if out)


def list_things_in_play(gone_flags: list[bool]) -> tuple[int, ...]:
    return tuple(number for number, out in enumerate(gone_flags) if not out)


def is_related(
    pairs_: set[tuple[int, int]], first_gone: list[bool], second_gone: list[bool], first: int, second: int
) -> bool:
    """Whether a stored relation holds; not if one of the two is gone."""
    return (first, second) in pairs_ and not first_gone[first] and not second_gone[second]


def find_occupants(world: WorkingMemory, places: list[Any], in_play_: tuple[int, ...], cell: Value) -> tuple[int, ...]:
    """Things in play on a cell."""
    world[CONTROL].work_left -= len(in_play_)
    return tuple([item for item in in_play_ if places[item] == cell])


def find_connected(
    world: WorkingMemory,
    start: Value,
    members: tuple[Any, ...],
    where: Any,
    link: Callable[..., bool] | None,
) -> tuple[Any, ...]:
    """Reflexive transitive closure of a relation from one member; gone things have no stored links."""
    if link is None and start not in members:
        return (start,)
    result = {start}
    open_ = [start]
    while open_:
        here = open_.pop()
        _charge_work(world, len(members))
        for member in members:
            if member in result:
                continue
            if link(where, here, member) if link is not None else (here, member) in where:
                result.add(member)
                open_.append(member)
    return sort_values(result)


def evaluate_external_term(
    world: WorkingMemory, name: str, arguments: tuple[Value, ...], default: Callable[..., Value] | None
) -> Value:
    """Value of an external term: as scripted, as answered, by its default, or to be asked for."""
    control = world[CONTROL]
    table = control.base.tables.get(name)
    if table is not None and arguments in table:
        return table[arguments]  # type: ignore[no-any-return]
    if default is not None:
        return default(world, *arguments)
    if (name, arguments) in control.known:
        return control.known[name, arguments]  # type: ignore[no-any-return]
    raise NeedsExternalValue(name, arguments)


def judge_excluded_members(
    world: WorkingMemory,
    frame: list[Any],
    judge: Callable[..., Any],
    members: Iterable[tuple[Value, Any]],
    behind: tuple[Callable[..., Any], Sequence[Value]] | None = None,
) -> tuple[tuple[Value, list[Any]], ...]:
    """The first members that cannot be answered, at most 40, each with the record of its judgement.

    `behind` judges those excluded only by rows with `prefer`, against the first legal one.
    """
    record, items = world[RECORD], []
    for member, given in islice(members, _MAX_EXCLUDED_MEMBERS):
        judged: list[Any] = []
        world[RECORD] = judged
        if judge(world, frame, given) is not False and behind is not None and behind[1]:
            behind[0](world, frame, given, behind[1][0])
        items.append((member, judged))
    world[RECORD] = record
    return tuple(items)


_MAX_EXCLUDED_MEMBERS = 40
"""Members whose exclusion is recorded; chosen: as many as anybody reads."""


def judge_out_of_scope(judge: Callable[[Value], bool], member: Value) -> int | None:
    """0 if conditions fail for a value they were not written for; none if they hold or cannot be judged."""
    try:
        return None if judge(member) else 0
    except (
        Fault,
        NeedsExternalValue,
        NeedsConcreteValue,
        TypeError,
        ValueError,
        LookupError,
        ArithmeticError,
        AttributeError,
    ):
        return None


# Dice.

_get_face = attrgetter("face")


def get_die(world: WorkingMemory, which: tuple[int, int]) -> Die:
    return world[ROLLS][which[0]][which[1]]  # type: ignore[no-any-return]


def list_kept_dice(world: WorkingMemory, pool: int) -> tuple[tuple[int, int], ...]:
    dice = world[ROLLS][pool]
    if isinstance(dice, SymbolicPool):
        if not dice.are_all_kept:
            raise NeedsConcreteValue(dice)
        return list_pool_dice(world, pool)
    return tuple([(pool, at) for at, die in enumerate(dice) if die.kept])


def total(world: WorkingMemory, pool: int) -> Any:
    dice = world[ROLLS][pool]
    if isinstance(dice, SymbolicPool):
        return dice.sum_worths(_get_face)
    return sum([die.face for die in dice if die.kept])


def highest_face(world: WorkingMemory, which: tuple[int, int]) -> Any:
    return max(get_die(world, which)[0])


def replace_list_item(target: tuple[Any, ...], at: int, value: Value) -> tuple[Any, ...]:
    """A list with one member replaced, counted from 1."""
    get_list_item(target, at)
    return (*target[: at - 1], value, *target[at:])


def replace_record_part(target: tuple[Any, ...], at: int, value: Value) -> tuple[Any, ...]:
    """A record with one part replaced."""
    return (*target[:at], value, *target[at + 1 :])


def add_plain_member(world: WorkingMemory, target: tuple[Any, ...], member: Any) -> tuple[Any, ...]:
    """A set with a member added, for members whose Python order is the order of the language."""
    if member in target:
        return target
    _check_collection_size(world, len(target) + 1)
    return tuple(sorted((*target, member)))


def add_set_member(world: WorkingMemory, target: tuple[Any, ...], member: Value) -> tuple[Any, ...]:
    """A set with a member added."""
    if member in target:
        return target
    _check_collection_size(world, len(target) + 1)
    return tuple(sorted((*target, member), key=order_key))


def take_required_member(target: tuple[Any, ...], member: Value, text: str) -> tuple[Any, ...]:
    """A list, bag or deck without a member that must be in it."""
    if member not in target:
        raise Fault(faults.NOT_IN_LIST, f"`{text}` does not contain what is taken from it")
    return remove_member(target, member)


def remove_member(target: tuple[Any, ...], member: Value) -> tuple[Any, ...]:
    """A collection without the first of its equal members."""
    if member not in target:
        return target
    at = target.index(member)
    return target.without_card(at) if isinstance(target, PartlyShuffledDeck) else target[:at] + target[at + 1 :]


def remove_map_entry(target: GameMap, key: Value) -> GameMap:
    return target.with_entry(key, target.default)


def fault_none_left(text: str) -> None:
    """Fault: a draw from an empty collection without an `otherwise`."""
    raise Fault(faults.NO_LEGAL_ANSWER, f"nothing is left in `{text}` to draw")
