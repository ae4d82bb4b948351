"""State files: what a play begins with."""

from collections.abc import Iterable, Iterator, Sequence

from rulewright.inputs.boards import board_cells, cell_attributes, side_attributes
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Findings, Read, Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Mapping, Node
from rulewright.inputs.plane_values import plane_board
from rulewright.inputs.sections import CELLS, GAME, REMOVED, SETTINGS, SIDES, Sections
from rulewright.inputs.settings import read_pairs, read_settings
from rulewright.inputs.shapes import without
from rulewright.inputs.things import attributes, removed_things, starting, thing_ids
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import there_are
from rulewright.inputs.yaml_places import read
from rulewright.machine.situation import Base, Plane, Situation
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Program
from rulewright.source import Text


def read_state(text: Text, program: Program, settings: Sequence[str] = ()) -> Read[Situation]:
    """The start a state file describes (manual, Start); `settings` are `NAME=VALUE` and win over the file's.

    Reports everything wrong with the file in one run: RW0701 to RW0706 (the text), RW0710 (keys), RW0711 (what is
    missing), RW0712 and RW0713 (values), RW0714 (things), RW0715 (words), RW0716 (cells), RW0717 and RW0718 (ids),
    RW0722 (settings), RW0760 (how a setting is written). Invariants are judged by the machine.
    """
    document = read(text)
    if document.value is None:
        return Read(None, document.diagnostics)
    return state_of(document.value, program, settings)


def state_of(node: Node, program: Program, settings: Sequence[str] = ()) -> Read[Situation]:
    """The start a node describes; reports as `read_state`."""
    findings, sections = Findings(), Sections(program)
    if isinstance(node, Mapping) and len(node.entries) > 1 and not any(key.text in sections.names for key, _ in node):
        message = f"this is no state of `{program.name}`: none of its keys is part of one"
        findings.error("RW0710", node, message, help=there_are(list(sections.names)))
        return Read(None, tuple(findings.found))
    wrong = shapes_of(program).state.wrong(node, findings)
    whole = without(node, {_value_at(path, sections) for path in wrong})
    if not isinstance(whole, Mapping):
        return Read(None, tuple(findings.found))
    return findings.read(_StateReader(whole, sections, findings).situation(settings, unsure=_unsure(wrong, sections)))


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


class _StateReader:
    """Reads the sections of one state that has its shape: ids and cells first, since values refer to them."""

    def __init__(self, root: Mapping, sections: Sections, findings: Findings) -> None:
        self.sections = sections
        self.program = sections.program
        self.findings = findings
        self.given = {sections.names[key.text]: node for key, node in reversed(root.entries)}

    def situation(self, settings: Sequence[str], unsure: Iterable[str]) -> Situation:
        program = self.program
        ids = {kind.name: thing_ids(self.given.get(kind.plural)) for kind in program.kinds.values()}
        boards = {
            each.name: () if each.space == "plane" else board_cells(self.given.get(each.name), each)
            for each in program.boards.values()
        }
        names = Names(program, Base(ids, boards))
        values = ValueReader(names, self.findings, set(unsure))
        chosen = read_settings(self.given.get(SETTINGS), settings, self.sections, values)
        return Situation(
            Base(ids, boards, chosen, plane=self._plane()),
            self._attributes(ids, values),
            removed_things(self.given.get(REMOVED), self.sections, names, self.findings),
            self._game(values),
            self._cells(boards, values),
            self._sides(boards, values),
            self._relations(values),
        )

    def _cell_boards(self) -> list[Board]:
        return [each for each in self.program.boards.values() if each.space != "plane"]

    def _plane(self) -> Plane:
        boards = (each for each in self.program.boards.values() if each.space == "plane")
        board = next(boards, None)
        return Plane() if board is None else plane_board(self.given.get(board.name), board, self.findings)

    def _attributes(self, ids: dict[str, tuple[str, ...]], values: ValueReader) -> dict[str, tuple[Value, ...]]:
        found: dict[str, tuple[Value, ...]] = {}
        for kind in self.program.kinds.values():
            found |= attributes(self.given.get(kind.plural), kind, ids[kind.name], values)
        return found

    def _cells(self, boards: dict[str, tuple[Cell, ...]], values: ValueReader) -> dict[str, dict[Cell, Value]]:
        found: dict[str, dict[Cell, Value]] = {}
        for each in self._cell_boards():
            found |= cell_attributes(self.given.get(each.name), each, boards[each.name], values)
        return found

    def _sides(
        self, boards: dict[str, tuple[Cell, ...]], values: ValueReader
    ) -> dict[str, dict[tuple[Cell, Cell], Value]]:
        found: dict[str, dict[tuple[Cell, Cell], Value]] = {}
        for each in self._cell_boards():
            found |= side_attributes(self.given.get(each.name), each, boards[each.name], values)
        return found

    def _relations(self, values: ValueReader) -> dict[str, tuple[tuple[int, int], ...]]:
        relations = self.program.relations.values()
        return {each.name: read_pairs(self.given.get(each.name), each, values) for each in relations}

    def _game(self, values: ValueReader) -> dict[str, Value]:
        node = self.given.get(GAME)
        written = {self.sections.game[key.text]: each for key, each in node} if isinstance(node, Mapping) else {}
        found: dict[str, Value] = {}
        for name, each in self.program.game.items():
            start = starting(each)
            given = values.field(written[name], each.type, start, f"`{name}`") if name in written else start
            found[name] = None if isinstance(given, Wrong) else given
        return found
