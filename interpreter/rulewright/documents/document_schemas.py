"""JSON Schemas of states and scripts, for validation and for completion in editors."""

from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from rulewright.documents.document_shapes import DocumentShape, ErrorCodes
from rulewright.documents.findings import join_alternatives, list_alternatives
from rulewright.documents.name_table import (
    CELLS,
    COORDINATES,
    CSV,
    DEFAULTS,
    DRAWN,
    EACH,
    GAME,
    LEGEND,
    LIKE,
    NUMBERED_THINGS_PATTERN,
    REMOVED,
    SETTINGS,
    SHAPE,
    SIDES,
    RequestAddresses,
    StateSections,
    computed_attributes,
    numbered_addresses,
    request_addresses,
    window_addresses,
)
from rulewright.documents.question_schemas import (
    TypeSchemas,
    build_question_shapes,
    external_mapping_schema,
    removed_schema,
)
from rulewright.program.board_geometry import COORDINATE_SYSTEMS
from rulewright.program.declarations import Board, Kind, Program, Relation
from rulewright.program.types import GRID_STEPS, Type
from rulewright.runtime.codec_protocols import (
    ID_SCHEMA,
    MAX_LENGTH,
    POSITIVE_PATTERN,
    QUOTED_NAME_HINT,
    Schema,
    closed_object,
    integer_schema,
    length_measure,
    list_schema,
    pair_schema,
    schema_header,
    tuple_schema,
    with_description,
    with_message_words,
    with_units,
)
from rulewright.runtime.request import Request

MAX_BOARD_RADIUS = 150
MAX_BOARD_EDGE = 300
_HEX_SHAPE_EXAMPLES = "`{radius: 3}`, `{parallelogram: [6, 4]}`, "
BOARD_SHAPE_EXAMPLES = {
    space: f"{_HEX_SHAPE_EXAMPLES if space == 'hex' else ''}`{{columns: 13, rows: 11}}`, `{{rows: [4, 3, 4]}}` or "
    "`{cells: [[0, 0], [1, 0]]}`"
    for space in GRID_STEPS
}
WIDTH, DEPTH, CONTACT = "width", "depth", "contact"
PAIRED_LENGTHS = {WIDTH: [DEPTH], DEPTH: [WIDTH]}
_CELL_KEY_REGEX = r"-?[0-9]{1,6}, ?-?[0-9]{1,6}"
_COMPUTED_ATTRIBUTE_MESSAGE = "is computed by the rules and cannot be written here"
_SCRIPT_CODES = ErrorCodes("RW0742", "RW0742", "RW0742", "RW0742")
_THING_ID_REGEX = rf"^(?!none$)[A-Za-z0-9_][A-Za-z0-9_.\-]{{0,99}}$(?!\n)|^{NUMBERED_THINGS_PATTERN.pattern}$(?!\n)"
_TOO_MANY_ALIKE_REGEX = r"^[A-Za-z0-9_][A-Za-z0-9_.\-]{0,95} x[1-9][0-9]{3,}$"
_EACH_SCHEMA: Schema = closed_object({EACH: {"type": "array"}}, [EACH])
_COORDINATES_SCHEMA = with_message_words(
    {"enum": list(COORDINATE_SYSTEMS)}, wanted=join_alternatives(list(COORDINATE_SYSTEMS))
)

PLAIN_POLICIES = ("first", "random")
"""Policies without an expression."""


def state_schema(
    program: Program, things: Mapping[str, Sequence[str]] | None = None, *, in_full: bool = False
) -> Schema:
    """JSON Schema of states: of full states, or (`in_full=False`) of states with short forms.

    Ids and cells are checked by the reader; an editor passes the things by kind. In short form, what a thing lacks is
    only judged once it is expanded.
    """
    sections, types = StateSections(program), TypeSchemas(program, things)
    properties: dict[str, Schema] = {
        **{key: _kind_schema(kind, types, in_full=in_full) for key, kind in sections.kinds.items()},
        **{key: _board_schema(board, types) for key, board in sections.boards.items()},
        **{key: _relation_schema(relation) for key, relation in sections.relations.items()},
        GAME: _game_schema(sections, types),
        SETTINGS: settings_schema(sections, types),
        REMOVED: removed_schema(),
    }
    state = with_message_words(
        closed_object(properties),
        part="{key}",
        unknown="{key} is not part of a state of " + f"`{program.name}`",
        other=dict.fromkeys(
            (*program.functions, *program.external_terms), (f"{{key}} {_COMPUTED_ATTRIBUTE_MESSAGE}", "leave it out")
        ),
        says="a state is a mapping, and this is {shown}",
        help="begin with `players:`",
    )
    return {
        **schema_header("state", f"A state of {program.title or program.name}", program),
        **state,
        **_single_spelling_schema(sections.qualified_names, _required_sections(program)),
    }


def _required_sections(program: Program) -> dict[str, tuple[str, str]]:
    result = {}
    for name, board in program.boards.items():
        if board.space != "plane":
            shape = "radius: 3" if board.space == "hex" else "columns: 8, rows: 8"
            result[name] = (f"the board `{name}` is missing", f"add `{name}: {{shape: {{{shape}}}}}`")
    lacking = [field for field in program.game.values() if field.start is None]
    if lacking:
        *others, last = (f"`{field.name}`" for field in lacking)
        listed = f"{', '.join(others)} and {last}" if others else last
        result[GAME] = (f"the game lacks {listed}", f"add it under `game:`, as `{lacking[0].name}: …`")
    return result


def _single_spelling_schema(spellings: Mapping[str, str], required: Mapping[str, tuple[str, str]]) -> Schema:
    keys_by_name: dict[str, list[str]] = {}
    for key, name in spellings.items():
        keys_by_name.setdefault(name, []).append(key)
    rules = [
        with_message_words(
            {"anyOf": [{"required": [key]} for key in keys_by_name[name]]},
            names=keys_by_name[name],
            known=list(spellings),
            lacking=message,
            need=remedy,
        )
        for name, (message, remedy) in required.items()
    ]
    twice = "{key} is given twice, with and without its prefix"
    doubled = (keys for keys in keys_by_name.values() if len(keys) > 1)
    rules += [with_message_words({"not": {"required": keys}}, says=twice, at=keys, code="RW0704") for keys in doubled]
    return {"allOf": rules} if rules else {}


def _kind_schema(kind: Kind, types: TypeSchemas, *, in_full: bool) -> Schema:
    attributes = with_message_words(
        types.fields_schema(kind.fields),
        wanted="a mapping of attributes",
        unknown=f"a {kind.name} has no attribute {{key}}",
        lacking="{this} lacks {keys}",
        needs={field.name: f"`{field.name}: …` ({field.type})" for field in kind.fields},
        other={
            "gone": ("`gone` of {this} cannot be written here", "list the thing under `removed`"),
            **dict.fromkeys(
                computed_attributes(kind), (f"{{key}} of {{this}} {_COMPUTED_ATTRIBUTE_MESSAGE}", "leave it out")
            ),
        },
        at_key=True,
    )
    needs_values = "required" in attributes
    things = attributes if needs_values else {"anyOf": [attributes, with_message_words({"type": "null"}, aside=True)]}
    named = {
        "says": f"{{shown}} cannot be the id of a {kind.name}",
        "name_code": "RW0718",
        "help": "use letters, digits, `_`, `-` and `.`; not `none` or `defaults`; five alike are `name x5`",
    }
    mapping = with_message_words(
        {
            "type": "object",
            "propertyNames": {
                "if": {"pattern": _TOO_MANY_ALIKE_REGEX},
                "then": with_message_words(
                    {"not": {"pattern": _TOO_MANY_ALIKE_REGEX}},
                    says="{shown} would be more things than one line may stand for: 999",
                    name_code="RW0718",
                    help="divide them over several lines, each with a name of its own: `name x999`",
                ),
                "else": with_message_words({"pattern": _THING_ID_REGEX}, **named),
            },
            "if": {"type": "object", "anyOf": [{"required": [DEFAULTS]}, {"required": [CSV]}]},
            "then": with_message_words(_short_things_schema(kind, types), part="{key}"),
            "else": with_message_words(
                {"additionalProperties": things if in_full else _thing_schema(kind, things, types)}, part="{key}"
            ),
        },
        part="{key}",
    )
    ids = with_message_words(
        {
            "type": "array",
            "items": with_message_words(ID_SCHEMA, named="an id like this", **named),
            "uniqueItems": True,
        },
        part=f"an id of a {kind.name}",
        twice=f"the {kind.name} {{key}} is given twice",
        twice_code="RW0717",
        twice_help="rename one",
    )
    wanted = "a mapping from ids to attributes, or a list of ids"
    if needs_values:
        ids, wanted = (
            with_message_words({"type": "array", "maxItems": 0}, aside=True),
            "a mapping from ids to attributes",
        )
    return with_description(with_message_words({"anyOf": [mapping, ids]}, wanted=wanted), kind.title)


def _thing_schema(kind: Kind, whole: Schema, types: TypeSchemas) -> Schema:
    several: Schema = {"not": {"additionalProperties": {"not": _EACH_SCHEMA}}}
    like: list[Schema] = [] if any(field.name == LIKE for field in kind.fields) else [{"required": [LIKE]}]
    return {
        "if": {"type": "object", "anyOf": [several, *like]},
        "then": _short_thing_schema(kind, types),
        "else": whole,
    }


def _short_thing_schema(kind: Kind, types: TypeSchemas) -> Schema:
    fields = {field.name: types.type_schema(field.type) for field in kind.fields}
    values = {name: {"anyOf": [one, closed_object({EACH: list_schema(one)}, [EACH])]} for name, one in fields.items()}
    return {"anyOf": [closed_object({LIKE: {"type": "string"}, **values}), {"type": "null"}]}


def _short_things_schema(kind: Kind, types: TypeSchemas) -> Schema:
    defaults = closed_object(
        {field.name: with_description(types.type_schema(field.type), field.title) for field in kind.fields}
    )
    properties = {DEFAULTS: defaults, CSV: {"type": "string", "description": "a table of things, beside this file"}}
    return {"properties": properties, "additionalProperties": _short_thing_schema(kind, types)}


def _board_schema(board: Board, types: TypeSchemas) -> Schema:
    part: dict[str, Any] = {
        "unknown": f"{{key}} is not part of the board `{board.name}`",
        "lacking": f"the board `{board.name}` lacks {{keys}}",
    }
    if board.space == "plane":
        measure = length_measure(types.program)
        length = f"a number of {measure.unit}, such as `1.5`"
        extent: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_LENGTH}
        contact: Schema = {"type": "number", "minimum": 0, "maximum": MAX_LENGTH}
        sizes = {WIDTH: extent, DEPTH: extent, CONTACT: contact}
        signs = {WIDTH: POSITIVE_PATTERN, DEPTH: POSITIVE_PATTERN, CONTACT: ""}
        lengths = {
            key: with_units(with_message_words(item, wanted=length), measure, sign=signs[key])
            for key, item in sizes.items()
        }
        plane = with_message_words(
            closed_object(lengths) | {"dependentRequired": PAIRED_LENGTHS},
            **part,
            need=f"say both `{WIDTH}` and `{DEPTH}`, or neither",
            wanted="a mapping",
        )
        return with_description({"anyOf": [plane, with_message_words({"type": "null"}, aside=True)]}, board.title)
    properties = {
        **({COORDINATES: _COORDINATES_SCHEMA} if board.space == "hex" else {}),
        SHAPE: _board_shape_schema(board),
        CELLS: _places_schema("cell", _CELL_KEY_REGEX, "2,-1", types.fields_schema(board.fields)),
        SIDES: _places_schema(
            "side", f"{_CELL_KEY_REGEX} {_CELL_KEY_REGEX}", "0,0 1,0", types.fields_schema(board.sides)
        ),
    }
    needs = {SHAPE: f"`shape:` with {BOARD_SHAPE_EXAMPLES[board.space]}"}
    squares = {COORDINATES: ("squares are counted in columns and rows as it is", "leave it out")}
    part["formed"] = {
        _CELL_KEY_REGEX: f"write it under `{CELLS}:`",
        f"{_CELL_KEY_REGEX} {_CELL_KEY_REGEX}": f"write it under `{SIDES}:`",
    }
    part["other"] = {} if board.space == "hex" else squares
    properties |= {DRAWN: {"type": "string"}, LEGEND: {"type": "object"}}
    shaped = with_message_words({"required": [SHAPE]}, needs=needs, known=[SHAPE], **part)
    drawn = {"if": {"type": "object", "required": [DRAWN]}, "then": {}, "else": shaped}
    del part["lacking"]
    whole = with_message_words(closed_object(properties) | drawn, part="{key}", wanted="a mapping with `shape`", **part)
    return with_description(whole, board.title)


def _places_schema(sort: str, pattern: str, example: str, attributes: Schema) -> Schema:
    name = {"pattern": rf"^{pattern}$(?!\n)"}
    names = with_message_words(name, says=f"{{shown}} is not a {sort}", help=f'a {sort} is written `"{example}"`')
    attributes = with_message_words(
        attributes,
        wanted="a mapping of attributes",
        unknown=f"{{key}} is not an attribute of a {sort}",
        otherwise="" if attributes["properties"] else "there are none",
    )
    places = {"type": "object", "propertyNames": names, "additionalProperties": attributes}
    return with_message_words(places, part=f"{sort} {{key}}")


def _board_shape_schema(board: Board) -> Schema:
    edge = integer_schema(1, MAX_BOARD_EDGE)
    cell = with_message_words(
        pair_schema({"type": "integer"}, {"type": "integer"}), whole=True, wanted="two numbers, such as `[2, -1]`"
    )
    cells = with_message_words(
        {"type": "array", "items": cell, "minItems": 1, "uniqueItems": True},
        wanted="a list of cells, such as `[[0, 0], [1, 0]]`",
        part="a cell of the board",
        twice="a cell of the board is given twice",
    )
    lengths = with_message_words(
        {"type": "array", "items": integer_schema(0, MAX_BOARD_EDGE), "minItems": 1, "maxItems": MAX_BOARD_EDGE},
        wanted="how many cells each has, such as `[4, 3, 4]`",
    )
    shapes = [
        closed_object({"columns": edge, "rows": edge}, ["columns", "rows"]),
        *(closed_object({key: lengths}, [key]) for key in ("rows", "columns")),
        closed_object({"cells": cells}, ["cells"]),
    ]
    sides = with_message_words(tuple_schema([edge, edge]), wanted="how many hexes each side has, such as `[6, 4]`")
    of_hexes = [
        closed_object({"radius": integer_schema(0, MAX_BOARD_RADIUS)}, ["radius"]),
        closed_object({"parallelogram": sides}, ["parallelogram"]),
    ]
    forms = [with_message_words(item, part="{key}") for item in (*(of_hexes if board.space == "hex" else ()), *shapes)]
    says = f"the shape of `{board.name}` is not known"
    return with_message_words({"anyOf": forms}, says=says, help=f"use {BOARD_SHAPE_EXAMPLES[board.space]}")


def _relation_schema(relation: Relation) -> Schema:
    first, second = relation.parameters
    example = f"[{first.name}, {second.name}]"
    ids = [
        with_message_words({"type": "string"}, wanted="the name of a thing", named=QUOTED_NAME_HINT) for _ in range(2)
    ]
    entry = with_message_words(tuple_schema(ids), wanted=f"a pair, such as `{example}`")
    pairs: Schema = {"type": "array", "items": entry, "uniqueItems": True}
    words = {"wanted": f"a list of pairs, such as `[{example}]`", "part": "an entry of {this}", "reader": "uniqueItems"}
    return with_description(with_message_words(pairs, **words), relation.title)


def _game_schema(sections: StateSections, types: TypeSchemas) -> Schema:
    fields = sections.program.game
    properties = {
        key: with_description(types.type_schema(fields[name].type), fields[name].title)
        for key, name in sections.game.items()
    }
    required = {
        name: (f"the game lacks `{name}`", f"add it under `game:`, as `{name}: …`")
        for name, field in fields.items()
        if field.start is None
    }
    game = with_message_words(
        closed_object(properties), part="{key}", unknown="the game has no field {key}", wanted="a mapping"
    )
    return game | _single_spelling_schema(sections.game, required)


def settings_schema(sections: StateSections, types: TypeSchemas) -> Schema:
    """JSON Schema of settings, by every spelling of their names."""
    settings, valid = sections.program.settings, list(sections.settings)
    there = f"one may set {list_alternatives(valid)}" if valid else "none are declared here"
    schema = closed_object(
        {
            key: with_description(types.type_schema(settings[name].type), settings[name].title)
            for key, name in sections.settings.items()
        }
    )
    return with_message_words(
        schema,
        part="the setting {key}",
        wanted="a mapping",
        unknown="there is no setting {key}",
        key_code="RW0722",
        otherwise=f"{there}; more may be in an overlay, which is named with `--overlay`",
    )


def script_schema(program: Program | None = None) -> Schema:
    """JSON Schema of scripts, with the addresses of a program if one is given.

    The shapes of answers are those of `DocumentShapes.answers`; legality is checked when they are asked for.
    """
    address_schema: Schema = {}
    if program is not None:
        addresses = document_shapes(program).addresses
        address_schema = with_message_words({"enum": sorted(addresses.spellings)}, reader="enum")
    entry = with_message_words(
        closed_object(
            {
                "answer": {"description": "the answer"},
                "at": {"type": "string", **address_schema, "description": "where it is asked"},
                "by": {"type": "string", "description": "id of the player who answers"},
            },
            ["answer"],
        ),
        part="{key}",
        unknown="{key} is not part of an answer",
    )
    always = {"description": "the answer whenever it is asked"}
    places = {key: each for key, each in entry["properties"].items() if key != "answer"}
    standing_line = with_message_words(
        closed_object({"always": always, **places}, ["always", "at"]),
        part="{key}",
        unknown="{key} is not part of an answer",
        lacking="this answer lacks {keys}",
        need="say where it is asked: `at: …`",
    )
    one = {"if": {"type": "object", "required": ["answer"]}, "then": entry}
    item = {"allOf": [one, {"if": {"type": "object", "required": ["always"]}, "then": standing_line}]}
    ordered = {"type": "array", "description": "answers in order", "items": item}
    answers = {"type": "array", "description": "answers of a line met several times, one after the other"}
    many = with_message_words(
        closed_object({EACH: with_message_words(answers, wanted="a list of answers"), "always": always}), part="{key}"
    )
    is_many = {"type": "object", "minProperties": 1, "propertyNames": {"enum": [EACH, "always"]}}
    by_address = {
        "type": "object",
        "description": "answers by address",
        "propertyNames": address_schema,
        "additionalProperties": {"if": is_many, "then": many},
    }
    wanted = "a list of answers, or a mapping from addresses to answers"
    says = f"a script is {wanted}, and this is {{shown}}"
    script = with_message_words({"anyOf": [ordered, by_address]}, says=says, codes=_SCRIPT_CODES)
    title = f"A script for {program.title or program.name}" if program else "A script"
    return {**schema_header("script", title, program), **script}


class DocumentShapes:
    """Compiled shapes of the documents of one program, each made at first use."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._types: dict[Type, DocumentShape] = {}
        self._externals: dict[str, DocumentShape] = {}

    @cached_property
    def sections(self) -> StateSections:
        """Sections of states, by every accepted key."""
        return StateSections(self.program)

    @cached_property
    def state(self) -> DocumentShape:
        """Shape of full states."""
        return DocumentShape(state_schema(self.program, in_full=True))

    @cached_property
    def addresses(self) -> RequestAddresses:
        return RequestAddresses(request_addresses(self.program), numbered_addresses(self.program))

    @cached_property
    def windows(self) -> frozenset[str]:
        """Addresses of lines that open windows."""
        return window_addresses(self.program)

    @cached_property
    def answers(self) -> Mapping[str, DocumentShape]:
        """Shapes of answers, by the address of their request or the name of their external."""
        return build_question_shapes(self.program)

    @cached_property
    def script(self) -> DocumentShape:
        return DocumentShape(script_schema(self.program))

    @cached_property
    def settings(self) -> DocumentShape:
        return DocumentShape(settings_schema(self.sections, TypeSchemas(self.program)))

    def value_shape(self, target: Type) -> DocumentShape:
        if target not in self._types:
            self._types[target] = DocumentShape(TypeSchemas(self.program).type_schema(target))
        return self._types[target]

    def external_shape(self, request: Request) -> DocumentShape:
        """Shape of a mapping that answers an external."""
        if request.name not in self._externals:
            types = TypeSchemas(self.program)
            schema = external_mapping_schema(request.name, request.type, request.changes, types)
            self._externals[request.name] = DocumentShape(schema)
        return self._externals[request.name]


def document_shapes(program: Program) -> DocumentShapes:
    """Shapes of a program, from a small cache of recent programs."""
    result = next((recent_shape for recent_shape in _RECENT_SHAPES if recent_shape.program is program), None)
    if result is None:
        _RECENT_SHAPES.append(result := DocumentShapes(program))
    return result


_RECENT_SHAPES: deque[DocumentShapes] = deque(maxlen=8)
