"""Boards laid out on pages: cells where they touch, counters, sides, the plane to scale, the search for a place."""

from itertools import combinations
from math import dist, sqrt
from xml.etree import ElementTree as ET

import pytest

from rulewright.base.source import Text
from rulewright.documents.name_table import NameTable
from rulewright.documents.state_file import read_state
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.board_svg import lay_out_board
from rulewright.play.grid_drawing import answer_marks, draw_board
from rulewright.play.plane_drawing import draw_plane, find_point, lay_out_plane, search_placement
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, begin_inline
from rulewright.program.board_geometry import COORDINATE_SYSTEMS
from rulewright.program.types import GRID_STEPS
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.run import Paused
from rulewright.runtime.state import Situation
from support.hex_map_example import RIVER, STATE, read_board, read_situation, write_rules
from support.revision_pairs import check_text

WIDE = 48 * sqrt(3)
_NAMESPACE = "{http://www.w3.org/2000/svg}"


def parse_svg(svg: str, tag: str) -> list[dict[str, str]]:
    """The attributes of all elements of a tag, in order."""
    return [each.attrib for each in ET.fromstring(svg).iter(f"{_NAMESPACE}{tag}")]  # noqa: S314 - our own


def list_texts(svg: str) -> list[str | None]:
    return [each.text for each in ET.fromstring(svg).iter(f"{_NAMESPACE}text")]  # noqa: S314 - our own


def frame_size(svg: str) -> tuple[float, float]:
    frame = next(each for each in parse_svg(svg, "rect") if each.get("class") == "field")
    return float(frame["width"]), float(frame["height"])


@pytest.mark.parametrize("way", COORDINATE_SYSTEMS)
def test_neighbours_touch_and_nothing_else_does(way: str) -> None:
    cells = "[[0, 0], [0, 1], [1, 0], [1, 1], [2, 1], [0, 2], [1, 2]]"
    made = read_board(f"players: [red]\nunits: {{}}\nfield: {{coordinates: {way}, shape: {{cells: {cells}}}}}\n")
    page = lay_out_board(made)
    where = page.cells
    called = {made.cell_key(each): each for each in made.cells.values()}
    for one, other in combinations(where, 2):
        touches = (called[one][0] - called[other][0], called[one][1] - called[other][1]) in GRID_STEPS["hex"]
        apart = dist(where[one], where[other])
        assert (apart == pytest.approx(WIDE, abs=0.2)) == touches
        assert apart > WIDE - 0.2


def test_a_side_lies_on_the_edge_between_its_cells() -> None:
    page = lay_out_board(read_board(f"{STATE}  coordinates: odd rows\n{RIVER}"))
    side, sample = (each for each in parse_svg(page.svg, "line") if "side" in each["class"])
    assert float(sample["y1"]) == float(sample["y2"])
    middles = page.cells
    ends = [(float(side["x1"]), float(side["y1"])), (float(side["x2"]), float(side["y2"]))]
    assert dist(*ends) == pytest.approx(48, abs=0.2)
    for end in ends:
        assert dist(end, middles["0,0"]) == pytest.approx(48, abs=0.2)
        assert dist(end, middles["1,0"]) == pytest.approx(48, abs=0.2)


@pytest.mark.parametrize("space", GRID_STEPS)
def test_pointers_point_at_the_neighbour_that_is_faced(space: str) -> None:
    made = read_board(STATE, space)
    page = lay_out_board(made)
    where = page.cells
    for cell, spot in made.contents.items():
        for figure in spot.figures:
            ahead = tuple(a + b for a, b in zip(cell, GRID_STEPS[space][figure.facing], strict=True))
            neighbour = where.get(made.cell_key((ahead[0], ahead[1])))
            if neighbour is not None:
                before = page.svg.partition(f'<g data-thing="{figure.id}">')[0]
                pointer = before.rpartition('<polygon points="')[2]
                tip = tuple(map(float, pointer.split()[0].split(",")))
                assert dist(tip, neighbour) < dist(where[made.cell_key(cell)], neighbour) - 15


def test_a_page_is_well_formed_whatever_is_written() -> None:
    state = STATE.replace("[red, blue]", "[red, blue, green, white, black, pink]")
    found, names = read_situation(state)
    made = draw_board(write_rules("hex").boards["field"], found, names, {(0, 0): "1", (0, 1): "-"})
    texts = list_texts(lay_out_board(made).svg)
    assert "an answer, by its number" in texts
    assert "cannot be answered" in texts


def test_a_page_has_at_most_sixty_columns_and_rows() -> None:
    page = lay_out_board(read_board("players: [red]\nunits: {}\nfield: {shape: {columns: 300, rows: 300}}\n"))
    assert len(page.cells) == 3600
    assert list_texts(page.svg)[-1] == "86,400 more cells are not drawn"


PLANE = """\
ruleset yard "Yard" revision "1"
kind Mini, minis:
  owner: player
  at: point?
  facing: angle = 0
  base: shape
kind Wall, walls:
  outline: polygon
board yard of plane
procedure charge(m: Mini) "Charge":
  step 1 "Go":
    ask m.owner to place m as spot "Where?":
      require near: distance(spot, m) <= 2 "at most two inches"
      place m at spot
    else:
      nothing
"""
THINGS = """\
players: [red, blue]
minis:
  rook: {owner: red, at: [3, 2], base: {round: 1}}
  tank: {owner: blue, at: [6, 5], facing: 90, base: {width: 2, length: 4}}
  away: {owner: blue, at: none, base: {round: 1}}
walls:
  low: {outline: [[1, 4], [3, 4], [3, 5]]}
"""


def plane(state: str, rules: str = PLANE) -> tuple[Situation, NameTable]:
    rules_ = check_text(rules)
    found = read_state(Text("state.yaml", state), rules_).value
    assert found is not None
    return found, NameTable(rules_, found.base)


def test_a_plane_in_millimetres_is_marked_in_tens() -> None:
    things = "players: [red]\nminis: {rook: {owner: red, at: [75, 50], base: {round: 25}}}\nwalls: {}\n"
    found, names = plane(f"{things}yard: {{width: 250, depth: 200}}\n", PLANE.replace("of plane", "of plane in mm"))
    page = lay_out_plane(draw_plane(names.program.boards["yard"], found, names))
    assert frame_size(page.svg) == (400, 320)
    assert list_texts(page.svg)[:6] == ["0", "20", "40", "60", "80", "100"]
    near = lay_out_plane(draw_plane(names.program.boards["yard"], found, names, around="rook"))
    assert frame_size(near.svg) == (640, 640)


def test_bases_are_drawn_to_scale_and_upwards_is_up() -> None:
    found, names = plane(f"{THINGS}yard: {{width: 10, depth: 8}}\n")
    page = lay_out_plane(draw_plane(names.program.boards["yard"], found, names))
    assert frame_size(page.svg) == (400, 320)
    rook = next(each for each in parse_svg(page.svg, "circle") if each["class"] == "body")
    assert tuple(float(rook[name]) for name in ("cx", "cy", "r")) == (38 + 120, 16 + 320 - 80, 20)
    wall, _, pointer, tank = parse_svg(page.svg, "polygon")
    corners = [tuple(map(float, each.split(","))) for each in tank["points"].split()]
    assert {x for x, _ in corners} == {38 + 160, 38 + 320}
    assert {y for _, y in corners} == {16 + 320 - 240, 16 + 320 - 160}
    assert float(pointer["points"].split(",")[0]) == 38 + 320 + 9
    assert wall["class"] == "wall"
    assert list_texts(page.svg)[-3:] == ["red: R rook", "blue: t tank", "low"]


@pytest.mark.parametrize("far", [10, 1_000, 9_000])
def test_a_wide_plane_has_few_lines(far: int) -> None:
    state = THINGS.replace("[6, 5]", f"[{far}, 5]")
    found, names = plane(state)
    page = lay_out_plane(draw_plane(names.program.boards["yard"], found, names))
    grid = next(each for each in parse_svg(page.svg, "path") if each["class"] == "frame")
    assert grid["d"].count("M") < 150
    assert float(ET.fromstring(page.svg).attrib["width"]) < 900  # noqa: S314 - our own
    assert len(page.svg) < 15_000


def test_an_empty_plane_is_drawn() -> None:
    found, names = plane("players: [red]\nminis: {}\nwalls: {}\n")
    assert list_texts(lay_out_plane(draw_plane(names.program.boards["yard"], found, names)).svg)


@pytest.mark.parametrize(("written", "point"), [("3.5, 2", (3500, 2000)), ("tank", (6000, 5000)), ("away", None)])
def test_a_part_lies_around_a_point_or_a_thing(written: str, point: tuple[int, int] | None) -> None:
    found, names = plane(THINGS)
    assert find_point(written, draw_plane(names.program.boards["yard"], found, names).placed_figures) == point


@pytest.mark.parametrize("written", ["", "1,2,3", "nan,1", "inf,1", "1e400 2", "x,y", "['"])
def test_what_is_no_point_is_none(written: str) -> None:
    assert find_point(written, ()) is None


def test_the_search_tells_legal_places_from_others() -> None:
    found, names = plane(THINGS)
    begun = PlayStart(
        compile_program(names.program, traced=False), names.program.procedures["charge"], found, (0,), RunLimits()
    )
    session = begin_inline(begun, AnswerSourceChain(names, SeededRandom(0)))
    assert isinstance(session.outcome, Paused)
    search = search_placement(session.outcome.request, found, names)
    assert search is not None
    assert search.base is not None
    assert all(dist(each, (3000, 2000)) <= 2000.5 for each in search.legal)
    assert all(dist(each, (3000, 2000)) > 2000.4 for each in search.refused)
    assert len(search.legal) > 20
    assert answer_marks(session.outcome.request, session.start.names) == {}
