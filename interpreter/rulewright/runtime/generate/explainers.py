"""Python that explains why a member, an option or a whole answer is impossible, condition by condition.

`sN` lists what a decision chooses from, `yN` judges one member or, by position, one option (a *yes* is the first), `zN`
a whole answer. `jN` finds the `prefer` row that ranks an answer `a` behind the legal `b`. `xN` judges a value outside
the members by the conditions that chose these: of a set that a term or a comprehension filtered, also one stored in a
variable; it returns none if no condition says why. `uN` does so inside a term. `cN` is what the moves to each member cost. Each condition judged leaves a record,
so that the last one is the one that failed. Emitted in traced modules only.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from rulewright.program import declarations as d, expressions as ex, statements as st, types as ty
from rulewright.program.core import forms as core
from rulewright.program.core.lower_expressions import ExpressionLowering, make_members, split_conjunction
from rulewright.program.core.walking import walk_statements
from rulewright.program.types import FLAG, Type
from rulewright.runtime.generate import expressions, functions, loops
from rulewright.runtime.generate.writer import FunctionBuilder, ModuleBuilder
from rulewright.runtime.request import SourcePoint

_Chosen = core.Members | core.Subsets | core.Over
"""What binds names to the members of a source for which `where` holds."""


def is_flag_question(ask: core.Ask) -> bool:
    """Whether the answer is yes or no."""
    return isinstance(ask.space, core.Listed) and ask.result.type == FLAG


def offers_directions(ask: core.Ask) -> bool:
    """Whether the answer is any direction of a grid, which no text lists."""
    return isinstance(ask.space, core.Members) and ask.space.source.origin is ask.origin


def _judges_members(ask: core.Ask) -> bool:
    """Whether the conditions are judged on members, one by one, not on a whole answer."""
    return isinstance(ask.space, core.Members) and not offers_directions(ask)


def emit_explainers(body: FunctionBuilder, ask: core.Ask) -> None:
    """Functions that explain a decision, once even if its procedure is emitted for several ranges of steps."""
    module = body.module
    if ask.origin.address in module.explained:
        return
    number = module.explained[ask.origin.address] = len(module.explained)
    match ask.space:
        case core.Listed(choices):
            _emit_choice_judge(body, number, choices[:1] if is_flag_question(ask) else choices)
        case core.Members(source=source) as members if _judges_members(ask):
            _emit_candidate_list(body, number, source)
            _emit_move_costs(body, number, source)
            _emit_outsider_judge(body, number, ask, source)
            _emit_member_judge(body, number, ask, members)
            _emit_preference_judge(body, number, ask, members.names)
        case core.Members() | core.Headings():
            _emit_preference_judge(body, number, ask, ())
        case core.Subsets(source=source) as members:
            _emit_candidate_list(body, number, source)
            _emit_outsider_judge(body, number, ask, source)
            _emit_member_judge(body, number, ask, members)
        case core.Splits(over=source) | core.Orders(items=source):
            _emit_candidate_list(body, number, source)
            _emit_outsider_judge(body, number, ask, source)
        case core.Poses():
            pass
    if ask.conditions and not _judges_members(ask):
        _emit_whole_answer_judge(body, number, ask)


def emit_excluded(body: FunctionBuilder, ask: core.Ask) -> str:
    """Python for what could not be answered, and the records of why, where an answer is forced or impossible."""
    number = body.module.explained.get(ask.origin.address)
    match ask.space:
        case _ if number is None or not body.records_reads:
            return "()"
        case core.Members() if _judges_members(ask):
            members = f"[(a, a) for a in s{number}(W, F) if a not in m]"
        case core.Subsets():
            members = f"[(a, a) for a in s{number}(W, F) if a not in m[1]]"
        case core.Listed() if is_flag_question(ask):
            members = "((True, 0),)"
        case core.Listed(choices):
            listed = tuple((choice.value.value, position) for position, choice in enumerate(choices))
            members = f"[a for a in {body.module.add_constant(listed)} if a[0] not in m]"
        case _:
            return "()"
    behind = f", (j{number}, m)" if _judges_members(ask) and any(_list_conditions(ask, prefer=True)) else ""
    return f"judge_excluded_members(W, F, y{number}, {members}{behind})"


def _list_conditions(ask: core.Ask, *, prefer: bool) -> tuple[core.Condition, ...]:
    return tuple(condition for condition in ask.conditions if condition.prefer == prefer)


def _begin_explainer(body: FunctionBuilder, head: str, ask: core.Ask) -> FunctionBuilder:
    return FunctionBuilder(body.module, head, framed=True, names={}, site=body.module.add_site("reason", ask.origin))


def _emit_candidate_list(body: FunctionBuilder, number: int, source: core.Expression) -> None:
    written = FunctionBuilder(body.module, f"def s{number}(W, F):", framed=True, names={}, site=body.site)
    written.mute_depth = 1
    written.add_line(f"return {expressions.emit_expression(written, source)}")
    body.module.finish_function(written)


# Sources.


def _strip_visit(source: core.Expression) -> core.Expression:
    """The map or pool whose keys or dice a loop visits; another source as it is."""
    if isinstance(source, core.Op) and source.name in {"keys", "kept dice"}:
        return source.arguments[0]
    return source


def _strip_filters(source: core.Expression) -> core.Expression:
    """What the members of a source were filtered from."""
    match _strip_visit(source):
        case core.Op(name="narrow", arguments=(inner,)):
            return _strip_filters(inner)
        case core.Over(source=inner) as gathered if _is_filter(gathered):
            return _strip_filters(inner)
        case other:
            return other


def _is_filter(gathered: core.Over) -> bool:
    """Whether members are gathered unchanged."""
    value = gathered.value
    is_tuple = isinstance(value, core.Op) and value.name == "tuple" and isinstance(value.type, ty.TupleType)
    parts = value.arguments if is_tuple else (value,)  # type: ignore[union-attr]
    named = tuple(part.local if isinstance(part, core.Get) else None for part in parts)
    return gathered.gather in {"set", "list", "bag"} and None not in named and named == gathered.names


def _emit_move_costs(body: FunctionBuilder, number: int, source: core.Expression) -> None:
    """What the moves to each member cost, where the members are the destinations of `paths` with a cost."""
    match _strip_filters(source):
        case core.Apply(routine=key, arguments=arguments, origin=ex.CallFunction()):
            pass
        case _:
            return
    match body.module.core.routines[key]:
        case core.Routine(origin=d.Function(body=d.Paths(cost=cost))) as routine if cost is not None:
            written = FunctionBuilder(body.module, f"def c{number}(W, F):", framed=True, names={}, site=body.site)
            written.mute_depth = 1
            given = ", ".join(("W", *(expressions.emit_unrecorded(written, argument) for argument in arguments)))
            written.add_line(f"return {_emit_path_costs(body.module, routine)}({given})")
            body.module.finish_function(written)


def _begin_term_function(module: ModuleBuilder, routine: core.Routine, *more: str) -> tuple[FunctionBuilder, str]:
    module.lifted += 1
    name = f"u{module.lifted}"
    names = {local.index: f"v{local.index}" for local in routine.locals}
    parameters = ", ".join(("W", *(names[parameter.index] for parameter in routine.parameters), *more))
    site = module.add_site("reason", routine.origin)
    return FunctionBuilder(module, f"def {name}({parameters}):", framed=False, names=names, site=site), name


def _emit_path_costs(module: ModuleBuilder, routine: core.Routine) -> str:
    body, name = _begin_term_function(module, routine)
    body.mute_depth = 1
    (returned,) = routine.entry
    assert isinstance(returned, core.Return)
    assert isinstance(returned.value, core.Op)
    body.add_line(f"return {expressions.emit_destinations(body, returned.value, 'find_least_costs(W')}")
    module.finish_function(body)
    return name


# Values outside the members.


def _emit_outsider_judge(body: FunctionBuilder, number: int, ask: core.Ask, source: core.Expression) -> None:
    written = _begin_explainer(body, f"def x{number}(W, F, a):", ask)
    type_ = ask.result.type
    if not isinstance(ask.space, core.Members):
        type_ = ty.get_member_type(type_)  # type: ignore[arg-type, assignment]
    assert not isinstance(type_, core.RankingType)
    sort, name, *_ = body.site.routine.split(":")
    routine = body.module.core.routines[f"{sort}:{name}"]
    judge = _OutsiderJudge(written, type_, ask.origin.address, routine, _MAX_EXPLAINED_TERMS)
    if isinstance(ask.space, core.Members | core.Subsets):
        rows = _list_conditions(ask, prefer=False) if _judges_members(ask) else ()
        judge.emit_nested("a", lambda: judge.emit_for_chosen(ask.space, rows))  # type: ignore[arg-type]
        judge.emit_not_in_titled_set(source)
    else:
        judge.emit_for_titled_source(source)
    written.add_line("return x")
    body.module.finish_function(written)


_MAX_EXPLAINED_TERMS = 4
"""Nested terms that an explanation opens; chosen: deeper ones explain nothing to a reader."""
_UNIONS = {"union", "bag union", "joined"}
_DIFFERENCES = {"difference", "bag difference", "list difference"}


@dataclass(frozen=True)
class _OutsiderJudge:
    """Writes why a value `a` is not among the members of a source."""

    body: FunctionBuilder
    type: Type  # of the value
    address: str  # of what the reasons are told of
    routine: core.Routine | None  # whose names are read; none inside a term
    depth: int  # nested terms that may still be opened

    def emit_nested(self, given: str, write: Callable[[], None]) -> None:
        """Judges one value by itself: `x` is whether it is a member, none if no condition excludes it."""
        name = self.body.new_temporary()
        with self.body.with_own_record(), self.body.indent_under(f"def {name}(a):"):
            write()
            self.body.add_line("return True")
        self.body.add_line(f"x = {name}({given})")

    def emit_for_titled_source(self, source: core.Expression) -> None:
        """Judges by a source, and by its title where no condition excludes the value."""
        self.emit_nested("a", lambda: self.emit_for_source(source))
        self.emit_not_in_titled_set(source)

    def emit_not_in_titled_set(self, source: core.Expression) -> None:
        title = self._find_title(source)
        if title:
            site = self.body.module.add_site("reason", None, address=self.address, title=f"not in “{title}”")
            with self.body.indent_under(f"if x is None and a not in {self._emit_members(source)}:"):
                _emit_recorded_test(self.body, site, lambda: "False")

    def _find_title(self, source: core.Expression) -> str:
        module = self.body.module
        match _strip_filters(source):
            case core.Get(local=local) if (value := _find_assigned_value(self.routine, local)) is not None:
                return self._find_title(value)
            case core.Apply(routine=key, origin=ex.CallFunction()):
                return str(module.core.routines[key].origin.title)
            case core.Wanted(external=name):
                return module.program.external_terms[name].title
            case _:
                return ""

    def _emit_members(self, source: core.Expression) -> str:
        return expressions.emit_unrecorded(self.body, make_members(source))

    def _emit_return(self, test: str, result: str) -> None:
        with self.body.indent_under(f"if {test}:"):
            self.body.add_line(f"return {result}")

    def emit_for_source(self, source: core.Expression) -> None:
        body, source = self.body, _strip_visit(source)
        match source:
            case core.Op(name="narrow", arguments=(inner,)):
                self.emit_for_source(inner)
            case core.Over() if _is_filter(source):
                self.emit_for_chosen(source, ())
            case core.Op(name=name, arguments=(left, right)) if name in _UNIONS:
                with body.indent_under(f"if a not in {self._emit_members(source)}:"):
                    self.emit_nested("a", lambda: self.emit_for_source(left))
                    with body.indent_under("if x is None:"):
                        self.emit_nested("a", lambda: self.emit_for_source(right))
                    body.add_line("return x")
            case core.Op(name=name, arguments=(left, _)) if name in _DIFFERENCES:
                self.emit_for_source(left)
                self._emit_return(f"a not in {self._emit_members(source)}", "None")
            case core.Cond(test=test, then=then, other=other):
                with body.indent_under(f"if {expressions.emit_unrecorded(body, test)}:"):
                    self.emit_for_source(then)
                with body.indent_under("else:"):
                    self.emit_for_source(other)
            case core.Op(name="pairs", arguments=parts) if isinstance(self.type, ty.TupleType):
                for place, (part, type_) in enumerate(zip(parts, self.type.parts, strict=True)):
                    self.emit_nested(f"a[{place}]", partial(replace(self, type=type_).emit_for_part, part))
                    self._emit_return("not x", "x")
            case core.Get(local=local) if self.depth and (value := _find_assigned_value(self.routine, local)):
                body.add_line(f"k = {self._emit_members(value)}")
                self._emit_return(f"[m for m in {body.variable_place(local)} if m not in k]", "None")
                replace(self, depth=self.depth - 1).emit_for_source(value)
            case core.Apply(routine=key) if self.depth and _is_explainable(body.module.core.routines[key]):
                given = "".join(f"{expressions.emit_unrecorded(body, argument)}, " for argument in source.arguments)
                term = _emit_term_judge(body.module, body.module.core.routines[key], self.type, self.depth - 1)
                body.add_line(f"x = {term}(W, {given}a)")
                self._emit_return("not x", "x")
            case _:
                self._emit_return(f"a not in {self._emit_members(source)}", "None")

    def emit_for_part(self, part: core.Expression) -> None:
        self.emit_for_titled_source(part)
        self._emit_return("not x", "x")

    def emit_for_chosen(self, chosen: _Chosen, rows: tuple[core.Condition, ...], mode: str = "all") -> None:
        """Judges `a` by the conditions that chose what a loop iterates over, then by those of the loop.

        These may also judge values outside the loop's source, with 0 for what is known only by them.
        """
        body = self.body
        self.emit_nested("a", lambda: self.emit_for_source(chosen.source))
        self._emit_return("not x and x is not None", "x")
        _emit_refuse_none(body, self.type, ty.get_member_type(chosen.source.type))  # type: ignore[arg-type]
        visited, judged = body.new_temporary(), body.new_temporary()
        body.add_line(f"{visited} = x")
        with body.with_own_record(), body.indent_under(f"def {judged}(a):"):
            body.add_line(f"{loops.emit_loop_target(body, chosen.names)} = a")
            _emit_judge_conjuncts(body, chosen.where, self.address)
            _emit_rows(body, rows, mode)
            body.add_line("return True")
        body.add_line(f"x = {judged}(a) if {visited} else judge_out_of_scope({judged}, a)")
        self._emit_return(f"not x or not {visited}", "x")

    def emit_for_block(self, block: core.Block) -> None:
        """Judges by what the block of a term returns."""
        match block:
            case (core.Return(value=core.Over(origin=d.Function(body=d.Selection(conditions=conditions))) as chosen),):
                where, rows = _split_selection(chosen, conditions.rows)
                self.emit_for_chosen(core.Members(chosen.names, chosen.source, where), rows, conditions.mode)
            case (core.Return(value=core.Op(name="destinations") as search),):
                _emit_judge_move(self.body, search)
            case (core.Return(value=value),):
                self.emit_for_source(value)
            case (core.If(test=test, then=then, other=other),):
                with self.body.indent_under(f"if {expressions.emit_unrecorded(self.body, test)}:"):
                    self.emit_for_block(then)
                    self.body.add_line("return True")
                self.emit_for_block(other)


def _find_assigned_value(routine: core.Routine | None, local: core.Local) -> core.Expression | None:
    """The value that a name was declared with, if it is never changed but by removals from it."""
    match [each for each in walk_statements(routine) if _may_assign(each, local)]:
        case [core.Set(value=value, origin=st.Let())]:
            return value
        case _:
            return None


def _may_assign(statement: core.Statement, local: core.Local) -> bool:
    match statement:
        case core.Set(
            place=core.Place(path=()), value=core.Op(name="without" | "taken", arguments=(core.Get(local=emptied), _))
        ) if emptied == local:
            return False
        case core.Set(place=place) | core.Draw(place=place) | core.Shuffle(place=place) if place.root == local:
            return True
        case _:
            return getattr(statement, "result", None) == local


def _emit_refuse_none(body: FunctionBuilder, type_: Type, visited: Type | None) -> None:
    pairs = [("a", type_, visited)]
    if isinstance(type_, ty.TupleType) and isinstance(visited, ty.TupleType):
        pairs = [(f"a[{at}]", *both) for at, both in enumerate(zip(type_.parts, visited.parts, strict=True))]
    for code, given, wanted in pairs:
        if isinstance(given, ty.OptionalType) and not isinstance(wanted, ty.OptionalType):
            with body.indent_under(f"if {code} is None:"):
                body.add_line("return None")


def _emit_rows(body: FunctionBuilder, rows: tuple[core.Condition, ...], mode: str) -> None:
    for row in rows:
        if mode == "all":
            _emit_judge_row(body, row)
            continue
        _emit_recorded_test(
            body, _make_row_site(body, row.origin), partial(expressions.emit_expression, body, row.test)
        )
        with body.indent_under("if x:"):
            body.add_line("return True")
    if mode != "all":
        body.add_line("return False")


# Terms.


def _is_explainable(routine: core.Routine) -> bool:
    """Whether a term gives one value, or the first of some whose guard holds."""
    match routine.entry:
        case (core.Return() | core.If(),):
            return True
        case _:
            return False


def _emit_term_judge(module: ModuleBuilder, routine: core.Routine, type_: Type, depth: int) -> str:
    body, name = _begin_term_function(module, routine, "a")
    _OutsiderJudge(body, type_, routine.origin.name, None, depth).emit_for_block(routine.entry)
    body.add_line("return True")
    module.finish_function(body)
    return name


def _split_selection(
    chosen: core.Over, rows: tuple[ex.ConditionRow, ...]
) -> tuple[core.Expression | None, tuple[core.Condition, ...]]:
    """The `where` of a selection, and its rows, which the lowering made one test."""
    tests = tuple(_list_combined(chosen.where, chosen.origin))
    before, judged = tests[: len(tests) - len(rows)], tests[len(tests) - len(rows) :]
    conditions = (core.Condition(test, prefer=False, origin=row) for test, row in zip(judged, rows, strict=True))
    return before[0] if before else None, tuple(conditions)


def _list_combined(test: core.Expression | None, origin: core.Origin) -> Iterator[core.Expression]:
    match test:
        case None:
            pass
        case core.Cond(test=first, then=core.Const(origin=mark), other=rest) if mark is origin:
            yield first
            yield from _list_combined(rest, origin)
        case core.Cond(test=first, then=rest, other=core.Const(origin=mark)) if mark is origin:
            yield first
            yield from _list_combined(rest, origin)
        case _:
            yield test


def _emit_judge_move(body: FunctionBuilder, search: core.Op) -> None:
    """Judges the move into `a` that came nearest to ending there, row by row."""
    _, enter, _ = search.arguments
    assert isinstance(enter, core.Closure)
    entering = body.module.core.routines[enter.routine]
    *_, left, entered, spent, moves = entering.parameters
    body.mute_depth += 1
    body.add_line(f"x = {expressions.emit_destinations(body, search, 'find_nearest_move(W, a')}")
    with body.indent_under("if x is None:"):
        body.add_line("return None")
    body.add_line(f"{', '.join(map(body.variable_place, (left, spent, moves)))} = x")
    body.add_line(f"{body.variable_place(entered)} = a")
    functions.emit_move_cost(body, entering)
    body.mute_depth -= 1
    lowering = ExpressionLowering(body.module.program, ())
    for row in search.origin.body.rows:  # told one by one, where core has those of a cell and of an end apart
        if row.word != "halt":
            _emit_judge_row(body, core.Condition(lowering.lower_row(row), prefer=False, origin=row))
    body.add_line("return None")


# Members, choices, whole answers.


def _emit_member_judge(body: FunctionBuilder, number: int, ask: core.Ask, members: core.Members | core.Subsets) -> None:
    written = _begin_explainer(body, f"def y{number}(W, F, a):", ask)
    written.add_line(f"{loops.emit_loop_target(written, members.names)} = a")
    _emit_judge_conjuncts(written, members.where, ask.origin.address)
    _emit_rows(written, _list_conditions(ask, prefer=False) if _judges_members(ask) else (), "all")
    written.add_line("return True")
    body.module.finish_function(written)


def _emit_preference_judge(body: FunctionBuilder, number: int, ask: core.Ask, names: core.Names) -> None:
    """A row counts if some answer, hence a legal one, satisfies it; the first that `a` fails is reported."""
    rows = _list_conditions(ask, prefer=True)
    if not rows:
        return
    written = _begin_explainer(body, f"def j{number}(W, F, a, b):", ask)
    place = loops.emit_loop_target(written, names) if names else written.variable_place(ask.result)
    for row in rows:
        written.add_line(f"{place} = b")
        with written.recording_only(records_nothing=True):
            written.add_line(f"x = {expressions.emit_expression(written, row.test)}")
        with written.indent_under("if x:"):
            written.add_line(f"{place} = a")
            _emit_judge_row(written, row)
    written.add_line("return True")
    body.module.finish_function(written)


def _emit_choice_judge(body: FunctionBuilder, number: int, choices: tuple[core.Choice, ...]) -> None:
    site = body.module.add_site("reason", None)
    written = FunctionBuilder(body.module, f"def y{number}(W, F, a):", framed=True, names={}, site=site)
    for position, choice in enumerate(choices):
        with written.indent_under(f"if a == {position}:"):
            _emit_judge_conjuncts(written, choice.guard, choice.value.origin.address)
    written.add_line("return True")
    body.module.finish_function(written)


def _emit_whole_answer_judge(body: FunctionBuilder, number: int, ask: core.Ask) -> None:
    written = _begin_explainer(body, f"def z{number}(W, F, a):", ask)
    written.add_line(f"{written.variable_place(ask.result)} = a")
    _emit_rows(written, _list_conditions(ask, prefer=False), "all")
    written.add_line("return True")
    body.module.finish_function(written)


# Conditions.


def _emit_judge_conjuncts(body: FunctionBuilder, condition: core.Expression | None, address: str) -> None:
    for conjunct in split_conjunction(condition):
        title = body.module.wording.render_expression(conjunct.origin)
        site = body.module.add_site("reason", conjunct.origin, address=address, cites=(), title=title)
        _emit_judged_test(body, site, partial(expressions.emit_expression, body, conjunct))


def _emit_judge_row(body: FunctionBuilder, row: core.Condition) -> None:
    _emit_judged_test(body, _make_row_site(body, row.origin), partial(expressions.emit_expression, body, row.test))


def _make_row_site(body: FunctionBuilder, row: ex.ConditionRow) -> SourcePoint:
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
