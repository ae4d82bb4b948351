"""Compiler from JSON Schema to one Python predicate over nodes, for the keywords in use."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulewright.documents.document_nodes import (
    ListNode,
    MapNode,
    ScalarNode,
    key_as_scalar,
    node_to_data,
)
from rulewright.runtime.codec_protocols import Schema

NodeCheck = Callable[[Any], bool]
"""Predicate: whether a node is valid."""


def compile_schema(schema: Schema) -> NodeCheck:
    """Predicate of a schema over nodes; supports the keywords that the product's schemas use."""
    return _SchemaCompiler(schema).compile_part(schema)


class _SchemaCompiler:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._reference_checks: dict[int, NodeCheck] = {}

    def compile_part(self, schema: Any) -> NodeCheck:  # a schema or a boolean
        if isinstance(schema, bool):
            return lambda _: schema
        checks = [
            KEYWORD_COMPILERS[key](self, value, schema) for key, value in schema.items() if key in KEYWORD_COMPILERS
        ]
        if len(checks) == 1:
            return checks[0]
        return lambda node: all(check(node) for check in checks)

    def _compile_parts(self, schemas: Iterable[Any]) -> list[NodeCheck]:
        return [self.compile_part(schema) for schema in schemas]

    def _compile_reference(self, name: str, _: Schema) -> NodeCheck:
        target = self._root["$defs"][name.rpartition("/")[2]]

        def check_reference(node: Any) -> bool:
            if id(target) not in self._reference_checks:
                self._reference_checks[id(target)] = self.compile_part(target)
            return self._reference_checks[id(target)](node)

        return check_reference

    def _compile_type(self, types: str | Sequence[str], _: Schema) -> NodeCheck:
        if isinstance(types, str):
            return _TYPE_CHECKS[types]
        checks = [_TYPE_CHECKS[type_] for type_ in types]
        return lambda node: any(check(node) for check in checks)

    def _compile_enum(self, values: Sequence[Any], _: Schema) -> NodeCheck:
        allowed = {hashable_data(value) for value in values}
        return lambda node: (
            (hashable_data(node.value) if isinstance(node, ScalarNode) else hashable_data(node_to_data(node)))
            in allowed
        )

    def _compile_const(self, value: Any, schema: Schema) -> NodeCheck:
        return self._compile_enum([value], schema)

    def _compile_properties(self, properties: Mapping[str, Any], schema: Schema) -> NodeCheck:
        known = {key: self.compile_part(item) for key, item in properties.items()}
        rest = self.compile_part(schema.get("additionalProperties", True))
        return lambda node: (
            not isinstance(node, MapNode) or all(known.get(key.text, rest)(item) for key, item in node.entries)
        )

    def _compile_additional_properties(self, rest: Any, schema: Schema) -> NodeCheck:
        return (
            (lambda _: True) if "properties" in schema else self._compile_properties({}, {"additionalProperties": rest})
        )

    def _compile_property_names(self, names: Schema, _: Schema) -> NodeCheck:
        check = self.compile_part(names)
        return lambda node: not isinstance(node, MapNode) or all(check(key_as_scalar(key)) for key, _ in node.entries)

    def _compile_required(self, required: Sequence[str], _: Schema) -> NodeCheck:
        return lambda node: not isinstance(node, MapNode) or all(item in node for item in required)

    def _compile_dependent_required(self, paired: Mapping[str, Sequence[str]], _: Schema) -> NodeCheck:
        return lambda node: (
            not isinstance(node, MapNode)
            or all(key not in node or all(item in node for item in needed) for key, needed in paired.items())
        )

    def _compile_prefix_items(self, first: Sequence[Any], schema: Schema) -> NodeCheck:
        checks, rest = self._compile_parts(first), self.compile_part(schema.get("items", True))

        def check_items(node: Any) -> bool:
            if not isinstance(node, ListNode):
                return True
            pairs = zip(checks, node.items, strict=False)
            return all(each(item) for each, item in pairs) and all(map(rest, node.items[len(checks) :]))

        return check_items

    def _compile_items(self, items: Any, schema: Schema) -> NodeCheck:
        check = self.compile_part(items)
        has_prefix = "prefixItems" in schema
        return lambda node: has_prefix or not isinstance(node, ListNode) or all(map(check, node.items))

    def _compile_unique_items(self, once: bool, _: Schema) -> NodeCheck:  # noqa: FBT001
        def check_unique(node: Any) -> bool:
            if not (once and isinstance(node, ListNode)):
                return True
            return len({hashable_data(node_to_data(item)) for item in node.items}) == len(node.items)

        return check_unique

    def _compile_any_of(self, schemas: Sequence[Any], _: Schema) -> NodeCheck:
        checks = self._compile_parts(schemas)
        return lambda node: any(check(node) for check in checks)

    def _compile_all_of(self, schemas: Sequence[Any], _: Schema) -> NodeCheck:
        checks = self._compile_parts(schemas)
        return lambda node: all(check(node) for check in checks)

    def _compile_one_of(self, schemas: Sequence[Any], _: Schema) -> NodeCheck:
        checks = self._compile_parts(schemas)
        return lambda node: sum(check(node) for check in checks) == 1

    def _compile_not(self, schema: Any, _: Schema) -> NodeCheck:
        check = self.compile_part(schema)
        return lambda node: not check(node)

    def _compile_conditional(self, condition: Any, schema: Schema) -> NodeCheck:
        check, then = self.compile_part(condition), self.compile_part(schema["then"])
        otherwise = self.compile_part(schema.get("else", True))
        return lambda node: then(node) if check(node) else otherwise(node)


def _has_scalar_type(*classes: type) -> NodeCheck:
    return lambda node: isinstance(node, ScalarNode) and type(node.value) in classes


_TYPE_CHECKS: Mapping[str, NodeCheck] = {
    "object": lambda node: isinstance(node, MapNode),
    "array": lambda node: isinstance(node, ListNode),
    "boolean": _has_scalar_type(bool),
    "integer": _has_scalar_type(int),
    "number": _has_scalar_type(int, Fraction),
    "string": _has_scalar_type(str),
    "null": _has_scalar_type(type(None)),
}
"""Predicate of each JSON Schema type."""


def _number_keyword(fits: Callable[[Any, Any], bool]) -> Callable[[_SchemaCompiler, Any, Schema], NodeCheck]:
    is_number = _TYPE_CHECKS["number"]
    return lambda _, bound, __: lambda node: not is_number(node) or fits(node.value, bound)


def _text_keyword(fits: Callable[[str, Any], object]) -> Callable[[_SchemaCompiler, Any, Schema], NodeCheck]:
    is_text = _TYPE_CHECKS["string"]
    return lambda _, bound, __: lambda node: not is_text(node) or bool(fits(node.value, bound))


def _size_keyword(
    sort: type[ListNode] | type[MapNode], fits: Callable[[int, int], bool]
) -> Callable[[_SchemaCompiler, Any, Schema], NodeCheck]:
    return lambda _, bound, __: (
        lambda node: (
            not isinstance(node, sort) or fits(len(node.items if isinstance(node, ListNode) else node.entries), bound)
        )
    )


KEYWORD_COMPILERS: Mapping[str, Callable[[_SchemaCompiler, Any, Schema], NodeCheck]] = {
    "$ref": _SchemaCompiler._compile_reference,  # noqa: SLF001 - the table of its methods, here and below
    "type": _SchemaCompiler._compile_type,  # noqa: SLF001
    "enum": _SchemaCompiler._compile_enum,  # noqa: SLF001
    "const": _SchemaCompiler._compile_const,  # noqa: SLF001
    "properties": _SchemaCompiler._compile_properties,  # noqa: SLF001
    "additionalProperties": _SchemaCompiler._compile_additional_properties,  # noqa: SLF001
    "propertyNames": _SchemaCompiler._compile_property_names,  # noqa: SLF001
    "required": _SchemaCompiler._compile_required,  # noqa: SLF001
    "dependentRequired": _SchemaCompiler._compile_dependent_required,  # noqa: SLF001
    "prefixItems": _SchemaCompiler._compile_prefix_items,  # noqa: SLF001
    "items": _SchemaCompiler._compile_items,  # noqa: SLF001
    "uniqueItems": _SchemaCompiler._compile_unique_items,  # noqa: SLF001
    "anyOf": _SchemaCompiler._compile_any_of,  # noqa: SLF001
    "allOf": _SchemaCompiler._compile_all_of,  # noqa: SLF001
    "oneOf": _SchemaCompiler._compile_one_of,  # noqa: SLF001
    "not": _SchemaCompiler._compile_not,  # noqa: SLF001
    "if": _SchemaCompiler._compile_conditional,  # noqa: SLF001
    "minimum": _number_keyword(lambda value, bound: value >= bound),
    "maximum": _number_keyword(lambda value, bound: value <= bound),
    "exclusiveMinimum": _number_keyword(lambda value, bound: value > bound),
    "pattern": _text_keyword(lambda value, pattern: re.search(pattern, value)),
    "minLength": _text_keyword(lambda value, bound: len(value) >= bound),
    "minItems": _size_keyword(ListNode, lambda count, bound: count >= bound),
    "maxItems": _size_keyword(ListNode, lambda count, bound: count <= bound),
    "minProperties": _size_keyword(MapNode, lambda count, bound: count >= bound),
    "maxProperties": _size_keyword(MapNode, lambda count, bound: count <= bound),
}


def hashable_data(data: Any) -> Any:
    """Hashable form of data that is equal for equal data; flags differ from numbers."""
    match data:
        case dict():
            return "object", frozenset((key, hashable_data(item)) for key, item in data.items())
        case list():
            return "array", *map(hashable_data, data)
        case bool():
            return "flag", data
        case _:
            return data
