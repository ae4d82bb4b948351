"""Python that explains why a member, an option or a whole answer is impossible, condition by condition.

`sN` lists what a decision chooses from, `yN` judges one member or, by position, one option (a *yes* is the first), `zN`
a whole answer. `jN` finds the `prefer` row that ranks an answer `a` behind the legal `b`. `xN` judges a value outside
the members by the conditions that chose these: of a set that a term or a comprehension filtered, also one stored in a
variable; it returns none if no condition says why. `uN` does so inside a term. `cN` is what the moves to each member cost. Each condition judged leaves a record,
so that the last one is the one that failed. Emitted in traced modules only.
"""

from collections.abc import Callable
from functools import partial

from rulewright.base.node_roles import walk_nodes
from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.conditions import split_conjuncts
from rulewright.program.expressions import Binding, ConditionRow, Expression
from rulewright.program.types import Type
from rulewright.runtime.flow_graph import FIRST_SLOT
from rulewright.runtime.generate import expressions, functions, loops
from rulewright.runtime.generate.writer import FunctionBuilder, ModuleBuilder
from rulewright.runtime.request import SourcePoint


def emit_explainers(body: FunctionBuilder, line: st.Ask) -> None:
    """Functions that explain a decision, once even if its procedure is emitted for several ranges of steps."""
    module = body.module
    if line.address in module.explained:
        return
    number = module.explained[line.address] = len(module.explained)
    match line.shape:
        case st.OneOf(binding):
            _emit_candidate_list(body, number, binding.source)
            _emit_move_costs(body, number, binding.source)
            _emit_outsider_judge(body, number, line, binding.source)
            _emit_member_judge(body, number, line, binding, line.demands)
            _emit_preference_judge(body, number, line, binding)
        case st.Pick(binding=binding):
            _emit_candidate_list(body, number, binding.source)
            _emit_outsider_judge(body, number, line, binding.source)
            _emit_member_judge(body, number, line, binding, ())
        case st.Split(over=source) | st.Order(items=source):
            _emit_candidate_list(body, number, source)
            _emit_outsider_judge(body, number, line, source)
        case st.TurnHow():
            _emit_preference_judge(body, number, line, None)
        case st.Choose(options):
            _emit_option_judge(body, number, tuple((option.guard, option.address) for option in options))
        case st.Whether(guard):
            _emit_option_judge(body, number, ((guard, line.address),))
    if line.demands and not isinstance(line.shape, st.OneOf):
        _emit_whole_answer_judge(body, number, line)


def emit_excluded(body: FunctionBuilder, line: st.Ask) -> str:
    """Python for what could not be answered, and the records of why, where an answer is forced or impossible."""
    number = body.module.explained.get(line.address)
    match line.shape:
        case _ if number is None or not body.records_reads:
            return "()"
        case st.OneOf():
            members = f"[(a, a) for a in s{number}(W, F) if a not in m]"
        case st.Pick():
            members = f"[(a, a) for a in s{number}(W, F) if a not in m[1]]"
        case st.Choose(options):
            listed = body.module.add_constant(tuple((option.id, position) for position, option in enumerate(options)))
            members = f"[a for a in {listed} if a[0] not in m]"
        case st.Whether():
            members = "((True, 0),)"
        case _:
            return "()"
    behind = f", (j{number}, m)" if isinstance(line.shape, st.OneOf) and _preference_rows(line) else ""
    return f"judge_excluded_members(W, F, y{number}, {members}{behind})"


def _begin_explainer(body: FunctionBuilder, head: str, line: st.Ask) -> FunctionBuilder:
    return FunctionBuilder(body.module, head, framed=True, names={}, site=body.module.add_site("reason", line))


def _emit_candidate_list(body: FunctionBuilder, number: int, source: Expression) -> None:
    written = FunctionBuilder(body.module, f"def s{number}(W, F):", framed=True, names={}, site=body.site)
    written.mute_depth = 1
    code = loops.emit_iterated(written, source, expressions.emit_expression(written, source))
    written.add_line(f"return {code}")
    body.module.finish_function(written)


def _emit_move_costs(body: FunctionBuilder, number: int, source: Expression) -> None:
    """What the moves to each member cost, where the members are the destinations of `paths` with a cost."""
    while isinstance(source, ex.Narrowed | ex.Comprehension) and _is_filter(source):
        source = source.operand if isinstance(source, ex.Narrowed) else source.binding.source
    function = body.module.program.functions.get(getattr(source, "function", ""))
    if function is None or not isinstance(source, ex.CallFunction):
        return
    paths = function.body
    if not isinstance(paths, d.Paths) or paths.cost is None:
        return
    written = FunctionBuilder(body.module, f"def c{number}(W, F):", framed=True, names={}, site=body.site)
    written.mute_depth = 1
    given = ", ".join(("W", *(expressions.emit_unrecorded(written, argument) for argument in source.arguments)))
    written.add_line(f"return {_emit_path_costs(body.module, function)}({given})")
    body.module.finish_function(written)


def _emit_path_costs(module: ModuleBuilder, function: d.Function) -> str:
    module.lifted += 1
    name = f"u{module.lifted}"
    names = {parameter.index: f"v{parameter.index}" for parameter in (*function.parameters, *function.variables)}
    parameters = ", ".join(("W", *(names[parameter.index] for parameter in function.parameters)))
    site = module.add_site("reason", function)
    body = FunctionBuilder(module, f"def {name}({parameters}):", framed=False, names=names, site=site)
    body.mute_depth = 1
    body.add_line(
        f"return {expressions.emit_destinations(body, functions.get_destinations(module, function), 'find_least_costs(W')}"
    )
    module.finish_function(body)
    return name


def _emit_outsider_judge(body: FunctionBuilder, number: int, line: st.Ask, source: Expression) -> None:
    written = _begin_explainer(body, f"def x{number}(W, F, a):", line)
    type_ = ty.get_member_type(line.variable.type) if isinstance(line.shape, _MULTI_ITEM_SHAPES) else line.variable.type
    assert type_ is not None
    binding = line.shape.binding if isinstance(line.shape, st.OneOf | st.Pick) else None
    rows = tuple(demand for demand in line.demands if not demand.prefer) if isinstance(line.shape, st.OneOf) else ()
    if binding is None:
        _emit_judge_source(written, source, type_, line.address, _MAX_EXPLAINED_TERMS)
    else:
        _emit_nested_judge(
            written,
            "a",
            lambda: _emit_judge_by_binding(written, binding, type_, line.address, _MAX_EXPLAINED_TERMS, rows),
        )
        _emit_not_in_titled_set(written, source, line.address)
    written.add_line("return x")
    body.module.finish_function(written)


_MULTI_ITEM_SHAPES = st.Pick | st.Split | st.Order
_MAX_EXPLAINED_TERMS = 4
"""Nested terms that an explanation opens; chosen: deeper ones explain nothing to a reader."""
ConditionRows = tuple[ConditionRow, ...]
_EXPLAINABLE_BODIES = (d.Selection, d.Value, d.Decide, d.Paths)
"""Bodies of terms that can explain why a value is not among their results."""


def _emit_judge_source(body: FunctionBuilder, source: Expression, type_: Type, address: str, depth: int) -> None:
    _emit_nested_judge(body, "a", lambda: _emit_judge_by_source(body, source, type_, address, depth))
    _emit_not_in_titled_set(body, source, address)


def _emit_not_in_titled_set(body: FunctionBuilder, source: Expression, address: str) -> None:
    title = _title_of_source(body, source, address)
    if title:
        site = body.module.add_site("reason", None, address=address, title=f"not in “{title}”")
        with body.indent_under(f"if x is None and a not in {_emit_members(body, source)}:"):
            _emit_recorded_test(body, site, lambda: "False")


def _emit_members(body: FunctionBuilder, source: Expression) -> str:
    return loops.emit_iterated(body, source, expressions.emit_unrecorded(body, source))


def _title_of_source(body: FunctionBuilder, source: Expression, address: str) -> str:
    program = body.module.program
    match source:
        case ex.Narrowed(operand=inner) | ex.Comprehension(binding=Binding(source=inner)) if _is_filter(source):
            return _title_of_source(body, inner, address)
        case ex.Local() if (assigned_value := _single_assignment_of(body, source, address)) is not None:
            return _title_of_source(body, assigned_value, address)
        case ex.CallFunction(function=name):
            return program.functions[name].title
        case ex.ExternalValue(external=name):
            return program.external_terms[name].title
        case _:
            return ""


def _emit_nested_judge(body: FunctionBuilder, given: str, judge: Callable[[], None]) -> None:
    """Judges one value by itself: `x` is whether it is a member, none if no condition excludes it."""
    name = body.new_temporary()
    with body.with_own_record(), body.indent_under(f"def {name}(a):"):
        judge()
        body.add_line("return True")
    body.add_line(f"x = {name}({given})")


def _is_filter(source: Expression) -> bool:
    match source:
        case ex.Comprehension(binding=binding, value=value):
            parts = value.parts if isinstance(value, ex.MakeTuple) else (value,)
            return binding.variables == tuple(part.variable if isinstance(part, ex.Local) else None for part in parts)
        case _:
            return True


def _emit_judge_by_source(body: FunctionBuilder, source: Expression, type_: Type, address: str, depth: int) -> None:
    function = getattr(body.module.program.functions.get(getattr(source, "function", "")), "body", None)
    assigned_value = _single_assignment_of(body, source, address) if isinstance(source, ex.Local) else None
    arguments = source.arguments if isinstance(source, ex.CallFunction) else (getattr(source, "target", source),)
    match source:
        case ex.Narrowed(operand=operand):
            _emit_judge_by_source(body, operand, type_, address, depth)
        case ex.Comprehension(binding=binding) if _is_filter(source):
            _emit_judge_by_binding(body, binding, type_, address, depth, ())
        case ex.Joined(operator="+", left=left, right=right):
            with body.indent_under(f"if a not in {expressions.emit_unrecorded(body, source)}:"):
                _emit_nested_judge(body, "a", lambda: _emit_judge_by_source(body, left, type_, address, depth))
                with body.indent_under("if x is None:"):
                    _emit_nested_judge(body, "a", lambda: _emit_judge_by_source(body, right, type_, address, depth))
                body.add_line("return x")
        case ex.Joined(operator="-", left=left):
            _emit_judge_by_source(body, left, type_, address, depth)
            with body.indent_under(f"if a not in {expressions.emit_unrecorded(body, source)}:"):
                body.add_line("return None")
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            with body.indent_under(f"if {expressions.emit_unrecorded(body, condition)}:"):
                _emit_judge_by_source(body, then, type_, address, depth)
            with body.indent_under("else:"):
                _emit_judge_by_source(body, otherwise, type_, address, depth)
        case ex.Builtin(name="pairs", arguments=parts) if isinstance(type_, ty.TupleType):
            for place, item in enumerate(zip(parts, type_.parts, strict=True)):
                _emit_nested_judge(body, f"a[{place}]", partial(_emit_judge_pair_part, body, *item, address, depth))
                with body.indent_under("if not x:"):
                    body.add_line("return x")
        case ex.Local() if assigned_value is not None and depth:
            body.add_line(
                f"k = {loops.emit_iterated(body, assigned_value, expressions.emit_unrecorded(body, assigned_value))}"
            )
            with body.indent_under(f"if [m for m in {body.variable_place(source.variable)} if m not in k]:"):
                body.add_line("return None")
            _emit_judge_by_source(body, assigned_value, type_, address, depth - 1)
        case ex.CallFunction() | ex.DerivedAttribute() if isinstance(function, _EXPLAINABLE_BODIES) and depth:
            given = "".join(f"{expressions.emit_unrecorded(body, argument)}, " for argument in arguments)
            name = _emit_term_judge(body.module, body.module.program.functions[source.function], type_, depth - 1)
            body.add_line(f"x = {name}(W, {given}a)")
            with body.indent_under("if not x:"):
                body.add_line("return x")
        case _:
            with body.indent_under(
                f"if a not in {loops.emit_iterated(body, source, expressions.emit_unrecorded(body, source))}:"
            ):
                body.add_line("return None")


def _emit_judge_pair_part(body: FunctionBuilder, source: Expression, type_: Type, address: str, depth: int) -> None:
    _emit_judge_source(body, source, type_, address, depth)
    with body.indent_under("if not x:"):
        body.add_line("return x")


def _emit_judge_by_binding(  # noqa: PLR0913, PLR0917 - what a set was chosen from, and how
    body: FunctionBuilder,
    binding: Binding,
    type_: Type,
    address: str,
    depth: int,
    rows: ConditionRows,
    mode: str = "all",
) -> None:
    """Judges `a` by the conditions that chose what a loop iterates over, then by those of the loop.

    These may also judge values outside the loop's source, with 0 for what is known only by them.
    """
    _emit_nested_judge(body, "a", lambda: _emit_judge_by_source(body, binding.source, type_, address, depth))
    with body.indent_under("if not x and x is not None:"):
        body.add_line("return x")
    _emit_refuse_none(body, type_, ty.get_member_type(binding.source.type))
    visited, judged = body.new_temporary(), body.new_temporary()
    body.add_line(f"{visited} = x")
    with body.with_own_record(), body.indent_under(f"def {judged}(a):"):
        body.add_line(f"{loops.emit_loop_target(body, binding.variables)} = a")
        for conjunct in split_conjuncts(binding.where):
            _emit_judge_condition(body, conjunct, address)
        _emit_rows(body, rows, mode)
        body.add_line("return True")
    body.add_line(f"x = {judged}(a) if {visited} else judge_out_of_scope({judged}, a)")
    with body.indent_under(f"if not x or not {visited}:"):
        body.add_line("return x")


def _emit_refuse_none(body: FunctionBuilder, type_: Type, visited: Type | None) -> None:
    pairs = [("a", type_, visited)]
    if isinstance(type_, ty.TupleType) and isinstance(visited, ty.TupleType):
        pairs = [(f"a[{at}]", *both) for at, both in enumerate(zip(type_.parts, visited.parts, strict=True))]
    for code, given, wanted in pairs:
        if isinstance(given, ty.OptionalType) and not isinstance(wanted, ty.OptionalType):
            with body.indent_under(f"if {code} is None:"):
                body.add_line("return None")


def _emit_rows(body: FunctionBuilder, rows: ConditionRows, mode: str) -> None:
    for row in rows:
        if mode == "all":
            _emit_judge_row(body, row)
            continue
        _emit_recorded_test(
            body, _make_row_site(body, row), partial(expressions.emit_row_test, body, row, undecided=False)
        )
        with body.indent_under("if x:"):
            body.add_line("return True")
    if mode != "all":
        body.add_line("return False")


def _emit_term_judge(module: ModuleBuilder, function: d.Function, type_: Type, depth: int) -> str:
    module.lifted += 1
    name = f"u{module.lifted}"
    names = {parameter.index: f"v{parameter.index}" for parameter in (*function.parameters, *function.variables)}
    parameters = ", ".join(("W", *(names[parameter.index] for parameter in function.parameters), "a"))
    site = module.add_site("reason", function)
    body = FunctionBuilder(module, f"def {name}({parameters}):", framed=False, names=names, site=site)
    match function.body:
        case d.Value(value=value):
            _emit_judge_by_source(body, value, type_, function.name, depth)
        case d.Decide(rows=rows):
            for row in rows:
                with body.indent_under(
                    "if True:" if row.guard is None else f"if {expressions.emit_unrecorded(body, row.guard)}:"
                ):
                    _emit_judge_by_source(body, row.value, type_, function.name, depth)
                    body.add_line("return True")
        case d.Selection(binding=binding, conditions=d.Conditions(mode=mode, rows=rows)):
            _emit_judge_by_binding(body, binding, type_, function.name, depth, rows, mode)
        case d.Paths() as paths:
            _emit_judge_move(body, function, paths)
        case _:
            body.add_line("return None")
    body.add_line("return True")
    module.finish_function(body)
    return name


def _emit_judge_move(body: FunctionBuilder, function: d.Function, paths: d.Paths) -> None:
    """Judges the move into `a` that came nearest to ending there, row by row."""
    body.mute_depth += 1
    body.add_line(
        f"x = {expressions.emit_destinations(body, functions.get_destinations(body.module, function), 'find_nearest_move(W, a')}"
    )
    with body.indent_under("if x is None:"):
        body.add_line("return None")
    body.add_line(
        f"{', '.join(body.variable_place(variable) for variable in (paths.left, paths.spent, paths.moves))} = x"
    )
    body.add_line(f"{body.variable_place(paths.entered)} = a")
    functions.emit_move_cost(body, function)
    body.mute_depth -= 1
    for row in paths.rows:
        if row.word != "halt":
            _emit_judge_row(body, row)
    body.add_line("return None")


def _single_assignment_of(body: FunctionBuilder, source: ex.Local, address: str) -> Expression | None:
    program, name = body.module.program, address.partition("/")[0]
    routine = program.procedures.get(name) or program.handlers.get(name) or program.rules.get(name)
    lines = list(walk_nodes(routine))
    taken_places = {id(line.place) for line in lines if isinstance(line, st.AddMember) and line.take}
    settings = [
        line
        for line in lines
        if isinstance(line, st.Line | st.VariablePlace) and getattr(line, "variable", None) == source.variable
    ]
    settings = [setting for setting in settings if id(setting) not in taken_places]
    return settings[0].value if len(settings) == 1 and isinstance(settings[0], st.Let) else None


def _emit_member_judge(
    body: FunctionBuilder, number: int, line: st.Ask, binding: Binding, demands: tuple[st.Demand, ...]
) -> None:
    written = _begin_explainer(body, f"def y{number}(W, F, a):", line)
    written.add_line(f"{loops.emit_loop_target(written, binding.variables)} = a")
    for conjunct in split_conjuncts(binding.where):
        _emit_judge_condition(written, conjunct, line.address)
    for row in demands:
        if not row.prefer:
            _emit_judge_row(written, row)
    written.add_line("return True")
    body.module.finish_function(written)


def _preference_rows(line: st.Ask) -> list[st.Demand]:
    return [demand for demand in line.demands if demand.prefer]


def _emit_preference_judge(body: FunctionBuilder, number: int, line: st.Ask, binding: Binding | None) -> None:
    """A row counts if some answer, hence a legal one, satisfies it; the first that `a` fails is reported."""
    if not _preference_rows(line):
        return
    written = _begin_explainer(body, f"def j{number}(W, F, a, b):", line)
    place = loops.emit_loop_target(written, binding.variables) if binding else f"F[{FIRST_SLOT + line.variable.index}]"
    for row in _preference_rows(line):
        written.add_line(f"{place} = b")
        with written.recording_only(untold=True):
            written.add_line(f"x = {expressions.emit_row_test(written, row)}")
        with written.indent_under("if x:"):
            written.add_line(f"{place} = a")
            _emit_judge_row(written, row)
    written.add_line("return True")
    body.module.finish_function(written)


def _emit_option_judge(body: FunctionBuilder, number: int, options: tuple[tuple[Expression | None, str], ...]) -> None:
    site = body.module.add_site("reason", None)
    written = FunctionBuilder(body.module, f"def y{number}(W, F, a):", framed=True, names={}, site=site)
    for position, (guard, address) in enumerate(options):
        with written.indent_under(f"if a == {position}:"):
            for conjunct in split_conjuncts(guard):
                _emit_judge_condition(written, conjunct, address)
    written.add_line("return True")
    body.module.finish_function(written)


def _emit_whole_answer_judge(body: FunctionBuilder, number: int, line: st.Ask) -> None:
    written = _begin_explainer(body, f"def z{number}(W, F, a):", line)
    written.add_line(f"F[{FIRST_SLOT + line.variable.index}] = a")
    for row in line.demands:
        if not row.prefer:
            _emit_judge_row(written, row)
    written.add_line("return True")
    body.module.finish_function(written)


def _emit_judge_condition(body: FunctionBuilder, node: Expression, address: str) -> None:
    site = body.module.add_site(
        "reason", node, address=address, cites=(), title=body.module.wording.render_expression(node)
    )
    _emit_judged_test(body, site, lambda: expressions.emit_expression(body, node))


def _emit_judge_row(body: FunctionBuilder, row: ConditionRow) -> None:
    _emit_judged_test(body, _make_row_site(body, row), lambda: expressions.emit_row_test(body, row))


def _make_row_site(body: FunctionBuilder, row: ConditionRow) -> SourcePoint:
    return body.module.add_site("reason", row, title=row.title or body.module.wording.render_expression(row.condition))


def _emit_judged_test(body: FunctionBuilder, site: SourcePoint, test: Callable[[], str]) -> None:
    _emit_recorded_test(body, site, test)
    with body.indent_under("if not x:"):
        body.add_line("return False")


def _emit_recorded_test(body: FunctionBuilder, site: SourcePoint, test: Callable[[], str]) -> None:
    with body.at_site(site):
        body.begin_entry()
        body.add_line(f"x = {test()}")
        body.emit_entry(site, "x")
