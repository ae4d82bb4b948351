"""Data that are placed are what their JSON text is read as."""

import json

from hypothesis import given, settings, strategies as st

from rulewright.base.source import Text
from rulewright.documents.document_nodes import format_json
from rulewright.documents.value_reader import data_to_node, place_json_data
from rulewright.documents.yaml_reader import parse_yaml
from support.sample_sizes import choose_count

NUMBERS = st.integers(-(10**110), 10**110) | st.integers(-99, 99) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(max_size=5) | st.sampled_from(["<<", "yes", "1", "a b", "ä/~", ""])
DATA = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=choose_count(50, 200))
@given(DATA, st.sampled_from([3, 100]))
def test_placed_data_are_what_their_text_is_read_as(data: object, most: int) -> None:
    found = place_json_data(data, "answer", most)  # type: ignore[arg-type]
    if found is not None:
        assert found == parse_yaml(Text("answer", format_json(data)), most).value  # type: ignore[arg-type]


def test_usual_data_are_placed() -> None:
    usual = {"unit": {"at": [1, -2], "name": "Größe", "ready": True, "by": None, "share": 0.5, "none": [], "no": {}}}
    assert (
        place_json_data(usual, "answer", 100)
        == parse_yaml(Text("answer", json.dumps(usual, ensure_ascii=False)), 100).value
    )
    assert place_json_data(usual, "answer", 8) is None
    deep: list[object] = []
    for _ in range(70):
        deep = [deep]
    assert place_json_data(deep, "answer", 100) is None  # type: ignore[arg-type]
    assert place_json_data({1: 2}, "answer", 100) is None  # type: ignore[dict-item]
    assert data_to_node({"a": "\u2028"}).get("a").value == "\u2028"  # type: ignore[union-attr]
