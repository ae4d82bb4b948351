"""Whole procedures of which everything can be tried: every situation, every answer, every result of dice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod

from rulewright.comparing.playing.answering import Pair, translated
from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.common import Common
from rulewright.comparing.playing.crossing import LostError
from rulewright.comparing.playing.finding import Found, found
from rulewright.comparing.playing.opening import Start, opened
from rulewright.comparing.playing.questions import LISTED, Same
from rulewright.comparing.playing.ranges import ranges
from rulewright.comparing.playing.searching import key
from rulewright.comparing.playing.side_by_side import UNUSABLE, played
from rulewright.comparing.playing.states import carried, carried_roles
from rulewright.comparing.playing.work import Work
from rulewright.frozen import dataclass as frozen
from rulewright.inputs.json_values import to_json
from rulewright.inputs.names import Names
from rulewright.inputs.sections import GAME, SETTINGS
from rulewright.machine.request import Paused
from rulewright.machine.situation import Base
from rulewright.program.declarations import Program


@frozen(slots=True, frozen=True)
class Exhausted:
    """All plays of a procedure: how many there are, and those that differ, one of each kind."""

    plays: int
    found: tuple[Found, ...]


def exhausted(bench: Bench, entrance: tuple[str, str], most: int, work: Work) -> Exhausted | None:
    """Every play of a procedure, of situations made for the new revision; none where there are too many or no end."""
    starts = _starts(bench, entrance, most)
    if starts is None:
        return None
    procedures = bench.procedures(entrance)
    plays, differing = 0, dict[object, Found]()
    for start in starts:
        begun = opened(procedures, start, bench.ways)
        counter = _Odometer(most)
        while begun is not None and counter.goes_on:
            play = played(bench.executables, begun, counter.answers)
            reached = bench.heard(play)
            work.spend(play.work)
            if counter.gave_up or plays >= most or work.over:
                return None
            if play.sort != UNUSABLE:
                plays += 1
            if play.differs:
                here = found(play, reached)
                differing.setdefault(key(here), here)
            counter.step()
    return Exhausted(plays, tuple(differing.values())) if plays else None


def _starts(bench: Bench, entrance: tuple[str, str], most: int) -> list[tuple[Start, Start]] | None:
    """All starts where nothing but fields of the game, settings and parameters vary; none else."""
    program, procedure = bench.task.new, bench.procedures(entrance)[1]
    if not all(map(_is_bare, bench.programs)):
        return None
    fields, settings = list(program.game.values()), list(program.settings.items())
    back = bench.ways.back
    shared = [(name, each) for name, each in settings if back.names.new("setting", name) is not None]
    types = [*(each.type for each in fields), *(each.type for _, each in shared)]
    types += [each.type for each in procedure.parameters]
    values = ranges(types, program, most)
    if values is None:
        return None
    names = Names(program, Base({}))
    return list(_made(bench, entrance, product(*values), [each.name for each in fields], [n for n, _ in shared], names))


def _made(  # noqa: PLR0913, PLR0917
    bench: Bench,
    entrance: tuple[str, str],
    every: Iterator[tuple[object, ...]],
    fields: Sequence[str],
    settings: Sequence[str],
    names: Names,
) -> Iterator[tuple[Start, Start]]:
    program, back = bench.task.new, bench.ways.back
    old, new = bench.procedures(entrance)
    types = [program.game[each].type for each in fields] + [program.settings[each].type for each in settings]
    types += [each.type for each in new.parameters]
    for chosen in every:
        data = [to_json(value, type_, names) for value, type_ in zip(chosen, types, strict=True)]  # type: ignore[arg-type]
        told = dict(zip(fields, data, strict=False))
        readings = dict(zip(settings, data[len(fields) :], strict=False))
        roles = dict(zip([each.name for each in new.parameters], data[len(fields) + len(settings) :], strict=True))
        state = ({GAME: told} if told else {}) | ({SETTINGS: readings} if readings else {})
        try:
            yield (
                Start(carried(state, back), carried_roles(roles, new, old, back)),
                Start(state, roles),
            )
        except LostError:
            continue


def _is_bare(program: Program) -> bool:
    """Whether states hold nothing but fields of the game; nobody plays in them."""
    return (
        list(program.kinds) in ([], ["player"])
        and not program.boards
        and not program.relations
        and not program.external_terms
    )


@dataclass
class _Odometer:
    """Takes every answer to every question in turn, the last question first.

    Attributes:
        most: answers to one question.
        gave_up: whether some question has more answers, or has no end of them.
        goes_on: whether there is another way.
    """

    most: int
    gave_up: bool = False
    goes_on: bool = True
    _at: list[int] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)

    def answers(self, asked: Same, paused: tuple[Paused, Paused], common: Common) -> Iterator[Pair]:
        """The answer whose turn it is."""
        every = _every(asked, paused, common, self.most)
        if every is None:
            self.gave_up = True
            return
        number = len(self._sizes)
        self._sizes.append(len(every))
        if number == len(self._at):
            self._at.append(0)
        if every:
            yield every[self._at[number]]

    def step(self) -> None:
        """Goes on to the next way."""
        del self._at[len(self._sizes) :]
        while self._at and self._at[-1] + 1 >= self._sizes[len(self._at) - 1]:
            self._at.pop()
        self.goes_on = bool(self._at)
        if self._at:
            self._at[-1] += 1
        self._sizes.clear()


def _every(asked: Same, paused: tuple[Paused, Paused], common: Common, most: int) -> Sequence[Pair] | None:
    match asked.old.sort:
        case sort if sort in LISTED or sort == "draw":
            return asked.pairs
        case "roll":
            if prod(len(die) for die in asked.dice) > most:
                return None
            ways = product(*asked.dice)
            return [(tuple(old for old, _ in way), tuple(new for _, new in way)) for way in ways]
        case "pick" | "split" | "order" | "handlers":
            return _of_items(asked, paused, common, most)
        case _:
            return None


def _of_items(asked: Same, paused: tuple[Paused, Paused], common: Common, most: int) -> Sequence[Pair] | None:
    """What either revision takes."""
    assert asked.old.question is not None
    listed = list(islice(asked.old.question.answers(), most + 1))
    pairs = [
        (value, answer[0])
        for value in listed
        for answer in [translated(value, asked.old, asked.new, paused[1], common, turned=False)]
        if answer is not None
    ]
    return None if len(listed) > most or len(pairs) < len(listed) else pairs
