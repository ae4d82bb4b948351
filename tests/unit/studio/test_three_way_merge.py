"""Two texts made one: what both changed apart is kept, what touches is told."""

import pytest
from hypothesis import given, strategies as st

from rulewright.studio.files_api import MergeConflict, merge_three_way

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


@given(LINES, LINES)
def test_what_one_side_left_alone_is_what_the_other_made(base: str, other: str) -> None:
    for made in (
        merge_three_way(base, other, base),
        merge_three_way(base, base, other),
        merge_three_way(base, other, other),
    ):
        assert made is not None
        assert (made.text, made.conflicts) == (other, ())


@given(LINES, LINES, LINES)
def test_every_line_of_mine_is_in_the_text_and_what_is_lost_of_theirs_is_told(
    base: str, mine: str, theirs: str
) -> None:
    made = merge_three_way(base, mine, theirs)
    assert made is not None
    left = made.text.splitlines()
    known = set(base.splitlines()) | {line for each in made.conflicts for line in each.theirs.splitlines()}
    assert {line for line in theirs.splitlines() if line not in known} <= set(left)
    kept = set(base.splitlines())
    assert {line for line in mine.splitlines() if line not in kept} <= set(left)


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "text"),
    [
        ("1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n", "one\n2\nthree\n"),
        ("1\n2\n", "0\n1\n2\n", "1\n2\n3\n", "0\n1\n2\n3\n"),
        ("1\n2\n3\n", "1\n3\n", "1\n2\n3\n4\n", "1\n3\n4\n"),
        ("1\n2", "1\n2\n", "0\n1\n2", "0\n1\n2\n"),
        ("", "mine\n", "", "mine\n"),
    ],
)
def test_changes_apart_are_both_made(base: str, mine: str, theirs: str, text: str) -> None:
    made = merge_three_way(base, mine, theirs)
    assert made is not None
    assert (made.text, made.conflicts) == (text, ())


def test_changes_that_touch_are_told_with_what_both_wrote() -> None:
    made = merge_three_way("1\n2\n3\n", "1\nmine\n3\n", "1\ntheirs\n3\n")
    assert made is not None
    assert made.text == "1\nmine\n3\n"
    assert made.conflicts == (MergeConflict(2, "mine\n", "theirs\n", "2\n"),)


def test_texts_beyond_measure_are_not_compared() -> None:
    assert merge_three_way("\n" * 20_001, "", "") is None
