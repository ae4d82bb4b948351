"""What the words of a list are called, and how they may be written."""

import pytest

from rulewright.program.declarations import WordTitles


@pytest.mark.parametrize(
    ("titles", "called"),
    [
        (["Heavy blow", "1:2"], ("Heavy blow", "1:2")),
        (["", "Quick cut"], ("a", "Quick cut")),
        (["Sweep of the blade", "sweeps all around the blade"], ("Sweep of the blade", "b")),
        (["Retreat, then rally", "A"], ("a", "b")),
        (["Blow", "blow"], ("a", "b")),
        (["A", "a"], ("a", "b")),
        (["A", "none"], ("A", "b")),
    ],
)
def test_a_short_title_that_no_other_word_has_is_a_name(titles: list[str], called: tuple[str, ...]) -> None:
    assert WordTitles(["a", "b"], titles).display_names == called


def test_a_title_may_be_written_unless_it_stands_for_two_words_or_is_another_word() -> None:
    words = WordTitles(["a", "b", "c", "d", "e"], ["Blow", "Blow", "explains its word at length", "a", "yes"])
    assert words.spellings == {"explains its word at length": 2, "a": 0, "b": 1, "c": 2, "d": 3, "e": 4}
