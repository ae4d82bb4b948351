"""What is printed as JSON, held against the published schemas."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
from referencing import Registry, Resource

from rulewright.base.files import get_resource_folder

SCHEMAS = get_resource_folder("grammar") / "schemas"
_NAMED_KEYS = ("outcome",)
"""Keys of which the schemas list all words."""


def load_schema(name: str) -> dict[str, Any]:
    """A published schema."""
    path = SCHEMAS / f"{name}.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@cache
def make_validator(name: str, part: str = "") -> jsonschema.Draft202012Validator:
    """Who judges a document by a published schema, or by a definition of it."""
    every = [load_schema(each.name.removesuffix(".schema.json")) for each in SCHEMAS.iterdir()]
    registry = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in every)
    whole = {"$ref": f"{load_schema(name)['$id']}#/$defs/{part}"} if part else load_schema(name)
    return jsonschema.Draft202012Validator(whole, registry=registry)


class RunValidator:
    """Judges documents of runs, each shape of an event once: many are alike, and a schema asks for no more."""

    def __init__(self) -> None:
        self._met: set[object] = set()

    def list_errors(self, document: dict[str, Any]) -> list[str]:
        """What of a run is not as published."""
        found = [each.message for each in make_validator("run").iter_errors({**document, "events": []})]
        for event in document["events"]:
            found += self._check_event(event)
        return found

    def _check_event(self, event: dict[str, Any]) -> Iterator[str]:
        for each in event["inner"]:
            yield from self._check_event(each)
        flat = {**event, "inner": []}
        shape = _describe_shape(flat)
        if shape not in self._met:
            self._met.add(shape)
            yield from (each.message for each in make_validator("run", "event").iter_errors(flat))


def _describe_shape(value: object, key: str = "") -> object:
    match value:
        case dict():
            return frozenset((name, _describe_shape(each, name)) for name, each in value.items())
        case list():
            return frozenset(map(_describe_shape, value))
        case str() if key in _NAMED_KEYS:
            return value
        case _:
            return type(value)
