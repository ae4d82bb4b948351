"""Plays again from data: the answers that were given, and the plainest where one does not fit."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rulewright.comparing.playing.answering import Pair, answers
from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.finding import Found, Given, found, standing
from rulewright.comparing.playing.opening import opened
from rulewright.comparing.playing.questions import Same
from rulewright.comparing.playing.side_by_side import Answers, Played, played
from rulewright.comparing.playing.tape import Plain
from rulewright.comparing.playing.work import READING, Work
from rulewright.inputs.answers import read_answer
from rulewright.inputs.nodes import unplaced
from rulewright.machine.run import Paused


def replayed(bench: Bench, data: Found, work: Work) -> Played | None:
    """The play of some data; none where it cannot begin."""
    bench.forget()
    procedures = bench.procedures(data.procedures)
    begun = opened(procedures, data.starts, bench.ways)
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

    def given_or_plain(asked: Same, paused: tuple[Paused, Paused], common: Common) -> Iterator[Pair]:
        at = next((number for number, each in enumerate(left) if each[0][0] == asked.addresses[0]), None)
        if at is not None:
            found = _read(left[at], asked, common)
            del left[: at + 1]
            if found is not None:
                yield found
        if asked.dice:
            yield _rolled(asked, rolls[asked.addresses[0]])
            rolls[asked.addresses[0]] += 1
        yield from plain(asked, paused, common)

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


def plain(asked: Same, paused: tuple[Paused, Paused], common: Common) -> Iterator[Pair]:
    """The plainest answers to a question: no, the first, the lowest faces, as few as may be."""
    if asked.sort in {"whether", "handler"}:
        yield from sorted(asked.pairs, key=repr)
    yield from answers(asked, paused, common, Plain())
