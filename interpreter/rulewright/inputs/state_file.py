"""State files: what a play begins with."""

from collections.abc import Sequence

from rulewright.inputs.boards import board_cells, cell_attributes, side_attributes
from rulewright.inputs.findings import Findings, Read, Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Key, Mapping, Node
from rulewright.inputs.plane_values import plane_board
from rulewright.inputs.sections import GAME, REMOVED, SETTINGS, Sections
from rulewright.inputs.settings import read_pairs, read_settings
from rulewright.inputs.things import attributes, listed, removed_things, thing_ids
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import did_you_mean, meant, quoted, shown, there_are
from rulewright.inputs.yaml_places import read
from rulewright.machine.constants import start_value
from rulewright.machine.situation import Base, Plane, Situation
from rulewright.machine.values import Cell, Value
from rulewright.program.declarations import Board, Program
from rulewright.source import Text

_Ids = dict[str, tuple[tuple[str, Key | Node], ...]]


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
    findings = Findings()
    if not isinstance(node, Mapping):
        message = f"a state is a mapping, and this is {shown(node)}"
        findings.error("RW0713", node, message, help="begin with `players:`")
        return Read(None, tuple(findings.found))
    if len(node.entries) > 1 and not any(key.text in Sections(program).names for key, _ in node):
        message = f"this is no state of `{program.name}`: none of its keys is part of one"
        findings.error("RW0710", node, message, help=there_are(list(Sections(program).names)))
        return Read(None, tuple(findings.found))
    return findings.read(_StateReader(node, Sections(program), findings).situation(settings))


class _StateReader:
    """Reads the sections of one state: ids and cells first, since values refer to them."""

    def __init__(self, root: Mapping, sections: Sections, findings: Findings) -> None:
        self.root = root
        self.sections = sections
        self.program = sections.program
        self.findings = findings
        self.given = self._sections()
        self.misspelt = {sections.names[each] for each in meant((key.text for key, _ in root), sections.names)}

    def _sections(self) -> dict[str, Node]:
        """The sections by what they stand for; reports unknown and doubled ones."""
        found: dict[str, Node] = {}
        for key, node in self.root:
            name = self.sections.names.get(key.text)
            if name is None:
                self._unknown(key)
            elif name in found:
                self.findings.error("RW0704", key, f"{quoted(key.text)} stands here twice, with and without its prefix")
            else:
                found[name] = node
        return found

    def _unknown(self, key: Key) -> None:
        if key.text in self.program.functions or key.text in self.program.external_terms:
            message = f"{quoted(key.text)} is computed by the rules and cannot be written here"
            self.findings.error("RW0710", key, message, help="leave it out")
            return
        valid = list(self.sections.names)
        remedy = did_you_mean(key.text, valid) or there_are(valid)
        self.findings.error(
            "RW0710", key, f"{quoted(key.text)} is no part of a state of `{self.program.name}`", help=remedy
        )

    def situation(self, settings: Sequence[str]) -> Situation:
        unsure: set[str] = set()
        ids = self._ids(unsure)
        boards = self._boards()
        names = Names(self.program, Base({kind: tuple(id_ for id_, _ in found) for kind, found in ids.items()}, boards))
        values = ValueReader(names, self.findings, unsure)
        chosen = read_settings(self.given.get(SETTINGS), settings, self.sections, values)
        return Situation(
            Base(names.base.things, boards, chosen, plane=self._plane()),
            self._attributes(ids, values),
            removed_things(self.given.get(REMOVED), self.sections, names, self.findings),
            self._game(values),
            self._cells(boards, values),
            self._sides(boards, values),
            self._relations(values),
        )

    def _ids(self, unsure: set[str]) -> _Ids:
        """The ids of all kinds; adds those with something wrong in them."""
        found: _Ids = {}
        for kind in self.program.kinds.values():
            before = len(self.findings.found)
            found[kind.name] = thing_ids(self.given.get(kind.plural), kind, self.findings)
            if len(self.findings.found) > before or kind.plural in self.misspelt:
                unsure.add(kind.name)
        return found

    def _boards(self) -> dict[str, tuple[Cell, ...]]:
        """The cells of all boards; one whose key is misspelt has none."""
        found: dict[str, tuple[Cell, ...]] = {}
        for each in self.program.boards.values():
            node = self.given.get(each.name)
            if each.space == "plane":
                found[each.name] = ()
                continue
            lost = node is None and each.name in self.misspelt
            found[each.name] = () if lost else board_cells(node, each, self.root, self.findings)
        return found

    def _cell_boards(self) -> list[Board]:
        return [each for each in self.program.boards.values() if each.space != "plane"]

    def _plane(self) -> Plane:
        boards = (each for each in self.program.boards.values() if each.space == "plane")
        board = next(boards, None)
        return Plane() if board is None else plane_board(self.given.get(board.name), board, self.findings)

    def _attributes(self, ids: _Ids, values: ValueReader) -> dict[str, tuple[Value, ...]]:
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
        if node is not None and not isinstance(node, Mapping):
            self.findings.error("RW0713", node, f"`game` is {shown(node)}; it must be a mapping")
            return {}
        given = self._game_fields(node) if node else {}
        fields = self.program.game
        keys = [key.text for key, _ in node] if node else []
        misspelt = {self.sections.game[each] for each in meant(keys, self.sections.game)}
        lacking = [
            each for name, each in fields.items() if each.start is None and name not in given and name not in misspelt
        ]
        if lacking and GAME not in self.misspelt:
            remedy = f"add it under `game:`, as `{lacking[0].name}: …`"
            self.findings.error("RW0711", node or self.root, f"the game lacks {listed(lacking)}", help=remedy)
        return {name: self._field(name, given.get(name), values) for name in fields}

    def _game_fields(self, node: Mapping) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for key, given in node:
            name = self.sections.game.get(key.text)
            if name is None:
                valid = list(self.sections.game)
                remedy = did_you_mean(key.text, valid) or (there_are(valid) if valid else "leave it out")
                self.findings.error("RW0710", key, f"the game has no field {quoted(key.text)}", help=remedy)
            elif name in found:
                self.findings.error("RW0704", key, f"{quoted(key.text)} stands here twice, with and without its prefix")
            else:
                found[name] = given
        return found

    def _field(self, name: str, node: Node | None, values: ValueReader) -> Value:
        each = self.program.game[name]
        start = None if each.start is None else start_value(each.start, each.type)
        if node is None:
            return start
        value = values.field(node, each.type, start, f"`{name}`")
        return None if isinstance(value, Wrong) else value
