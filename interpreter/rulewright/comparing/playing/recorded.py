"""Plays of either revision that people wrote down, played again by both."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulewright.comparing.playing.answering import Pair, translated
from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import LostError
from rulewright.comparing.playing.finding import Found
from rulewright.comparing.playing.opening import Start, opened
from rulewright.comparing.playing.questions import Same
from rulewright.comparing.playing.replaying import plain
from rulewright.comparing.playing.side_by_side import Answers, Played, played
from rulewright.comparing.playing.situating import filled, forgetful
from rulewright.comparing.playing.states import carried, carried_roles, spelled_out
from rulewright.comparing.playing.tape import Plain
from rulewright.comparing.playing.work import READING, Work
from rulewright.inputs.answers import read_answer
from rulewright.inputs.nodes import unplaced
from rulewright.inputs.save import Answered, Save
from rulewright.inputs.state_json import state_json
from rulewright.machine.run import Paused
from rulewright.situations.legal import situation_of
from rulewright.situations.values import NoValueError


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


def played_again(bench: Bench, save: Save, side: int, work: Work) -> Played | None:
    """A recorded play in both revisions, plain answers after its own; none where the other one cannot begin it."""
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
    found = opened(procedures, (other, own) if side else (own, other), bench.ways)
    play = None if found is None else played(bench.executables, found, in_order(save.answers, side))
    work.spend(play.work if play else 0)
    return play


def in_order(answers: Sequence[Answered], side: int = 0, *, then_plain: bool = True) -> Answers:
    """Answers of one revision one after the other, and what they are in the other one."""
    left = list(answers)

    def recorded(asked: Same, paused: tuple[Paused, Paused], common: Common) -> Iterator[Pair]:
        if left:
            yield from _as_recorded(left.pop(0), side, asked, paused, common)
        if then_plain:
            yield from plain(asked, paused, common)

    return recorded


def _as_recorded(answer: Answered, side: int, asked: Same, paused: tuple[Paused, Paused], common: Common) -> Iterator[Pair]:
    """The answer as both revisions take it; nothing where one does not."""
    own, other = (asked.new, asked.old) if side else (asked.old, asked.new)
    read = read_answer(own, unplaced(answer.answer), common.new if side else common.old)
    if read.diagnostics:
        return
    found = translated(read.value, own, other, paused[1 - side], common, turned=bool(side))
    if found is not None:
        yield (found[0], read.value) if side else (read.value, found[0])
