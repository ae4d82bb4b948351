"""Python for chance: dice, draws, shuffles, and ranks that roll for tied members."""

from collections.abc import Callable

from rulewright.program import statements as st
from rulewright.program.declarations import Program
from rulewright.program.types import PAIRED_FACES, DeckType, DieType, ListType, MapType, PoolType
from rulewright.program.wording import is_simple_path
from rulewright.runtime import flow_graph as g
from rulewright.runtime.dice import RANK_SLOTS, DiceGroup, Die, PlainRollDescriptions, RollDescription, RollOptionKind
from rulewright.runtime.event_engine import PAUSE
from rulewright.runtime.generate import expressions, loops
from rulewright.runtime.generate.lowered_lines import resolve_line_place
from rulewright.runtime.generate.places import emit_mark_changed, emit_store
from rulewright.runtime.generate.writer import CONTROL_CODE, FRAME_BLOCK_CODE, ROLLS_CODE, BlockFlow, FunctionBuilder
from rulewright.runtime.request import SourcePoint
from rulewright.runtime.state import evaluate_constant

CHANCE_LINE_SORTS: dict[type, str] = {st.Roll: "roll", st.Reroll: "roll", st.Draw: "draw", st.Shuffle: "shuffle"}


def emit_request_chance(body: FunctionBuilder, exit_: g.RequestChance, site: SourcePoint, flow: BlockFlow) -> None:
    """Requests dice or a draw; no dice and an only member need no request."""
    line = exit_.line
    by = line.learner if isinstance(line, st.Draw) else getattr(line, "by", None)
    body.add_line(f"p = {'None' if by is None else expressions.emit_unrecorded(body, by)}")
    match line:
        case st.Roll(is_plain=True):
            _emit_plain_roll(body, exit_, line, site, flow)
        case st.Roll():
            emit_roll_description(body, line)
            with body.indent_under(body.unless_insisted("count_initial_dice(W, x) == 0")):
                body.emit_ask("0", "None", "x")
                body.add_line(
                    f"{body.variable_place(line.variable)} = land_roll(W, (), {roll_name_constant(body, line)})"
                )
                body.emit_entry(site, body.variable_place(line.variable), "(p, True, ())")
                flow.go(body, exit_.then)
        case st.Reroll():
            body.add_line(
                f"x = select_reroll_dice(W, {expressions.emit_expression(body, line.dice)}, {reroll_scope(line)})"
            )
            with body.indent_under(body.unless_insisted("not x")):
                body.emit_entry(site, "None", "(p, True, ())")
                flow.go(body, exit_.then)
        case st.Draw():
            _emit_draw(body, exit_, line, site, flow)
        case st.Shuffle():
            body.add_line(f"x = {resolve_line_place(body, line).load}")
            with body.indent_under(body.unless_insisted("len(x) < 2")):
                body.emit_entry(site, "None", "(p, True, ())")
                flow.go(body, exit_.then)
    body.emit_pending_request(flow.continue_at(exit_.resume), "x")


def blocks_without_chance(exit_: g.RequestChance, *, traced: bool) -> list[int]:
    """Blocks reached without a request, once per place where each is written."""
    match exit_.line:
        case st.Roll(is_plain=True, parts=parts):
            return [exit_.then] if traced and parts[0].count is not None else []
        case st.Draw(otherwise=otherwise):
            return [exit_.then] if otherwise is None else [exit_.then, exit_.otherwise]
        case _:
            return [exit_.then]


def emit_take_chance(body: FunctionBuilder, exit_: g.RequestChance, site: SourcePoint, flow: BlockFlow) -> None:
    line = exit_.line
    match line:
        case st.Roll(is_plain=True):
            _emit_land_plain_roll(body, line, f"{CONTROL_CODE}.reply")
            site.type = line.variable.type
            body.emit_entry(site, "r", f"({CONTROL_CODE}.asked_player, False, rolled_dice(W, r))")
        case st.Roll():
            body.add_line(f"r = land_roll(W, {CONTROL_CODE}.reply, {roll_name_constant(body, line)})")
            with body.indent_under("if r is None:"):
                body.add_line(f"{FRAME_BLOCK_CODE} = {flow.continue_at(exit_.resume)}")
                body.add_line(f"return {PAUSE}")
            body.add_line(f"{body.variable_place(line.variable)} = r")
            site.type = line.variable.type
            body.emit_entry(site, "r", f"({CONTROL_CODE}.asked_player, False, {dice_record_function(line)}(W, r))")
        case st.Reroll():
            if body.records_reads:
                body.add_line(f"x = faces_before_reroll(W, {CONTROL_CODE}.asked_data)")
            body.add_line(f"r = reroll_dice(W, {CONTROL_CODE}.asked_data, {CONTROL_CODE}.reply)")
            body.emit_entry(site, "None", f"({CONTROL_CODE}.asked_player, False, r, x)")
        case st.Draw():
            body.add_line(f"r = {CONTROL_CODE}.reply")
            _emit_record_draw_source(body, line)
            _emit_take_drawn(body, line)
            site.title, site.type = line.variable.name, line.variable.type
            body.emit_entry(site, "r", f"({CONTROL_CODE}.asked_player, False, ())")
        case st.Shuffle():
            target = resolve_line_place(body, line)
            emit_store(body, target, f"{CONTROL_CODE}.reply")
            body.emit_entry(site, "None", f"({CONTROL_CODE}.asked_player, False, ())")
            if "/" in target.name:
                emit_mark_changed(body, target.name)
    flow.go(body, exit_.then)


def _emit_plain_roll(
    body: FunctionBuilder, exit_: g.RequestChance, line: st.Roll, site: SourcePoint, flow: BlockFlow
) -> None:
    (part,) = line.parts
    constant = body.module.add_constant
    assert not isinstance(part.die, st.ComputedDie)
    name = part.die.name if isinstance(part.die, st.NamedDie) else ""
    faces = list_faces(body.module.program, part.die)
    if part.count is None:
        group = DiceGroup(1, faces, name, (), is_single=True, part=None)
        body.add_line(f"x = {constant(RollDescription((group,), (), ()))}")
        return
    body.add_line(f"many = {expressions.emit_expression(body, part.count)}")
    with body.indent_under(body.unless_insisted("many.__class__ is not RandomValue and many <= 0")):
        if body.records_reads:
            _emit_land_plain_roll(body, line, "()")
            body.emit_entry(site, "r", "(p, True, ())")
            flow.go(body, exit_.then)
        else:
            body.add_line(f"{CONTROL_CODE}.reply = ()")
            body.add_line(f"return {flow.continue_at(exit_.resume)}")
    with body.indent_under(f"if many > {CONTROL_CODE}.limits.dice:"):
        body.add_line("fault_too_many_dice(W, many)")
    descriptions = constant(PlainRollDescriptions(faces, name))
    body.add_line(f"x = {descriptions}.describe(many) if many.__class__ is RandomValue else {descriptions}[many]")


def _emit_land_plain_roll(body: FunctionBuilder, line: st.Roll, faces: str) -> None:
    (part,) = line.parts
    assert not isinstance(part.die, st.ComputedDie)
    sides = list_faces(body.module.program, part.die)
    name = part.die.name if isinstance(part.die, st.NamedDie) else ""
    fresh = body.module.add_constant(
        {face: Die(sides, face, face, 0, kept=True, part=None, model=name, roll=line.variable.name) for face in sides}
    )
    if faces == "()":
        body.add_line(f"{ROLLS_CODE}.append([])")
    else:
        landed = f"[{fresh}[each] for each in {faces}]"
        body.add_line(
            f"{ROLLS_CODE}.append({landed if body.records_reads else f'{faces} if isinstance({faces}, SymbolicPool) else {landed}'})"
        )
    body.add_line(f"r = (len({ROLLS_CODE}) - 1, 0)" if part.count is None else f"r = len({ROLLS_CODE}) - 1")
    body.add_line(f"{body.variable_place(line.variable)} = r")


def roll_name_constant(body: FunctionBuilder, line: st.Roll) -> str:
    return body.module.add_constant(line.variable.name)


def reroll_scope(line: st.Reroll) -> str:
    """What is rolled again: one die (0), some dice (1) or a pool (2), as Python."""
    match line.dice.type:
        case DieType():
            return "0"
        case PoolType():
            return "2"
        case _:
            return "1"


def dice_record_function(line: st.Roll) -> str:
    """Name of the runtime function that lists the dice of a roll for the trace."""
    options = (*line.options, *(option for part in line.parts for option in part.options))
    return "rolled_exploding_dice" if any(option.word == "explode" for option in options) else "rolled_dice"


def emit_roll_description(body: FunctionBuilder, line: st.Roll) -> None:
    """Builds the described roll in `x` (see `runtime/dice.py`)."""
    single = len(line.parts) == 1 and line.parts[0].count is None
    body.add_line(
        f"x = make_record(RollDescription, ({emit_roll_parts(body, line.parts, single=single)}, "
        f"{_emit_roll_options(body, line.options)}, ()))"
    )


def emit_roll_parts(body: FunctionBuilder, dice: tuple[st.Dice, ...], *, single: bool) -> str:
    """Python for the parts of a described roll."""
    written = []
    for part in dice:
        count = "1" if part.count is None else expressions.emit_expression(body, part.count)
        name = part.die.name if isinstance(part.die, st.NamedDie) else ""
        faces = f"{_emit_faces(body, part.die)}, {body.module.add_constant(name)}"
        called = "None" if part.part is None else expressions.emit_expression(body, part.part)
        options = _emit_roll_options(body, part.options)
        described = f"make_record(DiceGroup, ({count}, {faces}, {options}, {single}, {called}))"
        more = part.advantage
        written.append(
            described if more is None else f"add_advantage({described}, {expressions.emit_expression(body, more)})"
        )
    return f"({', '.join(written)},)"


def _emit_faces(body: FunctionBuilder, die: st.Die) -> str:
    if isinstance(die, st.ComputedDie):
        return f"numbered_faces({expressions.emit_expression(body, die.faces)})"
    return body.module.add_constant(list_faces(body.module.program, die))


def list_faces(program: Program, die: st.NumberedDie | st.PairedDie | st.NamedDie) -> tuple[object, ...]:
    """Faces of a die, in order."""
    match die:
        case st.NumberedDie(faces=most):
            return tuple(range(1, most + 1))
        case st.PairedDie():
            return PAIRED_FACES
        case st.NamedDie(name=name):
            return tuple(evaluate_constant(face) for face in program.dice[name].faces)


def _emit_roll_options(body: FunctionBuilder, options: tuple[st.RollOption, ...]) -> str:
    written = []
    for option in options:
        value = expressions.emit_expression(body, option.value)
        bound = "None" if option.bound is None else expressions.emit_expression(body, option.bound)
        kind = body.module.add_constant(RollOptionKind(option.word, option.best))
        written.append(f"make_record(RollOptionValue, ({kind}, {value}, {bound}))")
    return f"({''.join(f'{item}, ' for item in written)})"


def _emit_draw(
    body: FunctionBuilder, exit_: g.RequestChance, line: st.Draw, site: SourcePoint, flow: BlockFlow
) -> None:
    site.title, site.type = line.variable.name, line.variable.type
    type_ = line.place.type
    _emit_record_draw_source(body, line)
    load = resolve_line_place(body, line).load
    body.add_line(f"x = {load}.keys()" if isinstance(type_, MapType) else f"x = {load}")
    with body.indent_under("if not x:"):
        if line.otherwise is None:
            body.add_line(f"fault_none_left({body.module.add_constant(body.module.wording.render_place(line.place))})")
        else:
            body.emit_entry(site)
            flow.go(body, exit_.otherwise)
    test = "x.__class__ is tuple" if isinstance(type_, DeckType) else "len(set(x)) == 1"
    if body.records_reads:
        with body.indent_under(f"if {test}:"):
            body.add_line("x = x[:1]")
    with body.indent_under(body.unless_insisted(test)):
        body.add_line("r = x[0]")
        _emit_take_drawn(body, line)
        body.emit_entry(site, "r", "(p, True, ())")
        flow.go(body, exit_.then)


def _emit_record_draw_source(body: FunctionBuilder, line: st.Draw) -> None:
    if isinstance(line.place, st.AttributePlace) and body.records_results and is_simple_path(line.place.target):
        body.add_line(expressions.emit_expression(body, line.place.target))


def _emit_take_drawn(body: FunctionBuilder, line: st.Draw) -> None:
    target = resolve_line_place(body, line)
    rest = "remove_map_entry" if isinstance(line.place.type, MapType) else "remove_member"
    emit_store(body, target, f"{rest}({target.load}, r)")
    if "/" in target.name:
        emit_mark_changed(body, target.name)
    body.add_line(f"{body.variable_place(line.variable)} = r")


def emit_plain_rank(body: FunctionBuilder, line: st.Rank) -> None:
    slots = body.new_temporary()
    body.add_line(f"{slots} = [None] * {RANK_SLOTS}")
    emit_begin_rank(body, line, slots, 0)
    for position, key in enumerate(line.keys):
        emit_rank_key(body, line, key, position, slots, 0)
    emit_end_rank(body, line, slots, 0)


def emit_begin_rank(body: FunctionBuilder, line: st.Rank, slots: str, at: int) -> None:
    inner, call = loops.begin_lifted_function(
        body, loops.lower_inside(body, line.binding), "members", line, bound=line.binding.variables
    )
    inner.add_line("r = []")
    with inner.indent_under(loops.emit_loop_head(inner, line.binding.variables, line.binding.source)):
        loops.emit_skip_unless(inner, line.binding.where)
        inner.add_line(f"r.append({loops.emit_member(inner, line.binding.variables)})")
    inner.add_line("return tuple(r)")
    body.module.finish_function(inner)
    body.add_line(f"start_rank({slots}, {at}, {call})")


def emit_rank_key(body: FunctionBuilder, line: st.Rank, key: st.RankKey, position: int, slots: str, at: int) -> None:  # noqa: PLR0913, PLR0917
    body.add_line(f"x = list_tied_members({slots}, {at})")
    with body.indent_under("if x:"):
        values = _emit_key_values(body, line, key, "x", lambda inner: loops.emit_in_loop(inner, key.value))
        body.add_line(f"split_groups({slots}, {at}, {values}, {position}, {key.best == 'highest'})")


def emit_end_rank(body: FunctionBuilder, line: st.Rank, slots: str, at: int) -> None:
    place = body.variable_place(line.variable)
    body.add_line(f"{place}, x = finish_rank({slots}, {at})")
    body.site.title, body.site.type = line.variable.name, line.variable.type
    body.emit_entry(body.site, place, f"[(k, k in x) for k in range({len(line.keys)})]")


def _emit_key_values(
    body: FunctionBuilder, line: st.Rank, key: st.RankKey, members: str, value: Callable[[FunctionBuilder], str]
) -> str:
    type_ = None if key.dice is not None else ListType(key.value.type)
    inner, call = loops.begin_lifted_function(
        body,
        loops.lower_inside(body, (key.value, key.dice or ())),
        "key",
        key,
        bound=line.binding.variables,
        given=("m", members),
        title=key.id,
        type=type_,
    )
    inner.add_line("r = []")
    with inner.indent_under(f"for {loops.emit_loop_target(inner, line.binding.variables)} in m:"):
        inner.add_line(f"r.append({value(inner)})")
    inner.add_line("r = tuple(r)")
    if type_ is not None and (key.best != "ask" or inner.calls):  # the player asked is recorded with the answer
        inner.emit_entry(inner.site, "r")
    inner.add_line("return r")
    body.module.finish_function(inner)
    return call


# Keys that roll or ask.


def emit_rank_roll(body: FunctionBuilder, exit_: g.RollForRank, flow: BlockFlow) -> None:
    """Requests dice for all tied members, if any."""
    key, at = exit_.key, exit_.slot
    body.add_line(f"x = list_tied_members(F, {at})")
    with body.indent_under("if not x:"):
        flow.go(body, exit_.then)
    rolls = _emit_key_values(body, exit_.line, key, "x", lambda inner: _emit_member_roll(inner, key))
    body.add_line(f"p, x = describe_rank_roll(W, x, {rolls})")
    body.emit_pending_request(flow.continue_at(exit_.resume), "x")


def _emit_member_roll(inner: FunctionBuilder, key: st.RankKey) -> str:
    return f"({expressions.emit_unrecorded(inner, key.value)}, {emit_roll_parts(inner, key.dice or (), single=False)})"


def emit_take_rank_roll(body: FunctionBuilder, exit_: g.TakeRankRoll, site: SourcePoint, flow: BlockFlow) -> None:
    """Splits tied members by their dice, and rolls again for those still tied."""
    key, at = exit_.throw.key, exit_.throw.slot
    body.add_line(f"x = sum_rank_roll(W, {CONTROL_CODE}.reply)")
    with body.indent_under("if x is None:"):
        body.add_line(f"{FRAME_BLOCK_CODE} = {flow.continue_at(exit_.throw.resume)}")
        body.add_line(f"return {PAUSE}")
    body.emit_entry(site, "None", f"({CONTROL_CODE}.asked_player, False, x[0])")
    body.add_line(f"split_groups(F, {at}, x[1], {exit_.throw.position}, {key.best == 'highest'})")
    flow.go(body, exit_.again)


def emit_ask_rank_row(body: FunctionBuilder, exit_: g.AskRankRow, flow: BlockFlow) -> None:
    """Asks the owner of the next row for its order, if there is a row."""
    key, at = exit_.key, exit_.slot
    owners = _emit_key_values(body, exit_.line, key, f"F[{at}]", lambda inner: loops.emit_in_loop(inner, key.value))
    body.add_line(f"x = next_row_to_order(F, {at}, {owners})")
    with body.indent_under("if x is None:"):
        flow.go(body, exit_.then)
    body.add_line("p, x = x")
    body.add_line("x = make_record(ItemQuestionData, ('order', x, len(x), len(x), None, ()))")
    body.emit_pending_request(flow.continue_at(exit_.resume), "x")


def emit_take_rank_row(body: FunctionBuilder, exit_: g.TakeRankRow, site: SourcePoint, flow: BlockFlow) -> None:
    body.emit_entry(site, f"{CONTROL_CODE}.reply", f"({CONTROL_CODE}.asked_player, False, ())")
    body.add_line(f"apply_row_order(F, {exit_.asked.slot}, {CONTROL_CODE}.reply, {exit_.asked.position})")
    flow.go(body, exit_.again)
