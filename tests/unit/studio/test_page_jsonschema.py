"""What stands for the library `jsonschema` in a page finds the same errors."""

from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import given, settings, strategies as st

from rulewright.documents import schema_compiler
from rulewright.studio import page_jsonschema
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
        st.fixed_dictionaries({"oneOf": parts}),
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


def _list_facts(errors: Any) -> list[Any]:
    return sorted(
        (
            str(error.validator or ""),
            [*map(str, error.absolute_path)],
            [*map(str, error.relative_path)],
            [*map(str, error.absolute_schema_path)],
            [*map(str, error.relative_schema_path)],
            _list_facts(error.context or ()),
        )
        for error in errors
    )


def test_every_keyword_that_is_compiled_is_known() -> None:
    """What the predicate of a schema rejects, something is said of."""
    text = Path(page_jsonschema.__file__).read_text(encoding="utf-8")
    assert [keyword for keyword in schema_compiler.KEYWORD_COMPILERS if f'"{keyword}"' not in text] == []


@settings(deadline=None, max_examples=choose_count(100, 1000))
@given(SCHEMAS, DOCUMENTS)
def test_it_finds_the_same_errors(schema: Any, document: Any) -> None:
    whole = {"$defs": {"side": {"enum": ["red", "blue"]}}, "allOf": [schema]}
    assert _list_facts(page_jsonschema.Draft202012Validator(whole).iter_errors(document)) == _list_facts(
        jsonschema.Draft202012Validator(whole).iter_errors(document)
    )
