"""Situations, and what an external alters, as JSON data in the form of state files."""

from collections.abc import Callable, Iterator, Mapping as MappingOf, Sequence
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.inputs.board_file import HEX, shape_of
from rulewright.inputs.document_schemas import CONTACT, DEPTH, WIDTH, shapes_of
from rulewright.inputs.findings import Findings, Wrong, one_of, quoted, shown
from rulewright.inputs.names import CELLS, COORDINATES, GAME, REMOVED, SETTINGS, SHAPE, SIDES, Names, Sections
from rulewright.inputs.nodes import Json, Key, Mapping, Node, name_of
from rulewright.inputs.state_file import read_attribute, removed_things
from rulewright.inputs.value_reader import ValueReader, starting
from rulewright.machine.geometry import of_thousandths
from rulewright.machine.state import TOLERANCES, Plane, Situation
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Field, Kind, Program
from rulewright.program.offsets import AXIAL, written
from rulewright.program.plane import decimal


def state_json(
    situation: Situation, program: Program, before: tuple[Situation, dict[str, Json]] | None = None
) -> dict[str, Json]:
    """What `read_state` reads back as the same situation: every attribute, and cells off their start.

    Things that are as in a situation of the same play before, with its data, are not written out again.
    """
    names = Names(program, situation.base)
    written: dict[str, Json] = {
        kind.plural: before[1][kind.plural]
        if before and before[0].base is situation.base and _is_alike(kind, before[0], situation)
        else _things(kind.name, situation, names)
        for kind in program.kinds.values()
    }
    for board in program.boards.values():
        if board.space != "plane" or situation.base.plane != Plane(contact=TOLERANCES[board.unit]):
            written[board.name] = _board(board, situation, names)
    if program.game:
        written[GAME] = {name: to_json(situation.game[name], each.type, names) for name, each in program.game.items()}
    for name, relation in program.relations.items():
        if pairs := situation.relations.get(name):
            one, other = (each.type for each in relation.parameters)
            written[name] = [[to_json(a, one, names), to_json(b, other, names)] for a, b in pairs]
    if program.settings:
        settings = program.settings.items()
        written[SETTINGS] = {name: to_json(situation.base.settings[name], each.type, names) for name, each in settings}
    removed = _removed(situation, names)
    return written | ({REMOVED: removed} if removed else {})


def _is_alike(kind: Kind, before: Situation, after: Situation) -> bool:
    addresses = (f"{kind.name}/{each.name}" for each in kind.fields)
    return all(before.attributes[each] == after.attributes[each] for each in addresses)


def _things(kind: str, situation: Situation, names: Names) -> Json:
    fields = names.program.kinds[kind].fields
    return {
        id_: {
            each.name: to_json(situation.attributes[f"{kind}/{each.name}"][number], each.type, names) for each in fields
        }
        for number, id_ in enumerate(names.ids(kind))
    }


def _board(board: Board, situation: Situation, names: Names) -> Json:
    if board.space == "plane":
        return board_json(situation.base.plane, board.unit)
    way = names.coordinates if board.space == HEX else AXIAL
    shape = shape_of(situation.base.boards[board.name], board, way)
    written: dict[str, Json] = {SHAPE: shape} if way == AXIAL else {COORDINATES: way, SHAPE: shape}
    cells = _places(board, board.fields, situation.cells, lambda cell: _cell_key(cell, way), names)
    sides = _places(
        board, board.sides, situation.sides, lambda side: " ".join(_cell_key(each, way) for each in side), names
    )
    return written | ({CELLS: cells} if cells else {}) | ({SIDES: sides} if sides else {})


def _places(
    board: Board,
    fields: tuple[Field, ...],
    stored: MappingOf[str, MappingOf[Any, Value]],
    key: Callable[[Any], str],
    names: Names,
) -> dict[str, Json]:
    written: dict[str, dict[str, Json]] = {}
    for each in fields:
        for place, value in sorted(stored.get(f"{board.name}/{each.name}", {}).items()):
            written.setdefault(key(place), {})[each.name] = to_json(value, each.type, names)
    return {place: dict(values) for place, values in written.items()}


def _cell_key(cell: Cell, way: str) -> str:
    return "{},{}".format(*written(cell, way))


def _removed(situation: Situation, names: Names) -> list[Json]:
    """Ids of things out of play, with the plural of their kind where several things are called so."""
    owners: dict[str, int] = {}
    for ids in situation.base.things.values():
        for id_ in ids:
            owners[id_] = owners.get(id_, 0) + 1
    return [
        id_ if owners[id_] == 1 else f"{kind.plural}/{id_}"
        for kind in names.program.kinds.values()
        for number in sorted(situation.gone.get(kind.name, ()))
        for id_ in [names.thing(kind.name, number)]
    ]


Change = tuple[str, int | None, Value]


def read_changes(node: Node, allowed: Sequence[str], names: Names, findings: Findings) -> tuple[Change, ...]:
    """Changes as place, thing number (none for `game`) and new value, in order of place and number.

    `allowed` holds places such as `Unit/morale`, `Unit/gone` and `game/active`. Reports RW0732 (a change the
    external may not make), RW0713, RW0714, RW0716 and what `ValueReader` does.
    """
    if not isinstance(node, Mapping):
        findings.error("RW0713", node, f"`changes` is {shown(node)}; it must be a mapping, in the form of a state file")
        return ()
    found = _ChangeReader(allowed, names, findings).changes(node)
    return tuple(sorted(found, key=lambda change: (change[0], -1 if change[1] is None else change[1])))


class _ChangeReader:
    def __init__(self, allowed: Sequence[str], names: Names, findings: Findings) -> None:
        self.allowed = allowed
        self.findings = findings
        self.values = ValueReader(names, findings)
        self.sections = Sections(names.program)

    def changes(self, root: Mapping) -> Iterator[Change]:
        for key, node in root:
            if key.text == GAME:
                yield from self._game(node)
            elif key.text == REMOVED:
                yield from self._removed(node)
            elif key.text in self.sections.kinds:
                yield from self._things(key, node)
            else:
                self._refuse(key, quoted(key.text))

    def _refuse(self, place: Key | Node, what: str) -> None:
        places = (each.rpartition("/") for each in self.allowed)
        spoken = [name if owner == GAME else f"{owner}.{name}" for owner, _, name in places]
        may = f"it may change {one_of(spoken)}" if spoken else "it changes nothing"
        self.findings.error("RW0732", place, f"this external may not change {what}", help=may)

    def _things(self, section: Key, node: Node) -> Iterator[Change]:
        kind = self.sections.kinds[section.text]
        if not isinstance(node, Mapping):
            self.findings.error("RW0713", node, f"{quoted(section.text)} is {shown(node)}; it must be a mapping")
            return
        for key, attributes in node:
            number = self.values.thing(name_of(key), kind.name, f"a key of {quoted(section.text)}")
            if not isinstance(attributes, Mapping):
                message = f"{quoted(key.text)} is {shown(attributes)}; it must be a mapping of attributes"
                self.findings.error("RW0713", attributes, message)
            elif isinstance(number, int):
                fields = {each.name: each for each in kind.fields}
                yield from self._attributes(attributes, kind.name, fields, (key.text, number))

    def _attributes(
        self, node: Mapping, kind: str, fields: dict[str, Field], thing: tuple[str, int]
    ) -> Iterator[Change]:
        id_, number = thing
        for key, given in node:
            place = f"{kind}/{key.text}"
            if place not in self.allowed or key.text not in fields:
                self._refuse(key, f"{quoted(key.text)} of {quoted(id_)}")
                continue
            field, whose = fields[key.text], quoted(id_)
            if self._fits(given, field, f"`{key.text}` of {whose}"):
                value = read_attribute(given, field, whose, self.values)
                if not isinstance(value, Wrong):
                    yield place, number, value

    def _fits(self, node: Node, field: Field, what: str) -> bool:
        return shapes_of(self.sections.program).of(field.type).judge(node, self.findings, what)

    def _game(self, node: Node) -> Iterator[Change]:
        if not isinstance(node, Mapping):
            self.findings.error("RW0713", node, f"`game` is {shown(node)}; it must be a mapping")
            return
        for key, given in node:
            name = self.sections.game.get(key.text)
            if name is None or f"game/{name}" not in self.allowed:
                self._refuse(key, quoted(key.text))
                continue
            field = self.sections.program.game[name]
            if self._fits(given, field, quoted(key.text)):
                value = self.values.field(given, field.type, starting(field), quoted(key.text))
                if not isinstance(value, Wrong):
                    yield f"game/{name}", None, value

    def _removed(self, node: Node) -> Iterator[Change]:
        if not shapes_of(self.sections.program).removed.judge(node, self.findings, f"`{REMOVED}`"):
            return
        for kind, numbers in removed_things(node, self.sections, self.values.names, self.findings).items():
            if f"{kind}/gone" in self.allowed:
                yield from ((f"{kind}/gone", number, True) for number in sorted(numbers))
            else:
                self._refuse(node, f"which {self.sections.program.kinds[kind].plural} are out of play")


def changes_json(changes: Sequence[Change], names: Names) -> Json:
    """Changes in the form of a state file, as `read_changes` takes them."""
    written: dict[str, dict[str, dict[str, Json]]] = {}
    game: dict[str, Json] = {}
    removed: list[Json] = []
    for place, number, value in changes:
        owner, _, name = place.rpartition("/")
        if number is None:
            game[name] = to_json(value, names.program.game[name].type, names)
            continue
        id_ = names.thing(owner, number)
        if name == "gone":
            removed.append(f"{names.program.kinds[owner].plural}/{id_}")
            continue
        field = next(each for each in names.program.kinds[owner].fields if each.name == name)
        things = written.setdefault(names.program.kinds[owner].plural, {})
        things.setdefault(id_, {})[name] = to_json(value, field.type, names)
    result: dict[str, Json] = {
        plural: {id_: dict(row) for id_, row in rows.items()} for plural, rows in written.items()
    }
    return result | ({GAME: game} if game else {}) | ({REMOVED: removed} if removed else {})


def board_json(plane: Plane, unit: str) -> dict[str, Json]:
    """What `read_plane` reads back as the same board."""
    contact = plane.contact if plane.contact != TOLERANCES[unit] else None
    found = {WIDTH: plane.width, DEPTH: plane.depth, CONTACT: contact}
    return {name: decimal(of_thousandths(length)) for name, length in found.items() if length is not None}
