"""Python for what binds members: each becomes a lifted function, given the names around it that it reads."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rulewright.program import expressions as ex, statements as st, types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.charges import MAX_UNCHARGED_VISITS
from rulewright.program.core.walking import walk_forms
from rulewright.program.types import SetType
from rulewright.runtime.dice import KEPT_PART
from rulewright.runtime.generate import expressions
from rulewright.runtime.generate.expressions import strip_keys
from rulewright.runtime.generate.writer import ROLLS_CODE, FunctionBuilder
from rulewright.runtime.placement_hints import PlacementHints, collect_placement_hints
from rulewright.runtime.pose_search import PoseSearchPlan
from rulewright.runtime.values import has_plain_order

_PLAIN_VALUE_TYPES = (
    ty.FlagType | ty.LengthType | ty.NumberType | ty.PlaneType | ty.TextType | ty.ThingType | ty.WordType
)


# Poses.


def emit_pose_request(body: FunctionBuilder, ask: core.Ask, judges: str) -> str:
    """Data of a request to place or turn a thing on the plane."""
    assert isinstance(ask.space, core.Poses | core.Headings)
    sort = "place" if isinstance(ask.space, core.Poses) else "heading"
    thing = expressions.emit_expression(body, ask.space.thing)
    tests = [condition.test for condition in ask.conditions]
    required = tuple(condition.test for condition in ask.conditions if not condition.prefer)
    hints = collect_placement_hints(body.module.core, required, ask.result)
    fields = f"{sort!r}, {thing}, {judges}, {_emit_facts_function(body, ask, hints)}, {hints.must_fit}"
    data = f"make_record(PoseQuestionData, ({fields}))"
    return f"ensure_externals_known(W, F, {data})" if body.module.frames.effects.may_want_value(*tests) else data


def _emit_facts_function(body: FunctionBuilder, ask: core.Ask, hints: PlacementHints) -> str:
    if not (hints.partners or hints.gaps or hints.reaches):
        return "None"
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    site = module.add_site("legal", ask.origin, address=body.site.address, routine=body.site.routine)
    inner = FunctionBuilder(module, f"def {name}(W, F):", framed=True, names={}, site=site)
    _emit_facts_body(inner, hints)
    return repr(name)


def _emit_facts_body(inner: FunctionBuilder, hints: PlacementHints) -> None:
    discard_records(inner)
    partners = "None"
    if hints.partners is not None:
        inner.add_line("r = []")
        with ExitStack() as stack:
            for members in hints.partners.members:
                stack.enter_context(
                    inner.indent_under(emit_loop_head(inner, members.names, members.source, members.where))
                )
                emit_skip_unless(inner, members.where)
            inner.add_line(f"r.append({expressions.emit_expression(inner, hints.partners.thing)})")
        partners = "tuple(r)"
    gaps, reaches = (_emit_lengths(inner, item) for item in (hints.gaps, hints.reaches))
    inner.add_line(f"x = {partners}, {gaps}, {reaches}")
    inner.emit_forget()
    inner.add_line("return x")
    inner.module.finish_function(inner)


def _emit_lengths(inner: FunctionBuilder, lengths: tuple[core.Expression, ...]) -> str:
    return f"({''.join(f'{expressions.emit_expression(inner, item)}, ' for item in lengths)})"


def discard_records(inner: FunctionBuilder) -> None:
    """Discards what a function records from here on."""
    inner.mute_depth += 1
    inner.records_nothing = inner.records_nothing or not inner.module.probed
    if inner.records_reads:
        inner.add_line("o = len(T)")


def _emit_pose_search(body: FunctionBuilder, node: core.Over, source: core.Op) -> None:
    """`some p in poses(m) where C`, and `no`, as a lifted function."""
    thing = expressions.emit_expression(body, source.arguments[0])
    (spot,) = node.names
    names = _emit_names_read(body, node)
    judge, facts, solid = "lambda _: True", "None", False
    if spot is not None and node.where is not None:
        body.names[spot.index] = f"v{spot.index}"
        hints = collect_placement_hints(body.module.core, (node.where,), spot)
        judge, facts, solid = (
            _emit_pose_judge(body, node.where, spot),
            _emit_search_facts(body, hints),
            hints.must_fit,
        )
    looking = body.module.add_constant(PoseSearchPlan(solid, _find_slots_read(body, node)))
    body.add_line(f"r = find_pose(W, {looking}, {thing}, {judge}, {facts}, {names})")
    body.add_line(f"x = r is {'not ' if node.gather == 'some' else ''}None")
    body.emit_entry(body.site, "x", "('looked', r)")
    body.add_line("return x")


def _emit_pose_judge(body: FunctionBuilder, where: core.Expression, spot: core.Local) -> str:
    inner, call = begin_lifted_function(body, where, "legal", where.origin)
    discard_records(inner)
    inner.add_line(f"x = {expressions.emit_expression(inner, where)}")
    inner.emit_forget()
    inner.add_line("return x")
    body.module.finish_function(inner)
    return f"lambda v{spot.index}: {call}"


def _emit_search_facts(body: FunctionBuilder, hints: PlacementHints) -> str:
    if not (hints.partners or hints.gaps or hints.reaches):
        return "None"
    members, things = (hints.partners.members, hints.partners.thing) if hints.partners else ((), ())
    bound = tuple(name for each in members for name in each.names)
    captured = (members, things, hints.gaps, hints.reaches)
    inner, call = begin_lifted_function(body, captured, "legal", hints, bound=bound)
    _emit_facts_body(inner, hints)
    return f"lambda: {call}"


def _find_free_names(forms: object, bound: core.Names = ()) -> dict[int, core.Local]:
    """Names that some forms read and do not bind, by index."""
    used: dict[int, core.Local] = {}
    inside = {name.index for name in bound if name is not None}
    for form in walk_forms(forms):
        match form:
            case core.Get(local=local):
                used.setdefault(local.index, local)
            case core.Over(names=names) | core.RollOf(names=names):
                inside.update(name.index for name in names if name is not None)
            case core.Bind(local=local):
                inside.add(local.index)
    return {index: used[index] for index in sorted(used) if index not in inside}


def _emit_names_read(body: FunctionBuilder, node: core.Over) -> str:
    return f"({''.join(f'{body.variable_place(local)}, ' for local in _find_free_names(node).values())})"


def _find_slots_read(body: FunctionBuilder, node: core.Over) -> tuple[int, ...] | None:
    """Slots of the working memory that the outcome depends on; none if dice or external values count."""
    if not all(_is_plain_value_type(local.type) for local in _find_free_names(node).values()):
        return None
    places = body.module.places
    known = {**places.columns, **places.cells, **places.sides, **places.relations}
    known |= {f"{kind}/gone": at for kind, at in places.gone.items()}
    known |= {f"game/{name}": at for name, at in places.game.items()}
    read = body.module.frames.effects.collect_read_places(node)
    return tuple(sorted(known[item] for item in read)) if all(item in known for item in read) else None


def _is_plain_value_type(type_: core.CoreType) -> bool:
    match type_:
        case ty.OptionalType(inner) | ty.SetType(inner) | ty.ListType(inner):
            return _is_plain_value_type(inner)
        case _:
            return isinstance(type_, _PLAIN_VALUE_TYPES)


# Lifted functions.


def begin_lifted_function(  # noqa: PLR0913 - what a function is made of
    body: FunctionBuilder,
    captured: object,
    sort: str,
    site_node: object,
    *,
    bound: core.Names = (),
    given: tuple[str, str] | None = None,
    **more: object,
) -> tuple[FunctionBuilder, str]:
    """A new function for some forms, and the call of it from the body; the caller writes and finishes it.

    Names that the function binds itself are `bound`. `given` is one more parameter, with its argument.
    """
    module = body.module
    module.lifted += 1
    name = f"q{module.lifted}"
    names: dict[int, str] = {}
    has_frame = False
    for index, local in _find_free_names(captured, bound).items():
        if index in body.names or not body.framed or not local.name:
            names[index] = f"v{index}"
        else:
            has_frame = True
    frame = ["F"] if has_frame else []
    site = module.add_site(
        sort, site_node, address=body.site.address, cites=body.site.cites, routine=body.site.routine, **more
    )
    parameters = ["W", *frame, *names.values(), *([given[0]] if given else [])]
    head = f"def {name}({', '.join(parameters)}):"
    inner = FunctionBuilder(
        module, head, framed=has_frame, names=names, site=site, records_nothing=not body.records_reads
    )
    outer = [body.names.get(index, f"v{index}") for index in names]
    arguments = ["W", *frame, *outer, *([given[1]] if given else [])]
    body.calls = True
    inner.emit_charge(captured)
    return inner, f"{name}({', '.join(arguments)})"


_WORDS_OF_GATHERS = {"least": "min", "greatest": "max", "list": "each", "set": "each", "bag": "each", "only": "each"}
"""Sorts of the sites of gatherings, where they differ from the names of core."""


def emit_gathering(body: FunctionBuilder, node: core.Over) -> str:
    """Call of a new function that gathers members, or a shorter way to the same."""
    match node.origin:
        case st.Rank():
            return _emit_ranked_members(body, node)
        case st.RankKey():
            return _emit_key_values(body, node, node.origin)
    source = strip_keys(node.source)
    if node.gather in {"list", "set", "bag"} and not body.records_reads and _copies_source(node):
        result = expressions.emit_expression(body, source)
        return result if _is_pool(node.source) else f"tuple({result})"
    if not body.records_reads and (test := _count_test(node)) is not None:
        return f"(len({expressions.emit_expression(body, source)}){test})"
    sort = _WORDS_OF_GATHERS.get(node.gather, node.gather)
    inner, call = begin_lifted_function(body, node, sort, node.origin, type=node.type)
    inner.site.title = body.module.wording.render_expression(node.origin) if _has_text(inner, node) else ""
    match node.gather, node.source:
        case _, core.Op(name="poses") as poses:
            _emit_pose_search(inner, node, poses)
        case (("some" | "no" | "every"), _):
            _emit_quantifier(inner, node)
        case "only", _:
            _emit_the_only(inner, node)
        case (("count" | "sum" | "least" | "greatest"), _):
            _emit_aggregate(inner, node)
        case _:
            _emit_comprehension(inner, node)
    body.module.finish_function(inner)
    for name in _find_free_names(source).values():  # whose attribute the members are
        if isinstance(ty.strip_optional(name.type), ty.ThingType):  # type: ignore[arg-type]
            body.keep_owner(name)
    return call


def _has_text(body: FunctionBuilder, node: core.Over) -> bool:
    return body.records_reads and isinstance(node.origin, ex.Typed)


def emit_loop_target(body: FunctionBuilder, names: core.Names) -> str:
    """Python target for one member; binds the names to Python names."""
    codes = []
    for name in names:
        if name is None:
            codes.append("_")
        else:
            body.names[name.index] = f"v{name.index}"
            body.loop_variables.add(name.index)
            codes.append(f"v{name.index}")
    return ", ".join(codes)


def emit_member(body: FunctionBuilder, names: core.Names) -> str:
    """Python for the current member, as stored in the source; `_` as is."""
    codes = ["_" if name is None else body.variable_place(name) for name in names]
    return codes[0] if len(codes) == 1 else f"({', '.join(codes)})"


def emit_in_loop(body: FunctionBuilder, node: core.Expression) -> str:
    """Python for an expression inside a loop, its temporaries cleared for each member."""
    already = len(body.reads)
    code = expressions.emit_expression(body, node)
    if body.reads[already:]:
        body.add_line(" = ".join([*(name for name, _, _ in body.reads[already:]), "U"]))
    return code


def emit_charged_source(body: FunctionBuilder, source: str, inside: object) -> str:
    """Name of the members of a source, charged by size and by what runs for each if there may be more than a few."""
    name = body.new_temporary()
    body.add_line(f"{name} = {source}")
    steps = scale(f"len({name})", body.module.charges.count_steps_per_visit(inside))
    body.add_line(f"if len({name}) > {MAX_UNCHARGED_VISITS}: charge_visits(W, {steps})")
    return name


def scale(code: str, times: int) -> str:
    """Python for a number times another."""
    return code if times == 1 else f"{code} * {times}"


def emit_loop_head(body: FunctionBuilder, names: core.Names, source: core.Expression, inside: object) -> str:
    """Python for the head of a loop, in which some forms run for each member."""
    code = expressions.emit_expression(body, strip_keys(source))
    return f"for {emit_loop_target(body, names)} in {emit_charged_source(body, code, inside)}:"


def _is_pool(source: core.Expression) -> bool:
    return isinstance(source, core.Op) and source.name == "kept dice"


@contextmanager
def _emit_visiting_loop(body: FunctionBuilder, node: core.Over) -> Iterator[str]:
    """A loop whose members matter to the trace alone; yields Python for the current member.

    Where only faces of dice are read, it iterates over the data of the kept dice.
    """
    if not _reads_only_faces(node):
        with body.indent_under(emit_loop_head(body, node.names, node.source, (node.where, node.value))):
            yield emit_member(body, node.names)
        return
    assert isinstance(node.source, core.Op)
    source = expressions.emit_expression(body, node.source.arguments[0])
    body.die_data_variables.update(name.index for name in node.names if name)
    die, pool = emit_loop_target(body, node.names), source
    if body.records_reads:
        pool = body.new_temporary()
        body.add_line(f"{pool} = {source}")
    dice = emit_charged_source(body, f"{ROLLS_CODE}[{pool}]", (node.where, node.value))
    with body.indent_under(f"for k, {die} in enumerate({dice}):" if body.records_reads else f"for {die} in {dice}:"):
        if body.module.drops_dice:
            with body.indent_under(f"if not {die}[{KEPT_PART}]:"):
                body.add_line("continue")
        yield f"({pool}, k)"


def _reads_only_faces(node: core.Over) -> bool:
    """Whether a gathering over a pool only looks at attributes of its dice."""
    gathers_dice = node.value is None and node.gather in {"list", "set", "bag"}
    if gathers_dice or not _is_pool(node.source):
        return False
    bound = {name.index for name in node.names if name}
    inside = list(walk_forms((node.where, node.value)))
    named = sum(isinstance(form, core.Get) and form.local.index in bound for form in inside)
    shown = sum(
        isinstance(form, core.Op)
        and form.name == "die"
        and isinstance(form.arguments[0], core.Get)
        and form.arguments[0].local.index in bound
        for form in inside
    )
    return named == shown and not any(isinstance(form, core.Over) for form in inside)


def emit_skip_unless(body: FunctionBuilder, condition: core.Expression | None) -> None:
    if condition is not None:
        test = emit_in_loop(body, condition)
        with body.indent_under(f"if not {test}:"):
            body.add_line("continue")


def _emit_symbolic_pool_case(body: FunctionBuilder, node: core.Over) -> None:
    """Handles queries of symbolic pools: counts of dice, or sums of their worths."""
    if body.records_reads or node.gather in {"least", "greatest"} or not _reads_only_faces(node):
        return
    assert isinstance(node.source, core.Op)
    pool = expressions.emit_expression(body, node.source.arguments[0])
    body.die_data_variables.update(name.index for name in node.names if name)
    die = emit_loop_target(body, node.names)
    tests = [] if node.where is None else [expressions.emit_expression(body, node.where)]
    worth, comparison = "1", {"some": " > 0", "no": " == 0", "every": " == 0"}.get(node.gather, "")
    if node.value is not None:
        written = expressions.emit_expression(body, node.value)
        worth = written if node.gather == "sum" else worth
        tests += [f"not {written}"] if node.gather == "every" else []
    with body.indent_under(f"if isinstance({ROLLS_CODE}[{pool}], SymbolicPool):"):
        value = f"{worth} if {' and '.join(tests)} else 0" if tests else worth
        body.add_line(f"return {ROLLS_CODE}[{pool}].sum_worths(lambda {die}: {value}){comparison}")


def _emit_recorded_return(body: FunctionBuilder, result: str, extra: str = "None") -> None:
    body.emit_entry(body.site, result, extra)
    body.add_line(f"return {result}")


def _emit_quantifier(body: FunctionBuilder, node: core.Over) -> None:
    result, missing = {"some": ("True", "False"), "no": ("False", "True"), "every": ("False", "True")}[node.gather]
    _emit_symbolic_pool_case(body, node)
    with _emit_visiting_loop(body, node) as which:
        emit_skip_unless(body, node.where)
        if node.value is None:
            _emit_recorded_return(body, result, which)
        else:
            test = emit_in_loop(body, node.value)
            with body.indent_under(f"if not {test}:"):
                _emit_recorded_return(body, result, which)
    _emit_recorded_return(body, missing)


def _emit_the_only(body: FunctionBuilder, node: core.Over) -> None:
    text = body.module.add_constant(body.module.wording.render_expression(node.origin))
    body.add_line("r = []")
    with body.indent_under(emit_loop_head(body, node.names, node.source, (node.where, node.value))):
        emit_skip_unless(body, node.where)
        body.add_line(f"r.append({emit_member(body, node.names)})")
    body.add_line(f"r = require_only_member(r, {text})")
    _emit_recorded_return(body, "r")


def _emit_aggregate(body: FunctionBuilder, node: core.Over) -> None:
    text = body.module.add_constant(body.module.wording.render_expression(node.origin))
    _emit_symbolic_pool_case(body, node)
    body.add_line("r = 0" if node.gather in {"count", "sum"} else "r = None")
    counted = body.records_reads and node.gather == "count"
    if counted:
        body.add_line("s = []")
    with _emit_visiting_loop(body, node) as which:
        emit_skip_unless(body, node.where)
        if node.gather == "count" or node.value is None:
            body.add_line("r += 1")
            if counted:
                body.add_line(f"s.append({which})")
        else:
            _emit_fold(body, node.gather, emit_in_loop(body, node.value))
    if node.gather in {"least", "greatest"}:
        with body.indent_under("if r is None:"):
            body.add_line(f"fault_nothing_to_compare({text})")
    _emit_recorded_return(body, "r", "tuple(s)" if counted else "None")


def _emit_fold(body: FunctionBuilder, gather: core.Gather, value: str) -> None:
    if gather == "sum":
        body.add_line(f"r += {value}")
        return
    body.add_line(f"x = {value}")
    with body.indent_under(f"if r is None or x {'<' if gather == 'least' else '>'} r:"):
        body.add_line("r = x")


def _emit_comprehension(body: FunctionBuilder, node: core.Over) -> None:
    code = emit_gathered_members(body, node)
    body.add_line(f"r = charge_collection(W, {code})")
    _emit_recorded_return(body, "r")


def emit_gathered_members(body: FunctionBuilder, node: core.Over) -> str:
    """Lines that gather members into the list `r`; Python for the collection of them."""
    body.add_line("r = []")
    with _emit_visiting_loop(body, node) as which:
        emit_skip_unless(body, node.where)
        member = which if node.value is None else emit_in_loop(body, node.value)
        body.add_line(f"r.append({member})")
    return _emit_result_collection(node)


def _emit_ranked_members(body: FunctionBuilder, node: core.Over) -> str:
    """Call of a function for the members of a rank; the trace shows them in their order."""
    inner, call = begin_lifted_function(body, node, "members", node.origin)
    inner.add_line(f"return {emit_gathered_members(inner, node)}")
    body.module.finish_function(inner)
    return call


def _emit_key_values(body: FunctionBuilder, node: core.Over, key: st.RankKey) -> str:
    """Call of a function for what a key of a rank says of each member."""
    value = node.value
    assert value is not None
    type_ = None if key.dice is not None else node.type
    inner, call = begin_lifted_function(body, node, "key", key, title=key.id, type=type_)
    if key.requests:
        inner.site.address, inner.site.cites = key.address, key.cites
    emit_for_each_member(inner, node.names, node.source, lambda: emit_in_loop(inner, value))
    if type_ is not None and (key.best != "ask" or inner.calls):  # the player asked is recorded with the answer
        inner.emit_entry(inner.site, "r")
    inner.add_line("return r")
    body.module.finish_function(inner)
    return call


def emit_for_each_member(
    body: FunctionBuilder, names: core.Names, source: core.Expression, write: Callable[[], str]
) -> None:
    """Stores in `r` what is written for each of some members of a rank, which are visited without a charge."""
    body.add_line("r = []")
    members = expressions.emit_expression(body, source)
    with body.indent_under(f"for {emit_loop_target(body, names)} in {members}:"):
        body.add_line(f"r.append({write()})")
    body.add_line("r = tuple(r)")


def _count_test(node: core.Over) -> str | None:
    """Comparison of the number of members that says the same as a gathering without conditions."""
    if node.where is not None or (isinstance(node.source, core.Op) and node.source.name == "poses"):
        return None
    return {"some": " > 0", "no": " == 0", "count": ""}.get(node.gather)


def _is_member(node: core.Over) -> bool:
    """Whether members themselves are gathered."""
    (name, *others) = node.names
    return not others and (node.value is None or (isinstance(node.value, core.Get) and node.value.local == name))


def _copies_source(node: core.Over) -> bool:
    return _is_member(node) and node.where is None and _emit_result_collection(node) == "tuple(r)"


def _emit_result_collection(node: core.Over) -> str:
    match node.gather:
        case "set" if _is_member(node) and (isinstance(node.source.type, SetType) or _is_pool(node.source)):
            return "tuple(r)"
        case "set":
            is_plain = isinstance(node.type, SetType) and has_plain_order(node.type.item)
            return "tuple(sorted(set(r)))" if is_plain else "make_set(r)"
        case "bag":
            return "sort_values(r)"
        case _:
            return "tuple(r)"
