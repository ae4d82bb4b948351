"""Stored values in states as data: what holds them, by the declaration that lists their fields."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.documents.document_nodes import Json
from rulewright.documents.name_table import CELLS, GAME, SETTINGS, SIDES
from rulewright.program.declarations import Field, Program
from rulewright.program.outline.items import DeclaredName

StateData = dict[str, Json]
StatePath = tuple[str, ...]
"""Keys of a state that lead to something in it, such as `units`, `lancers`."""


@dataclass(frozen=True, slots=True)
class FieldOwner:
    """Declaration whose fields everything in one section of a state holds: a kind, a board, the game, the settings."""

    sort: str  # of its fields: `attribute`, `cell`, `side`, `field` or `setting`
    name: str  # of the kind or board; empty for the game and the settings, whose section holds the values itself
    section: StatePath
    fields: Mapping[str, Field]

    @property
    def label(self) -> str:
        """Its name in places of the state, such as `Unit` in `Unit/health`."""
        return self.name or self.section[0]

    def declare_field(self, field: str) -> DeclaredName:
        return DeclaredName(self.sort, f"{self.name}/{field}" if self.name else field)

    def list_holders(self, state: Mapping[str, Any]) -> list[tuple[StatePath, dict[str, Any]]]:
        """Everything in a state that has these fields, with the values that are given."""
        given = find_in_state(state, self.section)
        if not self.name:
            return [(self.section, given or {})]
        members = given.items() if isinstance(given, dict) else ((member, None) for member in given or ())
        return [((*self.section, key), values or {}) for key, values in members]


def list_field_owners(program: Program) -> tuple[FieldOwner, ...]:
    """Owners of all stored fields, in the order of a state."""
    settings = (
        Field(
            name=setting.name,
            address=setting.name,
            type=setting.type,
            start=setting.value,
            title=setting.title,
            span=setting.span,
        )
        for setting in program.settings.values()
    )
    return (
        *(_own_fields("attribute", kind.name, (kind.plural,), kind.fields) for kind in program.kinds.values()),
        *(
            _own_fields(sort, board.name, (board.name, part), fields)
            for board in program.boards.values()
            for sort, part, fields in (("cell", CELLS, board.fields), ("side", SIDES, board.sides))
        ),
        _own_fields("field", "", (GAME,), program.game.values()),
        _own_fields("setting", "", (SETTINGS,), settings),
    )


def _own_fields(sort: str, name: str, section: StatePath, fields: Iterable[Field]) -> FieldOwner:
    return FieldOwner(sort, name, section, {field.name: field for field in fields})


def list_stored_fields(program: Program) -> Iterator[tuple[DeclaredName, Field]]:
    """Stored fields and settings by name, in the order of a state."""
    for owner in list_field_owners(program):
        yield from ((owner.declare_field(name), field) for name, field in owner.fields.items())


def find_in_state(state: Mapping[str, Any], path: StatePath) -> Any:
    """What stands at a path of a state; None where nothing does."""
    given: Any = state
    for key in path:
        given = given.get(key) if isinstance(given, Mapping) else None
    return given


def put_in_state(state: dict[str, Any], path: StatePath, values: Mapping[str, Any]) -> None:
    """Put values at a path of a state whose mappings may be changed; mappings that are lacking are made."""
    given: Any = state
    for key in path:
        inner = given.get(key) or {}
        given[key] = inner if isinstance(inner, dict) else {member: {} for member in inner}
        given = given[key]
    given.update(values)
