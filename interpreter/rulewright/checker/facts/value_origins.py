"""Origins of values: whether things are in play and cells on the board, and which collections hold a member.

Results are None where nothing shows it, else the assumptions: `entry/<index>` for a parameter that was in play when its
procedure began, as callers have to show.
"""

from collections.abc import Callable, Iterable, Iterator

from rulewright.checker.facts.bounds import resolve_only_value, resolve_values
from rulewright.checker.facts.fact_store import FactKey, Facts, ReadKeys, make_key, normalize_claim
from rulewright.checker.facts.inlining import (
    MAX_INLINING_DEPTH,
    inline_call,
    inline_selected_collection,
    iterate_selection_conditions,
    substitute_variable,
)
from rulewright.program import expressions as ex
from rulewright.program.conditions import is_none_literal
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.program.types import FLAG, CellType, ListType, ThingType, Type, strip_optional

AssumedKeys = ReadKeys | None
_OriginJudge = Callable[[Facts, Expression, int], AssumedKeys]
NOTHING_ASSUMED: ReadKeys = frozenset()


def make_gone_condition(thing: Expression) -> ex.Gone:
    return ex.Gone(type=FLAG, span=thing.span, target=thing)


def make_in_play_key(thing: Expression) -> FactKey:
    return ("in play", make_key(thing))


def make_on_board_key(cell: Expression) -> FactKey:
    return ("on the board", make_key(cell))


def make_all_in_play_key(collection: Expression) -> FactKey:
    return ("all in play", make_key(collection))


def make_all_on_board_key(collection: Expression) -> FactKey:
    return ("all on the board", make_key(collection))


def is_thing(type_: Type) -> bool:
    """Whether values of the type are things, or perhaps none."""
    return isinstance(strip_optional(type_), ThingType)


def is_cell(type_: Type) -> bool:
    """Whether values of the type are cells, or perhaps none."""
    return isinstance(strip_optional(type_), CellType)


def prove_in_play(facts: Facts, thing: Expression, depth: int = 0) -> AssumedKeys:
    """Assumptions under which a thing is in play; `none` counts as in play, for nothing false can be said of it."""
    if depth > MAX_INLINING_DEPTH:
        return None
    claim = normalize_claim(make_gone_condition(thing))
    known = facts.truths.get(claim.key)
    if known is not None:
        return None if known[0] is claim.truth else _get_assumed_entries(known[1])
    if is_none_literal(thing) or get_thing_kind(thing) in facts.kind_counts:
        return NOTHING_ASSUMED
    items = facts.truths.get(make_in_play_key(thing))
    return (
        _get_assumed_entries(items[1])
        if items is not None
        else _prove_by_origin(facts, thing, depth, (prove_in_play, prove_members_in_play))
    )


def _get_assumed_entries(sources: ReadKeys) -> ReadKeys:
    return frozenset(source for source in sources if source.startswith("entry/"))


def get_thing_kind(thing: Expression) -> str:
    """Kind of a thing or optional thing; "" of other values."""
    type_ = strip_optional(thing.type)
    return type_.kind if isinstance(type_, ThingType) else ""


def prove_on_board(facts: Facts, cell: Expression, depth: int = 0) -> AssumedKeys:
    """Assumptions under which a cell is on the board; the place of a thing always is."""
    if depth > MAX_INLINING_DEPTH:
        return None
    known = facts.truths.get(make_on_board_key(cell))
    if known is not None:
        return _get_assumed_entries(known[1])
    if is_none_literal(cell) or (isinstance(cell, ex.StoredAttribute) and cell.name == "at"):
        return NOTHING_ASSUMED
    return _prove_by_origin(facts, cell, depth, (prove_on_board, prove_members_on_board))


def _prove_by_origin(
    facts: Facts, value: Expression, depth: int, judges: tuple[_OriginJudge, _OriginJudge]
) -> AssumedKeys:
    one, members = judges
    match value:
        case ex.Local():
            items = resolve_values(facts, value)
            return None if items[0] is value else combine_assumptions(one(facts, item, depth + 1) for item in items)
        case ex.Narrowed(operand=operand):
            return one(facts, operand, depth + 1)
        case ex.Conditional(condition=condition, then=then, otherwise=otherwise):
            claim = normalize_claim(condition)
            known = facts.truths.get(claim.key)
            branches = (then, otherwise) if known is None else (then if known[0] is claim.truth else otherwise,)
            return combine_assumptions(one(facts, branch, depth + 1) for branch in branches)
        case ex.Builtin(name="other", arguments=(_, source)):
            return members(facts, source, depth + 1)
        case ex.TheOnly(binding=binding) if len(binding.variables) == 1:
            return members(facts, binding.source, depth + 1)
        case ex.Entry(target=target):
            return members(facts, target, depth + 1)
        case ex.CallFunction() | ex.DerivedAttribute():
            body = inline_call(value, facts.functions, depth + 1)
            return one(facts, body.value, depth + 1) if body is not None and body.value is not None else None
        case _:
            return None


def combine_assumptions(assumptions: Iterable[AssumedKeys]) -> AssumedKeys:
    """Union of assumptions; None where one is None."""
    whole: ReadKeys = NOTHING_ASSUMED
    for item in assumptions:
        if item is None:
            return None
        whole |= item
    return whole


def prove_members_in_play(facts: Facts, collection: Expression, depth: int = 0) -> AssumedKeys:
    """Assumptions under which all members of a collection are in play."""
    known = facts.truths.get(make_all_in_play_key(collection))
    if known is not None:
        return _get_assumed_entries(known[1])
    match collection:
        case ex.InPlay() | ex.Builtin(name="occupants"):
            return NOTHING_ASSUMED
        case ex.Builtin(name="connected", arguments=(start,), relation=relation) if relation not in facts.functions:
            return prove_in_play(facts, start, depth + 1)
        case _:
            return _prove_members_by_structure(facts, collection, depth, (prove_in_play, prove_members_in_play))


def prove_members_on_board(facts: Facts, collection: Expression, depth: int = 0) -> AssumedKeys:
    """Assumptions under which all members of a collection are on the board."""
    known = facts.truths.get(make_all_on_board_key(collection))
    if known is not None:
        return _get_assumed_entries(known[1])
    match collection:
        case ex.BoardCells() | ex.Builtin(name="neighbours" | "rear_hexes"):
            return NOTHING_ASSUMED
        case _:
            return _prove_members_by_structure(facts, collection, depth, (prove_on_board, prove_members_on_board))


def _prove_members_by_structure(
    facts: Facts, collection: Expression, depth: int, judges: tuple[_OriginJudge, _OriginJudge]
) -> AssumedKeys:
    if depth > MAX_INLINING_DEPTH:
        return None
    one, members = judges
    match collection:
        case ex.MakeCollection(items=items):
            return combine_assumptions(one(facts, item, depth + 1) for item in items)
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return members(facts, binding.source, depth + 1)
        case ex.Joined(operator="+", left=left, right=right) | ex.Conditional(then=left, otherwise=right):
            return combine_assumptions(members(facts, item, depth + 1) for item in (left, right))
        case ex.Joined(left=left):
            return members(facts, left, depth + 1)
        case ex.Builtin(name="starting_with" | "in some order", arguments=(source, _)):
            return members(facts, source, depth + 1)
        case ex.Local() if (value := resolve_only_value(facts, collection)) is not collection:
            return members(facts, value, depth + 1)
        case ex.CallFunction() | ex.DerivedAttribute():
            generator = (
                members(facts, result_source, depth + 1)
                for result_source in _iterate_result_sources(facts, collection, depth)
            )
            return next((item for item in generator if item is not None), None)
        case _:
            return None


def _iterate_result_sources(facts: Facts, call: Expression, depth: int) -> Iterator[Expression]:
    body = inline_call(call, facts.functions, depth + 1)
    if body is not None and body.value is not None:
        yield body.value
    source = inline_selected_collection(call, facts.functions, depth + 1)
    if source is not None:
        yield source


def make_entry_facts(thing: Expression) -> dict[FactKey, tuple[bool, ReadKeys]]:
    """Facts about a parameter that was in play or on the board when its procedure began."""
    if not isinstance(thing, ex.Local):
        return {}
    sources = frozenset({f"local/{thing.variable.index}", f"entry/{thing.variable.index}"})
    if is_thing(thing.type):
        return {make_in_play_key(thing): (True, sources | {f"{get_thing_kind(thing)}/gone"})}
    return {make_on_board_key(thing): (True, sources)} if is_cell(thing.type) else {}


def list_supersets(facts: Facts, collection: Expression, depth: int = 0) -> tuple[Expression, ...]:
    """Collections that hold every member of one, the nearest first, without itself."""
    if depth > MAX_INLINING_DEPTH:
        return ()
    match collection:
        case ex.Comprehension(binding=binding, value=ex.Local(variable=variable)) if (variable,) == binding.variables:
            return _list_self_and_supersets(facts, binding.source, depth)
        case ex.CallFunction() | ex.DerivedAttribute():
            body = inline_call(collection, facts.functions, depth + 1)
            source = (
                body.value if body is not None else inline_selected_collection(collection, facts.functions, depth + 1)
            )
            return () if source is None else _list_self_and_supersets(facts, source, depth)
        case ex.Joined(operator="+", left=left, right=right):
            first, second = (
                _list_self_and_supersets(facts, left, depth),
                {make_key(and_superset) for and_superset in _list_self_and_supersets(facts, right, depth)},
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
