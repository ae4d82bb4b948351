"""Plays as data, and plays made again from data: found by a search, or written down by people."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.comparing.playing.answers import Pair, Plain, Same, answers, translated
from rulewright.comparing.playing.bench import REACHED, Bench, Reached
from rulewright.comparing.playing.data import READING, Work
from rulewright.comparing.playing.side_by_side import Answers, Played, Turn, played
from rulewright.comparing.playing.starts import filled, forgetful
from rulewright.comparing.playing.states import Start, carried, carried_roles, opened_in_both, spelled_out
from rulewright.comparing.playing.translate_values import Common, LostError
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_json, read_answer
from rulewright.inputs.names import Names
from rulewright.inputs.nodes import Json, unplaced
from rulewright.inputs.save import Answered, Save
from rulewright.inputs.state_json import state_json
from rulewright.machine.request import Faulted, Refused
from rulewright.machine.run import Outcome, Paused
from rulewright.situations.making import situation_of
from rulewright.situations.values import NoValueError

Given = tuple[tuple[str, Json], tuple[str, Json]]
"""An answer: where it was given and what, in the old revision and in the new one."""


_CONFUSING = 10_000


@dataclass(frozen=True, slots=True)
class Found:
    """A play of both revisions that parts, or may part."""

    procedures: tuple[str, str]  # old and new name of what is begun
    starts: tuple[Start, Start]  # as data, of both
    given: tuple[Given, ...]  # the answers of both
    sort: str  # of the first difference
    addresses: tuple[str, str]  # where each revision stands then; empty at an end
    touched: tuple[tuple[str, ...], tuple[str, ...]]  # changed places that each came to before

    @property
    def size(self) -> int:
        """How much there is to read; one thing in two roles reads worse than any two things."""
        return len(str(self.starts)) + 20 * len(self.given) + _CONFUSING * self.doubles

    @property
    def doubles(self) -> bool:
        """Whether one thing has two roles."""
        roles = [each for each in self.starts[0].roles.values() if isinstance(each, str)]
        return len(set(roles)) < len(roles)


def found(play: Played, reached: Reached) -> Found:
    """A play as data, with the addresses of what changed that it came to."""
    first, second = play.opened.procedures
    old, new = (tuple(sorted({hit[0] for at, hit in reached if at == side and hit[1] == REACHED})) for side in (0, 1))
    return Found(
        (first.name, second.name),
        play.opened.starts,
        tuple(_given(play)),
        play.sort,
        (standing(play.outcomes[0]), standing(play.outcomes[1])),
        (old, new),
    )


def _given(play: Played) -> Iterator[Given]:
    common = play.opened.common
    for turn in play.turns:
        old, new = (_as_json(turn, side, names) for side, names in enumerate((common.old, common.new)))
        yield (turn.asked.addresses[0], old), (turn.asked.addresses[1], new)


def _as_json(turn: Turn, side: int, names: Names) -> Json:
    """What one revision was given; of dice without describing what is asked."""
    given: Any = turn.given[side]
    if turn.asked.sort != "roll":
        return answer_json(turn.asked.new if side else turn.asked.old, given, names)
    return [to_json(face, types[side], names) for face, types in zip(given, turn.asked.faces, strict=True)]


def standing(outcome: Outcome) -> str:
    """The address of an outcome: of the question, the first need that fails, or the line of a fault."""
    match outcome:
        case Paused(asked=asked):
            return asked.address
        case Refused(reasons=(first, *_)):
            return first.address
        case Faulted(address=address):
            return address
        case _:
            return ""


def replayed(bench: Bench, data: Found, work: Work) -> Played | None:
    """The play of some data; none where it cannot begin."""
    bench.forget()
    procedures = bench.procedures(data.procedures)
    begun = opened_in_both(procedures, data.starts, bench.ways)
    play = None if begun is None else played(bench.executables, begun, given_answers(data.given))
    work.spend(READING + (play.work if play else 0))
    return play


def as_found(bench: Bench, play: Played) -> Found:
    """A play just made again, as data."""
    return found(play, bench.heard(play))


def is_kept(data: Found, play: Played | None) -> bool:
    """Whether a play parts as the data says."""
    return (
        play is not None
        and play.sort == data.sort
        and (standing(play.outcomes[0]), standing(play.outcomes[1])) == data.addresses
    )


def given_answers(given: Sequence[Given]) -> Answers:
    """Each answer where it was given; what is asked elsewhere, or takes it no more, gets the plainest."""
    left = list(given)
    rolls: Counter[str] = Counter()

    def given_or_plain(asked: Same, common: Common) -> Iterator[Pair]:
        at = next((number for number, each in enumerate(left) if each[0][0] == asked.addresses[0]), None)
        if at is not None:
            found = _read(left[at], asked, common)
            del left[: at + 1]
            if found is not None:
                yield found
        if asked.dice:
            yield _rolled(asked, rolls[asked.addresses[0]])
            rolls[asked.addresses[0]] += 1
        yield from plain(asked, common)

    return given_or_plain


def _read(given: Given, asked: Same, common: Common) -> Pair | None:
    """An answer as both revisions take it; none where either does not."""
    old = read_answer(asked.old, unplaced(given[0][1]), common.old)
    new = read_answer(asked.new, unplaced(given[1][1]), common.new)
    return None if old.diagnostics or new.diagnostics else (old.value, new.value)


def _rolled(asked: Same, before: int) -> Pair:
    """The lowest faces, then one higher each time, so that a tie does not last."""
    faces = [die[before % len(die)] for die in asked.dice]
    return tuple(old for old, _ in faces), tuple(new for _, new in faces)


def plain(asked: Same, common: Common) -> Iterator[Pair]:
    """The plainest answers to a question: no, the first, the lowest faces, as few as may be."""
    if asked.sort in {"whether", "handler"}:
        yield from sorted(asked.pairs, key=repr)
    yield from answers(asked, common, Plain())


def again(bench: Bench) -> Iterator[tuple[Save, int]]:
    """The recorded plays, each with its revision, 0 for the old one; what both recorded comes once.

    Then those that hold stored data of which the start value may have changed, without it.
    """
    fixtures = bench.task.fixtures
    seen = {_data(each) for each in fixtures.plays}
    every = [(each, 0) for each in fixtures.plays]
    every += [(each, 1) for each in fixtures.new_plays if _data(each) not in seen]
    yield from every
    for save, side in every:
        start = forgetful(dict(save.start), sorted(bench.task.altered.names[side]), dict(bench.plurals[side]))
        if start != save.start:
            yield replace(save, start=start), side


def _data(save: Save) -> str:
    return repr((save.procedure, save.arguments, save.start, save.answers))


def save_of(found: Found) -> Save:
    """A play that was found, as one of the old revision."""
    start, answers = found.starts[0], (Answered(at, "", answer) for (at, answer), _ in found.given)
    return Save("", "", "", found.procedures[0], start.roles, start.state, None, tuple(answers))


def begun(bench: Bench, save: Save, side: int) -> tuple[str, str] | None:
    """The old and new name of what a recorded play of a revision begins; none where one has nothing like it."""
    across = bench.ways.back if side else bench.ways.across
    other = across.names.new("procedure", save.procedure) or ""
    begun_ = across.here.procedures.get(save.procedure), across.there.procedures.get(other)
    if any(each is None or each.inner for each in begun_):
        return None
    return (other, save.procedure) if side else (save.procedure, other)


def played_again(bench: Bench, save: Save, side: int, work: Work, answers: Answers | None = None) -> Played | None:
    """A recorded play in both revisions, plain answers after its own; none where the other one cannot begin it.

    Other answers than its own may be given.
    """
    bench.forget()
    work.spend(READING)
    names = begun(bench, save, side)
    if names is None:
        return None
    procedures = bench.procedures(names)
    across = bench.ways.back if side else bench.ways.across
    here, there = procedures[side], procedures[1 - side]
    situation = situation_of(dict(save.start), across.here)
    if situation is None:
        return None
    state = spelled_out(dict(save.start), state_json(situation, across.here), across)
    own = Start(state, save.arguments)
    try:
        carried_ = filled(carried(state, across), across.there, (), Plain())
        other = Start(carried_, carried_roles(save.arguments, here, there, across))
    except (LostError, NoValueError):
        return None
    found = opened_in_both(procedures, (other, own) if side else (own, other), bench.ways)
    play = None if found is None else played(bench.executables, found, answers or answered_in_order(save.answers, side))
    work.spend(play.work if play else 0)
    return play


def answered_in_order(answers: Sequence[Answered], side: int = 0, *, then_plain: bool = True) -> Answers:
    """Answers of one revision one after the other, and what they are in the other one."""
    left = list(answers)

    def recorded(asked: Same, common: Common) -> Iterator[Pair]:
        if left:
            yield from _as_recorded(left.pop(0), side, asked, common)
        if then_plain:
            yield from plain(asked, common)

    return recorded


def with_faces(answers: Sequence[Answered], turn: int, face: int, side: int = 0) -> Answers:
    """Recorded answers, but that all dice of one roll show a face, by its number from the lowest; then plain ones."""
    left, met = list(answers), count()

    def recorded(asked: Same, common: Common) -> Iterator[Pair]:
        answer = left.pop(0) if left else None
        if next(met) == turn:
            shown = [die[min(face, len(die) - 1)] for die in asked.dice]
            yield tuple(old for old, _ in shown), tuple(new for _, new in shown)
            return
        if answer is not None:
            yield from _as_recorded(answer, side, asked, common)
        yield from plain(asked, common)

    return recorded


def _as_recorded(answer: Answered, side: int, asked: Same, common: Common) -> Iterator[Pair]:
    """The answer as both revisions take it; nothing where one does not."""
    own, other = (asked.new, asked.old) if side else (asked.old, asked.new)
    read = read_answer(own, unplaced(answer.answer), common.new if side else common.old)
    if read.diagnostics:
        return
    found = translated(read.value, own, other, asked.paused[1 - side], common, turned=bool(side))
    if found is not None:
        yield (found[0], read.value) if side else (read.value, found[0])
