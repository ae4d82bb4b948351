"""What a search for a place looks at."""

from rulewright.frozen import dataclass
from rulewright.machine.plane.outlines import Outline, Point


@dataclass(frozen=True, slots=True)
class Fixed:
    """Something the base may stand against: its outline, its middle, and the radius of the largest disc inside."""

    outline: Outline
    middle: Point
    inner: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """What a search for a place looks at, in thousandths of an inch.

    Attributes:
        moving: the outline of the base, with its facing, put at (0, 0).
        inner: radius of the largest disc inside it.
        start: where its middle is now, or none.
        fixed: the bases of other things, and polygons.
        partners: positions in `fixed` of those one of which must be touched; none where nothing must.
        gaps: how far from a thing it may matter to stand.
        reaches: how far from a middle it may matter that the middle is.
        middles: points such distances are from.
        width: how far the board reaches from 0 along x; without end where it is none.
        depth: the same along y.
        solid: whether it may stand over nothing, and only on the board.
    """

    moving: Outline
    inner: int
    start: Point | None
    fixed: tuple[Fixed, ...]
    partners: tuple[int, ...] | None
    gaps: tuple[int, ...]
    reaches: tuple[int, ...] = ()
    middles: tuple[Point, ...] = ()
    width: int | None = None
    depth: int | None = None
    solid: bool = False
