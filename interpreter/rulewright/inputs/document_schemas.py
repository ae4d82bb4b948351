"""The schemas of states and scripts: they judge their shape, and editors complete files from them."""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from rulewright.codecs.schemas import (
    FARTHEST,
    ID_SCHEMA,
    MORE_THAN_0,
    NAMED,
    Schema,
    closed,
    described,
    exactly,
    head,
    length_measure,
    members_schema,
    number,
    pair,
    with_units,
    worded,
)
from rulewright.inputs.findings import any_of, one_of
from rulewright.inputs.names import (
    CELLS,
    COORDINATES,
    CSV,
    DEFAULTS,
    DRAWN,
    EACH,
    GAME,
    LEGEND,
    LIKE,
    REMOVED,
    SETTINGS,
    SEVERAL,
    SHAPE,
    SIDES,
    Addresses,
    Sections,
    computed,
    numbered_addresses,
    request_addresses,
    window_addresses,
)
from rulewright.inputs.question_schemas import question_shapes
from rulewright.inputs.shapes import Codes, Shape
from rulewright.inputs.type_schemas import TypeSchemas
from rulewright.program.declarations import Board, Kind, Program, Relation
from rulewright.program.offsets import COORDINATES as OFFSETS
from rulewright.program.types import GRIDS, Type

WIDEST_RADIUS = 150
LONGEST_EDGE = 300
_OF_HEXES = "`{radius: 3}`, `{parallelogram: [6, 4]}`, "
SHAPES = {
    space: f"{_OF_HEXES if space == 'hex' else ''}`{{columns: 13, rows: 11}}`, `{{rows: [4, 3, 4]}}` or "
    "`{cells: [[0, 0], [1, 0]]}`"
    for space in GRIDS
}
WIDTH, DEPTH, CONTACT = "width", "depth", "contact"
PAIRED = {WIDTH: [DEPTH], DEPTH: [WIDTH]}
_CELL = r"-?[0-9]{1,6}, ?-?[0-9]{1,6}"
_NOT_HERE = "is computed by the rules and cannot be written here"
_ANSWERS = Codes("RW0742", "RW0742", "RW0742", "RW0742")
"""The one code of what is wrong with the shape of a script."""
_NAMES = rf"^(?!none$)[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,99}}$(?!\n)|^{SEVERAL.pattern}$(?!\n)"
_FOR_EACH: Schema = closed({EACH: {"type": "array"}}, [EACH])
_COORDINATES = worded({"enum": list(OFFSETS)}, wanted=any_of(list(OFFSETS)))

POLICIES = ("first", "random")
"""Who may decide what a script leaves out."""


def state_schema(
    program: Program, things: Mapping[str, Sequence[str]] | None = None, *, in_full: bool = False
) -> Schema:
    """What a state is in shape, in full or else in short forms too, of which what things lack is judged in full.

    Which ids there are and which cells lie on the board its reader judges; an editor gives the things by kind.
    """
    sections, types = Sections(program), TypeSchemas(program, things)
    properties: dict[str, Schema] = {
        **{key: _kind(kind, types, in_full=in_full) for key, kind in sections.kinds.items()},
        **{key: _board(board, types) for key, board in sections.boards.items()},
        **{key: _relation(relation) for key, relation in sections.relations.items()},
        GAME: _game(sections, types),
        SETTINGS: settings_schema(sections, types),
        REMOVED: _removed(),
    }
    state = worded(
        closed(properties),
        part="{key}",
        unknown="{key} is not part of a state of " + f"`{program.name}`",
        other=dict.fromkeys((*program.functions, *program.external_terms), (f"{{key}} {_NOT_HERE}", "leave it out")),
        says="a state is a mapping, and this is {shown}",
        help="begin with `players:`",
    )
    return {
        **head("state", f"A state of {program.title or program.name}", program),
        **state,
        **_once(sections.names, _required(program)),
    }


def _required(program: Program) -> dict[str, tuple[str, str]]:
    """Sections that have to be there, with what is said where one is not, and the remedy."""
    found = {}
    for name, board in program.boards.items():
        if board.space != "plane":
            shape = "radius: 3" if board.space == "hex" else "columns: 8, rows: 8"
            found[name] = (f"the board `{name}` is missing", f"add `{name}: {{shape: {{{shape}}}}}`")
    lacking = [each for each in program.game.values() if each.start is None]
    if lacking:
        *others, last = (f"`{each.name}`" for each in lacking)
        listed = f"{', '.join(others)} and {last}" if others else last
        found[GAME] = (f"the game lacks {listed}", f"add it under `game:`, as `{lacking[0].name}: …`")
    return found


def _once(spellings: Mapping[str, str], required: Mapping[str, tuple[str, str]]) -> Schema:
    """Every name in at most one of its spellings, and those required in exactly one."""
    ways: dict[str, list[str]] = {}
    for key, name in spellings.items():
        ways.setdefault(name, []).append(key)
    rules = [
        worded(
            {"anyOf": [{"required": [key]} for key in ways[name]]},
            names=ways[name],
            known=list(spellings),
            lacking=message,
            need=remedy,
        )
        for name, (message, remedy) in required.items()
    ]
    twice = "{key} is given twice, with and without its prefix"
    doubled = (keys for keys in ways.values() if len(keys) > 1)
    rules += [worded({"not": {"required": keys}}, says=twice, at=keys, code="RW0704") for keys in doubled]
    return {"allOf": rules} if rules else {}


def _kind(kind: Kind, types: TypeSchemas, *, in_full: bool) -> Schema:
    attributes = worded(
        types.fields(kind.fields),
        wanted="a mapping of attributes",
        unknown=f"a {kind.name} has no attribute {{key}}",
        lacking="{this} lacks {keys}",
        needs={each.name: f"`{each.name}: …` ({each.type})" for each in kind.fields},
        other={
            "gone": ("`gone` of {this} cannot be written here", "list the thing under `removed`"),
            **dict.fromkeys(computed(kind), (f"{{key}} of {{this}} {_NOT_HERE}", "leave it out")),
        },
        at_key=True,
    )
    needs_values = "required" in attributes
    things = attributes if needs_values else {"anyOf": [attributes, worded({"type": "null"}, aside=True)]}
    named = {
        "says": f"{{shown}} cannot be the id of a {kind.name}",
        "name_code": "RW0718",
        "help": "use letters, digits, `_`, `-` and `.`; not `none` or `defaults`; five alike are `name x5`",
    }
    mapping = worded(
        {
            "type": "object",
            "propertyNames": worded({"pattern": _NAMES}, **named),
            "if": {"type": "object", "anyOf": [{"required": [DEFAULTS]}, {"required": [CSV]}]},
            "then": worded(_short_things(kind, types), part="{key}"),
            "else": worded({"additionalProperties": things if in_full else _thing(kind, things, types)}, part="{key}"),
        },
        part="{key}",
    )
    ids = worded(
        {"type": "array", "items": worded(ID_SCHEMA, named="an id like this", **named), "uniqueItems": True},
        part=f"an id of a {kind.name}",
        twice=f"the {kind.name} {{key}} is given twice",
        twice_code="RW0717",
        twice_help="rename one",
    )
    wanted = "a mapping from ids to attributes, or a list of ids"
    if needs_values:
        ids, wanted = worded({"type": "array", "maxItems": 0}, aside=True), "a mapping from ids to attributes"
    return described(worded({"anyOf": [mapping, ids]}, wanted=wanted), kind.title)


def _thing(kind: Kind, whole: Schema, types: TypeSchemas) -> Schema:
    """A thing in full, or one that is like another or one of several."""
    several: Schema = {"not": {"additionalProperties": {"not": _FOR_EACH}}}
    like: list[Schema] = [] if any(each.name == LIKE for each in kind.fields) else [{"required": [LIKE]}]
    return {"if": {"type": "object", "anyOf": [several, *like]}, "then": _short_thing(kind, types), "else": whole}


def _short_thing(kind: Kind, types: TypeSchemas) -> Schema:
    fields = {each.name: types.of(each.type) for each in kind.fields}
    values = {name: {"anyOf": [one, closed({EACH: members_schema(one)}, [EACH])]} for name, one in fields.items()}
    return {"anyOf": [closed({LIKE: {"type": "string"}, **values}), {"type": "null"}]}


def _short_things(kind: Kind, types: TypeSchemas) -> Schema:
    defaults = closed({each.name: described(types.of(each.type), each.title) for each in kind.fields})
    properties = {DEFAULTS: defaults, CSV: {"type": "string", "description": "a table of things, beside this file"}}
    return {"properties": properties, "additionalProperties": _short_thing(kind, types)}


def _board(board: Board, types: TypeSchemas) -> Schema:
    part: dict[str, Any] = {
        "unknown": f"{{key}} is not part of the board `{board.name}`",
        "lacking": f"the board `{board.name}` lacks {{keys}}",
    }
    if board.space == "plane":
        measure = length_measure(types.program)
        length = f"a number of {measure.unit}, such as `1.5`"
        extent: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": FARTHEST}
        contact: Schema = {"type": "number", "minimum": 0, "maximum": FARTHEST}
        sizes = {WIDTH: extent, DEPTH: extent, CONTACT: contact}
        signs = {WIDTH: MORE_THAN_0, DEPTH: MORE_THAN_0, CONTACT: ""}
        lengths = {
            key: with_units(worded(each, wanted=length), measure, sign=signs[key]) for key, each in sizes.items()
        }
        plane = worded(
            closed(lengths) | {"dependentRequired": PAIRED},
            **part,
            need=f"say both `{WIDTH}` and `{DEPTH}`, or neither",
            wanted="a mapping",
        )
        return described({"anyOf": [plane, worded({"type": "null"}, aside=True)]}, board.title)
    properties = {
        **({COORDINATES: _COORDINATES} if board.space == "hex" else {}),
        SHAPE: _shape(board),
        CELLS: _places("cell", _CELL, "2,-1", types.fields(board.fields)),
        SIDES: _places("side", f"{_CELL} {_CELL}", "0,0 1,0", types.fields(board.sides)),
    }
    needs = {SHAPE: f"`shape:` with {SHAPES[board.space]}"}
    squares = {COORDINATES: ("squares are counted in columns and rows as it is", "leave it out")}
    part["other"] = {} if board.space == "hex" else squares
    properties |= {DRAWN: {"type": "string"}, LEGEND: {"type": "object"}}
    shaped = worded({"required": [SHAPE]}, needs=needs, known=[SHAPE], **part)
    drawn = {"if": {"type": "object", "required": [DRAWN]}, "then": {}, "else": shaped}
    del part["lacking"]
    whole = worded(closed(properties) | drawn, part="{key}", wanted="a mapping with `shape`", **part)
    return described(whole, board.title)


def _places(sort: str, pattern: str, example: str, attributes: Schema) -> Schema:
    name = {"pattern": rf"^{pattern}$(?!\n)"}
    names = worded(name, says=f"{{shown}} is not a {sort}", help=f'a {sort} is written `"{example}"`')
    attributes = worded(
        attributes,
        wanted="a mapping of attributes",
        unknown=f"{{key}} is not an attribute of a {sort}",
        otherwise="" if attributes["properties"] else "there are none",
    )
    places = {"type": "object", "propertyNames": names, "additionalProperties": attributes}
    return worded(places, part=f"{sort} {{key}}")


def _shape(board: Board) -> Schema:
    edge = number(1, LONGEST_EDGE)
    cell = worded(pair({"type": "integer"}, {"type": "integer"}), whole=True, wanted="two numbers, such as `[2, -1]`")
    cells = worded(
        {"type": "array", "items": cell, "minItems": 1, "uniqueItems": True},
        wanted="a list of cells, such as `[[0, 0], [1, 0]]`",
        part="a cell of the board",
        twice="a cell of the board is given twice",
    )
    lengths = worded(
        {"type": "array", "items": number(0, LONGEST_EDGE), "minItems": 1, "maxItems": LONGEST_EDGE},
        wanted="how many cells each has, such as `[4, 3, 4]`",
    )
    shapes = [
        closed({"columns": edge, "rows": edge}, ["columns", "rows"]),
        *(closed({key: lengths}, [key]) for key in ("rows", "columns")),
        closed({"cells": cells}, ["cells"]),
    ]
    sides = worded(exactly([edge, edge]), wanted="how many hexes each side has, such as `[6, 4]`")
    of_hexes = [
        closed({"radius": number(0, WIDEST_RADIUS)}, ["radius"]),
        closed({"parallelogram": sides}, ["parallelogram"]),
    ]
    ways = [worded(each, part="{key}") for each in (*(of_hexes if board.space == "hex" else ()), *shapes)]
    says = f"the shape of `{board.name}` is not known"
    return worded({"oneOf": ways}, says=says, help=f"use {SHAPES[board.space]}")


def _relation(relation: Relation) -> Schema:
    first, second = relation.parameters
    example = f"[{first.name}, {second.name}]"
    ids = [worded({"type": "string"}, wanted="the name of a thing", named=NAMED) for _ in range(2)]
    entry = worded(exactly(ids), wanted=f"a pair, such as `{example}`")
    pairs: Schema = {"type": "array", "items": entry, "uniqueItems": True}
    words = {"wanted": f"a list of pairs, such as `[{example}]`", "part": "an entry of {this}", "reader": "uniqueItems"}
    return described(worded(pairs, **words), relation.title)


def _game(sections: Sections, types: TypeSchemas) -> Schema:
    fields = sections.program.game
    properties = {
        key: described(types.of(fields[name].type), fields[name].title) for key, name in sections.game.items()
    }
    required = {
        name: (f"the game lacks `{name}`", f"add it under `game:`, as `{name}: …`")
        for name, each in fields.items()
        if each.start is None
    }
    game = worded(closed(properties), part="{key}", unknown="the game has no field {key}", wanted="a mapping")
    return game | _once(sections.game, required)


def settings_schema(sections: Sections, types: TypeSchemas) -> Schema:
    """Settings, by every name they have."""
    settings, valid = sections.program.settings, list(sections.settings)
    there = f"one may set {one_of(valid)}" if valid else "none are declared here"
    schema = closed(
        {key: described(types.of(settings[name].type), settings[name].title) for key, name in sections.settings.items()}
    )
    return worded(
        schema,
        part="the setting {key}",
        wanted="a mapping",
        unknown="there is no setting {key}",
        key_code="RW0722",
        otherwise=f"{there}; more may be in an overlay, which is named with `--overlay`",
    )


def _removed() -> Schema:
    thing = worded({"type": "string"}, wanted="the id of a thing")
    things = {"type": "array", "items": thing, "description": "things out of play"}
    return worded(things, wanted="a list of ids", part="a member of {this}")


def script_schema(program: Program | None = None) -> Schema:
    """What a script is in shape, with the addresses of a program if one is given.

    What answers are in shape `Shapes.answers` says; what is legal is told when they are asked for.
    """
    asked: Schema = {}
    if program is not None:
        addresses = shapes_of(program).addresses
        asked = worded({"enum": sorted(addresses.spellings)}, reader="enum")
    entry = worded(
        closed(
            {
                "answer": {"description": "the answer"},
                "at": {"type": "string", **asked, "description": "where it is asked"},
                "by": {"type": "string", "description": "id of the player who answers"},
            },
            ["answer"],
        ),
        part="{key}",
        unknown="{key} is not part of an answer",
    )
    always = {"description": "the answer whenever it is asked"}
    places = {key: each for key, each in entry["properties"].items() if key != "answer"}
    standing = worded(
        closed({"always": always, **places}, ["always", "at"]),
        part="{key}",
        unknown="{key} is not part of an answer",
        lacking="this answer lacks {keys}",
        need="say where it is asked: `at: …`",
    )
    one = {"if": {"type": "object", "required": ["answer"]}, "then": entry}
    item = {"allOf": [one, {"if": {"type": "object", "required": ["always"]}, "then": standing}]}
    ordered = {"type": "array", "description": "answers in order", "items": item}
    answers = {"type": "array", "description": "answers of a line met several times, one after the other"}
    many = worded(closed({EACH: worded(answers, wanted="a list of answers"), "always": always}), part="{key}")
    is_many = {"type": "object", "minProperties": 1, "propertyNames": {"enum": [EACH, "always"]}}
    by_address = {
        "type": "object",
        "description": "answers by address",
        "propertyNames": asked,
        "additionalProperties": {"if": is_many, "then": many},
    }
    wanted = "a list of answers, or a mapping from addresses to answers"
    says = f"a script is {wanted}, and this is {{shown}}"
    script = worded({"anyOf": [ordered, by_address]}, says=says, codes=_ANSWERS)
    title = f"A script for {program.title or program.name}" if program else "A script"
    return {**head("script", title, program), **script}


class Shapes:
    """What documents of one program are in shape, each made when it is first needed."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._types: dict[Type, Shape] = {}

    @cached_property
    def state(self) -> Shape:
        """Of its states, once things are in full."""
        return Shape(state_schema(self.program, in_full=True))

    @cached_property
    def addresses(self) -> Addresses:
        """Where something can be asked."""
        return Addresses(request_addresses(self.program), numbered_addresses(self.program))

    @cached_property
    def windows(self) -> frozenset[str]:
        """Where windows open."""
        return window_addresses(self.program)

    @cached_property
    def answers(self) -> Mapping[str, Shape]:
        """Of answers, by the address at which they are asked for, or the external that they are of."""
        return question_shapes(self.program)

    @cached_property
    def script(self) -> Shape:
        """Of its scripts."""
        return Shape(script_schema(self.program))

    @cached_property
    def settings(self) -> Shape:
        """Of its settings."""
        return Shape(settings_schema(Sections(self.program), TypeSchemas(self.program)))

    @cached_property
    def removed(self) -> Shape:
        """Of the list of things out of play."""
        return Shape(_removed())

    def of(self, target: Type) -> Shape:
        """Of the values of a type."""
        if target not in self._types:
            self._types[target] = Shape(TypeSchemas(self.program).of(target))
        return self._types[target]


def shapes_of(program: Program) -> Shapes:
    """The shapes of a program; those of the programs used last are kept."""
    found = next((each for each in _LAST if each.program is program), None)
    if found is None:
        _LAST.append(found := Shapes(program))
    return found


_LAST: deque[Shapes] = deque(maxlen=8)
