"""The schema of saves; it is the same for all rulesets."""

from rulewright.inputs.schemas.head import Schema, closed, head
from rulewright.machine import placing

SOURCES = ("", "script", "dice", "policy", "person", "typed", "kept")


def save_schema(version: int = 2) -> Schema:
    """What a save holds; its start is a state of its ruleset, its answers are judged as they are replayed.

    Version 1 says neither where answers came from nor what was seen before it was taken back, nor where the rules are.
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
    if version == 1:
        properties = {key: each for key, each in properties.items() if key not in {"kept", "rules", "overlays"}}
    required = [each for each in properties if each != "placing"]
    return {**head("save", "A saved session", version=version), **closed(properties, required)}
