"""What decides the future of a play, its numbers set apart: plays that differ in numbers alone have one shape.

A play stands at a request, or before a block. The numbers of things, of the game and of names that are still read, and
the dice that are still looked at, are its leaves: in the shape stands only where they are.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from rulewright.machine.engine.frames import END, PAUSE, overworked
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault, NeedFailed
from rulewright.machine.futures import Futures, rest_of
from rulewright.machine.later import Later, Taking, Undecided, left
from rulewright.machine.open_dice import Sights, count_asked
from rulewright.machine.operations import put_part
from rulewright.machine.question import Question
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import UNANSWERED, Answering, halt, is_much, over, reply
from rulewright.machine.snapshot import board_of
from rulewright.machine.unthrown import Summed, Unthrown
from rulewright.machine.values import Map
from rulewright.machine.world import CONTROL, ROLLS, STACK, World
from rulewright.program import types as ty
from rulewright.program.effects import TOLD

Place = tuple[Any, ...]
"""Where a leaf is: the place in the working memory, then what leads to it from there."""
_LEAF = "leaf"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a play stands."""

    shape: Hashable  # equal for plays that differ in their leaves alone
    leaves: Sequence[Any]  # numbers, dice as `Thrown`, and what hangs on lots
    places: Sequence[Place]  # where each leaf is


def standing(executable: Executable, world: World, sights: Sights, *, asks: bool, known: bool) -> Standing:
    """Where a play stands; `known` says that nothing is left open.

    Raises:
        Undecided: something that is no leaf hangs on a lot.
    """
    pending = world[CONTROL].pending
    found = _Standing(executable, world, sights, known=known)
    frames = tuple([found.frame(frame) for frame in world[STACK]])
    request = found.request(pending) if asks and pending is not None else None
    shape = frames, request, found.dice(), found.game(), rest_of(world)
    hash(shape)
    return Standing(shape, found.leaves, found.places)


class _Standing(Futures):
    """Frames, rolls and the game with their leaves taken out."""

    def __init__(self, executable: Executable, world: World, sights: Sights, *, known: bool) -> None:
        if not known:
            _narrow(executable, world)
        super().__init__(executable, world)
        self.leaves: list[Any] = []
        self.places: list[Place] = []
        self._sights = sights
        self._depth = 0
        self._known = known

    def frame(self, frame: list[Any]) -> Any:
        """A frame without its leaves; what is read no more is left open no more."""
        found = super().frame(frame)
        self._depth += 1
        plan = None if self._known or frame[1] < 0 else self._live.plan(frame[1], frame[0], self._spent)
        if plan is not None:
            for slot, value in enumerate(frame):
                if isinstance(value, Later) and slot not in plan.slots:
                    frame[slot] = value.values[0]
        return found

    def request(self, pending: Any) -> Any:
        """As `Futures.request`; the number of dice of a plain roll is a leaf."""
        count = count_asked(self._executable, self._world)
        if count is None:
            return super().request(pending)
        self._taken(count, (CONTROL,))
        return pending[:2]

    def held(self, value: Any, slot: int, type_: ty.Type) -> Any:
        return self._inside(value, type_, (STACK, self._depth, slot))

    def dice(self) -> tuple[Any, ...]:
        found: list[Any] = []
        for old in self.numbers:
            dice, looks = self._world[ROLLS][old], self.looks(old)
            number = dice.count if isinstance(dice, Unthrown) else len(dice)
            # Dice that a name holds are so many, and no open number of them.
            marks = {self.marks(old, at) for at in range(number or 0)}
            is_told = looks >= TOLD or len(marks) > 1
            if isinstance(dice, Unthrown):
                if is_told or isinstance(dice, Summed):
                    raise Undecided(dice)
                self._taken(self._sights.unthrown(dice, looks), (ROLLS, old, looks))
            elif is_told:
                found.append(self.lying(old))
                continue
            else:
                self._taken(self._sights.thrown([(each, 1) for each in dice], looks), (ROLLS, old, looks))
            found.append((len(dice), *marks) if any(marks) else ())
        for old, dice in () if self._known else enumerate(self._world[ROLLS]):
            if isinstance(dice, Unthrown) and old not in self.numbers:
                put(self._world, (ROLLS, old, dice.looks), dice.some)
        return tuple(found)

    def game(self) -> tuple[Any, ...]:
        """The game, its numbers taken out."""
        world, columns = self._world, self._executable.columns
        for at in columns.numbers:
            self.leaves += world[at]
            self.places += [(at, number) for number in range(len(world[at]))]
        for at in columns.number:
            self._taken(world[at], (at,))
        others = [tuple(world[at]) for at in columns.others]
        rest = tuple([world[at] for at in columns.other])
        return self._spent, tuple(others), rest, board_of(self._executable, world)

    def _taken(self, value: Any, place: Place) -> str:
        now = left(value)
        if now is not value:
            put(self._world, place, now)
        self.leaves.append(now)
        self.places.append(place)
        return _LEAF

    def _inside(self, value: Any, type_: ty.Type, place: Place) -> Any:
        if value is None:
            return None
        match type_:
            case ty.NumberType() | ty.FractionType() | ty.LengthType():
                return self._taken(value, place)
            case ty.OptionalType(inner):
                return self._inside(value, inner, place)
            case ty.RecordType(record) if record in self._executable.program.records:
                parts = self._executable.program.records[record].parts
                return tuple([self._inside(value[at], each.type, (*place, at)) for at, each in enumerate(parts)])
            case ty.MapType(_, inner) if isinstance(inner, ty.NUMERIC):
                keys = value.keys()
                if len(keys) < len(value.entries):
                    put(self._world, place, Map(value.default, {key: value[key] for key in keys}))
                for key in keys:
                    self._taken(value[key], (*place, key))
                return value.default, keys
            case _:
                return value


def _narrow(executable: Executable, world: World) -> None:
    """Leaves out of numbers and dice what the play that goes on has not taken."""
    columns = executable.columns
    for held in (*[world[at] for at in columns.numbers], *world[STACK]):
        for at, value in enumerate(held):
            if isinstance(value, Later):
                held[at] = left(value)
    for at in columns.number:
        world[at] = left(world[at])
    for old, dice in enumerate(world[ROLLS]):
        now = left(dice)
        if now is not dice:
            put(world, (ROLLS, old, dice.looks), now)


def put(world: World, place: Place, value: Any) -> None:
    """Puts a value where a leaf is."""
    at, *path = place
    if at == CONTROL:
        site, player, (((_, *part),), *rest) = world[CONTROL].pending
        world[CONTROL].pending = site, player, (((value, *part),), *rest)
        return
    if at == ROLLS:
        old, _ = path
        world[ROLLS][old] = value if isinstance(value, Unthrown) else [die for die, many in value for _ in range(many)]
        return
    holder = world
    if at == STACK:
        holder, at, *path = world[STACK][path[0]], *path[1:]
    if isinstance(holder[at], list):
        holder, (at, *path) = holder[at], path
    holder[at] = _with(holder[at], path, value)


def _with(held: Any, path: Sequence[Any], value: Any) -> Any:
    """A record or map with one of its parts, or of theirs, changed."""
    if not path:
        return value
    at, *rest = path
    if isinstance(held, Map):
        return Map(held.default, {**held.entries, at: _with(held.entries[at], rest, value)})
    return put_part(held, at, _with(held[at], rest, value))


def gone_on(  # noqa: C901 - what is done at every block stands in one place
    executable: Executable, world: World, taking: Taking, answers: Sequence[Any], at_once: Answering | None
) -> str | Faulted | Refused:
    """Goes on with the answer to a request, or without one from before a block: up to a request, an end or a block.

    Requests that `at_once` answers are gone on from, as by `Run`. What a line has to know of what is left open is taken
    where plays began at its block or never stand before it. Gives `asks`, `before` or `ends`, or how the play is over.
    What is worked with is not to be used where this raises.

    Raises:
        Undecided: a line has to know what is left open.
        Wanted: an external is asked for its value.
    """
    stops, passed = taking.stops, taking.passed_through
    control, frame, done, since = world[CONTROL], world[STACK][-1], 0, 0
    number = frame[0]
    for each in answers:
        reply(executable, world, each)
    try:
        try:
            while True:
                done += 1
                if done > control.left:
                    frame[0] = number
                    overworked(world)
                taking.may = done <= since + 1 or number in passed
                number = executable.blocks[number](world, frame)
                if number == END:
                    return "ends"
                if number == PAUSE:
                    taking.may = False
                    if at_once is None or not _is_answered(executable, world, at_once):
                        halt(executable, world)
                        return "asks"
                    since = done
                if number < 0:
                    frame = world[STACK][-1]
                    number = frame[0]
                if number in stops and done > since:
                    frame[0] = number
                    return "before"
        except (Fault, NeedFailed, RecursionError) as failed:
            return over(executable, world, failed)
        finally:
            control.work += done
            control.left -= done
    except Undecided as undecided:
        undecided.block = number if done > since + 1 else None
        raise


def _is_answered(executable: Executable, world: World, at_once: Answering) -> bool:
    """Whether somebody answers a request at once, for which nothing that is left open has to be known."""
    if not executable.plainly_asked[world[CONTROL].pending[0]] or is_much(world):
        return False
    try:
        answer = at_once(Question(executable, world))
    except Undecided:
        return False
    if answer is not UNANSWERED:
        reply(executable, world, answer)
    return answer is not UNANSWERED
