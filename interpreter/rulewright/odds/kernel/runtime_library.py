"""Functions that kernels share: random numbers, order of values, sequences, counting of answers."""

from collections.abc import Callable
from math import comb

from rulewright.odds.kernel import exhaustive_chance
from rulewright.odds.kernel.kernel_module import KernelModule, kernel_function
from rulewright.odds.kernel.value_shapes import (
    NONE_CODE,
    Bits,
    DenseMap,
    DieShape,
    EntryMap,
    Parts,
    PoolShape,
    Scalar,
    SequenceShape,
    Shape,
)
from rulewright.odds.kernel.wasm_assembler import (
    Code,
    FunctionWriter,
    Variable,
    as_code,
    choose,
    const,
    select,
    test_const,
)
from rulewright.play.seeded_random import GOLDEN_GAMMA, MIX_MULTIPLIER_1, MIX_MULTIPLIER_2, SMALL_LIMIT, UNBIASED_BELOW

_MAX_SHUFFLED = 64
"""Members that are shuffled at most."""
_WORD_BITS, _SPARE_BITS = 64, 7
_MAX_BINOMIAL = 62
"""Upper number of the binomial coefficients that are tabulated."""


# Random numbers: `seeded_random`, word for word.


@kernel_function
def mix(w: FunctionWriter, _: KernelModule, word: Code) -> None:
    w.give_result(_mix_inline(w, word))


def _mix_inline(w: FunctionWriter, value: Code) -> Code:
    word = w.new_local(value)
    w.set(word, (word ^ (word >> 30)) * const(MIX_MULTIPLIER_1))
    w.set(word, (word ^ (word >> 27)) * const(MIX_MULTIPLIER_2))
    return word ^ (word >> 31)


@kernel_function
def draw_word(w: FunctionWriter, module: KernelModule, offset: Code, occasion: Code, end: Code) -> None:
    """Random word below `end`, a multiple of the limit; 0 stands for 2^64."""
    state = w.new_local(module.root + offset + occasion * const(GOLDEN_GAMMA))
    word, at = w.new_local(_mix_inline(w, state)), w.new_local(0)
    with w.when((end.ne(0)) & word.operate("ge_u", end)), w.loop() as again:
        w.set(word, mix(module, state ^ mix(module, at)))
        w.set(at, at + 1)
        w.leave(again, word.operate("ge_u", end))
    w.give_result(word)


def draw_below(module: KernelModule, line: Code | int, limit: Code | int) -> Code:
    """Random number below a limit for a line (`KernelModule.find_line`), as `SeededRandom.below`."""
    if module.is_exhaustive:
        return exhaustive_chance.choose_evenly(module, as_code(limit))

    def write(w: FunctionWriter, line: Variable, limit: Code) -> None:
        occasions = w.new_local(line.load(8))
        occasion = w.new_local(occasions.load())
        w.store(occasions, occasion + 1)
        state = module.root + line.load() + occasion * const(GOLDEN_GAMMA)
        word = w.new_local(_mix_inline(w, state))
        is_small = limit.operate("lt_u", SMALL_LIMIT)
        with w.when(word.operate("lt_u", const(UNBIASED_BELOW)) & is_small):
            w.give_result(word.operate("rem_u", limit))
        end = const(0) - (const(0) - limit).operate("rem_u", limit)
        w.give_result(draw_word(module, line.load(), occasion, end).operate("rem_u", limit))

    if isinstance(limit, Code) and limit.constant is None:
        return module.call_shared("draw below", write, line, limit)
    number = limit if isinstance(limit, int) else limit.constant
    return module.call_shared(("draw below", number), lambda w, line: write(w, line, const(number or 0)), line)


def count_occasion(w: FunctionWriter, module: KernelModule, address: str) -> Variable:
    """Number of earlier requests of a line; counts one more."""
    place = const(module.find_occasions(address))
    occasion = w.new_local(place.load())
    w.store(place, occasion + 1)
    return occasion


@kernel_function
def shuffle(w: FunctionWriter, module: KernelModule, line: Code, members: Code) -> None:
    """Members in random order: the digits of a random number below the factorial of their number."""
    count = w.new_local(members.load())
    module.require(w, count <= _MAX_SHUFFLED, "a shuffle of very many")
    module.charge(w, count * 8 + 64)
    rest = w.new_local(copy_sequence(module, members))
    result = w.new_local(module.allocate(count + 1))
    w.store(result, count)
    row = w.new_local(const(module.place_table("shuffles", _tabulate_shuffles)) + count * (_SHUFFLE_ROW * 8))
    words, number = w.new_local(row.load()), w.new_local(module.allocate(2 * _SHUFFLE_ROW))
    occasions = w.new_local(line.load(8))
    state = w.new_local(module.root + line.load() + occasions.load() * const(GOLDEN_GAMMA))
    w.store(occasions, occasions.load() + 1)
    drawn, at, is_below = w.new_local(0), w.new_local(), w.new_local()
    word = w.new_local(mix(module, state))
    limbs = w.new_local(words << 1)
    _store_halves(w, number, const(0), word)
    with w.when(~(words.eq(1) & (row.load(8).ne(0) | word.operate("lt_u", row.load(16))))), w.loop() as again:
        w.set(at, 0)
        w.set(is_below, row.load(8))
        decided = w.new_local(row.load(8))
        with w.until(at >= words):
            w.set(word, mix(module, state ^ mix(module, drawn + at)))
            bound = (row + (at << 3)).load(16)
            with w.when(decided.is_zero() & word.ne(bound)):
                w.set(is_below, word.operate("lt_u", bound).as_flag())
                w.set(decided, 1)
            _store_halves(w, number, at, word)
            w.set(at, at + 1)
        w.set(drawn, drawn + words)
        w.leave(again, is_below.is_zero())
    _deal_by_digits(w, rest, result, count, number, limbs)
    w.give_result(result)


def _tabulate_shuffles() -> list[int]:
    table, factorial = [], 1
    for count in range(_MAX_SHUFFLED + 1):
        factorial *= max(1, count)
        words = -(-(factorial.bit_length() + _SPARE_BITS) // _WORD_BITS)
        end = (1 << _WORD_BITS * words) // factorial * factorial
        parts = [end >> _WORD_BITS * (words - 1 - at) & (1 << _WORD_BITS) - 1 for at in range(words)]
        table += [words, int(end == 1 << _WORD_BITS * words), *parts, *[0] * (_SHUFFLE_ROW - 2 - words)]
    return table


_SHUFFLE_ROW = 8


def _store_halves(w: FunctionWriter, number: Code, at: Code, word: Code) -> None:
    """Halves of the word at an index, the high one first, as limbs of 32 bits in words of their own."""
    place = w.new_local(number + (at << 4))
    w.store(place, word >> 32)
    w.store(place, word & 0xFFFFFFFF, 8)


def _deal_by_digits(  # noqa: PLR0913, PLR0917
    w: FunctionWriter, rest: Variable, result: Variable, count: Variable, number: Variable, limbs: Variable
) -> None:
    """Takes members at the digits of a number to the bases of how many are left, several digits a division."""
    left, dealt = w.new_local(count), w.new_local(0)
    first = w.new_local(0)
    with w.until(left.is_zero()):
        base, digits, next_left = w.new_local(left), w.new_local(1), w.new_local(left - 1)
        with w.until((next_left <= 1) | (base * next_left).operate("gt_u", 1 << 31)):
            w.set(base, base * next_left)
            w.set(digits, digits + 1)
            w.set(next_left, next_left - 1)
        remainder = w.new_local(0)
        with w.count(first, limbs) as at:
            place = w.new_local(number + (at << 3))
            w.set(remainder, (remainder << 32) | place.load())
            w.store(place, remainder.operate("div_u", base))
            w.set(remainder, remainder.operate("rem_u", base))
        with w.when((first < limbs) & (number + (first << 3)).load().is_zero()):
            w.set(first, first + 1)
        with w.until(digits.is_zero()):
            digit = w.new_local(remainder.operate("rem_u", left))
            w.set(remainder, remainder.operate("div_u", left))
            place = w.new_local(rest + (digit << 3))
            w.set(dealt, dealt + 1)
            w.store(result + (dealt << 3), place.load(8))
            w.copy_words(place + 8, place + 16, left - digit - 1)
            w.set(left, left - 1)
            w.set(digits, digits - 1)


# Order of values.


def compare(module: KernelModule, shape: Shape, first: Code, second: Code) -> Code:
    """Below, equal to or above 0, as the first value comes before, is, or comes after the second."""
    key = "compare", shape
    if (
        isinstance(shape, Scalar | DieShape | PoolShape)
        and isinstance(first, Variable)
        and isinstance(second, Variable)
    ):
        return (first > second).as_flag() - (first < second).as_flag()

    def write(w: FunctionWriter, first: Variable, second: Variable) -> None:
        with w.when(first.eq(second)):
            w.give_result(const(0))
        if not isinstance(shape, Scalar | DieShape | PoolShape):
            with w.when(first.eq(NONE_CODE)):
                w.give_result(const(-1))
            with w.when(second.eq(NONE_CODE)):
                w.give_result(const(1))
        match shape:
            case Scalar() | DieShape() | PoolShape():
                w.give_result((first > second).as_flag() - (first < second).as_flag())
            case Bits():
                _compare_bits(w, first, second)
            case SequenceShape(item):
                count, other = w.new_local(first.load()), w.new_local(second.load())
                with w.count(0, select(count, other, count < other)) as at:
                    _compare_words(w, module, item, (first + (at << 3), second + (at << 3)), 8)
                w.give_result((count > other).as_flag() - (count < other).as_flag())
            case Parts(parts):
                for number, part in enumerate(parts):
                    _compare_words(w, module, part, (first, second), 8 * number)
                w.give_result(const(0))
            case DenseMap(keys, value):
                with w.count(0, keys + 1) as at:
                    _compare_words(w, module, value, (first + (at << 3), second + (at << 3)), 0)
                w.give_result(const(0))
            case EntryMap(key_shape, value):
                count = w.new_local(first.load(8))
                with w.when(count.ne(second.load(8))):
                    w.give_result(const(1))
                _compare_words(w, module, value, (first, second), 0)
                with w.count(0, count) as at:
                    pair = first + (at << 4), second + (at << 4)
                    _compare_words(w, module, key_shape, pair, 16)
                    _compare_words(w, module, value, pair, 24)
                w.give_result(const(0))

    return module.call_shared(key, write, first, second)


def _compare_words(w: FunctionWriter, module: KernelModule, shape: Shape, pair: tuple[Code, Code], offset: int) -> None:
    result = w.new_local(compare(module, shape, pair[0].load(offset), pair[1].load(offset)))
    with w.when(result.ne(0)):
        w.give_result(result)


def _compare_bits(w: FunctionWriter, first: Variable, second: Variable) -> None:
    """By the members in order: behind the lowest that only one has, the other has more or ends."""
    differ = w.new_local(first ^ second)
    low = w.new_local(differ & (const(0) - differ))
    has = (first & low).ne(0)
    w.give_result(choose(has, select(-1, 1, (second >= low)), select(1, -1, (first >= low))))


def are_equal(module: KernelModule, shape: Shape, first: Code, second: Code) -> Code:
    """Test whether two values are the same."""
    if isinstance(shape, Scalar | Bits | DieShape | PoolShape):
        return first.eq(second)
    return compare(module, shape, first, second).is_zero()


def is_before(module: KernelModule, shape: Shape, first: Code, second: Code) -> Code:
    """Test whether a value comes before another."""
    if isinstance(shape, Scalar | DieShape):
        return first < second
    return compare(module, shape, first, second) < 0


# Sequences: a length, then the members.


class SequenceWriter:
    """A new sequence that is filled member by member."""

    def __init__(self, w: FunctionWriter, module: KernelModule, most: Code | int) -> None:
        self._w, words = w, most + 1
        self._start, self.count = w.new_local(module.allocate(words)), w.new_local(0)

    def append(self, member: Code) -> None:
        """Code that adds a member."""
        self._w.set(self.count, self.count + 1)
        self._w.store(self._start + (self.count << 3), member)

    def finish(self) -> Variable:
        """The sequence, once its length is written."""
        self._w.store(self._start, self.count)
        return self._start


@kernel_function
def nth_member(w: FunctionWriter, _: KernelModule, bits: Code, number: Code) -> None:
    """Member of a set in one word by its position from 0."""
    with w.until(number.is_zero()):
        w.set(bits, bits & (bits - 1))
        w.set(number, number - 1)
    w.give_result(bits.count_trailing_zeros())


@kernel_function
def list_positions(w: FunctionWriter, module: KernelModule, items: Code, bits: Code) -> None:
    """Sequence of the items at some positions."""
    listed = SequenceWriter(w, module, bits.count_bits())
    with w.each_bit(bits) as at:
        listed.append((items + (at << 3)).load(8))
    w.give_result(listed.finish())


@kernel_function
def copy_sequence(w: FunctionWriter, module: KernelModule, members: Code) -> None:
    words = w.new_local(members.load() + 1)
    new = w.new_local(module.allocate(words))
    w.copy_words(new, members, words)
    w.give_result(new)


@kernel_function
def find_member(w: FunctionWriter, module: KernelModule, item: Shape, members: Code, member: Code) -> None:
    """Index of the first such member from 0, or -1."""
    with w.count(0, members.load()) as at:
        found = are_equal(module, item, (members + (at << 3)).load(8), member)
        with w.when(found):
            w.give_result(at)
    w.give_result(const(-1))


@kernel_function
def without_index(w: FunctionWriter, module: KernelModule, members: Code, index: Code) -> None:
    """Members but the one at an index from 0; all if it is -1."""
    with w.when(index < 0):
        w.give_result(members)
    count = w.new_local(members.load())
    new = w.new_local(module.allocate(count))
    w.store(new, count - 1)
    w.copy_words(new + 8, members + 8, index)
    w.copy_words(new + 8 + (index << 3), members + 16 + (index << 3), count - 1 - index)
    w.give_result(new)


@kernel_function
def with_index(w: FunctionWriter, module: KernelModule, members: Code, index: Code, member: Code) -> None:
    """Members with another before the one at an index from 0."""
    count = w.new_local(members.load())
    new = w.new_local(module.allocate(count + 2))
    w.store(new, count + 1)
    w.copy_words(new + 8, members + 8, index)
    w.store(new + (index << 3), member, 8)
    w.copy_words(new + 16 + (index << 3), members + 8 + (index << 3), count - index)
    w.give_result(new)


@kernel_function
def count_before(w: FunctionWriter, module: KernelModule, item: Shape, members: Code, member: Code) -> None:
    """Number of members of an ordered sequence that come before another."""
    with w.count(0, members.load()) as at:
        before = is_before(module, item, (members + (at << 3)).load(8), member)
        with w.when(~before):
            w.give_result(at)
    w.give_result(members.load())


@kernel_function
def append(w: FunctionWriter, module: KernelModule, members: Code, member: Code) -> None:
    """Members with one more at the end."""
    w.give_result(with_index(module, members, members.load(), member))


@kernel_function
def join(w: FunctionWriter, module: KernelModule, first: Code, second: Code) -> None:
    count, other = w.new_local(first.load()), w.new_local(second.load())
    new = w.new_local(module.allocate(count + other + 1))
    w.store(new, count + other)
    w.copy_words(new + 8, first + 8, count)
    w.copy_words(new + 8 + (count << 3), second + 8, other)
    w.give_result(new)


@kernel_function
def sort_in_place(
    w: FunctionWriter, module: KernelModule, item: Shape, members: Code, *, is_descending: bool = False
) -> None:
    """Sorts members that are not shared, equal ones as they lie; gives them back."""
    count = w.new_local(members.load())
    module.charge(w, (count * count) >> 1)
    with w.count(2, count + 1) as end:
        member, at = w.new_local((members + (end << 3)).load()), w.new_local(members + (end << 3))
        with w.block() as placed, w.loop() as again:
            w.leave(placed, at.operate("le_u", members + 8))
            before = w.new_local((at - 8).load())
            order = (before, member) if is_descending else (member, before)
            w.leave(placed, ~is_before(module, item, *order))
            w.store(at, before)
            w.set(at, at - 8)
            w.leave(again)
        w.store(at, member)
    w.give_result(members)


@kernel_function
def remove_repeated(w: FunctionWriter, module: KernelModule, item: Shape, members: Code, *, is_sorted: bool) -> None:
    """Removes members that were there before, in place; gives them back."""
    kept, count = w.new_local(0), w.new_local(members.load())
    with w.count(0, count) as at:
        member = w.new_local((members + (at << 3)).load(8))
        w.store(members, kept)
        if is_sorted:
            last = (members + (kept << 3)).load()
            is_new = choose(kept.is_zero(), test_const(value=True), ~are_equal(module, item, last, member))
        else:
            is_new = find_member(module, item, members, member) < 0
        with w.when(is_new):
            w.set(kept, kept + 1)
            w.store(members + (kept << 3), member)
    w.store(members, kept)
    w.give_result(members)


def make_sorted_set(module: KernelModule, item: Shape, members: Code) -> Code:
    """Set of members that are not shared."""
    return remove_repeated(module, item, sort_in_place(module, item, members), is_sorted=True)


@kernel_function
def unite(w: FunctionWriter, module: KernelModule, item: Shape, first: Code, second: Code) -> None:
    """Set of the members of two ordered sets."""
    with w.when(first.load().is_zero()):
        w.give_result(second)
    with w.when(second.load().is_zero()):
        w.give_result(first)
    end, other_end = w.new_local(first + (first.load() << 3)), w.new_local(second + (second.load() << 3))
    new = w.new_local(module.allocate(first.load() + second.load() + 1))
    at, here, there, order = w.new_local(new), w.new_local(), w.new_local(), w.new_local()
    with w.until((first >= end) & (second >= other_end)):
        w.set(here, first.load(8))
        w.set(there, second.load(8))
        both = compare(module, item, here, there)
        w.set(order, choose(first >= end, const(1), choose(second >= other_end, const(-1), both)))
        w.set(at, at + 8)
        w.store(at, select(there, here, order > 0))
        w.set(first, first + ((order <= 0).as_flag() << 3))
        w.set(second, second + ((order >= 0).as_flag() << 3))
    w.store(new, (at - new) >> 3)
    w.give_result(new)


@kernel_function
def subtract(  # noqa: PLR0913
    w: FunctionWriter, module: KernelModule, item: Shape, first: Code, second: Code, *, once: bool
) -> None:
    """Members of the first that are not in the second; or with each of those taken out `once`."""
    module.charge(w, (first.load() + 1) * (second.load() + 2))
    if once:
        with w.count(0, second.load()) as at:
            index = find_member(module, item, first, (second + (at << 3)).load(8))
            w.set(first, without_index(module, first, index))
        w.give_result(first)
        return
    new, kept = w.new_local(copy_sequence(module, first)), w.new_local(0)
    with w.count(0, first.load()) as at:
        member = w.new_local((first + (at << 3)).load(8))
        with w.when(find_member(module, item, second, member) < 0):
            w.set(kept, kept + 1)
            w.store(new + (kept << 3), member)
    w.store(new, kept)
    w.give_result(new)


# Counting of answers.


@kernel_function
def binomial(w: FunctionWriter, module: KernelModule, upper: Code, lower: Code) -> None:
    """Number of choices of `lower` of `upper`; 0 where there is none."""

    def tabulate() -> list[int]:
        return [comb(n, k) for n in range(_MAX_BINOMIAL + 1) for k in range(_MAX_BINOMIAL + 1)]

    with w.when((lower < 0) | (upper < 0) | (lower > upper)):
        w.give_result(const(0))
    module.require(w, upper <= _MAX_BINOMIAL, "an answer of very many members")
    table = module.place_table("binomials", tabulate)
    w.give_result(((upper * (_MAX_BINOMIAL + 1) + lower) << 3).load(table))


def loop_kept_dice(w: FunctionWriter, module: KernelModule, pool: Code, use: Callable[[Variable], None]) -> None:
    """Code for each die of a pool that is kept."""
    layout = module.facts.dice
    start = w.new_local(pool + 8)
    end = w.new_local(start + (pool.load() * layout.size))
    kept_at = layout.offset("kept")
    with w.count(start, end, layout.size) as die:
        if kept_at is None:
            use(die)
        else:
            with w.when(die.load(kept_at).ne(0)):
                use(die)


def list_kept_dice(w: FunctionWriter, module: KernelModule, pool: Code) -> Variable:
    """Sequence of the dice of a pool that are kept."""
    kept = SequenceWriter(w, module, pool.load())
    loop_kept_dice(w, module, pool, kept.append)
    return kept.finish()


def loop_members(w: FunctionWriter, members: Code, use: Callable[[Variable], None]) -> None:
    """Code for each member of a sequence."""
    start = w.new_local(members)
    end = w.new_local(start + (start.load() << 3))
    with w.count(start, end, 8) as at:
        use(w.new_local(at.load(8)))
