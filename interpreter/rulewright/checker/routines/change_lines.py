"""Lines that change a value: `set`, `add`, `take`, with the three ways to meet a bound (manual, Changing state)."""

from rulewright.base.diagnostics import Edit
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span
from rulewright.checker import preconditions
from rulewright.checker.alias_kinds import resolve_callable
from rulewright.checker.facts.assumption import assume
from rulewright.checker.facts.fact_store import Facts
from rulewright.checker.facts.intervals import Interval, are_disjoint, is_inside_interval
from rulewright.checker.facts.prover import Proof, compute_number_range, prove_condition
from rulewright.checker.facts.transfer_functions import define_variable, update_collection_membership
from rulewright.checker.infer.references import get_written_keys, infer_place
from rulewright.checker.infer.type_fitting import fit_expression, infer_fitted
from rulewright.checker.routines.line_context import LineContext, LineResult, join_facts
from rulewright.checker.routines.line_proofs import warn_if_out_of_play
from rulewright.checker.symbols import Symbol
from rulewright.program import expressions as ex, statements as typed
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import COUNT, FLAG, WHOLE, BagType, DeckType, ListType, NumberType, SetType, Type
from rulewright.program.walk import get_root_place, make_place_value
from rulewright.program.wording import describe_type, render_brief_expression, render_brief_place
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s

_BOARD_VERBS = {"at": "`move` or `place`", "facing": "`turn`"}


def infer_changed_place(node: e.Expression, here: LineContext, line: s.Set | None = None) -> typed.Place | None:
    """Place that a line changes; reports parameters, loop names, and what only verbs of the board may change."""
    result = infer_place(node, here.scope)
    if result is None or not _check_may_change(get_root_place(result), node.span, here):
        return None
    if isinstance(result, typed.AttributePlace) and result.name in _BOARD_VERBS:
        message = f"`{result.name}` is changed with {_BOARD_VERBS[result.name]}, because the board must know of it"
        here.error("RW0505", node.span, message, edits=_make_verb_edits(node, line))
        return None
    return result


def _make_verb_edits(node: e.Expression, line: s.Set | None) -> tuple[Edit, ...]:
    if line is None or not isinstance(node, e.Attribute):
        return ()
    verb = {"at": "move", "facing": "turn"}[node.name.text]
    start = Span(node.span.source, line.head.start, node.target.span.start)
    deletion = Edit(Span(node.span.source, node.target.span.end, node.span.end), "", safe=True)
    return Edit(start, f"{verb} ", safe=True), deletion


def _check_may_change(root: typed.Place, span: Span, here: LineContext) -> bool:
    if not isinstance(root, typed.VariablePlace):
        if here.routine.sort != "watch":
            return True
        remedy = "let the procedure or a handler change it"
        here.error("RW0516", span, "a `watch` may only change names of its procedure", help=remedy)
        return False
    name = root.variable.name
    known = here.routine.names.bound.get(name)
    if known is None or known.variable != root.variable:
        here.error("RW0507", span, f"`{name}` stands for each member in turn and cannot be changed")
        return False
    if known.verb == "parameter":
        remedy = f"keep it in a name of its own: `let … = {name}`"
        here.error("RW0507", span, f"`{name}` is a parameter and cannot be changed", help=remedy)
        return False
    return True


def translate_set(node: s.Set, here: LineContext) -> LineResult:
    place = infer_changed_place(node.place, here, node)
    if place is None:
        return None, here.facts
    scope, type_ = here.scope, place.type
    value = infer_fitted(node.value, type_, scope, f"`{render_brief_place(place)}`")
    return (None, _apply_place_write(place, here)) if value is None else _make_assignment(node, place, value, here)


def _make_assignment(node: s.Set | s.Change, place: typed.Place, value: Expression, here: LineContext) -> LineResult:
    statement = typed.Assign(**here.make_line_fields(node), place=place, value=value)
    if isinstance(place, typed.VariablePlace):
        return statement, define_variable(here.facts, place.variable, value)
    place_value = make_place_value(place, node.place.span)
    here.check_invariants(place_value, (value,), node.head)
    if isinstance(place_value, ex.StoredAttribute | ex.GameField):
        return statement, here.apply_assignment(place_value, value)
    return statement, _apply_place_write(place, here)


def _apply_place_write(place: typed.Place, here: LineContext) -> Facts:
    root = get_root_place(place)
    if isinstance(root, typed.AttributePlace):
        warn_if_out_of_play(root.target, "changed", root.target.span, here)
    if isinstance(place, typed.EntryPlace):
        entry = make_place_value(place, root.target.span if isinstance(root, typed.AttributePlace) else place.key.span)
        assert isinstance(entry, ex.Entry)
        return here.apply_entry_write(entry, get_written_keys(place))
    return here.apply_writes(get_written_keys(place))


def translate_change(node: s.Change, here: LineContext) -> LineResult:
    """`add` and `take`: of a number, of a member, of a pair of a relation."""
    relation = _find_changed_relation(node.place, here)
    if relation is not None:
        return _translate_pair_change(node, relation, here)
    place = infer_changed_place(node.place, here)
    if place is None:
        return None, here.facts
    match place.type:
        case NumberType() | SetType() if node.copied is not None:
            message = f"several of one are added to a list, bag or deck, and this is {describe_type(place.type)}"
            here.error("RW0506", node.place.span, message)
            return None, _apply_place_write(place, here)
        case NumberType() as type_:
            return _translate_amount_change(node, place, type_, here)
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return _translate_member_change(node, place, item, here)
        case type_:
            message = f"`{node.word}` works on numbers, collections and relations, and this is {describe_type(type_)}"
            here.error(
                "RW0506", node.place.span, message, help=f"change it with `set {render_brief_place(place)} to …`"
            )
            return None, _apply_place_write(place, here)


def _find_changed_relation(node: e.Expression, here: LineContext) -> Symbol | None:
    name = e.read_dotted_name(node)
    if name is None or name.parts[0].text in here.scope.locals:
        return None
    items = resolve_callable(name, here.module, here.report)
    return items[0] if items is not None and items[0].sort == "relation" else None


def _translate_pair_change(node: s.Change, relation: Symbol, here: LineContext) -> LineResult:
    written = relation.node
    assert isinstance(written, d.Relation)
    if written.value is not None or written.conditions is not None:
        here.error("RW0506", node.place.span, f"`{relation.name}` follows from other things and cannot be changed")
        return None, here.facts
    alone = not node.up_to and node.otherwise is None and node.copied is None
    if not alone or not isinstance(node.amount, e.Group) or len(node.amount.items) != 2:  # noqa: PLR2004 - a pair
        message = f"`{relation.name}` links pairs"
        here.error("RW0506", node.amount.span, message, help=f"write `{node.word} (a, b) … {relation.name}`")
        return None, here.facts
    if here.routine.sort == "watch":
        here.error("RW0516", node.head, "a `watch` may only change names of its procedure")
        return None, here.facts
    if len(relation.parameters) != len(node.amount.items):
        return None, here.facts
    pairs = zip(node.amount.items, relation.parameters, strict=True)
    ends = [here.infer_fitted(item, type_, "this end of the relation") for item, (_, type_) in pairs]
    facts = here.apply_writes(frozenset({relation.name}))
    first, second = ends
    if first is None or second is None:
        return None, facts
    take = node.word == "take"
    statement = typed.AddPair(
        **here.make_line_fields(node), relation=relation.name, first=first, second=second, take=take
    )
    return statement, facts


def _translate_member_change(node: s.Change, place: typed.Place, item: Type, here: LineContext) -> LineResult:
    if node.copied is not None:
        return _translate_collection_change(node, place, item, _infer_copies(node, node.copied, item, here), here)
    nested = isinstance(item, SetType | ListType | BagType | DeckType)
    literal = isinstance(node.amount, e.Collection | e.Comprehension) and not nested
    result = here.scope.infer(node.amount, place.type if literal else item)
    if result is not None and not nested and _can_combine_whole(result.type, place.type, node.word):
        return _translate_collection_change(node, place, item, result, here)
    return _translate_single_member_change(
        node,
        place,
        result and fit_expression(result, item, here.scope, f"a member of `{render_brief_place(place)}`"),
        here,
    )


def _can_combine_whole(given: Type, place_type: Type, word: str) -> bool:
    if isinstance(place_type, SetType) or word == "take":
        return isinstance(place_type, SetType) and isinstance(given, SetType)
    return isinstance(given, SetType | ListType | type(place_type))


def _infer_copies(node: s.Change, copied: e.Expression, item: Type, here: LineContext) -> Expression | None:
    times = here.infer_fitted(node.amount, COUNT, "how many are added")
    member, span = here.infer_fitted(copied, item, "what is added"), node.amount.span
    if times is None or member is None:
        return None
    one = ex.Literal(type=NumberType(1, 1), span=span, value=1)
    each = Binding((None,), ex.Interval(type=ListType(COUNT), span=span, low=one, high=times), None)
    return ex.Comprehension(type=ListType(item), span=span, binding=each, value=member)


def _translate_collection_change(
    node: s.Change, place: typed.Place, item: Type, operand: Expression | None, here: LineContext
) -> LineResult:
    if operand is None:
        return None, _apply_place_write(place, here)
    wanted = next((sort(item) for sort in (SetType, ListType) if isinstance(operand.type, sort)), place.type)
    given = fit_expression(operand, wanted, here.scope, f"what is added to `{render_brief_place(place)}`")
    if node.up_to or node.otherwise is not None:
        here.error("RW0506", node.head, "this always does what it can", help="leave out `up to` and the `else:`")
    if given is None:
        return None, _apply_place_write(place, here)
    operator = "+" if node.word == "add" else "-"
    place_value = make_place_value(place, node.place.span)
    value = ex.Joined(type=place.type, span=node.head, operator=operator, left=place_value, right=given)
    return _make_assignment(node, place, value, here)


def _translate_single_member_change(
    node: s.Change, place: typed.Place, member: Expression | None, here: LineContext
) -> LineResult:
    if node.up_to:
        here.error("RW0506", node.head, "`up to` is for numbers, and this is a collection")
        return None, here.facts
    after_write = _apply_place_write(place, here)
    if member is not None and isinstance(place, typed.VariablePlace):
        place_value = make_place_value(place, node.place.span)
        after_write = update_collection_membership(
            here.facts, after_write, place_value, member if node.word == "add" else None
        )
    otherwise, other = (None, None) if node.otherwise is None else here.translate_block(node.otherwise)
    after = join_facts((after_write, other)) if node.otherwise is not None else after_write
    if member is None:
        return None, after
    take = node.word == "take"
    if take and node.otherwise is None and not isinstance(place.type, SetType):
        _require_member_held(place, member, node, here)
    return typed.AddMember(
        **here.make_line_fields(node), place=place, member=member, take=take, otherwise=otherwise
    ), after


def _require_member_held(place: typed.Place, member: Expression, node: s.Change, here: LineContext) -> None:
    place_value = make_place_value(place, node.place.span)
    there = ex.Membership(type=FLAG, span=node.head, item=member, collection=place_value, negated=False)
    text, member_text = render_brief_place(place), render_brief_expression(member)
    remedy = f"add an `else:`, or ask first: `if {member_text} in {text}:`"
    if isinstance(member, ex.Local) and member.variable.name in here.routine.names.secret_names:
        remedy = (
            f"take `{member_text}` from where it was asked for, or put on every way here: all see it if the run stops"
        )
    messages = (
        f"`{text}` may not hold what is taken from it",
        f"`{text}` does not hold what is taken from it",
        remedy,
    )
    preconditions.require_condition("RW0423", there, node.head, messages, here.scope)


@dataclass(frozen=True, slots=True)
class _CapacityCheck:
    """Bound check of `add` and `take`: the place plus or minus the amount stays within its bounds."""

    current: Expression
    amount: Expression
    is_decrease: bool
    type: NumberType
    span: Span

    @property
    def new_value(self) -> Expression:
        operator = "-" if self.is_decrease else "+"
        return ex.Arithmetic(type=WHOLE, span=self.span, operator=operator, left=self.current, right=self.amount)

    def get_stored_value(self, *, up_to: bool) -> Expression:
        bound = self.type.low if self.is_decrease else self.type.high
        if not up_to or bound is None:
            return self.new_value
        limit = ex.Literal(type=NumberType(bound, bound), span=self.span, value=bound)
        word = "max" if self.is_decrease else "min"
        return ex.Builtin(type=self.type, span=self.span, name=word, arguments=(limit, self.new_value))

    def make_fit_condition(self) -> Expression | None:
        """Condition that there is room; None where no bound applies."""
        bound = self.type.low if self.is_decrease else self.type.high
        if bound is None:
            return None
        if self.is_decrease and bound == 0:
            return ex.Comparison(type=FLAG, span=self.span, operator=">=", left=self.current, right=self.amount)
        limit = ex.Literal(type=NumberType(bound, bound), span=self.span, value=bound)
        return ex.Comparison(
            type=FLAG, span=self.span, operator=">=" if self.is_decrease else "<=", left=self.new_value, right=limit
        )

    def prove_fit(self, facts: Facts) -> Proof:
        condition = self.make_fit_condition()
        known = compute_number_range(facts, self.new_value)
        wanted = (self.type.low, None) if self.is_decrease else (None, self.type.high)
        if condition is None or is_inside_interval(known, wanted):
            return Proof.PROVED
        return Proof.REFUTED if are_disjoint(known, wanted) else prove_condition(facts, condition)


def _translate_amount_change(node: s.Change, place: typed.Place, type_: NumberType, here: LineContext) -> LineResult:
    scope = here.scope
    amount = infer_fitted(node.amount, COUNT, scope, "the amount")
    if amount is None:
        if node.otherwise is not None:
            here.translate_block(node.otherwise)
        return None, _apply_place_write(place, here)
    room = _CapacityCheck(make_place_value(place, node.place.span), amount, node.word == "take", type_, node.head)
    has_room = room.make_fit_condition()
    fits = here.assuming(None if node.up_to else has_room, truth=True)
    fits.check_invariants(room.current, (room.get_stored_value(up_to=node.up_to),), node.head)
    bounds = compute_number_range(fits.facts, room.get_stored_value(up_to=node.up_to))
    otherwise, after = _translate_overflow(node, place, room, bounds, here)
    statement = typed.AddAmount(
        **here.make_line_fields(node),
        place=place,
        amount=amount,
        take=room.is_decrease,
        up_to=node.up_to,
        low=type_.low,
        high=type_.high,
        otherwise=otherwise,
    )
    return statement, after


def _translate_overflow(
    node: s.Change, place: typed.Place, room: _CapacityCheck, bounds: Interval, here: LineContext
) -> tuple[typed.Block | None, Facts | None]:
    """Overflow behaviour of a change, and the facts after it, where the number has bounds."""
    after = _learn_new_bounds(place, room, bounds, here)
    if node.up_to and node.otherwise is not None:
        remedy = "leave out `up to`, or the `else:`"
        here.error("RW0506", node.head, "`up to` always does what it can, so its `else:` never runs", help=remedy)
    elif node.otherwise is not None:
        condition = room.make_fit_condition()
        without = here.facts if condition is None else assume(here.facts, condition, truth=False)
        otherwise, other = here.with_facts(without).translate_block(node.otherwise)
        return otherwise, join_facts((after, other))
    elif not node.up_to:
        _check_capacity(node, place, room, here)
    return None, after


def _learn_new_bounds(place: typed.Place, room: _CapacityCheck, bounds: Interval, here: LineContext) -> Facts:
    after, current = _apply_place_write(place, here), room.current
    if isinstance(current, ex.GameField) or (
        isinstance(current, ex.StoredAttribute) and isinstance(current.target, ex.Local)
    ):
        place_keys = frozenset(
            {f"{current.kind}/{current.name}" if isinstance(current, ex.StoredAttribute) else f"game/{current.name}"}
        )
        if place_keys & here.routine.effects.compute_rule_written_keys(place_keys):
            return after
    elif not isinstance(current, ex.Local):
        return after
    for operator, bound, known in ((">=", bounds[0], room.type.low), ("<=", bounds[1], room.type.high)):
        if bound is not None and bound != known:
            limit = ex.Literal(type=NumberType(bound, bound), span=room.span, value=bound)
            comparison = ex.Comparison(type=FLAG, span=room.span, operator=operator, left=current, right=limit)
            after = assume(after, comparison, truth=True)
    return after


def _check_capacity(node: s.Change, place: typed.Place, room: _CapacityCheck, here: LineContext) -> None:
    """Reports a change without `else:` for which there is never room, or may be none (RW0401, RW0402)."""
    proof = room.prove_fit(here.facts)
    text, bounds = render_brief_place(place), str(room.type)
    if proof is Proof.REFUTED:
        here.proved_error("RW0401", node.head, f"`{text}` holds `{bounds}`, and there is never room for this")
    elif proof is Proof.UNKNOWN:
        remedy = f"write `{node.word} up to`, an `else:`, or check it first in an `if`, a `when` or a `require`"
        amount = render_brief_expression(room.amount)
        shown = f"`{amount}`" if amount != "…" else "this"
        lacks = f"{shown} may be more than is left" if node.word == "take" else f"there may be no room for {shown} more"
        message = f"`{text}` holds `{bounds}`, and {lacks}"
        notes = ("No line above rules this out; if it happens, the run stops here.",)
        here.warning(
            "RW0402", node.head, message, notes=notes, help=_suggest_wider_bounds(node, place, room.type, here) + remedy
        )


def _suggest_wider_bounds(node: s.Change, place: typed.Place, type_: NumberType, here: LineContext) -> str:
    match place:
        case typed.VariablePlace(variable=variable) if here.routine.names.bound[variable.name].verb == "let":
            wider = node.word == "take" and type_.high is not None and (type_.low or 0) > 0
            suggestion = f"give it wider bounds in its first line, `let {variable.name}: 0..{type_.high} = …`; or "
            return suggestion if wider else ""
        case _:
            return ""
