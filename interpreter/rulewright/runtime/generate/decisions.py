"""Python for decisions: forced, impossible, or left as a request and resumed with the answer.

Legality is computed in a function of its own, whose trace is discarded: a trace shows the answer.
"""

from rulewright.program import statements as st
from rulewright.program.board_geometry import ANGLE
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import DirectionType, SetType
from rulewright.runtime import flow_graph as g
from rulewright.runtime.flow_graph import FIRST_SLOT
from rulewright.runtime.generate import explainers, expressions, loops, writer
from rulewright.runtime.generate.writer import CONTROL_CODE, BlockFlow, FunctionBuilder
from rulewright.runtime.request import CLAIMABLE_SORTS, SourcePoint

DECISION_SORTS: dict[type, str] = {
    st.Whether: "whether",
    st.OneOf: "one",
    st.Choose: "choose",
    st.Pick: "pick",
    st.Split: "split",
    st.Order: "order",
    st.TurnHow: "turn",
    st.PlaceWhere: "place",
}


def decision_sort(line: st.Ask) -> str:
    return (
        "heading"
        if isinstance(line.shape, st.TurnHow) and line.variable.type == ANGLE
        else DECISION_SORTS[type(line.shape)]
    )


def emit_question(body: FunctionBuilder, exit_: g.AskDecision, site: SourcePoint, flow: BlockFlow) -> None:
    """A decision as a request, unless it is forced or impossible."""
    line = exit_.line
    place = body.variable_place(line.variable)
    site.title, site.type = line.prompt, line.variable.type
    site.policies = {policy.player: (policy.word, _emit_policy_worth(body, line, policy)) for policy in line.policies}
    if body.records_reads:
        explainers.emit_explainers(body, line)
    body.add_line(f"p = {expressions.emit_unrecorded(body, line.who)}")
    match line.shape:
        case st.Whether(guard):
            if guard is not None:
                _emit_forced_no(body, exit_, site, flow, guard)
            body.emit_pending_request(flow.continue_at(exit_.resume), "()")
        case st.OneOf(binding):
            body.add_line(f"m = {emit_candidates(body, line, binding, line.demands)}")
            _emit_unless_forced(body, exit_, site, flow, place, _LISTED_CODE)
        case st.Choose(options):
            emit_possible_options(body, options)
            _emit_forced_option(body, exit_, site, flow, place)
            _emit_impossible(body, exit_, site, flow, "not m")
            body.emit_pending_request(flow.continue_at(exit_.resume), "tuple(m)")
        case st.Pick() | st.Split() | st.Order():
            body.add_line(f"s, a, m = {emit_item_judgement(body, line)}")
            _emit_unless_forced(body, exit_, site, flow, place, _SEARCHED_CODE)
        case st.TurnHow() if decision_sort(line) == "turn" and line.demands:
            body.add_line(f"m = filter_allowed(W, F, {emit_directions(body, line)}, {emit_answer_judges(body, line)})")
            _emit_unless_forced(body, exit_, site, flow, place, _LISTED_CODE)
        case st.TurnHow() if decision_sort(line) == "turn":
            body.emit_pending_request(flow.continue_at(exit_.resume), emit_directions(body, line))
        case st.PlaceWhere() | st.TurnHow():
            body.emit_pending_request(
                flow.continue_at(exit_.resume),
                loops.emit_pose_request(body, line, emit_answer_judges(body, line)),
            )


def blocks_without_answer(exit_: g.AskDecision) -> list[int]:
    """Blocks that a question may continue at without an answer, once per place where each is written."""
    line = exit_.line
    impossible = [] if line.otherwise is None else [exit_.otherwise]
    match line.shape:
        case st.Whether(guard):
            return [] if guard is None else [exit_.otherwise]
        case st.Choose():
            return [*exit_.options, *impossible]
        case st.TurnHow() | st.PlaceWhere() if decision_sort(line) != "turn" or not line.demands:
            return []
        case _:
            return [exit_.then, *impossible]


def blocks_after_answer(exit_: g.AskDecision, flow: BlockFlow) -> list[int]:
    """Blocks that a question may continue at after an answer, once per place where each is written."""
    line = exit_.line
    match line.shape:
        case st.Whether():
            same = flow.skip_empty_blocks(exit_.then) == flow.skip_empty_blocks(exit_.otherwise)
            return [exit_.otherwise] if same else [exit_.then, exit_.otherwise]
        case st.Choose():
            return list(exit_.options)
        case _:
            return [exit_.then, *([exit_.otherwise] if is_claimable(line) and line.otherwise is not None else [])]


def emit_directions(body: FunctionBuilder, line: st.Ask) -> str:
    direction_type = line.variable.type
    return body.module.add_constant(
        tuple(range(direction_type.count)) if isinstance(direction_type, DirectionType) else ()
    )


def asked_player_name(body: FunctionBuilder, line: st.AskAll) -> str:
    variable = line.players.variables[0]
    assert variable is not None
    return body.variable_place(variable)


def emit_empty_answers(body: FunctionBuilder, line: st.AskAll) -> None:
    """Starts the map of answers of a question to all; a player who is not asked has none."""
    body.add_line(f"{body.variable_place(line.answers)} = GameMap(None, {{}})")


def emit_store_answer(body: FunctionBuilder, line: st.AskAll) -> None:
    """Adds one player's answer to the map of all, and clears the variables of answer and player."""
    answers, answer = body.variable_place(line.answers), body.variable_place(line.question.variable)
    body.add_line(f"{answers} = {answers}.with_entry({asked_player_name(body, line)}, {answer})")
    body.add_line(f"{answer} = {asked_player_name(body, line)} = None")


def emit_item_judgement(body: FunctionBuilder, line: st.Ask) -> str:
    """Call that judges a pick, split or order: outcome, forced answer, data of the request."""
    frame = "F" if body.framed else "None"
    match line.shape:
        case st.Pick(low, high, binding):
            body.add_line(f"m = {emit_candidates(body, line, binding, ())}")
            bounds = f"{expressions.emit_expression(body, low)}, {expressions.emit_expression(body, high)}"
            return f"judge_pick(W, {frame}, m, {bounds}, {emit_answer_judges(body, line)})"
        case st.Split(amount, over):
            given = f"{expressions.emit_expression(body, over)}, {expressions.emit_expression(body, amount)}"
            return f"judge_split(W, {frame}, {given}, {emit_answer_judges(body, line)})"
        case st.Order(items):
            return (
                f"judge_order(W, {frame}, {expressions.emit_expression(body, items)}, {emit_answer_judges(body, line)})"
            )
        case _:
            raise AssertionError(line.shape)


def emit_take_answer(body: FunctionBuilder, exit_: g.AskDecision, site: SourcePoint, flow: BlockFlow) -> None:
    line = exit_.line
    place = body.variable_place(line.variable)
    site.title, site.type = line.prompt, line.variable.type
    body.add_line(f"{place} = a = {CONTROL_CODE}.reply")
    if is_claimable(line):
        _emit_claim(body, exit_, site, flow)
    with writer.skip_recording(body):
        body.emit_entry(site, "a", f"({CONTROL_CODE}.asked_player, False, {CONTROL_CODE}.asked_data)")
    match line.shape:
        case st.Whether():
            if flow.skip_empty_blocks(exit_.then) != flow.skip_empty_blocks(exit_.otherwise):
                with body.indent_under("if a:"):
                    flow.go(body, exit_.then)
            flow.go(body, exit_.otherwise)
        case st.Choose(options):
            for option, block in zip(options[:-1], exit_.options, strict=False):
                with body.indent_under(f"if a == {body.module.add_constant(option.id)}:"):
                    flow.go(body, block)
            flow.go(body, exit_.options[-1])
        case _:
            flow.go(body, exit_.then)


def is_claimable(line: st.Ask) -> bool:
    """Whether a player may claim that there is no legal answer."""
    return decision_sort(line) in CLAIMABLE_SORTS and any(not demand.prefer for demand in line.demands)


def _emit_claim(body: FunctionBuilder, exit_: g.AskDecision, site: SourcePoint, flow: BlockFlow) -> None:
    with body.indent_under("if a is None:"):
        if exit_.line.otherwise is None:
            body.add_line(f"fault_no_answer({body.module.add_constant(exit_.line.prompt)})")
        else:
            body.emit_entry(site, "None", f"({CONTROL_CODE}.asked_player, False, ())")
            flow.go(body, exit_.otherwise)


def _emit_impossible(
    body: FunctionBuilder, exit_: g.AskDecision, site: SourcePoint, flow: BlockFlow, test: str
) -> None:
    with body.indent_under(f"if {test}:"):
        if exit_.line.otherwise is None:
            body.add_line(f"fault_no_answer({body.module.add_constant(exit_.line.prompt)})")
        else:
            body.emit_entry(site, "None", f"(p, True, (), {explainers.emit_excluded(body, exit_.line)})")
            flow.go(body, exit_.otherwise)


def _emit_forced_no(
    body: FunctionBuilder, exit_: g.AskDecision, site: SourcePoint, flow: BlockFlow, guard: Expression
) -> None:
    with body.indent_under(f"if not {expressions.emit_expression(body, guard)}:"):
        if body.records_reads:
            with body.indent_under(f"if {body.insistence_test}:"):
                body.emit_pending_request(flow.continue_at(exit_.resume), "(False,)")
        body.add_line(f"{body.variable_place(exit_.line.variable)} = False")
        body.emit_entry(site, "False", f"(p, True, (False,), {explainers.emit_excluded(body, exit_.line)})")
        flow.go(body, exit_.otherwise)


_LISTED_CODE = "len(m) == 1", "m[0]", "m", "not m", "tuple(m)"
_SEARCHED_CODE = "s == 1", "a", "(a,)", "s == 0", "m"
"""Python: whether one answer is left, that answer, all as a tuple, whether none is left, data of the request."""


def _emit_unless_forced(  # noqa: PLR0913, PLR0917 - what a question is written from
    body: FunctionBuilder,
    exit_: g.AskDecision,
    site: SourcePoint,
    flow: BlockFlow,
    place: str,
    words: tuple[str, str, str, str, str],
) -> None:
    settled, answer, every, impossible, waits = words
    with body.indent_under(body.unless_insisted(settled)):
        body.add_line(f"{place} = {answer}")
        body.emit_entry(site, answer, f"(p, True, {every}, {explainers.emit_excluded(body, exit_.line)})")
        flow.go(body, exit_.then)
    _emit_impossible(body, exit_, site, flow, impossible)
    body.emit_pending_request(flow.continue_at(exit_.resume), waits)


def emit_possible_options(body: FunctionBuilder, options: tuple[st.Option, ...]) -> None:
    """Collects in `m` the ids of the options whose guard holds."""
    body.add_line("m = []")
    for option in options:
        name = body.module.add_constant(option.id)
        if option.guard is None:
            body.add_line(f"m.append({name})")
        else:
            with body.indent_under(f"if {expressions.emit_expression(body, option.guard)}:"):
                body.add_line(f"m.append({name})")


def _emit_forced_option(
    body: FunctionBuilder, exit_: g.AskDecision, site: SourcePoint, flow: BlockFlow, place: str
) -> None:
    line = exit_.line
    with body.indent_under(body.unless_insisted("len(m) == 1")):
        body.add_line(f"{place} = a = m[0]")
        body.emit_entry(site, "a", f"(p, True, m, {explainers.emit_excluded(body, exit_.line)})")
        options = line.shape.options if isinstance(line.shape, st.Choose) else ()
        for option, block in zip(options, exit_.options, strict=True):
            with body.indent_under(f"if a == {body.module.add_constant(option.id)}:"):
                flow.go(body, block)


def emit_candidates(body: FunctionBuilder, line: st.Ask, binding: Binding, demands: tuple[st.Demand, ...]) -> str:
    """Call of a function that lists the members that pass `where` and the demands, `require` before `prefer`."""
    if _binds_whole_source(binding) and not demands and isinstance(binding.source.type, SetType):
        return expressions.emit_unrecorded(body, binding.source)
    required = [demand for demand in demands if not demand.prefer]
    preferred = [demand for demand in demands if demand.prefer]
    inner, call = loops.begin_lifted_function(
        body,
        loops.lower_inside(body, (binding, *required, *preferred)),
        "legal",
        line,
        bound=binding.variables,
    )
    members = loops.emit_loop_head(inner, binding.variables, binding.source)
    loops.discard_records(inner)
    inner.add_line("r = []")
    with inner.indent_under(members):
        loops.emit_skip_unless(inner, binding.where)
        for row in required:
            with inner.indent_under(f"if not {expressions.emit_row_test(inner, row)}:"):
                inner.add_line("continue")
        inner.add_line(f"r.append({loops.emit_member(inner, binding.variables)})")
    if not isinstance(binding.source.type, SetType):
        inner.add_line("r = remove_duplicates(r)")
    for row in preferred:
        inner.add_line("x = []")
        member = loops.emit_member(inner, binding.variables)
        with (
            inner.indent_under(f"for {member} in r:"),
            inner.indent_under(f"if {expressions.emit_row_test(inner, row)}:"),
        ):
            inner.add_line(f"x.append({member})")
        with inner.indent_under("if x:"):
            inner.add_line("r = x")
    inner.emit_forget()
    inner.add_line("return r")
    body.module.finish_function(inner)
    return call


def _binds_whole_source(binding: Binding) -> bool:
    """Whether a binding takes every member of its source unchanged."""
    return binding.where is None and len(binding.variables) == 1 and binding.variables[0] is not None


def emit_answer_judges(body: FunctionBuilder, line: st.Ask) -> str:
    """Names of functions that judge a whole answer: one for all `require` rows, and one per `prefer` row."""
    required = [demand for demand in line.demands if not demand.prefer]
    preferred = [demand for demand in line.demands if demand.prefer]
    names = [_emit_answer_judge(body, line, required)] if required else ["None"]
    names += [_emit_answer_judge(body, line, [demand]) for demand in preferred]
    return f"{names[0]}, ({''.join(f'{name}, ' for name in names[1:])})"


def _emit_answer_judge(body: FunctionBuilder, line: st.Ask, rows: list[st.Demand]) -> str:
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.add_site("legal", line, address=body.site.address, routine=body.site.routine)
    inner = FunctionBuilder(module, f"def {name}(W, F, a):", framed=True, names={}, site=site)
    loops.discard_records(inner)
    inner.add_line(f"F[{FIRST_SLOT + line.variable.index}] = a")
    inner.add_line("r = None")
    for position, row in enumerate(line.demands):
        if row in rows:
            with inner.indent_under(f"if r is None and not {expressions.emit_row_test(inner, row)}:"):
                inner.add_line(f"r = {position}")
    inner.add_line(f"F[{FIRST_SLOT + line.variable.index}] = None")
    inner.emit_forget()
    inner.add_line("return r")
    module.finish_function(inner)
    return repr(name)


def _emit_policy_worth(body: FunctionBuilder, line: st.Ask, policy: st.QuestionPolicy) -> str:
    """Name of a generated function for the worth of an answer to a policy; empty if the policy does not ask.

    It stores the answer in the variable of the question; the caller restores the old value.
    """
    if policy.worth is None:
        return ""
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.add_site("legal", line, address=body.site.address, routine=body.site.routine)
    inner = FunctionBuilder(module, f"def {name}(W, F, a):", framed=True, names={}, site=site)
    loops.discard_records(inner)
    place = inner.variable_place(line.variable)
    inner.add_line(f"{place} = a")
    inner.add_line(f"r = {expressions.emit_expression(inner, policy.worth)}")
    inner.emit_forget()
    inner.add_line("return r")
    module.finish_function(inner)
    return name
