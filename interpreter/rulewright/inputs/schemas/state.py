"""The schema of a ruleset's states, from which editors complete state files."""

from collections.abc import Mapping

from rulewright.inputs.boards import LONGEST_EDGE, WIDEST_RADIUS
from rulewright.inputs.plane_values import CONTACT, DEPTH, FARTHEST, PAIRED, WIDTH
from rulewright.inputs.schemas.script import Schema, closed, described, head
from rulewright.inputs.schemas.types import ID_SCHEMA, TypeSchemas, exactly, number, pair
from rulewright.inputs.sections import CELLS, GAME, REMOVED, SETTINGS, SHAPE, SIDES, Sections
from rulewright.inputs.things import ID_PATTERN
from rulewright.program.declarations import Board, Kind, Program, Relation

_CELL = r"-?[0-9]{1,6}, ?-?[0-9]{1,6}"


def state_schema(program: Program) -> Schema:
    """What `read_state` accepts in shape; which ids there are and which cells lie on the board it judges itself."""
    sections, types = Sections(program), TypeSchemas(program)
    properties: dict[str, Schema] = {
        **{key: _kind(kind, types) for key, kind in sections.kinds.items()},
        **{key: _board(board, types) for key, board in sections.boards.items()},
        **{key: _relation(relation) for key, relation in sections.relations.items()},
        GAME: _game(sections, types),
        SETTINGS: _settings(sections, types),
        REMOVED: _removed(sections),
    }
    return {
        **head("state", f"A state of {program.title or program.name}", program),
        **closed(properties),
        **_once(sections.names, _required(program)),
    }


def _required(program: Program) -> list[str]:
    game = [GAME] if any(each.start is None for each in program.game.values()) else []
    return [*(name for name, board in program.boards.items() if board.space != "plane"), *game]


def _once(spellings: Mapping[str, str], required: list[str]) -> Schema:
    """Every name in at most one of its spellings, and those required in exactly one."""
    ways: dict[str, list[str]] = {}
    for key, name in spellings.items():
        ways.setdefault(name, []).append(key)
    rules: list[Schema] = [{"anyOf": [{"required": [key]} for key in ways[name]]} for name in required]
    rules += [{"not": {"required": keys}} for keys in ways.values() if len(keys) > 1]
    return {"allOf": rules} if rules else {}


def _kind(kind: Kind, types: TypeSchemas) -> Schema:
    attributes = types.fields(kind.fields)
    needs_values = "required" in attributes
    things = attributes if needs_values else {"anyOf": [attributes, {"type": "null"}]}
    ids: Schema = {"type": "array", "items": ID_SCHEMA, "uniqueItems": True}
    if needs_values:
        ids["maxItems"] = 0
    mapping = {"type": "object", "propertyNames": {"pattern": ID_PATTERN}, "additionalProperties": things}
    return described({"anyOf": [mapping, ids]}, kind.title)


def _board(board: Board, types: TypeSchemas) -> Schema:
    if board.space == "plane":
        extent: Schema = {"type": "number", "exclusiveMinimum": 0, "maximum": FARTHEST}
        contact: Schema = {"type": "number", "minimum": 0, "maximum": FARTHEST}
        plane = closed({WIDTH: extent, DEPTH: extent, CONTACT: contact}) | {"dependentRequired": PAIRED}
        return described({"anyOf": [plane, {"type": "null"}]}, board.title)
    properties = {
        SHAPE: _shape(board.space),
        CELLS: _places(_CELL, types.fields(board.fields)),
        SIDES: _places(f"{_CELL} {_CELL}", types.fields(board.sides)),
    }
    return described(closed(properties, [SHAPE]), board.title)


def _places(pattern: str, attributes: Schema) -> Schema:
    return {"type": "object", "propertyNames": {"pattern": f"^{pattern}$"}, "additionalProperties": attributes}


def _shape(space: str) -> Schema:
    edge = number(1, LONGEST_EDGE)
    cell = pair({"type": "integer"}, {"type": "integer"})
    cells = {"type": "array", "items": cell, "minItems": 1, "uniqueItems": True}
    shapes = [
        closed({"columns": edge, "rows": edge}, ["columns", "rows"]),
        closed({"cells": cells}, ["cells"]),
    ]
    hexagon = [closed({"radius": number(0, WIDEST_RADIUS)}, ["radius"])] if space == "hex" else []
    return {"oneOf": hexagon + shapes}


def _relation(relation: Relation) -> Schema:
    pairs: Schema = {"type": "array", "items": exactly([ID_SCHEMA, ID_SCHEMA]), "uniqueItems": True}
    return described(pairs, relation.title)


def _game(sections: Sections, types: TypeSchemas) -> Schema:
    fields = sections.program.game
    properties = {
        key: described(types.of(fields[name].type), fields[name].title) for key, name in sections.game.items()
    }
    required = [name for name, each in fields.items() if each.start is None]
    return closed(properties) | _once(sections.game, required)


def _settings(sections: Sections, types: TypeSchemas) -> Schema:
    settings = sections.program.settings
    return closed(
        {key: described(types.of(settings[name].type), settings[name].title) for key, name in sections.settings.items()}
    )


def _removed(sections: Sections) -> Schema:
    plurals = "|".join(key.replace(".", r"\.") for key in sections.kinds)
    pattern = f"^(?:(?:{plurals})/)?(?!none$)[A-Za-z0-9_][A-Za-z0-9_.-]{{0,99}}$"
    return {"type": "array", "items": {"type": "string", "pattern": pattern}, "description": "things out of play"}
