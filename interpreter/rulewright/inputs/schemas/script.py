"""What every schema begins with; the schemas of a ruleset's scripts, and of saves, which is the same for all."""

from typing import Any
from urllib.parse import quote

from rulewright.inputs.addresses import Addresses, request_addresses
from rulewright.machine import placing
from rulewright.program.declarations import Program

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
VERSION = 1


def head(name: str, title: str, program: Program | None = None, version: int = VERSION) -> Schema:
    """Dialect, `$id` with the version of the form, and title."""
    owner = f"{quote(program.name, safe='')}:{quote(program.revision, safe='')}:" if program else ""
    return {"$schema": DIALECT, "$id": f"urn:rulewright:{owner}{name}:{version}", "title": title}


def closed(properties: Schema, required: list[str] | None = None) -> Schema:
    """An object with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def described(schema: Schema, text: str) -> Schema:
    """The schema with a description, where there is one."""
    return {**schema, "description": text} if text else schema


def script_schema(program: Program) -> Schema:
    """What `read_script` accepts; the answers themselves are judged against the request they meet."""
    addresses = sorted(Addresses(request_addresses(program)).spellings)
    entry = closed(
        {
            "answer": {"description": "the answer"},
            "at": {"enum": addresses, "description": "where it is asked"},
            "by": {"type": "string", "description": "id of the player who answers"},
        },
        ["answer"],
    )
    ordered = {
        "type": "array",
        "description": "answers in order",
        "items": {"if": {"type": "object", "required": ["answer"]}, "then": entry},
    }
    each = closed({"each": {"type": "array", "description": "answers of a line met several times"}}, ["each"])
    single = {"type": "object", "required": ["each"], "maxProperties": 1}
    by_address = {
        "type": "object",
        "description": "answers by address",
        "propertyNames": {"enum": addresses},
        "additionalProperties": {"if": single, "then": each},
    }
    return {
        **head("script", f"A script for {program.title or program.name}", program),
        "anyOf": [ordered, by_address],
    }


SOURCES = ("", "script", "dice", "policy", "person", "typed", "kept")


def save_schema(version: int = 3) -> Schema:
    """What a save holds; its start is a state of its ruleset, its answers are judged as they are replayed.

    Version 1 says neither where answers came from nor what was seen before it was taken back, nor where the rules are.
    Versions 1 and 2 say how often chance was asked, which is no matter any more.
    """
    text = {"type": "string"}
    source = {} if version == 1 else {"source": {"enum": list(SOURCES), "description": "who gave it, if that is known"}}
    given: Schema = {"at": text, "by": text, "answer": {}, **source}
    answer = closed(given, list(given))
    properties: dict[str, Schema] = {
        "format": {"const": "rulewright save"},
        "version": {"const": version},
        "ruleset": {**text, "description": "name of the ruleset"},
        "revision": {**text, "description": "its revision"},
        "fingerprint": {**text, "pattern": "^[0-9a-f]{64}$", "description": "of the rules, comments left out"},
        "procedure": {**text, "description": "the procedure that was begun"},
        "arguments": {"type": "object", "description": "its arguments by role"},
        "start": {"type": "object", "description": "the state it began with"},
        "seed": {"type": ["integer", "null"], "description": "of the chance source; null where people rolled"},
        "position": {"type": "integer", "minimum": 0, "description": "how often the chance source was asked"},
        "answers": {"type": "array", "items": answer, "description": "every answer so far, in order"},
        "state": {"type": ["object", "null"], "description": "the state they led to"},
        "placing": {"const": placing.VERSION, "description": "version of the search for places"},
        "kept": {"type": "array", "items": answer, "description": "what was seen before it was taken back"},
        "rules": {**text, "description": "where the ruleset is, as seen from here; empty where that is not known"},
        "overlays": {"type": "array", "items": text, "description": "files that amend it, as seen from here"},
        "sum": {**text, "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of all other keys"},
    }
    unknown = {1: {"kept", "rules", "overlays"}, 2: set[str]()}.get(version, {"position"})
    properties = {key: each for key, each in properties.items() if key not in unknown}
    required = [each for each in properties if each != "placing"]
    return {**head("save", "A saved session", version=version), **closed(properties, required)}
