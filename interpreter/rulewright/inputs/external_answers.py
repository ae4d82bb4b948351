"""What an external answers: its results, of one alone the value itself, and what it changes."""

from collections.abc import Callable, Sequence
from typing import Any

from rulewright.codecs.schemas import RESULT
from rulewright.codecs.table import to_json
from rulewright.inputs.findings import WRONG, Wrong, did_you_mean, mapping_of_results, quoted, there_are
from rulewright.inputs.names import CHANGES, Names
from rulewright.inputs.nodes import Json, Key, Mapping, Node
from rulewright.inputs.state_json import changes_json, read_changes
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.request import Request
from rulewright.machine.values import Value
from rulewright.program.types import MapType, PlaneType, RecordType, Type, present

_WHAT = "the answer"
_IN_MAPPINGS = (MapType, RecordType, PlaneType)
"""Types whose values may be written as mappings."""


def read_external(
    node: Node, request: Request, values: ValueReader, refuse: Callable[[Node, str], Wrong]
) -> Value | Wrong:
    """The result of an external and its changes, as a pair.

    Reports RW0730 (keys that it does not give, or a result that is missing; what is not a mapping is left to `refuse`),
    and what `read_changes` and `ValueReader` do.
    """
    names = result_names(request, values.names)
    if _is_alone(node, names, request, values.names):
        result = values.read(node, _type_of_one(request, values.names), _WHAT)
        if isinstance(result, Wrong):
            return WRONG
        return (result,) if _is_named(request) else result, ()
    if not isinstance(node, Mapping):
        return refuse(node, f"answer with {_form(names)}")
    if not _known(node, names, request, values):
        return WRONG
    given = node.get(CHANGES)
    changes = read_changes(given, request.changes, values.names, values.findings) if given else ()
    results = _results(node, names, request, values)
    return WRONG if isinstance(results, Wrong) else (results, changes)


def _is_alone(node: Node, results: Sequence[str], request: Request, names: Names) -> bool:
    """Whether an answer is the one result itself, not a mapping with it."""
    if len(results) != 1 or not isinstance(node, Mapping):
        return len(results) == 1
    is_in_mapping = isinstance(present(_type_of_one(request, names)), _IN_MAPPINGS)
    return is_in_mapping and not {key.text for key, _ in node} & {*results, CHANGES}


def _type_of_one(request: Request, names: Names) -> Type:
    if isinstance(request.type, RecordType) and _is_named(request):
        return names.program.records[request.type.record].parts[0].type
    assert request.type is not None
    return request.type


def _is_named(request: Request) -> bool:
    """Whether an external gives results by name."""
    return isinstance(request.type, RecordType) and request.type.record == request.name


def _known(node: Mapping, results: Sequence[str], request: Request, values: ValueReader) -> bool:
    valid = [*results, *([CHANGES] if request.changes else [])]
    unknown: list[Key] = [key for key, _ in node if key.text not in valid]
    for key in unknown:
        remedy = did_you_mean(key.text, valid) or (there_are(valid) if valid else "it gives nothing")
        values.findings.error("RW0730", key, f"`{request.name}` does not give {quoted(key.text)}", help=remedy)
    return not unknown


def _results(node: Mapping, results: Sequence[str], request: Request, values: ValueReader) -> Value | Wrong:
    if request.type is None:
        return None
    if _is_named(request):
        kept = tuple((key, given) for key, given in node if key.text in results)
        return values.read(Mapping(kept, node.span, node.pointer), request.type, _WHAT)
    given = node.get(RESULT)
    if given is None:
        return values.findings.error("RW0730", node, f"{_WHAT} lacks `{RESULT}`")
    return values.read(given, request.type, f"`{RESULT}` of {_WHAT}")


def result_names(request: Request, names: Names) -> tuple[str, ...]:
    """The keys under which an external's result is given: its named results, else `result`."""
    if isinstance(request.type, RecordType) and _is_named(request):
        return tuple(each.name for each in names.program.records[request.type.record].parts)
    return () if request.type is None else (RESULT,)


def _form(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{quoted(names[0])} alone, or a mapping with it"
    return mapping_of_results(names)


def external_json(request: Request, answer: Any, names: Names) -> dict[str, Json]:  # a pair
    """What an external answered, as `read_external` takes it, in a mapping."""
    result, changes = answer
    told = {CHANGES: changes_json(changes, names)} if changes else {}
    if request.type is None:
        return told
    written: Json = to_json(result, request.type, names)
    return {**(written if _is_named(request) and isinstance(written, dict) else {RESULT: written}), **told}
