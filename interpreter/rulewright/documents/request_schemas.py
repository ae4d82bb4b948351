"""JSON Schema of the answers to one request."""

from collections.abc import Iterable
from urllib.parse import quote

from rulewright.documents.answers import answer_type, item_type, name_offered_dice
from rulewright.documents.document_nodes import Json
from rulewright.documents.document_shapes import strip_message_words
from rulewright.documents.name_table import NameTable
from rulewright.documents.question_schemas import TypeSchemas, external_answer_schema
from rulewright.documents.structured_answers import dice_part_name, named_dice_parts
from rulewright.program import types as ty
from rulewright.program.types import Type
from rulewright.runtime.codec_protocols import (
    FLAG_SCHEMA,
    Schema,
    closed_object,
    length_measure,
    pair_schema,
    place_schema,
    schema_header,
    tuple_schema,
    with_no_answer_claim,
)
from rulewright.runtime.request import Request
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value


def request_schema(request: Request, names: NameTable) -> Schema:
    """Schema of what `read_answer` accepts, but for sums and conditions on the whole answer."""
    address, names = quote(request.address, safe=""), name_offered_dice(request, names)
    title = request.prompt or f"The answer at {request.address}"
    answer = _request_answer_schema(request, names)
    schema = with_no_answer_claim(answer) if request.claimable else answer
    return strip_message_words({**schema_header(f"request:{address}", title, names.program), **schema})


def _request_answer_schema(request: Request, names: NameTable) -> Schema:
    types = TypeSchemas(names.program, names.base.things)
    match request.sort:
        case "whether" | "handler":
            return FLAG_SCHEMA
        case "taker":
            labels = [choice.value for choice in request.choices]
            return {"enum": [*labels, "none"] if None in labels else labels}
        case "one" | "choose" | "turn":
            possible = (choice.value for choice in request.choices if choice.reason is None)
            return _values_schema(possible, answer_type(request), names)
        case "draw":
            return _values_schema(request.items, item_type(answer_type(request)), names)
        case "pick":
            return _item_list_schema(request, names) | {
                "uniqueItems": True,
                "minItems": request.low,
                "maxItems": request.high,
            }
        case "order" | "handlers" | "shuffle":
            count = len(request.items)
            distinct = {"uniqueItems": True} if len(set(request.items)) == count else {}
            return _item_list_schema(request, names) | {"minItems": count, "maxItems": count} | distinct
        case "split":
            return _split_schema(request, names)
        case "roll":
            return _roll_faces_schema(request, names)
        case "place":
            return place_schema(length_measure(names.program))
        case "external":
            return external_answer_schema(request.name, request.type, request.changes, types)
        case _:
            return types.type_schema(answer_type(request))


def _values_schema(values: Iterable[Value], target: Type, names: NameTable) -> Schema:
    return {
        "enum": [spelling for fromkey in dict.fromkeys(values) for spelling in _value_spellings(fromkey, target, names)]
    }


def _value_spellings(value: Value, target: Type, names: NameTable) -> list[Json]:
    written = value_to_json(value, target, names)
    match written:
        case None:
            return [None] if isinstance(target, ty.TextType) else [None, "none"]
        case bool():
            return [True, "yes", "true"] if written else [False, "no", "false"]
        case str() if isinstance(target, ty.DieType):
            called = [names.die_spellings(value, target.part, titled=item) for item in (False, True)]  # type: ignore[arg-type]
            return [*dict.fromkeys((*called[0], *called[1])), list(value)]  # type: ignore[arg-type]
        case str() if isinstance(sort := ty.strip_optional(target), ty.WordType):
            return [item for item, at in names.word_positions(sort.values).items() if at == value]
        case _:
            return [written]


def _item_list_schema(request: Request, names: NameTable) -> Schema:
    return {"type": "array", "items": _values_schema(request.items, item_type(answer_type(request)), names)}


def _split_schema(request: Request, names: NameTable) -> Schema:
    target = answer_type(request)
    key = _values_schema(request.items, item_type(target), names)
    share = {"type": "integer", "minimum": 0, "maximum": request.high}
    pairs = {"type": "array", "items": pair_schema(key, share)}
    if not (isinstance(target, ty.MapType) and isinstance(target.key, ty.ThingType | ty.WordType)):
        return pairs
    return {"anyOf": [{"type": "object", "propertyNames": key, "additionalProperties": share}, pairs]}


def _roll_faces_schema(request: Request, names: NameTable) -> Schema:
    dice = [_values_schema(die.faces, die.face, names) for die in request.dice for _ in range(die.count)]
    forms = [tuple_schema(dice), *(dice if len(dice) == 1 else [])]
    parts: dict[str, Schema] = {}
    for dice_part in named_dice_parts(request):
        one = _values_schema(dice_part.faces, dice_part.face, names)
        all_of = tuple_schema([one] * dice_part.count)
        parts[dice_part_name(dice_part, request, names)] = {"anyOf": [all_of, one]} if dice_part.count == 1 else all_of
    forms += [closed_object(parts, list(parts))] if parts else []
    return forms[0] if len(forms) == 1 else {"anyOf": forms}
