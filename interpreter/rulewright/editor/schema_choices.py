"""Keys and values that a JSON Schema allows at a path: what completion and hover show of data files."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rulewright.base.frozen import dataclass

JsonSchema = dict[str, Any]
_MAX_SHOWN_VALUES = 3
"""Possible values of a key in its summary."""


@dataclass(frozen=True, slots=True)
class SchemaChoice:
    """A key or value that a schema allows."""

    written: str
    takes: str  # type of its value in a few words
    says: str  # description
    schema: JsonSchema  # of its value


def schemas_at_path(
    schema: Any, path: tuple[str | int, ...], root: JsonSchema
) -> Iterator[JsonSchema]:  # a schema, or a flag
    """Schemas of the values at a path."""
    for alternative in _expand_alternatives(schema, root):
        if not path:
            yield alternative
            continue
        step, rest = path[0], path[1:]
        if isinstance(step, int):
            fixed = alternative.get("prefixItems", ())
            yield from schemas_at_path(fixed[step] if step < len(fixed) else alternative.get("items", {}), rest, root)
        elif step in alternative.get("properties", {}):
            yield from schemas_at_path(alternative["properties"][step], rest, root)
        else:
            yield from schemas_at_path(alternative.get("additionalProperties", {}), rest, root)


def _expand_alternatives(schema: Any, root: JsonSchema) -> Iterator[JsonSchema]:  # a schema, or a flag
    """A schema and all its alternatives, with references resolved."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield from _expand_alternatives(root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2]), root)
    yield schema
    for key in ("anyOf", "allOf"):
        for item in schema.get(key, ()):
            yield from _expand_alternatives(item, root)
    for key in ("then", "else"):
        yield from _expand_alternatives(schema.get(key), root)


def list_key_choices(schemas: Iterable[JsonSchema]) -> Iterator[SchemaChoice]:
    """Keys of a mapping."""
    for schema in schemas:
        for key, item in schema.get("properties", {}).items():
            subschema = item if isinstance(item, dict) else {}
            yield SchemaChoice(key, summarize_schema(subschema), subschema.get("description", ""), subschema)
        for key in schema.get("propertyNames", {}).get("enum", ()):
            yield SchemaChoice(key, "", "", {})


def list_value_choices(schemas: Iterable[JsonSchema], flags: tuple[str, str]) -> Iterator[SchemaChoice]:
    """Enumerable values, and flags in their spelling."""
    for schema in schemas:
        for item in (*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())):
            if isinstance(item, str):
                yield SchemaChoice(item, "", schema.get("description", ""), schema)
        if schema.get("type") == "boolean":
            yield from (SchemaChoice(flag, "", "", schema) for flag in flags)


def summarize_schema(schema: Mapping[str, Any]) -> str:
    """Type of a value in a few words."""
    if "enum" in schema:
        return ", ".join(str(item) for item in schema["enum"][:_MAX_SHOWN_VALUES]) + (
            " …" if len(schema["enum"]) > _MAX_SHOWN_VALUES else ""
        )
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']}..{schema['maximum']}"
    return ""
