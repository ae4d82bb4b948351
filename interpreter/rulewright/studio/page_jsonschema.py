"""What stands for the library `jsonschema` in a page, for the keywords that schemas of this package use.

The library needs `rpds`, which is compiled from Rust for each machine. The errors are those that it finds, each with the attributes of
which `documents/document_shapes.py` makes messages.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

_Path = tuple[str | int, ...]


@dataclass(frozen=True)
class _Location:
    """Where in the document, and where in the schema; the error whose context is looked at begins at the lengths."""

    path: _Path = ()
    schema_path: _Path = ()
    outer_length: int = 0
    outer_schema_length: int = 0

    def step(self, *schema_steps: str | int) -> "_Location":
        return replace(self, schema_path=(*self.schema_path, *schema_steps))

    def step_into(self, part: str | int, *schema_steps: str | int) -> "_Location":
        return replace(self, path=(*self.path, part), schema_path=(*self.schema_path, *schema_steps))

    def begin_context(self) -> "_Location":
        return replace(self, outer_length=len(self.path), outer_schema_length=len(self.schema_path))


@dataclass(frozen=True)
class ValidationError:
    """One error."""

    validator: str
    validator_value: Any
    instance: Any
    location: _Location
    context: tuple["ValidationError", ...] = ()

    @property
    def absolute_path(self) -> _Path:
        return self.location.path

    @property
    def relative_path(self) -> _Path:
        return self.location.path[self.location.outer_length :]

    @property
    def absolute_schema_path(self) -> _Path:
        return self.location.schema_path

    @property
    def relative_schema_path(self) -> _Path:
        return self.location.schema_path[self.location.outer_schema_length :]


class Draft202012Validator:
    """Finds the errors of documents under one schema."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema

    def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
        """All errors of a document."""
        return self._find_errors(instance, self._root, _Location())

    def is_valid(self, instance: Any) -> bool:
        """Whether a document has no error."""
        return next(self.iter_errors(instance), None) is None

    def _find_errors(self, instance: Any, schema: Any, location: _Location) -> Iterator[ValidationError]:
        for keyword, value in {} if schema is True else schema.items():
            here = location if keyword in {"$ref", "if"} else location.step(keyword)
            yield from self._find_keyword_errors(keyword, instance, schema, here, value)

    def _find_keyword_errors(
        self, keyword: str, instance: Any, schema: Any, here: _Location, value: Any
    ) -> Iterator[ValidationError]:
        match keyword, instance:
            case "$ref", _:
                yield from self._find_errors(instance, self._root["$defs"][value.rpartition("/")[2]], here)
            case "properties", dict():
                for key in (key for key in value if key in instance):
                    yield from self._find_errors(instance[key], value[key], here.step_into(key, key))
            case "additionalProperties", dict():
                yield from self._find_additional_errors(instance, schema, here, value)
            case "propertyNames", dict():
                for key in instance:
                    yield from self._find_errors(key, value, here)
            case "prefixItems", list():
                for number, (item, part) in enumerate(zip(instance, value, strict=False)):
                    yield from self._find_errors(item, part, here.step_into(number, number))
            case "items", list():
                first = len(schema.get("prefixItems", ()))
                if value is False and instance[first:]:
                    yield ValidationError(keyword, value, instance, here)
                for number, item in enumerate(instance[first:] if value is not False else (), first):
                    yield from self._find_errors(item, value, here.step_into(number))
            case "anyOf", _:
                branches = self._list_branch_errors(instance, value, here)
                if all(branches):
                    yield ValidationError(keyword, value, instance, here, tuple(chain.from_iterable(branches)))
            case "oneOf", _:
                branches = self._list_branch_errors(instance, value, here)
                if branches.count([]) != 1:
                    context = tuple(chain.from_iterable(branches)) if all(branches) else ()
                    yield ValidationError(keyword, value, instance, here, context)
            case "allOf", _:
                for number, part in enumerate(value):
                    yield from self._find_errors(instance, part, here.step(number))
            case "if", _:
                branch = "else" if any(True for _ in self._find_errors(instance, value, here)) else "then"
                yield from self._find_errors(instance, schema.get(branch, True), here.step(branch))
            case "not", _:
                if not any(True for _ in self._find_errors(instance, value, here)):
                    yield ValidationError(keyword, value, instance, here)
            case "required", dict():
                yield from (ValidationError(keyword, value, instance, here) for key in value if key not in instance)
            case "dependentRequired", dict():
                lacking = (key for name in value if name in instance for key in value[name] if key not in instance)
                yield from (ValidationError(keyword, value, instance, here) for _ in lacking)
            case _:
                fits = _PLAIN_KEYWORDS.get(keyword)
                if fits is not None and not fits(instance, value):
                    yield ValidationError(keyword, value, instance, here)

    def _find_additional_errors(
        self, instance: Mapping[str, Any], schema: Any, here: _Location, value: Any
    ) -> Iterator[ValidationError]:
        more = [key for key in instance if key not in schema.get("properties", ())]
        if value is False and more:
            yield ValidationError("additionalProperties", value, instance, here)
        elif isinstance(value, dict):
            for key in more:
                yield from self._find_errors(instance[key], value, here.step_into(key))

    def _list_branch_errors(self, instance: Any, schemas: Any, here: _Location) -> list[list[ValidationError]]:
        inside = here.begin_context()
        return [[*self._find_errors(instance, part, inside.step(number))] for number, part in enumerate(schemas)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and isinstance(value, int),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "null": lambda value: value is None,
}


def _has_type(value: Any, types: Any) -> bool:
    return any(_TYPES[each](value) for each in ([types] if isinstance(types, str) else types))


def _equals(value: Any, other: Any) -> bool:
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def _are_unique(items: list[Any]) -> bool:
    return not any(_equals(item, other) for number, item in enumerate(items) for other in items[:number])


_PLAIN_KEYWORDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": _has_type,
    "enum": lambda value, allowed: any(_equals(value, each) for each in allowed),
    "const": _equals,
    "minimum": lambda value, bound: not _is_number(value) or value >= bound,
    "maximum": lambda value, bound: not _is_number(value) or value <= bound,
    "exclusiveMinimum": lambda value, bound: not _is_number(value) or value > bound,
    "pattern": lambda value, pattern: not isinstance(value, str) or re.search(pattern, value) is not None,
    "minLength": lambda value, bound: not isinstance(value, str) or len(value) >= bound,
    "minItems": lambda value, bound: not isinstance(value, list) or len(value) >= bound,
    "maxItems": lambda value, bound: not isinstance(value, list) or len(value) <= bound,
    "minProperties": lambda value, bound: not isinstance(value, dict) or len(value) >= bound,
    "maxProperties": lambda value, bound: not isinstance(value, dict) or len(value) <= bound,
    "uniqueItems": lambda value, once: not (once and isinstance(value, list)) or _are_unique(value),
}
