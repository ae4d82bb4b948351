"""Values of the language and states in documents: attributes, words and parts of records by the types they have."""

from rulewright.frozen import dataclass
from rulewright.inputs.names import CELLS, CSV, EACH, GAME, LEGEND, REMOVED, SETTINGS, SIDES, Sections
from rulewright.program import types as ty
from rulewright.program.declarations import Board, Field, Kind, Program
from rulewright.references.declaring import CALLABLES, NAMES
from rulewright.references.forms import ANYTHING, Form, Keyed, Keys, Parsed, Pieces, tail, whole
from rulewright.references.names import Names


@dataclass(frozen=True, slots=True)
class Value(Form):
    """A value of a type."""

    type: ty.Type
    names: Names

    def text(self, written: str) -> Pieces:
        """A word."""
        match self.type:
            case ty.WordType(values):
                return whole(written, [self.names.words.get((values, written))])
            case (
                ty.OptionalType()
                | ty.SetType()
                | ty.ListType()
                | ty.BagType()
                | ty.DeckType()
                | ty.DieType()
                | ty.PoolType()
            ):
                return self.item(0).text(written)
            case _:
                return ()

    def key(self, written: str) -> Keyed:
        """A part of a record, or a key of a map; `each` holds one value for each of several things."""
        match self.type:
            case ty.OptionalType(inner):
                return Value(inner, self.names).key(written)
            case ty.RecordType(record):
                target = self.names.attributes.get((record, written))
                return Keyed(whole(written, [target]), value_form(_part(record, written, self.names), self.names))
            case ty.MapType(key, value):
                return Keyed(Value(key, self.names).text(written), Value(value, self.names))
            case _:
                return Keyed((), self if written == EACH else ANYTHING)

    def item(self, position: int) -> Form:
        """A member."""
        match self.type:
            case ty.SetType(item) | ty.ListType(item) | ty.BagType(item) | ty.DeckType(item):
                return Value(item, self.names)
            case ty.DieType(face) | ty.PoolType(face):
                return Value(face, self.names)
            case ty.OptionalType(inner):
                return (
                    Value(inner, self.names)
                    if isinstance(inner, ty.WordType)
                    else Value(inner, self.names).item(position)
                )
            case ty.TupleType(parts) if position < len(parts):
                return Value(parts[position], self.names)
            case ty.MapType(key, value):
                return Value(ty.TupleType((key, value)), self.names)
            case _:
                return self


def value_form(type_: ty.Type | None, names: Names) -> Form:
    """A value of a type; of none nothing is known."""
    return ANYTHING if type_ is None else Value(type_, names)


def _part(record: str, name: str, names: Names) -> ty.Type | None:
    """The type of a part of a record."""
    parts = (each for program in names.programs if record in program.records for each in program.records[record].parts)
    return next((each.type for each in parts if each.name == name), None)


def fields_form(owner: str, fields: tuple[Field, ...], names: Names) -> Form:
    """A mapping from attributes to values."""
    types = {each.name: each.type for each in fields}

    def keyed(written: str) -> Keyed:
        target = names.attributes.get((owner, written))
        return Keyed(whole(written, [target]), value_form(types.get(written), names))

    return Keys(keyed)


def state_form(names: Names) -> Form:
    """A state, or a part of one."""
    forms = tuple(_sections(program, names) for program in names.programs)

    def keyed(written: str) -> Keyed:
        return next((found for each in forms if (found := each.get(written)) is not None), Keyed((), ANYTHING))

    return Keys(keyed)


def _sections(program: Program, names: Names) -> dict[str, Keyed]:
    """The sections of a state by every key that may stand for them."""
    sections = Sections(program)
    found: dict[str, Keyed] = {
        GAME: Keyed((), game_form(sections, names)),
        SETTINGS: Keyed((), settings_form(names)),
        REMOVED: Keyed((), Parsed(lambda written: _plural_before(written, sections, names))),
    }
    for key, kind in sections.kinds.items():
        found[key] = Keyed(tail(key, names.declared.get((NAMES, kind.plural))), things_form(kind, names))
    for key, board in sections.boards.items():
        found[key] = Keyed(tail(key, names.declared.get((NAMES, board.name))), _board_form(board, names))
    for key, relation in sections.relations.items():
        found[key] = Keyed(tail(key, names.declared.get((CALLABLES, relation.name))), ANYTHING)
    return found


def _plural_before(written: str, sections: Sections, names: Names) -> Pieces:
    """The plural in `units/wreck`."""
    plural, slash, _ = written.partition("/")
    kind = sections.kinds.get(plural) if slash else None
    return tail(plural, names.declared.get((NAMES, kind.plural))) if kind else ()


def things_form(kind: Kind, names: Names) -> Form:
    """Things by their ids, with their attributes; what all of them have stands under `defaults`."""
    attributes = fields_form(kind.name, kind.fields, names)
    return Keys(lambda written: Keyed((), attributes if written != CSV else ANYTHING))


def _board_form(board: Board, names: Names) -> Form:
    cells, sides = fields_form(board.name, board.fields, names), fields_form(board.name, board.sides, names)
    parts = {CELLS: cells, LEGEND: cells, SIDES: sides}
    below = {key: Keys(lambda _, form=form: Keyed((), form)) for key, form in parts.items()}  # type: ignore[misc]
    return Keys(lambda written: Keyed((), below.get(written, ANYTHING)))


def game_form(sections: Sections, names: Names) -> Form:
    """The fields of the game."""

    def keyed(written: str) -> Keyed:
        whole_name = sections.game.get(written)
        if whole_name is None:
            return Keyed((), ANYTHING)
        prefix, _, plain = whole_name.rpartition(".")
        target = names.attributes.get((f"{prefix}.game" if prefix else "game", plain))
        return Keyed(tail(written, target), value_form(sections.program.game[whole_name].type, names))

    return Keys(keyed)


def settings_form(names: Names) -> Form:
    """Settings with their values; a list of values is what a matrix tries."""

    def keyed(written: str) -> Keyed:
        for program in names.programs:
            called = Sections(program).settings.get(written)
            if called is not None:
                target = names.declared.get((NAMES, called))
                return Keyed(tail(written, target), value_form(program.settings[called].type, names))
        return Keyed((), ANYTHING)

    return Keys(keyed)
