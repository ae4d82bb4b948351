"""JSON data that stand in no text are what their JSON text is read as, but for places."""

import pytest
from hypothesis import given, settings, strategies as st

from rulewright.base.source import Text
from rulewright.documents.document_nodes import data_to_node, format_json, node_to_data
from rulewright.documents.findings import Findings, ReadResult
from rulewright.documents.value_reader import read_data
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
def test_data_are_what_their_text_is_read_as(data: object, most: int) -> None:
    try:
        found = data_to_node(data, most)
    except ValueError:
        return
    text = parse_yaml(Text("answer", format_json(data)), most)  # type: ignore[arg-type]
    if "<<" not in format_json(data):  # type: ignore[arg-type]
        assert text.value is not None
        assert node_to_data(found) == node_to_data(text.value)


@pytest.mark.parametrize("data", [[1] * 100, [float("nan")], {1: 2}, [10**100], [1e101], [-1e-101], [{"a": {3}}]])
def test_what_is_no_data_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="JSON data"):
        data_to_node(data, 100)


def test_lists_are_nested_only_so_deep() -> None:
    deep: list[object] = []
    for _ in range(70):
        deep = [deep]
    with pytest.raises(ValueError, match="JSON data"):
        data_to_node(deep, 100)


def test_only_where_something_is_wrong_are_data_read_with_places() -> None:
    def read(node: object) -> ReadResult[object]:
        findings = Findings()
        if wrong:
            findings.add_error("RW0713", node.get("b"), "no")  # type: ignore[attr-defined]
        return findings.make_result(node)

    wrong = False
    assert read_data({"a": 1, "b": 2}, read, "state").value == data_to_node({"a": 1, "b": 2})
    wrong = True
    (found,) = read_data({"a": 1, "b": 2}, read, "state").diagnostics
    assert found.pointer == "/b"
    assert found.primary is not None
    assert (found.primary.span.source, found.primary.span.start) == ("state", len('{"a": 1, "b": '))
