"""Values of a start that only the new revision knows: those of attributes that it adds, each with a default.

The old revision plays such a start without them, and the new one with them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.diff.differential_testing.revision_translation import StateData, ValueTranslation
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import CELLS, GAME, SETTINGS, SIDES, NameTable
from rulewright.program.declarations import Board, Field, Kind, Program
from rulewright.program.outline.items import DeclaredName
from rulewright.runtime.state import GameSetup, evaluate_start_value
from rulewright.runtime.type_codecs import value_to_json

_OWNER_WORDS = {"cell": "a cell", "side": "a side of a cell", "field": "the game"}


@dataclass(frozen=True, slots=True)
class AddedValue:
    """A value that the old revision has no place for."""

    holder: tuple[
        str, ...
    ]  # keys of the state of the old revision that lead to what has it, such as `units`, `lancers`
    name: str  # of the attribute
    value: Json
    owner: str  # in words: a `Unit`, a cell
    is_default: bool  # whether the new revision would begin with it anyway


def find_added_values(state: Mapping[str, Any], across: ValueTranslation) -> tuple[AddedValue, ...] | None:
    """Values of a state of the new revision that the old one does not know; `across` leads from new to old.

    `None` where something else is unknown too, or where an attribute may be an old one with another name.
    """
    result: list[AddedValue] = []
    for holder, given, fields in _list_holders(state, across):
        if fields is None:
            return None
        for name, value in given.items():
            if name not in fields.shared:
                field = fields.added.get(name)
                if field is None:
                    return None
                is_default = _is_default(value, field, across.source_program)
                result.append(AddedValue(holder, name, value, fields.owner, is_default))
    has_other = any(across.names.find_new_name("setting", name) is None for name in state.get(SETTINGS) or ()) or any(
        across.names.find_new_name("relation", name) is None
        for name in across.source_program.relations
        if name in state
    )
    return None if has_other else tuple(result)


@dataclass(frozen=True, slots=True)
class _OwnerFields:
    owner: str
    shared: frozenset[str]  # known to both
    added: Mapping[str, Field]  # of the new revision alone, with a default; none where the old one lost some


def _list_holders(
    state: Mapping[str, Any], across: ValueTranslation
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any], _OwnerFields | None]]:
    """Everything that has values, by its keys in the old revision; no fields where that does not know it."""
    new, old = across.source_program, across.target_program
    for kind in new.kinds.values():
        known = old.kinds.get(across.names.find_new_name("kind", kind.name) or "")
        plural = known.plural if known is not None else ""
        fields = _pair_kinds(kind, known, across) if known is not None else None
        things = state.get(kind.plural) or {}
        given_things = things.items() if isinstance(things, dict) else ((thing, {}) for thing in things)
        yield from (((plural, id_), given or {}, fields) for id_, given in given_things)
    for board in new.boards.values():
        other = old.boards.get(across.names.find_new_name("board", board.name) or "")
        name = other.name if other is not None else ""
        paired = _pair_boards(board, other, across) if other is not None else {CELLS: None, SIDES: None}
        for part, fields in paired.items():
            places = (state.get(board.name) or {}).get(part) or {}
            yield from (((name, part, place), given, fields) for place, given in places.items())
    if state.get(GAME):
        yield (GAME,), state[GAME], _pair_games(across)


def _pair_kinds(kind: Kind, known: Kind, across: ValueTranslation) -> _OwnerFields:
    return _pair_fields("attribute", (kind.name, known.name), (kind.fields, known.fields), across)


def _pair_boards(board: Board, known: Board, across: ValueTranslation) -> dict[str, _OwnerFields | None]:
    names = board.name, known.name
    return {
        CELLS: _pair_fields("cell", names, (board.fields, known.fields), across),
        SIDES: _pair_fields("side", names, (board.sides, known.sides), across),
    }


def _pair_games(across: ValueTranslation) -> _OwnerFields:
    games = tuple(across.source_program.game.values()), tuple(across.target_program.game.values())
    return _pair_fields("field", ("", ""), games, across)


def _pair_fields(
    sort: str, owners: tuple[str, str], fields: tuple[Sequence[Field], Sequence[Field]], across: ValueTranslation
) -> _OwnerFields:
    names = [
        {field.name: DeclaredName(sort, "/".join(filter(None, (owner, field.name)))) for field in some}
        for owner, some in zip(owners, fields, strict=True)
    ]
    pairs = across.names.names
    shared = frozenset(name for name, declared in names[0].items() if declared in pairs)
    found = {pairs[names[0][name]] for name in shared}
    has_lost = any(declared not in found for declared in names[1].values())
    added = {} if has_lost else {field.name: field for field in fields[0] if field.name not in shared and field.start}
    return _OwnerFields(_OWNER_WORDS.get(sort) or f"a `{owners[0]}`", shared, added)


def _is_default(value: Json, field: Field, program: Program) -> bool:
    assert field.start is not None
    try:
        start = evaluate_start_value(field.start, field.type)
    except ValueError:  # it reads something
        return False
    return bool(value_to_json(start, field.type, NameTable(program, GameSetup({}))) == value)


def put_added_values(state: StateData, added: Sequence[AddedValue], across: ValueTranslation) -> StateData:
    """State in the form of a revision, with those of the values that it knows; `across` leads there from the old one."""
    result: Any = dict(state)
    for each in added:
        way = _find_holder(each, across)
        if way is not None:
            inner = result
            for key in way:
                inner[key] = dict(inner.get(key) or {})
                inner = inner[key]
            inner[each.name] = each.value
    return result  # type: ignore[no-any-return]


def _find_holder(each: AddedValue, across: ValueTranslation) -> tuple[str, ...] | None:
    """Keys of a holder in the other revision; `None` if that has no such attribute of it."""
    here, there = across.source_program, across.target_program
    section = each.holder[0]
    if section == GAME:
        return each.holder if each.name in there.game else None
    kind = next((kind for kind in here.kinds.values() if kind.plural == section), None)
    if kind is not None:
        other = there.kinds.get(across.names.find_new_name("kind", kind.name) or "")
        known = other is not None and any(field.name == each.name for field in other.fields)
        return (other.plural, *each.holder[1:]) if other is not None and known else None
    board = there.boards.get(across.names.find_new_name("board", section) or "")
    if board is None:
        return None
    fields = board.fields if each.holder[1] == CELLS else board.sides
    return (board.name, *each.holder[1:]) if any(field.name == each.name for field in fields) else None


def list_added_attributes(across: ValueTranslation) -> tuple[str, ...]:
    """The attributes that a new revision adds with a default, in words; `across` leads from new to old."""
    new, old = across.source_program, across.target_program
    owners: list[_OwnerFields | None] = [_pair_games(across)]
    for kind in new.kinds.values():
        known = old.kinds.get(across.names.find_new_name("kind", kind.name) or "")
        owners += [] if known is None else [_pair_kinds(kind, known, across)]
    for board in new.boards.values():
        other = old.boards.get(across.names.find_new_name("board", board.name) or "")
        owners += [] if other is None else _pair_boards(board, other, across).values()
    return tuple(
        dict.fromkeys(_name_attribute(name, one.owner) for one in owners if one is not None for name in one.added)
    )


def _name_attribute(name: str, owner: str) -> str:
    return f"`{name}` of {owner}"


def describe_added_values(added: Sequence[AddedValue]) -> tuple[str, ...]:
    """The attributes whose values make a difference to a default, such as `hill` of a cell."""
    return tuple(dict.fromkeys(_name_attribute(each.name, each.owner) for each in added if not each.is_default))
