"""Where the situations of a search come from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rulewright.comparing.playing.bench import Bench, Reached
from rulewright.comparing.playing.elsewhere import values_of
from rulewright.comparing.playing.listening import DIFFERS, ECHOES, STRAYS
from rulewright.comparing.playing.nudging import nudged, solution
from rulewright.comparing.playing.situating import Placed, forgetful, placed
from rulewright.comparing.playing.states import State
from rulewright.comparing.playing.tape import tweaked
from rulewright.comparing.playing.telling import telling
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.state_json import state_json
from rulewright.machine.situation import Situation
from rulewright.program.declarations import Program
from rulewright.situations.chooser import Chooser, Seeded, Sizes, chance, one_of
from rulewright.situations.making import Wish, granted, made, varied
from rulewright.situations.values import NoValueError

_NEAR, _SAME_STATE, _FORGOTTEN, _AS_WRITTEN = 75, 30, 50, 15
_DEEP, _PICKED, _LESS = 70, 3, 2
_HOPELESS, _TRUSTED = 10, 12
_WISHED, _TOLD, _TRIED = 50, 70, 8
_DEPTHS = {DIFFERS: 1, ECHOES: 1, STRAYS: 3}
_GRANTED, _CROWDS, _NOTHING = 60, ((2, 2),) * 6 + ((0, 0), (1, 1), (3, 3), (4, 4)), 6

Goal = Callable[[int], Sequence[Wish]]
"""What a start of a revision may hold, so that it comes to something that few plays came to."""


@dataclass(frozen=True)
class Kept:
    """A play worth going near: its situation by the revision it was made for, its roles' and answers' choices."""

    side: int
    state: State
    situation: Situation
    tape: tuple[int, ...]
    reached: Reached

    @cached_property
    def depth(self) -> int:
        """How far another value went: in how many expressions and functions the revisions came to something else.

        Furthest went what changed the way through the steps.
        """
        return sum(_DEPTHS.get(what.rpartition(" ")[2], 0) for _, (_, what) in self.reached)


@dataclass(frozen=True)
class Origin:
    """A situation to play from.

    Attributes:
        placed: it.
        side: the revision it was made for.
        tape: choices to go along with it, where there are any.
        roles: arguments that are wished for, by parameter and procedure.
    """

    placed: Placed
    side: int
    tape: tuple[int, ...] = ()
    roles: Mapping[str, Json] = field(default_factory=dict)


@dataclass
class Luck:
    """How often a source was tried and how often a play came of it."""

    tried: int = 0
    played: int = 0

    def worth(self, chooser: Chooser) -> bool:
        """Whether to try it again: always at first, then as often as it is any good, and seldom anyway."""
        if self.tried < _TRUSTED:
            return True
        return chance(chooser, max(_HOPELESS, 100 * self.played // self.tried))


@dataclass
class Sources:
    """Makes origins for one procedure.

    Attributes:
        bench: both revisions.
        chooser: who chooses.
        goal: what to wish for.
        kept: plays that came to something that few came to.
        luck: with made states and with varied ones.
        telling: states of the new revision in which most functions come to something else.
        told: how many these are.
    """

    bench: Bench
    chooser: Chooser
    goal: Goal = lambda _: ()
    kept: list[Kept] = field(default_factory=list)
    luck: tuple[Luck, Luck] = field(default_factory=lambda: (Luck(), Luck()))
    turn: int = 0
    telling: list[State] = field(default_factory=list)
    told: int = 0

    def origin(self, rarity: Any) -> tuple[Origin | None, Luck | None]:  # noqa: ANN401
        """A situation, and whose luck it is; none where what was made cannot be read by both revisions."""
        self.turn += 1
        if self.kept and chance(self.chooser, _NEAR):
            if chance(self.chooser, _DEEP) and any(each.depth for each in self.kept):
                return self._near(self._deep(), ()), None
            picked = min((one_of(self.chooser, self.kept) for _ in range(_PICKED)), key=rarity)
            return self._near(picked, self._wishes(picked.side)), None
        side = self.turn % 2
        fixtures = self._fixtures(side)
        luck = self.luck[1 if fixtures and not (self.turn // 2 % 2 and self.luck[0].worth(self.chooser)) else 0]
        luck.tried += 1
        state = self.state(side, fixtures if luck is self.luck[1] else ())
        return (None if state is None else self._placed(state, side, self._wishes(side))), luck

    def _deep(self) -> Kept:
        """One of those in which another value went furthest, or nearly so."""
        most = max(each.depth for each in self.kept)
        least = max(1, most - self.chooser.below(_LESS))
        return one_of(self.chooser, [each for each in self.kept if each.depth >= least])

    def _wishes(self, side: int) -> Sequence[Wish]:
        return self.goal(side) if chance(self.chooser, _GRANTED) else ()

    def _fixtures(self, side: int) -> Sequence[Situation]:
        return self.bench.task.fixtures.new if side else self.bench.task.fixtures.old

    def state(self, side: int, fixtures: Sequence[Situation]) -> State | None:
        """A state of a revision, near one of some or made; none where none could be made."""
        program = self.bench.programs[side]
        try:
            if not fixtures:
                return made(program, self._sizes(program), self.chooser)
            fixture = one_of(self.chooser, fixtures)
            if chance(self.chooser, _AS_WRITTEN):
                return state_json(fixture, program)
            return varied(program, fixture, Sizes(), self.chooser)
        except NoValueError:
            return None

    def _sizes(self, program: Program) -> Sizes:
        """Mostly two players; now and then another number of them, or nothing of some kind."""
        nothing = {one_of(self.chooser, list(program.kinds)): (0, 0)} if chance(self.chooser, _NOTHING) else {}
        return Sizes(players=one_of(self.chooser, _CROWDS), things=nothing)

    def _placed(self, state: State, side: int, wishes: Sequence[Wish], tape: tuple[int, ...] = ()) -> Origin | None:
        if side and self.bench.task.fixtures.wishes and chance(self.chooser, _WISHED):
            found = self.wished(state)
            return None if found is None else Origin(found, side, tape, {})
        state = granted(state, self.bench.programs[side], wishes, self.chooser) if wishes else state
        if chance(self.chooser, _FORGOTTEN):
            names = sorted(self.bench.task.altered.names[side])
            state = forgetful(state, names, dict(self.bench.plurals[side]))
        found = placed(state, side, self.bench.ways, self.chooser)
        roles = {each.place: each.value for each in wishes}
        return None if found is None else Origin(found, side, tape, roles)

    def wished(self, state: State) -> Placed | None:
        """A state of the new revision with what a wish wants, such that much that changed comes to something else."""
        if self.telling and chance(self.chooser, _TOLD):
            return placed(one_of(self.chooser, self.telling), 1, self.bench.ways, self.chooser)
        best, most = None, -1
        for _ in range(_TRIED):
            wish = one_of(self.chooser, self.bench.task.fixtures.wishes)
            tried = solution(wish, state, self.bench.programs[1], self.chooser)
            one = placed(tried, 1, self.bench.ways, self.chooser)
            number = -1 if one is None else telling(self.bench).tells(one)
            if one is not None and number > most:
                best, most = one, number
                self._heed(tried, number)
        return best

    def _heed(self, state: State, number: int) -> None:
        """Keeps the states that tell most."""
        if number > self.told:
            self.telling.clear()
        if number and number >= self.told:
            self.telling.append(state)
        self.told = max(self.told, number)

    def _near(self, kept: Kept, wishes: Sequence[Wish]) -> Origin | None:
        tape = tweaked(kept.tape, self.chooser)
        if chance(self.chooser, _SAME_STATE):
            return self._placed(kept.state, kept.side, wishes, tape)
        program = self.bench.programs[kept.side]
        values = values_of(Names(program, kept.situation.base), self.chooser)
        try:
            state = nudged(kept.state, program, self.bench.constants, self.bench.read[kept.side], values)
        except NoValueError:
            return None
        return self._placed(state, kept.side, wishes, kept.tape if chance(self.chooser, 50) else tape)


def worth_otherwise(bench: Bench, states: int) -> str:
    """A changed function that comes to something else in one of some situations a solver wished for; or nothing."""
    if not bench.task.fixtures.wishes:
        return ""
    sources = Sources(bench, Seeded(bench.task.seed), lambda _: ())
    for turn in range(states):
        state = sources.state(1, bench.task.fixtures.new if turn % 2 else ())
        found = None if state is None else sources.wished(state)
        name = "" if found is None else telling(bench).first(found)
        if name:
            return name
    return ""
