"""WebAssembly for rolls, re-rolls, draws and shuffles, with the random numbers that `InlineAnswerer` draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from rulewright.odds.kernel import exhaustive_chance, runtime_library as lib
from rulewright.odds.kernel.collection_loops import for_each_member
from rulewright.odds.kernel.kernel_module import KernelModule
from rulewright.odds.kernel.routine_code import RoutineCode, find_member_type
from rulewright.odds.kernel.value_shapes import NONE_CODE, WORD_BYTES, BatchUnsupportedError, DieShape, PoolShape
from rulewright.odds.kernel.wasm_assembler import Code, Variable, choose, const, select, test_const
from rulewright.play.seeded_random import joint_dice_capacity, stream_offset
from rulewright.program import types as ty
from rulewright.program.core import forms as core
from rulewright.program.roll_options import is_exploding
from rulewright.program.types import MAX_DICE

MAX_THROWN = 200
"""Dice of one throw; with more, a play is given back."""
TOO_MANY_DICE = "a roll of very many dice"


@dataclass(frozen=True)
class _Faces:
    """Faces of equal dice: how many, and the codes of those that are written out; others are numbers from 1."""

    size: Code
    codes: list[int] | None

    @property
    def key(self) -> object:
        return self.size.constant

    def at(self, module: KernelModule, digit: Code) -> Code:
        """The face with an index."""
        if self.codes is None:
            return digit + 1
        if self.codes == list(range(self.codes[0], self.codes[0] + len(self.codes))):
            return digit + self.codes[0]
        return (digit << 3).load(module.place_constant(self.codes))


def _find_unbiased_end(limit: int) -> int:
    """End of the words of which each number below a limit has as many; 0 stands for 2^64."""
    return (1 << 64) // limit * limit % (1 << 64)


class _FaceSource:
    """Faces of the dice of one size that one request throws, in order; 64 bits hold several."""

    def __init__(self, c: RoutineCode, address: str, faces: _Faces, occasion: Code, *, prefix: str = "") -> None:
        self._c, self._occasion = c, occasion
        self._size = faces.size
        self._number, self._left = c.w.new_local(), c.w.new_local(0)
        self._next = c.w.new_local(0)  # group
        known = faces.size.constant
        sizes = range(1, _MAX_COMPUTED_FACES + 1) if known is None else (known,)
        groups = 1 + max(-(-MAX_THROWN // joint_dice_capacity(size)[0]) for size in sizes)
        self._groups = groups if known is not None else _GROUPS_OF_COMPUTED
        rows = [self._make_row(address, prefix, size) for size in sizes]
        table = c.module.place_constant([word for row in rows for word in row])
        self._row: Code
        self._several: Code
        self._end: Code
        if known is None:
            row = c.w.new_local((faces.size - 1) * (len(rows[0]) * WORD_BYTES) + table)
            self._row, self._several, self._end = row, row.load(), row.load(WORD_BYTES)
        else:
            self._row, self._several, self._end = const(table), const(rows[0][0]), const(rows[0][1])

    def _make_row(self, address: str, prefix: str, size: int) -> list[int]:
        """Dice of one number, the end of the words that are taken, and the streams."""
        several, limit = joint_dice_capacity(size)
        offsets = [stream_offset(address, f"{prefix}{size}/{group}") for group in range(self._groups)]
        return [several, _find_unbiased_end(limit), *offsets]

    def _draw(self, group: Code) -> Code:
        offset = (self._row + (group << 3)).load(2 * WORD_BYTES)
        return lib.draw_word(self._c.module, offset, self._occasion, self._end)

    def next_digit(self) -> Variable:
        """Index of the next face."""
        w, module = self._c.w, self._c.module
        digit, rest = w.new_local(), w.new_local()
        if module.is_exhaustive:
            w.set(digit, exhaustive_chance.choose_evenly(module, self._size))
            return digit
        with w.when(self._left.is_zero()):
            self._c.require(self._next < self._groups, TOO_MANY_DICE)
            w.set(self._number, self._draw(self._next))
            w.set(self._next, self._next + 1)
            w.set(self._left, self._several)
        w.set(self._left, self._left - 1)
        w.set(rest, self._number.operate("div_u", self._size))
        w.set(digit, self._number - rest * self._size)
        w.set(self._number, rest)
        return digit

    def digit_at(self, position: Code) -> Variable:
        """Index of the face of a die by its number in the stream."""
        c, w = self._c, self._c.w
        digit = w.new_local()
        if c.module.is_exhaustive:
            w.set(digit, exhaustive_chance.choose_evenly(c.module, self._size))
            return digit
        group = w.new_local(position.operate("div_u", self._several))
        at = w.new_local(position.operate("rem_u", self._several))
        c.require(group < self._groups, TOO_MANY_DICE)
        w.set(self._number, self._draw(group))
        with w.until(at.is_zero()):
            w.set(self._number, self._number.operate("div_u", self._size))
            w.set(at, at - 1)
        w.set(digit, self._number.operate("rem_u", self._size))
        return digit


def _find_source(
    sources: dict[object, _FaceSource], c: RoutineCode, address: str, faces: _Faces, occasion: Code
) -> _FaceSource:
    """The source of dice of one size, made at its first use."""
    if faces.key not in sources:
        sources[faces.key] = _FaceSource(c, address, faces, occasion)
    return sources[faces.key]


_MAX_COMPUTED_FACES = 100
"""Faces of a die whose number is computed; with more, a play is given back."""
_GROUPS_OF_COMPUTED = 6


def _list_face_codes(module: KernelModule, faces: Sequence[object], type_: core.CoreType) -> list[int]:
    item = ty.get_member_type(type_)  # type: ignore[arg-type]
    return [module.shapes.encode(face, item, module.place_constant) for face in faces]  # type: ignore[arg-type]


def _find_faces(c: RoutineCode, dice: core.DiceOf) -> _Faces:
    match dice.faces:
        case core.Const(value=faces):
            return _Faces(const(len(faces)), _list_face_codes(c.module, faces, dice.faces.type))
        case core.Op(name="numbered faces", arguments=(count,)):
            if c.module.facts.dice.offset("faces") is not None:
                raise BatchUnsupportedError("dice with a computed number of faces that are thrown again")
            size = c.held(count)
            c.require((size - 1).operate("lt_u", _MAX_COMPUTED_FACES), "dice with very many faces")
            return _Faces(size, None)
    raise BatchUnsupportedError("dice with computed faces")


def _place_faces(module: KernelModule, codes: list[int] | None) -> int:
    if codes is None or module.facts.dice.offset("faces") is None:
        return 0
    return module.place_constant([len(codes), *codes])


def emit_roll(c: RoutineCode, node: core.Roll, address: str) -> None:
    """Throws dice, lets them explode, and puts the pool, the die or the sums into the name of the result."""
    described = node.dice
    if described.members is not None:
        _emit_rank_roll(c, node, address)
        return
    if node.result.index in c.plain_dice and not c.module.is_exhaustive:
        _emit_plain_die(c, node, address)
        return
    if c.module.is_exhaustive:
        _emit_exhaustive_roll(c, node)
        return
    c.assign(node.result, _throw(c, described, address))


def _emit_exhaustive_roll(c: RoutineCode, node: core.Roll) -> None:
    """Equal dice without options, those that look alike told apart only by their number."""
    dice, *others = node.dice.dice
    if others or dice.options or dice.advantage is not None or node.dice.options or dice.called is not None:
        raise BatchUnsupportedError("dice of several sorts, or with options")
    faces = _find_faces(c, dice)
    if faces.codes is None or not isinstance(dice.faces, core.Const):
        raise BatchUnsupportedError("dice with a computed number of faces")
    module, w = c.module, c.w
    count = c.hold(const(1) if dice.count is None else c.value(dice.count))
    count = c.hold(select(0, count, count < 0))
    c.require(count <= MAX_THROWN, TOO_MANY_DICE)
    part = const(NONE_CODE) if dice.called is None else c.held(dice.called)
    pool = w.new_local(module.allocate(count * (module.facts.dice.size // WORD_BYTES) + 1))
    w.store(pool, count)
    at = w.new_local(pool + WORD_BYTES)
    with w.when(count.ne(0)):
        exhaustive_chance.emit_roll_by_looks(c, node, at, count, dice.faces.value, faces.codes, part)
    is_single = dice.count is None
    if node.result.index in c.plain_dice:
        c.assign(node.result, (pool + WORD_BYTES).load())
    else:
        c.assign(node.result, pool + WORD_BYTES if is_single else pool)


def _emit_plain_die(c: RoutineCode, node: core.Roll, address: str) -> None:
    (dice,) = node.dice.dice
    faces = _find_faces(c, dice)
    known = faces.size.constant
    if known is not None:
        limit = joint_dice_capacity(known)[1]
        occasion = lib.count_occasion(c.w, c.module, address)
        offset = stream_offset(address, f"{known}/0")
        word = lib.draw_word(c.module, const(offset), occasion, const(_find_unbiased_end(limit)))
        digit: Code = word.operate("rem_u", known)
    else:
        digit = _FaceSource(c, address, faces, lib.count_occasion(c.w, c.module, address)).next_digit()
    c.assign(node.result, faces.at(c.module, digit))


@dataclass
class _Span:
    """Dice of one part of a roll: how many, their faces and options."""

    count: Code
    source: _FaceSource
    faces: _Faces
    options: "tuple[core.RollOptionOf | _Advantage, ...]"
    part: Code
    first: Variable | None = None  # address of the first die


def _throw(c: RoutineCode, described: core.RollOf, address: str) -> Code:
    module, w = c.module, c.w
    spans: list[_Span] = []
    total: Code = const(0)
    occasion = w.new_local(0)
    sources: dict[object, _FaceSource] = {}
    for dice in described.dice:
        faces = _find_faces(c, dice)
        if faces.codes is None and len(described.dice) > 1:
            raise BatchUnsupportedError("several dice with a computed number of faces")
        count = c.hold(const(1) if dice.count is None else c.value(dice.count))
        count = count if count.constant is not None else c.hold(select(0, count, count < 0))
        options: tuple[core.RollOptionOf | _Advantage, ...] = dice.options
        if dice.advantage is not None:
            net = c.held(dice.advantage)
            kept = w.new_local(count)
            best = c.hold((net > 0).as_flag())
            more = c.hold(select(net, const(0) - net, net > 0))
            spans_count = c.hold(select(count + more, 0, count > 0))
            options = (_Advantage(best, kept), *options)
            count = spans_count
        source = _find_source(sources, c, address, faces, occasion)
        part = const(NONE_CODE) if dice.called is None else c.held(dice.called)
        spans.append(_Span(count, source, faces, options, part))
        total = total + count
    total = c.hold(total)
    c.require(total <= MAX_THROWN, TOO_MANY_DICE)
    explosions = _find_explosions(c, described, spans)
    with w.when(total.ne(0)):
        w.set(occasion, lib.count_occasion(w, module, address))
    pool = w.new_local(module.allocate(total * (module.facts.dice.size // WORD_BYTES) + 1))
    w.store(pool, total)
    at = w.new_local(pool + WORD_BYTES)
    for span in spans:
        span.first = w.new_local(at)
        _throw_span(c, span, at)
    end = w.new_local(at)
    for span in spans:
        assert span.first is not None
        last = span.first + span.count * module.facts.dice.size
        for option in span.options:
            _apply_keep_or_drop(c, option, span.first, last)
    for option in described.options:
        _apply_keep_or_drop(c, option, pool + WORD_BYTES, end)
    _explode(c, explosions, pool, end, address, occasion)
    if described.dice[0].count is None and len(described.dice) == 1:
        return _first_kept(c, pool)
    return pool


@dataclass(frozen=True)
class _Advantage:
    """Keeping of the best dice if a flag holds, else of the worst."""

    best: Code
    kept: Code
    word: str = "keep"


def _throw_span(c: RoutineCode, span: _Span, at: Variable) -> None:
    w, layout = c.w, c.module.facts.dice
    faces = _place_faces(c.module, span.faces.codes)
    left = w.new_local(span.count)
    with w.until(left <= 0):
        face = w.new_local(span.faces.at(c.module, span.source.next_digit()))
        layout.store_die(w, at, face, span.part, faces)
        w.set(at, at + layout.size)
        w.set(left, left - 1)


def _first_kept(c: RoutineCode, pool: Variable) -> Code:
    kept = c.module.facts.dice.offset("kept")
    if kept is None:
        return pool + WORD_BYTES
    die, size = c.w.new_local(pool + WORD_BYTES), c.module.facts.dice.size
    end = c.w.new_local(die + pool.load() * size)
    with c.w.until((die >= end) | die.load(kept).ne(0)):
        c.w.set(die, die + size)
    return select(pool + WORD_BYTES, die, die >= end)


def _apply_keep_or_drop(c: RoutineCode, option: "core.RollOptionOf | _Advantage", first: Code, end: Code) -> None:
    if is_exploding(option.word):
        return
    if option.word not in {"keep", "drop"}:
        raise BatchUnsupportedError(f"dice with the option `{option.word}`")
    w, layout = c.w, c.module.facts.dice
    kept_at, first_at = layout.offset("kept") or 0, layout.offset("first") or 0
    if isinstance(option, _Advantage):
        is_best, many = option.best, option.kept
    else:
        is_best, many = const(int(option.best == "highest")), c.held(option.value)
    keeps = option.word == "keep"
    if keeps:
        c.require(many >= 0, "less than no dice are kept")
    first, end, left = c.hold(first), c.hold(end), w.new_local(many)
    # Chosen dice are marked by 2; of equal ones the earlier is kept, the later dropped.
    with w.until(left <= 0) as over:
        chosen = w.new_local(0)
        with w.count(first, end, layout.size) as die, w.when(die.load(kept_at).eq(1)):
            face, other = die.load(first_at), chosen.load(first_at)
            better = choose(is_best.ne(0), face > other, face < other)
            is_it = chosen.is_zero() | better if keeps else chosen.is_zero() | better | face.eq(other)
            with w.when(is_it):
                w.set(chosen, die)
        w.leave(over, chosen.is_zero())
        w.store(chosen, 2, kept_at)
        w.set(left, left - 1)
    with w.count(first, end, layout.size) as die, w.when(die.load(kept_at).ne(0)):
        w.store(die, die.load(kept_at).eq(2 if keeps else 1).as_flag(), kept_at)


_Explosion = tuple[core.RollOptionOf, "_Span", Code, Code | None]
"""An option that lets dice explode, the dice, the face, and how often each at most."""


def _find_explosions(c: RoutineCode, described: core.RollOf, spans: list[_Span]) -> list[_Explosion]:
    parts = [(option, span) for span in spans for option in span.options]
    parts += [(option, span) for option in described.options for span in spans]
    return [
        (option, span, c.held(option.value), None if option.bound is None else c.held(option.bound))
        for option, span in parts
        if isinstance(option, core.RollOptionOf) and is_exploding(option.word)
    ]


def _explode(  # noqa: PLR0913, PLR0917
    c: RoutineCode, explosions: list[_Explosion], pool: Variable, end: Variable, address: str, occasion: Code
) -> None:
    """Adds the dice that explosions bring, behind the others; nothing else is put on the heap meanwhile."""
    w, module = c.w, c.module
    exploded, last = w.new_local(0), w.new_local(end)
    kept_at, size = module.facts.dice.offset("kept"), module.facts.dice.size
    for option, span, value, bound in explosions:
        source = _FaceSource(c, address, span.faces, occasion, prefix="more/")
        assert span.first is not None
        faces = _place_faces(module, span.faces.codes)
        with w.count(span.first, span.first + span.count * size, size) as die:
            is_kept = test_const(value=True) if kept_at is None else die.load(kept_at).ne(0)
            face, rounds = w.new_local(die.load(module.facts.dice.offset("first") or 0)), w.new_local(0)
            with w.when(is_kept), w.block() as over, w.loop() as again:
                w.leave(over, ~(face >= value if option.best else face.eq(value)))
                if bound is not None:
                    w.leave(over, rounds >= bound)
                w.set(face, span.faces.at(module, source.digit_at(exploded)))
                w.set(exploded, exploded + 1)
                w.set(rounds, rounds + 1)
                w.drop(module.allocate(size // WORD_BYTES))
                module.facts.dice.store_die(w, last, face, span.part, faces)
                w.set(last, last + size)
                w.store(pool, pool.load() + 1)
                c.require(pool.load() <= MAX_DICE, TOO_MANY_DICE)
                w.leave(again)


def _emit_rank_roll(c: RoutineCode, node: core.Roll, address: str) -> None:
    """Sums of the dice of each tied member, in order."""
    described, module, w = node.dice, c.module, c.w
    assert described.members is not None
    if any(dice.options or dice.advantage is not None for dice in described.dice):
        raise BatchUnsupportedError("dice of a rank with options")
    members = c.hold(c.sequence(described.members))
    occasion = lib.count_occasion(w, module, address)
    all_faces = [_find_faces(c, dice) for dice in described.dice]
    if any(faces.codes is None for faces in all_faces):
        raise BatchUnsupportedError("dice of a rank with a computed number of faces")
    sources: dict[object, _FaceSource] = {}
    for faces in all_faces:
        _find_source(sources, c, address, faces, occasion)
    sums, at = w.new_local(module.allocate(members.load() + 1)), w.new_local(0)
    w.store(sums, members.load())
    total, differs = w.new_local(0), w.new_local(0)
    item = core.Get(core.Local(-1 - w.local_count, described.members.type), type=described.members.type, origin=None)
    c.variables[item.local.index] = w.new_local(members)

    def throw(_: object) -> None:
        found = w.new_local(0)
        for dice, faces in zip(described.dice, all_faces, strict=True):
            left = w.new_local(const(1) if dice.count is None else c.value(dice.count))
            if faces.size.constant != 1:
                w.set(differs, differs | (left > 0).as_flag())
            w.set(total, total + select(left, 0, left > 0))
            c.require(total <= MAX_THROWN, TOO_MANY_DICE)
            with w.until(left <= 0):
                w.set(found, found + faces.at(module, sources[faces.key].next_digit()))
                w.set(left, left - 1)
        w.set(at, at + 1)
        w.store(sums + (at << 3), found)

    for_each_member(c, item, described.names, throw)
    c.require(differs.ne(0), "dice that always fall alike can tell nobody apart")
    c.assign(node.result, sums)


def emit_reroll(c: RoutineCode, node: core.Reroll, address: str) -> None:
    """New faces for dice that lie, in order."""
    module, w, layout = c.module, c.w, c.module.facts.dice
    if module.is_exhaustive:
        raise BatchUnsupportedError("dice that are thrown again")
    shape = c.shape(node.dice)
    dice = c.held(node.dice)
    occasion, was_asked = w.new_local(0), w.new_local(0)
    by_size: dict[object, _FaceSource] = {}
    sources = []
    for codes in _list_all_faces(c):
        sort = _Faces(const(len(codes)), codes)
        source = _find_source(by_size, c, address, sort, occasion)
        sources.append((_place_faces(module, codes), sort, source))
    thrown = w.new_local(0)

    def throw(die: Code) -> None:
        with w.when(was_asked.is_zero()):
            w.set(was_asked, 1)
            w.set(occasion, lib.count_occasion(w, module, address))
        w.set(thrown, thrown + 1)
        c.require(thrown <= MAX_THROWN, TOO_MANY_DICE)
        faces_at, rerolls_at = layout.offset("faces") or 0, layout.offset("rerolls")
        for table, sort, source in sources:
            with w.when(die.load(faces_at).eq(table)):
                w.store(die, sort.at(module, source.next_digit()))
        if rerolls_at is not None:
            w.store(die, die.load(rerolls_at) + 1, rerolls_at)

    if isinstance(shape, DieShape):
        throw(dice)
    elif isinstance(shape, PoolShape):
        start = w.new_local(dice + WORD_BYTES)
        with w.count(start, start + dice.load() * layout.size, layout.size) as die:
            throw(die)
    else:
        lib.loop_members(w, dice, throw)


def _list_all_faces(c: RoutineCode) -> list[list[int]]:
    result = []
    for faces in c.module.facts.all_faces:
        if not all(isinstance(face, int) for face in faces):
            raise BatchUnsupportedError("dice without numbers are thrown again")
        result.append([int(face) for face in faces])  # type: ignore[call-overload]
    return result


# Decks and bags.


def draw_member(c: RoutineCode, type_: core.CoreType, members: Code, line: Code | int) -> Code:
    """The top card of a deck, or a random member."""
    members = c.hold(members)
    if isinstance(type_, ty.DeckType):
        return members.load(WORD_BYTES)
    w, module = c.w, c.module
    item = c.shape_of(find_member_type(type_))
    count, result = c.hold(members.load()), w.new_local(members.load(WORD_BYTES))
    differs = w.new_local(0)
    with w.count(1, count) as at, w.when(~lib.are_equal(module, item, (members + (at << 3)).load(8), result)):
        w.set(differs, 1)
    with w.when(differs.ne(0)):
        w.set(result, (members + (lib.draw_below(module, line, count) << 3)).load(8))
    return result
