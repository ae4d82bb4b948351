"""Plays a procedure with the machine and the judge side by side and lets nothing differ.

Answers are drawn from the judge's legal answers; the machine must ask the same, accept them and end alike.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rulewright.program.declarations import Program
from rulewright.program.types import (
    CellType,
    DieType,
    DirectionType,
    FlagType,
    NumberType,
    OptionalType,
    PlaneType,
    RecordType,
    SetType,
    ThingType,
    Type,
    WordType,
)
from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.request import Ended, Faulted, Refused, Request
from rulewright.runtime.run import Outcome, Paused, answer_paused, start_run
from rulewright.runtime.state import Situation, State, evaluate_start_value
from rulewright.runtime.values import GameMap
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay, play_with_judge
from support.reference.world import Game, JudgedFault

SORTS_WITH_LISTED_ANSWERS = frozenset({"whether", "one", "choose", "turn", "handler"})
_MAX_REDRAWS, _NOT_HELD = 20, "RW0810"
_BOTH, _JUDGED = 8, 40
SORTS_MADE_OF_ITEMS = frozenset({"pick", "split", "order", "draw", "shuffle"})


@dataclass
class JudgedPlaying:
    """A play of the machine that the judge follows."""

    executable: Executable
    situation: Situation
    random: Random
    outcome: Outcome
    path: list[tuple[str, str]] = field(default_factory=list)
    answers: list[tuple[Request, Any]] = field(default_factory=list)

    def answer_request(self, asked: JudgeRequest) -> Any:
        """Checks that the machine asks the same, answers it, and gives the judge the same answer."""
        outcome = self.outcome
        assert isinstance(outcome, Paused), f"the judge asks {asked}, the machine has {outcome}"
        request = outcome.request
        assert _describe_request(request) == _describe_request(asked)
        _assert_same_choices(request, asked)
        if asked.allows is not None:
            return self._answer_unlisted(outcome, asked)
        answer, after = self._answer_and_continue(outcome, asked)
        self.answers.append((request, _convert_answer_for_machine(answer, request, asked)))
        self._continue_with(after)
        return answer

    def _answer_and_continue(self, paused: Paused, asked: JudgeRequest) -> tuple[Any, Outcome]:
        """An answer and what comes of it; other sections leave what must hold as it is: theirs is drawn anew."""
        for _ in range(_MAX_REDRAWS):
            answer = self._choose_answer(asked)
            after = answer_paused(paused, _convert_answer_for_machine(answer, paused.request, asked))
            if asked.sort != "external" or not isinstance(after, Faulted) or after.code != _NOT_HELD:
                break
        return answer, after

    def _continue_with(self, outcome: Outcome) -> None:
        self.outcome = outcome
        assert not _is_answer_refused(outcome), outcome
        self.path += [(each.sort, each.address) for each in outcome.entries if each.sort in {"step", "passed over"}]

    def _answer_unlisted(self, paused: Paused, asked: JudgeRequest) -> Any:
        """Answers where the judge allows, refuses where it does not; or claims, and takes what the machine shows."""
        assert asked.allows is not None
        assert asked.tried is not None
        answer = self._find_allowed_answer(paused, asked)
        if asked.claimable and (answer is None or self.random.random() < 0.5):
            claimed = answer_paused(paused, None)
            assert isinstance(claimed, Refused) or answer is None, f"the machine finds no place, the judge {answer}"
            answer = claimed.reasons[0].example if isinstance(claimed, Refused) else None
            assert answer is None or asked.allows(answer), answer
        self.answers.append((paused.request, answer))
        self._continue_with(answer_paused(paused, answer))
        return answer

    def _find_allowed_answer(self, paused: Paused, asked: JudgeRequest) -> Any:
        """An answer that the judge allows, none where it finds none; of those it judges the machine says the same."""
        assert asked.tried is not None
        tried = list(asked.tried())
        self.random.shuffle(tried)
        allowed = []
        for number, each in enumerate(tried):
            if number >= _JUDGED and allowed:
                break
            legal = self._is_allowed(paused, asked.allows, each)
            if number < _BOTH or (legal and (not allowed or asked.rank_preferred)):
                after = answer_paused(paused, each)
                if legal and isinstance(after, Refused) and after.reasons[0].preferred:
                    legal = not _is_bettered(paused, asked, each)
                assert _is_answer_refused(after) != legal, each
            allowed += [each] if legal else []
        return self.random.choice(allowed) if allowed else None

    def _is_allowed(self, paused: Paused, allows: Callable[[Any], bool], answer: Any) -> bool:
        """Whether the judge allows an answer; where that is a fault, the machine is given the same answer."""
        try:
            return allows(answer)
        except JudgedFault:
            self._continue_with(answer_paused(paused, answer))
            raise

    def _choose_answer(self, asked: JudgeRequest) -> Any:
        return choose_answer(asked, self.executable.program, self.situation, self.random)


def _is_bettered(paused: Paused, asked: JudgeRequest, answer: Any) -> bool:
    """Whether there is an answer that the rows prefer: one that is tried, or that the machine shows."""
    assert asked.rank_preferred is not None
    assert asked.tried is not None
    assert asked.allows is not None
    claimed = answer_paused(paused, None) if asked.claimable else None
    shown = [claimed.reasons[0].example] if isinstance(claimed, Refused) else []
    rank = asked.rank_preferred(answer)
    return any(asked.rank_preferred(each) > rank and asked.allows(each) for each in (*shown, *asked.tried()))


def choose_answer(asked: JudgeRequest, program: Program, situation: Situation, draw: Random) -> Any:
    """Any answer to a request of the judge whose answers can be listed, or that asks for chance or for elsewhere."""
    match asked.sort:
        case "roll":
            return tuple(draw.choice(faces) for faces in asked.faces)
        case "draw":
            return draw.choice(asked.items)
        case "shuffle" | "handlers":
            return tuple(draw.sample(asked.items, len(asked.items)))
        case "external" | "value":
            return draw_external_answer(asked.sort, asked.name, program, situation, draw)
        case _:
            assert asked.legal is not None
            return draw.choice(asked.legal)


def draw_external_answer(sort: str, name: str, program: Program, situation: Situation, draw: Random) -> Any:
    """Any value of an external term, or any result and changes of an external procedure."""
    things = situation.base.things
    if sort == "value":
        return draw_value(program.external_terms[name].type, program, things, draw)
    external = program.external_procedures[name]
    result = None if external.result is None else draw_value(external.result, program, things, draw)
    changed = [place for place in external.changes if draw.random() < 0.5]
    return result, tuple(each for place in changed for each in _make_change(place, program, things, draw))


def _make_change(place: str, program: Program, things: Any, draw: Random) -> tuple[tuple[str, Any, Any], ...]:
    owner, _, name = place.partition("/")
    if owner == "game":
        return ((place, None, draw_value(program.game[name].type, program, things, draw)),)
    numbers = range(len(things[owner]))
    if not numbers or name == "gone":
        return ()
    kind = next(each for each in program.kinds[owner].fields if each.name == name)
    return ((place, draw.choice(numbers), draw_value(kind.type, program, things, draw)),)


def _is_answer_refused(outcome: Outcome) -> bool:
    """Whether an answer was refused; a start refused after the state has settled leaves a record."""
    return isinstance(outcome, Refused) and outcome.entries == ()


def draw_value(type_: Type, program: Program, things: Any, draw: Random) -> Any:
    """Any value of a type."""
    match type_:
        case NumberType(paired=True):
            return 10 * draw.randint(1, 6) + draw.randint(1, 6)
        case NumberType(low=low, high=high):
            return draw.randint(low or 0, (low or 0) + 9 if high is None else high)
        case FlagType():
            return draw.random() < 0.5
        case WordType(values=name):
            return draw.randrange(len(program.values[name].words))
        case ThingType(kind=kind):
            return draw.randrange(len(things[kind]))
        case DirectionType():
            return draw.randrange(type_.count)
        case OptionalType(inner=inner):
            return None if draw.random() < 0.3 else draw_value(inner, program, things, draw)
        case RecordType(record=name):
            return tuple(draw_value(each.type, program, things, draw) for each in program.records[name].parts)
        case SetType(item=item):
            return tuple(sorted({draw_value(item, program, things, draw) for _ in range(draw.randint(0, 3))}))
        case CellType():
            return (draw.randint(-1, 1), draw.randint(-1, 1))
        case PlaneType(name="point"):
            return (draw.randrange(0, 20000, 250), draw.randrange(0, 20000, 250))
        case PlaneType(name="angle"):
            return draw.randrange(0, 360, 15)
        case _:
            raise NotImplementedError(type_)


def compare_with_judge(
    program: Program, situation: Situation, procedure: str, arguments: tuple[Any, ...], seed: int
) -> JudgedPlay:
    """A play by both, with the same answers; asserts that requests, path and outcome are the same."""
    playing = begin_judged_playing(compile_once(program), situation, procedure, arguments, Random(seed))
    return assert_judge_agrees(playing, situation, procedure, arguments)


def begin_judged_playing(
    executable: Executable, situation: Situation, procedure: str, arguments: tuple[Any, ...], random: Random
) -> JudgedPlaying:
    """A play of the machine at its first request or end."""
    playing = JudgedPlaying(executable, situation, random, start_run(executable, situation, procedure, arguments))
    playing.path += _list_steps(playing.outcome)
    return playing


def assert_judge_agrees(
    playing: JudgedPlaying, situation: Situation, procedure: str, arguments: tuple[Any, ...]
) -> JudgedPlay:
    """The judge's play with the answers of the machine's; asserts that requests, path and outcome are the same."""
    played = play_with_judge(playing.executable.program, situation, procedure, arguments, playing.answer_request)
    _assert_same_end(playing, played)
    assert tuple(playing.path) == played.path
    return played


_COMPILED: dict[tuple[int, bool], tuple[Program, Executable]] = {}
_MOST_COMPILED = 100


def compile_once(program: Program, *, traced: bool = True) -> Executable:
    """The executable of a program, made once."""
    key = (id(program), traced)
    if key not in _COMPILED:
        if len(_COMPILED) >= _MOST_COMPILED:
            _COMPILED.clear()
        _COMPILED[key] = (program, compile_program(program, traced=traced))
    return _COMPILED[key][1]


def _list_steps(outcome: Outcome) -> list[tuple[str, str]]:
    return [(each.sort, each.address) for each in outcome.entries if each.sort in {"step", "passed over"}]


def _describe_request(asked: Request | JudgeRequest) -> tuple[Any, ...]:
    address = "" if asked.sort in {"handlers", "handler", "taker", "value"} else asked.address
    return asked.sort, address, asked.player


def _assert_same_choices(request: Request, asked: JudgeRequest) -> None:
    if asked.sort in SORTS_WITH_LISTED_ANSWERS:
        legal = tuple(each.value for each in request.choices if each.reason is None)
        if isinstance(request.type, DieType):
            assert [place for _, place in legal] == [place for _, place in asked.legal or ()]
        else:
            assert legal == asked.legal
    elif asked.sort in SORTS_MADE_OF_ITEMS:
        assert len(request.items) == len(asked.items)
        if not _may_be_dice(asked.items):
            assert tuple(request.items) == tuple(asked.items)
    elif asked.sort == "roll":
        thrown = tuple(faces for each in request.dice for faces in [each.faces] * each.count)
        assert tuple(tuple(faces) for faces in thrown) == asked.faces
    elif asked.sort == "taker":
        assert len(request.choices) == len(asked.legal or ())
        assert (request.choices[-1].value is None) == (None in (asked.legal or ()))
    elif asked.sort == "handlers":
        assert len(request.items) == len(asked.items)
    elif asked.sort in {"external", "value"}:
        assert request.name == asked.name
        assert tuple(value for value, _ in request.arguments.values()) == asked.arguments


def _may_be_dice(items: tuple[Any, ...]) -> bool:
    """Whether these may be dice, whose rolls are numbered by each interpreter in its own way."""
    return all(isinstance(each, tuple) and len(each) == 2 for each in items)


def _convert_answer_for_machine(answer: Any, request: Request, asked: JudgeRequest) -> Any:
    """The answer in the machine's terms: members are told by their place among the items."""
    if asked.sort == "taker":
        return None if answer is None else request.choices[answer].value
    if asked.sort in SORTS_WITH_LISTED_ANSWERS and isinstance(request.type, DieType) and answer is not None:
        return [each.value for each in request.choices if each.reason is None][(asked.legal or ()).index(answer)]
    if asked.sort not in SORTS_MADE_OF_ITEMS | {"handlers"}:
        return answer
    same = dict(zip(asked.items, request.items, strict=True))
    if isinstance(answer, GameMap):
        return GameMap.from_pairs(0, [(same[key], answer[key]) for key in answer])
    if asked.sort == "draw":
        return same[answer]
    moved = tuple(same[each] for each in answer)
    return tuple(sorted(moved)) if asked.sort == "pick" else moved


def _assert_same_end(playing: JudgedPlaying, played: JudgedPlay) -> None:
    match playing.outcome:
        case Ended(state=state, result=result):
            assert (played.how, played.result) == ("ended", result)
        case Refused(reasons=reasons):
            assert (played.how, played.result) == ("refused", reasons[0].address)
            return
        case Faulted(state=state, code=code):
            assert (played.how, played.result) == ("faulted", code)
        case Paused(request=request):
            raise AssertionError(f"the machine asks {request}, the judge has {played.how} {played.result}")
    assert describe_state(state, playing.executable.program) == describe_game(played.game, playing.executable.program)


def describe_state(state: State, program: Program) -> dict[str, Any]:
    """A state of the machine as plain data."""
    now = state.extract_situation()
    return {
        "attributes": {name: dict(enumerate(values)) for name, values in now.attributes.items()},
        "gone": {kind: set(numbers) for kind, numbers in now.gone.items()},
        "game": dict(now.game),
        "cells": {name: dict(entries) for name, entries in now.cells.items() if entries},
        "sides": {name: dict(entries) for name, entries in now.sides.items() if entries},
        "relations": {name: _list_pairs_once(pairs, program, name) for name, pairs in now.relations.items()},
    }


def describe_game(game: Game, program: Program) -> dict[str, Any]:
    """The judge's game as plain data."""
    return {
        "attributes": {name: dict(values) for name, values in game.attributes.items()},
        "gone": {kind: set(numbers) for kind, numbers in game.gone.items()},
        "game": dict(game.game),
        "cells": _list_changed_attributes(game.cells, program),
        "sides": _list_changed_attributes(game.sides, program),
        "relations": {name: _list_pairs_once(pairs, program, name) for name, pairs in game.relations.items()},
    }


def _list_changed_attributes(attributes: dict[str, dict[Any, Any]], program: Program) -> dict[str, dict[Any, Any]]:
    """Attributes of cells or sides where they differ from their start."""
    found = {}
    for name, entries in attributes.items():
        board, _, attribute = name.rpartition("/")
        declared = program.boards[board]
        each = next(one for one in (*declared.fields, *declared.sides) if one.name == attribute)
        start = None if each.start is None else evaluate_start_value(each.start, each.type)
        kept = {place: value for place, value in entries.items() if each.start is None or value != start}
        found |= {name: kept} if kept else {}
    return found


def _list_pairs_once(pairs: Any, program: Program, name: str) -> set[tuple[int, int]]:
    symmetric = program.relations[name].symmetric
    return {(min(pair), max(pair)) if symmetric else tuple(pair) for pair in pairs}
