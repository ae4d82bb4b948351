"""Letters of things, and whose they are."""

import pytest

from rulewright.base.source import Text
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_file import read_state
from rulewright.play.board_drawing_parts import FigureOwners, assign_letters, find_owner
from rulewright.play.board_svg import choose_grounds, find_terrain
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


@pytest.mark.parametrize(
    ("players", "colours"),
    [
        (("red", "blue"), ["red", "blue"]),
        (("Blue", "Red"), ["blue", "red"]),
        (("north", "south"), ["red", "blue"]),
        (("north", "red", "south"), ["blue", "red", "green"]),
        (("a", "b", "c", "d", "e"), ["red", "blue", "green", "yellow", "nobody"]),
    ],
)
def test_a_side_has_the_colour_it_is_called_by_or_the_next(players: tuple[str, ...], colours: list[str]) -> None:
    assert [FigureOwners(players).side_colour(number) for number in range(len(players))] == colours
    assert FigureOwners(players).side_colour(None) == "nobody"


def test_terrain_is_drawn_by_its_name_and_other_ground_by_the_next_free_pattern() -> None:
    words = {1: "dark woods", 2: "height 2", 3: "costs dice", 4: "stops movement", 5: "woods, river"}
    grounds = choose_grounds(words)
    assert [find_terrain(item) for item in words.values()] == ["woods", "hills", "", "", "water"]
    assert [(ground.key, ground.terrain, ground.free) for ground in grounds] == [
        (1, "woods", 0),
        (2, "hills", 0),
        (3, "", 0),
        (4, "", 1),
        (5, "water", 0),
    ]
    assert [ground.again for ground in choose_grounds({1: "town 1", 2: "town 3"})] == [0, 1]
