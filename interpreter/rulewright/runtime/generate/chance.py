"""Python for chance: dice, draws, shuffles, and ranks that roll for tied members or ask for their order."""

from rulewright.base.node_roles import walk_nodes
from rulewright.program import statements as st
from rulewright.program.core import forms as core
from rulewright.program.roll_options import is_exploding
from rulewright.program.types import DeckType, DieType, MapType, PoolType, Type
from rulewright.program.wording import is_simple_path
from rulewright.runtime import control_flow as cf
from rulewright.runtime.dice import DiceGroup, Die, PlainRollDescriptions, RollDescription, RollOptionKind
from rulewright.runtime.event_engine import PAUSE
from rulewright.runtime.generate import expressions, loops
from rulewright.runtime.generate.places import emit_mark_changed, emit_store, resolve_place
from rulewright.runtime.generate.writer import CONTROL_CODE, FRAME_BLOCK_CODE, ROLLS_CODE, BlockFlow, FunctionBuilder

CHANCE_SORTS: dict[type, str] = {core.Roll: "roll", core.Reroll: "roll", core.Draw: "draw", core.Shuffle: "shuffle"}


def emit_request_chance(body: FunctionBuilder, exit_: cf.RequestChance, flow: BlockFlow) -> None:
    """Requests dice or a draw; no dice and an only member need no request."""
    statement = exit_.statement
    if isinstance(statement, core.Roll) and statement.dice.members is not None:
        _emit_rank_roll_request(body, statement)
        body.emit_pending_request(flow.continue_at(exit_.resume), "x")
        return
    body.site.request_sort = CHANCE_SORTS[type(statement)]
    by: core.Expression | None = None
    match statement:
        case core.Roll(by=by) | core.Reroll(by=by) | core.Draw(learner=by):
            pass
    body.add_line(f"p = {'None' if by is None else expressions.emit_unrecorded(body, by)}")
    match statement:
        case core.Roll(dice=dice) if dice.is_plain:
            _emit_plain_roll(body, exit_, statement, flow)
        case core.Roll(dice=dice, result=result):
            _emit_roll_description(body, dice)
            with body.indent_under(body.unless_insisted("count_initial_dice(W, x) == 0")):
                body.emit_ask("0", "None", "x")
                name = body.variable_place(result)
                body.add_line(f"{name} = land_roll(W, (), {body.module.add_constant(result.name)})")
                body.emit_entry(body.site, name, "(p, True, ())")
                flow.go(body, exit_.then)
        case core.Reroll(dice=again):
            body.add_line(
                f"x = select_reroll_dice(W, {expressions.emit_expression(body, again)}, {_find_reroll_scope(again)})"
            )
            with body.indent_under(body.unless_insisted("not x")):
                body.emit_entry(body.site, "None", "(p, True, ())")
                flow.go(body, exit_.then)
        case core.Draw():
            _emit_draw(body, exit_, statement, flow)
        case core.Shuffle():
            body.add_line(f"x = {resolve_place(body, statement.place).load}")
            with body.indent_under(body.unless_insisted("len(x) < 2")):
                body.emit_entry(body.site, "None", "(p, True, ())")
                flow.go(body, exit_.then)
    body.emit_pending_request(flow.continue_at(exit_.resume), "x")


def _get_shown_type(name: core.Local) -> Type:
    assert not isinstance(name.type, core.RankingType)
    return name.type


def list_blocks_without_chance(exit_: cf.RequestChance, *, traced: bool) -> list[int]:
    """Blocks reached without a request, once per place where each is written."""
    match exit_.statement:
        case core.Roll(dice=dice) if dice.is_plain:
            return [exit_.then] if traced and dice.dice[0].count is not None else []
        case core.Roll(dice=core.RollOf(members=members)) if members is not None:
            return []
        case _:
            return [exit_.then]


def emit_take_chance(body: FunctionBuilder, exit_: cf.RequestChance, flow: BlockFlow) -> None:
    """Takes what chance gave."""
    statement, site = exit_.statement, body.site
    match statement:
        case core.Roll(dice=core.RollOf(members=members)) if members is not None:
            _emit_take_rank_roll(body, statement, flow.continue_at(exit_.resume))
        case core.Roll(dice=dice, result=result) if dice.is_plain:
            _emit_land_plain_roll(body, statement, f"{CONTROL_CODE}.reply")
            site.type = _get_shown_type(result)
            body.emit_entry(site, "r", f"({CONTROL_CODE}.asked_player, False, rolled_dice(W, r))")
        case core.Roll(dice=dice, result=result):
            body.add_line(f"r = land_roll(W, {CONTROL_CODE}.reply, {body.module.add_constant(result.name)})")
            with body.indent_under("if r is None:"):
                body.add_line(f"{FRAME_BLOCK_CODE} = {flow.continue_at(exit_.resume)}")
                body.add_line(f"return {PAUSE}")
            body.add_line(f"{body.variable_place(result)} = r")
            site.type = _get_shown_type(result)
            record = "rolled_exploding_dice" if _may_explode(dice) else "rolled_dice"
            body.emit_entry(site, "r", f"({CONTROL_CODE}.asked_player, False, {record}(W, r))")
        case core.Reroll():
            if body.records_reads:
                body.add_line(f"x = faces_before_reroll(W, {CONTROL_CODE}.asked_data)")
            body.add_line(f"r = reroll_dice(W, {CONTROL_CODE}.asked_data, {CONTROL_CODE}.reply)")
            body.emit_entry(site, "None", f"({CONTROL_CODE}.asked_player, False, r, x)")
        case core.Draw(result=result):
            body.add_line(f"r = {CONTROL_CODE}.reply")
            emit_place_reads(body, statement.origin)
            _emit_take_drawn(body, statement)
            site.title, site.type = result.name, _get_shown_type(result)
            body.emit_entry(site, "r", f"({CONTROL_CODE}.asked_player, False, ())")
        case core.Shuffle():
            emit_place_reads(body, statement.origin)
            target = resolve_place(body, statement.place)
            if body.module.frames.may_want_values:
                body.add_line(f"y = {target.load}")
            emit_store(body, target, f"{CONTROL_CODE}.reply")
            body.emit_entry(site, "None", f"({CONTROL_CODE}.asked_player, False, ())")
            if "/" in target.name:
                emit_mark_changed(body, target.name, f"y != {target.load}")
    flow.go(body, exit_.then)


# Dice.


def _emit_plain_roll(body: FunctionBuilder, exit_: cf.RequestChance, roll: core.Roll, flow: BlockFlow) -> None:
    (part,) = roll.dice.dice
    constant = body.module.add_constant
    faces = _get_constant_faces(part)
    if part.count is None:
        group = DiceGroup(1, faces, part.model, (), is_single=True, part=None)
        body.add_line(f"x = {constant(RollDescription((group,), (), ()))}")
        return
    body.add_line(f"many = {expressions.emit_expression(body, part.count)}")
    with body.indent_under(body.unless_insisted("many.__class__ is not RandomValue and many <= 0")):
        if body.records_reads:
            _emit_land_plain_roll(body, roll, "()")
            body.emit_entry(body.site, "r", "(p, True, ())")
            flow.go(body, exit_.then)
        else:
            body.add_line(f"{CONTROL_CODE}.reply = ()")
            body.add_line(f"return {flow.continue_at(exit_.resume)}")
    with body.indent_under(f"if many > {CONTROL_CODE}.limits.dice:"):
        body.add_line("fault_too_many_dice(W, many)")
    descriptions = constant(PlainRollDescriptions(faces, part.model))
    body.add_line(f"x = {descriptions}.describe(many) if many.__class__ is RandomValue else {descriptions}[many]")


def _get_constant_faces(part: core.DiceOf) -> tuple[object, ...]:
    assert isinstance(part.faces, core.Const)
    faces: tuple[object, ...] = part.faces.value
    return faces


def _emit_land_plain_roll(body: FunctionBuilder, roll: core.Roll, faces: str) -> None:
    (part,) = roll.dice.dice
    sides, name = _get_constant_faces(part), roll.result.name
    fresh = body.module.add_constant(
        {face: Die(sides, face, face, 0, kept=True, part=None, model=part.model, roll=name) for face in sides}
    )
    if faces == "()":
        body.add_line(f"{ROLLS_CODE}.append([])")
    else:
        landed = f"[{fresh}[each] for each in {faces}]"
        body.add_line(
            f"{ROLLS_CODE}.append({landed if body.records_reads else f'{faces} if isinstance({faces}, SymbolicPool) else {landed}'})"
        )
    body.add_line(f"r = (len({ROLLS_CODE}) - 1, 0)" if part.count is None else f"r = len({ROLLS_CODE}) - 1")
    body.add_line(f"{body.variable_place(roll.result)} = r")


def _find_reroll_scope(dice: core.Expression) -> str:
    """What is rolled again: one die (0), some dice (1) or a pool (2), as Python."""
    match dice.type:
        case DieType():
            return "0"
        case PoolType():
            return "2"
        case _:
            return "1"


def _may_explode(dice: core.RollOf) -> bool:
    options = (*dice.options, *(option for part in dice.dice for option in part.options))
    return any(is_exploding(option.word) for option in options)


def _emit_roll_description(body: FunctionBuilder, dice: core.RollOf) -> None:
    """Builds the described roll in `x` (see `runtime/dice.py`)."""
    single = len(dice.dice) == 1 and dice.dice[0].count is None
    parts = _emit_roll_parts(body, dice.dice, single=single)
    body.add_line(f"x = make_record(RollDescription, ({parts}, {_emit_roll_options(body, dice.options)}, ()))")


def _emit_roll_parts(body: FunctionBuilder, dice: tuple[core.DiceOf, ...], *, single: bool) -> str:
    """Python for the parts of a described roll."""
    written = []
    for part in dice:
        count = "1" if part.count is None else expressions.emit_expression(body, part.count)
        faces = f"{expressions.emit_expression(body, part.faces)}, {body.module.add_constant(part.model)}"
        called = "None" if part.called is None else expressions.emit_expression(body, part.called)
        options = _emit_roll_options(body, part.options)
        described = f"make_record(DiceGroup, ({count}, {faces}, {options}, {single}, {called}))"
        more = part.advantage
        written.append(
            described if more is None else f"add_advantage({described}, {expressions.emit_expression(body, more)})"
        )
    return f"({', '.join(written)},)"


def _emit_roll_options(body: FunctionBuilder, options: tuple[core.RollOptionOf, ...]) -> str:
    written = []
    for option in options:
        value = expressions.emit_expression(body, option.value)
        bound = "None" if option.bound is None else expressions.emit_expression(body, option.bound)
        kind = body.module.add_constant(RollOptionKind(option.word, option.best))
        written.append(f"make_record(RollOptionValue, ({kind}, {value}, {bound}))")
    return f"({''.join(f'{item}, ' for item in written)})"


# Draws.


def _emit_draw(body: FunctionBuilder, exit_: cf.RequestChance, draw: core.Draw, flow: BlockFlow) -> None:
    body.site.title, body.site.type = draw.result.name, _get_shown_type(draw.result)
    type_ = draw.place.type
    emit_place_reads(body, draw.origin)
    load = resolve_place(body, draw.place).load
    body.add_line(f"x = {load}.keys()" if isinstance(type_, MapType) else f"x = {load}")
    test = "x.__class__ is tuple" if isinstance(type_, DeckType) else "len(set(x)) == 1"
    if body.records_reads:
        with body.indent_under(f"if {test}:"):
            body.add_line("x = x[:1]")
    with body.indent_under(body.unless_insisted(test)):
        body.add_line("r = x[0]")
        _emit_take_drawn(body, draw)
        body.emit_entry(body.site, "r", "(p, True, ())")
        flow.go(body, exit_.then)


def emit_place_reads(body: FunctionBuilder, line: st.Draw | st.Shuffle) -> None:
    """Notes what a place is found by, whose value was computed before."""
    if not body.records_results:
        return
    for place in walk_nodes(line.place):
        match place:
            case st.EntryPlace(key=key):
                body.add_line(expressions.emit_expression(body, key))
            case st.AttributePlace(target=target) if is_simple_path(target):
                body.add_line(expressions.emit_expression(body, target))


def _emit_take_drawn(body: FunctionBuilder, draw: core.Draw) -> None:
    target = resolve_place(body, draw.place)
    rest = "remove_map_entry" if isinstance(draw.place.type, MapType) else "remove_member"
    emit_store(body, target, f"{rest}({target.load}, r)")
    if "/" in target.name:
        emit_mark_changed(body, target.name)
    body.add_line(f"{body.variable_place(draw.result)} = r")


# Ranks.


def _emit_rank_roll_request(body: FunctionBuilder, roll: core.Roll) -> None:
    """Stores in `p` who rolls for the tied members of a rank, and in `x` the described roll."""
    dice, rank = roll.dice, body.module.find_rank(roll.origin)
    assert dice.members is not None
    assert roll.by is not None
    body.site.request_sort, body.site.title, body.site.type = "roll", rank.variable.name, rank.variable.type
    inner, call = loops.begin_lifted_function(body, dice, "key", roll.origin, title=roll.origin.id)
    loops.emit_for_each_member(
        inner, dice.names, dice.members, lambda: _emit_roll_parts(inner, dice.dice, single=False)
    )
    inner.add_line("return r")
    body.module.finish_function(inner)
    body.add_line(f"x = {call}")
    body.add_line(f"p = {expressions.emit_expression(body, roll.by)}")
    body.add_line(f"x = describe_rank_roll(W, {expressions.emit_expression(body, dice.members)}, x)")


def _emit_take_rank_roll(body: FunctionBuilder, roll: core.Roll, resume: int) -> None:
    """Takes the sums of tied members, or asks again at the block while a die explodes."""
    body.add_line(f"x = sum_rank_roll(W, {CONTROL_CODE}.reply)")
    with body.indent_under("if x is None:"):
        body.add_line(f"{FRAME_BLOCK_CODE} = {resume}")
        body.add_line(f"return {PAUSE}")
    body.emit_entry(body.site, "None", f"({CONTROL_CODE}.asked_player, False, x[0])")
    body.add_line(f"{body.variable_place(roll.result)} = x[1]")


def emit_row_question(body: FunctionBuilder, ask: core.Ask) -> None:
    """Stores in `p` the owner of a row of members of a rank, and in `x` the question for their order."""
    assert isinstance(ask.space, core.Orders)
    body.site.request_sort, body.site.type = "order", _get_shown_type(ask.result)
    body.add_line(f"p = {expressions.emit_unrecorded(body, ask.player)}")
    body.add_line(f"x = {expressions.emit_unrecorded(body, ask.space.items)}")
    body.add_line("x = make_record(ItemQuestionData, ('order', x, len(x), len(x), None, ()))")


def emit_take_row(body: FunctionBuilder, ask: core.Ask) -> None:
    """Takes the order of a row."""
    body.site.type = _get_shown_type(ask.result)
    body.emit_entry(body.site, f"{CONTROL_CODE}.reply", f"({CONTROL_CODE}.asked_player, False, ())")
    body.add_line(f"{body.variable_place(ask.result)} = {CONTROL_CODE}.reply")
