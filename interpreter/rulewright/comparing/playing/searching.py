"""Searches for plays that differ: near fixtures, in made states, and near what came to a change before."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from rulewright.comparing.playing.answering import answers
from rulewright.comparing.playing.bench import Bench, Reached
from rulewright.comparing.playing.finding import Found, found
from rulewright.comparing.playing.listening import COMBINED, STRAYS, Hit, wanted
from rulewright.comparing.playing.points import Point
from rulewright.comparing.playing.side_by_side import UNUSABLE, Played, played
from rulewright.comparing.playing.situating import beginnings
from rulewright.comparing.playing.sources import Kept, Origin, Sources
from rulewright.comparing.playing.tables import bits
from rulewright.comparing.playing.tape import Tape
from rulewright.comparing.playing.work import BEGINNING, ORIGIN, Work
from rulewright.machine.request import Faulted
from rulewright.situations.chooser import Seeded, one_of
from rulewright.situations.making import Wish


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
    """What one part of a search found.

    Attributes:
        plays: of each procedure begun with, in the order of the task.
        hits: in how many plays each thing happened.
        found: plays that differ, one for each key, the smallest first seen.
        strayed: in how many plays nothing differed but the way through the steps, by the first step that did.
        limits: how many plays each limit of the machine ended, by its code.
        work: what it cost.
        cut: whether the clock ended it.
    """

    plays: tuple[int, ...]
    hits: Counter[tuple[int, Hit]]
    found: tuple[Found, ...]
    strayed: Counter[str]
    limits: Counter[str]
    work: int
    cut: bool


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
        self._work.spend(ORIGIN)
        origin, luck = sources.origin(self._rarity)
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
            play = played(
                self._bench.executables, opened, lambda asked, paused, common: answers(asked, paused, common, tape)
            )
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
