import pytest

from support.duel_example import RunCommand

FOUND = """\
Knight.shield  attribute

duel.rules
     6  shield: flag = no
        is declared
    15  ask target.owner whether parry when target.shield "Parry?":
        is read
    16  set target.shield to no
        is changed

state.yaml
     4  mordred: {owner: blue, health: 2, shield: yes}
        is given a value

4 places in 2 files
"""


@pytest.mark.parametrize("spelt", ["shield", "Knight.shield", "Knight/shield", "duel.rules:16:20"])
def test_each_place_says_what_the_name_does_there(run: RunCommand, spelt: str) -> None:
    done = run("find", "duel.rules", spelt)
    assert (done.exit, done.err) == (0, "")
    assert done.out == FOUND


@pytest.mark.parametrize("spelt", ["nowhere.rules:1:1", "/", "@", ".", "#1", "a/b/c", "\u202e", "x" * 9000, "%s"])
def test_odd_targets_are_refused_in_words(run: RunCommand, spelt: str) -> None:
    done = run("find", "duel.rules", spelt)
    assert (done.exit, done.out) == (2, "")
    assert done.err.startswith("error RW")
