"""Letters of things, and whose they are."""

import pytest

from rulewright.base.source import Text
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_file import read_state
from rulewright.play.board_drawing_parts import assign_letters, find_owner
from support.revision_pairs import check_text


@pytest.mark.parametrize(
    ("ids", "called"),
    [
        (["hammer", "anvil"], ["H", "A"]),
        (["s1", "s2", "g1"], ["S1", "S2", "G1"]),
        (["grunt_1", "grunt_2", "gun"], ["G1", "G2", "GU"]),
        (["hammer", "horse", "host"], ["HA", "HO", "HS"]),
        (["bow", "BOW2", "bo"], ["BW", "B2", "BO"]),
        (["unit_1", "UNIT_1"], ["U1", "UN"]),
        (["1st", "2nd", "9", "_"], ["S", "N", "X9", "X1"]),
        (["aa", "aA", "a"], ["AA", "A1", "A"]),
    ],
)
def test_a_letter_or_two(ids: list[str], called: list[str]) -> None:
    found = assign_letters(ids)
    assert list(found) == called
    assert len({each.upper() for each in found}) == len(ids)


def test_letters_differ_however_many_there_are() -> None:
    assert len(set(assign_letters([f"unit_{number}" for number in range(3000)]))) == 3000


KINDS = """\
ruleset example "Example" revision "1"
kind Band, bands:
  owner: player
kind Mini, minis:
  band: Band
  owner means band.owner
kind Scout, scouts:
  from: player?
kind Spy, spies:
  works_for: player
  watches: player
kind Ghost, ghosts:
  band: Band?
  owner means worth(self)
term worth(g: Ghost) gives player? means none
board field of hex
"""
STATE = """\
players: [red, blue]
bands: {reds: {owner: red}, blues: {owner: blue}}
minis: {m: {band: blues}}
scouts: {s: {from: blue}, t: {from: none}}
spies: {x: {works_for: red, watches: blue}}
ghosts: {g: {band: reds}}
field: {shape: {radius: 1}}
"""


@pytest.mark.parametrize(
    ("kind", "number", "whose"),
    [("Mini", 0, 1), ("Scout", 0, 1), ("Scout", 1, None), ("Spy", 0, None), ("Ghost", 0, None)],
)
def test_the_owner_is_read_and_never_guessed(kind: str, number: int, whose: int | None) -> None:
    rules = check_text(KINDS)
    found = read_state(Text("state.yaml", STATE), rules).value
    assert found is not None
    assert find_owner(kind, number, found, NameTable(rules, found.base)) == whose
