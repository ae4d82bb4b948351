"""State files: what a play begins with."""

from collections.abc import Iterable, Iterator, Mapping as MappingOf, Sequence
from typing import Any

from rulewright.diagnostics import Diagnostic, Severity
from rulewright.inputs.board_file import (
    HEX,
    board_cells,
    cell_attributes,
    read_coordinates,
    read_plane,
    side_attributes,
)
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import WRONG, Findings, Read, Wrong, did_you_mean, one_of, quoted, shown, there_are
from rulewright.inputs.names import (
    CELLS,
    COORDINATES,
    DEFAULTS,
    DRAWN,
    GAME,
    LEGEND,
    REMOVED,
    SETTINGS,
    SHAPE,
    SIDES,
    Names,
    Sections,
)
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar, merged, value_under, without
from rulewright.inputs.short_states import in_full
from rulewright.inputs.tables import Tables
from rulewright.inputs.value_reader import ValueReader, starting
from rulewright.inputs.yaml_places import read
from rulewright.machine.state import Base, Plane, Situation
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Field, Kind, Program, Relation
from rulewright.program.offsets import AXIAL
from rulewright.program.plane import plane_board
from rulewright.program.types import CellType, present
from rulewright.source import Span, Text

NO_TEXT = ""


def read_flags(flag: str, given: Sequence[str]) -> Read[Mapping]:
    """The values of a flag as a mapping without places; values are read as YAML, so `[1, 0]` is a cell.

    Reports RW0760: no `=`, no name, a name twice, a value that cannot be read.
    """
    found: dict[str, tuple[Key, Node]] = {}
    wrong: list[Diagnostic] = []
    for each in given:
        before, equals, written = each.partition("=")
        name, value = before.strip(), read(Text(NO_TEXT, written))
        if not equals or not name:
            wrong.append(_wrong(f"`{flag} {each}` is not of the form `{flag} NAME=VALUE`", _form(flag, each)))
        elif name in found:
            wrong.append(_wrong(f"`{flag}` gives {quoted(name)} twice", "keep one of them"))
        elif not written.strip():
            wrong.append(_wrong(f"`{flag} {each}` has no value", "write the value behind the `=`"))
        elif value.value is None:
            message = f"the value of `{flag} {each}` cannot be read: {value.diagnostics[0].message}"
            wrong.append(_wrong(message, "write it as a state does; a text with signs in it stands in quotes"))
        else:
            found[name] = (Key(name, Span(NO_TEXT, 0, 0), ""), value.value)
    mapping = Mapping(tuple(found.values()), Span(NO_TEXT, 0, 0), "")
    return Read(None if wrong else mapping, tuple(wrong))


def _form(flag: str, given: str) -> str:
    """How a name and a value are written, where another sign stands between them or one of them is missing."""
    name, sign, value = given.partition(":")
    if sign and name.strip().isidentifier() and value.strip():
        return f"write `{flag} {name.strip()}={value.strip()}`"
    return "write what the value is for, `=` and the value"


def _wrong(message: str, remedy: str) -> Diagnostic:
    return Diagnostic("RW0760", Severity.ERROR, message, help=remedy)


def thing_ids(node: Node | None) -> tuple[str, ...]:
    """The ids of the things of a kind in file order, from a list of ids or a mapping from them."""
    match node:
        case Mapping(entries):
            return tuple(key.text for key, _ in entries)
        case Items(items):
            return tuple(each.written for each in items if isinstance(each, Scalar))
        case _:
            return ()


def attributes(node: Node | None, kind: Kind, ids: Sequence[str], values: ValueReader) -> dict[str, tuple[Value, ...]]:
    """The values of all stored attributes of a kind, by `Kind/name`, in the order of its things.

    Reports what `ValueReader` does of meanings, and RW0716 (a thing beside the board).
    """
    things = [value_under(node, id_) for id_ in ids]
    rows = [
        [_value(thing, each, quoted(id_), values) for each in kind.fields]
        for id_, thing in zip(ids, things, strict=True)
    ]
    return {f"{kind.name}/{each.name}": tuple(row[number] for row in rows) for number, each in enumerate(kind.fields)}


def _value(thing: Node | None, each: Field, whose: str, values: ValueReader) -> Value:
    node = value_under(thing, each.name)
    if node is None:
        return starting(each)
    value = read_attribute(node, each, whose, values)
    return None if isinstance(value, Wrong) else value


def read_attribute(node: Node, each: Field, whose: str, values: ValueReader) -> Value | Wrong:
    """One attribute of a thing, which has its shape; its place must be a cell of a board."""
    what = f"`{each.name}` of {whose}"
    value = values.field(node, each.type, starting(each), what)
    is_place = each.name == "at" and isinstance(present(each.type), CellType)
    if is_place and value not in (None, WRONG) and value not in values.names.cells:
        boards = [board for board, cells in values.names.base.boards.items() if cells]
        if boards:
            where = one_of(boards)
            return values.findings.error("RW0716", node, f"{what} is {shown(node)}, which is not a cell of {where}")
    return value


def removed_things(
    node: Node | None, sections: Sections, names: Names, findings: Findings
) -> dict[str, frozenset[int]]:
    """Numbers of the things out of play, by kind, from a list of ids.

    Reports RW0714 (no such thing, or one that never leaves play) and RW0717 (an id that several kinds have, which is
    then written `units/wreck`).
    """
    items = node.items if isinstance(node, Items) else ()
    found = [each for item in items if (each := _removed_thing(item, sections, names, findings))]
    kinds = dict.fromkeys(kind for kind, _ in found)
    return {kind: frozenset(number for owner, number in found if owner == kind) for kind in kinds}


def _removed_thing(node: Node, sections: Sections, names: Names, findings: Findings) -> tuple[str, int] | None:
    assert isinstance(node, Scalar)
    plural, _, id_ = node.written.rpartition("/")
    candidates = _kinds_with(id_, plural, sections, names.numbers)
    if len(candidates) == 1 and candidates[0].number is not None:
        message = f"`removed` names {quoted(node.written)}, and no {candidates[0].name} is ever out of play"
        findings.error("RW0714", node, message, help="leave it out: an `always` says how many there are")
        return None
    if len(candidates) == 1:
        return candidates[0].name, names.numbers[candidates[0].name][id_]
    if candidates:
        ways = [f"{kind.plural}/{id_}" for kind in candidates]
        findings.error("RW0717", node, f"several things are called {quoted(id_)}", help=f"write {one_of(ways)}")
        return None
    remedy = did_you_mean(node.written, [each for ids in names.base.things.values() for each in ids])
    findings.error("RW0714", node, f"`removed` names {quoted(node.written)}, which is not a thing here", help=remedy)
    return None


def _kinds_with(id_: str, plural: str, sections: Sections, numbers: MappingOf[str, MappingOf[str, int]]) -> list[Kind]:
    kinds = [sections.kinds[plural]] if plural in sections.kinds else []
    if not plural:
        kinds = list({kind.name: kind for kind in sections.kinds.values()}.values())
    return [kind for kind in kinds if id_ in numbers.get(kind.name, {})]


def read_settings(node: Node | None, flags: Sequence[str], sections: Sections, values: ValueReader) -> dict[str, Value]:
    """The value of every setting; `flags` are of the form `NAME=VALUE` and win over what has the shape of settings.

    Reports of flags RW0722 (no such setting), RW0760 (how one is written), and what `ValueReader` does.
    """
    found = {name: starting(each) for name, each in sections.program.settings.items()}
    if isinstance(node, Mapping):
        found |= _written(node, sections, values)
    given = read_flags("--set", flags)
    values.findings.found.extend(given.diagnostics)
    if given.value and shapes_of(sections.program).settings.judge(given.value, values.findings):
        found |= _written(given.value, sections, values)
    return found


def _written(node: Mapping, sections: Sections, values: ValueReader) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for key, given in node:
        name = sections.settings[key.text]
        value = values.meaning(given, sections.program.settings[name].type, f"the setting {quoted(key.text)}")
        if not isinstance(value, Wrong):
            found[name] = value
    return found


def read_pairs(node: Node | None, relation: Relation, values: ValueReader) -> tuple[tuple[int, int], ...]:
    """The pairs of a relation, from a list of lists of two ids.

    Reports RW0714 (no such thing of the kind wanted there) and RW0717 (a pair twice).
    """
    pairs: dict[tuple[int, int], Node] = {}
    for each in node.items if isinstance(node, Items) else ():
        pair = _pair(each, relation, values)
        if pair is None:
            continue
        if pair in pairs or (relation.symmetric and pair[::-1] in pairs):
            values.findings.error("RW0717", each, f"this pair is given twice in `{relation.name}`", help="keep one")
        pairs[pair] = each
    return tuple(pairs)


def _pair(node: Any, relation: Relation, values: ValueReader) -> tuple[int, int] | None:
    found = [
        values.meaning(each, parameter.type, f"`{parameter.name}` of `{relation.name}`")
        for each, parameter in zip(node.items, relation.parameters, strict=True)
    ]
    first, second = found
    return (first, second) if isinstance(first, int) and isinstance(second, int) else None


def read_state(
    text: Text, program: Program, settings: Sequence[str] = (), tables: Tables | None = None
) -> Read[Situation]:
    """The start a state file describes (manual, Start); `settings` are `NAME=VALUE` and win over the file's.

    Reports everything wrong with the file in one run: RW0701 to RW0706 (the text), RW0710 (keys), RW0711 (what is
    missing), RW0712 and RW0713 (values), RW0714 (things), RW0715 (words), RW0716 (cells), RW0717 to RW0719 (ids),
    RW0722 (settings), RW0760 (how a setting is written). Invariants are judged by the machine.
    """
    document = read(text)
    if document.value is None:
        return Read(None, document.diagnostics)
    findings = Findings()
    whole = document.value if tables is None else tables.inlined(document.value, findings)
    return Read(None, tuple(findings.found)) if findings.found else state_of(whole, program, settings)


def whole_state(node: Node, patch: Mapping | None, sections: Sections, findings: Findings) -> Node:
    """A state in full, with a patch over it that may use short forms too; reports as `in_full`."""
    whole = in_full(node, sections, findings)
    if patch is None or findings.found:
        return whole
    drawn = [key.text for key, each in patch if isinstance(each, Mapping) and DRAWN in each]
    if isinstance(whole, Mapping) and isinstance(node, Mapping):
        whole = without(whole, [(board, part) for board in drawn for part in (SHAPE, CELLS, SIDES)])
        whole = merged(merged(whole, _legends(node, drawn)), _defaults(node, patch, sections))
    return in_full(merged(whole, patch), sections, findings)


def _defaults(node: Mapping, patch: Mapping, sections: Sections) -> Mapping:
    """What a state says of all things of the kinds that a patch speaks of, for those that the patch adds."""
    found: list[tuple[Key, Node]] = []
    for key, each in patch:
        kind = node.get(key.text) if key.text in sections.kinds and isinstance(each, Mapping) else None
        if isinstance(kind, Mapping) and (defaults := kind.get(DEFAULTS)) is not None:
            found.append((key, Mapping(((kind.key(DEFAULTS), defaults),), kind.span, kind.pointer)))
    return Mapping(tuple(found), node.span, node.pointer)


def _legends(node: Mapping, boards: Iterable[str]) -> Mapping:
    """The legends of some boards, for drawings that come instead of theirs."""
    found: list[tuple[Key, Node]] = []
    for name in boards:
        board = node.get(name)
        if isinstance(board, Mapping) and (legend := board.get(LEGEND)) is not None:
            found.append((node.key(name), Mapping(((board.key(LEGEND), legend),), board.span, board.pointer)))
    return Mapping(tuple(found), node.span, node.pointer)


def state_of(
    node: Node, program: Program, settings: Sequence[str] = (), patch: Mapping | None = None
) -> Read[Situation]:
    """The start that a node and a patch over it describe; reports as `read_state`."""
    findings, sections = Findings(), Sections(program)
    node = whole_state(node, patch, sections, findings)
    if findings.found:
        return Read(None, findings.read_once(None).diagnostics)
    if isinstance(node, Mapping) and len(node.entries) > 1 and not any(key.text in sections.names for key, _ in node):
        message = f"this is not a state of `{program.name}`: none of its keys is part of one"
        findings.error("RW0710", node, message, help=there_are(list(sections.names)))
        return Read(None, tuple(findings.found))
    wrong = shapes_of(program).state.wrong(node, findings)
    whole = without(node, {_value_at(path, sections) for path in wrong}) if isinstance(node, Mapping) else node
    if not isinstance(whole, Mapping) or any(path[1:2] == (COORDINATES,) for path in wrong):
        return Read(None, findings.read_once(None).diagnostics)
    before, boards = len(findings.found), sections.boards
    way = read_coordinates(((boards[key.text], each) for key, each in whole if key.text in boards), findings)
    if len(findings.found) > before:
        return Read(None, findings.read_once(None).diagnostics)
    situation = StateReader(whole, sections, findings, way).situation(settings, unsure=_unsure(wrong, sections))
    return findings.read_once(situation)


def _value_at(path: tuple[str, ...], sections: Sections) -> tuple[str, ...]:
    """The value that something wrong is a part of: a whole attribute, field, setting, shape or relation."""
    section, *inner = path or ("",)
    if section in sections.kinds:
        return path[:3]
    if section in sections.boards:
        return path[:4] if inner and inner[0] in {CELLS, SIDES} else path[:2]
    return path[:2] if section in {GAME, SETTINGS} else path[:1]


def _unsure(wrong: Sequence[tuple[str, ...]], sections: Sections) -> Iterator[str]:
    """Kinds of whose things it is not known which there are."""
    for section, kind in sections.kinds.items():
        if any(len(each) < 3 and each[:1] == (section,) for each in wrong):  # noqa: PLR2004 - above attributes
            yield kind.name
        if any(len(each) == 1 and each[0] not in sections.names for each in wrong):
            yield kind.name


class StateReader:
    """Reads the sections of one state that has its shape: ids and cells first, since values refer to them."""

    def __init__(self, root: Mapping, sections: Sections, findings: Findings, coordinates: str) -> None:
        self.sections = sections
        self.coordinates = coordinates
        self.program = sections.program
        self.findings = findings
        self.given = {sections.names[key.text]: node for key, node in reversed(root.entries)}

    def situation(self, settings: Sequence[str], unsure: Iterable[str]) -> Situation:
        """The start; `settings` win over those written, and of `unsure` kinds nobody knows which things there are."""
        program = self.program
        ids = self.ids()
        way = self.coordinates
        boards = {
            each.name: ()
            if each.space == "plane"
            else board_cells(self.given.get(each.name), each, way if each.space == HEX else AXIAL)
            for each in program.boards.values()
        }
        names = Names(program, Base(ids, boards, coordinates=way))
        values = ValueReader(names, self.findings, set(unsure))
        chosen = read_settings(self.given.get(SETTINGS), settings, self.sections, values)
        flat = plane_board(program)
        plane = Plane() if flat is None else read_plane(self.given.get(flat.name), flat, values)
        own = self.attributes(values)
        removed, game = removed_things(self.given.get(REMOVED), self.sections, names, self.findings), self._game(values)
        grids = [(each, self.given.get(each.name)) for each in program.boards.values() if each.space != "plane"]
        cells: dict[str, dict[Cell, Value]] = {}
        for each, node in grids:
            cells |= cell_attributes(node, each, boards[each.name], values)
        sides: dict[str, dict[tuple[Cell, Cell], Value]] = {}
        for each, node in grids:
            sides |= side_attributes(node, each, boards[each.name], values)
        relations = program.relations.values()
        pairs = {each.name: read_pairs(self.given.get(each.name), each, values) for each in relations}
        base = Base(ids, boards, chosen, plane=plane, coordinates=way)
        return Situation(base, own, removed, game, cells, sides, pairs)

    def ids(self) -> dict[str, tuple[str, ...]]:
        """The ids of all things, by kind."""
        return {kind.name: thing_ids(self.given.get(kind.plural)) for kind in self.program.kinds.values()}

    def attributes(self, values: ValueReader) -> dict[str, tuple[Value, ...]]:
        """The values of all attributes of things, by kind and name."""
        found: dict[str, tuple[Value, ...]] = {}
        for kind in self.program.kinds.values():
            found |= attributes(self.given.get(kind.plural), kind, values.names.ids(kind.name), values)
        return found

    def _game(self, values: ValueReader) -> dict[str, Value]:
        node = self.given.get(GAME)
        written = {self.sections.game[key.text]: each for key, each in node} if isinstance(node, Mapping) else {}
        found: dict[str, Value] = {}
        for name, each in self.program.game.items():
            start = starting(each)
            given = values.field(written[name], each.type, start, f"`{name}`") if name in written else start
            found[name] = None if isinstance(given, Wrong) else given
        return found
