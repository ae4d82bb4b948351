"""Lines that change a value: `set`, `add`, `take`, with the three ways to meet a bound (manual, Changing state)."""

from rulewright.analysis import promises
from rulewright.analysis.facts import Facts, Proof, define, number_range, prove, suppose
from rulewright.analysis.facts.assignments import added
from rulewright.analysis.facts.intervals import Range, apart, within
from rulewright.analysis.infer.references import place, written_keys
from rulewright.analysis.infer.slots import fit, fitted
from rulewright.analysis.named_things import resolve
from rulewright.analysis.routines.legality import warn_if_removed
from rulewright.analysis.routines.routine_context import Done, Here, join
from rulewright.analysis.symbols import Symbol
from rulewright.diagnostics import Edit
from rulewright.frozen import dataclass
from rulewright.program import expressions as ex, statements as typed
from rulewright.program.expressions import Binding, Expression
from rulewright.program.types import COUNT, FLAG, WHOLE, BagType, DeckType, ListType, NumberType, SetType, Type
from rulewright.program.walk import root_of, value_at
from rulewright.program.wording import place_wording, sort_in_words, wording
from rulewright.source import Span
from rulewright.syntax.nodes import declarations as d, expressions as e, statements as s

_VERBS = {"at": "`move` or `place`", "facing": "`turn`"}


def place_of(node: e.Expression, here: Here, line: s.Set | None = None) -> typed.Place | None:
    """What a line changes; reports parameters, names of loops, and what only verbs of the board may change."""
    found = place(node, here.scope)
    if found is None or not _may_change(root_of(found), node.span, here):
        return None
    if isinstance(found, typed.AttributePlace) and found.name in _VERBS:
        message = f"`{found.name}` is changed with {_VERBS[found.name]}, because the board must know of it"
        here.error("RW0505", node.span, message, edits=_by_verb(node, line))
        return None
    return found


def _by_verb(node: e.Expression, line: s.Set | None) -> tuple[Edit, ...]:
    """The edits that write `move u to` or `turn u to` for `set u.at to` and `set u.facing to`."""
    if line is None or not isinstance(node, e.Attribute):
        return ()
    verb = {"at": "move", "facing": "turn"}[node.name.text]
    start = Span(node.span.source, line.head.start, node.target.span.start)
    gone = Edit(Span(node.span.source, node.target.span.end, node.span.end), "", safe=True)
    return Edit(start, f"{verb} ", safe=True), gone


def _may_change(root: typed.Place, span: Span, here: Here) -> bool:
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


def set_line(node: s.Set, here: Here) -> Done:
    """`set place to value`."""
    place = place_of(node.place, here, node)
    if place is None:
        return None, here.facts
    scope, type_ = here.scope, place.type
    value = fitted(node.value, type_, scope, f"`{place_wording(place)}`")
    return (None, _written(place, here)) if value is None else _assigned(node, place, value, here)


def _assigned(node: s.Set | s.Change, place: typed.Place, value: Expression, here: Here) -> Done:
    """A line that gives a place a value."""
    made = typed.Assign(**here.mark(node), place=place, value=value)
    if isinstance(place, typed.VariablePlace):
        return made, define(here.facts, place.variable, value)
    held = value_at(place, node.place.span)
    here.keeping(held, (value,), node.head)
    if isinstance(held, ex.StoredAttribute | ex.GameField):
        return made, here.after_setting(held, value)
    return made, _written(place, here)


def _written(place: typed.Place, here: Here) -> Facts:
    root = root_of(place)
    if isinstance(root, typed.AttributePlace):
        warn_if_removed(root.target, "changed", root.target.span, here)
    return here.after_writing(written_keys(place))


def change_line(node: s.Change, here: Here) -> Done:
    """`add` and `take`: of a number, of a member, of a pair of a relation."""
    relation = _relation(node.place, here)
    if relation is not None:
        return _pair(node, relation, here)
    place = place_of(node.place, here)
    if place is None:
        return None, here.facts
    match place.type:
        case NumberType() | SetType() if node.copied is not None:
            message = f"several of one are added to a list, bag or deck, and this is {sort_in_words(place.type)}"
            here.error("RW0506", node.place.span, message)
            return None, _written(place, here)
        case NumberType() as type_:
            return _amount(node, place, type_, here)
        case SetType(item) | ListType(item) | BagType(item) | DeckType(item):
            return _members(node, place, item, here)
        case type_:
            message = f"`{node.word}` works on numbers, collections and relations, and this is {sort_in_words(type_)}"
            here.error("RW0506", node.place.span, message, help=f"change it with `set {place_wording(place)} to …`")
            return None, _written(place, here)


def _relation(node: e.Expression, here: Here) -> Symbol | None:
    names = e.dotted(node, "")
    if names[0] in {"", *here.scope.locals}:
        return None
    found = resolve(e.joined(names, node.span), here.routine.scope.module)
    return found[0] if found is not None and found[0].sort == "relation" else None


def _pair(node: s.Change, relation: Symbol, here: Here) -> Done:
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
    ends = [here.fitted(item, type_, "this end of the relation") for item, (_, type_) in pairs]
    facts = here.after_writing(frozenset({relation.name}))
    if None in ends:
        return None, facts
    first, second = ends
    take = node.word == "take"
    made = typed.AddPair(**here.mark(node), relation=relation.name, first=first, second=second, take=take)  # type: ignore[arg-type]
    return made, facts


def _members(node: s.Change, place: typed.Place, item: Type, here: Here) -> Done:
    """A line that adds or takes one member, several of one, or all members of a collection."""
    if node.copied is not None:
        return _joined(node, place, item, _copies(node, node.copied, item, here), here)
    nested = isinstance(item, SetType | ListType | BagType | DeckType)
    literal = isinstance(node.amount, e.Collection | e.Comprehension) and not nested
    found = here.scope.infer(node.amount, place.type if literal else item)
    if found is not None and not nested and _is_whole(found.type, place.type, node.word):
        return _joined(node, place, item, found, here)
    return _member(node, place, found and fit(found, item, here.scope, f"a member of `{place_wording(place)}`"), here)


def _is_whole(given: Type, held: Type, word: str) -> bool:
    """Whether all members of a collection can be added to another, or taken from it, at once."""
    if isinstance(held, SetType) or word == "take":
        return isinstance(held, SetType) and isinstance(given, SetType)
    return isinstance(given, SetType | ListType | type(held))


def _copies(node: s.Change, copied: e.Expression, item: Type, here: Here) -> Expression | None:
    """So many of a member, as a list."""
    times = here.fitted(node.amount, COUNT, "how many are added")
    member, span = here.fitted(copied, item, "what is added"), node.amount.span
    if times is None or member is None:
        return None
    one = ex.Literal(type=NumberType(1, 1), span=span, value=1)
    each = Binding((None,), ex.Interval(type=ListType(COUNT), span=span, low=one, high=times), None)
    return ex.Comprehension(type=ListType(item), span=span, binding=each, value=member)


def _joined(node: s.Change, place: typed.Place, item: Type, found: Expression | None, here: Here) -> Done:
    """A line that adds all members of a collection, or takes those that are there."""
    if found is None:
        return None, _written(place, here)
    wanted = next((sort(item) for sort in (SetType, ListType) if isinstance(found.type, sort)), place.type)
    given = fit(found, wanted, here.scope, f"what is added to `{place_wording(place)}`")
    if node.up_to or node.otherwise is not None:
        here.error("RW0506", node.head, "this always does what it can", help="leave out `up to` and the `else:`")
    if given is None:
        return None, _written(place, here)
    operator = "+" if node.word == "add" else "-"
    held = value_at(place, node.place.span)
    value = ex.Joined(type=place.type, span=node.head, operator=operator, left=held, right=given)
    return _assigned(node, place, value, here)


def _member(node: s.Change, place: typed.Place, member: Expression | None, here: Here) -> Done:
    if node.up_to:
        here.error("RW0506", node.head, "`up to` is for numbers, and this is a collection")
        return None, here.facts
    done = _written(place, here)
    if member is not None and isinstance(place, typed.VariablePlace):
        held = value_at(place, node.place.span)
        done = added(here.facts, done, held, member if node.word == "add" else None)
    otherwise, other = (None, None) if node.otherwise is None else here.block(node.otherwise)
    after = join((done, other)) if node.otherwise is not None else done
    if member is None:
        return None, after
    take = node.word == "take"
    if take and node.otherwise is None and not isinstance(place.type, SetType):
        _held(place, member, node, here)
    return typed.AddMember(**here.mark(node), place=place, member=member, take=take, otherwise=otherwise), after


def _held(place: typed.Place, member: Expression, node: s.Change, here: Here) -> None:
    """Warns where what is taken from a list, bag or deck may not be in it (RW0423)."""
    held = value_at(place, node.place.span)
    there = ex.Membership(type=FLAG, span=node.head, item=member, collection=held, negated=False)
    text, taken = place_wording(place), wording(member)
    remedy = f"add an `else:`, or ask first: `if {taken} in {text}:`"
    if isinstance(member, ex.Local) and member.variable.name in here.routine.names.secret:
        remedy = f"take `{taken}` from where it was asked for, or put on every way here: all see it if the run stops"
    said = (
        f"`{text}` may not hold what is taken from it",
        f"`{text}` does not hold what is taken from it",
        remedy,
    )
    promises.need(promises.holding("RW0423", there, node.head, said), here.scope)


@dataclass(frozen=True, slots=True)
class _Room:
    """What a change of a number needs: that the place minus or plus the amount stays in its bounds."""

    held: Expression
    amount: Expression
    take: bool
    type: NumberType
    span: Span

    @property
    def after(self) -> Expression:
        """The number after the change."""
        operator = "-" if self.take else "+"
        return ex.Arithmetic(type=WHOLE, span=self.span, operator=operator, left=self.held, right=self.amount)

    def kept(self, *, up_to: bool) -> Expression:
        """The number that the place then holds."""
        bound = self.type.low if self.take else self.type.high
        if not up_to or bound is None:
            return self.after
        limit = ex.Literal(type=NumberType(bound, bound), span=self.span, value=bound)
        word = "max" if self.take else "min"
        return ex.Builtin(type=self.type, span=self.span, name=word, arguments=(limit, self.after))

    def condition(self) -> Expression | None:
        """The condition that there is room, or none where no bound stands in the way."""
        bound = self.type.low if self.take else self.type.high
        if bound is None:
            return None
        if self.take and bound == 0:
            return ex.Comparison(type=FLAG, span=self.span, operator=">=", left=self.held, right=self.amount)
        limit = ex.Literal(type=NumberType(bound, bound), span=self.span, value=bound)
        return ex.Comparison(
            type=FLAG, span=self.span, operator=">=" if self.take else "<=", left=self.after, right=limit
        )

    def proof(self, facts: Facts) -> Proof:
        """Whether there is room."""
        condition = self.condition()
        known = number_range(facts, self.after)
        wanted = (self.type.low, None) if self.take else (None, self.type.high)
        if condition is None or within(known, wanted):
            return Proof.PROVED
        return Proof.REFUTED if apart(known, wanted) else prove(facts, condition)


def _amount(node: s.Change, place: typed.Place, type_: NumberType, here: Here) -> Done:
    scope = here.scope
    amount = fitted(node.amount, COUNT, scope, "the amount")
    if amount is None:
        if node.otherwise is not None:
            here.block(node.otherwise)
        return None, _written(place, here)
    room = _Room(value_at(place, node.place.span), amount, node.word == "take", type_, node.head)
    has_room = room.condition()
    fits = here if has_room is None or node.up_to else here.knowing(suppose(here.facts, has_room, truth=True))
    fits.keeping(room.held, (room.kept(up_to=node.up_to),), node.head)
    kept = number_range(fits.facts, room.kept(up_to=node.up_to))
    otherwise, after = _ended(node, place, room, kept, here)
    made = typed.AddAmount(
        **here.mark(node),
        place=place,
        amount=amount,
        take=room.take,
        up_to=node.up_to,
        low=type_.low,
        high=type_.high,
        otherwise=otherwise,
    )
    return made, after


def _ended(
    node: s.Change, place: typed.Place, room: _Room, kept: Range, here: Here
) -> tuple[typed.Block | None, Facts | None]:
    """What is done where there is no room, and what is known after the change, where the number is in a range."""
    after = _bounded_after(place, room, kept, here)
    if node.up_to and node.otherwise is not None:
        remedy = "leave out `up to`, or the `else:`"
        here.error("RW0506", node.head, "`up to` always does what it can, so its `else:` never runs", help=remedy)
    elif node.otherwise is not None:
        condition = room.condition()
        without = here.facts if condition is None else suppose(here.facts, condition, truth=False)
        otherwise, other = here.knowing(without).block(node.otherwise)
        return otherwise, join((after, other))
    elif not node.up_to:
        _judge_room(node, place, room, here)
    return None, after


def _bounded_after(place: typed.Place, room: _Room, kept: Range, here: Here) -> Facts:
    """What is known after a change: what may have been written is forgotten, and the number has new bounds."""
    after, held = _written(place, here), room.held
    if isinstance(held, ex.GameField) or (isinstance(held, ex.StoredAttribute) and isinstance(held.target, ex.Local)):
        own = frozenset({f"{held.kind}/{held.name}" if isinstance(held, ex.StoredAttribute) else f"game/{held.name}"})
        if own & here.routine.effects.settling(own):
            return after
    elif not isinstance(held, ex.Local):
        return after
    for operator, bound, known in ((">=", kept[0], room.type.low), ("<=", kept[1], room.type.high)):
        if bound is not None and bound != known:
            limit = ex.Literal(type=NumberType(bound, bound), span=room.span, value=bound)
            said = ex.Comparison(type=FLAG, span=room.span, operator=operator, left=held, right=limit)
            after = suppose(after, said, truth=True)
    return after


def _judge_room(node: s.Change, place: typed.Place, room: _Room, here: Here) -> None:
    """Reports a change without an `else:` for which there is never room, or may be none (RW0401, RW0402)."""
    proof = room.proof(here.facts)
    text, bounds = place_wording(place), str(room.type)
    if proof is Proof.REFUTED:
        here.error("RW0401", node.head, f"`{text}` holds `{bounds}`, and there is never room for this")
    elif proof is Proof.UNKNOWN:
        remedy = f"write `{node.word} up to`, an `else:`, or check it first in an `if`, a `when` or a `require`"
        amount = wording(room.amount)
        shown = f"`{amount}`" if amount != "…" else "this"
        lacks = f"{shown} may be more than is left" if node.word == "take" else f"there may be no room for {shown} more"
        message = f"`{text}` holds `{bounds}`, and {lacks}"
        notes = ("No line above rules this out; if it happens, the run stops here.",)
        here.warning("RW0402", node.head, message, notes=notes, help=_wider(node, place, room.type, here) + remedy)


def _wider(node: s.Change, place: typed.Place, type_: NumberType, here: Here) -> str:
    """How to let a name of the procedure go down to 0, whose bounds its first value may have given it."""
    match place:
        case typed.VariablePlace(variable=variable) if here.routine.names.bound[variable.name].verb == "let":
            wider = node.word == "take" and type_.high is not None and (type_.low or 0) > 0
            said = f"give it wider bounds in its first line, `let {variable.name}: 0..{type_.high} = …`; or "
            return said if wider else ""
        case _:
            return ""
