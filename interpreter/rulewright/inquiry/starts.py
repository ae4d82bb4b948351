"""The places of a start that may hold something else, with all that each may hold."""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from rulewright.drivers.session import Begun
from rulewright.inquiry.alternatives import FURTHEST, Change, OtherStart, others
from rulewright.inquiry.watched import Notes, Watched, is_watched
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program import statements as st
from rulewright.program.effects import Footprint, written_by
from rulewright.program.types import NumberType, Type
from rulewright.program.walk import reached
from rulewright.roles import nodes


class Starts:
    """The starts of changed plays: its places by number, and what each may hold by position, the usual value first.

    Attributes:
        others: by place every other value, the nearest first.
        values: by place everything that it may hold.
        steps: by place how far each of these is from the usual value.
        every: by place all positions but the first, as bits.
    """

    def __init__(self, start: Situation, others: Iterable[OtherStart]) -> None:
        of: dict[object, list[OtherStart]] = {}
        for each in others:
            of.setdefault(each.place, []).append(each)
        self._start = start
        self._numbers = {place: number for number, place in enumerate(of)}
        self.others = [sorted(each, key=attrgetter("steps")) for each in of.values()]
        self.values = [[each[0].before, *(other.after for other in each)] for each in self.others]
        self.steps = [[0, *(other.steps for other in each)] for each in self.others]
        self.every = [(1 << len(each)) - 2 for each in self.values]

    def base(self, changed: Iterable[Change]) -> list[Any]:
        """What each place holds in a changed play."""
        found = [each[0] for each in self.values]
        for each in changed:
            if isinstance(each, OtherStart):
                found[self._numbers[each.place]] = each.after
        return found

    def situation(self, changed: Iterable[OtherStart], notes: Notes, watched: Collection[int]) -> Situation:
        """The start of a changed play, with the values watched of some places."""
        found = self._start
        for each in changed:
            found = each.made(found)
        base = self.base(changed)
        attributes: dict[str, list[Any]] = {}
        game: dict[str, Any] = dict(found.game)
        for number in watched:
            if is_watched(base[number]):
                where, key = self.others[number][0].where, self.others[number][0].key
                held = Watched.of(notes, number, base[number])
                if key is None:
                    game[where.partition("/")[2]] = held
                else:
                    attributes.setdefault(where, list(found.attributes[where]))[key] = held
        made = {where: tuple(values) for where, values in attributes.items()}
        return replace(found, attributes={**found.attributes, **made}, game=game)

    def nearest(self, first: int, second: int, left: Sequence[int], most: int) -> tuple[int, int] | None:
        """The nearest of the pairs that are left, by their positions at two places; none within so many steps."""
        best, found = most + 1, None
        for one, bits in enumerate(left):
            if bits and self.steps[first][one] < best:
                other = (bits & -bits).bit_length() - 1
                steps = self.steps[first][one] + self.steps[second][other]
                if steps < best:
                    best, found = steps, (one, other)
        return found


def starts(begun: Begun, left: Container[tuple[str, Value | None]], also: frozenset[str]) -> tuple[OtherStart, ...]:
    """Every value of the start that may be another and that rules look at, the nearest first.

    The start of places that are `left` stays as it is; `also` are places that something else than the rules looks at.
    """
    program, start = begun.executable.program, begun.situation
    looked_at = _looked_at(begun) | also
    found = []
    for where, key, value, type_ in _values(begun):
        if where in looked_at and (where, key) not in left:
            options = others(value, type_, program, start.base.things)
            far = {0: FURTHEST} if key is not None and _is_spent(type_, start.attributes[where]) else {}
            found += [OtherStart(where, key, value, each, type_, steps + far.get(each, 0)) for steps, each in options]
    return tuple(sorted(found, key=lambda each: each.steps))


def _is_spent(type_: Type, values: Collection[Value]) -> bool:
    """Whether a thing that has 0 of a number, such as health, seems lost: none begins with 0, so that comes last."""
    return isinstance(type_, NumberType) and type_.low == 0 and 0 not in values


def _values(begun: Begun) -> Iterator[tuple[str, int | None, Value, Type]]:
    """Every value of things and of the game."""
    types, start = begun.executable.layout.types, begun.situation
    for where, values in start.attributes.items():
        gone = start.gone.get(where.partition("/")[0], ())
        yield from ((where, key, value, types[where]) for key, value in enumerate(values) if key not in gone)
    for name, value in start.game.items():
        yield f"game/{name}", None, value, types[f"game/{name}"]


def _looked_at(begun: Begun) -> frozenset[str]:
    """Places of the game that the procedure, what it performs, handlers and standing rules may look at."""
    routines = _routines(begun)
    added = (each for each in nodes(routines) if isinstance(each, st.AddAmount | st.AddMember))
    return Footprint(begun.executable.program).reads(routines).union(*map(written_by, added))


def _routines(begun: Begun) -> tuple[object, ...]:
    """The procedure, what it performs, events with their handlers and standing rules."""
    program = begun.executable.program

    def performed(name: str) -> Iterator[str]:
        return (each.procedure for each in nodes(program.procedures[name]) if isinstance(each, st.Perform))

    own = (program.procedures[each] for each in reached([begun.procedure.name], performed))
    return (*own, *program.handlers.values(), *program.rules.values(), *program.events.values())
