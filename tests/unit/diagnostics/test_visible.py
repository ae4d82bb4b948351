import pytest

from rulewright.diagnostics.terminal import columns, visible, visible_lines


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
    assert visible(text) == shown


def test_line_ends_stay_where_they_may() -> None:
    assert visible_lines("a\n\x07") == "a\n<U+0007>"


def test_columns_of_a_terminal() -> None:
    assert [columns(each) for each in ("abc", "界", "e\u0301")] == [3, 2, 1]
