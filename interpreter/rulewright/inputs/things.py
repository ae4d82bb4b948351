"""The things of a state file: their ids in order, their attributes, and which are out of play."""

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence

from rulewright.inputs.findings import WRONG, Findings, Wrong
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar
from rulewright.inputs.sections import Sections
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import did_you_mean, one_of, quoted, shown
from rulewright.machine.constants import start_value
from rulewright.machine.values import Value
from rulewright.program.declarations import Field, Kind, Setting
from rulewright.program.types import CellType, present


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
    things = [node.get(id_) if isinstance(node, Mapping) else None for id_ in ids]
    rows = [
        [_value(thing, each, quoted(id_), values) for each in kind.fields]
        for id_, thing in zip(ids, things, strict=True)
    ]
    return {f"{kind.name}/{each.name}": tuple(row[number] for row in rows) for number, each in enumerate(kind.fields)}


def _value(thing: Node | None, each: Field, whose: str, values: ValueReader) -> Value:
    node = thing.get(each.name) if isinstance(thing, Mapping) else None
    if node is None:
        return starting(each)
    value = read_attribute(node, each, whose, values)
    return None if isinstance(value, Wrong) else value


def starting(each: Field | Setting) -> Value:
    """What a field has where nothing is said."""
    start = each.value if isinstance(each, Setting) else each.start
    return None if start is None else start_value(start, each.type)


def read_attribute(node: Node, each: Field, whose: str, values: ValueReader) -> Value | Wrong:
    """One attribute of a thing, which has its shape; its place must be a cell of a board."""
    what = f"`{each.name}` of {whose}"
    value = values.field(node, each.type, starting(each), what)
    is_place = each.name == "at" and isinstance(present(each.type), CellType)
    if is_place and value not in (None, WRONG) and value not in values.names.cells:
        boards = [board for board, cells in values.names.base.boards.items() if cells]
        if boards:
            where = one_of(boards)
            return values.findings.error("RW0716", node, f"{what} is {shown(node)}, which is no cell of {where}")
    return value


def removed_things(
    node: Node | None, sections: Sections, names: Names, findings: Findings
) -> dict[str, frozenset[int]]:
    """Numbers of the things out of play, by kind, from a list of ids.

    Reports RW0714 (no such thing) and RW0717 (an id that several kinds have, which is then written `units/wreck`).
    """
    items = node.items if isinstance(node, Items) else ()
    found = [each for item in items if (each := _removed_thing(item, sections, names, findings))]
    kinds = dict.fromkeys(kind for kind, _ in found)
    return {kind: frozenset(number for owner, number in found if owner == kind) for kind in kinds}


def _removed_thing(node: Node, sections: Sections, names: Names, findings: Findings) -> tuple[str, int] | None:
    assert isinstance(node, Scalar)
    plural, _, id_ = node.written.rpartition("/")
    candidates = _kinds_with(id_, plural, sections, names.numbers)
    if len(candidates) == 1:
        return candidates[0].name, names.numbers[candidates[0].name][id_]
    if candidates:
        ways = [f"{kind.plural}/{id_}" for kind in candidates]
        findings.error("RW0717", node, f"several things are called {quoted(id_)}", help=f"write {one_of(ways)}")
        return None
    remedy = did_you_mean(node.written, [each for ids in names.base.things.values() for each in ids])
    findings.error("RW0714", node, f"`removed` names {quoted(node.written)}, which is no thing here", help=remedy)
    return None


def _kinds_with(id_: str, plural: str, sections: Sections, numbers: MappingOf[str, MappingOf[str, int]]) -> list[Kind]:
    kinds = [sections.kinds[plural]] if plural in sections.kinds else []
    if not plural:
        kinds = list({kind.name: kind for kind in sections.kinds.values()}.values())
    return [kind for kind in kinds if id_ in numbers.get(kind.name, {})]
