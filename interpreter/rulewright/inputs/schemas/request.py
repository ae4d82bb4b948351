"""The schema of the answers to one request."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from rulewright.inputs.answers import CHANGES, answer_type, item_type
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.schemas.script import Schema, closed, described, head
from rulewright.inputs.schemas.types import FLAG_SCHEMA, PLACE_SCHEMA, TypeSchemas, claimed, exactly, pair
from rulewright.inputs.sections import GAME, REMOVED, spellings
from rulewright.machine.request import Request
from rulewright.machine.values import Value
from rulewright.program.types import MapType, TextType, ThingType, Type, WordType


def request_schema(request: Request, names: Names) -> Schema:
    """What `read_answer` accepts; sums, and demands on the whole answer, only the reader and the rules can judge."""
    address = quote(request.address, safe="")
    title = request.prompt or f"The answer at {request.address}"
    answer = _answer(request, names)
    return {**head(f"request:{address}", title, names.program), **(claimed(answer) if request.claimable else answer)}


def _answer(request: Request, names: Names) -> Schema:  # noqa: C901, PLR0911
    types = TypeSchemas(names.program, names.base.things)
    match request.sort:
        case "whether" | "handler":
            return FLAG_SCHEMA
        case "taker":
            return _taken([each.value for each in request.choices])
        case "one" | "choose" | "turn":
            possible = (each.value for each in request.choices if each.reason is None)
            return _any_of(possible, answer_type(request), names)
        case "draw":
            return _any_of(request.items, item_type(answer_type(request)), names)
        case "pick":
            return _members(request, names) | {
                "uniqueItems": True,
                "minItems": request.low,
                "maxItems": request.high,
            }
        case "order" | "handlers" | "shuffle":
            count = len(request.items)
            distinct = {"uniqueItems": True} if len(set(request.items)) == count else {}
            return _members(request, names) | {"minItems": count, "maxItems": count} | distinct
        case "split":
            return _split(request, names)
        case "roll":
            return _roll(request, names)
        case "place":
            return PLACE_SCHEMA
        case "external":
            return _external(request, names, types)
        case _:
            return types.of(answer_type(request))


def _taken(labels: list[Value]) -> Schema:
    return {"enum": [*labels, "none"] if None in labels else labels}


def _any_of(values: Iterable[Value], target: Type, names: Names) -> Schema:
    return {"enum": [spelling for each in dict.fromkeys(values) for spelling in _spellings(each, target, names)]}


def _spellings(value: Value, target: Type, names: Names) -> list[Json]:
    written = to_json(value, target, names)
    match written:
        case None:
            return [None] if isinstance(target, TextType) else [None, "none"]
        case bool():
            return [True, "yes", "true"] if written else [False, "no", "false"]
        case _:
            return [written]


def _members(request: Request, names: Names) -> Schema:
    return {"type": "array", "items": _any_of(request.items, item_type(answer_type(request)), names)}


def _split(request: Request, names: Names) -> Schema:
    target = answer_type(request)
    key = _any_of(request.items, item_type(target), names)
    share = {"type": "integer", "minimum": 0, "maximum": request.high}
    pairs = {"type": "array", "items": pair(key, share)}
    if not (isinstance(target, MapType) and isinstance(target.key, ThingType | WordType)):
        return pairs
    return {"anyOf": [{"type": "object", "propertyNames": key, "additionalProperties": share}, pairs]}


def _roll(request: Request, names: Names) -> Schema:
    dice = [_any_of(each.faces, each.face, names) for each in request.dice for _ in range(each.count)]
    return {"anyOf": [exactly(dice), *dice]} if len(dice) == 1 else exactly(dice)


def _external(request: Request, names: Names, types: TypeSchemas) -> Schema:
    properties, required = types.results(request.name, request.type)
    if request.changes:
        properties[CHANGES] = _changes(request, names, types)
    return closed(properties, required)


def _changes(request: Request, names: Names, types: TypeSchemas) -> Schema:
    """A patch in the form of a state file, of the places that may change."""
    program = names.program
    plurals = spellings(kind.plural for kind in program.kinds.values())
    properties: dict[str, Any] = {}
    for key, plural in plurals.items():
        kind = next(each for each in program.kinds.values() if each.plural == plural)
        fields = [each for each in kind.fields if f"{kind.name}/{each.name}" in request.changes]
        if fields:
            attributes = closed({each.name: described(types.of(each.type), each.title) for each in fields})
            ids = {"enum": list(names.ids(kind.name))}
            properties[key] = {"type": "object", "propertyNames": ids, "additionalProperties": attributes}
    game = {
        key: types.of(program.game[name].type)
        for key, name in spellings(program.game).items()
        if f"game/{name}" in request.changes
    }
    if game:
        properties[GAME] = closed(game)
    removable = _removable(request, names)
    if removable:
        properties[REMOVED] = {"type": "array", "items": {"enum": removable}}
    return closed(properties)


def _removable(request: Request, names: Names) -> list[str]:
    every = [id_ for ids in names.base.things.values() for id_ in ids]
    kinds = [kind for kind in names.program.kinds.values() if f"{kind.name}/gone" in request.changes]
    plain = [id_ for kind in kinds for id_ in names.ids(kind.name) if every.count(id_) == 1]
    return plain + [f"{kind.plural}/{id_}" for kind in kinds for id_ in names.ids(kind.name)]
