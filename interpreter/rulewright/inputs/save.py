"""Saved sessions: the start, every answer so far, and the state they led to.

A save is replayed from its answers; the state it holds only proves that the replay arrived where the session was.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import cache
from typing import Any

from rulewright.codecs.schemas import Schema, closed, described, head, worded
from rulewright.diagnostics import Diagnostic, Label, Severity
from rulewright.frozen import dataclass
from rulewright.inputs.findings import Findings, Read, quoted
from rulewright.inputs.nodes import Items, Json, Mapping as MappingNode, Node, json_text, unplaced
from rulewright.inputs.shapes import Codes, Shape
from rulewright.inputs.yaml_places import LARGEST_TEXT, read
from rulewright.machine import placing
from rulewright.program.declarations import Program
from rulewright.source import Span, Text

VERSION = 3
_OLDEST = 1
FORMAT = "rulewright save"
SOURCES = ("", "script", "dice", "policy", "person", "typed", "kept")
_TEXT: Schema = {"type": "string"}
_DIGITS = worded({**_TEXT, "pattern": "^[0-9a-f]{64}$"}, wanted="64 hexadecimal digits")
_SORTS: Mapping[Any, Schema] = {
    str: _TEXT,
    int | None: worded({"type": ["integer", "null"]}, wanted="a whole number or `null`"),
    Mapping[str, Json]: {"type": "object"},
    tuple[str, ...]: {"type": "array", "items": _TEXT},
}
_OTHERWISE: Mapping[str, Schema] = {
    "fingerprint": _DIGITS,
    "source": worded({"enum": list(SOURCES)}, wanted="where an answer comes from, such as `script`", help=""),
    "state": worded({"type": ["object", "null"]}, wanted="a mapping or `null`"),
    "placing": {"const": placing.VERSION},
}
"""What is said of a field beyond the sort of its values."""
_WORDS = {
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

BEGINNING = json.dumps({"format": FORMAT}, indent=1).removesuffix("\n}")
"""How every save begins."""
_ANSWERS = "`script FILE` in a play writes its answers alone, for `--script FILE`"
_WRITTEN = "a save is what `--save` and `save` write"
_OLDER = "take an older save, or begin again"


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer given."""

    at: str  # the address of the question
    by: str  # the id of the player; empty where nobody in the game was asked
    answer: Json  # as JSON
    source: str = ""  # where it came from, as `Given` has it; empty where that is not known, as in saves of version 1


@dataclass(frozen=True, slots=True)
class Save:
    """A saved session."""

    ruleset: str  # name of the ruleset
    revision: str
    fingerprint: str  # of its program
    procedure: str  # that was begun
    arguments: Mapping[str, Json]  # by role, as JSON
    start: Mapping[str, Json]  # the situation it began with, in the form of a state file
    seed: int | None  # of the chance source, or none where people rolled
    answers: tuple[Answered, ...]  # every answer so far, chance included, in order
    # the state they led to, as the machine's codec writes it, or none where it is too large or there is none
    state: Json = None
    placing: int = placing.VERSION  # version of the search for places, by which claims that there is none were judged
    # what was seen before it was taken back; its source is `kept`, or `person` of dice to be typed anew
    kept: tuple[Answered, ...] = ()
    rules: str = ""  # the file, folder or shipped name of the ruleset, as seen from the folder of the save; or empty
    overlays: tuple[str, ...] = ()  # files that amend it, likewise


def save_schema(version: int = VERSION) -> Schema:
    """What a save holds; its start is a state of its ruleset, its answers are judged as they are replayed.

    Version 1 says neither where answers came from nor what was seen before it was taken back, nor where the rules are.
    Versions 1 and 2 say how often chance was asked, which is no matter any more.
    """
    answer = _schema_of(Answered, {"source"} if version == 1 else set())
    answers = worded({"type": "array", "items": closed(answer, list(answer))}, part="an answer")
    held = _schema_of(Save, {"kept", "rules", "overlays"} if version == 1 else set())
    held |= {key: answers | described({}, _WORDS[key]) for key in ("answers", "kept") if key in held}
    asked = {"type": "integer", "minimum": 0, "description": "how often the chance source was asked"}
    properties: dict[str, Schema] = {
        "format": {"const": FORMAT},
        "version": {"const": version},
        **held,
        **({} if version == VERSION else {"position": asked}),
        "sum": described(_DIGITS, "SHA-256 of all other keys"),
    }
    required = [each for each in properties if each != "placing"]
    return {**head("save", "A saved session", version=version), **closed(properties, required)}


def _schema_of(record: type[Save | Answered], left_out: set[str]) -> dict[str, Schema]:
    """What the fields of a data class hold."""
    each = {field.name: _OTHERWISE.get(field.name, _SORTS.get(field.type, {})) for field in fields(record)}
    return {name: described(schema, _WORDS.get(name, "")) for name, schema in each.items() if name not in left_out}


@cache
def _shape(version: int) -> Shape:
    return Shape(save_schema(version), Codes("RW0750", "RW0750", "RW0750", "RW0750"))


def save_text(save: Save) -> str:
    """A save as JSON text, with the version of its form and a sum over all of it.

    The state, which only proves where the answers lead, is left out where the text would be too large to be read.
    """
    data: dict[str, Any] = {"format": FORMAT, "version": VERSION, **asdict(save)}
    text = json_text({**data, "sum": _sum(data)}, indent=1) + "\n"
    return save_text(replace(save, state=None)) if save.state is not None and too_large(text) else text


def too_large(text: str) -> Diagnostic | None:
    """Why the text of a save is not to be written: RW0005, it could not be read; nothing where it could."""
    if len(text.encode()) <= LARGEST_TEXT:
        return None
    message = f"a save of this play would be larger than {LARGEST_TEXT:,} bytes, and could not be read"
    return Diagnostic("RW0005", Severity.ERROR, message, help=_ANSWERS)


def _sum(data: Mapping[str, Any]) -> str:
    canonical = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def read_save(text: Text, program: Program) -> Read[Save]:
    """The save of a text, for the program it was made with.

    Reports RW0750 (no save, or not the whole of one), RW0751 (another version of the form), RW0752 (of another
    ruleset), RW0753 (of other rules under the same name) and RW0754 (changed since it was written).
    """
    found = open_save(text)
    trouble = None if found.value is None else misfit(found.value, program, text)
    return found if trouble is None else Read(None, (trouble,))


def open_save(text: Text) -> Read[Save]:
    """The save of a text, whatever program it was made with; reports RW0750, RW0751 and RW0754."""
    data = _load(text)
    if isinstance(data, Diagnostic):
        return Read(None, (data,))
    stranger = _stranger(data, text)
    trouble = (stranger,) if stranger else _damage(data, text)
    if trouble:
        return Read(None, trouble)
    kept = {key: value for key, value in data.items() if key not in {"format", "version", "sum", "position"}}
    kept |= {name: tuple(Answered(**each) for each in data.get(name, ())) for name in ("answers", "kept")}
    return Read(Save(**kept | {"overlays": tuple(data.get("overlays", ()))}))


def _wrong(code: str, text: Text, message: str, remedy: str = "", pointer: str = "") -> Diagnostic:
    label = Label(_place(text, pointer) or Span(text.name, 0, 0))
    return Diagnostic(code, Severity.ERROR, message, label, help=remedy, pointer=pointer)


def _place(text: Text, pointer: str) -> Span | None:
    """Where the value of a pointer stands, looked up only when something is wrong."""
    node: Node | None = read(text).value if pointer else None
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        match node:
            case MappingNode() if name in node:
                node = node.get(name)
            case Items(items) if name.isdigit() and int(name) < len(items):
                node = items[int(name)]
            case _:
                break
    return node.span if node else None


def _load(text: Text) -> dict[str, Any] | Diagnostic:
    if len(text.content) > LARGEST_TEXT:
        return _wrong("RW0702", text, f"the text is longer than {LARGEST_TEXT:,} characters")
    try:
        data = json.loads(text.content)
    except (ValueError, RecursionError) as error:
        if text.content.strip() and not text.content.lstrip().startswith("{"):
            return _wrong("RW0750", text, "this is not a save", _WRITTEN)
        offset = error.pos if isinstance(error, json.JSONDecodeError) else 0
        label = Label(Span(text.name, offset, min(offset + 1, len(text.content))))
        return Diagnostic("RW0750", Severity.ERROR, _broken(text, offset), label, help=_OLDER, pointer="")
    return data if isinstance(data, dict) else _wrong("RW0750", text, "this is not a save")


def _broken(text: Text, offset: int) -> str:
    """What is said of a text that is JSON up to an offset."""
    if offset >= len(text.content.rstrip()):
        return "this is only a part of a save: its text ends or breaks off here"
    try:
        json.JSONDecoder().raw_decode(text.content.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return "this save cannot be read from here on; it was changed, or breaks off"
    return "there is more here, after the end of the save"


def _stranger(data: dict[str, Any], text: Text) -> Diagnostic | None:
    if data.get("format") != FORMAT:
        return _wrong("RW0750", text, "this is not a save", _WRITTEN)
    version = data.get("version")
    if version not in range(_OLDEST, VERSION + 1) or isinstance(version, bool):
        read_ = f"versions {_OLDEST} to {VERSION}"
        message = f"this save has version {json.dumps(version)} of its form; this program reads {read_}"
        return _wrong("RW0751", text, message, "load it with the program that wrote it", "/version")
    searched = data.get("placing", placing.VERSION)
    if searched != placing.VERSION:
        message = (
            f"this save was made with version {json.dumps(searched)} of the search for places; "
            f"this program has version {placing.VERSION}"
        )
        return _wrong("RW0751", text, message, "load it with the program that wrote it", "/placing")
    return None


def _damage(data: dict[str, Any], text: Text) -> tuple[Diagnostic, ...]:
    rest = {key: value for key, value in data.items() if key != "sum"}
    if data.get("sum") != _sum(rest):
        remedy = "change the rules or the state file instead, and play again"
        return (_wrong("RW0754", text, "this save was changed after it was written", remedy, "/sum"),)
    shape, findings = _shape(data["version"]), Findings()
    try:  # the state is large, and has its shape where it is a mapping
        whole = unplaced(data | {"state": {}} if isinstance(data.get("state"), dict) else data)
    except ValueError:  # JSON as Python reads it knows infinite numbers
        return (_wrong("RW0750", text, "this is not a save: a number in it has no end", _OLDER),)
    if shape.fits(whole):
        return ()
    shape.judge(read(text).value or whole, findings, "this save")
    return tuple(replace(each, help=each.help or _OLDER) for each in findings.read(None).diagnostics)


def misfit(save: Save, program: Program, text: Text) -> Diagnostic | None:
    """Why a save is of no use with a program: RW0752 or RW0753; nothing where it is."""
    if save.ruleset != program.name:
        message = f"this save is of {quoted(save.ruleset)}, not of `{program.name}`"
        return _wrong("RW0752", text, message, f"load it with {quoted(save.ruleset)}", "/ruleset")
    if save.fingerprint == program.fingerprint:
        return None
    if save.revision != program.revision:
        message = (
            f"this save is of revision {quoted(save.revision)}; these rules are revision {quoted(program.revision)}"
        )
    else:
        message = f"this save was made with other rules, though they too were revision {quoted(program.revision)}"
    return _wrong("RW0753", text, message, "load it with the rules it was made with", "/fingerprint")
