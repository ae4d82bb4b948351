"""What is compiled from a schema finds the errors that `jsonschema` finds."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

from rulewright.documents.document_nodes import data_to_node
from rulewright.documents.document_shapes import DocumentShape, SchemaJudgesDifferError
from rulewright.documents.findings import Findings
from rulewright.documents.schema_compiler import SchemaError, SchemaErrors, compile_schema
from support.sample_sizes import choose_count

LEAVES = (
    {"type": "integer", "minimum": 0, "maximum": 6},
    {"type": ["number", "null"], "exclusiveMinimum": 1},
    {"enum": ["red", "blue", 1, True]},
    {"const": 0},
    {"type": "string", "pattern": "^r", "minLength": 2},
    {"type": "boolean"},
    {"$ref": "#/$defs/side"},
    True,
)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 8) | st.sampled_from([0.5, 1.5, "red", "blue", "r", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=8,
)


def _wrap(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    parts = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"anyOf": parts}),
        st.fixed_dictionaries({"allOf": parts}),
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner, "minItems": st.just(1)}),
        st.fixed_dictionaries(
            {
                "prefixItems": parts,
                "items": inner | st.just(False),
                "maxItems": st.just(2),
                "uniqueItems": st.just(True),
            }
        ),
        st.fixed_dictionaries(
            {
                "type": st.just("object"),
                "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
                "additionalProperties": inner,
                "required": st.just(["a", "b"]),
                "minProperties": st.just(1),
                "maxProperties": st.just(2),
                "dependentRequired": st.just({"a": ["b", "c"], "c": ["a"]}),
            }
        ),
        st.fixed_dictionaries({"propertyNames": inner}),
        st.fixed_dictionaries({"if": inner}, optional={"then": inner, "else": inner}),
    )


SCHEMAS = st.recursive(st.sampled_from(LEAVES), _wrap, max_leaves=5)


Facts = set[tuple[str, tuple[str, ...], frozenset[Any]]]
"""Keyword, place and branches of each error; several keys that a node lacks are one error."""


def _facts_of_errors(errors: SchemaErrors) -> Facts:
    return {
        (
            error.keyword,
            tuple(str(step.part) for step in error.steps if step.part is not None and not step.is_key),
            frozenset(enumerate(map(frozenset, map(_facts_of_errors, error.branches)))),
        )
        for error in errors
    }


def _facts_by_library(errors: Any) -> Facts:
    facts: Facts = set()
    for error in errors:
        branches: dict[Any, list[Any]] = {}
        for inner in error.context or ():
            branches.setdefault(inner.relative_schema_path[0], []).append(inner)
        told = {(branch, frozenset(_facts_by_library(each))) for branch, each in branches.items()}
        facts.add((str(error.validator), tuple(map(str, error.relative_path)), frozenset(told)))
    return facts


@settings(deadline=None, max_examples=choose_count(100, 1000))
@given(SCHEMAS, DOCUMENTS)
def test_it_finds_the_same_errors(schema: Any, document: Any) -> None:
    whole = {"$defs": {"side": {"enum": ["red", "blue"]}}, "allOf": [schema]}
    found = compile_schema(whole)(data_to_node(document))
    assert _facts_of_errors(found) == _facts_by_library(jsonschema.Draft202012Validator(whole).iter_errors(document))


def test_a_refusal_that_the_library_does_not_share_is_a_fault_of_the_compiler() -> None:
    shape = DocumentShape({"type": "integer"})
    vars(shape)["_find_errors"] = lambda _: (SchemaError("type"),)
    findings = Findings()
    assert not shape.validate_node(data_to_node("one"), findings)
    with pytest.raises(SchemaJudgesDifferError):
        shape.validate_node(data_to_node(1), findings)
