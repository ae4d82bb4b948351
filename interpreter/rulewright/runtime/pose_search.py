"""Search for a pose of a thing among candidate positions: for a rule that asks, and for a player who answers."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple

from rulewright.base.frozen import dataclass
from rulewright.runtime.event_engine import charge_visits
from rulewright.runtime.faults import Fault, NeedsExternalValue
from rulewright.runtime.geometry import Number, Outline, Point, inches_to_thousandths, place_shape
from rulewright.runtime.plane_bodies import list_bodies
from rulewright.runtime.pose_candidates import Obstacle, PlacementScene, generate_candidates, make_fit_test
from rulewright.runtime.working_memory import (
    CONTROL,
    PlaneColumns,
    WorkingMemory,
)

Pose = tuple[int, Point, Number]


class PlacementFacts(NamedTuple):
    """Facts that conditions imply for the search of a place."""

    touched: tuple[int, ...] | None  # things one of which must be touched; none if none need be
    gaps: tuple[Number, ...]  # distances from edge to edge that conditions compare with
    reaches: tuple[Number, ...]  # distances of middles, likewise


class PoseQuestionData(NamedTuple):
    """Data of a request to place or to turn a thing."""

    sort: str  # `place` or `heading`
    thing: int
    required: str | None  # name of the function that judges `require`
    preferred: tuple[str, ...]  # names of those that judge each `prefer`
    facts: str | None  # name of the function that gives the placement facts
    must_fit: bool  # whether every place has to fit


MAX_JUDGED_POSES = 20_000
"""Candidates that fit and are judged by conditions in one search; chosen, to bound time."""
STEPS_PER_CANDIDATE = 4
"""Steps charged per computed position; chosen."""
_NO_PLACEMENT_FACTS = PlacementFacts(None, (), ())


@dataclass(frozen=True, slots=True)
class PoseSearchPlan:
    """A search as generated code describes it: whether every place has to fit, and what the conditions read."""

    must_fit: bool
    # slots that the outcome depends on; none if it depends on more
    read_slots: tuple[int, ...] | None = None


def evaluate_placement_facts(facts: Callable[[], tuple[Any, Any, Any]] | None) -> PlacementFacts:
    """Facts that the conditions imply for the search; none if they cannot be computed in advance."""
    if facts is None:
        return _NO_PLACEMENT_FACTS
    try:
        return PlacementFacts(*facts())
    except (Fault, NeedsExternalValue):
        return _NO_PLACEMENT_FACTS


def generate_poses(world: WorkingMemory, thing: int, known: PlacementFacts, *, solid: bool) -> Iterator[Pose]:
    """Candidate poses of a thing, in order, its facing unchanged."""
    columns: PlaneColumns = world[CONTROL].tables.stands[0]
    base = world[columns.base][thing] if columns.base is not None else None
    if base is None or world[columns.gone][thing]:
        return
    facing = current_facing(world, thing)
    scene = _build_scene(world, thing, place_shape(base, (0, 0), facing), known, solid=solid)
    fits = make_fit_test(scene)
    tried = generate_candidates(scene, lambda points: charge_visits(world, points * STEPS_PER_CANDIDATE))
    for point in islice((item for item in tried if fits(item)), MAX_JUDGED_POSES):
        yield thing, point, facing


def current_facing(world: WorkingMemory, thing: int) -> Number:
    """Facing of a thing; 0 if it has none."""
    columns: PlaneColumns = world[CONTROL].tables.stands[0]
    facing: Number | None = world[columns.facing][thing] if columns.facing is not None else 0
    return 0 if facing is None else facing


def _build_scene(
    world: WorkingMemory, thing: int, moving: Outline, known: PlacementFacts, *, solid: bool
) -> PlacementScene:
    touched, gaps, reaches = known
    kind = world[CONTROL].tables.stands[0].kind
    bodies = [body for body in list_bodies(world) if (body.kind, body.thing) != (kind, thing)]
    fixed = tuple(Obstacle(body.outline, body.middle, _inscribed_radius(body.outline)) for body in bodies)
    partners = None
    if touched is not None:
        partners = tuple(at for at, body in enumerate(bodies) if body.kind == kind and body.thing in touched)
    plane, start = world[CONTROL].base.plane, world[world[CONTROL].tables.stands[0].at][thing]
    return PlacementScene(
        moving=moving,
        inner_radius=_inscribed_radius(moving),
        start=start,
        fixed=fixed + _polygon_obstacles(world),
        partners=partners,
        gaps=_lengths_to_try(gaps, 0, plane.contact // 2, max(0, plane.contact - 1)),
        reaches=_lengths_to_try(reaches),
        middles=_measuring_points(fixed, start) if reaches else (),
        width=plane.width,
        depth=plane.depth,
        must_fit=solid,
    )


def _measuring_points(fixed: tuple[Obstacle, ...], start: Point | None) -> tuple[Point, ...]:
    return (*(() if start is None else (start,)), *(obstacle.middle for obstacle in fixed))


def _inscribed_radius(outline: Outline) -> int:
    """Radius of a disc around the middle of a base that lies inside it."""
    match outline:
        case (int(), int(), int(radius)):
            return radius
        case (a, b, c, _):
            return min(_truncated_distance(a, b), _truncated_distance(b, c)) // 2 - 1
        case _:
            return 0


def _truncated_distance(a: Point, b: Point) -> int:
    return int(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def _polygon_obstacles(world: WorkingMemory) -> tuple[Obstacle, ...]:
    items = [world[column][number] for in_play, column in world[CONTROL].tables.walls for number in world[in_play]]
    return tuple(Obstacle(item, item[0]) for item in items if item is not None)


def _lengths_to_try(lengths: tuple[Any, ...], *more: int) -> tuple[int, ...]:
    """Lengths a thousandth below and above the compared ones, and these."""
    items = [inches_to_thousandths(length) + side for length in lengths for side in (-1, 1)]
    return tuple(dict.fromkeys([*more, *(item for item in items if item >= 0)]))


def find_pose(  # noqa: PLR0913, PLR0917
    world: WorkingMemory,
    looking: PoseSearchPlan,
    thing: int,
    judge: Callable[[Pose], bool],
    facts: Callable[[], tuple[Any, Any, Any]] | None,
    names: tuple[Any, ...],
) -> Pose | None:
    """The first candidate pose that a judge accepts, cached per state."""
    control = world[CONTROL]
    key = None
    if looking.read_slots is not None:
        key = (id(looking), thing, names, control.base, tuple([_freeze_column(world[at]) for at in looking.read_slots]))
        if key in control.tables.found_poses:
            return control.tables.found_poses[key]  # type: ignore[no-any-return]
    result = _search_first_pose(world, looking, thing, judge, facts)
    if key is not None:
        _cache_search(control.tables.found_poses, key, result)
    return result


def _search_first_pose(
    world: WorkingMemory,
    looking: PoseSearchPlan,
    thing: int,
    judge: Callable[[Pose], bool],
    facts: Callable[[], tuple[Any, Any, Any]] | None,
) -> Pose | None:
    known = evaluate_placement_facts(facts)
    if known.touched == ():
        return None
    return next(
        (
            generate_pose
            for generate_pose in generate_poses(world, thing, known, solid=looking.must_fit)
            if accepts_pose(judge, generate_pose)
        ),
        None,
    )


def accepts_pose(judge: Callable[[Pose], bool], pose: Pose) -> bool:
    """Whether conditions hold of a pose; not if they cannot be judged."""
    try:
        return judge(pose)
    except Fault:
        return False


def _freeze_column(column: Any) -> Any:
    match column:
        case list():
            return tuple(column)
        case dict():
            return frozenset(column.items())
        case set():
            return frozenset(column)
        case _:
            return column


_MAX_CACHED_SEARCHES = 4_096
"""Entries of the cache of searches; chosen, to bound memory."""


def _cache_search(looked: dict[Any, Pose | None], key: Any, pose: Pose | None) -> None:
    if len(looked) >= _MAX_CACHED_SEARCHES:
        del looked[next(iter(looked))]
    looked[key] = pose


AnswerJudge = Callable[[WorkingMemory, Any, Any], int | None] | None
_FULL_TURN_HUNDREDTHS = 36_000
_HEADING_STEPS_HUNDREDTHS = (9_000, 4_500, 1_500, 500, 100, 10, 1)
_HUNDREDTHS_PER_DEGREE = 100


class PoseSearch:
    """Legal answers of one question, among the candidate places or headings.

    Attributes:
        data: of the request.
    """

    def __init__(self, world: WorkingMemory, frame: list[Any], data: PoseQuestionData) -> None:
        self._world = world
        self._frame = frame
        self.data = data
        self._thing = data.thing
        functions = world[CONTROL].functions
        self._required: AnswerJudge = functions[data.required] if data.required else None
        self._preferred: tuple[AnswerJudge, ...] = tuple(functions[item] for item in data.preferred)

    def _placement_facts(self) -> PlacementFacts:
        name = self.data.facts
        facts = self._world[CONTROL].functions[name] if name else None
        return evaluate_placement_facts(None if facts is None else lambda: facts(self._world, self._frame))

    def list_reaches(self) -> tuple[Number, ...]:
        """Distances of middles that the conditions compare with, in inches."""
        return self._placement_facts().reaches

    def _iterate_candidates(self) -> Iterator[Any]:
        if self.data.sort == "heading":
            return generate_headings(self._world, self._thing)
        return generate_poses(self._world, self._thing, self._placement_facts(), solid=self.data.must_fit)

    def _filter_satisfying(self, judges: tuple[AnswerJudge, ...]) -> Iterator[Any]:
        known_judges = [judge for judge in judges if judge is not None]
        return (candidate for candidate in self._iterate_candidates() if self._satisfies_all(known_judges, candidate))

    def _satisfies_all(self, judges: Sequence[Callable[[WorkingMemory, Any, Any], int | None]], answer: Any) -> bool:
        try:
            return all(judge(self._world, self._frame, answer) is None for judge in judges)
        except (Fault, NeedsExternalValue):
            return False

    def select_judges(self) -> tuple[AnswerJudge, ...]:
        """Rows that every legal answer satisfies: `require`, and each `prefer` that some candidate satisfies."""
        judges: tuple[AnswerJudge, ...] = (self._required,)
        for item in self._preferred:
            if next(self._filter_satisfying((*judges, item)), None) is not None:
                judges = (*judges, item)
        return judges

    def iterate_answers(self) -> Iterator[Any]:
        """Legal answers among the candidates, in order."""
        return self._filter_satisfying(self.select_judges())

    def judge_candidates(self) -> Iterator[tuple[Any, bool]]:
        """All candidates, in order, and whether each is a legal answer."""
        known_judges = [judge for judge in self.select_judges() if judge is not None]
        return ((candidate, self._satisfies_all(known_judges, candidate)) for candidate in self._iterate_candidates())

    def find_witness(self) -> Any:
        """A legal answer; none if none is found."""
        return next(self.iterate_answers(), None)

    def request_externals(self) -> None:
        """Judges one answer, so that external values are asked for before the question."""
        if self._required is not None:
            required, result = self._required, next(self._iterate_candidates(), None)
            if result is not None:
                accepts_pose(lambda item: required(self._world, self._frame, item) is None, result)

    def is_certainly_impossible(self) -> bool:
        """Whether there is certainly no place: nothing that must be touched exists."""
        return self.data.sort == "place" and self._placement_facts().touched == ()


def ensure_externals_known(world: WorkingMemory, frame: list[Any], data: PoseQuestionData) -> PoseQuestionData:
    """The data of a request, once the external values that judging needs are known."""
    PoseSearch(world, frame, data).request_externals()
    return data


def generate_headings(world: WorkingMemory, thing: int) -> Iterator[int | Fraction]:
    """All angles: that of the thing, then the others."""
    yield (current := current_facing(world, thing))
    yield from (angle for angle in generate_angles() if angle != current)


def generate_angles() -> Iterator[int | Fraction]:
    """All angles, coarser ones before finer ones; the whole degrees come first."""
    before = _FULL_TURN_HUNDREDTHS
    for step in _HEADING_STEPS_HUNDREDTHS:
        for hundredths in range(0, _FULL_TURN_HUNDREDTHS, step):
            if before == _FULL_TURN_HUNDREDTHS or hundredths % before:
                exact = Fraction(hundredths, _HUNDREDTHS_PER_DEGREE)
                yield exact.numerator if exact.denominator == 1 else exact
        before = step
