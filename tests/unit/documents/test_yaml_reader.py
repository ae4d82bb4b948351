from rulewright.base.source import Text
from rulewright.documents.document_nodes import ListNode, MapNode, ScalarNode
from rulewright.documents.yaml_reader import MAX_DOCUMENT_NODES, MAX_NESTING, MAX_TEXT_CHARS, parse_yaml


def _finding(content: str) -> tuple[str, str, str, str | None]:
    """Code, place, message and pointer of the only finding."""
    text = Text("x.yaml", content)
    outcome = parse_yaml(text)
    assert outcome.value is None
    (found,) = outcome.diagnostics
    assert found.primary
    position = text.get_position(found.primary.span.start)
    return found.code, f"{position.line}:{position.column}", found.message, found.pointer


def test_every_value_has_its_place_and_pointer() -> None:
    text = Text("x.yaml", '# é\na/b: [x, {y: "ü"}]\n')
    root = parse_yaml(text).value
    assert isinstance(root, MapNode)
    items = root.get("a/b")
    assert isinstance(items, ListNode)
    inner = items.items[1]
    assert isinstance(inner, MapNode)
    scalar = inner.get("y")
    assert isinstance(scalar, ScalarNode)
    assert (scalar.value, scalar.pointer) == ("ü", "/a~1b/1/y")
    assert text.content[scalar.span.start : scalar.span.end] == '"ü"'
    assert str(text.get_position(inner.key("y").span.start)) == "Position(line=2, column=11)"


def test_a_text_has_a_largest_size() -> None:
    assert _finding("x" * (MAX_TEXT_CHARS + 1))[:3] == ("RW0702", "1:1", "the text is longer than 8,000,000 characters")


def test_brackets_have_a_largest_depth() -> None:
    code, place, message, _ = _finding("[" * (MAX_TEXT_CHARS - 1))
    assert code == "RW0702"
    assert place in {f"1:{MAX_NESTING + 1}", "1:1001"}  # PyYAML from 6.0.4 on stops there before it gives the first
    assert message == "lists and mappings are nested more than 64 deep"


def test_aliases_of_aliases_count_what_they_stand_for() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    code, _, message, _ = _finding("\n".join(lines))
    assert (code, message) == ("RW0702", f"the text holds more than {MAX_DOCUMENT_NODES:,} values")


def test_aliases_cannot_nest_deeper_than_brackets() -> None:
    deep = "[" * 60 + "]" * 60
    assert _finding(f"- &a {deep}\n- [[[[[[*a]]]]]]")[0] == "RW0702"


def test_an_alias_stands_for_a_copy_with_its_own_pointers() -> None:
    root = parse_yaml(Text("x.yaml", "a: &x {k: 1}\nb: *x\n")).value
    assert isinstance(root, MapNode)
    copy = root.get("b")
    assert isinstance(copy, MapNode)
    assert copy.key("k").pointer == "/b/k"
