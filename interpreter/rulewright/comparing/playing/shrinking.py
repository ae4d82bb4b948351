"""Makes a play that differs smaller, as long as it differs in the same way at the same place."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.data import Work
from rulewright.comparing.playing.replays import Found, Given, as_found, is_kept, replayed
from rulewright.comparing.playing.states import Start, State, carried, carried_roles
from rulewright.comparing.playing.translate_values import Crossing, LostError
from rulewright.inputs.names import CELLS, GAME, REMOVED, SETTINGS, SIDES
from rulewright.inputs.nodes import Json
from rulewright.program import types as ty
from rulewright.program.declarations import Field, Program
from rulewright.situations.making import copied


def plainer(value: Any, type_: ty.Type, program: Program) -> Iterator[Any]:
    """Values of a type that are plainer than this one."""
    match type_:
        case ty.OptionalType(inner):
            if value is not None:
                yield None
                yield from plainer(value, inner, program)
        case ty.NumberType(low, high):
            yield from filter(type_.holds, _numbers(value, low, high))
        case ty.FlagType() | ty.DirectionType():
            yield from (type(value)(0),) if value else ()
        case ty.WordType(values):
            words = [each.name for each in program.values[values].words]
            yield from words[: words.index(value)]
        case ty.SetType() | ty.ListType() | ty.BagType() | ty.DeckType() | ty.MapType():
            yield from _members(value)
        case ty.RecordType(record):
            yield from _parts(value, record, program)


def _parts(value: dict[str, Any], record: str, program: Program) -> Iterator[Any]:
    for part in program.records[record].parts:
        for each in plainer(value[part.name], part.type, program) if part.name in value else ():
            yield {**value, part.name: each}


def _numbers(value: int, low: int | None, high: int | None) -> Iterator[int]:
    """Numbers nearer to the plainest: 0, or the bound next to it."""
    plain = low if low is not None and low > 0 else high if high is not None and high < 0 else 0
    seen = {value}
    for each in (
        plain,
        plain + (1 if value > plain else -1),
        (value + plain) // 2,
        value + (-1 if value > plain else 1),
    ):
        if each not in seen and abs(each - plain) < abs(value - plain):
            seen.add(each)
            yield each


def _members(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        if value:
            yield {}
        yield from ({key: each for key, each in value.items() if key != name} for name in value)
    else:
        if value:
            yield []
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))


def fewer(state: State, program: Program) -> Iterator[State]:
    """The state without one thing, without what is said of a board's places, or of a relation."""
    for kind in program.kinds.values():
        things: Any = state.get(kind.plural, {})
        for id_ in things:
            found = copied(state)
            del found[kind.plural][id_]
            found[REMOVED] = [each for each in found.get(REMOVED, []) if each.rpartition("/")[2] != id_]
            yield {key: value for key, value in found.items() if key != REMOVED or value}
    for board in program.boards.values():
        given: Any = state.get(board.name, {})
        for part in (CELLS, SIDES):
            for place in given.get(part, {}):
                found = copied(state)
                del found[board.name][part][place]
                if not found[board.name][part]:
                    del found[board.name][part]
                yield found
    for name in program.relations:
        pairs: Any = state.get(name, [])
        yield from ({**state, name: pairs[:at] + pairs[at + 1 :]} for at in range(len(pairs)))


def stripped(state: State, program: Program) -> Iterator[State]:
    """The state without anything that has a start value, then without one attribute of all things of a kind."""
    optional = [
        (kind.plural, each.name) for kind in program.kinds.values() for each in kind.fields if each.start is not None
    ]
    for left_out in (optional, *([each] for each in optional)):
        found = copied(state)
        for board in program.boards:
            parts = found.get(board, {})
            found |= {board: {key: value for key, value in parts.items() if value}} if board in found else {}
        for plural, name in left_out:
            for attributes in found.get(plural, {}).values():
                attributes.pop(name, None)
        yield {key: value for key, value in found.items() if value or key not in {GAME, SETTINGS, REMOVED}}


def simpler(state: State, program: Program) -> Iterator[State]:
    """The state with one value left out, where it has a start value, or plainer."""
    for section, key, fields in _sections(state, program):
        for each in fields:
            holder = _holder(state, section, key)
            if each.name in holder:
                for value in _simpler(holder[each.name], each, program):
                    found = copied(state)
                    there = _holder(found, section, key)
                    if value is _LEFT_OUT:
                        del there[each.name]
                    else:
                        there[each.name] = value
                    yield found
    settings: Any = state.get(SETTINGS, {})
    for name in settings:
        kept = {each: value for each, value in settings.items() if each != name}
        yield {**state, SETTINGS: kept} if kept else {key: each for key, each in state.items() if key != SETTINGS}


_LEFT_OUT = object()


def _simpler(value: Any, field: Field, program: Program) -> Iterator[Any]:
    if field.start is not None:
        yield _LEFT_OUT
    yield from plainer(value, field.type, program)


def _sections(state: State, program: Program) -> Iterator[tuple[str, str, tuple[Field, ...]]]:
    for kind in program.kinds.values():
        things: Any = state.get(kind.plural, {})
        yield from ((kind.plural, id_, kind.fields) for id_ in things)
    if GAME in state:
        yield GAME, "", tuple(program.game.values())


def _holder(state: Any, section: str, key: str) -> Any:
    return state[section][key] if key else state[section]


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
