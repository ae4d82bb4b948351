"""WebAssembly for exhaustive chance: depth-first enumeration of all sequences of choices, with their weights.

The play is repeated from its beginning for each sequence. A tape holds each choice and its number of alternatives; the
next sequence increments the last choice that has any left (an odometer). Rolls that look alike are one choice with
their number as weight. Behind the tape lie the denominators of the weights, then for each the counts of the measures.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import gcd
from typing import TYPE_CHECKING

from rulewright.odds.kernel.kernel_module import KernelModule, kernel_function
from rulewright.odds.kernel.value_shapes import WORD_BYTES, BatchUnsupportedError
from rulewright.odds.kernel.wasm_assembler import Code, FunctionWriter, Variable, choose, const, select
from rulewright.program.core import forms as core
from rulewright.program.core.dice_reads import list_changed_names
from rulewright.program.core.effects import get_store_place, list_read_places
from rulewright.program.core.walking import walk_forms, walk_statements
from rulewright.program.dice_observations import (
    FULLY_OBSERVED,
    DieObservations,
    compile_observer,
    substitute_observations,
)
from rulewright.runtime import control_flow as cf
from rulewright.runtime.dice import Die
from rulewright.runtime.frame_slots import FIRST_SLOT

if TYPE_CHECKING:
    from rulewright.odds.kernel.routine_code import RoutineCode

MAX_CHOICES_PER_PATH = 1 << 10
"""Length of the tape, in choices."""
MAX_DENOMINATORS = 32
"""Number of distinct denominators of path weights."""
_MAX_EXACT_DICE = 60
"""Dice whose multinomial weights fit 64 bits."""
_MAX_DIE_CONDITIONS = 60
"""Conditions on a die that are one bit each of a word of 64; some bits are left for its uses."""
_CHOICE_BYTES = 2 * WORD_BYTES
TAPE_BYTES = MAX_CHOICES_PER_PATH * _CHOICE_BYTES
ROWS_OFFSET = TAPE_BYTES + MAX_DENOMINATORS * WORD_BYTES
"""Offset of the counts from the begin of the tape."""
_TOO_MANY = "very many ways"


def _state(module: KernelModule) -> dict[str, Code]:
    """Globals: place on the tape and its end, weight and denominator of the path, number of denominators."""
    return {name: module.counter_beside(name) for name in ("at", "deep", "weight", "ways", "denominators")}


@kernel_function
def _choose(w: FunctionWriter, module: KernelModule, most: Code) -> None:
    """A number from 0 to `most`, each on a path of its own."""
    at, deep = (_state(module)[name] for name in ("at", "deep"))
    with w.when(most <= 0):
        w.give_result(const(0))
    found = w.new_local(0)
    with w.when(at < deep):
        w.set(found, at.load())
        w.otherwise()
        module.require(w, at < module.counts + TAPE_BYTES, _TOO_MANY)
        w.store(at, 0)
        w.store(at, most, WORD_BYTES)
        w.set(deep, at + _CHOICE_BYTES)
    w.set(at, at + _CHOICE_BYTES)
    w.give_result(found)


@kernel_function
def _multiply_denominator(w: FunctionWriter, module: KernelModule, times: Code, by: Code) -> None:
    ways = _state(module)["ways"]
    with w.until(times <= 0):
        fits = (ways.count_leading_zeros() + by.count_leading_zeros()) >= 66  # noqa: PLR2004
        module.require(w, fits, _TOO_MANY)
        w.set(ways, ways * by)
        w.set(times, times - 1)
    w.give_result(const(0))


@kernel_function
def _weigh(w: FunctionWriter, module: KernelModule, of: Code, many: Code, by: Code) -> None:
    """Multiplies the weight by the ways in which so many dice fall into a class."""
    weight, found = _state(module)["weight"], w.new_local(1)
    with w.count(0, many) as at:
        w.set(found, (found * (of - at)).operate("div_u", at + 1))
        w.set(weight, weight * by)
    w.set(weight, weight * found)
    w.give_result(const(0))


@kernel_function
def choose_evenly(w: FunctionWriter, module: KernelModule, limit: Code) -> None:
    """A path for every number below a limit."""
    w.drop(_multiply_denominator(module, const(1), limit))
    w.give_result(_choose(module, limit - 1))


# Rolls.


def emit_roll_by_looks(  # noqa: PLR0913, PLR0917
    c: "RoutineCode", node: core.Roll, at: Variable, count: Code, faces: Sequence[object], codes: list[int], part: Code
) -> None:
    """Dice in memory, those of one class beside each other: a path for each number of dice of each class.

    Raises:
        BatchUnsupportedError: dice are told apart.
    """
    w, module = c.w, c.module
    left = w.new_local(count)
    c.require(left <= _MAX_EXACT_DICE, "a roll of very many dice")
    sizes = dict(Counter(codes))
    by = gcd(*sizes.values())
    fulfilled = _find_face_classes(c, node, list(sizes))
    if fulfilled is None:
        sizes = _group_faces(c, node, faces, codes)
        by = gcd(*sizes.values())
        w.drop(_multiply_denominator(module, left, const(len(codes) // by)))
        for number, (face, size) in enumerate(sizes.items(), 1):
            many = w.new_local(left if number == len(sizes) else _choose(module, left))
            _lay(c, at, left, many, const(size // by), const(face), part)
        return
    _emit_roll_by_class(c, at, left, {face: size // by for face, size in sizes.items()}, fulfilled, part)


def _emit_roll_by_class(  # noqa: PLR0913, PLR0917
    c: "RoutineCode", at: Variable, left: Variable, sizes: Mapping[int, int], fulfilled: Sequence[Code], part: Code
) -> None:
    """As above, where only the conditions that a face fulfils matter: the first face stands for its class."""
    w, module = c.w, c.module
    sides = w.new_local(sum(sizes.values()))
    w.drop(_multiply_denominator(module, left, sides))
    many_of = list(sizes.values())
    for number, face in enumerate(sizes):
        same = [fulfilled[number].eq(each) for each in fulfilled]
        first = const(1).ne(0)
        for each in same[:number]:
            first = first & ~each
        size: Code = const(many_of[number])
        for other in range(number + 1, len(many_of)):
            size = size + select(many_of[other], 0, same[other])
        with w.when(first):
            here = w.new_local(size)
            w.set(sides, sides - here)
            many = w.new_local(choose(sides.is_zero(), left, _choose(module, left)))
            _lay(c, at, left, many, here, const(face), part)


def _lay(  # noqa: PLR0913, PLR0917
    c: "RoutineCode", at: Variable, left: Variable, many: Variable, size: Code, face: Code, part: Code
) -> None:
    w = c.w
    w.drop(_weigh(c.module, left, many, size))
    w.set(left, left - many)
    with w.until(many <= 0):
        c.module.facts.dice.store_die(w, at, face, part, 0)
        w.set(at, at + c.module.facts.dice.size)
        w.set(many, many - 1)


def _group_faces(c: "RoutineCode", node: core.Roll, faces: Sequence[object], codes: list[int]) -> dict[int, int]:
    """One face of each class that looks the same in every play, with the size of the class.

    Raises:
        BatchUnsupportedError: dice are told apart.
    """
    looks = _list_observations(c, node)
    if looks >= FULLY_OBSERVED:
        raise BatchUnsupportedError("dice that are told apart")
    result: dict[object, list[int]] = {}
    observe = compile_observer(looks)
    for face, code in zip(faces, codes, strict=True):
        die = Die(tuple(faces), face, face, 0, kept=True, part=None, model="", roll="")
        result.setdefault(observe(die), []).append(code)
    return {same[0]: len(same) for same in result.values()}


def _list_observations(c: "RoutineCode", node: core.Roll) -> DieObservations:
    executable = c.module.executable
    result: list[DieObservations] = []
    for flow in range(len(executable.tables.flows)):
        for block in executable.liveness.list_blocks(flow):
            if isinstance(block.exit, cf.TakeChance) and block.exit.chance.statement.origin is node.origin:
                live = executable.liveness.live_slots_after(flow, block.exit.chance.then, frozenset())
                seen = FULLY_OBSERVED if live is None else live.get(FIRST_SLOT + node.result.index, frozenset())
                result.append(substitute_observations(seen, {}))
    return frozenset().union(*result) if result else FULLY_OBSERVED


def _find_face_classes(c: "RoutineCode", node: core.Roll, codes: list[int]) -> list[Code] | None:
    """For each face the set of conditions that it fulfils, as bits; none where more is asked of the dice."""
    conditions = _list_conditions(c, node)
    if conditions is None or len(conditions) > _MAX_DIE_CONDITIONS:
        return None
    result: list[Code] = []
    plain = c.plain_dice
    with c.w.capture() as pieces:
        for code in codes:
            fulfilled = c.w.new_local(0)
            for number, (die, test) in enumerate(conditions):
                c.plain_dice, before = plain | {die.index}, c.known.get(die.index)
                c.known[die.index] = const(code)
                c.w.set(fulfilled, fulfilled | (c.test(test).as_flag() << number))
                del c.known[die.index]
                if before is not None:
                    c.known[die.index] = before
            result.append(fulfilled)
    c.plain_dice = plain
    c.w.pieces += pieces
    return result


def _list_conditions(c: "RoutineCode", node: core.Roll) -> list[tuple[core.Local, core.Expression]] | None:
    """What a pool is asked for: all that is counted, or is there, among its dice."""
    pool, routine = node.result, c.routine
    if pool.index in c.shared or node.dice.dice[0].count is None:
        return None
    mentions, result = 0, list[tuple[core.Local, core.Expression]]()
    for form in walk_forms(routine):
        match form:
            case core.Get(local=local) if local == pool:
                mentions += 1
            case core.Op(
                name="count of", arguments=(core.Op(name="kept dice", arguments=(core.Get(local=local),)),)
            ) if local == pool:
                mentions -= 1
            case core.Over(
                names=(name,), source=core.Op(name="kept dice", arguments=(core.Get(local=local),)), gather=gather
            ) if local == pool and gather in {"count", "some", "no", "every"}:
                mentions -= 1
                tests = [each for each in (form.where, form.value) if each is not None]
                if tests and name is None:
                    return None
                result += [(name, each) for each in tests if name is not None]
    if mentions:
        return None
    changed = _find_changed_names(routine, node)
    return result if all(_is_stable(c, die, test, changed) for die, test in result) else None


def _find_changed_names(routine: core.Routine, node: core.Roll) -> set[int]:
    """Indices of the names that may change once the dice are thrown."""
    statements = [*walk_statements(routine)]
    if not any(isinstance(each, core.Loop | core.For | core.Jump) for each in statements):
        statements = statements[next(at for at, each in enumerate(statements) if each is node) :]
    return set(list_changed_names(tuple(statements)))


def _is_stable(c: "RoutineCode", die: core.Local, test: core.Expression, changed: set[int]) -> bool:
    """Whether a condition on a die reads only its face and what nothing changes."""
    facts = c.module.facts
    roots = (place.root for places in facts.stores.values() for place in places)
    written = {get_store_place(root) for root in roots if not isinstance(root, core.Local)}
    waiting: list[core.Value] = [test]
    seen = set[str]()
    looks = 0
    while waiting:
        for form in walk_forms(waiting.pop()):
            match form:
                case core.Wanted():
                    return False
                case core.Get(local=local) if local == die:
                    looks += 1
                case core.Op(name="die", facts=("natural" | "face",), arguments=(core.Get(local=local),)) if (
                    local == die
                ):
                    looks -= 1
                case core.Get(local=local) if local.index in changed:
                    return False
                case core.Load(root=core.Due() | core.Held()) | core.Op(name="occupants" | "connected" | "gone among"):
                    return False
                case core.Load() if not written.isdisjoint(list_read_places(form)):
                    return False
                case core.Apply(routine=key) if key not in seen:
                    seen.add(key)
                    waiting += [
                        each for each in walk_forms(facts.program.routines[key].entry) if isinstance(each, core.Value)
                    ]
    return looks == 0


# The paths.


@kernel_function
def find_row(w: FunctionWriter, module: KernelModule, row_bytes: int) -> None:
    """Address of the counts of the paths with the denominator of this one."""
    state = _state(module)
    many, number = state["denominators"], w.new_local(0)
    start = w.new_local(module.counts + TAPE_BYTES)
    with w.until(number >= many) as found:
        w.leave(found, (start + (number << 3)).load().eq(state["ways"]))
        w.set(number, number + 1)
    row = w.new_local(module.counts + ROWS_OFFSET + number * row_bytes)
    with w.when(number >= many):
        module.require(w, number < MAX_DENOMINATORS, _TOO_MANY)
        w.store(start + (number << 3), state["ways"])
        with w.count(row, row + row_bytes, WORD_BYTES) as at:
            w.store(at, 0)
        w.set(many, many + 1)
    w.give_result(row)


def get_weight(module: KernelModule) -> Code:
    return _state(module)["weight"]


def write_path_loop(module: KernelModule, begin: "Sequence[bytes] | None", play: bytes) -> None:
    """Exported `ways(most)`: runs all paths and gives their number, 0 if there are more than `most`."""
    function = module.writer.reserve_function(1)
    w = FunctionWriter(1)
    most, state = w.parameter(0), _state(module)
    played, last = w.new_local(0), w.new_local(0)
    w.set(state["denominators"], 0)
    w.set(state["deep"], module.counts)
    with w.loop() as again:
        w.pieces += begin or ()
        w.set(state["at"], module.counts)
        w.set(state["weight"], 1)
        w.set(state["ways"], 1)
        w.emit(play)
        w.set(played, played + 1)
        with w.block() as done, w.loop() as back:
            w.leave(done, state["deep"].eq(module.counts))
            w.set(last, state["deep"] - _CHOICE_BYTES)
            with w.when(last.load() < last.load(WORD_BYTES)):
                with w.when(played >= most):
                    w.give_result(const(0))
                w.store(last, last.load() + 1)
                w.leave(again)
            w.set(state["deep"], last)
            w.leave(back)
    w.give_result(played)
    module.write_pending()
    module.writer.bodies[function] = w.encode_body()
    module.writer.export_function("ways", function)
