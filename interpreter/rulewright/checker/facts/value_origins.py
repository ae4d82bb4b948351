"""Origins of values: whether things are in play and cells on the board, and which collections hold a member.

Results are None where nothing shows it, else the assumptions: `entry/<index>` for a parameter that was in play when its
procedure began, as callers have to show.
"""

from collections.abc import Iterator
from enum import Enum

from rulewright.checker.facts.bounds import resolve_only_value, resolve_values
from rulewright.checker.facts.fact_store import FactKey, Facts, ReadKeys, make_key, normalize_claim
from rulewright.checker.facts.inlining import (
    MAX_INLINING_DEPTH,
    inline_selected_collection,
    inline_value,
    iterate_selection_conditions,
    substitute_variable,
)
from rulewright.checker.read_sets import unite_known
from rulewright.program import expressions as ex
from rulewright.program.conditions import is_none_literal
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, CellType, ListType, ThingType, Type, strip_optional

AssumedKeys = ReadKeys | None
NOTHING_ASSUMED: ReadKeys = frozenset()


class Whereabouts(Enum):
    """Where things or cells are as long as nothing takes them away: tag of facts that say so of one, of all members; sort."""

    IN_PLAY = "in play", "all in play", ThingType
    ON_BOARD = "on the board", "all on the board", CellType

    def __init__(self, tag: str, members_tag: str, sort: type) -> None:
        self.tag, self.members_tag, self.sort = tag, members_tag, sort

    def make_key(self, value: Expression) -> FactKey:
        return (self.tag, make_key(value))

    def make_members_key(self, collection: Expression) -> FactKey:
        return (self.members_tag, make_key(collection))

    def is_of(self, type_: Type | None) -> bool:
        """Whether values of the type can be there, or perhaps none."""
        return type_ is not None and isinstance(strip_optional(type_), self.sort)

    def get_reads(self, type_: Type) -> ReadKeys:
        """What takes values of the type away."""
        inner = strip_optional(type_)
        return frozenset({f"{inner.kind}/gone"} if isinstance(inner, ThingType) else ())


IN_PLAY, ON_BOARD = Whereabouts.IN_PLAY, Whereabouts.ON_BOARD


def make_gone_condition(thing: Expression) -> ex.Gone:
    return ex.Gone(type=FLAG, span=thing.span, target=thing)


def prove_there(facts: Facts, value: Expression, place: Whereabouts, depth: int = 0) -> AssumedKeys:
    """Assumptions under which a thing is in play, or a cell on the board; `none` counts as there, for nothing false can be said of it."""
    if depth > MAX_INLINING_DEPTH:
        return None
    if place is IN_PLAY:
        claim = normalize_claim(make_gone_condition(value))
        known = facts.truths.get(claim.key)
        if known is not None:
            return None if known[0] is claim.truth else _get_assumed_entries(known[1])
    if is_none_literal(value) or _is_always_there(facts, value, place):
        return NOTHING_ASSUMED
    known = facts.truths.get(place.make_key(value))
    return _get_assumed_entries(known[1]) if known is not None else _prove_by_origin(facts, value, place, depth)


def _is_always_there(facts: Facts, value: Expression, place: Whereabouts) -> bool:
    """Whether it is of a kind that nothing takes out of play, or the place of a thing."""
    if place is IN_PLAY:
        return get_thing_kind(value) in facts.kind_counts
    return isinstance(value, ex.StoredAttribute) and value.name == "at"


def _get_assumed_entries(sources: ReadKeys) -> ReadKeys:
    return frozenset(source for source in sources if source.startswith("entry/"))


def get_thing_kind(thing: Expression) -> str:
    """Kind of a thing or optional thing; "" of other values."""
    type_ = strip_optional(thing.type)
    return type_.kind if isinstance(type_, ThingType) else ""


def _prove_by_origin(facts: Facts, value: Expression, place: Whereabouts, depth: int) -> AssumedKeys:
    depth += 1
    match value:
        case ex.Local():
            items = resolve_values(facts, value)
            return None if items[0] is value else unite_known(prove_there(facts, item, place, depth) for item in items)
        case ex.Narrowed(operand=operand):
            return prove_there(facts, operand, place, depth)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            claim = normalize_claim(condition)
            known = facts.truths.get(claim.key)
            branches = (then, otherwise) if known is None else (then if known[0] is claim.truth else otherwise,)
            return unite_known(prove_there(facts, branch, place, depth) for branch in branches)
        case ex.Builtin(name="other", arguments=(_, source)):
            return prove_members_there(facts, source, place, depth)
        case ex.TheOnly(binding=binding) if len(binding.variables) == 1:
            return prove_members_there(facts, binding.source, place, depth)
        case ex.Entry(target=target):
            return prove_members_there(facts, target, place, depth)
        case ex.CallFunction() | ex.DerivedAttribute():
            body = inline_value(value, facts.functions, depth)
            return None if body is None else prove_there(facts, body, place, depth)
        case _:
            return None


def prove_members_there(facts: Facts, collection: Expression, place: Whereabouts, depth: int = 0) -> AssumedKeys:
    """Assumptions under which all members of a collection are in play, or on the board."""
    known = facts.truths.get(place.make_members_key(collection))
    if known is not None:
        return _get_assumed_entries(known[1])
    inside = depth + 1
    match collection:
        case ex.InPlay() | ex.Builtin(name="occupants") if place is IN_PLAY:
            return NOTHING_ASSUMED
        case ex.BoardCells() | ex.Builtin(name="neighbours" | "rear_hexes") if place is ON_BOARD:
            return NOTHING_ASSUMED
        case ex.Builtin(name="connected", arguments=(start,), relation=relation) if (
            place is IN_PLAY and relation not in facts.functions
        ):
            return prove_there(facts, start, place, inside)
        case _ if depth > MAX_INLINING_DEPTH:
            return None
        case ex.MakeCollection(items=items):
            return unite_known(prove_there(facts, item, place, inside) for item in items)
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return prove_members_there(facts, binding.source, place, inside)
        case ex.Joined(operator="+", left=left, right=right) | ex.Conditional(then=left, otherwise=right):
            return unite_known(prove_members_there(facts, item, place, inside) for item in (left, right))
        case ex.Joined(left=left):
            return prove_members_there(facts, left, place, inside)
        case ex.Builtin(name="starting_with" | "in some order", arguments=(source, _)):
            return prove_members_there(facts, source, place, inside)
        case ex.Local() if (value := resolve_only_value(facts, collection)) is not collection:
            return prove_members_there(facts, value, place, inside)
        case ex.CallFunction() | ex.DerivedAttribute():
            call = collection, facts.functions, inside
            bodies = inline_value(*call), inline_selected_collection(*call)
            proved = (prove_members_there(facts, body, place, inside) for body in bodies if body is not None)
            return next((item for item in proved if item is not None), None)
        case _:
            return None


def list_supersets(facts: Facts, collection: Expression, depth: int = 0) -> tuple[Expression, ...]:
    """Collections that hold every member of one, the nearest first, without itself."""
    if depth > MAX_INLINING_DEPTH:
        return ()
    match collection:
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return _list_self_and_supersets(facts, binding.source, depth)
        case ex.CallFunction() | ex.DerivedAttribute():
            call = collection, facts.functions, depth + 1
            source = inline_value(*call) or inline_selected_collection(*call)
            return () if source is None else _list_self_and_supersets(facts, source, depth)
        case ex.Joined(operator="+", left=left, right=right):
            first, second = (
                _list_self_and_supersets(facts, left, depth),
                {make_key(wider) for wider in _list_self_and_supersets(facts, right, depth)},
            )
            return tuple(superset for superset in first if make_key(superset) in second)
        case ex.Joined(left=left):
            return _list_self_and_supersets(facts, left, depth)
        case ex.Builtin(name="starting_with" | "in some order" | "sorted", arguments=(source, *_)):
            return _list_self_and_supersets(facts, source, depth)
        case ex.MakeCollection(items=(item,)):
            return _list_member_collections(facts, item, depth)
        case ex.Local() if (value := resolve_only_value(facts, collection)) is not collection:
            return _list_self_and_supersets(facts, value, depth)
        case _:
            return ()


def _list_self_and_supersets(facts: Facts, collection: Expression, depth: int) -> tuple[Expression, ...]:
    return (collection, *list_supersets(facts, collection, depth + 1))


def _list_member_collections(facts: Facts, item: Expression, depth: int) -> tuple[Expression, ...]:
    value = resolve_only_value(facts, item)
    if isinstance(value, ex.Entry) and isinstance(value.target.type, ListType):
        return _list_self_and_supersets(facts, value.target, depth)
    return ()


def iterate_member_conditions(facts: Facts, collection: Expression, item: Expression) -> Iterator[Expression]:
    """Conditions that a collection puts on its members, as conditions on `item`."""
    for depth, source in enumerate((collection, *list_supersets(facts, collection))):
        match resolve_only_value(facts, source):
            case ex.Comprehension(
                binding=Binding(variables=(Variable() as member,), where=where), value=ex.Local() as value
            ) if where is not None and value.variable == member:
                yield substitute_variable(where, member, item)
            case ex.CallFunction() as call:
                yield from iterate_selection_conditions(call, facts.functions, item, depth + 1)
            case _:
                pass


def find_excluded_center(facts: Facts, collection: Expression) -> Expression | None:
    """Cell whose neighbours a collection holds, so that it is no member itself."""
    for candidate in (collection, *list_supersets(facts, collection)):
        if isinstance(candidate, ex.Builtin) and candidate.name in {"neighbours", "rear_hexes"}:
            return candidate.arguments[0]
    return None
