"""The schema of a ruleset's scripts."""

from rulewright.inputs.addresses import Addresses, request_addresses
from rulewright.inputs.schemas.head import Schema, closed, head
from rulewright.program.declarations import Program


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
