"""Python for what binds members: each becomes a lifted function, given the variables around it that it reads."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rulewright.base.node_roles import walk_nodes
from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.expressions import Expression
from rulewright.program.types import BagType, MapType, PoolType, SetType
from rulewright.runtime.dice import KEPT_PART
from rulewright.runtime.generate import expressions
from rulewright.runtime.generate.writer import ROLLS_CODE, FunctionBuilder
from rulewright.runtime.pose_search import PlacementHints, PoseSearchPlan, collect_placement_hints
from rulewright.runtime.values import has_plain_order

_PLAIN_VALUE_TYPES = (
    ty.FlagType | ty.LengthType | ty.NumberType | ty.PlaneType | ty.TextType | ty.ThingType | ty.WordType
)


def is_pose_search(node: ex.Quantifier) -> bool:
    """Whether a quantifier searches for a pose."""
    source = node.binding.source
    return isinstance(source, ex.Builtin) and source.name == "poses"


def emit_pose_request(body: FunctionBuilder, line: st.Ask, judges: str) -> str:
    """Data of a request to place or turn a thing on the plane."""
    assert isinstance(line.shape, st.PlaceWhere | st.TurnHow)
    sort = "place" if isinstance(line.shape, st.PlaceWhere) else "heading"
    thing = expressions.emit_expression(body, line.shape.thing)
    conditions = tuple(demand.condition for demand in line.demands if not demand.prefer and demand.guard is None)
    placement_hints = collect_placement_hints(body.module.program, conditions, line.variable)
    facts = _emit_facts_function(body, line, placement_hints)
    fields = f"{sort!r}, {thing}, {judges}, {facts}, {placement_hints.must_fit}"
    data = f"make_record(PoseQuestionData, ({fields}))"
    return f"ensure_externals_known(W, F, {data})" if body.module.framing.may_need_external(line.demands) else data


def _emit_facts_function(body: FunctionBuilder, line: st.Ask, hints: PlacementHints) -> str:
    if not (hints.partners or hints.gaps or hints.reaches):
        return "None"
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.add_site("legal", line, address=body.site.address, routine=body.site.routine)
    inner = FunctionBuilder(module, f"def {name}(W, F):", framed=True, names={}, site=site)
    _emit_facts_body(inner, hints)
    return repr(name)


def _emit_facts_body(inner: FunctionBuilder, hints: PlacementHints) -> None:
    discard_records(inner)
    partners = "None"
    if hints.partners is not None:
        inner.add_line("r = []")
        with ExitStack() as stack:
            for binding in hints.partners.bindings:
                stack.enter_context(inner.indent_under(emit_loop_head(inner, binding)))
                emit_skip_unless(inner, binding.where)
            inner.add_line(f"r.append({expressions.emit_expression(inner, hints.partners.thing)})")
        partners = "tuple(r)"
    gaps, reaches = (_emit_lengths(inner, item) for item in (hints.gaps, hints.reaches))
    inner.add_line(f"x = {partners}, {gaps}, {reaches}")
    inner.emit_forget()
    inner.add_line("return x")
    inner.module.finish_function(inner)


def _emit_lengths(inner: FunctionBuilder, lengths: tuple[Expression, ...]) -> str:
    return f"({''.join(f'{expressions.emit_expression(inner, item)}, ' for item in lengths)})"


def discard_records(inner: FunctionBuilder) -> None:
    """Discards what a function records from here on."""
    inner.mute_depth += 1
    inner.records_nothing = inner.records_nothing or not inner.module.probed
    if inner.records_reads:
        inner.add_line("o = len(T)")


def emit_pose_search(body: FunctionBuilder, node: ex.Quantifier) -> None:
    """`some p in poses(m) where C`, and `no`, as a lifted function."""
    binding = node.binding
    assert isinstance(binding.source, ex.Builtin)
    thing = expressions.emit_expression(body, binding.source.arguments[0])
    spot = binding.variables[0]
    names = _emit_names_read(body, binding)
    judge, facts, solid = "lambda _: True", "None", False
    if spot is not None and binding.where is not None:
        body.names[spot.index] = f"v{spot.index}"
        placement_hints = collect_placement_hints(body.module.program, (binding.where,), spot)
        judge, facts, solid = (
            _emit_pose_judge(body, binding.where, spot),
            _emit_search_facts(body, placement_hints),
            placement_hints.must_fit,
        )
    looking = body.module.add_constant(PoseSearchPlan(solid, _find_slots_read(body, node)))
    body.add_line(f"r = find_pose(W, {looking}, {thing}, {judge}, {facts}, {names})")
    body.add_line(f"x = r is {'not ' if node.word == 'some' else ''}None")
    body.emit_entry(body.site, "x", "('looked', r)")
    body.add_line("return x")


def _emit_pose_judge(body: FunctionBuilder, where: Expression, spot: ex.Variable) -> str:
    inner, call = begin_lifted_function(body, where, "legal")
    discard_records(inner)
    inner.add_line(f"x = {expressions.emit_expression(inner, where)}")
    inner.emit_forget()
    inner.add_line("return x")
    body.module.finish_function(inner)
    return f"lambda v{spot.index}: {call}"


def _emit_search_facts(body: FunctionBuilder, hints: PlacementHints) -> str:
    if not (hints.partners or hints.gaps or hints.reaches):
        return "None"
    inner, call = begin_lifted_function(body, hints, "legal")
    _emit_facts_body(inner, hints)
    return f"lambda: {call}"


def _emit_names_read(body: FunctionBuilder, binding: ex.Binding) -> str:
    mapping = {
        free_variable.variable.index: body.variable_place(free_variable.variable)
        for free_variable in _free_variables(binding)
    }
    if any(isinstance(node, ex.Itself) for node in walk_nodes(binding)):
        mapping[0] = body.names[0]
    return f"({''.join(f'{mapping[index]}, ' for index in sorted(mapping))})"


def _free_variables(binding: ex.Binding) -> list[ex.Local]:
    inside = list(walk_nodes(binding))
    bound_indexes = {
        variable.index for item in inside if isinstance(item, ex.Binding) for variable in item.variables if variable
    }
    return [local for local in inside if isinstance(local, ex.Local) and local.variable.index not in bound_indexes]


def _find_slots_read(body: FunctionBuilder, node: ex.Quantifier) -> tuple[int, ...] | None:
    """Slots of the working memory that the outcome depends on; none if dice or external values count."""
    if not all(_is_plain_value_type(free_variable.variable.type) for free_variable in _free_variables(node.binding)):
        return None
    places = body.module.places
    known = {**places.columns, **places.cells, **places.sides, **places.relations}
    known |= {f"{kind}/gone": at for kind, at in places.gone.items()}
    known |= {f"game/{name}": at for name, at in places.game.items()}
    read = body.module.framing.footprint.collect_read_places(node)
    return tuple(sorted(known[item] for item in read)) if all(item in known for item in read) else None


def _is_plain_value_type(type_: ty.Type) -> bool:
    match type_:
        case ty.OptionalType(inner) | ty.SetType(inner) | ty.ListType(inner):
            return _is_plain_value_type(inner)
        case _:
            return isinstance(type_, _PLAIN_VALUE_TYPES)


LiftedExpression = ex.Comprehension | ex.Quantifier | ex.TheOnly | ex.Aggregate


def emit_members(body: FunctionBuilder, source: Expression) -> str:
    code = expressions.emit_expression(body, source)
    return body.emit_kept_dice(code) if isinstance(source.type, PoolType) else code


def emit_loop_target(body: FunctionBuilder, binding: ex.Binding) -> str:
    """Python target for one member; binds the variables to Python names."""
    names = []
    for variable in binding.variables:
        if variable is None:
            names.append("_")
        else:
            body.names[variable.index] = f"v{variable.index}"
            body.loop_variables.add(variable.index)
            names.append(f"v{variable.index}")
    return ", ".join(names)


def emit_member(body: FunctionBuilder, binding: ex.Binding) -> str:
    """Python for the current member, as stored in the source; `_` as is."""
    names = ["_" if variable is None else body.variable_place(variable) for variable in binding.variables]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def collect_captured(body: FunctionBuilder, node: object) -> tuple[list[str], dict[int, str]]:
    """Variables captured by a lifted function: parameter names, and names by variable index."""
    inside = list(walk_nodes(node))
    bound_indexes = {
        variable.index
        for binding in inside
        if isinstance(binding, ex.Binding)
        for variable in binding.variables
        if variable
    }
    used = {local.variable.index for local in inside if isinstance(local, ex.Local)} - bound_indexes
    if any(isinstance(item, ex.Itself) for item in inside):
        used.add(0)
    names: dict[int, str] = {}
    frame = False
    for index in sorted(used):
        if index in body.names or not body.framed:
            names[index] = f"v{index}"
        else:
            frame = True
    return ["W", *(["F"] if frame else []), *names.values()], names


def captured_arguments(body: FunctionBuilder, names: dict[int, str]) -> list[str]:
    """Arguments for the captured parameters of a lifted function."""
    return [body.names.get(index, f"v{index}") for index in names]


def begin_lifted_function(
    body: FunctionBuilder,
    node: object,
    sort: str,
    site_node: object = None,
    *,
    given: tuple[str, str] | None = None,
    **more: object,
) -> tuple[FunctionBuilder, str]:
    """A new function for a node, and the call of it from the body; the caller writes and finishes it.

    `given` is one more parameter, with its argument.
    """
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    parameters, names = collect_captured(body, node)
    parameters += [given[0]] if given else []
    site = module.add_site(
        sort, site_node or node, address=body.site.address, cites=body.site.cites, routine=body.site.routine, **more
    )
    head = f"def {name}({', '.join(parameters)}):"
    inner = FunctionBuilder(
        module, head, framed=body.framed and "F" in parameters, names=names, site=site, untold=not body.records_reads
    )
    arguments = [
        "W",
        *(["F"] if "F" in parameters else []),
        *captured_arguments(body, names),
        *([given[1]] if given else []),
    ]
    body.calls = True
    return inner, f"{name}({', '.join(arguments)})"


def emit_lifted_call(body: FunctionBuilder, node: LiftedExpression) -> str:
    """Call of a new function that computes a quantifier, comprehension or aggregate."""
    if isinstance(node, ex.Comprehension) and not body.records_reads and _copies_source(node):
        result = emit_members(body, node.binding.source)
        return result if isinstance(node.binding.source.type, PoolType) else f"tuple({result})"
    if not body.records_reads and (test := _count_test(node)) is not None:
        return f"(len({emit_members(body, node.binding.source)}){test})"
    inner, call = begin_lifted_function(body, node, getattr(node, "word", "each"), type=node.type)
    inner.site.title = body.module.wording.render_expression(node) if body.records_reads else ""
    match node:
        case ex.Quantifier() if is_pose_search(node):
            emit_pose_search(inner, node)
        case ex.Quantifier():
            _emit_quantifier(inner, node)
        case ex.TheOnly():
            _emit_the_only(inner, node)
        case ex.Aggregate():
            _emit_aggregate(inner, node)
        case ex.Comprehension():
            _emit_comprehension(inner, node)
    body.module.finish_function(inner)
    return call


def emit_in_loop(body: FunctionBuilder, node: Expression) -> str:
    """Python for an expression inside a loop, its temporaries cleared for each member."""
    already = len(body.reads)
    code = expressions.emit_expression(body, node)
    if body.reads[already:]:
        body.add_line(" = ".join([*(name for name, _, _ in body.reads[already:]), "U"]))
    return code


MAX_UNCHARGED_VISITS = 8
"""Members visited without a charge; `generate_module` charges functions in which such visits add up."""


def emit_charged_source(body: FunctionBuilder, source: str) -> str:
    """Name of the members of a source, charged by size if there may be more than a few."""
    name = body.new_temporary()
    body.add_line(f"{name} = {source}")
    body.add_line(f"if len({name}) > {MAX_UNCHARGED_VISITS}: charge_visits(W, len({name}))")
    return name


def emit_loop_head(body: FunctionBuilder, binding: ex.Binding) -> str:
    return f"for {emit_loop_target(body, binding)} in {emit_charged_source(body, emit_members(body, binding.source))}:"


@contextmanager
def _emit_visiting_loop(body: FunctionBuilder, binding: ex.Binding, inside: Expression | None) -> Iterator[str]:
    """A loop whose members matter to the trace alone; yields Python for the current member.

    Where only faces of dice are read, it iterates over the data of the kept dice.
    """
    if not _reads_only_faces(binding, (binding.where, inside)):
        with body.indent_under(emit_loop_head(body, binding)):
            yield emit_member(body, binding)
        return
    source = expressions.emit_expression(body, binding.source)
    body.die_data_variables.update(variable.index for variable in binding.variables if variable)
    die, pool = emit_loop_target(body, binding), source
    if body.records_reads:
        pool = body.new_temporary()
        body.add_line(f"{pool} = {source}")
    dice = emit_charged_source(body, f"{ROLLS_CODE}[{pool}]")
    with body.indent_under(f"for k, {die} in enumerate({dice}):" if body.records_reads else f"for {die} in {dice}:"):
        if body.module.drops_dice:
            with body.indent_under(f"if not {die}[{KEPT_PART}]:"):
                body.add_line("continue")
        yield f"({pool}, k)"


def _reads_only_faces(binding: ex.Binding, inside: tuple[Expression | None, ...]) -> bool:
    if not isinstance(binding.source.type, PoolType):
        return False
    bound_indexes = {variable.index for variable in binding.variables if variable}
    result = list(walk_nodes(inside))
    named = sum(isinstance(node, ex.Local) and node.variable.index in bound_indexes for node in result)
    shown = sum(
        isinstance(node, ex.DieAttribute)
        and isinstance(node.target, ex.Local)
        and node.target.variable.index in bound_indexes
        for node in result
    )
    lifted_ = any(isinstance(item, ex.Quantifier | ex.Comprehension | ex.Aggregate | ex.TheOnly) for item in result)
    return named == shown and not lifted_


def binds_whole_source(binding: ex.Binding) -> bool:
    """Whether a binding takes every member of its source unchanged."""
    return binding.where is None and len(binding.variables) == 1 and binding.variables[0] is not None


def emit_skip_unless(body: FunctionBuilder, condition: Expression | None) -> None:
    if condition is not None:
        test = emit_in_loop(body, condition)
        with body.indent_under(f"if not {test}:"):
            body.add_line("continue")


def _emit_symbolic_pool_case(body: FunctionBuilder, node: ex.Quantifier | ex.Aggregate) -> None:
    """Handles queries of symbolic pools: counts of dice, or sums of their worths."""
    binding, inside = node.binding, node.body if isinstance(node, ex.Quantifier) else node.value
    if body.records_reads or node.word in {"min", "max"} or not _reads_only_faces(binding, (binding.where, inside)):
        return
    pool = expressions.emit_expression(body, binding.source)
    body.die_data_variables.update(variable.index for variable in binding.variables if variable)
    die = emit_loop_target(body, binding)
    tests = [] if binding.where is None else [expressions.emit_expression(body, binding.where)]
    worth, comparison = "1", {"some": " > 0", "no": " == 0", "every": " == 0"}.get(node.word, "")
    if inside is not None:
        written = expressions.emit_expression(body, inside)
        worth = written if node.word == "sum" else worth
        tests += [f"not {written}"] if isinstance(node, ex.Quantifier) else []
    with body.indent_under(f"if isinstance({ROLLS_CODE}[{pool}], SymbolicPool):"):
        value = f"{worth} if {' and '.join(tests)} else 0" if tests else worth
        body.add_line(f"return {ROLLS_CODE}[{pool}].sum_worths(lambda {die}: {value}){comparison}")


def _emit_recorded_return(body: FunctionBuilder, result: str, extra: str = "None") -> None:
    body.emit_entry(body.site, result, extra)
    body.add_line(f"return {result}")


def _emit_quantifier(body: FunctionBuilder, node: ex.Quantifier) -> None:
    result, missing = {"some": ("True", "False"), "no": ("False", "True"), "every": ("False", "True")}[node.word]
    _emit_symbolic_pool_case(body, node)
    with _emit_visiting_loop(body, node.binding, node.body) as which:
        emit_skip_unless(body, node.binding.where)
        if node.body is None:
            _emit_recorded_return(body, result, which)
        else:
            test = emit_in_loop(body, node.body)
            with body.indent_under(f"if not {test}:"):
                _emit_recorded_return(body, result, which)
    _emit_recorded_return(body, missing)


def _emit_the_only(body: FunctionBuilder, node: ex.TheOnly) -> None:
    text = body.module.add_constant(body.module.wording.render_expression(node))
    body.add_line("r = []")
    with body.indent_under(emit_loop_head(body, node.binding)):
        emit_skip_unless(body, node.binding.where)
        body.add_line(f"r.append({emit_member(body, node.binding)})")
    body.add_line(f"r = require_only_member(r, {text})")
    _emit_recorded_return(body, "r")


def _emit_aggregate(body: FunctionBuilder, node: ex.Aggregate) -> None:
    text = body.module.add_constant(body.module.wording.render_expression(node))
    _emit_symbolic_pool_case(body, node)
    body.add_line("r = 0" if node.word in {"count", "sum"} else "r = None")
    counted = body.records_reads and node.word == "count"
    if counted:
        body.add_line("s = []")
    with _emit_visiting_loop(body, node.binding, node.value) as which:
        emit_skip_unless(body, node.binding.where)
        if node.word == "count" or node.value is None:
            body.add_line("r += 1")
            if counted:
                body.add_line(f"s.append({which})")
        else:
            value = emit_in_loop(body, node.value)
            _emit_fold(body, node.word, value)
    if node.word in {"min", "max"}:
        with body.indent_under("if r is None:"):
            body.add_line(f"fault_nothing_to_compare({text})")
    _emit_recorded_return(body, "r", "tuple(s)" if counted else "None")


def _emit_fold(body: FunctionBuilder, word: str, value: str) -> None:
    if word == "sum":
        body.add_line(f"r += {value}")
        return
    body.add_line(f"x = {value}")
    with body.indent_under(f"if r is None or x {'<' if word == 'min' else '>'} r:"):
        body.add_line("r = x")


def _emit_comprehension(body: FunctionBuilder, node: ex.Comprehension) -> None:
    body.add_line("r = []")
    with _emit_visiting_loop(body, node.binding, node.value):
        emit_skip_unless(body, node.binding.where)
        body.add_line(f"r.append({emit_in_loop(body, node.value)})")
    body.add_line(f"r = charge_collection(W, {_emit_result_collection(node)})")
    _emit_recorded_return(body, "r")


def _count_test(node: LiftedExpression) -> str | None:
    match node:
        case ex.Quantifier(word="some" | "no", binding=binding, body=None) if not is_pose_search(node):
            test = " > 0" if node.word == "some" else " == 0"
        case ex.Aggregate(word="count", binding=binding):
            test = ""
        case _:
            return None
    return test if binding.where is None else None


def _copies_source(node: ex.Comprehension) -> bool:
    same = isinstance(node.value, ex.Local) and (node.value.variable,) == node.binding.variables
    return same and binds_whole_source(node.binding) and _emit_result_collection(node) == "tuple(r)"


def _emit_result_collection(node: ex.Comprehension) -> str:
    binding = node.binding
    same = isinstance(node.value, ex.Local) and (node.value.variable,) == binding.variables
    match node.type:
        case SetType() if same and isinstance(binding.source.type, SetType | MapType | PoolType):
            return "tuple(r)"
        case SetType(item):
            return "tuple(sorted(set(r)))" if has_plain_order(item) else "make_set(r)"
        case BagType():
            return "sort_values(r)"
        case _:
            return "tuple(r)"


def emit_iterated(body: FunctionBuilder, source: Expression, code: str) -> str:
    """Python for the current members of a source."""
    match source.type:
        case MapType():
            return f"{code}.keys()"
        case PoolType():
            return body.emit_kept_dice(code)
        case _:
            return code
