"""Compiler from JSON Schema to one Python function that finds the errors of a node, for the keywords in use."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import ge, gt, le
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.documents.document_nodes import ListNode, MapNode, ScalarNode, key_as_scalar, node_to_data
from rulewright.runtime.codec_protocols import MESSAGE_WORDS, Schema


@dataclass(frozen=True, slots=True)
class SchemaStep:
    """A step from a schema to one inside it, and from its node to the part that the inner one is about."""

    keyword: str  # `then` and `else` for those of `if`
    schema: Any  # the inner one
    part: str | int | None = None  # key or position of the part; `None`: the node itself
    is_key: bool = False  # the part is the key alone


@dataclass(frozen=True, slots=True)
class SchemaError:
    """A keyword that a node breaks."""

    keyword: str
    steps: tuple[SchemaStep, ...] = ()  # from the root to the schema of the keyword
    branches: tuple[tuple["SchemaError", ...], ...] = ()  # of `anyOf`: why none fits


SchemaErrors = tuple[SchemaError, ...]
ErrorFinder = Callable[[Any], SchemaErrors]
"""Function from a node to its errors."""
_NO_ERRORS: SchemaErrors = ()


def compile_schema(schema: Schema) -> ErrorFinder:
    """Finder of the errors that `jsonschema` finds, in the order of the document; one for all missing keys of a node."""
    return _SchemaCompiler(schema).compile_part(schema)


def _lead(step: SchemaStep, errors: SchemaErrors) -> SchemaErrors:
    return tuple(SchemaError(error.keyword, (step, *error.steps), error.branches) for error in errors)


class _SchemaCompiler:
    def __init__(self, root: Schema) -> None:
        self._root = root
        self._finders_by_reference: dict[str, ErrorFinder] = {}

    def compile_part(self, schema: Any) -> ErrorFinder:  # a schema or `True`
        finders: list[ErrorFinder] = []
        for keyword, value in {} if schema is True else schema.items():
            if keyword in _PREDICATES:
                finders.append(_fail_unless(keyword, _PREDICATES[keyword](value)))
            elif keyword in _COMPILERS:
                finders.append(_COMPILERS[keyword](self, value, schema))
            else:
                assert keyword in _ANNOTATIONS, keyword
        if len(finders) == 1:
            return finders[0]

        def find_errors(node: Any) -> SchemaErrors:
            errors = _NO_ERRORS
            for find in finders:
                errors += find(node)
            return errors

        return find_errors

    def _compile_reference(self, name: str, _: Schema) -> ErrorFinder:
        target = self._root["$defs"][name.rpartition("/")[2]]
        step = SchemaStep("$ref", target)

        def find_behind_reference(node: Any) -> SchemaErrors:
            if name not in self._finders_by_reference:
                self._finders_by_reference[name] = self.compile_part(target)
            return _lead(step, self._finders_by_reference[name](node))

        return find_behind_reference

    def _compile_properties(self, properties: Mapping[str, Any], schema: Schema) -> ErrorFinder:
        rest = schema.get("additionalProperties", True)
        known = {key: (self.compile_part(inner), "properties", inner) for key, inner in properties.items()}
        other = None if rest is False else (self.compile_part(rest), "additionalProperties", rest)
        has_unknown = (SchemaError("additionalProperties"),)

        def find_in_entries(node: Any) -> SchemaErrors:
            errors, unknown = _NO_ERRORS, _NO_ERRORS
            for key, item in node.entries if isinstance(node, MapNode) else ():
                expected = known.get(key.text, other)
                if expected is None:
                    unknown = has_unknown
                elif wrong := expected[0](item):
                    errors += _lead(SchemaStep(expected[1], expected[2], key.text), wrong)
            return errors + unknown

        return find_in_entries

    def _compile_additional_properties(self, rest: Any, schema: Schema) -> ErrorFinder:
        is_done = "properties" in schema
        return (lambda _: _NO_ERRORS) if is_done else self._compile_properties({}, {"additionalProperties": rest})

    def _compile_property_names(self, names: Schema, _: Schema) -> ErrorFinder:
        find = self.compile_part(names)

        def find_in_keys(node: Any) -> SchemaErrors:
            errors = _NO_ERRORS
            for key, _ in node.entries if isinstance(node, MapNode) else ():
                if wrong := find(key_as_scalar(key)):
                    errors += _lead(SchemaStep("propertyNames", names, key.text, is_key=True), wrong)
            return errors

        return find_in_keys

    def _compile_prefix_items(self, first: Sequence[Any], _: Schema) -> ErrorFinder:
        finders = [(self.compile_part(inner), SchemaStep("prefixItems", inner, at)) for at, inner in enumerate(first)]

        def find_in_first_items(node: Any) -> SchemaErrors:
            errors = _NO_ERRORS
            for (find, step), item in zip(finders, node.items if isinstance(node, ListNode) else (), strict=False):
                if wrong := find(item):
                    errors += _lead(step, wrong)
            return errors

        return find_in_first_items

    def _compile_items(self, inner: Any, schema: Schema) -> ErrorFinder:
        first = len(schema.get("prefixItems", ()))
        if inner is False:
            return _fail_unless("items", lambda node: not isinstance(node, ListNode) or len(node.items) <= first)
        find = self.compile_part(inner)

        def find_in_items(node: Any) -> SchemaErrors:
            errors = _NO_ERRORS
            for at, item in enumerate(node.items[first:] if isinstance(node, ListNode) else (), first):
                if wrong := find(item):
                    errors += _lead(SchemaStep("items", inner, at), wrong)
            return errors

        return find_in_items

    def _compile_any_of(self, schemas: Sequence[Any], _: Schema) -> ErrorFinder:
        finders = [self.compile_part(inner) for inner in schemas]

        def find_in_branches(node: Any) -> SchemaErrors:
            branches: list[SchemaErrors] = []
            for find in finders:
                wrong = find(node)
                if not wrong:
                    return _NO_ERRORS
                branches.append(wrong)
            return (SchemaError("anyOf", (), tuple(branches)),)

        return find_in_branches

    def _compile_all_of(self, schemas: Sequence[Any], _: Schema) -> ErrorFinder:
        finders = [(self.compile_part(inner), SchemaStep("allOf", inner)) for inner in schemas]
        return lambda node: tuple(error for find, step in finders for error in _lead(step, find(node)))

    def _compile_not(self, inner: Any, _: Schema) -> ErrorFinder:
        find = self.compile_part(inner)
        return _fail_unless("not", lambda node: bool(find(node)))

    def _compile_conditional(self, condition: Any, schema: Schema) -> ErrorFinder:
        find, inner = self.compile_part(condition), (schema.get("then", True), schema.get("else", True))
        then, otherwise = map(self.compile_part, inner)
        steps = SchemaStep("then", inner[0]), SchemaStep("else", inner[1])
        return lambda node: _lead(steps[1], otherwise(node)) if find(node) else _lead(steps[0], then(node))


_COMPILERS: Mapping[str, Callable[[_SchemaCompiler, Any, Schema], ErrorFinder]] = {
    "$ref": _SchemaCompiler._compile_reference,  # noqa: SLF001 - the table of its methods, here and below
    "properties": _SchemaCompiler._compile_properties,  # noqa: SLF001
    "additionalProperties": _SchemaCompiler._compile_additional_properties,  # noqa: SLF001
    "propertyNames": _SchemaCompiler._compile_property_names,  # noqa: SLF001
    "prefixItems": _SchemaCompiler._compile_prefix_items,  # noqa: SLF001
    "items": _SchemaCompiler._compile_items,  # noqa: SLF001
    "anyOf": _SchemaCompiler._compile_any_of,  # noqa: SLF001
    "allOf": _SchemaCompiler._compile_all_of,  # noqa: SLF001
    "not": _SchemaCompiler._compile_not,  # noqa: SLF001
    "if": _SchemaCompiler._compile_conditional,  # noqa: SLF001
}
"""Compilers of keywords that hold schemas."""
_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "then", "else", MESSAGE_WORDS})
"""Keywords that forbid nothing by themselves."""

_Predicate = Callable[[Any], bool]


def _fail_unless(keyword: str, holds: _Predicate) -> ErrorFinder:
    failure = (SchemaError(keyword),)
    return lambda node: _NO_ERRORS if holds(node) else failure


def _has_scalar_type(*classes: type) -> _Predicate:
    return lambda node: isinstance(node, ScalarNode) and type(node.value) in classes


_TYPE_CHECKS: Mapping[str, _Predicate] = {
    "object": lambda node: isinstance(node, MapNode),
    "array": lambda node: isinstance(node, ListNode),
    "boolean": _has_scalar_type(bool),
    "integer": _has_scalar_type(int),
    "number": _has_scalar_type(int, Fraction),
    "string": _has_scalar_type(str),
    "null": _has_scalar_type(type(None)),
}
"""Predicate of each JSON Schema type."""


def _has_type(types: str | Sequence[str]) -> _Predicate:
    if isinstance(types, str):
        return _TYPE_CHECKS[types]
    checks = [_TYPE_CHECKS[type_] for type_ in types]
    return lambda node: any(check(node) for check in checks)


def _is_one_of(values: Sequence[Any]) -> _Predicate:
    allowed = {hashable_data(value) for value in values}
    return lambda node: hashable_data(node.value if isinstance(node, ScalarNode) else node_to_data(node)) in allowed


def _compare(measure: Callable[[Any], Any], fits: Callable[[Any, Any], object]) -> Callable[[Any], _Predicate]:
    """Predicate by bound: what is measured of a node fits it, if the node has such a thing."""
    return lambda bound: lambda node: (found := measure(node)) is None or bool(fits(found, bound))


def _number_of(node: Any) -> Any:  # a number or `None`
    return node.value if isinstance(node, ScalarNode) and type(node.value) in {int, Fraction} else None


def _text_of(node: Any) -> str | None:
    return node.value if isinstance(node, ScalarNode) and isinstance(node.value, str) else None


def _count_items(node: Any) -> int | None:
    return len(node.items) if isinstance(node, ListNode) else None


def _count_entries(node: Any) -> int | None:
    return len(node.entries) if isinstance(node, MapNode) else None


def _has_keys(required: Sequence[str]) -> _Predicate:
    return lambda node: not isinstance(node, MapNode) or all(key in node for key in required)


def _has_dependent_keys(paired: Mapping[str, Sequence[str]]) -> _Predicate:
    checks = [(key, _has_keys(needed)) for key, needed in paired.items()]
    return lambda node: not isinstance(node, MapNode) or all(check(node) for key, check in checks if key in node)


def _has_each_once(once: bool) -> _Predicate:  # noqa: FBT001 - the value of the keyword
    return lambda node: (
        not (once and isinstance(node, ListNode))
        or len({hashable_data(node_to_data(item)) for item in node.items}) == len(node.items)
    )


_PREDICATES: Mapping[str, Callable[[Any], _Predicate]] = {
    "type": _has_type,
    "enum": _is_one_of,
    "const": lambda value: _is_one_of([value]),
    "required": _has_keys,
    "dependentRequired": _has_dependent_keys,
    "uniqueItems": _has_each_once,
    "minimum": _compare(_number_of, ge),
    "maximum": _compare(_number_of, le),
    "exclusiveMinimum": _compare(_number_of, gt),
    "pattern": _compare(_text_of, lambda text, pattern: re.search(pattern, text)),
    "minLength": _compare(_text_of, lambda text, least: len(text) >= least),
    "minItems": _compare(_count_items, ge),
    "maxItems": _compare(_count_items, le),
    "minProperties": _compare(_count_entries, ge),
    "maxProperties": _compare(_count_entries, le),
}
"""Predicates over nodes by keyword, from its value."""


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
