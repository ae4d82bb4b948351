"""What may stand at each place of a document, and the walk that finds the names in one."""

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from rulewright.base.frozen import dataclass
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.name_table import CELLS, CSV, EACH, GAME, LEGEND, REMOVED, SETTINGS, SIDES, StateSections
from rulewright.editor.references.declarations import CALLABLE_SPACE, VALUE_SPACE
from rulewright.editor.references.name_index import NameRole, NameSpan, NameTarget, RulesetNameTables
from rulewright.program import types as ty
from rulewright.program.declarations import Board, Field, Kind, Program

NameSpans = tuple[NameSpan, ...]


class DocumentForm:
    """A place of a document: what its text, its keys and its members name. This one names nothing."""

    role: ClassVar[NameRole | None] = None
    """What names do at this place and below; none where that is said above."""

    def names_in_text(self, written: str) -> NameSpans:
        """The names in a single value."""
        del written
        return ()

    def resolve_key(self, written: str) -> "KeyForm":
        """The names in a key, and what may stand under it."""
        del written
        return KeyForm((), ANY_FORM)

    def item_form(self, position: int) -> "DocumentForm":
        """What a member of a list may be."""
        del position
        return self

    def column_heads(self, table: ListNode) -> "tuple[ColumnHead, ...]":
        """The columns of a table, of which this list is the rows; none where it is no table."""
        del table
        return ()

    def enter_mapping(self, node: MapNode) -> "DocumentForm":
        """The form of this very mapping, which may say in one key what others mean."""
        del node
        return self


@dataclass(frozen=True, slots=True)
class KeyForm:
    """A key of a mapping: the names in it, what stands under it, and what names do in both; none as around it."""

    names: NameSpans
    form: DocumentForm
    role: NameRole | None = None


@dataclass(frozen=True, slots=True)
class ColumnHead:
    """A column of a table: where it is named, the names in it, what its cells may be, and what names do in both."""

    place: ScalarNode
    names: NameSpans
    form: DocumentForm
    role: NameRole


ANY_FORM = DocumentForm()


@dataclass(frozen=True, slots=True)
class TextForm(DocumentForm):
    """Texts with names in them, found by a function; each member of a list, too."""

    find_names: Callable[[str], NameSpans]

    def names_in_text(self, written: str) -> NameSpans:
        """What the function finds."""
        return self.find_names(written)


@dataclass(frozen=True, slots=True)
class MappingForm(DocumentForm):
    """A mapping whose keys are looked up by a function; a list of such is the same."""

    resolve: Callable[[str], KeyForm]

    def resolve_key(self, written: str) -> KeyForm:
        """What the function answers."""
        return self.resolve(written)


@dataclass(frozen=True, slots=True)
class WrappedForm(DocumentForm):
    """What another form is, as far as nothing else is said."""

    form: DocumentForm

    def names_in_text(self, written: str) -> NameSpans:
        """As the form."""
        return self.form.names_in_text(written)

    def resolve_key(self, written: str) -> KeyForm:
        """As the form."""
        return self.form.resolve_key(written)

    def item_form(self, position: int) -> DocumentForm:
        """As the form."""
        return self.form.item_form(position)


def make_whole_name(written: str, targets: Iterable[NameTarget | None]) -> NameSpans:
    """A name that is all of a text; of several that are called so the first, and it is not sure."""
    items = tuple(dict.fromkeys(filter(None, targets)))
    return (NameSpan(0, len(written), items[0], is_sure=len(items) == 1),) if items else ()


def make_suffix_name(written: str, target: NameTarget | None) -> NameSpans:
    """A name behind the prefix of a used ruleset."""
    return () if target is None else (NameSpan(written.rfind(".") + 1, len(written), target),)


def walk_document(
    form: DocumentForm, node: DocumentNode, role: NameRole
) -> Iterator[tuple[MapKey | ScalarNode, NameSpans, NameRole]]:
    """The keys and values of a document with the names in each, and what these do."""
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
    """A value of a type."""

    type: ty.Type
    names: RulesetNameTables

    def names_in_text(self, written: str) -> NameSpans:
        """A word."""
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
        """A part of a record, or a key of a map; `each` holds one value for each of several things."""
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
        """A member."""
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
    """A value of a type; of none nothing is known."""
    return ANY_FORM if type_ is None else ValueForm(type_, names)


def _find_record_part_type(record: str, name: str, names: RulesetNameTables) -> ty.Type | None:
    """The type of a part of a record."""
    parts = (part for program in names.programs if record in program.records for part in program.records[record].parts)
    return next((part.type for part in parts if part.name == name), None)


def make_fields_form(owner: str, fields: tuple[Field, ...], names: RulesetNameTables) -> DocumentForm:
    """A mapping from attributes to values."""
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
    """The sections of a state by every key that may stand for them."""
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
    """The plural in `units/wreck`."""
    plural, slash, _ = written.partition("/")
    kind = sections.kinds.get(plural) if slash else None
    return make_suffix_name(plural, names.declared.get((VALUE_SPACE, kind.plural))) if kind else ()


def make_things_form(kind: Kind, names: RulesetNameTables) -> DocumentForm:
    """Things by their ids, with their attributes; what all of them have stands under `defaults`."""
    attributes = make_fields_form(kind.name, kind.fields, names)
    return MappingForm(lambda written: KeyForm((), attributes if written != CSV else ANY_FORM))


def _make_board_form(board: Board, names: RulesetNameTables) -> DocumentForm:
    cells, sides = make_fields_form(board.name, board.fields, names), make_fields_form(board.name, board.sides, names)
    parts = {CELLS: cells, LEGEND: cells, SIDES: sides}
    below = {key: MappingForm(lambda _, form=form: KeyForm((), form)) for key, form in parts.items()}  # type: ignore[misc]
    return MappingForm(lambda written: KeyForm((), below.get(written, ANY_FORM)))


def make_game_form(sections: StateSections, names: RulesetNameTables) -> DocumentForm:
    """The fields of the game."""

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
    """Settings with their values; a list of values is what a matrix tries."""

    def resolve_setting(written: str) -> KeyForm:
        for program in names.programs:
            called = StateSections(program).settings.get(written)
            if called is not None:
                target = names.declared.get((VALUE_SPACE, called))
                return KeyForm(make_suffix_name(written, target), make_value_form(program.settings[called].type, names))
        return KeyForm((), ANY_FORM)

    return MappingForm(resolve_setting)
