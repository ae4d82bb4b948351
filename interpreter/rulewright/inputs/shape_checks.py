"""A JSON Schema as one function over nodes, which says what `jsonschema` would of the data."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulewright.codecs.schemas import Schema
from rulewright.inputs.nodes import Items, Mapping as MappingNode, Scalar, data_of, name_of

Check = Callable[[Any], bool]
"""Whether a node is right."""


def check_of(schema: Schema) -> Check:
    """Says whether a node is right by a schema; the keywords are those that our schemas have."""
    return _Keywords(schema).check(schema)


class _Keywords:
    """Makes the function of each part of a schema, by its keywords."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._done: dict[int, Check] = {}

    def check(self, schema: Any) -> Check:  # a schema, or a flag
        if isinstance(schema, bool):
            return lambda _: schema
        checks = [_KEYWORDS[key](self, value, schema) for key, value in schema.items() if key in _KEYWORDS]
        if len(checks) == 1:
            return checks[0]
        return lambda node: all(each(node) for each in checks)

    def _checks(self, schemas: Iterable[Any]) -> list[Check]:
        return [self.check(each) for each in schemas]

    def _reference(self, name: str, _: Schema) -> Check:
        target = self._root["$defs"][name.rpartition("/")[2]]

        def check(node: Any) -> bool:
            if id(target) not in self._done:
                self._done[id(target)] = self.check(target)
            return self._done[id(target)](node)

        return check

    def _type(self, types: str | Sequence[str], _: Schema) -> Check:
        if isinstance(types, str):
            return _IS[types]
        checks = [_IS[each] for each in types]
        return lambda node: any(each(node) for each in checks)

    def _enum(self, values: Sequence[Any], _: Schema) -> Check:
        allowed = {distinct(each) for each in values}
        return lambda node: (distinct(node.value) if isinstance(node, Scalar) else distinct(data_of(node))) in allowed

    def _const(self, value: Any, schema: Schema) -> Check:
        return self._enum([value], schema)

    def _object(self, properties: Mapping[str, Any], schema: Schema) -> Check:
        known = {key: self.check(each) for key, each in properties.items()}
        rest = self.check(schema.get("additionalProperties", True))
        return lambda node: (
            not isinstance(node, MappingNode) or all(known.get(key.text, rest)(each) for key, each in node.entries)
        )

    def _rest(self, rest: Any, schema: Schema) -> Check:
        return (lambda _: True) if "properties" in schema else self._object({}, {"additionalProperties": rest})

    def _names(self, names: Schema, _: Schema) -> Check:
        check = self.check(names)
        return lambda node: not isinstance(node, MappingNode) or all(check(name_of(key)) for key, _ in node.entries)

    def _required(self, required: Sequence[str], _: Schema) -> Check:
        return lambda node: not isinstance(node, MappingNode) or all(each in node for each in required)

    def _paired(self, paired: Mapping[str, Sequence[str]], _: Schema) -> Check:
        return lambda node: (
            not isinstance(node, MappingNode)
            or all(key not in node or all(each in node for each in needed) for key, needed in paired.items())
        )

    def _first_items(self, first: Sequence[Any], schema: Schema) -> Check:
        checks, rest = self._checks(first), self.check(schema.get("items", True))

        def check(node: Any) -> bool:
            if not isinstance(node, Items):
                return True
            pairs = zip(checks, node.items, strict=False)
            return all(each(item) for each, item in pairs) and all(map(rest, node.items[len(checks) :]))

        return check

    def _all_items(self, items: Any, schema: Schema) -> Check:
        check = self.check(items)
        done = "prefixItems" in schema
        return lambda node: done or not isinstance(node, Items) or all(map(check, node.items))

    def _once(self, once: bool, _: Schema) -> Check:  # noqa: FBT001
        def check(node: Any) -> bool:
            if not (once and isinstance(node, Items)):
                return True
            return len({distinct(data_of(each)) for each in node.items}) == len(node.items)

        return check

    def _any(self, schemas: Sequence[Any], _: Schema) -> Check:
        checks = self._checks(schemas)
        return lambda node: any(each(node) for each in checks)

    def _all(self, schemas: Sequence[Any], _: Schema) -> Check:
        checks = self._checks(schemas)
        return lambda node: all(each(node) for each in checks)

    def _one(self, schemas: Sequence[Any], _: Schema) -> Check:
        checks = self._checks(schemas)
        return lambda node: sum(each(node) for each in checks) == 1

    def _not(self, schema: Any, _: Schema) -> Check:
        check = self.check(schema)
        return lambda node: not check(node)

    def _if(self, condition: Any, schema: Schema) -> Check:
        check, then = self.check(condition), self.check(schema["then"])
        otherwise = self.check(schema.get("else", True))
        return lambda node: then(node) if check(node) else otherwise(node)


def _is(*classes: type) -> Check:
    return lambda node: isinstance(node, Scalar) and type(node.value) in classes


_IS: Mapping[str, Check] = {
    "object": lambda node: isinstance(node, MappingNode),
    "array": lambda node: isinstance(node, Items),
    "boolean": _is(bool),
    "integer": _is(int),
    "number": _is(int, Fraction),
    "string": _is(str),
    "null": _is(type(None)),
}
"""Whether a node is of a type that JSON Schema knows."""


def _number(fits: Callable[[Any, Any], bool]) -> Callable[[_Keywords, Any, Schema], Check]:
    is_number = _IS["number"]
    return lambda _, bound, __: lambda node: not is_number(node) or fits(node.value, bound)


def _text(fits: Callable[[str, Any], object]) -> Callable[[_Keywords, Any, Schema], Check]:
    is_text = _IS["string"]
    return lambda _, bound, __: lambda node: not is_text(node) or bool(fits(node.value, bound))


def _size(
    sort: type[Items] | type[MappingNode], fits: Callable[[int, int], bool]
) -> Callable[[_Keywords, Any, Schema], Check]:
    return lambda _, bound, __: (
        lambda node: (
            not isinstance(node, sort) or fits(len(node.items if isinstance(node, Items) else node.entries), bound)
        )
    )


_KEYWORDS: Mapping[str, Callable[[_Keywords, Any, Schema], Check]] = {
    "$ref": _Keywords._reference,  # noqa: SLF001 - the table of its methods, here and below
    "type": _Keywords._type,  # noqa: SLF001
    "enum": _Keywords._enum,  # noqa: SLF001
    "const": _Keywords._const,  # noqa: SLF001
    "properties": _Keywords._object,  # noqa: SLF001
    "additionalProperties": _Keywords._rest,  # noqa: SLF001
    "propertyNames": _Keywords._names,  # noqa: SLF001
    "required": _Keywords._required,  # noqa: SLF001
    "dependentRequired": _Keywords._paired,  # noqa: SLF001
    "prefixItems": _Keywords._first_items,  # noqa: SLF001
    "items": _Keywords._all_items,  # noqa: SLF001
    "uniqueItems": _Keywords._once,  # noqa: SLF001
    "anyOf": _Keywords._any,  # noqa: SLF001
    "allOf": _Keywords._all,  # noqa: SLF001
    "oneOf": _Keywords._one,  # noqa: SLF001
    "not": _Keywords._not,  # noqa: SLF001
    "if": _Keywords._if,  # noqa: SLF001
    "minimum": _number(lambda value, bound: value >= bound),
    "maximum": _number(lambda value, bound: value <= bound),
    "exclusiveMinimum": _number(lambda value, bound: value > bound),
    "pattern": _text(lambda value, pattern: re.search(pattern, value)),
    "minLength": _text(lambda value, bound: len(value) >= bound),
    "minItems": _size(Items, lambda count, bound: count >= bound),
    "maxItems": _size(Items, lambda count, bound: count <= bound),
    "minProperties": _size(MappingNode, lambda count, bound: count >= bound),
    "maxProperties": _size(MappingNode, lambda count, bound: count <= bound),
}


def distinct(data: Any) -> Any:
    """Something hashable that is equal for equal data; a flag is not a number."""
    match data:
        case dict():
            return "object", frozenset((key, distinct(each)) for key, each in data.items())
        case list():
            return "array", *map(distinct, data)
        case bool():
            return "flag", data
        case _:
            return data
