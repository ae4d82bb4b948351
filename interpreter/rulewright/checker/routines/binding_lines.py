"""Lines that compute a name: `let`, `tally`, `decide`, `rank`."""

from dataclasses import replace
from typing import Any

from rulewright.base.diagnostics.remedies import make_deletion_edits
from rulewright.checker.facts.fact_store import make_key
from rulewright.checker.facts.prover import compute_number_range
from rulewright.checker.facts.transfer_functions import define_by_rows, define_reordered_list, define_variable
from rulewright.checker.functions.rows import check_distinct_names, type_decide_rows, type_tally_rows
from rulewright.checker.infer.binders import infer_binding, make_member_value
from rulewright.checker.infer.collection_values import infer_decided_value
from rulewright.checker.infer.name_lookup import has_name_conflict
from rulewright.checker.infer.type_fitting import fit_expression
from rulewright.checker.routines.chance_lines import infer_dice_parts
from rulewright.checker.routines.line_context import (
    LineContext,
    LineResult,
    RebindingVariables,
    forget_variable,
    make_rebinding_scope,
)
from rulewright.checker.scope import Scope
from rulewright.program import statements as typed, types as ty
from rulewright.program.conditions import split_conjuncts
from rulewright.program.expressions import Binding, Builtin, Comparison, Comprehension, Expression, Local
from rulewright.program.types import Type
from rulewright.program.walk import walk_subexpressions
from rulewright.program.wording import describe_type, render_brief_expression
from rulewright.syntax.nodes import expressions as e, statements as s


def translate_let(node: s.Let, here: LineContext) -> LineResult:
    value, type_ = _infer_let_value(node, here.scope)
    name = node.name.text
    if type_ is None:
        return None, here.facts
    first, changed = name not in here.routine.names.bound, name in here.routine.names.changed_names
    unsaid = first and changed and node.type is None
    if unsaid and isinstance(type_, ty.NumberType) and (type_.low == type_.high or None in (type_.low, type_.high)):
        message = f"`{name}` is changed further down, so its range must be written"
        here.error("RW0502", node.name.span, message, help=f"write `let {name}: 0..99 = …` with the bounds you mean")
        return None, here.facts
    variable = here.routine.names.bind_name(node.name, type_, "let", here.make_scope_without(name))
    if variable is None or (node.value is not None and value is None):
        return None, here.facts
    statement = typed.Let(**here.make_line_fields(node), variable=variable, value=value)
    after = (
        forget_variable(here.facts, variable)
        if value is None
        else define_variable(here.facts, variable, value, first=first)
    )
    return statement, after


def _infer_let_value(node: s.Let, scope: Scope) -> tuple[Expression | None, Type | None]:
    if node.type is None:
        value = infer_decided_value(node.value, scope) if node.value is not None else None
        return value, value.type if value is not None else None
    type_ = scope.resolve_type(node.type)
    if node.value is None:
        return None, type_
    value = scope.infer(node.value, type_)
    fitted = (
        fit_expression(value, type_, scope, f"`{node.name.text}`") if value is not None and type_ is not None else None
    )
    return fitted, type_


def translate_tally(node: s.TallyLine, here: LineContext) -> LineResult:
    numbering = RebindingVariables(here.routine.names, node.name.text)
    scope = replace(make_rebinding_scope(node.name, here), variables=numbering)
    if node.name.text not in here.routine.names.bound and has_name_conflict(node.name, scope):
        return None, here.facts
    mark = here.make_line_fields(node)
    items = type_tally_rows(node.name, node.start, node.rows, scope, mark["address"], node.cites or here.block_cites)
    if items is None:
        return None, here.facts
    variable, start, changes = items
    if numbering.type is None:
        here.routine.names.bind_variable(node.name.text, variable, "tally", node.name.span)
    elif not here.routine.names.check_rebinding(node.name, numbering.type, "tally", here.scope):
        return None, here.facts
    title = node.title.text if node.title else ""
    statement = typed.TallyLine(**mark, variable=variable, start=start, rows=changes, title=title)
    return statement, forget_variable(here.facts, variable)


def translate_decide(node: s.DecideLine, here: LineContext) -> LineResult:
    name = node.name.text
    known = here.routine.names.bound.get(name)
    mark = here.make_line_fields(node)
    gives = known.variable.type if known is not None else None
    items = type_decide_rows(node.rows, gives, here.scope, mark["address"], node.cites or here.block_cites)
    if items is None:
        return None, here.facts
    type_, lines = items
    variable = here.routine.names.bind_name(node.name, type_, "decide", here.make_scope_without(name))
    if variable is None:
        return None, here.facts
    title = node.title.text if node.title else ""
    known_now = define_by_rows(here.facts, variable, tuple((line.value, line.guard) for line in lines))
    return typed.DecideLine(**mark, variable=variable, rows=lines, title=title), known_now


def translate_rank(node: s.Rank, here: LineContext) -> LineResult:
    """`rank` with its keys; the name is the list of all members, from first to last."""
    mark = here.make_line_fields(node)
    bound = infer_binding(node.binder, here.scope)
    member = bound and _get_member_type(node, bound[0], here)
    if bound is None or member is None:
        return None, here.facts
    binding, inner = bound
    inside = here.with_cites(node.cites).with_binding(binding, inner.facts)
    keys = [_make_rank_key(key, inside, mark["address"]) for key in node.keys]
    variable = here.routine.names.bind_name(
        node.name, ty.ListType(member), "rank", here.make_scope_without(node.name.text)
    )
    items = tuple(key for key in keys if key is not None)
    is_distinct = check_distinct_names((key.name for key in node.keys), here.scope, "keys")
    if not is_distinct or variable is None or len(items) < len(node.keys):
        return None, here.facts
    _TieChecker(node, binding, here).check_ties(items)
    statement = typed.Rank(**mark, variable=variable, binding=binding, keys=items)
    ranked = Comprehension(
        type=ty.ListType(member), span=node.head, binding=binding, value=make_member_value(binding, node.head)
    )
    return statement, define_reordered_list(here.facts, variable, ranked)


def _get_member_type(node: s.Rank, binding: Binding, here: LineContext) -> Type | None:
    if None not in binding.variables:
        return make_member_value(binding, node.binder.span).type
    here.error("RW0319", node.binder.span, "the members are put in order here, so each part needs a name, not `_`")
    return None


def _make_rank_key(node: s.RankRow, here: LineContext, within: str) -> typed.RankKey | None:
    value, dice = None, None
    if node.dice is not None:
        value, dice = _infer_roll_off(node, here)
        if dice is None:
            return None
    elif node.best == "ask":
        value = here.infer_fitted(node.value, ty.PLAYER, "`ask`")
    else:
        value = infer_orderable(node.value, node.best, here)
    if value is None:
        return None
    shared: dict[str, Any] = {"id": node.name.text, "address": f"{within}/{node.name.text}", "span": node.span}
    title = node.title.text if node.title else ""
    return typed.RankKey(
        **shared, best=node.best, value=value, dice=dice, cites=here.resolve_cites(node.cites), title=title
    )


def _infer_roll_off(node: s.RankRow, here: LineContext) -> tuple[Expression | None, tuple[typed.Dice, ...] | None]:
    assert node.dice is not None
    parts, by = infer_dice_parts(node.dice, here), here.infer_fitted(node.value, ty.PLAYER, "`by`")
    if parts is None or by is None:
        return None, None
    for _, face in parts:
        if not isinstance(face, ty.NumberType):
            message = f"`{node.best}` adds up faces, and a face of these is {describe_type(face)}"
            here.error("RW0370", node.dice.span, message, help="roll dice with numbers")
            return None, None
    if not any(_can_roll_differently(part, here) for part, _ in parts):
        notes = ("No line above makes sure of dice with more than one face; without them the run stops.",)
        remedy = "roll at least one die of two faces or more, as in `max(1, …) of d6`"
        here.warning("RW0424", node.dice.span, "these dice may always fall alike", notes=notes, help=remedy)
    return by, tuple(part for part, _ in parts)


def _can_roll_differently(part: typed.Dice, here: LineContext) -> bool:
    least = 1 if part.count is None else compute_number_range(here.facts, part.count)[0]
    match part.die:
        case typed.NumberedDie(faces=faces):
            several = faces > 1
        case typed.NamedDie() | typed.PairedDie():
            several = True
        case typed.ComputedDie(faces=faces):
            several = (compute_number_range(here.facts, faces)[0] or 0) > 1
    return several and least is not None and least >= 1


def infer_orderable(node: e.Expression, best: str, here: LineContext) -> Expression | None:
    """Value that `highest` or `lowest` orders by (RW0370)."""
    value = here.scope.infer(node)
    if (
        value is None
        or value.type == ty.FLAG
        or isinstance(value.type, ty.NumberType | ty.FractionType | ty.LengthType | ty.WordType)
    ):
        return value
    message = f"`{best}` needs numbers, flags or words in an order, and this is {describe_type(value.type)}"
    natural = isinstance(value.type, ty.DieType) and isinstance(value.type.face, ty.NumberType)
    remedy = f"take the number that it shows: `{render_brief_expression(value)}.natural`" if natural else ""
    here.error("RW0370", value.span, message, help=remedy)
    return None


class _TieChecker:
    def __init__(self, node: s.Rank, binding: Binding, here: LineContext) -> None:
        self._node = node
        self._binding = binding
        self._context = here

    def check_ties(self, keys: tuple[typed.RankKey, ...]) -> None:
        settled = is_asked = False
        for row, key in zip(self._node.keys, keys, strict=True):
            if is_asked or (settled and key.best != "ask"):
                message = f"nothing is left for `{key.id}`: the keys above settle every tie"
                remedy = "leave it out, or move it up"
                self._context.error("RW0371", row.span, message, help=remedy, edits=make_deletion_edits(row.span))
                return
            if key.best == "ask" and not settled and self._has_member_dependence(key.value):
                message, by = "members of several players may still be equal here", render_brief_expression(key.value)
                self._warn_possible_tie("RW0373", row, message, by, "above this key")
            if key.best == "ask" and row is not self._node.keys[0] and self._is_one_player(key.value):
                self._warn_of_overruled_keys(row)
            is_asked = key.best == "ask"
            # members of a set or map differ, and so do positions in one list
            unique = isinstance(self._binding.source.type, ty.SetType | ty.MapType) and self._is_distinct_per_member(
                key.value
            )
            settled = settled or is_asked or key.dice is not None or unique
        if not settled:
            where = "as the last key" + self._suggest_sorting(keys)
            self._warn_possible_tie("RW0372", self._node.keys[-1], "these keys may leave members equal", "…", where)

    def _suggest_sorting(self, keys: tuple[typed.RankKey, ...]) -> str:
        match keys:
            case (typed.RankKey(best="highest", value=value),) if not isinstance(
                value.type, ty.FlagType | ty.LengthType
            ):
                from rulewright.syntax.format import format_expression  # noqa: PLC0415 - only where a mistake is explained

                key = self._node.keys[0]
                values = format_expression(e.Comprehension("list", self._node.binder, key.value, key.span))
                return f"; if only the values matter, write `let {self._node.name.text} = sorted({values})`"
            case _:
                return ""

    def _warn_possible_tie(self, code: str, row: s.RankRow, message: str, by: str, where: str) -> None:
        notes = ("No rule keeps two members from being equal; if some are, the run stops here.",)
        remedy = f"add `roll_off: highest roll d6 by {by}` {where}"
        self._context.warning(code, row.name.span, message, notes=notes, help=remedy)

    def _warn_of_overruled_keys(self, row: s.RankRow) -> None:
        message = "`ask` lets one player order all members here, so the keys above it decide nothing"
        remedy = "leave them out; for a choice between equal members alone, ask in a `repeat`, as the example shows"
        above = self._node.keys[: self._node.keys.index(row)]
        edits = tuple(edit for other in above for edit in make_deletion_edits(other.span))
        self._context.warning("RW0374", row.name.span, message, help=remedy, edits=edits)

    def _is_one_player(self, value: Expression) -> bool:
        """Whether `ask` goes to the same player for all members."""
        fixed = (
            (side, other)
            for condition in split_conjuncts(self._binding.where)
            if isinstance(condition, Comparison) and condition.operator == "="
            for side, other in ((condition.left, condition.right), (condition.right, condition.left))
        )
        return not self._has_member_dependence(value) or any(
            make_key(side) == make_key(value) and not self._has_member_dependence(other) for side, other in fixed
        )

    def _has_member_dependence(self, value: Expression) -> bool:
        return any(
            isinstance(node, Local) and node.variable in self._binding.variables for node in walk_subexpressions(value)
        )

    def _is_distinct_per_member(self, value: Expression | None) -> bool:
        match value:
            case Local(variable=variable):
                return (variable,) == self._binding.variables
            case Builtin(name="position", arguments=(Local() as member, among)):
                return self._is_distinct_per_member(member) and not self._has_member_dependence(among)
            case _:
                return False
