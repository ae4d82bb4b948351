"""Makes a play that differs smaller, as long as it differs in the same way at the same place."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.crossing import Crossing, LostError
from rulewright.comparing.playing.finding import Found, Given
from rulewright.comparing.playing.opening import Start
from rulewright.comparing.playing.plainer import fewer, simpler, stripped
from rulewright.comparing.playing.replaying import as_found, is_kept, replayed
from rulewright.comparing.playing.states import State, carried, carried_roles
from rulewright.comparing.playing.work import Work
from rulewright.inputs.nodes import Json
from rulewright.program.declarations import Program

_Way = Callable[[State, Program], Iterator[State]]


def shrunk(
    bench: Bench, first: Found, most: int, work: Work, shows: Callable[[Found], bool] = lambda _: True
) -> Found | None:
    """The smallest play met that parts alike, after at most so many plays; none where the first does not play again.

    `shows` says whether a smaller one shows what it is wanted for.

    It is made smaller by turns: answers become plain ones, things go, values become plainer. Each step that still
    parts in the same way is kept.
    """
    tries = _Tries(bench, most, work, shows)
    now = tries.of(first, first)
    while now is not None:
        smaller = next(tries.kept(now), None)
        if smaller is None:
            return now
        now = smaller
    return None


class _Tries:
    def __init__(self, bench: Bench, most: int, work: Work, shows: Callable[[Found], bool]) -> None:
        self._bench = bench
        self._work = work
        self._shows = shows
        self._left = most + 1
        self._failed: set[str] = set()

    def of(self, candidate: Found, before: Found) -> Found | None:
        """A candidate as it plays; none where it does not part like the one before, or was tried already."""
        text = repr((candidate.starts, candidate.given))
        if self._left <= 0 or text in self._failed:
            return None
        self._left -= 1
        self._failed.add(text)
        play = replayed(self._bench, candidate, self._work)
        if play is None or not is_kept(before, play):
            return None
        return as_found(self._bench, play)

    def kept(self, now: Found) -> Iterator[Found]:
        """Candidates that are smaller and part alike."""
        for candidate in self._candidates(now):
            if self._left <= 0 or self._work.over:
                return
            found = self.of(candidate, now)
            if found is not None and _weight(found) < _weight(now) and self._shows(found):
                yield found

    def _candidates(self, now: Found) -> Iterator[Found]:
        for way in (stripped, fewer):
            yield from (replace(now, starts=starts) for starts in self._starts(now, way))
        yield from (replace(now, given=given) for given in _answers(now.given))
        yield from (replace(now, starts=starts) for starts in self._starts(now, simpler))

    def _starts(self, now: Found, way: _Way) -> Iterator[tuple[Start, Start]]:
        """Starts with fewer things or plainer values, changed in the new revision and carried to the old one."""
        task = self._bench.task
        back = self._bench.ways.back
        procedures = self._bench.procedures(now.procedures)
        state = dict(now.starts[1].state)
        for smaller in way(state, task.new):
            try:
                old = _changed(dict(now.starts[0].state), state, smaller, back)
                roles = carried_roles(now.starts[1].roles, procedures[1], procedures[0], back)
            except LostError:
                continue
            yield Start(old, {**now.starts[0].roles, **roles}), Start(smaller, now.starts[1].roles)
        yield from self._only_old(now, way)

    def _only_old(self, now: Found, way: _Way) -> Iterator[tuple[Start, Start]]:
        """The same for what only the old revision has."""
        if self._bench.ways.alike:
            return
        state = dict(now.starts[0].state)
        for smaller in way(state, self._bench.task.old):
            try:
                same = carried(smaller, self._bench.ways.across) == carried(state, self._bench.ways.across)
            except LostError:
                continue
            if same:
                yield Start(smaller, now.starts[0].roles), now.starts[1]


def _weight(found: Found) -> tuple[int, int, int]:
    """How much there is to read: answers, then data, then large numbers and words."""
    states = repr([each.state for each in found.starts])
    given = repr(found.given)
    numbers = sum(int(each) for each in _digits(states + given))
    return len(found.given), len(states) + len(given), numbers


def _digits(text: str) -> Iterator[str]:
    word = ""
    for each in text + " ":
        if each.isdigit():
            word += each
        elif word:
            yield word
            word = ""


def _answers(given: tuple[Given, ...]) -> Iterator[tuple[Given, ...]]:
    """Answers with one left out, for a plain one to be given instead, or with lower faces and numbers."""
    for at, each in enumerate(given):
        for plain in _plainer(each):
            yield (*given[:at], plain, *given[at + 1 :])


def _plainer(given: Given) -> Iterator[Given]:
    (old_at, old), (new_at, new) = given
    yield (old_at, _NOTHING), (new_at, _NOTHING)
    if old == new:
        yield from (((old_at, each), (new_at, each)) for each in _smaller(old))


_NOTHING: Json = {"no": "answer"}
"""Fits no question, so that the plainest answer is given."""


def _smaller(answer: Json) -> Iterator[Json]:
    match answer:
        case bool():
            return
        case int():
            yield from (each for each in (0, 1, answer // 2, answer - 1) if 0 <= each < answer)
        case list():
            for at, member in enumerate(answer):
                yield from ([*answer[:at], each, *answer[at + 1 :]] for each in _smaller(member))
        case dict():
            yield from ({name: each for name, each in answer.items() if name != left} for left in answer)
            for name, entry in answer.items():
                yield from ({**answer, name: each} for each in _smaller(entry))


def _changed(old: State, before: State, after: State, back: Crossing) -> State:
    """The old state after what was changed in the new one; what only the old one has stays."""
    laid = _laid(old, carried(before, back), carried(after, back))
    assert isinstance(laid, dict)
    return laid


def _laid(old: Json, before: Json, after: Json) -> Json:
    if not isinstance(old, dict) or not isinstance(before, dict) or not isinstance(after, dict):
        return old if before == after else after
    found: dict[str, Json] = {}
    for key, each in old.items():
        if key in before and key not in after:
            continue
        found[key] = _laid(each, before[key], after[key]) if key in before else each
    return found | {key: each for key, each in after.items() if key not in old and key not in before}
