"""Structured answers: faces of dice (all in order, one alone, or by part) and results of externals with their changes."""

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapNode,
    ScalarNode,
    format_one_line,
    key_as_scalar,
    remove_paths,
)
from rulewright.documents.document_schemas import document_shapes
from rulewright.documents.findings import (
    INVALID,
    Findings,
    InvalidValue,
    describe_result_mapping,
    quote_name,
)
from rulewright.documents.name_table import CHANGES, NameTable
from rulewright.documents.state_json import changes_to_json, decode_changes
from rulewright.documents.value_reader import ValueReader
from rulewright.program.roll_options import is_exploding
from rulewright.program.statements import Roll
from rulewright.program.types import MapType, PlaneType, RecordType, ThingType, Type, WordType, strip_optional
from rulewright.program.wording import add_article
from rulewright.runtime.codec_protocols import RESULT_KEY
from rulewright.runtime.request import DiceToThrow, Request
from rulewright.runtime.type_codecs import value_to_json
from rulewright.runtime.values import Value

ListOffered = Callable[[Sequence[Value], Type], str]
"""Wording of the legal answers."""


def read_rolled_faces(  # noqa: PLR0913 - what an answer is read with
    node: DocumentNode,
    request: Request,
    values: ValueReader,
    refuse: Callable[..., InvalidValue],
    offered: ListOffered,
    *,
    typed: bool,
) -> Value | InvalidValue:
    """Faces of all dice thrown, in order; `typed` by people at a table, or from a script.

    Reports RW0730: too many or too few, a face that a die does not show, a part that the roll does not have.
    """
    dice = [dice_to_throw for dice_to_throw in request.dice for _ in range(dice_to_throw.count)]
    match node:
        case ListNode(items=items):
            written: Sequence[DocumentNode] = items
        case ScalarNode() if len(dice) == 1:
            written = (node,)
        case MapNode() if named_dice_parts(request):
            result = _read_faces_by_part(node, request, values, refuse)
            if isinstance(result, InvalidValue):
                return INVALID
            written = result
        case _:
            first = next((key.text for key, _ in node), "") if isinstance(node, MapNode) else ""
            remedy = f"answers called by their lines stand in one mapping: `script: {{{first}: …}}`" if first else ""
            remedy = remedy or ("" if typed else _example_of_faces(node, dice, values.names))
            return refuse(node, f"answer with a list of {_count_noun(len(dice), 'face')}, one for each die", remedy)
    if len(written) != len(dice):
        thrown = "1 die is" if len(dice) == 1 else f"{len(dice) or 'no'} dice are"
        given = "1 face is" if len(written) == 1 else f"{len(written)} faces are"
        remedy = _suggest_exploded_lists(written, len(dice)) if _has_exploding_dice(request) else ""
        if not typed and [len(list_node.items) for list_node in written if isinstance(list_node, ListNode)] == [
            len(dice)
        ]:
            remedy = "take away one pair of brackets"
        return values.findings.add_error("RW0730", node, f"{thrown} thrown, and {given} given", help=remedy)
    faces = [_read_face(item, die, values, refuse, offered) for item, die in zip(written, dice, strict=True)]
    return INVALID if INVALID in faces else tuple(faces)  # type: ignore[arg-type]


def _example_of_faces(node: DocumentNode, dice: Sequence[DiceToThrow], names: NameTable) -> str:
    if not dice:
        return ""
    given = node.value if isinstance(node, ScalarNode) else None
    shown = [next((face for face in die.faces if face == given), die.faces[0]) for die in dice]
    faces = format_one_line([*(value_to_json(face, die.face, names) for face, die in zip(shown, dice, strict=True))])
    return f"write all faces of the roll in one list, such as `{faces}`; a script with this answer alone is `[{faces}]`"


def _has_exploding_dice(request: Request) -> bool:
    node = request.question and request.question.node
    return isinstance(node, Roll) and any(
        is_exploding(option.word)
        for options in (node.options, *(part.options for part in node.parts))
        for option in options
    )


def _suggest_exploded_lists(written: Sequence[DocumentNode], count: int) -> str:
    if not 0 < count < len(written) or not all(isinstance(item, ScalarNode) for item in written):
        return ""
    faces = [scalar_node.written for scalar_node in written if isinstance(scalar_node, ScalarNode)]
    lists = f"[{', '.join(faces[:count])}], [{', '.join(faces[count:])}]"
    return f"the dice that exploding brings are answered after it: write `{lists}`, or by address `{{each: [{lists}]}}`"


def named_dice_parts(request: Request) -> tuple[DiceToThrow, ...]:
    """Dice thrown, part by part, where every part has a word or thing of its own as name; else empty."""
    called = {die.part for die in request.dice} if isinstance(request.part, WordType | ThingType) else {None}
    return () if None in called or len(called) < len(request.dice) else request.dice


def dice_part_name(dice: DiceToThrow, request: Request, names: NameTable) -> str:
    assert request.part is not None
    return str(value_to_json(dice.part, request.part, names))


def _read_faces_by_part(
    node: MapNode, request: Request, values: ValueReader, refuse: Callable[..., InvalidValue]
) -> list[DocumentNode] | InvalidValue:
    assert request.part is not None
    given: dict[Value, Sequence[DocumentNode]] = {}
    for key, below in node:
        part = ValueReader(values.names, Findings()).read_typed(key_as_scalar(key), request.part, "a part")
        if not isinstance(part, InvalidValue):
            given[part] = below.items if isinstance(below, ListNode) else (below,)
    names = [dice_part_name(dice_to_throw, request, values.names) for dice_to_throw in request.dice]
    if given.keys() != {dice_to_throw.part for dice_to_throw in request.dice} or len(given) < len(tuple(node)):
        return refuse(node, f"the parts of this roll are {' and '.join(names)}")
    for die, name in zip(request.dice, names, strict=True):
        if len(given[die.part]) != die.count:
            faces = _count_noun(len(given[die.part]), "face")
            message = f"{name} has {_count_noun(die.count, 'die', 'dice')}, and {faces} given"
            return values.findings.add_error("RW0730", node, message)
    return [face for dice_to_throw in request.dice for face in given[dice_to_throw.part]]


def _read_face(
    node: DocumentNode, die: DiceToThrow, values: ValueReader, refuse: Callable[..., InvalidValue], offered: ListOffered
) -> Value | InvalidValue:
    before = len(values.findings.collected)
    value = values.read_typed(node, die.face, "a face")
    if value in die.faces:
        return value
    remedy = "".join(diagnostic.help for diagnostic in values.findings.collected[before:])
    del values.findings.collected[before:]
    return refuse(node, f"{add_article(die.die)} shows {offered(die.faces, die.face)}", remedy, member=True)


def _count_noun(count: int, one: str, several: str = "") -> str:
    return f"{count} {one if count == 1 else several or f'{one}s'}"


_ANSWER_LABEL = "the answer"
_MAPPING_TYPES = (MapType, RecordType, PlaneType)
"""Types whose values may be written as mappings."""


def read_external_answer(
    node: DocumentNode, request: Request, values: ValueReader, refuse: Callable[[DocumentNode, str], InvalidValue]
) -> Value | InvalidValue:
    """Result of an external and its changes, as a pair.

    What is not a mapping is left to `refuse`. Reports RW0730 (an unknown key), RW0711 (a missing result), RW0732 (a
    change that the external may not make), and what `decode_changes` and `ValueReader` do.
    """
    names = result_names(request, values.names)
    if _is_bare_result(node, names, request, values.names):
        result = values.read_typed(node, _single_result_type(request, values.names), _ANSWER_LABEL)
        if isinstance(result, InvalidValue):
            return INVALID
        return (result,) if _has_named_results(request) else result, ()
    if not isinstance(node, MapNode):
        return refuse(node, f"answer with {_describe_answer_form(names)}")
    shape = document_shapes(values.names.program).external_shape(request)
    if not shape.validate_node(node, values.findings, _ANSWER_LABEL):
        return INVALID
    given = node.get(CHANGES)
    changes = decode_changes(given, request.changes, values) if isinstance(given, MapNode) else ()
    if request.type is None:
        return None, changes
    written: DocumentNode | None = node.get(RESULT_KEY)
    label = f"`{RESULT_KEY}` of {_ANSWER_LABEL}"
    if _has_named_results(request):
        written, label = remove_paths(node, [(CHANGES,)]), _ANSWER_LABEL
    value: Value | InvalidValue = values.decode_value(written, request.type, label)
    return INVALID if isinstance(value, InvalidValue) else (value, changes)


def _is_bare_result(node: DocumentNode, results: Sequence[str], request: Request, names: NameTable) -> bool:
    if len(results) != 1 or not isinstance(node, MapNode):
        return len(results) == 1
    is_in_mapping = isinstance(strip_optional(_single_result_type(request, names)), _MAPPING_TYPES)
    return is_in_mapping and not {key.text for key, _ in node} & {*results, CHANGES}


def _single_result_type(request: Request, names: NameTable) -> Type:
    if isinstance(request.type, RecordType) and _has_named_results(request):
        return names.program.records[request.type.record].parts[0].type
    assert request.type is not None
    return request.type


def _has_named_results(request: Request) -> bool:
    return isinstance(request.type, RecordType) and request.type.record == request.name


def result_names(request: Request, names: NameTable) -> tuple[str, ...]:
    """Keys of the result of an external: its named results, else `result`."""
    if isinstance(request.type, RecordType) and _has_named_results(request):
        return tuple(part.name for part in names.program.records[request.type.record].parts)
    return () if request.type is None else (RESULT_KEY,)


def _describe_answer_form(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{quote_name(names[0])} alone, or a mapping with it"
    return describe_result_mapping(names)


def external_answer_to_json(
    request: Request, answer: Any, names: NameTable
) -> dict[str, Json]:  # a pair of result and changes
    """Inverse of `read_external_answer`, as a mapping."""
    result, changes = answer
    changes_data = {CHANGES: changes_to_json(changes, names)} if changes else {}
    if request.type is None:
        return changes_data
    written: Json = value_to_json(result, request.type, names)
    return {
        **(written if _has_named_results(request) and isinstance(written, dict) else {RESULT_KEY: written}),
        **changes_data,
    }
