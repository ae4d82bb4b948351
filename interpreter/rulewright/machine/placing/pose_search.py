"""Looking for a pose of a thing among those that are tried: for a rule that asks, and for a player who answers."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.faults import Fault, Wanted
from rulewright.machine.geometry import Number, Outline, Point, put, to_thousandths
from rulewright.machine.placing.candidates import Fixed, Scene, free, tries
from rulewright.machine.plane import standing
from rulewright.machine.world import Stand, World

Pose = tuple[int, Point, Number]
Told = tuple[tuple[int, ...] | None, tuple[Number, ...], tuple[Number, ...]]
"""The things one of which must be touched, or none, and the gaps and reaches that conditions compare with."""

MOST = 20_000
"""Places that are judged at most."""
_UNTOLD: Told = (None, (), ())


@dataclass(frozen=True, slots=True)
class Looking:
    """What generated code says of a search: whether every place has to fit, and what the conditions read.

    Attributes:
        solid: whether every place has to fit.
        reads: where the working memory keeps what the outcome depends on; none where it depends on more than that.
    """

    solid: bool
    reads: tuple[int, ...] | None = None


def told(facts: Callable[[], Told] | None) -> Told:
    """What the conditions tell of the search; nothing where that cannot be worked out before they are judged."""
    if facts is None:
        return _UNTOLD
    try:
        return facts()
    except (Fault, Wanted):
        return _UNTOLD


def poses(world: World, thing: int, known: Told, *, solid: bool) -> Iterator[Pose]:
    """The poses tried for a thing, in order, its facing kept."""
    how: Stand = world[0].tables.stands[0]
    base = world[how.base][thing] if how.base is not None else None
    if base is None or world[how.gone][thing]:
        return
    facing = kept_facing(world, thing)
    scene = _scene(world, thing, put(base, (0, 0), facing), known, solid=solid)
    fits = free(scene)
    for point in islice((each for each in tries(scene) if fits(each)), MOST):
        yield thing, point, facing


def kept_facing(world: World, thing: int) -> Number:
    """The facing of a thing; 0 where it has none."""
    how: Stand = world[0].tables.stands[0]
    facing: Number | None = world[how.facing][thing] if how.facing is not None else 0
    return 0 if facing is None else facing


def _scene(world: World, thing: int, moving: Outline, known: Told, *, solid: bool) -> Scene:
    touched, gaps, reaches = known
    kind = world[0].tables.stands[0].kind
    bodies = [each for each in standing(world) if each is not None and each[:2] != (kind, thing)]
    fixed = tuple(Fixed(outline, middle, _inner(outline)) for _, _, outline, middle, _ in bodies)
    partners = None
    if touched is not None:
        partners = tuple(at for at, each in enumerate(bodies) if each[0] == kind and each[1] in touched)
    plane, start = world[0].base.plane, world[world[0].tables.stands[0].at][thing]
    return Scene(
        moving=moving,
        inner=_inner(moving),
        start=start,
        fixed=fixed + _walls(world),
        partners=partners,
        gaps=_about(gaps, 0, plane.contact // 2, max(0, plane.contact - 1)),
        reaches=_about(reaches),
        middles=_middles(fixed, start) if reaches else (),
        width=plane.width,
        depth=plane.depth,
        solid=solid,
    )


def _middles(fixed: tuple[Fixed, ...], start: Point | None) -> tuple[Point, ...]:
    """Points that a condition may measure from: where the thing is, and the middles of all else."""
    return (*(() if start is None else (start,)), *(each.middle for each in fixed))


def _inner(outline: Outline) -> int:
    """The radius of a disc around the middle of a base that lies inside it."""
    match outline:
        case (int(), int(), int(radius)):
            return radius
        case (a, b, c, _):
            return min(_apart(a, b), _apart(b, c)) // 2 - 1
        case _:
            return 0


def _apart(a: Point, b: Point) -> int:
    return int(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def _walls(world: World) -> tuple[Fixed, ...]:
    found = [world[column][number] for in_play, column in world[0].tables.walls for number in world[in_play]]
    return tuple(Fixed(each, each[0]) for each in found if each is not None)


def _about(lengths: tuple[Any, ...], *more: int) -> tuple[int, ...]:
    """Lengths a thousandth below and above those that are compared with, and more."""
    found = [to_thousandths(each) + side for each in lengths for side in (-1, 1)]
    return tuple(dict.fromkeys([*more, *(each for each in found if each >= 0)]))


def place_for(  # noqa: PLR0913, PLR0917
    world: World,
    looking: Looking,
    thing: int,
    judge: Callable[[Pose], bool],
    facts: Callable[[], Told] | None,
    names: tuple[Any, ...],
) -> Pose | None:
    """The first pose tried that a judge accepts; of a state that was looked at before, what was found then."""
    control = world[0]
    key = None
    if looking.reads is not None:
        key = (id(looking), thing, names, control.base, tuple([_kept(world[at]) for at in looking.reads]))
        if key in control.tables.looked:
            return control.tables.looked[key]  # type: ignore[no-any-return]
    found = _first(world, looking, thing, judge, facts)
    if key is not None:
        _remember(control.tables.looked, key, found)
    return found


def _first(
    world: World,
    looking: Looking,
    thing: int,
    judge: Callable[[Pose], bool],
    facts: Callable[[], Told] | None,
) -> Pose | None:
    known = told(facts)
    if known[0] == ():
        return None
    return next((each for each in poses(world, thing, known, solid=looking.solid) if accepted(judge, each)), None)


def accepted(judge: Callable[[Pose], bool], pose: Pose) -> bool:
    """Whether conditions hold of a pose; where they cannot be judged they do not."""
    try:
        return judge(pose)
    except Fault:
        return False


def _kept(column: Any) -> Any:  # noqa: ANN401
    match column:
        case list():
            return tuple(column)
        case dict():
            return frozenset(column.items())
        case set():
            return frozenset(column)
        case _:
            return column


_REMEMBERED = 4_096


def _remember(looked: dict[Any, Pose | None], key: Any, found: Pose | None) -> None:  # noqa: ANN401
    if len(looked) >= _REMEMBERED:
        del looked[next(iter(looked))]
    looked[key] = found


Judge = Callable[[World, Any, Any], int | None] | None
_ALL = 36_000
_STEPS = (9_000, 4_500, 1_500, 500, 100, 10, 1)
_HUNDREDTHS = 100


class Spots:
    """The legal answers of one question, among the places or headings that are tried.

    Attributes:
        data: of the request: the sort, the thing, names of the functions that judge `require` and each `prefer`, of
            the one that tells of the search, and whether every place has to fit.
    """

    def __init__(self, world: World, frame: list[Any], data: tuple[Any, ...]) -> None:
        self._world = world
        self._frame = frame
        self.data = data
        _, self._thing, required, preferred, *_ = data
        functions = world[0].functions
        self._required: Judge = functions[required] if required else None
        self._preferred: tuple[Judge, ...] = tuple(functions[each] for each in preferred)

    def _told(self) -> Told:
        name = self.data[4]
        facts = self._world[0].functions[name] if name else None
        return told(None if facts is None else lambda: facts(self._world, self._frame))

    def _tried(self) -> Iterator[Any]:
        if self.data[0] == "heading":
            return headings(self._world, self._thing)
        return poses(self._world, self._thing, self._told(), solid=self.data[5])

    def _satisfying(self, judges: tuple[Judge, ...]) -> Iterator[Any]:
        asked = [judge for judge in judges if judge is not None]
        return (each for each in self._tried() if self._holds(asked, each))

    def _holds(self, judges: Sequence[Callable[[World, Any, Any], int | None]], answer: Any) -> bool:  # noqa: ANN401
        """Whether an answer satisfies all of these; where that cannot be judged it does not."""
        try:
            return all(judge(self._world, self._frame, answer) is None for judge in judges)
        except (Fault, Wanted):
            return False

    def judges(self) -> tuple[Judge, ...]:
        """The rows that every legal answer satisfies: `require`, and each `prefer` that some answer tried satisfies."""
        judges: tuple[Judge, ...] = (self._required,)
        for each in self._preferred:
            if next(self._satisfying((*judges, each)), None) is not None:
                judges = (*judges, each)
        return judges

    def answers(self) -> Iterator[Any]:
        """The legal answers among those that are tried, in order."""
        return self._satisfying(self.judges())

    def judged(self) -> Iterator[tuple[Any, bool]]:
        """All that is tried, in order, and whether it is a legal answer."""
        asked = [judge for judge in self.judges() if judge is not None]
        return ((each, self._holds(asked, each)) for each in self._tried())

    def witness(self) -> Any:  # noqa: ANN401
        """A legal answer; none where none is found."""
        return next(self.answers(), None)

    def sound(self) -> None:
        """Judges one answer, so that external values which that takes are asked for before the question."""
        if self._required is not None:
            required, found = self._required, next(self._tried(), None)
            if found is not None:
                accepted(lambda each: required(self._world, self._frame, each) is None, found)

    def impossible(self) -> bool:
        """Whether it is sure, without a search, that there is no place: nothing is there that must be touched."""
        return self.data[0] == "place" and self._told()[0] == ()


def sounded(world: World, frame: list[Any], data: tuple[Any, ...]) -> tuple[Any, ...]:
    """The data of a request, once the external values that judging takes are known."""
    Spots(world, frame, data).sound()
    return data


def headings(world: World, thing: int) -> Iterator[int | Fraction]:
    """All angles: that of the thing, then coarser ones before finer ones, each once."""
    yield (kept := kept_facing(world, thing))
    before = _ALL
    for step in _STEPS:
        for hundredths in range(0, _ALL, step):
            if (before == _ALL or hundredths % before) and hundredths != kept * _HUNDREDTHS:
                exact = Fraction(hundredths, _HUNDREDTHS)
                yield exact.numerator if exact.denominator == 1 else exact
        before = step
