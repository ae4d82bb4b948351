"""The plane as a drawing has it: bases where they stand, outlines, how far it reaches, and where a base may go."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from rulewright.boards.figures import Figure, Players, figures, in_play, letters_of_things
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.machine.geometry import THOUSANDTHS, Area, Outline, Point, box, put
from rulewright.machine.placing.pose_search import Spots
from rulewright.machine.request import Request
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program.declarations import Board
from rulewright.program.plane import ANGLE, POINT, about_an_inch, outlines
from rulewright.program.types import INCHES, ThingType

Box = tuple[int, int, int, int]
"""The least coordinates in thousandths of the unit of the board, x and y, then the greatest."""
_NUMBER = r"(-?[0-9]{1,6}(?:\.[0-9]{1,6})?)"
_PAIR = re.compile(rf"{_NUMBER}[\s,]+{_NUMBER}")
MOST_TRIED = 1_500
"""How many places of a search are drawn at most."""
_MARGIN, _AROUND = 2, 8
"""How much is drawn beyond what stands there, and around a place: so many inches."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A figure with its base; a point where it has none."""

    figure: Figure
    outline: Outline


@dataclass(frozen=True, slots=True)
class Lying:
    """Something with an outline and no place, such as a wall."""

    id: str
    letters: str
    outline: Area


@dataclass(frozen=True, slots=True)
class Search:
    """What the search for a place found."""

    thing: str  # the id of what is placed
    base: Outline | None  # its outline at the first legal place; none where none was found
    legal: tuple[Point, ...]  # the middles that were tried and are legal
    refused: tuple[Point, ...]  # those that are not
    poses: tuple[Value, ...] = ()  # the answers with those legal middles, in their order


@dataclass(frozen=True, slots=True)
class DrawnPlane:
    """The plane, in thousandths of the unit of its board."""

    name: str  # of the board
    shown: Box  # what is drawn of it
    standing: tuple[Standing, ...]  # bases, in order of kind and number
    lying: tuple[Lying, ...]  # outlines
    players: Players  # of the game
    search: Search | None = None  # for a place that is asked for, if one is
    unit: str = INCHES  # of lengths


def drawn_plane(
    board: Board, situation: Situation, names: Names, search: Search | None = None, around: str = ""
) -> DrawnPlane:
    """The plane as it is in a situation: the whole board, as far as it ends, or what lies around a thing or a point."""
    standing = tuple(Standing(each, _outline(each, situation)) for each in figures(situation, names, POINT, ANGLE))
    lying = tuple(_lying(situation, names))
    plane = situation.base.plane
    reach = (plane.width, plane.depth)
    centre = spot_on(around, standing) if around else None
    inch = about_an_inch(board.unit)
    shown = _around(centre, _AROUND * inch) if centre else _extent(reach, standing, lying, search, _MARGIN * inch)
    return DrawnPlane(board.name, shown, standing, lying, Players(names.ids("player")), search, board.unit)


def spot_on(written: str, standing: Sequence[Standing]) -> Point | None:
    """The point that somebody means, by its coordinates, `3.5,2`, or by the id of what stands there; or none."""
    pair = _PAIR.fullmatch(written.strip("[]() "))
    if pair is None:
        return next((each.figure.at for each in standing if each.figure.id == written), None)
    return round(float(pair[1]) * THOUSANDTHS), round(float(pair[2]) * THOUSANDTHS)


def search_of(request: Request, situation: Situation, names: Names) -> Search | None:
    """The search for a place that is asked for, as far as the first places that it tries; none for other questions."""
    question = request.question
    if request.sort != "place" or question is None:
        return None
    spots = Spots(question.world, question.frame, question.data)
    judged = [*islice(spots.judged(), MOST_TRIED)]
    legal = [pose for pose, is_legal in judged if is_legal]
    first = legal[0] if legal else spots.witness()
    thing, type_ = request.arguments["thing"]
    assert isinstance(type_, ThingType)
    assert isinstance(thing, int)
    base: Any = situation.attributes[f"{type_.kind}/base"][thing]
    return Search(
        thing=names.thing(type_.kind, thing),
        base=None if first is None else put(base, first[1], first[2]),
        legal=tuple(at for _, at, _ in legal),
        refused=tuple(pose[1] for pose, is_legal in judged if not is_legal),
        poses=tuple(legal),
    )


def _outline(figure: Figure, situation: Situation) -> Outline:
    base: Any = situation.attributes.get(f"{figure.kind}/base", {})
    shape = base[figure.number] if base else None
    return put(shape, figure.at, figure.facing or 0) if shape is not None else (*figure.at, 0)


def _lying(situation: Situation, names: Names) -> Iterator[Lying]:
    called = letters_of_things(names, POINT)
    for kind, attribute in outlines(names.program.kinds):
        for number, id_ in in_play(kind, situation):
            outline: Any = situation.attributes[f"{kind}/{attribute}"][number]
            if isinstance(outline, tuple):
                yield Lying(id_, called[kind, id_], outline)


def _around(centre: Point, far: int) -> Box:
    x, y = centre
    return x - far, y - far, x + far, y + far


def _extent(
    reach: tuple[int | None, int | None],
    standing: Sequence[Standing],
    lying: Sequence[Lying],
    search: Search | None,
    margin: int,
) -> Box:
    """As far as the board reaches; where it has no end, a little beyond all that is there."""
    width, depth = reach
    found = [*(box(each.outline) for each in standing), *(box(each.outline) for each in lying)]
    found += [(x, y, x, y) for x, y in (search.legal if search is not None else ())]
    left, low, right, high = zip(*(found or [(0, 0, 0, 0)]), strict=True)
    along_x = (0, width) if width is not None else (min(left) - margin, max(right) + margin)
    along_y = (0, depth) if depth is not None else (min(low) - margin, max(high) + margin)
    return along_x[0], along_y[0], along_x[1], along_y[1]
