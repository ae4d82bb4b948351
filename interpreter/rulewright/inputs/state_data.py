"""States given as JSON data: things are read without nodes, as long as everything about them is right and in full.

Where anything is not, all is read as if it were a file, which says what is wrong, or reads what is short.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from rulewright.codecs.schemas import ID_PATTERN
from rulewright.inputs.board_file import HEX, read_coordinates
from rulewright.inputs.document_schemas import shapes_of
from rulewright.inputs.findings import Findings, Read
from rulewright.inputs.names import CSV, DRAWN, LIKE, Sections
from rulewright.inputs.nodes import Items, Json, Key, Mapping as MappingNode, Node, Scalar
from rulewright.inputs.placing import CONSTANTS, placed
from rulewright.inputs.state_file import StateReader, state_of, whole_state
from rulewright.inputs.value_reader import ValueReader, node_of, starting
from rulewright.inputs.yaml_places import LARGEST_TEXT, MERGE, MOST_NODES
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program import types as ty
from rulewright.program.declarations import Field, Kind, Program
from rulewright.program.offsets import AXIAL, meant
from rulewright.source import NOWHERE

_Things = Mapping[str, Mapping[str, Any]]
_Reads = Callable[[Any], Value]
_ID = re.compile(ID_PATTERN)
_LONGEST = 100
_LARGEST = 10**_LONGEST
_ROOM = 200
"""So many characters an attribute takes at most, with its name, where no text of it is longer than `_LONGEST`."""


class _UnusualError(Exception):
    """Something is wrong, in a short form, or not read here."""


def state_from(data: Mapping[str, Json], program: Program, most: int = MOST_NODES) -> Read[Situation]:
    """The start that JSON data describe, of so many values at most; reports as `read_state`.

    Raises:
        ValueError: the data is no JSON, or larger than a text may be.
    """
    try:
        return Read(_read(dict(data), program, most))
    except _UnusualError:
        return state_of(node_of(dict(data), "state", most), program)


def _read(data: dict[str, Any], program: Program, most: int) -> Situation:
    findings, sections = Findings(), Sections(program)
    things: dict[str, _Things] = {}
    rest: dict[str, Any] = {}
    for key, each in data.items():
        kind = sections.kinds.get(key)
        if kind is not None:
            things[kind.name] = _things(each, kind)
        elif key in sections.boards and (type(each) is not dict or DRAWN in each):
            raise _UnusualError
        rest[key] = each if kind is None else []
    attributes = sum(1 + len(thing) for each in things.values() for thing in each.values())
    if attributes * _ROOM > LARGEST_TEXT:
        raise _UnusualError
    counted = _Counted(most - 4 * attributes)
    node = whole_state(counted.node(rest), None, sections, findings)
    if findings.found or not isinstance(node, MappingNode) or not shapes_of(program).state.fits(node):
        raise _UnusualError
    boards = sections.boards
    way = read_coordinates(((boards[key.text], each) for key, each in node if key.text in boards), findings)
    situation = _DataReader(node, sections, findings, way, things).situation((), ())
    if findings.found:
        raise _UnusualError
    return situation


def _things(data: Any, kind: Kind) -> _Things:
    """The things of a kind by their ids, each in full, or a list of ids."""
    if type(data) is list:
        found: dict[Any, Any] = {id_: {} for id_ in data if type(id_) is str}
        if len(found) < len(data):
            raise _UnusualError
    elif type(data) is dict:
        found = data
    else:
        raise _UnusualError
    known = {each.name for each in kind.fields}
    if CSV in found or LIKE in known:
        raise _UnusualError
    for id_, thing in found.items():
        if type(id_) is not str or not _ID.search(id_) or type(thing) is not dict or not known.issuperset(thing):
            raise _UnusualError
    return found


class _Counted:
    """Makes nodes without places, of so many values at most."""

    def __init__(self, most: int) -> None:
        self._left = most

    def node(self, data: Any) -> Node:
        self._left -= 1
        kind = type(data)
        if self._left < 0:
            raise _UnusualError
        if kind is int and abs(data) < _LARGEST:
            return Scalar(data, str(data), NOWHERE, "")
        if kind is str and len(data) <= _LONGEST and data.isprintable():
            return Scalar(data, data, NOWHERE, "")
        if kind is list:
            return Items(tuple(map(self.node, data)), NOWHERE, "")
        if kind is dict:
            return MappingNode(tuple([(_key(key), self.node(each)) for key, each in data.items()]), NOWHERE, "")
        if kind is bool or data is None:
            return Scalar(data, CONSTANTS[data], NOWHERE, "")
        raise _UnusualError


def _key(key: Any) -> Key:
    if type(key) is not str or key == MERGE:
        raise _UnusualError
    return Key(key, NOWHERE, "")


class _DataReader(StateReader):
    def __init__(
        self, root: MappingNode, sections: Sections, findings: Findings, coordinates: str, things: Mapping[str, _Things]
    ) -> None:
        super().__init__(root, sections, findings, coordinates)
        self._things = things

    def ids(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(self._things.get(name, ())) for name in self.program.kinds}

    def attributes(self, values: ValueReader) -> dict[str, tuple[Value, ...]]:
        return {
            f"{kind.name}/{each.name}": _column(each, list(self._things.get(kind.name, {}).values()), values)
            for kind in self.program.kinds.values()
            for each in kind.fields
        }


def _column(each: Field, things: list[Mapping[str, Any]], values: ValueReader) -> tuple[Value, ...]:
    """The values of an attribute of all things; where it has no start, each has to say it."""
    name, start, reads = each.name, starting(each), _reads(each, values)
    if each.start is None and not all(name in thing for thing in things):
        raise _UnusualError
    return tuple([reads(thing[name]) if name in thing else start for thing in things])


def _reads(each: Field, values: ValueReader) -> _Reads:
    """What reads an attribute; its place has to be a cell of a board, if any has cells."""
    reads, cells = _of(each.type, each, values), values.names.cells
    if each.name != "at" or not isinstance(ty.present(each.type), ty.CellType) or not cells:
        return reads

    def place(given: Any) -> Value:
        cell = reads(given)
        if cell is not None and cell not in cells:
            raise _UnusualError
        return cell

    return place


def _of(type_: ty.Type, each: Field, values: ValueReader) -> _Reads:  # noqa: PLR0911 - one for each sort of type
    """What reads the values of a type of an attribute."""
    names = values.names
    match type_:
        case ty.OptionalType(inner) if not isinstance(inner, ty.TextType):
            reads = _of(inner, each, values)
            return lambda given: None if given is None or given == "none" else reads(given)
        case ty.NumberType(paired=False):
            low, high = type_.low, type_.high
            return _number(-_LARGEST if low is None else low, _LARGEST if high is None else high)
        case ty.DirectionType():
            return _number(0, type_.count - 1)
        case ty.FlagType():
            return _one_of({(bool, False): False, (bool, True): True})
        case ty.WordType():
            return _one_of({(str, word): number for word, number in names.positions(type_.values).items()})
        case ty.ThingType():
            return _one_of({(str, id_): number for id_, number in names.numbers.get(type_.kind, {}).items()})
        case ty.CellType():
            return _cell(names.coordinates if type_.space == HEX else AXIAL)
        case _:
            return _judged(type_, each, values)


def _number(low: int, high: int) -> _Reads:
    def number(given: Any) -> Value:
        if type(given) is int and low <= given <= high:
            return given
        raise _UnusualError

    return number


def _one_of(known: Mapping[tuple[type, Any], Value]) -> _Reads:
    def one(given: Any) -> Value:
        try:
            return known[type(given), given]
        except (KeyError, TypeError):
            raise _UnusualError from None

    return one


def _cell(way: str) -> _Reads:
    def cell(given: Any) -> Value:
        if type(given) is not list or [type(each) for each in given] != [int, int]:
            raise _UnusualError
        return (given[0], given[1]) if way == AXIAL else meant((given[0], given[1]), way)

    return cell


def _judged(type_: ty.Type, each: Field, values: ValueReader) -> _Reads:
    """What reads any type, by its schema and its codec."""
    shape, start = shapes_of(values.names.program).of(type_), starting(each)

    def read(given: Any) -> Value:
        node = placed(given, "", MOST_NODES)
        if node is None or not shape.fits(node):
            raise _UnusualError
        value = values.field(node, type_, start, "")
        if values.findings.found:
            raise _UnusualError
        return value  # type: ignore[return-value]

    return read
