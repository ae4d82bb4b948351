"""The things of a state file: their ids in order, their attributes, and which are out of play."""

import re
from collections.abc import Iterator
from collections.abc import Mapping as MappingOf

from rulewright.inputs.findings import WRONG, Findings, Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.sections import Sections, computed
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import did_you_mean, meant, one_of, quoted, shown, there_are
from rulewright.machine.constants import start_value
from rulewright.machine.values import Value
from rulewright.program.declarations import Field, Kind
from rulewright.program.describe import describe
from rulewright.program.types import CellType, present

ID_PATTERN = r"^(?!none$)[A-Za-z0-9_][A-Za-z0-9_.\-]{0,99}$"
_ID = re.compile(ID_PATTERN)


def thing_ids(node: Node | None, kind: Kind, findings: Findings) -> tuple[tuple[str, Key | Node], ...]:
    """The ids of the things of a kind in file order, each with its place; a list of ids or a mapping from them.

    Reports RW0713 (neither of these), RW0717 (an id twice) and RW0718 (no id).
    """
    if node is None:
        return ()
    if not isinstance(node, Items | Mapping):
        wanted = "a mapping from ids to attributes, or a list of ids"
        findings.error("RW0713", node, f"`{kind.plural}` is {shown(node)}; it must be {wanted}")
        return ()
    found: dict[str, Key | Node] = {}
    for id_, place in _written_ids(node, kind, findings):
        if not _ID.fullmatch(id_):
            message = f"{quoted(id_)} cannot be the id of a {kind.name}"
            findings.error("RW0718", place, message, help="use letters, digits, `_`, `-` and `.`; not `none`")
        elif id_ in found:
            findings.error("RW0717", place, f"the {kind.name} {quoted(id_)} stands here twice", help="rename one")
        else:
            found[id_] = place
    return tuple(found.items())


def _written_ids(node: Items | Mapping, kind: Kind, findings: Findings) -> Iterator[tuple[str, Key | Node]]:
    if isinstance(node, Mapping):
        yield from ((key.text, key) for key, _ in node)
        return
    for each in node.items:
        match each:
            case Scalar(value=str(id_)):
                yield id_, each
            case Scalar(written=written) if written:
                remedy = f'put an id like this in quotes: `"{written}"`'
                findings.error(
                    "RW0713", each, f"an id of a {kind.name} is {shown(each)}; it must be a text", help=remedy
                )
            case _:
                findings.error("RW0713", each, f"an id of a {kind.name} is {shown(each)}; it must be a text")


def attributes(
    node: Node | None, kind: Kind, ids: tuple[tuple[str, Key | Node], ...], values: ValueReader
) -> dict[str, tuple[Value, ...]]:
    """The values of all stored attributes of a kind, by `Kind/name`, in the order of its things.

    Reports what `ValueReader` does, RW0710 (no such attribute), RW0711 (attributes without a value) and RW0716 (a
    thing beside the board).
    """
    rows = [_row(node.get(id_) if isinstance(node, Mapping) else None, id_, place, kind, values) for id_, place in ids]
    return {f"{kind.name}/{each.name}": tuple(row[number] for row in rows) for number, each in enumerate(kind.fields)}


def _row(node: Node | None, id_: str, place: Key | Node, kind: Kind, values: ValueReader) -> list[Value]:
    if isinstance(node, Scalar) and node.value is None:
        node = None
    if node is not None and not isinstance(node, Mapping):
        values.findings.error("RW0713", node, f"{quoted(id_)} is {shown(node)}; it must be a mapping of attributes")
        return [None] * len(kind.fields)
    if node is not None:
        known_attributes(node, kind, quoted(id_), values.findings)
    _missing(node, id_, place, kind, values.findings)
    return [_value(node.get(each.name) if node else None, each, quoted(id_), values) for each in kind.fields]


def known_attributes(node: Mapping, kind: Kind, whose: str, findings: Findings) -> None:
    """Reports RW0710 for keys that are no stored attribute of a kind."""
    valid = [each.name for each in kind.fields]
    for key, _ in node:
        if key.text in valid:
            continue
        if key.text == "gone":
            message = f"`gone` of {whose} cannot be written here"
            findings.error("RW0710", key, message, help="list the thing under `removed`")
        elif key.text in computed(kind):
            message = f"{quoted(key.text)} of {whose} is computed by the rules and cannot be written here"
            findings.error("RW0710", key, message, help="leave it out")
        else:
            remedy = did_you_mean(key.text, valid) or (there_are(valid) if valid else "leave it out")
            findings.error("RW0710", key, f"a {kind.name} has no attribute {quoted(key.text)}", help=remedy)


def _missing(node: Mapping | None, id_: str, place: Key | Node, kind: Kind, findings: Findings) -> None:
    given = {key.text for key, _ in node} if node else set()
    given |= meant(given, (each.name for each in kind.fields))
    lacking = [each for each in kind.fields if each.start is None and each.name not in given]
    if lacking:
        findings.error(
            "RW0711", place, f"{quoted(id_)} lacks {listed(lacking)}", help=f"add {', '.join(map(_example, lacking))}"
        )


def listed(fields: list[Field]) -> str:
    """Names of fields in one phrase."""
    names = [quoted(each.name) for each in fields]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _example(each: Field) -> str:
    return f"`{each.name}: …` ({describe(each.type)})"


def _value(node: Node | None, each: Field, whose: str, values: ValueReader) -> Value:
    start = None if each.start is None else start_value(each.start, each.type)
    if node is None:
        return start
    value = read_attribute(node, each, start, whose, values)
    return None if isinstance(value, Wrong) else value


def read_attribute(node: Node, each: Field, start: Value, whose: str, values: ValueReader) -> Value | Wrong:
    """One attribute of a thing; its place must be a cell of a board."""
    what = f"`{each.name}` of {whose}"
    value = values.field(node, each.type, start, what)
    if each.name == "at" and _is_cell(each) and value not in (None, WRONG) and value not in values.names.cells:
        boards = [board for board, cells in values.names.base.boards.items() if cells]
        if boards:
            where = one_of(boards)
            return values.findings.error("RW0716", node, f"{what} is {shown(node)}, which is no cell of {where}")
    return value


def _is_cell(each: Field) -> bool:
    inner = present(each.type)
    return isinstance(inner, CellType)


def removed_things(
    node: Node | None, sections: Sections, names: Names, findings: Findings
) -> dict[str, frozenset[int]]:
    """Numbers of the things out of play, by kind, from a list of ids.

    Reports RW0713 (no list of ids), RW0714 (no such thing) and RW0717 (an id that several kinds have, which is then
    written `units/wreck`).
    """
    if node is None:
        return {}
    if not isinstance(node, Items):
        findings.error("RW0713", node, f"`removed` is {shown(node)}; it must be a list of ids")
        return {}
    found = [each for item in node.items if (each := _removed_thing(item, sections, names, findings))]
    kinds = dict.fromkeys(kind for kind, _ in found)
    return {kind: frozenset(number for owner, number in found if owner == kind) for kind in kinds}


def _removed_thing(node: Node, sections: Sections, names: Names, findings: Findings) -> tuple[str, int] | None:
    if not (isinstance(node, Scalar) and isinstance(node.value, str)):
        findings.error("RW0713", node, f"a member of `removed` is {shown(node)}; it must be the id of a thing")
        return None
    plural, _, id_ = node.value.rpartition("/")
    candidates = _kinds_with(id_, plural, sections, names.numbers)
    if len(candidates) == 1:
        return candidates[0].name, names.numbers[candidates[0].name][id_]
    if candidates:
        ways = [f"{kind.plural}/{id_}" for kind in candidates]
        findings.error("RW0717", node, f"several things are called {quoted(id_)}", help=f"write {one_of(ways)}")
        return None
    remedy = did_you_mean(node.value, [each for ids in names.base.things.values() for each in ids])
    findings.error("RW0714", node, f"`removed` names {quoted(node.value)}, which is no thing here", help=remedy)
    return None


def _kinds_with(id_: str, plural: str, sections: Sections, numbers: MappingOf[str, MappingOf[str, int]]) -> list[Kind]:
    kinds = [sections.kinds[plural]] if plural in sections.kinds else []
    if not plural:
        kinds = list({kind.name: kind for kind in sections.kinds.values()}.values())
    return [kind for kind in kinds if id_ in numbers.get(kind.name, {})]
