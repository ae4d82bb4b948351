"""What may stand at a place of a document, by the JSON Schema that judges it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rulewright.frozen import dataclass

Schema = dict[str, Any]
_MOST = 3
"""How many of the values that a key takes are told beside it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A key or a value that may stand somewhere."""

    written: str
    takes: str  # what a value of it may be, in a few words; empty where that is not told
    says: str  # what it means
    schema: Schema  # of its value


def at(schema: Any, path: tuple[str | int, ...], root: Schema) -> Iterator[Schema]:  # a schema, or a flag
    """The schemas of what may stand at a path."""
    for each in _ways(schema, root):
        if not path:
            yield each
            continue
        step, rest = path[0], path[1:]
        if isinstance(step, int):
            fixed = each.get("prefixItems", ())
            yield from at(fixed[step] if step < len(fixed) else each.get("items", {}), rest, root)
        elif step in each.get("properties", {}):
            yield from at(each["properties"][step], rest, root)
        else:
            yield from at(each.get("additionalProperties", {}), rest, root)


def _ways(schema: Any, root: Schema) -> Iterator[Schema]:  # a schema, or a flag
    """A schema, and all that it may be instead."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield from _ways(root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2]), root)
    yield schema
    for key in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(key, ()):
            yield from _ways(each, root)
    for key in ("then", "else"):
        yield from _ways(schema.get(key), root)


def keys(schemas: Iterable[Schema]) -> Iterator[Choice]:
    """The keys that a mapping may have."""
    for schema in schemas:
        for key, each in schema.get("properties", {}).items():
            said = each if isinstance(each, dict) else {}
            yield Choice(key, takes(said), said.get("description", ""), said)
        for key in schema.get("propertyNames", {}).get("enum", ()):
            yield Choice(key, "", "", {})


def values(schemas: Iterable[Schema], flags: tuple[str, str]) -> Iterator[Choice]:
    """The texts that may stand there where few are possible, and flags as they are spelt."""
    for schema in schemas:
        for each in (*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())):
            if isinstance(each, str):
                yield Choice(each, "", schema.get("description", ""), schema)
        if schema.get("type") == "boolean":
            yield from (Choice(each, "", "", schema) for each in flags)


def takes(schema: Mapping[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "enum" in schema:
        return ", ".join(str(each) for each in schema["enum"][:_MOST]) + (" …" if len(schema["enum"]) > _MOST else "")
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']}..{schema['maximum']}"
    return ""
