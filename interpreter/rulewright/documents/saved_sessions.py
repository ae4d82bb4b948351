"""Saved sessions: the start, every answer so far, and the final state.

A save is replayed from its answers; its state only proves that the replay arrived where the session was.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import cache
from typing import Any

from rulewright.base.diagnostics import Diagnostic, Label, Severity
from rulewright.base.frozen import dataclass
from rulewright.base.source import Span, Text
from rulewright.documents.document_nodes import (
    DocumentNode,
    Json,
    ListNode,
    MapNode,
    data_to_node,
    format_json,
)
from rulewright.documents.document_shapes import DocumentShape, ErrorCodes
from rulewright.documents.findings import Findings, ReadResult, quote_name
from rulewright.documents.yaml_reader import MAX_TEXT_CHARS, parse_yaml
from rulewright.program.declarations import Program
from rulewright.runtime.codec_protocols import (
    Schema,
    closed_object,
    schema_header,
    with_description,
    with_message_words,
)
from rulewright.runtime.pose_candidates import POSE_SEARCH_VERSION

SAVE_VERSION = 3
_OLDEST_SAVE_VERSION = 1
SAVE_FORMAT = "rulewright save"
ANSWER_SOURCES = ("", "script", "dice", "policy", "person", "typed", "kept")
_TEXT_SCHEMA: Schema = {"type": "string"}
_SHA256_SCHEMA = with_message_words({**_TEXT_SCHEMA, "pattern": "^[0-9a-f]{64}$"}, wanted="64 hexadecimal digits")
_FIELD_TYPE_SCHEMAS: Mapping[Any, Schema] = {
    str: _TEXT_SCHEMA,
    int | None: with_message_words({"type": ["integer", "null"]}, wanted="a whole number or `null`"),
    Mapping[str, Json]: {"type": "object"},
    tuple[str, ...]: {"type": "array", "items": _TEXT_SCHEMA},
}
_FIELD_SCHEMAS: Mapping[str, Schema] = {
    "fingerprint": _SHA256_SCHEMA,
    "source": with_message_words(
        {"enum": list(ANSWER_SOURCES)}, wanted="where an answer comes from, such as `script`", help=""
    ),
    "state": with_message_words({"type": ["object", "null"]}, wanted="a mapping or `null`"),
    "placing": {"const": POSE_SEARCH_VERSION},
}
"""Schemas of fields whose types say too little."""
_FIELD_DESCRIPTIONS = {
    "source": "who gave it, if that is known",
    "ruleset": "name of the ruleset",
    "revision": "its revision",
    "fingerprint": "of the rules, comments left out",
    "procedure": "the procedure that was begun",
    "arguments": "its arguments by role",
    "start": "the state it began with",
    "seed": "of the chance source; null where people rolled",
    "answers": "every answer so far, in order",
    "state": "the state they led to",
    "placing": "version of the search for places",
    "kept": "what was seen before it was taken back",
    "rules": "where the ruleset is, as seen from here; empty where that is not known",
    "overlays": "files that amend it, as seen from here",
}

SAVE_PREFIX = json.dumps({"format": SAVE_FORMAT}, indent=1).removesuffix("\n}")
"""First characters of every save."""
_SCRIPT_REMEDY = "`script FILE` in a play writes its answers alone, for `--script FILE`"
_SAVE_REMEDY = "a save is what `--save` and `save` write"
_OLDER_SAVE_REMEDY = "take an older save, or begin again"


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One answer of a saved session, as JSON."""

    at: str  # address of the question
    by: str  # id of the player; "" where nobody in the game was asked
    answer: Json
    source: str = ""  # its answer source; "" in saves of version 1


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session as its save file holds it: the rules it belongs to, its start and its answers."""

    ruleset: str
    revision: str
    fingerprint: str  # fingerprint of the program
    procedure: str
    arguments: Mapping[str, Json]  # by role
    start: Mapping[str, Json]  # in the form of a state file
    seed: int | None  # `None` where people rolled
    answers: tuple[RecordedAnswer, ...]  # chance included, in order
    # final state as the runtime's codec writes it; `None` where it is too large or there is none
    state: Json = None
    placing: int = POSE_SEARCH_VERSION  # by which claims of "no legal place" were judged
    # answers revealed before they were taken back; source `kept`, or `person` of dice to be typed anew
    kept: tuple[RecordedAnswer, ...] = ()
    rules: str = ""  # file, folder or shipped name of the ruleset, relative to the folder of the save; or ""
    overlays: tuple[str, ...] = ()  # overlays, likewise


def save_schema(version: int = SAVE_VERSION) -> Schema:
    """JSON Schema of a save; its start is judged as a state of its ruleset, its answers by the replay.

    Version 1 lacks the sources of answers, the revealed entries and the place of the rules. Versions 1 and 2 have the
    number of chance requests, which is no longer used.
    """
    answer = _record_schema(RecordedAnswer, {"source"} if version == 1 else set())
    answers = with_message_words({"type": "array", "items": closed_object(answer, list(answer))}, part="an answer")
    schema = _record_schema(SavedSession, {"kept", "rules", "overlays"} if version == 1 else set())
    schema |= {
        key: answers | with_description({}, _FIELD_DESCRIPTIONS[key]) for key in ("answers", "kept") if key in schema
    }
    position_schema = {"type": "integer", "minimum": 0, "description": "how often the chance source was asked"}
    properties: dict[str, Schema] = {
        "format": {"const": SAVE_FORMAT},
        "version": {"const": version},
        **schema,
        **({} if version == SAVE_VERSION else {"position": position_schema}),
        "sum": with_description(_SHA256_SCHEMA, "SHA-256 of all other keys"),
    }
    required = [item for item in properties if item != "placing"]
    return {**schema_header("save", "A saved session", version=version), **closed_object(properties, required)}


def _record_schema(record: type[SavedSession | RecordedAnswer], left_out: set[str]) -> dict[str, Schema]:
    each = {
        field.name: _FIELD_SCHEMAS.get(field.name, _FIELD_TYPE_SCHEMAS.get(field.type, {})) for field in fields(record)
    }
    return {
        name: with_description(schema, _FIELD_DESCRIPTIONS.get(name, ""))
        for name, schema in each.items()
        if name not in left_out
    }


@cache
def _save_shape(version: int) -> DocumentShape:
    return DocumentShape(save_schema(version), ErrorCodes("RW0750", "RW0750", "RW0750", "RW0750"))


def format_save(save: SavedSession) -> str:
    """JSON text of a save, with its format version and a checksum.

    The state is left out where the text would be too large to read back.
    """
    data: dict[str, Any] = {"format": SAVE_FORMAT, "version": SAVE_VERSION, **asdict(save)}
    text = format_json({**data, "sum": _save_checksum(data)}, indent=1) + "\n"
    return format_save(replace(save, state=None)) if save.state is not None and check_save_size(text) else text


def check_save_size(text: str) -> Diagnostic | None:
    """RW0005 for a save that would be too large to read back; else `None`."""
    if len(text.encode()) <= MAX_TEXT_CHARS:
        return None
    message = f"a save of this play would be larger than {MAX_TEXT_CHARS:,} bytes, and could not be read"
    return Diagnostic("RW0005", Severity.ERROR, message, help=_SCRIPT_REMEDY)


def _save_checksum(data: Mapping[str, Any]) -> str:
    canonical = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def read_save(text: Text, program: Program) -> ReadResult[SavedSession]:
    """Save of a text, for the program it was made with.

    Reports RW0750 (no save, or an incomplete one), RW0751 (another format version), RW0752 (another ruleset), RW0753
    (other rules under the same name) and RW0754 (changed since it was written).
    """
    read_result = parse_save(text)
    trouble = None if read_result.value is None else check_save_program(read_result.value, program, text)
    return read_result if trouble is None else ReadResult(None, (trouble,))


def parse_save(text: Text) -> ReadResult[SavedSession]:
    """Save of a text, whatever its program; reports RW0750, RW0751 and RW0754."""
    data = _load_save_json(text)
    if isinstance(data, Diagnostic):
        return ReadResult(None, (data,))
    stranger = _check_format_version(data, text)
    trouble = (stranger,) if stranger else _check_integrity(data, text)
    if trouble:
        return ReadResult(None, trouble)
    save_data = {key: value for key, value in data.items() if key not in {"format", "version", "sum", "position"}}
    save_data |= {name: tuple(RecordedAnswer(**item) for item in data.get(name, ())) for name in ("answers", "kept")}
    return ReadResult(SavedSession(**save_data | {"overlays": tuple(data.get("overlays", ()))}))


def _save_error(code: str, text: Text, message: str, remedy: str = "", pointer: str = "") -> Diagnostic:
    label = Label(_find_pointer_span(text, pointer) or Span(text.name, 0, 0))
    return Diagnostic(code, Severity.ERROR, message, label, help=remedy, pointer=pointer)


def _find_pointer_span(text: Text, pointer: str) -> Span | None:
    node: DocumentNode | None = parse_yaml(text).value if pointer else None
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        match node:
            case MapNode() if name in node:
                node = node.get(name)
            case ListNode(items) if name.isdigit() and int(name) < len(items):
                node = items[int(name)]
            case _:
                break
    return node.span if node else None


def _load_save_json(text: Text) -> dict[str, Any] | Diagnostic:
    if len(text.content) > MAX_TEXT_CHARS:
        return _save_error("RW0702", text, f"the text is longer than {MAX_TEXT_CHARS:,} characters")
    try:
        data = json.loads(text.content)
    except (ValueError, RecursionError) as error:
        if text.content.strip() and not text.content.lstrip().startswith("{"):
            return _save_error("RW0750", text, "this is not a save", _SAVE_REMEDY)
        offset = error.pos if isinstance(error, json.JSONDecodeError) else 0
        label = Label(Span(text.name, offset, min(offset + 1, len(text.content))))
        return Diagnostic(
            "RW0750", Severity.ERROR, _explain_broken_json(text, offset), label, help=_OLDER_SAVE_REMEDY, pointer=""
        )
    return data if isinstance(data, dict) else _save_error("RW0750", text, "this is not a save")


def _explain_broken_json(text: Text, offset: int) -> str:
    if offset >= len(text.content.rstrip()):
        return "this is only a part of a save: its text ends or breaks off here"
    try:
        json.JSONDecoder().raw_decode(text.content.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return "this save cannot be read from here on; it was changed, or breaks off"
    return "there is more here, after the end of the save"


def _check_format_version(data: dict[str, Any], text: Text) -> Diagnostic | None:
    if data.get("format") != SAVE_FORMAT:
        return _save_error("RW0750", text, "this is not a save", _SAVE_REMEDY)
    version = data.get("version")
    if version not in range(_OLDEST_SAVE_VERSION, SAVE_VERSION + 1) or isinstance(version, bool):
        read_ = f"versions {_OLDEST_SAVE_VERSION} to {SAVE_VERSION}"
        message = f"this save has version {json.dumps(version)} of its form; this program reads {read_}"
        return _save_error("RW0751", text, message, "load it with the program that wrote it", "/version")
    searched = data.get("placing", POSE_SEARCH_VERSION)
    if searched != POSE_SEARCH_VERSION:
        message = (
            f"this save was made with version {json.dumps(searched)} of the search for places; "
            f"this program has version {POSE_SEARCH_VERSION}"
        )
        return _save_error("RW0751", text, message, "load it with the program that wrote it", "/placing")
    return None


def _check_integrity(data: dict[str, Any], text: Text) -> tuple[Diagnostic, ...]:
    rest = {key: value for key, value in data.items() if key != "sum"}
    if data.get("sum") != _save_checksum(rest):
        remedy = "change the rules or the state file instead, and play again"
        return (_save_error("RW0754", text, "this save was changed after it was written", remedy, "/sum"),)
    shape, findings = _save_shape(data["version"]), Findings()
    try:  # the state is large, and its shape allows any mapping
        whole = data_to_node(data | {"state": {}} if isinstance(data.get("state"), dict) else data)
    except ValueError:  # Python's JSON accepts infinite numbers
        return (_save_error("RW0750", text, "this is not a save: a number in it has no end", _OLDER_SAVE_REMEDY),)
    if shape.is_valid(whole):
        return ()
    shape.validate_node(parse_yaml(text).value or whole, findings, "this save")
    return tuple(
        replace(diagnostic, help=diagnostic.help or _OLDER_SAVE_REMEDY)
        for diagnostic in findings.make_result(None).diagnostics
    )


def check_save_program(save: SavedSession, program: Program, text: Text) -> Diagnostic | None:
    """RW0752 or RW0753 for a save that another program made; else `None`."""
    if save.ruleset != program.name:
        message = f"this save is of {quote_name(save.ruleset)}, not of `{program.name}`"
        return _save_error("RW0752", text, message, f"load it with {quote_name(save.ruleset)}", "/ruleset")
    if save.fingerprint == program.fingerprint:
        return None
    if save.revision != program.revision:
        message = f"this save is of revision {quote_name(save.revision)}; these rules are revision {quote_name(program.revision)}"
    else:
        message = f"this save was made with other rules, though they too were revision {quote_name(program.revision)}"
    return _save_error("RW0753", text, message, "load it with the rules it was made with", "/fingerprint")
