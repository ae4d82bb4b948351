"""What every schema begins with."""

from typing import Any
from urllib.parse import quote

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
