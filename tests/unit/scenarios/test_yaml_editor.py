"""Values of a scenario file written anew: whatever stands there says what is wanted, and all else stays as it was."""

import random
from typing import Any

import pytest

from rulewright.base.source import Text
from rulewright.documents.document_nodes import MapNode, format_one_line
from rulewright.documents.yaml_reader import parse_yaml
from rulewright.scenarios.acceptance import YamlEditor, apply_edits
from rulewright.scenarios.proposals import is_same_data

AROUND = "# above\nfirst: {a: 1}   # beside\n{}\n# below\nlast:\n  - x   # end\n"
KEYS = ("a", "b", "2/c", "d e")
SCALARS = (1, 2, True, False, None, "word", "two words", "no", "7")


def edited(text: str, wanted: Any) -> str:
    root = parse_yaml(Text("t.yaml", text)).value
    assert isinstance(root, MapNode)
    node = root.get("expect")
    assert node is not None
    return apply_edits(text, YamlEditor(text).edit_value(root.key("expect"), node, wanted))


@pytest.mark.parametrize(
    ("before", "wanted", "after"),
    [
        ("expect: 1   # one", 2, "expect: 2   # one"),
        ("expect: 'x'", "y", "expect: y"),
        ("expect:", 1, "expect: 1"),
        ("expect: {a: 1, b: 2}", {"a": 1, "b": 3}, "expect: {a: 1, b: 3}"),
        ("expect: { a: 1 , b: 2 }", {"b": 2}, "expect: { b: 2 }"),
        ("expect: {a: 1, b: 2}", {"a": 1}, "expect: {a: 1}"),
        ("expect: {a: 1}", {"a": 1, "b": {"c": 2}}, "expect: {a: 1, b: {c: 2}}"),
        ("expect: {a: 1}", {"b": 1}, "expect: {b: 1}"),
        ("expect: {a: 1}", {}, "expect: {}"),
        (
            "expect:\n  a: 1   # a\n  # on b\n  b: 2   # b\n  c: 3   # c",
            {"a": 1, "c": 4},
            "expect:\n  a: 1   # a\n  c: 4   # c",
        ),
        ("expect:\n  a: 1   # a\n  b: 2   # b", {"a": 1}, "expect:\n  a: 1   # a"),
        ("expect:\n  a: 1   # a\n  b: 2", {"b": 2}, "expect:\n  b: 2"),
        ("expect:\n    a: 1   # a", {"a": 1, "b": [1]}, "expect:\n    a: 1   # a\n    b: [1]"),
        ("expect:\n  a:\n    b: 1\n", {"a": {}}, "expect:\n  a: {}\n"),
        ("expect:\n  a: 1\n", {"b": 2}, "expect: {b: 2}\n"),
        ("expect: [1, 2, 3]", [1, 3], "expect: [1, 3]"),
        ("expect: [1, 2, 3]", [1, 2], "expect: [1, 2]"),
        ("expect: [2, 3]", [1, 2, 3], "expect: [1, 2, 3]"),
        ("expect: [1]", [1, 2, 3], "expect: [1, 2, 3]"),
        ("expect: [1, 5, 9]", [1, 6, 7, 9], "expect: [1, 6, 7, 9]"),
        ("expect:\n  - 1   # a\n  - 2   # b", [1], "expect:\n  - 1   # a"),
        ("expect:\n  - 1   # a\n  - 2   # b", [1, 2, 3], "expect:\n  - 1   # a\n  - 2   # b\n  - 3"),
        ("expect:\n- 1\n- 2", [0, 1, 2], "expect:\n- 0\n- 1\n- 2"),
        ("expect:\n- a: 1   # a\n  b: 2\n- 3", [{"a": 1, "b": 4}, 3], "expect:\n- a: 1   # a\n  b: 4\n- 3"),
        ("expect:\n- a: 1   # a\n  b: 2", [{"b": 2}], "expect:\n- b: 2"),
        ("expect: |\n  long\n  text\n", "short", "expect: short\n"),
        ("expect: {a: 1}\r\nrest: 1\r\n", {"a": 1, "b": 2}, "expect: {a: 1, b: 2}\r\nrest: 1\r\n"),
        ("expect:\r\n  a: 1\r\nrest: 1\r\n", {"a": 1, "b": 2}, "expect:\r\n  a: 1\r\n  b: 2\r\nrest: 1\r\n"),
    ],
)
def test_the_smallest_part_is_written_anew(before: str, wanted: Any, after: str) -> None:
    assert edited(before, wanted) == after


def test_what_is_too_long_for_a_line_is_laid_out() -> None:
    wanted = {f"unit_{number}": {"health": number, "morale": number, "facing": number} for number in range(4)}
    assert edited("expect: {}\n", wanted) == (
        "expect:\n"
        "  unit_0: {health: 0, morale: 0, facing: 0}\n"
        "  unit_1: {health: 1, morale: 1, facing: 1}\n"
        "  unit_2: {health: 2, morale: 2, facing: 2}\n"
        "  unit_3: {health: 3, morale: 3, facing: 3}\n"
    )


@pytest.mark.parametrize("before", ["whole: {expect: {}}\n", "whole: {\n  first: 1, # one\n  expect: {}\n}\n"])
def test_what_is_too_long_stays_on_its_line_in_braces(before: str) -> None:
    wanted = {f"unit_{number}": {"health": number, "morale": number, "facing": number} for number in range(4)}
    root = parse_yaml(Text("t.yaml", before)).value
    assert isinstance(root, MapNode)
    whole = root.get("whole")
    assert isinstance(whole, MapNode)
    node = whole.get("expect")
    assert node is not None
    after = apply_edits(before, YamlEditor(before).edit_value(whole.key("expect"), node, wanted))
    assert after == before.replace("{}", format_one_line(wanted))


def test_what_has_an_anchor_is_left() -> None:
    assert edited("expect: &a 1\nagain: *a\n", 2) == "expect: &a 1\nagain: *a\n"
    assert edited("first: &a {x: 1}\nexpect: *a\n", {"x": 2}) == "first: &a {x: 1}\nexpect: {x: 2}\n"


def test_any_value_becomes_any_other() -> None:
    for seed in range(400):
        chance = random.Random(seed)
        start = data(chance, 3)
        wanted = otherwise(start, chance) if chance.random() < 0.8 else data(chance, 3)
        before = AROUND.replace("{}", "expect:" + laid_out(start, 2, chance))
        after = edited(before, wanted)
        root = parse_yaml(Text("t.yaml", after)).value
        assert root is not None, (before, after)
        assert is_same_data(root, {"first": {"a": 1}, "expect": wanted, "last": ["x"]}), (before, after)
        assert after.startswith("# above\nfirst: {a: 1}   # beside\n")
        assert after.endswith("\n# below\nlast:\n  - x   # end\n")


def data(chance: random.Random, deep: int) -> Any:
    """Any data."""
    sort = chance.choice("sml") if deep else "s"
    if sort == "m":
        return {key: data(chance, deep - 1) for key in chance.sample(KEYS, chance.randint(0, 3))}
    if sort == "l":
        return [data(chance, deep - 1) for _ in range(chance.randint(0, 3))]
    return chance.choice(SCALARS)


def otherwise(value: Any, chance: random.Random) -> Any:
    """Data that differs here and there."""
    if isinstance(value, dict):
        kept = {key: otherwise(each, chance) for key, each in value.items() if chance.random() < 0.8}
        return kept | {key: data(chance, 1) for key in KEYS if key not in value and chance.random() < 0.3}
    if isinstance(value, list):
        kept_items = [otherwise(each, chance) for each in value if chance.random() < 0.8]
        return [*kept_items, data(chance, 1)] if chance.random() < 0.3 else kept_items
    return chance.choice(SCALARS) if chance.random() < 0.2 else value


def laid_out(value: Any, margin: int, chance: random.Random) -> str:
    """Data behind its colon, in one line or in several, with comments."""
    if not value or not isinstance(value, dict | list) or chance.random() < 0.3:
        return f" {format_one_line(value)}{comment(chance)}"
    if isinstance(value, dict):
        lines = [f"{format_one_line(key)}:{laid_out(each, margin + 2, chance)}" for key, each in value.items()]
    else:
        lines = [f"-{laid_out(each, margin + 2, chance)}" for each in value]
    between = f"\n{' ' * margin}"
    return "".join(f"{between}# on it{between}{each}" if chance.random() < 0.2 else between + each for each in lines)


def comment(chance: random.Random) -> str:
    return "   # note" if chance.random() < 0.3 else ""
