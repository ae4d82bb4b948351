"""What an external alters, written as a patch in the form of a state file."""

from collections.abc import Iterator, Sequence

from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Findings, Wrong
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, Key, Mapping, Node
from rulewright.inputs.sections import GAME, REMOVED, Sections
from rulewright.inputs.shapes import name_of
from rulewright.inputs.things import read_attribute, removed_things, starting
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import one_of, quoted, shown
from rulewright.machine.values import Value
from rulewright.program.declarations import Field

Change = tuple[str, int | None, Value]


def read_changes(node: Node, allowed: Sequence[str], names: Names, findings: Findings) -> tuple[Change, ...]:
    """Changes as place, thing number (none for `game`) and new value, in order of place and number.

    `allowed` holds places such as `Unit/morale`, `Unit/gone` and `game/active`. Reports RW0732 (a change the
    external may not make), RW0713, RW0714, RW0716 and what `ValueReader` does.
    """
    if not isinstance(node, Mapping):
        findings.error("RW0713", node, f"`changes` is {shown(node)}; it must be a mapping, in the form of a state file")
        return ()
    return tuple(sorted(_ChangeReader(allowed, names, findings).changes(node), key=_order))


def _order(change: Change) -> tuple[str, int]:
    place, number, _ = change
    return place, -1 if number is None else number


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
        may = (
            f"it may change {one_of([_spoken(each) for each in self.allowed])}"
            if self.allowed
            else "it changes nothing"
        )
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


def _spoken(place: str) -> str:
    owner, _, name = place.rpartition("/")
    return name if owner == GAME else f"{owner}.{name}"


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
