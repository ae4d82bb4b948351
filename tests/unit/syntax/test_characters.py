"""Characters and sizes that no text may have."""

import pytest

from rulewright.base.source import Text
from rulewright.syntax.parser import parse_rules_text

HEAD = "term t() gives flag means "


def told(content: str) -> list[tuple[str, str, str]]:
    found = parse_rules_text(Text("a.rules", content)).diagnostics
    return [(each.code, each.message, each.help) for each in found]


@pytest.mark.parametrize(
    ("content", "code", "message", "remedy"),
    [
        ("# a\u202eb\n", "RW0142", "the character U+202E reverses the text that people see", "delete it"),
        ('void "a\u200bb" @1\n', "RW0142", "the character U+200B is invisible", "delete it"),
        ("game:\n  a:\u00a0flag\n", "RW0142", "the character U+00A0 only looks like a space", "write a plain space"),
        ("game:\n  a: flag\x07\n", "RW0144", "the character U+0007 cannot be printed", "delete it"),
        (
            "game:\n\ta: flag\n\tb: flag\n",
            "RW0148",
            "2 lines are indented with tabs",
            "indent with two spaces for each level; `rulewright fmt` does it",
        ),
        (HEAD + "h\u0435alth\n", "RW0143", "`h\u0435alth` has the letter `\u0435` (U+0435)", "write `health`"),
        (HEAD + "caf\u00e9\n", "RW0143", "`caf\u00e9` has the letter `\u00e9` (U+00E9)", "write `cafe`"),
        (HEAD + "\u201cx\u201d\n", "RW0145", "`\u201c` is a curly quote", 'write the straight quote `"`'),
        (HEAD + '"x\n', "RW0146", "this text has no closing quote", 'close it with `"` on the same line'),
        (
            HEAD + "9" * 101 + "\n",
            "RW0149",
            "this number has 101 digits, and the limit is 100",
            "write a smaller number",
        ),
        (
            HEAD + "a ^ b\n",
            "RW0150",
            "`^` has no meaning here",
            "leave it out, or write the sign or word that is meant",
        ),
    ],
)
def test_characters(content: str, code: str, message: str, remedy: str) -> None:
    assert told(content) == [(code, message, remedy)]


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


def test_titles_and_comments_may_hold_any_letter() -> None:
    assert told('void "Überfall — ça suffit" @1  # naïve\n') == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kind Un\u200bit, units:\n  a\u200b: flag\n", "the character U+200B is invisible, here and in 1 other place"),
        ("game:\r  a: flag\r", "the character U+000D alone ends no line, here and in 1 other place"),
        ("game: \x07\n  a: \x07 flag \x07\n", "the character U+0007 cannot be printed, here and in 2 other places"),
    ],
)
def test_a_character_is_told_once_and_is_cause_enough(content: str, message: str) -> None:
    assert [each[1] for each in told(content)] == [message]


def test_mistakes_of_other_lines_are_told_beside_a_character() -> None:
    assert [each[0] for each in told("game: \x07\n  a: flag\nkund Unit, units:\n  a: flag\n")] == ["RW0144", "RW0128"]
