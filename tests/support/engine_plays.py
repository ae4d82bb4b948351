"""One play by four engines: the judge, the core interpreter, `Run` and the batch path.

`Run` plays first, without a stop, with dice and choices by the seed and the number of the play; what it was asked is kept.
The judge plays after it with the same answers, and has to ask the same: sort, line, player, members, dice, legal answers.
The core interpreter follows the judge likewise. The batch path plays the number of the seed by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from operator import itemgetter
from random import Random
from typing import Any

from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import AskedMeasure, MeasuredPlay, _MeasureArgument
from rulewright.odds.kernel.value_shapes import BatchUnsupportedError
from rulewright.odds.kernel.wasm_kernel import INVALID_MODULE, EnumerationKernel, SimulationKernel, write_kernel
from rulewright.odds.monte_carlo import simulate_plays
from rulewright.play.answer_sources import AnswerSourceChain, InlineAnswerer
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart
from rulewright.program import expressions as ex
from rulewright.program.declarations import Field, Measure, Program
from rulewright.program.types import (
    DirectionType,
    FlagType,
    NumberType,
    OptionalType,
    SetType,
    ThingType,
    Type,
    WordType,
)
from rulewright.runtime.pending_question import PendingQuestion, label_handlers
from rulewright.runtime.request import EXTERNAL_SORTS, LISTED_ANSWERS, Ended, Faulted, Refused
from rulewright.runtime.run import NOT_ANSWERED, Outcome, Paused, Run
from rulewright.runtime.state import GameSetup
from rulewright.runtime.values import GameMap, sort_values
from rulewright.runtime.working_memory import ROLLS, copy_world
from support.core_comparison import CoreFollower
from support.judge_comparison import describe_game, describe_state, draw_external_answer
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay, play_with_judge

_MOST_LISTED = 200
"""Legal answers of a pick, split or order up to which all are compared, not the given one alone."""
_COUNTABLE = (NumberType, FlagType, ThingType, WordType, DirectionType)
_WINDOW_SORTS = frozenset({"handlers", "handler", "taker", "value"})
"""Sorts of requests that stand at no line of their own."""
_Reader = Callable[[JudgedPlay], Any]


class EnginesDifferError(AssertionError):
    """Two engines do not play alike."""


class AskedForPlaceError(Exception):
    """A play asks for a place or a heading, whose answers cannot be listed."""


def measure_all(program: Program) -> Program:
    """A program with measures of all that can be counted of an end: results, attributes of things, fields of the game."""
    found = {}
    for kind in program.kinds.values():
        variable = ex.Variable("thing", 0, ThingType(kind.name))
        target = ex.Local(variable=variable, type=variable.type, span=kind.span)
        for each in filter(_is_counted, kind.fields):
            value = ex.StoredAttribute(target=target, kind=kind.name, name=each.name, type=each.type, span=each.span)
            found[f"counted_{kind.name}_{each.name}"] = _make_measure(value, variable)
        gone = ex.Gone(target=target, type=FlagType(), span=kind.span)
        found[f"counted_{kind.name}_gone"] = _make_measure(gone, variable)
    for name, each in program.game.items():
        if _is_counted(each):
            found[f"counted_{name}"] = _make_measure(ex.GameField(name=name, type=each.type, span=each.span))
    for procedure in program.procedures.values():
        if procedure.result is not None and _is_countable(procedure.result):
            variable = ex.Variable("result", 0, procedure.result)
            value = ex.Local(variable=variable, type=procedure.result, span=procedure.span)
            found[f"counted_result_{procedure.name}"] = _make_measure(value, variable)
    named = {name: replace(measure, name=name) for name, measure in found.items()}
    return replace(program, measures={**program.measures, **named})


def _is_counted(field_: Field) -> bool:
    return _is_countable(field_.type)


def _is_countable(type_: Type) -> bool:
    inner = type_.inner if isinstance(type_, OptionalType) else type_
    return isinstance(inner, _COUNTABLE) or (
        isinstance(inner, SetType) and isinstance(inner.item, ThingType | WordType)
    )


def _make_measure(value: ex.Expression, *parameters: ex.Variable) -> Measure:
    return Measure(
        name="", title="", cites=(), span=value.span, parameters=parameters, variables=parameters, type=value.type, value=value
    )  # fmt: skip


def measure_start(begun: PlayStart) -> tuple[MeasuredPlay, tuple[_Reader, ...]]:
    """A play of a program of `measure_all` with all its measures, and what each is in the judge's play."""
    program, things = begun.executable.program, begun.situation.base.things
    names, arguments, readers = list[str](), list[tuple[_MeasureArgument, ...]](), list[_Reader]()
    for kind in program.kinds.values():
        for number in range(len(things.get(kind.name, ()))):
            given = (_MeasureArgument("thing", ThingType(kind.name), known_value=number),)
            for each in filter(_is_counted, kind.fields):
                names.append(f"counted_{kind.name}_{each.name}")
                arguments.append(given)
                readers.append(partial(_read_attribute, f"{kind.name}/{each.name}", number))
            names.append(f"counted_{kind.name}_gone")
            arguments.append(given)
            readers.append(partial(_read_gone, kind.name, number))
    for name in (name for name, each in program.game.items() if _is_counted(each)):
        names.append(f"counted_{name}")
        arguments.append(())
        readers.append(partial(_read_game, name))
    result = begun.procedure.result
    if result is not None and _is_countable(result):
        names.append(f"counted_result_{begun.procedure.name}")
        arguments.append((_MeasureArgument("result", result),))
        readers.append(lambda played: played.result)
    asked = tuple(AskedMeasure(name, program.measures[name].type) for name in names)
    return MeasuredPlay(begun, asked, tuple(arguments), tuple(names), len(names), {}), tuple(readers)


def _read_attribute(name: str, number: int, played: JudgedPlay) -> Any:
    return played.game.attributes[name][number]


def _read_gone(kind: str, number: int, played: JudgedPlay) -> bool:
    return number in played.game.gone[kind]


def _read_game(name: str, played: JudgedPlay) -> Any:
    return played.game.game[name]


class MovableKernel(SimulationKernel):
    """A kernel that plays from other starts with the same things, boards, settings and arguments, too."""

    set_start = EnumerationKernel.set_start


@dataclass(frozen=True)
class BatchSide:
    """The batch path of a program from starts of one shape."""

    kernel: MovableKernel
    readers: tuple[_Reader, ...]

    def set_start(self, begun: PlayStart) -> bool:
        """Moves to a start of the same shape; whether it plays that."""
        try:
            self.kernel.set_start(begun)
        except BatchUnsupportedError:
            return False
        return True

    def compare_with(self, played: JudgedPlay, seed: int, number: int) -> str:
        """Plays one number; why it was given back, or nothing where it came to what the judge came to.

        Raises:
            EnginesDifferError: it did not.
        """
        found, given_back = self.kernel.play_range(seed, range(number, number + 1))
        if given_back:
            return given_back[number]
        if played.how != "ended":
            raise EnginesDifferError(f"the batch path plays what has {played.how} {played.result}")
        expected = [{read(played): 1} for read in self.readers]
        if [dict(each) for each in found] != expected:
            raise EnginesDifferError(f"the batch path comes to {found}, the judge to {expected}")
        return ""


def is_of_shape(begun: PlayStart, like: PlayStart) -> bool:
    """Whether a kernel written for one start plays another: what it is written for is the same in both.

    On the plane it is written for where things stand.
    """
    one, other = begun.situation.base, like.situation.base
    same = all(getattr(one, each.name) == getattr(other, each.name) for each in fields(GameSetup))
    if any(board.space == "plane" for board in begun.executable.program.boards.values()):
        same = same and begun.situation == like.situation
    return same and begun.arguments == like.arguments


def prepare_batch(begun: PlayStart) -> BatchSide | str:
    """The batch path for starts like one, or why it does not play them.

    Raises:
        EnginesDifferError: what was written is no valid module.
    """
    play, readers = measure_start(begun)
    try:
        return BatchSide(MovableKernel(write_kernel(play, PlayAnswerer(begun.names, policy="random"))), readers)
    except BatchUnsupportedError as unfit:
        if INVALID_MODULE in str(unfit):
            raise EnginesDifferError(unfit) from unfit
        return str(unfit)


@dataclass(frozen=True)
class SideBySide:
    """How a play went on both sides."""

    same: int = 0  # plays that came to the same
    back: int = 0  # plays that were given back, which `Run` plays anyway
    why: str = ""  # why the last of these was, or why all are
    differ: tuple[int, ...] = ()  # plays that did not come to the same


def play_side_by_side(play: MeasuredPlay, answers: PlayAnswerer, plays: range, seed: int = 7) -> SideBySide:
    """Plays one by one on both sides."""
    try:
        kernel = SimulationKernel(write_kernel(play, answers))
    except BatchUnsupportedError as unfit:
        return SideBySide(back=len(plays), why=str(unfit))
    same, back, why, differ = 0, 0, "", []
    for number in plays:
        found, given_back = kernel.play_range(seed, range(number, number + 1))
        if given_back:
            back, why = back + 1, given_back[number]
            if back >= 100 and back == number - plays.start + 1:
                return SideBySide(same, len(plays), why)
            continue
        expected = simulate_plays(play, answers, seed, [number])
        if [dict(each) for each in expected.value_counts] == [
            dict(each) for each in found
        ] and not expected.fault_counts:
            same += 1
        else:
            differ.append(number)
    return SideBySide(same, back, why, tuple(differ))


@dataclass(frozen=True)
class HeardRequest:
    """What `Run` asked, and its answer; `legal` are all legal answers, where those are few enough to be listed."""

    sort: str
    address: str
    player: int | None
    made_of: tuple[Any, ...]
    legal: tuple[Any, ...] | None
    name: str
    arguments: tuple[Any, ...]
    of_dice: bool
    answer: Any


@dataclass
class EnginePlays:
    """Plays of one start, again and again with other numbers."""

    start: PlayStart
    batch: BatchSide | None = None
    heard: list[HeardRequest] = field(default_factory=list)
    seen: set[tuple[Any, ...]] = field(default_factory=set)  # courses, by their answers

    def __post_init__(self) -> None:
        sources = AnswerSourceChain(self.start.names, SeededRandom(0), None, is_chance_requested=True, policy="random")
        self._answers = InlineAnswerer(sources, self.start.executable, searched=True)
        self._draw = Random()

    def compare_play(self, seed: int, number: int) -> tuple[JudgedPlay, str | None] | None:
        """How a play went, and why the batch path gave it back, if there is one; none where it went as one before.

        Raises:
            EnginesDifferError: two engines differ.
            AskedForPlaceError: answers cannot be listed.
        """
        run, outcome = self._play_run(seed, number)
        course = tuple([(each.address, each.sort, each.answer) for each in self.heard])
        if course in self.seen:
            return None
        self.seen.add(course)
        played = self._play_judge()
        _assert_same_end(run, outcome, played)
        is_alone = any(each.sort in EXTERNAL_SORTS for each in self.heard)  # results from elsewhere are drawn here
        back = None if self.batch is None or is_alone else self.batch.compare_with(played, seed, number)
        return played, back

    def _play_run(self, seed: int, number: int) -> tuple[Run, Outcome]:
        start = self.start
        self._answers.begin_play(SeededRandom(seed, number))
        self._draw.seed(f"{seed} {number}")
        self.heard.clear()
        given = start.executable, start.situation, start.procedure.name, start.arguments
        run = Run.begin(*given, start.limits, answering=self._answer_request)
        while isinstance(run.outcome, Paused):
            asked = run.outcome.asked
            if asked.sort not in EXTERNAL_SORTS:
                raise EnginesDifferError(f"`Run` stops at {asked.sort} {asked.address}, which it does not hand over")
            run.reply(self._answer_request(asked))
        return run, run.outcome

    def _answer_request(self, asked: PendingQuestion) -> Any:
        sort = asked.sort
        made_of, legal = (), None
        name, arguments = "", ()
        if sort in {"place", "heading"}:
            raise AskedForPlaceError
        if sort in EXTERNAL_SORTS:
            name, arguments = (asked.data[0], asked.data[1]) if sort == "value" else (asked.node.external, asked.data)
            answer = draw_external_answer(sort, name, self.start.executable.program, self.start.situation, self._draw)
        else:
            if sort == "roll":
                made_of = tuple([faces for count, faces, _ in asked.dice_to_roll for _ in range(count)])
            elif sort in LISTED_ANSWERS or sort in {"handler", "taker"}:
                made_of = legal = tuple(asked.legal_answers)
            elif sort in {"pick", "split", "order"}:
                made_of = tuple(asked.data.items)
                alone = PendingQuestion(asked.executable, copy_world(asked.world))
                listed = alone.list_all_answers(_MOST_LISTED)
                legal = None if listed is None else tuple(listed)
            elif sort == "handlers":
                made_of = label_handlers(asked)
            else:
                made_of = tuple(asked.data)
            answer = self._answers.answer_inline(asked)
            if answer is NOT_ANSWERED:
                raise EnginesDifferError(f"nobody answers {sort} {asked.address}")
        address = "" if sort in _WINDOW_SORTS else asked.address
        named = asked.site >= 0 and bool(asked.executable.request_sorts[asked.site][1])
        of_dice = named and all(isinstance(each, tuple) for each in made_of)
        self.heard.append(HeardRequest(sort, address, asked.player, made_of, legal, name, arguments, of_dice, answer))
        return answer

    def _play_judge(self) -> JudgedPlay:
        start, heard = self.start, iter(self.heard)
        program, situation, procedure = start.executable.program, start.situation, start.procedure.name
        follower = CoreFollower(program, situation, procedure, start.arguments)

        def answer(asked: JudgeRequest) -> Any:
            given = next(heard, None)
            if given is None:
                raise EnginesDifferError(f"the judge asks {asked}, `Run` nothing more")
            found = _convert_for_judge(given, asked)
            follower.hear_answer(asked, found)
            return found

        played = play_with_judge(program, situation, procedure, start.arguments, answer)
        left = next(heard, None)
        if left is not None:
            raise EnginesDifferError(f"`Run` asks {left}, the judge nothing more")
        follower.hear_end(played)
        return played


def _assert_same(what: str, run: Any, judge: Any) -> None:
    if run != judge:
        raise EnginesDifferError(f"{what}: `Run` has {run}, the judge {judge}")


def _convert_for_judge(heard: HeardRequest, asked: JudgeRequest) -> Any:
    """An answer of `Run` in the judge's terms, who numbers dice and takers in a way of its own."""
    address = "" if heard.sort in _WINDOW_SORTS else asked.address
    _assert_same("asked", (heard.sort, heard.address, heard.player), (asked.sort, address, asked.player))
    answer, sort = heard.answer, heard.sort
    if sort in EXTERNAL_SORTS:
        _assert_same("arguments", (heard.name, heard.arguments), (asked.name, asked.arguments))
        return answer
    if sort == "roll":
        _assert_same("dice", heard.made_of, asked.faces)
        return answer
    listed = sort in LISTED_ANSWERS or sort in {"handler", "taker"}
    theirs = (asked.legal if listed else asked.items) or ()
    if sort in {"handlers", "taker"}:
        _assert_same("members", len(heard.made_of), len(theirs))
    else:
        mine, theirs_ = (map(itemgetter(1), each) if heard.of_dice else each for each in (heard.made_of, theirs))
        _assert_same("members", (*mine,), (*theirs_,))
    moved = dict(zip(heard.made_of, theirs, strict=True))
    if not listed and heard.legal is not None:
        _assert_same("legal answers", tuple([_move(each, moved, sort) for each in heard.legal]), asked.legal)
    found = moved[answer] if listed or sort == "draw" else _move(answer, moved, sort)
    if asked.legal is not None and found not in asked.legal:
        raise EnginesDifferError(f"{address}: the judge does not allow {found} of {asked.legal}")
    return found


def _move(answer: Any, moved: dict[Any, Any], sort: str) -> Any:
    if isinstance(answer, GameMap):
        return GameMap.from_pairs(0, [(moved[key], answer[key]) for key in answer])
    found = tuple(moved[each] for each in answer)
    return sort_values(found) if sort == "pick" else found


def _assert_same_end(run: Run, outcome: Outcome, played: JudgedPlay) -> None:
    match outcome:
        case Ended(state=state, result=result):
            _assert_same("end", ("ended", result), (played.how, played.result))
            _assert_same_dice(run.world[ROLLS], played.rolls)
        case Refused(reasons=reasons):
            _assert_same("end", ("refused", reasons[0].address), (played.how, played.result))
            return
        case Faulted(state=state, code=code, address=address):
            _assert_same("end", ("faulted", code, address), (played.how, played.result, played.address))
    program = run.executable.program
    _assert_same("game", describe_state(state, program), describe_game(played.game, program))


def _assert_same_dice(rolls: Any, judged_rolls: Any) -> None:
    """`Run` forgets rolls that nothing holds any more; what it has, the judge has in this order."""
    theirs = iter(judged_rolls)
    for roll in rolls:
        mine = [die[:6] for die in roll]
        if not any(
            mine == [(die.faces, die.first, die.face, die.rerolls, die.kept, die.part) for die in each]
            for each in theirs
        ):
            raise EnginesDifferError(f"dice: `Run` has {rolls}, the judge {judged_rolls}")
