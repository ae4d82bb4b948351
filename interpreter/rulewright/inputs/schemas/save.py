"""The schema of saves; it is the same for all rulesets."""

from rulewright.inputs.schemas.head import Schema, closed, head
from rulewright.machine import placing


def save_schema() -> Schema:
    """What a save holds; its start is a state of its ruleset, its answers are judged as they are replayed."""
    text = {"type": "string"}
    answer = closed({"at": text, "by": text, "answer": {}}, ["at", "by", "answer"])
    properties: dict[str, Schema] = {
        "format": {"const": "rulewright save"},
        "version": {"const": 1},
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
        "sum": {**text, "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of all other keys"},
    }
    return {**head("save", "A saved session"), **closed(properties, [each for each in properties if each != "placing"])}
