"""Compares how two revisions play, from the procedures that plays begin with."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING

from rulewright.comparing.edits import Correspondence
from rulewright.comparing.playing.bench import Bench, Task
from rulewright.comparing.playing.changes import Altered, altered, said_of
from rulewright.comparing.playing.data import (
    EFFORT,
    NO_FIXTURES,
    Behaviour,
    Changed,
    Effort,
    Entrance,
    Fault,
    Fixtures,
    Heed,
    Migrated,
    Progress,
    Separated,
    Settled,
    Subject,
    Tried,
    ValueWitness,
    Verdict,
    Witness,
    Work,
)
from rulewright.comparing.playing.exhausting import exhausted
from rulewright.comparing.playing.fixtures import held
from rulewright.comparing.playing.functions import equal_names, measured, tried
from rulewright.comparing.playing.points import entries, reaches, settled
from rulewright.comparing.playing.replays import Found, again, begun, found, played_again, replayed, save_of, with_faces
from rulewright.comparing.playing.searching import Shard, key, strayed, worth_otherwise
from rulewright.comparing.playing.side_by_side import SAME, Played
from rulewright.comparing.playing.spreading import PARTS, Separate, Shown, shards, smallest
from rulewright.comparing.playing.starts import levelled
from rulewright.comparing.playing.translate_values import ways
from rulewright.comparing.playing.witnesses import chosen, evidence, verdict, witness
from rulewright.inputs.save import Save
from rulewright.machine.request import Faulted
from rulewright.program.declarations import Program
from rulewright.program.types import DieType, PoolType
from rulewright.program.walk import may_hold

if TYPE_CHECKING:
    from rulewright.comparing.playing.bench import Hit


def _both(task: Task) -> tuple[tuple[str, str], ...]:
    """The procedures that can be begun in both revisions, by old and new name."""
    return tuple(
        (old, new)
        for old in task.old.procedures
        for new in [task.names.new("procedure", old) or ""]
        if new in task.new.procedures and _is_begun(task.old, old) and _is_begun(task.new, new)
    )


def _is_begun(program: Program, name: str) -> bool:
    """Whether a procedure can be begun by itself: nobody gives it dice for a role."""
    procedure = program.procedures[name]
    return not procedure.inner and not any(
        may_hold(each.type, (DieType, PoolType), program) for each in procedure.parameters
    )


def entered(task: Task) -> tuple[Task, tuple[str, ...]]:
    """The task with the procedures to begin with, and the new names of those that come to nothing that changed."""
    begun = (
        entries(task.old) | {each.procedure for each in task.fixtures.plays},
        entries(task.new) | {each.procedure for each in task.fixtures.new_plays},
    )
    pairs = tuple(
        (old, new)
        for old, new in _both(task)
        if old in begun[0] or new in begun[1] or _begins_otherwise(old, new, task)
    )
    taken = matter(replace(task, entrances=pairs))
    return taken, tuple(new for old, new in pairs if (old, new) not in taken.entrances)


def performed(task: Task) -> tuple[tuple[str, str], ...]:
    """What else can be begun and come to what changed: procedures that others perform."""
    every = matter(replace(task, entrances=_both(task))).entrances
    return tuple(each for each in every if each not in task.entrances)


def _begins_otherwise(old: str, new: str, task: Task) -> bool:
    """Whether an argument that is left out means something else: only a play that begins with it can tell."""
    here, there = task.old.procedures[old], task.new.procedures[new]
    known = {f"{new}/{each.name}": default for each, default in zip(there.parameters, there.defaults, strict=True)}
    pairs = (
        (default, known[target])
        for each, default in zip(here.parameters, here.defaults, strict=True)
        for target in [task.names.new("parameter", f"{old}/{each.name}")]
        if target in known
    )
    return any(said_of(first) != said_of(second) for first, second in pairs)


def matter(task: Task) -> Task:
    """The task without procedures that come to nothing that changed."""
    old, new = reaches(task.old, task.altered.names[0]), reaches(task.new, task.altered.names[1])
    return replace(task, entrances=tuple(each for each in task.entrances if each[0] in old or each[1] in new))


_POOL = 60
_EXHAUSTING = 4
"""All plays of one procedure may take this part of the work that is left."""
_SEARCHING, _PERFORMED, _SEPARATING = 55, 30, 75
"""Percent of the work left then; what these leave is for shrinking."""
_SITUATIONS = 40
_OTHER_FACES, _FEW_TURNS, _MANY_FACES, _LEVELLED = 10, 6, 20, 40
"""Recorded plays of so few answers are played with other faces of dice of so many, for this part of the work."""


def compare_plays(  # noqa: PLR0913, PLR0917
    old: Program,
    new: Program,
    names: Correspondence,
    changed: Changed | None = None,
    fixtures: Fixtures = NO_FIXTURES,
    effort: Effort = EFFORT,
    seed: int = 0,
    heed: Heed = lambda _: None,
    separate: Separate | None = None,
    suites: Callable[[Work], Iterable[Migrated]] = lambda _: (),
) -> Behaviour:
    """Plays two revisions side by side where a change can matter, and says what differs.

    Changed functions that depend on arguments and settings alone are tried for all of these. Then procedures that
    nothing else performs are begun, where they can come to something that changed: all their plays where these are few,
    else plays from made and varied situations. Where these play alike, so are the others that can be begun. The same
    seed and work give the same result, unless time cuts it.

    Args:
        old: the old revision.
        new: the new one.
        names: which old names are which new ones.
        changed: names of what changed; where it is none, everything that says something else.
        fixtures: situations to begin near.
        effort: how much is tried.
        seed: of all choices.
        heed: told how far it is.
        separate: tells which edits plays show; where it is none, nothing is said of that.
        suites: plays the scenarios of the old revision under both; all of them, whatever that costs.
    """
    task = Task(old, new, names, altered(old, new, names, changed), fixtures, (), seed)
    work = Work(effort.work, None if effort.seconds is None else monotonic() + effort.seconds)
    scenarios = tuple(suites(work))
    functions = tuple(tried(task, effort.arguments, work))
    heed(Progress("functions", len(functions), len(functions), sum(each is not None for _, each in functions)))
    task = replace(task, altered=_without(task.altered, [each for each, _ in functions]))
    left, alike = settled(task.altered, (old, new), ways(old, new, names))
    task, spared = entered(replace(task, altered=left))
    measures = tuple(measured(task, work))
    differing = (*(each for _, each in functions), *held(old, new, names), *(each.differs for each in measures))
    values = tuple(each for each in differing if each is not None)
    same = next((each for each in measures if not each.differs and (each.itself or not task.entrances)), None)
    tried_functions = tuple(each for each, _ in functions)
    comparison = _Comparison(task, effort, work, heed, separate)
    unsure = f"measure `{same.name}` was the same in {same.states} states" if same else ""
    found = comparison.told(spared, tried_functions, alike, values, unsure)
    differs = any(each.outcome == "differs" for each in scenarios)
    return replace(found, scenarios=scenarios, verdict=Verdict("changed") if differs else found.verdict)


def _cut(said: Verdict, effort: Effort) -> Verdict:
    """What may be said where the clock ended a comparison: a sample that was to be larger is none."""
    if said.word != "unknown" and said.how != "sampled":
        return said
    return Verdict("unknown", limit=f"cut after {effort.seconds:g} s; {said.limit or 'nothing differed until then'}")


def _without(changes: Altered, functions: Sequence[Tried]) -> Altered:
    """What changed but for functions that are equal everywhere."""
    equal = equal_names(functions)
    old, new = (
        tuple(each for each in places if each.owner not in known)
        for places, known in zip(changes.places, equal, strict=True)
    )
    return replace(changes, names=(changes.names[0] - equal[0], changes.names[1] - equal[1]), places=(old, new))


_Recorded = tuple[Save, int, tuple[str, str], Played]
"""A recorded play: its data, its revision, what it begins in both, and how both play it."""


def _new_fault(play: Played) -> Fault | None:
    """Where the new revision ends at a line that cannot be carried out, and the old one does not."""
    old, new = play.outcomes
    if play.sort != "fault" or isinstance(old, Faulted) or not isinstance(new, Faulted):
        return None
    return Fault(new.address, new.code, new.message)


class _Comparison:
    """One comparison: what was played so far."""

    def __init__(self, task: Task, effort: Effort, work: Work, heed: Heed, separate: Separate | None) -> None:
        self._task = task
        self._effort = effort
        self._work = work
        self._heed = heed
        self._separate = separate
        self._bench = Bench(task)
        self._plays: Counter[tuple[str, str]] = Counter()
        self._hits: Counter[tuple[int, Hit]] = Counter()
        self._found: list[Found] = []
        self._strayed: Counter[str] = Counter()
        self._limits: Counter[str] = Counter()
        self._exhausted: dict[tuple[str, str], str] = {}
        self._faults: dict[tuple[str, str], Fault] = {}

    def told(
        self,
        spared: tuple[str, ...],
        functions: tuple[Tried, ...],
        alike: tuple[Settled, ...],
        values: tuple[ValueWitness, ...],
        unsure: str,
    ) -> Behaviour:
        left = self._exhaust(self._task.entrances)
        self._play_recorded(left)
        self._search(left, _SEARCHING)
        more = () if self._found else performed(self._task)
        if more:
            self._task = replace(self._task, entrances=(*self._task.entrances, *more))
            self._bench = self._bench.of(self._task)
            self._search(self._exhaust(more), _PERFORMED)
        shown, separated = self._shown()
        witnesses = tuple(self._witnesses(shown))
        entrances = tuple(Entrance(*each, self._plays[each], each in self._exhausted) for each in self._task.entrances)
        plays = self._plays.total()
        apart = "" if self._found or unsure else worth_otherwise(self._bench, _SITUATIONS)
        gathered = evidence(self._bench, self._hits, plays)
        said = verdict(
            witnesses=witnesses,
            values=values,
            entrances=entrances,
            spaces=self._exhausted,
            functions=functions,
            settled=alike,
            evidence=gathered,
            differed=bool(self._found),
            strayed=next(iter(sorted(self._strayed)), ""),
            limits=self._limits,
            plays=plays,
            unsure=f"`{apart}` has another value in some situation, but no play shows it" if apart else unsure,
            seed=self._task.seed,
        )
        return Behaviour(
            said if not self._work.cut else _cut(said, self._effort),
            self._task.seed,
            self._effort.work - self._work.left,
            self._effort.seconds if self._work.cut else None,
            plays,
            entrances,
            spared,
            functions,
            gathered,
            witnesses,
            values,
            separated,
            settled=alike,
            limits=tuple(sorted(self._limits.items())),
            faults=tuple(self._faults.values()),
        )

    def _exhaust(self, entrances: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Tries all plays of procedures where these are few; comes to the procedures of which they are not."""
        for each in entrances:
            part = self._work.part(self._work.left // _EXHAUSTING)
            before = part.left
            every = exhausted(self._bench, each, self._effort.arguments, part)
            self._work.join(before - part.left, cut=part.cut)
            if every is not None:
                self._exhausted[each] = every.space
                self._plays[each] = every.plays
                self._found += every.found
        return tuple(each for each in entrances if each not in self._exhausted)

    def _play_recorded(self, left: Sequence[tuple[str, str]]) -> None:
        """Plays what people wrote down, then the shortest of that with other faces of its dice."""
        played: list[_Recorded] = []
        for save, side in again(self._bench):
            entrance = begun(self._bench, save, side)
            known = entrance in self._task.entrances
            play = played_again(self._bench, save, side, self._work) if known else None
            if play is not None and entrance is not None and (play.differs or (play.sort == SAME and entrance in left)):
                self._note(play, entrance)
                played.append((save, side, entrance, play))
        for others in (self._play_faces, self._play_levels):
            part = self._work.part(self._work.left // _OTHER_FACES)
            before = part.left
            others(sorted(played, key=lambda each: len(each[3].turns)), part)
            self._work.join(before - part.left, cut=part.cut)

    def _play_faces(self, played: Sequence[_Recorded], work: Work) -> None:
        """Plays short recorded plays with other faces of their dice."""
        for save, side, entrance, play in played:
            if len(play.turns) <= _FEW_TURNS and self._bench.heard(play):
                self._play_other_faces(save, side, entrance, play, work)

    def _play_levels(self, played: Sequence[_Recorded], work: Work) -> None:
        """Plays the shortest recorded plays with the numbers of all things at their largest, and about constants."""
        near = dict.fromkeys(each + by for each in self._bench.constants for by in (1, 0, -1))
        few = [each for each in played if self._bench.heard(each[3])][:_LEVELLED]
        for level in (None, *near):
            for save, side, entrance, _ in few:
                if work.over or self._found:
                    return
                start = levelled(dict(save.start), self._bench.programs[side], level)
                changed = replace(save, start=start)
                play = played_again(self._bench, changed, side, work)
                if play is not None and play.differs:
                    self._note(play, entrance)
                elif play is not None:
                    self._play_other_faces(changed, side, entrance, play, work)

    def _play_other_faces(self, save: Save, side: int, entrance: tuple[str, str], play: Played, work: Work) -> None:
        """Plays a recorded play with every face of each of its rolls, and notes how many come to a fault."""
        for number, turn in enumerate(play.turns):
            faces = max(map(len, turn.asked.dice), default=0)
            if not 1 < faces <= _MANY_FACES:
                continue
            others = (
                played_again(self._bench, save, side, work, with_faces(save.answers, number, face, side))
                for face in range(faces)
                if not work.over
            )
            ended: Counter[tuple[str, str, str]] = Counter()
            for other in filter(None, others):
                if other.differs:
                    self._note(other, entrance)
                fault = _new_fault(other)
                if fault is not None and len(other.turns) == number + 1:
                    ended[fault.address, fault.code, fault.message] += 1
            if len(turn.asked.dice) == 1 and not work.over:
                self._note_shares(ended, turn.asked.addresses[1], faces)

    def _note_shares(self, ended: Counter[tuple[str, str, str]], roll: str, faces: int) -> None:
        """Notes how many faces of a roll come to a fault, where no roll is known that does."""
        for told, times in ended.items():
            known = self._faults.get(told[:2])
            if known is None or not known.roll:
                self._faults[told[:2]] = Fault(*told, roll, times, faces)

    def _note(self, play: Played, entrance: tuple[str, str]) -> None:
        reached = self._bench.heard(play)
        self._plays[entrance] += 1
        self._hits.update(reached)
        self._limits.update(play.limits)
        if play.differs:
            self._found.append(found(play, reached))
            self._note_fault(play)
        elif astray := strayed(play):
            self._strayed[astray] += 1

    def _note_fault(self, play: Played) -> None:
        fault = _new_fault(play)
        if fault is not None:
            self._faults.setdefault((fault.address, fault.code), fault)

    def _search(self, entrances: Sequence[tuple[str, str]], percent: int) -> None:
        """Plays from made and varied situations for so many percent of the work, unless there is enough to show."""
        if not entrances or (self._found and self._enough()):
            return
        task = replace(self._task, entrances=tuple(entrances))
        part = self._work.part(self._work.left * percent // 100)
        for number, shard in enumerate(shards(self._bench.of(task), part, self._effort), 1):
            known = {key(each) for each in self._found}
            self._take(shard, task)
            self._heed(Progress("playing", number, PARTS, len(chosen(self._found, self._effort.witnesses))))
            if self._enough() or (self._found and not any(key(each) not in known for each in shard.found)):
                break

    def _enough(self) -> bool:
        """Whether there is as much to show as is wanted, or something for every place that changed."""
        seen = [{each for one in self._found for each in one.touched[side]} for side in (0, 1)]
        whole = all(changed <= touched for changed, touched in zip(self._bench.changed, seen, strict=True))
        return len(chosen(self._found, self._effort.witnesses)) >= self._effort.witnesses or (
            whole and bool(self._found)
        )

    def _take(self, shard: Shard, task: Task) -> None:
        self._work.join(shard.work, cut=shard.cut)
        self._plays.update(dict(zip(task.entrances, shard.plays, strict=True)))
        self._hits.update(shard.hits)
        self._found += shard.found
        self._strayed.update(shard.strayed)
        self._limits.update(shard.limits)

    def _shown(self) -> tuple[list[Shown], Separated | None]:
        """The plays that are shown: those about an edit each, then others that differ otherwise."""
        most = self._effort.witnesses
        best = chosen(self._found, most)
        if self._separate is None or not best:
            return [Shown(each) for each in best], None
        pool = [save_of(each) for each in chosen(self._found, _POOL)]
        part = self._work.part(self._work.left * _SEPARATING // 100)
        before = part.left
        apart = self._separate(self._task, best, pool, part, self._effort.workers, self._heed)
        self._work.join(before - part.left, cut=part.cut)
        about = {(each.found.sort, each.found.addresses[0]) for each in apart.shown}
        others = [Shown(each) for each in best if (each.sort, each.addresses[0]) not in about]
        limit = max(most, len(apart.shown)) if self._effort.every else most
        return [*apart.shown, *others][:limit], apart.separated

    def _witnesses(self, shown: Sequence[Shown]) -> Iterator[Witness]:
        """The plays that are shown, each made smaller and played once more."""
        told: list[tuple[Found, Subject | None]] = []
        made = smallest(self._bench, [(each.found, each.alone) for each in shown], self._work, self._effort)
        for number, (each, smaller) in enumerate(zip(shown, made, strict=True), 1):
            self._heed(Progress("shrinking", number, len(shown), len(shown)))
            self._work.join(smaller.work, cut=smaller.cut)
            data = smaller.found
            play = None if data is None or (data, each.subject) in told else replayed(self._bench, data, self._work)
            if data is not None and play is not None:
                told.append((data, each.subject))
                self._note_fault(play)
                yield witness(play, data, self._bench.executables, each.subject)
