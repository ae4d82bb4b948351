"""The functions of the language: what the manual lists, and what calls are checked against.

Their types are inferred in `analysis.infer.calls`, which has a rule for each.
"""

from itertools import groupby

from rulewright.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language.

    Attributes:
        name: as it is called.
        arguments: as a designer would declare them; `…` where there may be more.
        result: the type of the result.
        meaning: one sentence.
        example: an expression with a call.
        group: the heading under which the manual lists it.
    """

    name: str
    arguments: str
    result: str
    meaning: str
    example: str
    group: str


def _group(group: str, *rows: tuple[str, str, str, str, str]) -> tuple[Function, ...]:
    return tuple(Function(*row, group) for row in rows)


FUNCTIONS: tuple[Function, ...] = (
    *_group(
        "Numbers",
        ("abs", "n: number", "number", "The number without its sign.", "abs(u.morale - t.morale)"),
        (
            "sign",
            "n: number",
            "-1..1",
            "-1, 0 or 1: whether a number is below, at or above zero.",
            "sign(u.morale - 5)",
        ),
        ("floor", "n: fraction", "whole number", "The greatest whole number not above it.", "floor(u.speed / 2)"),
        ("ceiling", "n: fraction", "whole number", "The least whole number not below it.", "ceiling(n / 3)"),
        ("round", "n: fraction", "whole number", "The nearest whole number; halves go away from zero.", "round(n / 2)"),
        (
            "min",
            "a: number, b: number, …",
            "number",
            "The least; also of a collection, or of `each`.",
            "min(n, u.morale)",
        ),
        (
            "max",
            "a: number, b: number, …",
            "number",
            "The greatest; also of a collection, or of `each`.",
            "max(0, n - 3)",
        ),
        (
            "sum",
            "S: collection of numbers",
            "number",
            "All members added; also of `each`.",
            "sum(each x in units: x.morale)",
        ),
    ),
    *_group(
        "Collections",
        (
            "count",
            "S: collection",
            "whole number",
            "How many members; also of `each`.",
            "count(each x in units where x.strong)",
        ),
        ("other", "x: T, S: set of T", "T", "The member that is not `x` of a set of two.", "other(u, {u, t})"),
        (
            "pairs",
            "A: collection, B: collection",
            "set of (A, B)",
            "Every pair, a thing with itself too.",
            "pairs(units, units)",
        ),
        (
            "position",
            "x: T, L: list of T",
            "whole number",
            "The place of the first `x`, counted from 1; it must be there.",
            "position(u, waiting)",
        ),
        (
            "starting_with",
            "S: collection of T, x: T",
            "list of T",
            "The members in turn, beginning with `x`.",
            "starting_with(players, u.owner)",
        ),
        (
            "sorted",
            "S: collection of T",
            "list of T",
            "Numbers or words from the highest to the lowest; equal ones stand side by side.",
            "sorted([each x in units: x.morale])",
        ),
        (
            "connected",
            "x: T, r: relation",
            "set of T",
            "`x` and all that the relation links to it, over any number of links.",
            "connected(u, melee)",
        ),
        ("removed", "plural", "set of things", "The things of a kind that are out of play.", "count(removed(units))"),
        (
            "along",
            "w: word, n: whole number",
            "word",
            "The word `n` places further in its list, stopping at its ends.",
            "along(u.health, 1)",
        ),
    ),
    *_group(
        "Dice",
        ("total", "p: pool", "whole number", "The faces of the kept dice added.", "total(check) >= 10"),
        ("highest_face", "d: die", "whole number", "The highest face a die can show.", "d.natural = highest_face(d)"),
    ),
    *_group(
        "Boards of hexes and squares",
        ("neighbours", "c: cell", "set of cells", "The cells next to it that are on the board.", "neighbours(u.at)"),
        (
            "distance",
            "a: cell, b: cell",
            "whole number",
            "The fewest steps from one cell to the other.",
            "distance(u.at, t.at) <= 3",
        ),
        ("adjacent", "a: cell, b: cell", "flag", "Whether the cells are next to each other.", "adjacent(u.at, t.at)"),
        (
            "direction",
            "a: cell, b: cell",
            "direction",
            "The direction in which `b` lies from `a`; of two equally near that before the other, clockwise.",
            "direction(u.at, t.at)",
        ),
        (
            "directions",
            "",
            "set of directions",
            "All directions, clockwise from 0.",
            "every way in directions(): step(u.at, way) in field",
        ),
        (
            "step",
            "c: cell, d: direction",
            "cell",
            "The next cell in a direction; it may lie off the board.",
            "step(u.at, u.facing) in field",
        ),
        (
            "toward",
            "a: cell, b: cell",
            "set of cells",
            "The neighbours of `a` that are nearer to `b`.",
            "toward(u.at, t.at)",
        ),
        (
            "occupants",
            "c: cell",
            "set of things",
            "The things in play whose `at` is the cell.",
            "no x in occupants(t.at)",
        ),
        (
            "rear_hexes",
            "c: cell, facing: direction",
            "set of cells",
            "The neighbours behind that are on the board: three, of a `square` one.",
            "rear_hexes(u.at, u.facing)",
        ),
        (
            "side",
            "a: cell, b: cell",
            "side",
            "The side between two neighbours, for its attributes.",
            "side(u.at, t.at).wall",
        ),
        ("hex", "q: whole number, r: whole number", "hex", "The hex of these axial coordinates.", "hex(0, 0) in field"),
        ("square", "x: whole number, y: whole number", "square", "The square of these coordinates.", "square(1, 1)"),
        (
            "square8",
            "x: whole number, y: whole number",
            "square8",
            "The square of these coordinates, on a board whose squares touch by corners too.",
            "square8(1, 1)",
        ),
    ),
    *_group(
        "Plane",
        ("point", "x: inches, y: inches", "point", "The point of these coordinates.", "distance(m, point(6, 1.5)) < 4"),
        (
            "distance",
            "a: spot, b: spot",
            "inches",
            "From middle to middle; a fault where one is off the board.",
            "distance(m, foe.at) <= 6",
        ),
        (
            "gap",
            "a: body, b: body",
            "inches",
            "The shortest way from edge to edge, 0 where they meet; a fault where one is off the board.",
            "gap(m, foe) <= m.reach",
        ),
        (
            "bearing",
            "a: spot, b: spot",
            "angle",
            "The direction from the middle of `a` to the middle of `b`; a fault where they are one point.",
            "bearing(m, foe) = m.facing",
        ),
        (
            "contact",
            "a: base, b: base",
            "flag",
            "Whether two bases touch: their gap is at most the tolerance of the board. No thing touches itself.",
            "some x in minis where contact(m, x)",
        ),
        (
            "touches",
            "a: base, b: body",
            "flag",
            "Whether a base touches a polygon or another body: their gap is at most the tolerance of the board.",
            "some w in walls where touches(m, w.outline)",
        ),
        (
            "overlaps",
            "a: body, b: body",
            "flag",
            "Whether one lies over the other by more than an edge.",
            "some w in walls where overlaps(m, w.outline)",
        ),
        (
            "aboard",
            "a: base, b: base or polygon",
            "flag",
            "Whether `a` lies wholly within `b`, edges included.",
            "aboard(m, foe)",
        ),
        (
            "fits",
            "spot: pose",
            "flag",
            "Whether the base lies on the board and over no other base; polygons are not in its way.",
            "fits(m.pose)",
        ),
        (
            "segment",
            "a: spot, b: spot",
            "polygon",
            "The line from middle to middle, a polygon of two points; a fault where one is off the board.",
            "gap(foe, segment(m, point(0, 0))) > 1",
        ),
        (
            "edge",
            "m: base, way: angle",
            "polygon",
            "The edge of a rectangular base that lies this way from its facing, 90 on its right; else a fault.",
            "gap(foe, edge(m, 180)) <= 1",
        ),
        (
            "crosses",
            "line: polygon, area: polygon",
            "flag",
            "Whether a line goes through the inside of a polygon, or across another line.",
            "some w in walls where crosses(segment(m, foe), w.outline)",
        ),
        (
            "in_arc",
            "a: base, b: body, degrees: number",
            "flag",
            "Whether any part of `b` lies in the arc of so many degrees around the facing of `a`, from its middle.",
            "in_arc(m, foe, 90)",
        ),
        (
            "sees",
            "a: spot, b: body, walls: set of polygon",
            "flag",
            "Whether a line from middle to middle, or to an outermost point or corner of `b`, goes through no polygon.",
            "sees(m, foe)",
        ),
        (
            "poses",
            "m: thing with a base",
            "set of pose",
            "All poses of a base, after `some` or `no` only: judged by a search that may miss one.",
            "some p in poses(m) where contact(p, foe)",
        ),
    ),
)

NAMES = frozenset(each.name for each in FUNCTIONS)


def builtins_page() -> str:
    """The page as Markdown: a table for each group of functions."""
    groups = (_section(name, list(rows)) for name, rows in groupby(FUNCTIONS, key=lambda each: each.group))
    return "# Functions of the language\n\n" + _OPENING + "".join(groups)


_OPENING = """\
Everything here is called in expressions, `name(…)`, and changes nothing. A *number* is a whole number or a fraction, a
*cell* a `hex`, `square` or `square8`; `T` stands for any type. On the plane a *base* is a thing with a base or a pose,
a *body* a base, a point or a polygon, a *spot* a thing, a pose or a point. `count`, `sum`, `min` and `max` also take
`each x in S where C: value`.
"""


def _section(name: str, rows: list[Function]) -> str:
    lines = "".join(_row(row) for row in rows)
    return f"\n## {name}\n\n| function | gives | meaning | example |\n|---|---|---|---|\n{lines}"


def _row(row: Function) -> str:
    return f"| `{row.name}({row.arguments})` | {row.result} | {row.meaning} | `{row.example}` |\n"
