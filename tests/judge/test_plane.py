"""Geometry of the machine and of the judge, on bodies drawn at random: touching ones, shared edges and corners among them."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from rulewright.runtime import geometry
from support.random_bodies import draw_base, draw_base_beside, draw_body, draw_point, draw_polygon
from support.reference import area_overlap, plane_geometry
from support.reference.plane_geometry import Body

DEGREES = (0, 45, 90, 180, 270, 359, 360, Fraction(1, 3), Fraction(361, 2))


def compare_gaps(draw: Random) -> None:
    (a, first), (b, second) = draw_body(draw), draw_body(draw)
    gap = plane_geometry.measure_gap(first, second)
    assert geometry.measure_gap(a, b) == geometry.measure_gap(b, a) == gap
    assert [geometry.is_within_reach(a, b, reach) for reach in (gap - 1, gap, gap + 1)] == [False, True, True]


def compare_bases_that_all_but_touch(draw: Random) -> None:
    a, first = draw_base(draw, draw_point(draw, 4000))
    if first.radius is not None:
        b, second = draw_base_beside(draw, first)
        gap, overlap = geometry.measure_gap(a, b), geometry.do_outlines_overlap(a, b)
        assert gap == plane_geometry.measure_gap(first, second) <= 24
        assert overlap == area_overlap.do_areas_overlap(first, second)
        assert not (overlap and gap > 0)


def compare_bearings(draw: Random) -> None:
    (_, a), (_, b) = draw_base(draw, draw_point(draw, 4000)), draw_base(draw, draw_point(draw, 4000), 1)
    if a.middle != b.middle:
        found = geometry.bearing_of_vector(b.middle[0] - a.middle[0], b.middle[1] - a.middle[1])
        assert found == plane_geometry.measure_bearing(a, b)


def compare_overlaps(draw: Random) -> None:
    (a, first), (b, second) = draw_body(draw, 2500), draw_body(draw, 2500)
    expected = area_overlap.do_areas_overlap(first, second)
    assert geometry.do_outlines_overlap(a, b) == geometry.do_outlines_overlap(b, a) == expected, (a, b)


def compare_shared_corners_and_edges(draw: Random) -> None:
    area, first = draw_polygon(draw, 1000)
    if not geometry.is_simple_polygon(area):
        return
    x_, y_ = draw.choice(((0, 0), (1000, 0), (500, -500), (0, 1)))
    turned = tuple((x + x_, y + y_) for x, y in draw.choice((area, area[1:] + area[:1], area[::-1])))
    other = turned if draw.random() < 0.7 else turned[: max(2, len(turned) - 1)]
    if geometry.is_simple_polygon(other):
        second = Body(None, other[0], 0, None, other)
        overlap = geometry.do_outlines_overlap(area, other)
        assert overlap == area_overlap.do_areas_overlap(first, second), (area, other)
        if len(area) > 2 and len(other) > 2:
            assert geometry.is_wholly_within(area, other) == area_overlap.lies_within(first, second), (area, other)
        assert geometry.measure_gap(area, other) == 0 or not overlap


def compare_one_within_the_other(draw: Random) -> None:
    (a, first), (b, second) = draw_base(draw, draw_point(draw, 800)), draw_body(draw, 800)
    if len(second.corners) != 2:
        assert geometry.is_wholly_within(a, b) == area_overlap.lies_within(first, second), (a, b)


def compare_arcs(draw: Random) -> None:
    (_, first), (b, second) = draw_base(draw, draw_point(draw, 2500)), draw_body(draw, 2500)
    degrees = draw.choice(DEGREES)
    found = geometry.is_in_arc(first.middle, first.facing, degrees, b)
    assert found == area_overlap.is_in_arc(first, second, degrees), (first, second, degrees)


def compare_sight(draw: Random) -> None:
    (_, first), (b, second) = draw_base(draw, draw_point(draw, 3000)), draw_body(draw, 3000)
    walls = [area for area, _ in (draw_polygon(draw, 3000) for _ in range(3)) if geometry.is_simple_polygon(area)]
    found = geometry.has_clear_sight(first.middle, b, second.middle, walls)
    assert found == area_overlap.has_line_of_sight(first, second, walls), (first, second, walls)


COMPARISONS = [
    compare_gaps, compare_bases_that_all_but_touch, compare_bearings, compare_overlaps, compare_shared_corners_and_edges,
    compare_one_within_the_other, compare_arcs, compare_sight,
]  # fmt: skip


@pytest.mark.parametrize("compare", COMPARISONS, ids=lambda each: each.__name__.removeprefix("compare_"))
def test_machine_and_judge_measure_alike(compare: Callable[[Random], None]) -> None:
    draw = Random(1)
    for _ in range(200):
        compare(draw)


def test_nothing_is_inside_a_line() -> None:
    assert geometry.measure_gap((-110, 477, 500), ((1000, 1000), (2000, -1000))) == 727


@pytest.mark.parametrize(
    ("above", "below", "root"), [(0, 1, 0), (1, 4, 1), (6, 1, 2), (7, 1, 3), (9, 4, 2), (25, 4, 3), (2, 9, 0)]
)
def test_roots_round_halves_up(above: int, below: int, root: int) -> None:
    assert geometry.round_root(above, below) == root


@pytest.mark.parametrize(
    ("area", "simple"),
    [
        (((0, 0), (4, 0), (4, 4)), True),
        (((0, 0), (4, 4), (4, 0), (0, 4)), False),
        (((0, 0), (4, 0), (2, 0)), False),
        (((0, 0), (4, 0), (4, 4), (4, 0), (0, 4)), False),
        (((0, 0), (4, 0), (4, 4), (2, 0), (0, 4)), False),
        (((0, 0), (4, 0), (4, 4), (2, 1), (0, 4)), True),
    ],
)
def test_polygons_that_cross_themselves(area: geometry.Area, simple: bool) -> None:
    assert geometry.is_simple_polygon(area) == simple
