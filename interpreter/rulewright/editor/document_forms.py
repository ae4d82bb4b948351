"""A grammar of documents: which names each place of a document can have, and the walk that collects them."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from rulewright.base.frozen import dataclass
from rulewright.checker.symbols import CALLABLE_SPACE, VALUE_SPACE
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.name_table import CELLS, CSV, EACH, GAME, LEGEND, REMOVED, SETTINGS, SIDES, StateSections
from rulewright.editor.name_index import NameRole, NameSpan, NameTarget, RulesetNameTables
from rulewright.program import types as ty
from rulewright.program.declarations import Board, Field, Kind, Program

NameSpans = tuple[NameSpan, ...]


@dataclass(frozen=True, slots=True)
class DocumentForm:
    """Form of a place in a document: what finds the names in its text, keys and items; there are none unless it is said.

    A list of answers by their options is `DocumentForm(item=lambda _: DocumentForm(names_in_text=find_option))`.
    """

    names_in_text: Callable[[str], NameSpans] = lambda _: ()
    # names in a key, and the form of its value
    resolve_key: "Callable[[str], KeyForm]" = lambda _: KeyForm((), ANY_FORM)
    item: "Callable[[int], DocumentForm] | None" = None  # of a list, by position; None: this form
    # form of a mapping, whose keys can determine each other's meaning; None: this form
    enter: "Callable[[MapNode], DocumentForm] | None" = None
    # columns of a table whose rows are the items; empty if this is no table
    column_heads: "Callable[[ListNode], tuple[ColumnHead, ...]]" = lambda _: ()
    is_list: bool = False  # of a value that is a list

    def item_form(self, position: int) -> "DocumentForm":
        """Form of a list item."""
        return self if self.item is None else self.item(position)


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


ANY_FORM: DocumentForm = DocumentForm()


def make_parts_form(forms: Mapping[str, DocumentForm]) -> DocumentForm:
    """Mapping with fixed keys, which are no names."""
    return DocumentForm(resolve_key=lambda written: KeyForm((), forms.get(written, ANY_FORM)))


def make_entries_form(form: DocumentForm) -> DocumentForm:
    """Mapping whose keys are no names, with values of one form."""
    return DocumentForm(resolve_key=lambda _: KeyForm((), form))


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
    match node:
        case MapNode():
            entered = form if form.enter is None else form.enter(node)
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


def make_value_form(type_: ty.Type | None, names: RulesetNameTables) -> DocumentForm:
    """Form of a value of a type; `each` has one value for several things."""

    def resolve_each(written: str) -> KeyForm:
        return KeyForm((), form if written == EACH else ANY_FORM)

    match type_:
        case None:
            return ANY_FORM
        case ty.WordType(values):
            form = DocumentForm(
                lambda written: make_whole_name(written, [names.words.get((values, written))]), resolve_each
            )
        case ty.RecordType(record):
            form = DocumentForm(
                resolve_key=lambda written: KeyForm(
                    make_whole_name(written, [names.attributes.get((record, written))]),
                    make_value_form(_find_record_part_type(record, written, names), names),
                )
            )
        case ty.MapType(key, value):
            keys, values_form = make_value_form(key, names), make_value_form(value, names)
            pair = make_value_form(ty.TupleType((key, value)), names)
            form = DocumentForm(
                resolve_key=lambda written: KeyForm(keys.names_in_text(written), values_form), item=lambda _: pair
            )
        case ty.OptionalType(ty.WordType() as word):
            inner = make_value_form(word, names)
            form = DocumentForm(inner.names_in_text, inner.resolve_key, lambda _: inner)
        case ty.OptionalType(optional):
            inner = make_value_form(optional, names)
            form = DocumentForm(inner.item_form(0).names_in_text, inner.resolve_key, inner.item_form)
        case (
            ty.SetType(item)
            | ty.ListType(item)
            | ty.BagType(item)
            | ty.DeckType(item)
            | ty.DieType(item)
            | ty.PoolType(item)
        ):
            inner = make_value_form(item, names)
            is_list = isinstance(type_, ty.ListType)
            form = DocumentForm(inner.names_in_text, resolve_each, lambda _: inner, is_list=is_list)
        case ty.TupleType(parts):
            forms = dict(enumerate(make_value_form(part, names) for part in parts))
            form = DocumentForm(resolve_key=resolve_each, item=lambda position: forms.get(position, form))
        case _:
            form = DocumentForm(resolve_key=resolve_each)
    return form


def _find_record_part_type(record: str, name: str, names: RulesetNameTables) -> ty.Type | None:
    parts = (part for program in names.programs if record in program.records for part in program.records[record].parts)
    return next((part.type for part in parts if part.name == name), None)


def make_fields_form(owner: str, fields: tuple[Field, ...], names: RulesetNameTables) -> DocumentForm:
    """Mapping from attributes to values."""
    types = {field.name: field.type for field in fields}

    def resolve_field(written: str) -> KeyForm:
        target = names.attributes.get((owner, written))
        return KeyForm(make_whole_name(written, [target]), make_value_form(types.get(written), names))

    return DocumentForm(resolve_key=resolve_field)


def make_state_form(names: RulesetNameTables) -> DocumentForm:
    """A state, or a part of one."""
    forms = tuple(_state_section_forms(program, names) for program in names.programs)

    def resolve_section(written: str) -> KeyForm:
        return next((key_form for form in forms if (key_form := form.get(written)) is not None), KeyForm((), ANY_FORM))

    return DocumentForm(resolve_key=resolve_section)


def _state_section_forms(program: Program, names: RulesetNameTables) -> dict[str, KeyForm]:
    """Sections of a state by all accepted keys."""
    sections = StateSections(program)
    result: dict[str, KeyForm] = {
        GAME: KeyForm((), make_game_form(sections, names)),
        SETTINGS: KeyForm((), make_settings_form(names)),
        REMOVED: KeyForm((), DocumentForm(lambda written: _find_plural_names(written, sections, names))),
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


def _find_plural_names(written: str, sections: StateSections, names: RulesetNameTables) -> NameSpans:
    """Plural in `units/wreck`."""
    plural, slash, _ = written.partition("/")
    kind = sections.kinds.get(plural) if slash else None
    return make_suffix_name(plural, names.declared.get((VALUE_SPACE, kind.plural))) if kind else ()


def make_things_form(kind: Kind, names: RulesetNameTables) -> DocumentForm:
    """Things by id with attributes; common ones under `defaults`."""
    attributes = make_fields_form(kind.name, kind.fields, names)
    return DocumentForm(resolve_key=lambda written: KeyForm((), attributes if written != CSV else ANY_FORM))


def _make_board_form(board: Board, names: RulesetNameTables) -> DocumentForm:
    cells, sides = make_fields_form(board.name, board.fields, names), make_fields_form(board.name, board.sides, names)
    parts = {CELLS: cells, LEGEND: cells, SIDES: sides}
    return make_parts_form({key: make_entries_form(form) for key, form in parts.items()})


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

    return DocumentForm(resolve_key=resolve_game_field)


def make_settings_form(names: RulesetNameTables) -> DocumentForm:
    """Settings with values; a list of values is a matrix."""

    def resolve_setting(written: str) -> KeyForm:
        for program in names.programs:
            called = StateSections(program).settings.get(written)
            if called is not None:
                target = names.declared.get((VALUE_SPACE, called))
                return KeyForm(make_suffix_name(written, target), make_value_form(program.settings[called].type, names))
        return KeyForm((), ANY_FORM)

    return DocumentForm(resolve_key=resolve_setting)
