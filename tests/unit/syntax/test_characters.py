"""Characters and sizes that no text may have."""

import pytest

from rulewright.base.source import Text
from rulewright.syntax.parser import parse_rules_text

HEAD = "term t() gives flag means "


def told(content: str) -> list[tuple[str, str, str]]:
    found = parse_rules_text(Text("a.rules", content)).diagnostics
    return [(each.code, each.message, each.help) for each in found]


@pytest.mark.parametrize(
    "content",
    [
        HEAD + "(" * 1_900_000,
        HEAD + "not " * 5000 + "a\n",
        HEAD + "1" + " + 1" * 500 + "\n",
        "term t() gives " + "set of " * 500 + "flag means a\n",
        "procedure p():\n" + "".join("  " * level + "if x:\n" for level in range(1, 300)),
    ],
    ids=["brackets", "not", "sum", "type", "blocks"],
)
def test_deep_texts_end_quickly(content: str) -> None:
    assert told(content) == [
        (
            "RW0147",
            "this nests deeper than 100 levels",
            "name a part of a long expression with `let` or `term`, or move inner blocks into a `procedure`",
        )
    ]


def test_large_texts_are_not_read() -> None:
    parsed = parse_rules_text(Text("a.rules", "(" * 10_000_000))
    assert parsed.file is None
    assert [each.message for each in parsed.diagnostics] == [
        "this text has 10,000,000 characters, and the limit is 2,000,000"
    ]
