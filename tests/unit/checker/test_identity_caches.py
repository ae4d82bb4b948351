"""A memory by identity gives what the function gives, and holds what it remembers."""

from rulewright.base.source import Span
from rulewright.checker.read_sets import cache_by_identity, rotate_identity_caches


def test_the_same_value_is_asked_about_once() -> None:
    asked: list[Span] = []

    @cache_by_identity(most=10)
    def start(span: Span) -> int:
        asked.append(span)
        return span.start

    one, like = Span("a", 1, 2), Span("a", 1, 2)
    assert [start(one), start(one), start(like)] == [1, 1, 1]
    assert len(asked) == 2


def test_every_value_counts() -> None:
    @cache_by_identity(most=10)
    def both(first: Span, second: Span) -> int:
        return first.start * 10 + second.start

    one, two = Span("a", 1, 2), Span("a", 2, 3)
    assert [both(one, two), both(two, one), both(one, two)] == [12, 21, 12]


def test_a_place_taken_again_is_no_old_answer() -> None:
    @cache_by_identity(most=3)
    def start(span: Span) -> int:
        return span.start

    assert [start(Span("a", number, 9)) for number in range(100)] == list(range(100))


def test_what_the_last_two_checks_did_not_want_is_let_go() -> None:
    asked: list[int] = []

    @cache_by_identity(most=10)
    def start(span: Span) -> int:
        asked.append(span.start)
        return span.start

    wanted, once = Span("a", 1, 9), Span("a", 2, 9)
    start(once)
    for _ in range(3):
        start(wanted)
        rotate_identity_caches()
    start(wanted)
    start(once)
    assert asked == [2, 1, 2]
