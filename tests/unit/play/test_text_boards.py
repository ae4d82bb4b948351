"""Boards as text: in the manner of boards that states draw, with letters, facings, numbers and a legend."""

import pytest

from rulewright.play.grid_drawing import MAX_TEXT_HEIGHT, MAX_TEXT_WIDTH, draw_board, render_text_board
from rulewright.program.board_geometry import COORDINATE_SYSTEMS, convert_from_axial
from support.hex_map_example import RIVER, STATE, read_board, read_situation, write_rules

LEGEND = """\
  red: H hammer
  blue: g1 grunt_1, g2 grunt_2, g3 grunt_3, s scout
  # blocked; * town; ~ woods, height 2
"""
DRAWN = {
    "odd rows": """\
     0   1   2   3
  0  .   .   g1← .
  1    .   #   H→* s↘~
  2  g2← .       g3←
""",
    "even rows": """\
     0   1   2   3
  0    .   .   g1← .
  1  .   #   H→* s↘~
  2    g2← .       g3←
""",
    "odd columns": """\
     0   1   2   3
  0  .       g1↖
         .       .
  1  .       H↘*
         #       s↓~
  2  g2↖
         .       g3↖
""",
    "even columns": """\
     0   1   2   3
  0      .       .
     .       g1↖
  1      #       s↓~
     .       H↘*
  2      .       g3↖
     g2↖
""",
}


@pytest.mark.parametrize("way", DRAWN)
def test_hexes_stand_as_their_coordinates_say(way: str) -> None:
    state = f"{STATE}  coordinates: {way}\n{RIVER}"
    told = "".join(f"{line}\n" for line in render_text_board(read_board(state)))
    assert told == DRAWN[way] + LEGEND + "  river between 0,0 and 1,0\n"


def test_a_row_of_axial_hexes_begins_with_the_name_of_its_first() -> None:
    drawn = list(render_text_board(read_board(STATE.replace("at: [3, 1]", "at: [2, 1]"))))
    assert drawn[:3] == [
        "   0,0  .       .       g1←     .",
        "   0,1      .       #       H→/s↘*  ~",
        "  -1,2  g2←     .               g3←",
    ]


@pytest.mark.parametrize(("space", "drawn"), [("square", "g2← .       g3←"), ("square8", "g2↘ .       g3↘")])
def test_squares_stand_below_each_other(space: str, drawn: str) -> None:
    assert list(render_text_board(read_board(STATE, space)))[:4] == [
        "     0   1   2   3",
        f"  0  .   .   {drawn.replace('2', '1')[:3]} .",
        f"  1  .   #   H↑* {'s→' if space == 'square' else 's↗'}~",
        f"  2  {drawn}",
    ]


@pytest.mark.parametrize("way", COORDINATE_SYSTEMS)
@pytest.mark.parametrize("shape", ["{radius: 2}", "{rows: [3, 5, 1]}", "{cells: [[-3, -2], [4, 7], [0, 0]]}"])
def test_every_cell_is_drawn_once_and_touches_what_it_touches_on_the_map(way: str, shape: str) -> None:
    state = f"players: [red]\nunits: {{}}\nfield: {{coordinates: {way}, shape: {shape}}}\n"
    made = read_board(state)
    drawn = list(render_text_board(made))
    assert sum(line.split("  ", 2)[-1].count(".") for line in drawn) == len(made.cells)
    assert {made.column_and_row(each) for each in made.cells.values()} == set(made.cells)


def test_states_read_back_what_is_drawn() -> None:
    """Without blanks between cells and half hexes before them, a drawing is one that a state may hold."""
    state = "players: [red]\nunits: {}\nfield:\n  coordinates: odd rows\n  drawn: |\n    ..#.\n     ##.\n    #..\n"
    state += '  legend: {"#": {blocked: yes}}\n'
    rows = [line[5:] for line in render_text_board(read_board(state))][1:4]
    again = ["".join(row[half::2]) for half, row in zip((0, 1, 0), rows, strict=True)]
    assert again == ["..#.", " ##.", "#.."]


@pytest.mark.parametrize(("standing", "drawn"), [("scout", "H→/s↘*"), ("scout, away", "H→/s↘/1*")])
def test_a_stack_names_two_and_counts_the_rest(standing: str, drawn: str) -> None:
    state = STATE.replace("at: [3, 1]", "at: none").replace("h: [hammer,", f"h: [hammer, {standing},")
    assert drawn in list(render_text_board(read_board(state)))[1].split()


def test_many_sorts_of_ground_share_the_last_sign() -> None:
    cells = "".join(f'"{number},0": {{height: {number % 9 + 1}, blocked: {number > 8}}}, ' for number in range(18))
    state = f"players: [red]\nunits: {{}}\nfield: {{shape: {{columns: 18, rows: 1}}, cells: {{{cells}}}}}\n"
    drawn = " ".join(render_text_board(read_board(state.replace("True", "yes").replace("False", "no"))))
    assert drawn.endswith("? one of 6 other sorts of ground")
    assert drawn.split("  ")[2].split().count("?") == 6


def test_a_wide_board_shows_the_part_where_something_stands() -> None:
    state = "players: [red]\nunits: {hammer: {owner: red, at: [250, 120]}}\n"
    state += "field: {coordinates: odd rows, shape: {columns: 300, rows: 300}}\n"
    drawn = list(render_text_board(read_board(state), elsewhere="ask for more"))
    assert len(drawn) == MAX_TEXT_HEIGHT + 3
    assert max(map(len, drawn)) <= MAX_TEXT_WIDTH + 8
    assert "H→" in "\n".join(drawn)
    assert drawn[-1] == "  89,000 more cells have no room here; ask for more"


def test_a_part_lies_around_the_cell_that_is_asked_for() -> None:
    state = "players: [red]\nunits: {hammer: {owner: red, at: [250, 120]}}\n"
    state += "field: {coordinates: even columns, shape: {columns: 300, rows: 300}}\n"
    found, names = read_situation(state)
    made = draw_board(write_rules("hex").boards["field"], found, names)
    drawn = list(render_text_board(made, made.cells[0, 0]))
    assert drawn[0].split()[0] == "0"
    assert "H" not in "".join(drawn[:-1])
    assert drawn[-1].endswith("more cells and 1 thing have no room here")
    assert convert_from_axial(made.cells[0, 0], "even columns") == (0, 0)
