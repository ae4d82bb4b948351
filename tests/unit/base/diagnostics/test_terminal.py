import pytest

from rulewright.base.diagnostics import count_columns, make_lines_visible, make_visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [red]", "plain [red]"),
        ("é 界", "é 界"),
        ("a\tb", "a    b"),
        ("\x1b[31m", "<U+001B>[31m"),
        ("a\u202eb", "a<U+202E>b"),
        ("\ud800", "<U+D800>"),
        ("a\nb", "a<U+000A>b"),
        ("\x9b", "<U+009B>"),
    ],
)
def test_nothing_invisible_is_left(text: str, shown: str) -> None:
    assert make_visible(text) == shown


def test_line_ends_stay_where_they_may() -> None:
    assert make_lines_visible("a\n\x07") == "a\n<U+0007>"


def test_columns_of_a_terminal() -> None:
    assert [count_columns(each) for each in ("abc", "界", "e\u0301")] == [3, 2, 1]
