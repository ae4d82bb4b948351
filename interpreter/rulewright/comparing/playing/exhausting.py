"""Whole procedures of which everything can be tried: every situation, every answer, every result of dice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from typing import Any

from rulewright.codecs.table import to_json
from rulewright.comparing.playing.answers import LISTED, Pair, Same, translated
from rulewright.comparing.playing.bench import Bench
from rulewright.comparing.playing.changes import declarations, moved
from rulewright.comparing.playing.data import Work
from rulewright.comparing.playing.functions import ranges
from rulewright.comparing.playing.points import comes_to
from rulewright.comparing.playing.replays import Found, found
from rulewright.comparing.playing.searching import key
from rulewright.comparing.playing.side_by_side import LONGEST, UNUSABLE, Played, played
from rulewright.comparing.playing.starts import LEFT_OUT, optional_roles, with_names
from rulewright.comparing.playing.states import Start, carried, carried_roles, opened_in_both
from rulewright.comparing.playing.translate_values import Common, LostError
from rulewright.frozen import dataclass as frozen
from rulewright.inputs.names import GAME, SETTINGS, Names
from rulewright.inputs.nodes import Json
from rulewright.machine.state import Base
from rulewright.outline.items import Name
from rulewright.program.declarations import Procedure, Program
from rulewright.program.expressions import InPlay, Removed
from rulewright.program.types import ThingType
from rulewright.roles import nodes
from rulewright.telling.conditions import listed

_PLAYER = "player"


@frozen(slots=True, frozen=True)
class Exhausted:
    """All plays of a procedure."""

    plays: int  # how many there are
    found: tuple[Found, ...]  # those that differ, one of each kind
    space: str  # what was varied, in words


def exhausted(bench: Bench, entrance: tuple[str, str], most: int, work: Work) -> Exhausted | None:
    """Every play of a procedure, of situations made for the new revision.

    None where there are too many or no end, where rules read what was not varied (players, things, what only the old
    revision stores), and where a play came to a limit of the machine.
    """
    space = _space(bench, entrance, most)
    if space is None:
        return None
    procedures = bench.procedures(entrance)
    plays, differing = 0, dict[object, Found]()
    for start in space.starts(bench, procedures):
        begun = None if start is None else opened_in_both(procedures, start, bench.ways)
        if begun is None:
            return None
        counter = _Odometer(most)
        while counter.goes_on:
            play = played(bench.executables, begun, counter.answers)
            reached = bench.heard(play)
            work.spend(play.work)
            if counter.gave_up or plays >= most or work.over or cut_short(play):
                return None
            if play.sort != UNUSABLE:
                plays += 1
            if play.differs:
                here = found(play, reached)
                differing.setdefault(key(here), here)
            counter.step()
    return Exhausted(plays, tuple(differing.values()), space.said(entrance[1])) if plays else None


@frozen(slots=True, frozen=True)
class _Space:
    """What is varied, in the words of the new revision."""

    fields: Mapping[str, Sequence[Json]]  # of the game, with `LEFT_OUT` among the values where they start otherwise
    # that both revisions have, with `LEFT_OUT` where another reading is the default
    settings: Mapping[str, Sequence[Json]]
    roles: Mapping[str, Sequence[Json]]  # parameters, with `LEFT_OUT` where they can be left out
    kept: tuple[str, ...]  # settings of one revision only, which keep their readings

    def said(self, procedure: str) -> str:
        """The space in words."""
        varied = [f"`{each}`" for each in (*self.fields, *self.settings, *self.roles)]
        kept = [f"`{each}`" for each in self.kept]
        return (
            f"every play of `{procedure}`"
            + (f" for every {listed(varied)}" if varied else "")
            + (f", with {listed(kept)} as written" if kept else "")
        )

    def starts(self, bench: Bench, procedures: tuple[Procedure, Procedure]) -> Iterator[tuple[Start, Start] | None]:
        """Every start in both revisions; none in place of one that the old revision cannot have."""
        back = bench.ways.back
        old, new = procedures
        for game, readings, roles in product(*map(_choices, (self.fields, self.settings, self.roles))):
            state = ({GAME: game} if game else {}) | ({SETTINGS: readings} if readings else {})
            try:
                yield Start(carried(state, back), carried_roles(roles, new, old, back)), Start(state, roles)
            except LostError:
                yield None


def _space(bench: Bench, entrance: tuple[str, str], most: int) -> _Space | None:
    """What to vary where nothing but fields of the game, settings and parameters can be; none else."""
    program, (old, new) = bench.task.new, bench.procedures(entrance)
    if not all(_is_bare(each, name) for each, name in zip(bench.programs, entrance, strict=True)):
        return None
    back = bench.ways.back
    if len(set(bench.task.old.game)) > len([each for each in program.game if back.names.new("field", each)]):
        return None
    optional = optional_roles(new, old, back)
    shared = [name for name in program.settings if back.names.new("setting", name) is not None]
    types = [
        *((name, each.type) for name, each in program.game.items()),
        *((name, program.settings[name].type) for name in shared),
        *((each.name, each.type) for each in new.parameters),
    ]
    values = ranges([type_ for _, type_ in types], program, most)
    if values is None:
        return None
    names = Names(program, Base({}))
    every = [[to_json(one, type_, names) for one in each] for each, (_, type_) in zip(values, types, strict=True)]
    otherwise = {after for _, after in moved(*bench.programs, bench.task.names)}
    left_out = [
        *(Name("field", name) in otherwise and each.start is not None for name, each in program.game.items()),
        *(Name("setting", name) in otherwise for name in shared),
        *(each.name in optional for each in new.parameters),
    ]
    tried = [
        (name, [*given, *([LEFT_OUT] if too else [])])
        for (name, _), given, too in zip(types, every, left_out, strict=True)
    ]
    game, readings = len(program.game), len(program.game) + len(shared)
    return _Space(dict(tried[:game]), dict(tried[game:readings]), dict(tried[readings:]), tuple(_kept(bench)))


def _choices(varied: Mapping[str, Sequence[Json]]) -> Iterator[dict[str, Json]]:
    return (with_names(varied, chosen) for chosen in product(*varied.values()))


def _kept(bench: Bench) -> Iterator[str]:
    across, back = bench.ways.across, bench.ways.back
    for way in (across, back):
        yield from (each for each in way.here.settings if way.names.new("setting", each) is None)


def _is_bare(program: Program, procedure: str) -> bool:
    """Whether a play depends on fields of the game, settings and arguments alone; nobody plays in it."""
    if list(program.kinds) != [_PLAYER] or program.boards or program.relations or program.external_terms:
        return False
    known = dict(declarations(program))
    used = (known[each] for each in comes_to(program, procedure) if each in known)
    return not any(_is_of_players(node) for each in used for node in nodes(each))


def _is_of_players(node: Any) -> bool:
    return isinstance(node, InPlay | Removed) or getattr(node, "type", None) == ThingType(_PLAYER)


def cut_short(play: Played) -> bool:
    """Whether a play came to a limit of the machine, or to as many answers as plays may have."""
    return len(play.turns) >= LONGEST or bool(play.limits)


@dataclass
class _Odometer:
    """Takes every answer to every question in turn, the last question first."""

    most: int  # answers to one question
    gave_up: bool = False  # whether some question has more answers, or has no end of them
    goes_on: bool = True  # whether there is another way
    _at: list[int] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)

    def answers(self, asked: Same, common: Common) -> Iterator[Pair]:
        """The answer whose turn it is."""
        every = _every(asked, common, self.most)
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


def _every(asked: Same, common: Common, most: int) -> Sequence[Pair] | None:
    match asked.sort:
        case sort if sort in LISTED or sort == "draw":
            return asked.pairs
        case "roll":
            if prod(len(die) for die in asked.dice) > most:
                return None
            ways = product(*asked.dice)
            return [(tuple(old for old, _ in way), tuple(new for _, new in way)) for way in ways]
        case "pick" | "split" | "order" | "handlers":
            return _of_items(asked, common, most)
        case _:
            return None


def _of_items(asked: Same, common: Common, most: int) -> Sequence[Pair] | None:
    """What either revision takes."""
    assert asked.old.question is not None
    listed = list(islice(asked.old.question.answers(), most + 1))
    pairs = [
        (value, answer[0])
        for value in listed
        for answer in [translated(value, asked.old, asked.new, asked.paused[1], common, turned=False)]
        if answer is not None
    ]
    return None if len(listed) > most or len(pairs) < len(listed) else pairs
