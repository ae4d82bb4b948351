"""Searches for plays that differ: where situations come from, which tell most, and what is kept of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from rulewright.comparing.playing.answers import Tape, answers, tweaked, values_of
from rulewright.comparing.playing.bench import COMBINED, DIFFERS, ECHOES, STRAYS, Bench, Hit, Reached, Task, wanted
from rulewright.comparing.playing.data import BEGINNING, ORIGIN, VISITED, Work
from rulewright.comparing.playing.functions import Meter, Taken, as_measure, called_in
from rulewright.comparing.playing.points import Point
from rulewright.comparing.playing.replays import Found, found
from rulewright.comparing.playing.side_by_side import UNUSABLE, Played, played
from rulewright.comparing.playing.starts import Placed, beginnings, forgetful, nudged, placed, solution
from rulewright.comparing.playing.states import State
from rulewright.comparing.playing.tables import bits
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json
from rulewright.inputs.state_json import state_json
from rulewright.machine.compile import compile_program
from rulewright.machine.request import Faulted
from rulewright.machine.state import Situation
from rulewright.program.declarations import Measure, Paths, Program
from rulewright.situations.making import Wish, granted, made, varied
from rulewright.situations.values import Chooser, NoValueError, Seeded, Sizes, chance, one_of


class Telling:
    """Takes functions of both revisions in a state."""

    def __init__(self, bench: Bench) -> None:
        task = bench.task
        pairs = list(_pairs(task))
        measures = tuple({each.name: each for each in row} for row in zip(*pairs, strict=True)) or ({}, {})
        programs = (replace(task.old, measures=measures[0]), replace(task.new, measures=measures[1]))
        executables = (compile_program(programs[0], traced=False), compile_program(programs[1], traced=False))
        self._changed = {each.name for each in task.altered.names[1]}
        self.meter = Meter()
        self._taken = [Taken(bench.ways, executables, pair, self.meter) for pair in pairs]

    def first(self, found: Placed) -> str:
        """The first function that changed itself and comes to something else in a state; empty where none does."""
        own = (each for each in self._taken if each.measures[1].name in self._changed)
        return next((each.measures[1].name for each in own if each.differing(found) is not None), "")

    def tells(self, found: Placed) -> int:
        """How many functions come to something else in a state, for some arguments."""
        return sum(each.differing(found) is not None for each in self._taken)


_KNOWN: WeakKeyDictionary[Bench, Telling] = WeakKeyDictionary()


def telling(bench: Bench) -> Telling:
    """What takes the functions of a bench in states, made once."""
    found = _KNOWN.get(bench)
    if found is None:
        found = _KNOWN[bench] = Telling(bench)
    return found


def visited_by(bench: Bench) -> int:
    """How much the functions of a bench came to since this was asked last."""
    known = _KNOWN.get(bench)
    if known is None:
        return 0
    visited, known.meter.visited = known.meter.visited, 0
    return visited


def _pairs(task: Task) -> Iterator[tuple[Measure, Measure]]:
    """Functions that changed or call one that did, as measures of either revision."""
    reaching = _reaching(task.new, {each.name for each in task.altered.names[1]})
    for before, after in task.names.names.items():
        if before.sort in {"function", "attribute"} and after.name in reaching:
            pair = _measure(task.old, before.name), _measure(task.new, after.name)
            if pair[0] is not None and pair[1] is not None:
                yield pair[0], pair[1]


def _measure(program: Program, name: str) -> Measure | None:
    function = program.functions.get(name)
    return None if function is None or isinstance(function.body, Paths) else as_measure(function, name)


def _reaching(program: Program, changed: set[str]) -> set[str]:
    """The functions among some names, and those that call them, through others too."""
    calls = {name: called_in(function) for name, function in program.functions.items()}
    found = changed & calls.keys()
    while more := {name for name, called in calls.items() if name not in found and called & found}:
        found |= more
    return found


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
    """A situation to play from."""

    placed: Placed
    side: int  # the revision it was made for
    tape: tuple[int, ...] = ()  # choices to go along with it, where there are any
    roles: Mapping[str, Json] = field(default_factory=dict)  # arguments that are wished for, by parameter and procedure


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
    """Makes origins for one procedure."""

    bench: Bench  # both revisions
    chooser: Chooser  # who chooses
    goal: Goal = lambda _: ()  # what to wish for
    kept: list[Kept] = field(default_factory=list)  # plays that came to something that few came to
    luck: tuple[Luck, Luck] = field(default_factory=lambda: (Luck(), Luck()))  # with made states and with varied ones
    turn: int = 0
    # states of the new revision in which most functions come to something else
    telling: list[State] = field(default_factory=list)
    told: int = 0  # how many these are

    def origin(self, rarity: Any) -> tuple[Origin | None, Luck | None]:
        """A situation, and whose luck it is; none where what was made cannot be read by both revisions."""
        self.turn += 1
        if self.kept and chance(self.chooser, _NEAR):
            if chance(self.chooser, _DEEP) and any(each.depth for each in self.kept):
                return self._near(self._deep(), ()), None
            picked = min((one_of(self.chooser, self.kept) for _ in range(_PICKED)), key=rarity)
            return self._near(picked, self._wishes(picked.side)), None
        side = self.turn % 2
        fixtures = self.bench.task.fixtures.new if side else self.bench.task.fixtures.old
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
                if number > self.told:
                    self.telling.clear()
                if number and number >= self.told:
                    self.telling.append(tried)
                self.told = max(self.told, number)
        return best

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


def strayed(play: Played) -> str:
    """The first step, by its new address, that only one revision entered or passed over; empty where there is none.

    Steps that only one revision has do not count.
    """
    steps = {
        old.name: new.name for old, new in play.opened.common.ways.across.names.names.items() if old.sort == "step"
    }
    known = set(steps.values())
    first = [(steps[address], entered) for address, entered in play.steps(0) if address in steps]
    second = [(address, entered) for address, entered in play.steps(1) if address in known]
    return next(_apart(first, second), "")


def _apart(first: list[tuple[str, bool]], second: list[tuple[str, bool]]) -> Iterator[str]:
    for one, other in zip(first, second, strict=False):
        if one != other:
            yield other[0]
    longer = max(first, second, key=len)
    yield from (address for address, _ in longer[min(len(first), len(second)) :])


_KEPT, _IDLE, _LOOKED = 300, 150, 20


@dataclass(frozen=True)
class Shard:
    """What one part of a search found."""

    plays: tuple[int, ...]  # of each procedure begun with, in the order of the task
    hits: Counter[tuple[int, Hit]]  # in how many plays each thing happened
    found: tuple[Found, ...]  # plays that differ, one for each key, the smallest first seen
    # in how many plays nothing differed but the way through the steps, by the first step that did
    strayed: Counter[str]
    limits: Counter[str]  # how many plays each limit of the machine ended, by its code
    work: int  # what it cost
    cut: bool  # whether the clock ended it


@dataclass
class _State:
    plays: Counter[int] = field(default_factory=Counter)
    hits: Counter[tuple[int, Hit]] = field(default_factory=Counter)
    found: dict[object, Found] = field(default_factory=dict)
    strayed: Counter[str] = field(default_factory=Counter)
    limits: Counter[str] = field(default_factory=Counter)
    idle: int = 0


def searched(bench: Bench, number: int, enough: int, work: Work) -> Shard:
    """A part of a search by its number, until its work is done or enough different plays differ.

    The same number and work give the same plays.
    """
    before = work.left
    search = _Search(bench, number, work)
    state = search.state
    for at in count():
        if work.over or len(state.found) >= enough or (state.found and state.idle >= _IDLE):
            break
        search.step(at % len(bench.task.entrances))
    counts = tuple(state.plays[at] for at in range(len(bench.task.entrances)))
    differing = tuple(state.found.values())
    return Shard(counts, state.hits, differing, state.strayed, state.limits, before - work.left, work.cut)


def key(each: Found) -> object:
    """What tells kinds of difference apart: the procedure, where the revisions part and how, and the one change."""
    old, new = each.touched
    single = (old, new) if len(old) <= 1 and len(new) <= 1 else ()
    if each.sort == "legal":
        return each.sort, single
    return each.procedures, each.sort, each.addresses, single


class _Search:
    def __init__(self, bench: Bench, number: int, work: Work) -> None:
        self.state = _State()
        self._bench = bench
        self._work = work
        self._seed = bench.task.seed * 1_000_003 + number
        self._chooser = Seeded(self._seed)
        self._sources = [Sources(bench, self._chooser, self._goal) for _ in bench.task.entrances]
        self._turn = 0
        self._open: list[tuple[Point, list[int]]] = []

    def step(self, entrance: int) -> None:
        """One situation, and a play where both revisions can begin in it."""
        sources = self._sources[entrance]
        origin, luck = sources.origin(self._rarity)
        self._work.spend(ORIGIN + visited_by(self._bench) // VISITED)
        if origin is None:
            return
        self._turn += 1
        tape = Tape(self._seed + self._turn * 7919, origin.tape)
        play = self._play(origin, entrance, tape)
        if play is None:
            return
        reached = self._bench.heard(play)
        astray = "" if play.differs else strayed(play)
        if astray:
            reached |= {(1, (astray, f"{astray} {STRAYS}"))}
            self.state.strayed[astray] += 1
        if luck is not None:
            luck.played += 1
        self._note(play, entrance, reached)
        self._keep(origin, sources, tuple(tape.made), reached)

    def _play(self, origin: Origin, entrance: int, tape: Tape) -> Played | None:
        """The first play that begins in a situation."""
        procedures = self._bench.procedures(self._bench.task.entrances[entrance])
        name = procedures[origin.side].name
        known = {each.name for each in procedures[origin.side].parameters}
        named = ((place.rpartition("/"), value) for place, value in origin.roles.items())
        roles = {role: value for (owner, _, role), value in named if owner == name and role in known}
        for opened in beginnings(origin.placed, origin.side, procedures, self._bench.ways, tape, roles):
            play = played(self._bench.executables, opened, lambda asked, common: answers(asked, common, tape))
            self._work.spend(BEGINNING + play.work)
            if play.sort != UNUSABLE:
                return play
            self._bench.heard(play)
            if play.turns or isinstance(play.outcomes[0], Faulted):
                return None
        return None

    def _note(self, play: Played, entrance: int, reached: Reached) -> None:
        state = self.state
        state.plays[entrance] += 1
        state.hits.update(reached)
        state.limits.update(play.limits)
        state.idle += 1
        if play.differs:
            here = found(play, reached)
            known = state.found.get(key(here))
            if known is None:
                state.idle = 0
            if known is None or here.size < known.size:
                state.found[key(here)] = here

    def _keep(self, origin: Origin, sources: Sources, tape: tuple[int, ...], reached: Reached) -> None:
        """Keeps what came to something that few plays came to, or began at all where few did."""
        if not sources.kept or any(self.state.hits[each] <= wanted(each[1]) for each in reached):
            state, situation = origin.placed.states[origin.side], origin.placed.situations[origin.side]
            sources.kept.append(Kept(origin.side, state, situation, tape, reached))
            if len(sources.kept) > _KEPT:
                sources.kept.pop(self._chooser.below(len(sources.kept)))

    def _goal(self, side: int) -> Sequence[Wish]:
        """What to wish for: what is asked for from outside, else a combination that few plays came to."""
        asked = [wishes for at, wishes in self._bench.task.wishes if at == side]
        if asked and self._turn % 2:
            return one_of(self._chooser, asked)
        if self._turn % _LOOKED == 0 or not self._open:
            self._open = list(self._lacking())
        if not self._open:
            return ()
        point, combinations = one_of(self._chooser, self._open)
        return self._bench.wishes[side].of(point, one_of(self._chooser, combinations), side)

    def _lacking(self) -> Iterator[tuple[Point, list[int]]]:
        """Points with the combinations that lead on: what differs always, else what was seldom met."""
        for number, point in enumerate(self._bench.points):
            if point.table is None:
                continue
            at = 0 if point.roots[1] is None else 1
            seldom = [
                each
                for each in bits(point.table.differing)
                if self.state.hits[at, (point.addresses[at], f"{number} {each}")] < COMBINED
            ]
            found = seldom or (list(bits(point.table.differing)) if point.is_pair else [])
            if found:
                yield point, found

    def _rarity(self, kept: Kept) -> int:
        return min((self.state.hits[each] for each in kept.reached), default=1_000_000)
