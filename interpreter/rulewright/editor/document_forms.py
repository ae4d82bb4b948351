"""A grammar of documents: which names each place of a document can have, and the walk that collects them."""

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from rulewright.base.frozen import dataclass
from rulewright.checker.symbols import CALLABLE_SPACE, VALUE_SPACE
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.name_table import CELLS, CSV, EACH, GAME, LEGEND, REMOVED, SETTINGS, SIDES, StateSections
from rulewright.editor.name_index import NameRole, NameSpan, NameTarget, RulesetNameTables
from rulewright.program import types as ty
from rulewright.program.declarations import Board, Field, Kind, Program

NameSpans = tuple[NameSpan, ...]


class DocumentForm:
    """Form of a place in a document: names in its text, keys and items. The base class has none."""

    role: ClassVar[NameRole | None] = None
    """Role of names here and below; None: as above."""

    def names_in_text(self, written: str) -> NameSpans:
        """Names in a scalar."""
        del written
        return ()

    def resolve_key(self, written: str) -> "KeyForm":
        """Names in a key, and the form of its value."""
        del written
        return KeyForm((), ANY_FORM)

    def item_form(self, position: int) -> "DocumentForm":
        """Form of a list item."""
        del position
        return self

    def column_heads(self, table: ListNode) -> "tuple[ColumnHead, ...]":
        """Columns of a table whose rows are the items; empty if this is no table."""
        del table
        return ()

    def enter_mapping(self, node: MapNode) -> "DocumentForm":
        """Form of this mapping, whose keys can determine each other's meaning."""
        del node
        return self


@dataclass(frozen=True, slots=True)
class KeyForm:
    """Names in a key, the form of its value, and the role of both; None: as around it."""

    names: NameSpans
    form: DocumentForm
    role: NameRole | None = None


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """Place, names, cell form and role of a table column."""

    place: ScalarNode
    names: NameSpans
    form: DocumentForm
    role: NameRole


ANY_FORM = DocumentForm()


@dataclass(frozen=True, slots=True)
class TextForm(DocumentForm):
    """Scalars, or lists of scalars, whose names a function finds."""

    find_names: Callable[[str], NameSpans]

    def names_in_text(self, written: str) -> NameSpans:
        return self.find_names(written)


@dataclass(frozen=True, slots=True)
class MappingForm(DocumentForm):
    """Mapping, or list of mappings, whose keys a function resolves."""

    resolve: Callable[[str], KeyForm]

    def resolve_key(self, written: str) -> KeyForm:
        return self.resolve(written)


@dataclass(frozen=True, slots=True)
class WrappedForm(DocumentForm):
    """Base of forms that delegate to another."""

    form: DocumentForm

    def names_in_text(self, written: str) -> NameSpans:
        return self.form.names_in_text(written)

    def resolve_key(self, written: str) -> KeyForm:
        return self.form.resolve_key(written)

    def item_form(self, position: int) -> DocumentForm:
        return self.form.item_form(position)


def make_whole_name(written: str, targets: Iterable[NameTarget | None]) -> NameSpans:
    """Name that spans a whole text; unsure if there are several targets."""
    items = tuple(dict.fromkeys(filter(None, targets)))
    return (NameSpan(0, len(written), items[0], is_sure=len(items) == 1),) if items else ()


def make_suffix_name(written: str, target: NameTarget | None) -> NameSpans:
    """Name after the prefix of a used ruleset."""
    return () if target is None else (NameSpan(written.rfind(".") + 1, len(written), target),)


def walk_document(
    form: DocumentForm, node: DocumentNode, role: NameRole
) -> Iterator[tuple[MapKey | ScalarNode, NameSpans, NameRole]]:
    """Keys and scalars of a document, each with its names and their role."""
    role = form.role or role
    match node:
        case MapNode():
            entered = form.enter_mapping(node)
            for key, item in node:
                keyed = entered.resolve_key(key.text)
                yield key, keyed.names, keyed.role or role
                yield from walk_document(keyed.form, item, keyed.role or role)
        case ListNode(items) if heads := form.column_heads(node):
            for head in heads:
                yield head.place, head.names, head.role
            for row in items[1:]:
                for head, cell in zip(heads, row.items if isinstance(row, ListNode) else (), strict=False):
                    yield from walk_document(head.form, cell, head.role)
        case ListNode(items):
            for position, each in enumerate(items):
                yield from walk_document(form.item_form(position), each, role)
        case ScalarNode():
            yield node, form.names_in_text(node.written), role


@dataclass(frozen=True, slots=True)
class ValueForm(DocumentForm):
    """Value of a type."""

    type: ty.Type
    names: RulesetNameTables

    def names_in_text(self, written: str) -> NameSpans:
        match self.type:
            case ty.WordType(values):
                return make_whole_name(written, [self.names.words.get((values, written))])
            case (
                ty.OptionalType()
                | ty.SetType()
                | ty.ListType()
                | ty.BagType()
                | ty.DeckType()
                | ty.DieType()
                | ty.PoolType()
            ):
                return self.item_form(0).names_in_text(written)
            case _:
                return ()

    def resolve_key(self, written: str) -> KeyForm:
        """Part of a record, or key of a map; `each` has one value for several things."""
        match self.type:
            case ty.OptionalType(inner):
                return ValueForm(inner, self.names).resolve_key(written)
            case ty.RecordType(record):
                target = self.names.attributes.get((record, written))
                return KeyForm(
                    make_whole_name(written, [target]),
                    make_value_form(_find_record_part_type(record, written, self.names), self.names),
                )
            case ty.MapType(key, value):
                return KeyForm(ValueForm(key, self.names).names_in_text(written), ValueForm(value, self.names))
            case _:
                return KeyForm((), self if written == EACH else ANY_FORM)

    def item_form(self, position: int) -> DocumentForm:
        match self.type:
            case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
                return ValueForm(item, self.names)
            case ty.DieType(face) | ty.PoolType(face):
                return ValueForm(face, self.names)
            case ty.OptionalType(inner):
                return (
                    ValueForm(inner, self.names)
                    if isinstance(inner, ty.WordType)
                    else ValueForm(inner, self.names).item_form(position)
                )
            case ty.TupleType(parts) if position < len(parts):
                return ValueForm(parts[position], self.names)
            case ty.MapType(key, value):
                return ValueForm(ty.TupleType((key, value)), self.names)
            case _:
                return self


def make_value_form(type_: ty.Type | None, names: RulesetNameTables) -> DocumentForm:
    """Form of a value of a type."""
    return ANY_FORM if type_ is None else ValueForm(type_, names)


def _find_record_part_type(record: str, name: str, names: RulesetNameTables) -> ty.Type | None:
    parts = (part for program in names.programs if record in program.records for part in program.records[record].parts)
    return next((part.type for part in parts if part.name == name), None)


def make_fields_form(owner: str, fields: tuple[Field, ...], names: RulesetNameTables) -> DocumentForm:
    """Mapping from attributes to values."""
    types = {field.name: field.type for field in fields}

    def resolve_field(written: str) -> KeyForm:
        target = names.attributes.get((owner, written))
        return KeyForm(make_whole_name(written, [target]), make_value_form(types.get(written), names))

    return MappingForm(resolve_field)


def make_state_form(names: RulesetNameTables) -> DocumentForm:
    """A state, or a part of one."""
    forms = tuple(_state_section_forms(program, names) for program in names.programs)

    def resolve_section(written: str) -> KeyForm:
        return next((key_form for form in forms if (key_form := form.get(written)) is not None), KeyForm((), ANY_FORM))

    return MappingForm(resolve_section)


def _state_section_forms(program: Program, names: RulesetNameTables) -> dict[str, KeyForm]:
    """Sections of a state by all accepted keys."""
    sections = StateSections(program)
    result: dict[str, KeyForm] = {
        GAME: KeyForm((), make_game_form(sections, names)),
        SETTINGS: KeyForm((), make_settings_form(names)),
        REMOVED: KeyForm((), TextForm(lambda written: _plural_name_span(written, sections, names))),
    }
    for key, kind in sections.kinds.items():
        result[key] = KeyForm(
            make_suffix_name(key, names.declared.get((VALUE_SPACE, kind.plural))), make_things_form(kind, names)
        )
    for key, board in sections.boards.items():
        result[key] = KeyForm(
            make_suffix_name(key, names.declared.get((VALUE_SPACE, board.name))), _make_board_form(board, names)
        )
    for key, relation in sections.relations.items():
        result[key] = KeyForm(make_suffix_name(key, names.declared.get((CALLABLE_SPACE, relation.name))), ANY_FORM)
    return result


def _plural_name_span(written: str, sections: StateSections, names: RulesetNameTables) -> NameSpans:
    """Plural in `units/wreck`."""
    plural, slash, _ = written.partition("/")
    kind = sections.kinds.get(plural) if slash else None
    return make_suffix_name(plural, names.declared.get((VALUE_SPACE, kind.plural))) if kind else ()


def make_things_form(kind: Kind, names: RulesetNameTables) -> DocumentForm:
    """Things by id with attributes; common ones under `defaults`."""
    attributes = make_fields_form(kind.name, kind.fields, names)
    return MappingForm(lambda written: KeyForm((), attributes if written != CSV else ANY_FORM))


def _make_board_form(board: Board, names: RulesetNameTables) -> DocumentForm:
    cells, sides = make_fields_form(board.name, board.fields, names), make_fields_form(board.name, board.sides, names)
    parts = {CELLS: cells, LEGEND: cells, SIDES: sides}
    below = {key: MappingForm(lambda _, form=form: KeyForm((), form)) for key, form in parts.items()}  # type: ignore[misc]
    return MappingForm(lambda written: KeyForm((), below.get(written, ANY_FORM)))


def make_game_form(sections: StateSections, names: RulesetNameTables) -> DocumentForm:
    """Fields of the game."""

    def resolve_game_field(written: str) -> KeyForm:
        whole_name = sections.game.get(written)
        if whole_name is None:
            return KeyForm((), ANY_FORM)
        prefix, _, plain = whole_name.rpartition(".")
        target = names.attributes.get((f"{prefix}.game" if prefix else "game", plain))
        return KeyForm(
            make_suffix_name(written, target), make_value_form(sections.program.game[whole_name].type, names)
        )

    return MappingForm(resolve_game_field)


def make_settings_form(names: RulesetNameTables) -> DocumentForm:
    """Settings with values; a list of values is a matrix."""

    def resolve_setting(written: str) -> KeyForm:
        for program in names.programs:
            called = StateSections(program).settings.get(written)
            if called is not None:
                target = names.declared.get((VALUE_SPACE, called))
                return KeyForm(make_suffix_name(written, target), make_value_form(program.settings[called].type, names))
        return KeyForm((), ANY_FORM)

    return MappingForm(resolve_setting)
