"""WebAssembly for rolls and questions, with the random numbers that `InlineAnswerer` draws, and policies."""

from rulewright.odds.batch import collection_code, exhaustive_chance
from rulewright.odds.batch.collection_code import emit_binding_loop, emit_map_update, emit_min_or_max, emit_row_test
from rulewright.odds.batch.integer_encoding import MAX_NARROW_MEMBERS, BatchUnsupportedError
from rulewright.odds.batch.wasm_builder import WORD_BYTES, FunctionBody, emit_constant, emit_local
from rulewright.play.seeded_random import joint_dice_capacity, stream_offset
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.walk import list_lines_of_class, strip_address_numbers
from rulewright.runtime.generate.chance import list_faces

MAX_DICE_IN_MEMORY = 1 << 16
"""Room of a play for dice and list members, in words."""


def _emit_occasion(body: FunctionBody, address: str) -> str:
    at = body.module.place_words(("asked", strip_address_numbers(address)), lambda: [0], written=True)
    before = body.new_temporary(f"(i64.load (i32.const {at}))")
    body.add_line(f"(i64.store (i32.const {at}) (i64.add {emit_local(before)} (i64.const 1)))")
    return before


def _emit_draw(body: FunctionBody, address: str, part: str, occasion: str, limit: str | int) -> str:
    if body.module.is_exhaustive:
        return exhaustive_chance.emit_exhaustive_draw(limit if isinstance(limit, str) else emit_constant(limit))
    if isinstance(limit, str):
        return f"(call $drawn {emit_constant(stream_offset(address, part))} {emit_local(occasion)} {limit})"
    return f"(i64.rem_u {_emit_random_word(address, part, occasion, limit)} {emit_constant(limit)})"


def _emit_random_word(address: str, part: str, occasion: str, limit: int) -> str:
    over = emit_constant((1 << 64) // limit * limit % (1 << 64))
    return f"(call $word {emit_constant(stream_offset(address, part))} {emit_local(occasion)} {over})"


# Dice.


def emit_roll(body: FunctionBody, line: st.Roll) -> None:
    """Rolls dice of one sort into memory: a count, then the faces; the value is their address.

    Raises:
        BatchUnsupportedError: dice of several sorts, or some that explode or are kept.
    """
    if not line.is_plain:
        raise BatchUnsupportedError("dice of several sorts, or with options")
    (part,) = line.parts
    assert not isinstance(part.die, st.ComputedDie)
    faces = [_face_number(face) for face in list_faces(body.module.program, part.die)]
    if part.count is None and not body.module.is_exhaustive and exhaustive_chance.is_only_face_read(body, line):
        occasion, limit = _emit_occasion(body, line.address), joint_dice_capacity(len(faces))[1]
        word = _emit_random_word(line.address, f"{len(faces)}/0", occasion, limit)
        body.assign_variable(line.variable, _emit_face(body, f"(i64.rem_u {word} {emit_constant(len(faces))})", faces))
        body.face_variables.add(line.variable.index)
        return
    count = body.new_temporary(emit_constant(1) if part.count is None else body.emit_value(part.count))
    body.add_line(f"(if (i64.lt_s {emit_local(count)} (i64.const 0)) (then (local.set {count} (i64.const 0))))")
    body.emit_guard(
        f"(i64.le_s {emit_local(count)} (i64.const {_count_dice_groups(faces) * joint_dice_capacity(len(faces))[0]}))",
        _TOO_MANY_DICE,
    )
    if not body.module.is_exhaustive and exhaustive_chance.is_consumed_once(body, line, faces):
        number = body.new_temporary(emit_constant(0))
        body.emit_guard(
            f"(i64.le_s {emit_local(count)} {emit_constant(joint_dice_capacity(len(faces))[0])})", _TOO_MANY_DICE
        )
        with body.open_block(f"if (i64.gt_s {emit_local(count)} (i64.const 0)) (then"):
            occasion, limit = _emit_occasion(body, line.address), joint_dice_capacity(len(faces))[1]
            body.add_line(f"(local.set {number} {_emit_draw(body, line.address, f'{len(faces)}/0', occasion, limit)})")
        body.add_line(")")
        body.digit_pools[line.variable.index] = count, number, faces
        return
    dice_address = f"(call {body.module.request_library_function('space')} (i64.add {emit_local(count)} (i64.const 2)))"
    pool = body.new_temporary(f"(i64.add {dice_address} (i64.const {WORD_BYTES}))")
    body.add_line(
        f"(i64.store (i32.wrap_i64 (i64.sub {emit_local(pool)} (i64.const {WORD_BYTES}))) {emit_constant(_list_face_sorts(body).index(faces))})"
    )
    body.add_line(f"(i64.store (i32.wrap_i64 {emit_local(pool)}) {emit_local(count)})")
    with body.open_block(f"if (i64.gt_s {emit_local(count)} (i64.const 0)) (then"):
        _emit_first_throw(
            body, line, f"(i64.add {emit_local(pool)} (i64.const {WORD_BYTES}))", emit_local(count), faces
        )
    body.add_line(")")
    body.assign_variable(
        line.variable,
        emit_local(pool) if part.count is not None else f"(i64.add {emit_local(pool)} (i64.const {WORD_BYTES}))",
    )


_TOO_MANY_DICE = "a roll of very many dice"


def _count_dice_groups(faces: list[int]) -> int:
    return -(-64 // joint_dice_capacity(len(faces))[0])


def _emit_first_throw(body: FunctionBody, line: st.Roll, first: str, count: str, faces: list[int]) -> None:
    if body.module.is_exhaustive:
        exhaustive_chance.emit_exhaustive_roll(body, line, first, count, faces)
    else:
        _emit_throw(body, line.address, first, count, faces)


def _emit_throw(body: FunctionBody, address: str, first: str, count: str, faces: list[int]) -> None:
    several, limit = joint_dice_capacity(len(faces))
    occasion, at = _emit_occasion(body, address), body.new_temporary(first)
    end = body.new_temporary(f"(i64.add {emit_local(at)} (i64.shl {count} (i64.const 3)))")
    over = body.new_label()
    number, stop = body.new_temporary(), body.new_temporary()
    with body.open_block(f"block {over}"):
        for group in range(_count_dice_groups(faces)):
            body.add_line(f"(local.set {number} {_emit_draw(body, address, f'{len(faces)}/{group}', occasion, limit)})")
            body.add_line(f"(local.set {stop} (i64.add {emit_local(at)} {emit_constant(several * WORD_BYTES)}))")
            body.add_line(f"(local.set {stop} {emit_min_or_max(body, emit_local(stop), emit_local(end), least=True)})")
            _emit_faces_from_digits(body, at, stop, number, faces)
            body.add_line(f"(br_if {over} (i64.ge_u {emit_local(at)} {emit_local(end)}))")


def _emit_faces_from_digits(body: FunctionBody, at: str, end: str, number: str, faces: list[int]) -> None:
    size = emit_constant(len(faces))
    rest, digit = body.new_temporary(), body.new_temporary()
    with body.open_loop_until(f"(i64.ge_u {emit_local(at)} {emit_local(end)})"):
        body.add_line(f"(local.set {rest} (i64.div_u {emit_local(number)} {size}))")
        body.add_line(f"(local.set {digit} (i64.sub {emit_local(number)} (i64.mul {emit_local(rest)} {size})))")
        body.add_line(f"(local.set {number} {emit_local(rest)})")
        body.add_line(f"(i64.store (i32.wrap_i64 {emit_local(at)}) {_emit_face(body, emit_local(digit), faces)})")
        body.add_line(f"(local.set {at} (i64.add {emit_local(at)} (i64.const {WORD_BYTES})))")


def _emit_face(body: FunctionBody, digit: str, faces: list[int]) -> str:
    if faces == list(range(faces[0], faces[0] + len(faces))):
        return f"(i64.add {digit} {emit_constant(faces[0])})"
    base = body.module.emit_table_address(("faces", tuple(faces)), lambda: faces)
    return f"(i64.load (i32.add {base} (i32.shl (i32.wrap_i64 {digit}) (i32.const 3))))"


def _face_number(face: object) -> int:
    if not isinstance(face, int):
        raise BatchUnsupportedError("dice whose faces are neither numbers nor words")
    return face


def _list_face_sorts(body: FunctionBody) -> list[list[int]]:
    rolls = [roll for roll in list_lines_of_class(body.module.program, st.Roll) if roll.is_plain]
    items = [[_face_number(face) for face in list_faces(body.module.program, line.parts[0].die)] for line in rolls]  # type: ignore[arg-type]
    return [list(fromkey) for fromkey in dict.fromkeys(map(tuple, items))]


def emit_reroll(body: FunctionBody, line: st.Reroll) -> None:
    """Rolls a die or all dice of a pool again.

    Raises:
        BatchUnsupportedError: it is not known which dice they are.
    """
    if body.module.is_exhaustive:
        raise BatchUnsupportedError("dice that are thrown again")
    if not isinstance(line.dice.type, ty.PoolType | ty.DieType):
        raise BatchUnsupportedError("some dice of a roll are thrown again")
    which, sorts = body.new_temporary(body.emit_value(line.dice)), _list_face_sorts(body)
    if isinstance(line.dice.type, ty.DieType):
        if len(sorts) != 1:
            raise BatchUnsupportedError("one die of several sorts, or with options, is thrown again")
        _emit_throw(body, line.address, emit_local(which), emit_constant(1), sorts[0])
        return
    count = f"(i64.load (i32.wrap_i64 {emit_local(which)}))"
    sort = f"(i64.load (i32.wrap_i64 (i64.sub {emit_local(which)} (i64.const {WORD_BYTES}))))"
    for number, faces in enumerate(sorts):
        is_it = f"(i32.and (i64.gt_s {count} (i64.const 0)) (i64.eq {sort} {emit_constant(number)}))"
        with body.open_block(f"if {is_it} (then"):
            _emit_throw(body, line.address, f"(i64.add {emit_local(which)} (i64.const {WORD_BYTES}))", count, faces)
        body.add_line(")")


# Decisions.


def emit_question(body: FunctionBody, line: st.Ask) -> None:
    """Answers a question by the policy.

    Raises:
        BatchUnsupportedError: the policy does not answer such questions here.
    """
    if line.policies:
        raise BatchUnsupportedError("a player has a policy for one question")
    match line.shape:
        case st.Whether():
            answer = _emit_yes_no_question(body, line)
            body.assign_variable(line.variable, emit_local(answer))
            _emit_answer_branches(body, f"(i32.wrap_i64 {emit_local(answer)})", line)
        case st.Choose(options):
            possible = _emit_possible_options(body, line)
            if line.otherwise is None:
                body.emit_guard(f"(i64.ne {emit_local(possible)} (i64.const 0))", "a question without an answer")
            body.add_line(f"(if (i64.ne {emit_local(possible)} (i64.const 0)) (then")
            answer = _emit_picked_answer(body, line, possible, _OPTION_TYPE)
            body.module.unsupported_variables.add((body.address, line.variable.index))
            for number, option in enumerate(options):
                body.add_line(f"(if (i64.eq {emit_local(answer)} {emit_constant(number)}) (then")
                body.emit_block(option.block)
                body.add_line("))")
            body.add_line(") (else")
            body.emit_block(line.otherwise)
            body.add_line("))")
        case st.OneOf(ex.Binding((variable,), ex.Interval() as span, None)) if (
            variable is not None and not line.demands
        ):
            body.assign_variable(line.variable, _emit_number_answer(body, line, span))
            body.emit_block(line.block)
        case st.OneOf() | st.TurnHow():
            legal = _emit_legal_answers(body, line)
            item = ty.strip_optional(line.variable.type)
            several = body.new_temporary(collection_code.emit_set_size(body, item, emit_local(legal)))
            if line.otherwise is None:
                body.emit_guard(f"(i64.ne {emit_local(several)} (i64.const 0))", "a question without an answer")
            body.add_line(f"(if (i64.ne {emit_local(several)} (i64.const 0)) (then")
            body.assign_variable(line.variable, emit_local(_emit_picked_answer(body, line, legal, item)))
            body.emit_block(line.block)
            body.add_line(") (else")
            body.emit_block(line.otherwise)
            body.add_line("))")
        case _:
            raise BatchUnsupportedError("a question for several answers at once")


def _emit_answer_branches(body: FunctionBody, test_: str, line: st.Ask) -> None:
    body.add_line(f"(if {test_} (then")
    body.emit_block(line.block)
    body.add_line(") (else")
    body.emit_block(line.otherwise)
    body.add_line("))")


def _require_policy(body: FunctionBody) -> None:
    if not body.module.policy:
        raise BatchUnsupportedError("a question that no policy answers")


def _emit_yes_no_question(body: FunctionBody, line: st.Ask) -> str:
    _require_policy(body)
    assert isinstance(line.shape, st.Whether)
    answer = body.new_temporary(emit_constant(0))
    guard = "(i32.const 1)" if line.shape.guard is None else body.emit_test(line.shape.guard)
    with body.open_block(f"if {guard} (then"):
        emit_yes_no_answer(body, line.address, answer)
    body.add_line(")")
    return answer


def emit_yes_no_answer(body: FunctionBody, address: str, answer: str) -> None:
    """Sets a local to the flag that the policy answers.

    Raises:
        BatchUnsupportedError: there is no policy.
    """
    _require_policy(body)
    occasion = _emit_occasion(body, address)
    if body.module.policy == "first":
        body.add_line(f"(local.set {answer} (i64.const 1))")
    else:
        body.add_line(f"(local.set {answer} (i64.sub (i64.const 1) {_emit_draw(body, address, '', occasion, 2)}))")


def _emit_possible_options(body: FunctionBody, line: st.Ask) -> str:
    assert isinstance(line.shape, st.Choose)
    possible = body.new_temporary(emit_constant(0))
    for number, option in enumerate(line.shape.options):
        guard = "(i32.const 1)" if option.guard is None else body.emit_test(option.guard)
        body.add_line(
            f"(if {guard} (then (local.set {possible} (i64.or {emit_local(possible)} {emit_constant(1 << number)}))))"
        )
    return possible


def _emit_number_answer(body: FunctionBody, line: st.Ask, span: ex.Interval) -> str:
    _require_policy(body)
    low, high = body.new_temporary(body.emit_value(span.low)), body.emit_value(span.high)
    many = body.new_temporary(f"(i64.sub (i64.add {high} (i64.const 1)) {emit_local(low)})")
    body.emit_guard(f"(i64.gt_s {emit_local(many)} (i64.const 0))", "a question without an answer")
    with body.open_block(f"if (i64.gt_s {emit_local(many)} (i64.const 1)) (then"):
        occasion = _emit_occasion(body, line.address)
        if body.module.policy != "first":
            drawn = _emit_draw(body, line.address, "", occasion, emit_local(many))
            body.add_line(f"(local.set {low} (i64.add {emit_local(low)} {drawn}))")
    body.add_line(")")
    return emit_local(low)


_OPTION_TYPE = ty.NumberType(0, MAX_NARROW_MEMBERS - 1)
"""Options of a question by number."""


def _emit_legal_answers(body: FunctionBody, line: st.Ask) -> str:
    if isinstance(line.shape, st.TurnHow):
        direction_type = line.variable.type
        if not isinstance(direction_type, ty.DirectionType) or line.demands:
            raise BatchUnsupportedError("a turn on the plane")
        return body.new_temporary(emit_constant((1 << direction_type.count) - 1))
    assert isinstance(line.shape, st.OneOf)
    binding = line.shape.binding
    item = ty.strip_optional(line.variable.type)
    legal = collection_code.emit_empty_set(body, item)
    required = [demand for demand in line.demands if not demand.prefer]
    if len(required) != len(line.demands):
        raise BatchUnsupportedError("answers that are preferred")
    with emit_binding_loop(body, binding) as member:
        passes = "(i32.const 1)"
        for row in required:
            passes = f"(i32.and {passes} {emit_row_test(body, row, undecided=True)})"
        within = f"(i64.lt_u {emit_local(member)} {emit_constant(body.module.encoding.count_set_bits(item))})"
        body.emit_guard(within, "an answer out of bounds")
        body.add_line(f"(if {passes} (then {collection_code.emit_set_insert(body, item, legal, emit_local(member))}))")
    return legal


def _emit_picked_answer(body: FunctionBody, line: st.Ask, legal: str, item: ty.Type) -> str:
    _require_policy(body)
    many = body.new_temporary(collection_code.emit_set_size(body, item, emit_local(legal)))
    number = body.new_temporary(emit_constant(0))
    always = isinstance(line.shape, st.TurnHow) and not line.demands
    several = "(i32.const 1)" if always else f"(i64.gt_u {emit_local(many)} (i64.const 1))"
    with body.open_block(f"if {several} (then"):
        occasion = _emit_occasion(body, line.address)
        if body.module.policy != "first":
            body.add_line(f"(local.set {number} {_emit_draw(body, line.address, '', occasion, emit_local(many))})")
    body.add_line(")")
    return body.new_temporary(collection_code.emit_nth_member(body, item, emit_local(legal), emit_local(number)))


def emit_question_to_all(body: FunctionBody, line: st.AskAll) -> None:
    """Asks players one after the other; answers are assigned when the last is in."""
    question, answers = line.question, line.answers
    type_ = answers.type
    if not isinstance(type_, ty.MapType):
        raise TypeError(type_)
    shapes = body.module.encoding
    shapes.count_values(type_)
    (player,) = line.players.variables
    assert player is not None
    gathered = body.new_temporary(emit_constant(0))
    binding = ex.Binding(line.players.variables, line.players.source, None)
    if line.players.where is not None or not isinstance(question.shape, st.OneOf | st.Whether):
        raise BatchUnsupportedError("such a question to all")
    with emit_binding_loop(body, binding) as member:
        if isinstance(question.shape, st.Whether):
            answer = _emit_yes_no_question(body, question)
        else:
            legal, item = _emit_legal_answers(body, question), ty.strip_optional(question.variable.type)
            body.emit_guard(
                f"(i64.ne {collection_code.emit_set_size(body, item, emit_local(legal))} (i64.const 0))",
                "a question without an answer",
            )
            answer = _emit_picked_answer(body, question, legal, item)
        new = emit_map_update(body, emit_local(gathered), emit_local(member), emit_local(answer), type_)
        body.add_line(f"(local.set {gathered} {new})")
    body.assign_variable(answers, emit_local(gathered))
