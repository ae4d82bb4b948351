import pytest

from support.duel_example import RunCommand


@pytest.mark.parametrize("spelt", ["nowhere.rules:1:1", "/", "@", ".", "#1", "a/b/c", "\u202e", "x" * 9000, "%s"])
def test_odd_targets_are_refused_in_words(run: RunCommand, spelt: str) -> None:
    done = run("find", "duel.rules", spelt)
    assert (done.exit, done.out) == (2, "")
    assert done.err.startswith("error RW")
