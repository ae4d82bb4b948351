import pytest

from rulewright.base.source import Text
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapNode, ScalarNode
from rulewright.documents.findings import ReadResult
from rulewright.documents.yaml_reader import MAX_DOCUMENT_NODES, MAX_NESTING, MAX_TEXT_CHARS, parse_yaml


def _read(content: str) -> ReadResult[DocumentNode]:
    return parse_yaml(Text("x.yaml", content))


def _value(content: str) -> object:
    node = _read(f"a: {content}\n").value
    assert isinstance(node, MapNode)
    scalar = node.get("a")
    assert isinstance(scalar, ScalarNode)
    return scalar.value


def _finding(content: str) -> tuple[str, str, str, str | None]:
    """Code, place, message and pointer of the only finding."""
    text = Text("x.yaml", content)
    outcome = parse_yaml(text)
    assert outcome.value is None
    (found,) = outcome.diagnostics
    assert found.primary
    position = text.get_position(found.primary.span.start)
    return found.code, f"{position.line}:{position.column}", found.message, found.pointer


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("2001-01-01", "2001-01-01"),
        ("0101", 101),
        ("0o17", 15),
        ("0x1F", 31),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1.0", 1),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ('"5"', "5"),
        ("'null'", "null"),
        (".inf", ".inf"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(written: str, value: object) -> None:
    found = _value(written)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"a\uD83D\uDE00\ud83d\ude00 \n"', "a\U0001f600\U0001f600 \n"),
        (r'"\\ud83d\\ude00"', r"\ud83d\ude00"),
        (r'"\\\ud83d\ude00"', "\\\U0001f600"),
        (r'"\u083d\u0e00"', "\u083d\u0e00"),
        (r"'\ud83d\ude00 \uD83D\uDE00'", r"\ud83d\ude00 \uD83D\uDE00"),
        (r"\ud83d\ude00", r"\ud83d\ude00"),
    ],
)
def test_two_escapes_of_json_are_one_character(written: str, value: str) -> None:
    assert _value(written) == value
    both = _read(f'{{"\\ud83d\\ude00": {written}}}').value
    assert isinstance(both, MapNode)
    ((key, found),) = both.entries
    assert (key.text, getattr(found, "value", None)) == ("\U0001f600", value)


@pytest.mark.parametrize(
    ("written", "column"),
    [(r'"\ud83d"', 7), (r'"\ude00\ud83d"', 7), (r'"\ud83d\ude00\ude00"', 19), (r'"\x41\ud83d\ude00"', 11)],
)
def test_half_of_two_escapes_is_no_character(written: str, column: int) -> None:
    code, place, message, _ = _finding(f"a: {written}")
    assert (code, place, message) == ("RW0703", f"1:{column}", "this `\\u` escape is not a whole character")


def test_decimals_are_exact() -> None:
    assert str(_value("0.1")) == "1/10"


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


def test_json_is_read_as_it_is() -> None:
    root = _read('{"a":\t[1, -2.5e1, true, null, "\\u00e9"],\n\t"b": {}}').value
    assert isinstance(root, MapNode)
    items = root.get("a")
    assert isinstance(items, ListNode)
    assert [each.value for each in items.items if isinstance(each, ScalarNode)] == [1, -25, True, None, "é"]


def test_an_alias_stands_for_a_copy_with_its_own_pointers() -> None:
    root = _read("a: &x {k: 1}\nb: *x\n").value
    assert isinstance(root, MapNode)
    copy = root.get("b")
    assert isinstance(copy, MapNode)
    assert copy.key("k").pointer == "/b/k"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a:\n\xa0 b: c", ("RW0703", "2:1", "there is a no-break space where only spaces may be", "")),
        ("{a:\xa0b}", ("RW0703", "1:4", "there is a no-break space where only spaces may be", "")),
        ("a:\n  b:\xa0c\n  d: e", ("RW0703", "2:5", "there is a no-break space where only spaces may be", "/a")),
        ("a:\n\t- b", ("RW0703", "2:1", "there is a tab where only spaces may be", "/a")),
        ("a: [1, 2\nb: c", ("RW0703", "1:4", "this `[` is never closed", "/a/2")),
        ("a: [1, 2\n  b: c", ("RW0703", "2:4", "this list has no `,` or `]` where one is needed", "/a/2")),
        ("a: [1, [2]", ("RW0703", "1:4", "this `[` is never closed", "/a/2")),
        ('a: "x', ("RW0703", "1:4", "this text in quotes never ends", "/a")),
        ("a: b: c", ("RW0703", "1:5", "there is a second `:` in this line", "")),
        ("a: b\n  c: d", ("RW0703", "2:4", "this line is indented too far, or the key above has a value already", "")),
        ("a: @x", ("RW0703", "1:4", "a value cannot begin with `@`", "/a")),
        ("a:\n  b: 1\n  c d\n    e: 2", ("RW0703", "3:3", "this line has no `:` after its key", "/a")),
        ("a:\n  c d\n    e: 2", ("RW0703", "2:3", "this line has no `:` after its key", "")),
        ("a: 1\nb\nc: 2", ("RW0703", "2:1", "this line has no `:` after its key", "")),
        ("- a\nb: 1", ("RW0703", "2:1", "this line is not an item of the list above", "/1")),
        ("a: {b:{c: 1}}", ("RW0703", "1:6", "a space is missing behind the `:` of this key", "/a")),
        ("a: {b:three}", ("RW0703", "1:5", "a space is missing behind the `:` of this key", "/a/b:three")),
        ("a: 1\nb:[[1], 2]", ("RW0703", "2:1", "a space is missing behind the `:` of this key", "")),
        ("a:{b: 1}\nc: 2", ("RW0703", "1:1", "a space is missing behind the `:` of this key", "")),
        ("a: [1, 2]]\nb: 1", ("RW0703", "1:10", "this `]` closes nothing", "")),
        ("&a: {}", ("RW0703", "1:1", "this `:` has no key before it", "")),
        ('a: {"b: {c: 1}}\nd: {"e": 1}', ("RW0703", "1:5", "this text in quotes does not end on its line", "/a")),
        ('a: {b: "c}\nd: {e: "f"}', ("RW0703", "1:8", "this text in quotes does not end on its line", "/a")),
        ("{a: 1, f(b, c): 2}", ("RW0703", "1:8", "a key with a comma in it stands in quotes", "/f(b")),
        ('a: "\\q"', ("RW0703", "1:5", "this `\\` means nothing in a text in double quotes", "/a")),
        ("{a: 1}}", ("RW0703", "1:7", "there is something after the end of the document", "")),
        ("a: {x: 1, x: 2}", ("RW0704", "1:11", "the key `x` is given twice", "/a/x")),
        ('1: a\n"1": b', ("RW0704", "2:1", "the key `1` is given twice", "/1")),
        ('a: !!int "1"', ("RW0705", "1:4", "tags such as `!!str` are not read", "/a")),
        ("a: 1\n---\nb: 2", ("RW0705", "2:1", "a second document begins here", "")),
        ("? [a]\n: b", ("RW0705", "1:3", "a key is a text, not a list or mapping", "")),
        ("a: &a [*a]", ("RW0705", "1:8", "`*a` repeats nothing written before", "/a/0")),
        ("# nothing", ("RW0706", "1:1", "there is nothing in this text", "")),
        ("a: x\0", ("RW0701", "1:5", "the character U+0000 is not allowed in a text", None)),
        (f"a: {'1' * 101}", ("RW0702", "1:4", "this number has more than 100 digits", "/a")),
    ],
)
def test_what_is_refused(content: str, expected: tuple[str, str, str, str | None]) -> None:
    assert _finding(content) == expected


@pytest.mark.parametrize("above", ["a:\n  b: 1\n", "a:\n"])
def test_a_colon_at_the_end_of_the_line_that_lacks_it_mends_it(above: str) -> None:
    (found,) = _read(f"{above}  c d\n    e: 2\n").diagnostics
    assert found.help == "put `:` at its end"
    assert not _read(f"{above}  c d:\n    e: 2\n").diagnostics


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


def test_all_doubled_keys_are_found() -> None:
    found = _read("a: 1\na: 2\nb: {c: 1, c: 2}").diagnostics
    assert [each.pointer for each in found] == ["/a", "/b/c"]
