"""Looking for a pose of a thing among those that are tried: for a rule that asks, and for a player who answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count, islice, takewhile
from typing import Any

from rulewright.frozen import dataclass
from rulewright.machine.engine.frames import visit
from rulewright.machine.faults import Fault, Wanted
from rulewright.machine.geometry import Number, Outline, Point, put, to_thousandths
from rulewright.machine.placing.candidates import Fixed, Scene, free, tries
from rulewright.machine.plane import standing
from rulewright.machine.world import Stand, World
from rulewright.program import expressions as ex
from rulewright.program.conditions import chained
from rulewright.program.declarations import Conditions, Program, Value
from rulewright.program.expressions import Binding, Expression, Variable
from rulewright.roles import mapped, nodes

Pose = tuple[int, Point, Number]
Told = tuple[tuple[int, ...] | None, tuple[Number, ...], tuple[Number, ...]]
"""The things one of which must be touched, or none, and the gaps and reaches that conditions compare with."""

MOST = 20_000
"""Places that are judged at most."""
STEPS_OF_POINT = 4
"""Working a place out takes as long as so many steps."""
_UNTOLD: Told = (None, (), ())


@dataclass(frozen=True, slots=True)
class Looking:
    """What generated code says of a search: whether every place has to fit, and what the conditions read."""

    solid: bool  # whether every place has to fit
    # where the working memory keeps what the outcome depends on; none where it depends on more than that
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
    tried = tries(scene, lambda points: visit(world, points * STEPS_OF_POINT))
    for point in islice((each for each in tried if fits(each)), MOST):
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


def _kept(column: Any) -> Any:
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


def _remember(looked: dict[Any, Pose | None], key: Any, found: Pose | None) -> None:
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

    def _holds(self, judges: Sequence[Callable[[World, Any, Any], int | None]], answer: Any) -> bool:
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

    def witness(self) -> Any:
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


_FRESH = 1_000_000
_DEEPEST = 20


class Opener:
    """Writes out the conditions of one question; names bound inside get numbers of their own."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._numbers = count(_FRESH)

    def necessary(self, condition: Expression, deep: int = 0) -> Iterator[Expression]:
        """Conditions without which this one cannot hold, `and` and terms opened."""
        match condition:
            case ex.Logical(operator="and", left=left, right=right):
                yield from self.necessary(left, deep)
                yield from self.necessary(right, deep)
            case ex.CallFunction() if deep < _DEEPEST and (rows := self._rows(condition)):
                for each in rows:
                    yield from self.necessary(each, deep + 1)
            case _:
                yield condition

    def _rows(self, call: ex.CallFunction) -> tuple[Expression, ...]:
        function = self._program.functions[call.function]
        given = {each.index: value for each, value in zip(function.parameters, call.arguments, strict=True)}
        match function.body:
            case Value(value=value):
                rows: tuple[Expression, ...] = (value,)
            case Conditions(mode="all", rows=found):
                rows = tuple(each.condition for each in found if each.guard is None)
            case _:
                return ()
        return tuple(self.written(each, given) for each in rows)

    def written(self, node: Any, known: Mapping[int, Expression]) -> Any:
        """A node with names replaced by what is known of them."""
        match node:
            case ex.Local(variable=variable):
                return known.get(variable.index, node)
            case ex.Comprehension() | ex.Aggregate():
                binding, inner = self._bound(node.binding, known)
                return replace(node, binding=binding, value=self.written(node.value, inner))
            case ex.Quantifier():
                binding, inner = self._bound(node.binding, known)
                return replace(node, binding=binding, body=self.written(node.body, inner))
            case ex.TheOnly():
                return replace(node, binding=self._bound(node.binding, known)[0])
            case _:
                return mapped(node, lambda part: self.written(part, known))

    def _bound(
        self, binding: ex.Binding, known: Mapping[int, Expression]
    ) -> tuple[ex.Binding, Mapping[int, Expression]]:
        variables = tuple(each and replace(each, index=next(self._numbers)) for each in binding.variables)
        own = {
            old.index: ex.Local(type=new.type, span=binding.source.span, variable=new)
            for old, new in zip(binding.variables, variables, strict=True)
            if old is not None and new is not None
        }
        inner = {**known, **own}
        where = self.written(binding.where, inner)
        return ex.Binding(variables, self.written(binding.source, known), where), inner


_DISTANCES = ("gap", "distance")


@dataclass(frozen=True, slots=True)
class Partners:
    """Things one of which a pose has to touch: those a thing stands for, inside some bindings."""

    bindings: tuple[Binding, ...]
    thing: Expression


@dataclass(frozen=True, slots=True)
class Hints:
    """What the conditions on a place tell a search."""

    solid: bool  # whether every place has to fit
    partners: Partners | None  # what must be touched, or none where nothing must
    gaps: tuple[Expression, ...]  # distances from edge to edge that places are compared with
    reaches: tuple[Expression, ...]  # distances from middle to middle that places are compared with


def hints(program: Program, conditions: tuple[Expression, ...], spot: Variable) -> Hints:
    """What conditions, all of which must hold, tell of the places that a name stands for."""
    opening = Opener(program)
    needed = [each for condition in conditions for each in opening.necessary(condition)]
    partners = (found for each in needed for found in _partners(each, spot, (), opening))
    compared = [each for condition in needed for each in _compared(condition, spot)]
    return Hints(
        solid=any(_is(each, "fits", spot) for each in needed),
        partners=next(partners, None),
        gaps=tuple(value for name, value in compared if name == "gap"),
        reaches=tuple(value for name, value in compared if name == "distance"),
    )


def _is(node: Expression, name: str, spot: Variable) -> bool:
    return isinstance(node, ex.Builtin) and node.name == name and any(_stands(each, spot) for each in node.arguments)


def _stands(node: Expression, spot: Variable) -> bool:
    return isinstance(node, ex.Local) and node.variable.index == spot.index


def _reads(node: object, spot: Variable) -> bool:
    return any(isinstance(each, ex.Local) and each.variable.index == spot.index for each in nodes(node))


def _partners(node: Expression, spot: Variable, bindings: tuple[Binding, ...], opening: Opener) -> Iterator[Partners]:
    match node:
        case ex.Builtin(name="contact", arguments=(first, second)) if _stands(first, spot) or _stands(second, spot):
            thing = second if _stands(first, spot) else first
            if not _reads(thing, spot):
                yield Partners(bindings, thing)
        case ex.Quantifier(word="some", binding=binding) if not _reads(binding.source, spot):
            if binding.where is None:
                return
            parts = tuple(opening.necessary(binding.where))
            kept = Binding(binding.variables, binding.source, _before_spot(parts, spot))
            for each in parts:
                yield from _partners(each, spot, (*bindings, kept), opening)


def _before_spot(parts: tuple[Expression, ...], spot: Variable) -> Expression | None:
    """The conditions before the first that reads the spot, which are judged in any case."""
    before = tuple(takewhile(lambda each: not _reads(each, spot), parts))
    return chained(before, "and", before[0].span) if before else None


def _compared(condition: Expression, spot: Variable) -> Iterator[tuple[str, Expression]]:
    bound = {
        variable.index
        for each in nodes(condition)
        if isinstance(each, Binding)
        for variable in each.variables
        if variable is not None
    }
    for each in nodes(condition):
        if not isinstance(each, ex.Comparison):
            continue
        for measured, value in ((each.left, each.right), (each.right, each.left)):
            name = _measure(measured, spot)
            names = {part.variable.index for part in nodes(value) if isinstance(part, ex.Local)}
            if name is not None and not names & (bound | {spot.index}):
                yield name, value


def _measure(node: Expression, spot: Variable) -> str | None:
    """Whether a node measures a gap or distance of the spot, by the name of its function."""
    if isinstance(node, ex.Builtin) and node.name in _DISTANCES and _reads(node.arguments, spot):
        return node.name
    return None
