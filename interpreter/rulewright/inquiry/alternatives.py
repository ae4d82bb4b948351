"""What might have been otherwise in a play: the faces of dice, what was drawn, answers, values of the start."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from operator import itemgetter
from typing import Any

from rulewright.frozen import dataclass
from rulewright.inquiry.course import Occasion
from rulewright.machine.question import Question, thrown
from rulewright.machine.request import CHANCE, OF_ITEMS
from rulewright.machine.run import Run
from rulewright.machine.state import Situation
from rulewright.machine.values import Map, Value
from rulewright.program import types as ty
from rulewright.program.declarations import Program

FURTHEST = 20
"""Numbers are tried up to so many more or less."""
MOST_ANSWERS = 200
"""So many answers to one question are tried."""
Things = Mapping[str, Sequence[str]]
"""Ids of the things of every kind."""
_BOUND = frozenset({"one", "pick", "split"})
"""Sorts of decisions of which the type of the answer says how far two answers are apart."""


@dataclass(frozen=True, slots=True)
class OtherAnswer:
    """One die that shows another face, or one answer, or part of an answer, that is another."""

    occasion: Occasion  # of the request
    is_chance: bool  # whether dice, a draw or a shuffle answer it
    slot: int | None  # which of the dice, or of the parts of a result; none where the answer is one whole
    before: Value  # what was answered there
    after: Value  # what is answered instead
    steps: int  # how far apart the two are

    @property
    def rank(self) -> int:
        """Chance comes first, then answers."""
        return 0 if self.is_chance else 1

    @property
    def place(self) -> tuple[object, ...]:
        """What is changed, whatever it becomes."""
        return self.occasion, self.slot


@dataclass(frozen=True, slots=True)
class OtherStart:
    """A value of the start that is another."""

    where: str  # `Kind/attribute`, or `game/field`
    key: int | None  # the number of the thing; none for a field of the game
    before: Value  # the value of the start
    after: Value  # what it is instead
    type: ty.Type  # of both
    steps: int  # how far apart the two are

    @property
    def rank(self) -> int:
        """Values of the start come last."""
        return 2

    @property
    def place(self) -> tuple[object, ...]:
        """What is changed, whatever it becomes."""
        return self.where, self.key

    def made(self, start: Situation) -> Situation:
        """The start with this value."""
        owner, _, name = self.where.rpartition("/")
        if owner == "game":
            return replace(start, game={**start.game, name: self.after})
        values = list(start.attributes[self.where])
        assert self.key is not None
        values[self.key] = self.after
        return replace(start, attributes={**start.attributes, self.where: tuple(values)})


Change = OtherAnswer | OtherStart
"""One thing that is otherwise."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another answer to a request, and what is changed by it."""

    answer: Any
    changes: tuple[OtherAnswer, ...]

    @property
    def steps(self) -> int:
        """How far it is from the usual answer."""
        return sum(each.steps for each in self.changes)


Option = tuple[int, Any]
"""What an answer, or a part of one, may be instead, after how far that is."""


@dataclass(frozen=True, slots=True)
class Slots:
    """An answer taken apart into what may change by itself."""

    values: Sequence[Any]  # what was answered, part by part
    options: Sequence[Sequence[Option]]  # for each part what else it may be, the nearest first
    whole: Callable[[Sequence[Any]], Any]  # the answer that some parts make
    is_one: bool = False  # whether it is one part alone
    is_cut: bool = False  # whether there are more options than are tried


def alternatives(slots: Slots, occasion: Occasion, sort: str, count: int) -> Iterator[Alternative]:
    """Every answer in which so many parts are others."""
    is_chance = sort in CHANCE
    for chosen in combinations(range(len(slots.values)), count):
        for options in product(*(slots.options[at] for at in chosen)):
            values = list(slots.values)
            changes = []
            for at, (steps, after) in zip(chosen, options, strict=True):
                slot = None if slots.is_one else at
                changes.append(OtherAnswer(occasion, is_chance, slot, values[at], after, steps))
                values[at] = after
            yield Alternative(slots.whole(values), tuple(changes))


# At a request.


def slots_at(run: Run, usual: Any) -> Slots:  # noqa: PLR0911 - one for each sort
    """What of the usual answer to the request at which a run stands may be another."""
    asked, program = run.question(), run.executable.program
    match asked.sort:
        case "roll":
            dice = [(each.faces, each.face) for each in thrown(asked) for _ in range(each.count)]
            return Slots(usual, [_but(face, *of) for face, of in zip(usual, dice, strict=True)], tuple)
        case "draw":
            return _one(usual, asked.data, None)
        case "shuffle":
            return _one(usual, _swapped(usual), None)
        case "external":
            return _of_result(usual, program.external_procedures[asked.node.external].result, run)
        case "value":
            type_ = program.external_terms[asked.data[0]].type
            return _one(usual, _values_of(usual, type_, program, asked.world[0].base.things), type_)
        case sort:
            if asked.is_listed:
                return _one(usual, asked.legal, asked.node.variable.type if sort in _BOUND else None)
            return _sought(usual, run.copied_question())


def _one(usual: Any, options: Iterable[Any], type_: ty.Type | None) -> Slots:
    found = [*islice(options, MOST_ANSWERS + 1)]
    kept = _but(usual, found[:MOST_ANSWERS], type_)
    return Slots([usual], [kept], itemgetter(0), is_one=True, is_cut=len(found) > MOST_ANSWERS)


def _sought(usual: Any, asked: Question) -> Slots:
    """Answers that are looked for, not listed: of places some, of what is made of items those within the limits."""
    found = _one(usual, asked.answers(), asked.node.variable.type if asked.sort in _BOUND else None)
    partial = asked.sort in {"place", "heading"} or (asked.sort in OF_ITEMS and not asked.count().exact)
    return replace(found, is_cut=found.is_cut or partial)


def _swapped(order: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    for first, second in combinations(range(len(order)), 2):
        if order[first] != order[second]:
            made = list(order)
            made[first], made[second] = order[second], order[first]
            yield tuple(made)


def _of_result(usual: Any, type_: ty.Type | None, run: Run) -> Slots:
    """The parts of the result of an external; what it changes stays as it is."""
    result, changes = usual
    program, things = run.executable.program, run.question().world[0].base.things
    if isinstance(type_, ty.RecordType) and type_.record in program.records:
        types = [each.type for each in program.records[type_.record].parts]
        options = [others(value, each, program, things) for value, each in zip(result, types, strict=True)]
        return Slots(result, options, lambda values: (tuple(values), changes))
    one = [] if type_ is None else [others(result, type_, program, things)]
    return Slots([result][: len(one)], one, lambda values: (values[0], changes), is_one=True)


# Values.


def others(value: Any, type_: ty.Type, program: Program, things: Things) -> list[Option]:
    """Every other value of a type that is tried, the nearest first; none of types that hold several values."""
    return _but(value, _values_of(value, type_, program, things), type_)


def _values_of(value: Any, type_: ty.Type, program: Program, things: Things) -> Sequence[Any]:  # noqa: PLR0911
    match type_:
        case ty.OptionalType(inner):
            return [None, *_values_of(value, inner, program, things)]
        case ty.FlagType():
            return False, True
        case ty.NumberType(low, high):
            return _near(value if isinstance(value, int) else low or 0, low, high)
        case ty.WordType(values):
            return range(len(program.values[values].words))
        case ty.ThingType(kind):
            return range(len(things[kind]))
        case ty.DirectionType() as direction:
            return range(direction.count)
        case _:
            return ()


def _near(middle: int, low: int | None, high: int | None) -> range:
    """Numbers around one, within bounds."""
    first, last = middle - FURTHEST, middle + FURTHEST
    return range(first if low is None else max(low, first), (last if high is None else min(high, last)) + 1)


def _but(usual: Any, options: Iterable[Any], type_: ty.Type | None) -> list[Option]:
    """The options, each once, without the usual one, after how far they are; the nearest first."""
    found = [(_distance(usual, each, type_), each) for each in dict.fromkeys(options) if each != usual]
    return sorted(found, key=itemgetter(0))


def _distance(before: Any, after: Any, type_: ty.Type | None) -> int:
    """How far apart two values are: numbers by their difference, sets by their members, all else one step."""
    match type_:
        case ty.OptionalType(inner) if before is not None and after is not None:
            return _distance(before, after, inner)
        case ty.NumberType():
            return int(abs(before - after))
        case ty.SetType() | ty.ListType() if isinstance(before, tuple) and isinstance(after, tuple):
            return max(len(set(before) - set(after)), len(set(after) - set(before)), 1)
        case ty.MapType() if isinstance(before, Map) and isinstance(after, Map):
            return max(1, sum(abs(before[key] - after[key]) for key in {*before, *after}) // 2)  # type: ignore[operator]
        case _:
            return 1
