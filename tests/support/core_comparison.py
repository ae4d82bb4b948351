"""Holds the core interpreter against the judge: what a program says against what it was lowered to.

A comparison is one play of the judge, and the same answers given to the core of the program. Every request has to be the
same, its legal answers in the same order, and the end: result, game, dice, the steps on the way, or the code of a fault.
"""

from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any

from rulewright.program.core.forms import CoreProgram
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.core_interpreter import play_core
from support.core_invariants import check_core
from support.judge_comparison import choose_answer, describe_game
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay, play_with_judge
from support.reference.world import JudgedFault

SORTS_OF_WINDOWS = frozenset({"handlers", "handler", "taker"})
"""Sorts of requests that stand at no line of their own."""
_TRIED_ANSWERS, _TRIED_PLACES = 8, 60


class CoreDiffersError(AssertionError):
    """The core of a program does not play as the judge plays the program."""


@dataclass
class CoreFollower:
    """Plays the core of a program with the answers of a play of the judge, when that has come to its end.

    Of a question whose answers cannot be listed it keeps which of some answers the judge allows.
    """

    program: Program
    start: Situation
    procedure: str
    arguments: tuple[Any, ...]
    heard: list[tuple[JudgeRequest, Any, dict[Any, bool | str]]] = field(default_factory=list)

    def hear_answer(self, request: JudgeRequest, answer: Any) -> None:
        tried = [] if request.tried is None else [answer, *islice(request.tried(), _TRIED_ANSWERS)]
        self.heard.append((request, answer, {each: _judge_answer(request, each) for each in tried if each is not None}))

    def hear_end(self, judged: JudgedPlay) -> None:
        """Raises: CoreDiffersError: the core does not play as the judge did."""
        left, program = iter(self.heard), self.program

        def answer_alike(asked: JudgeRequest) -> Any:
            heard = next(left, None)
            if heard is None:
                raise CoreDiffersError(f"the core asks {asked}, the judge nothing more")
            request, answer, allowed = heard
            _assert_same("asked", _describe_request(request), _describe_request(asked))
            _assert_same("allowed", allowed, {each: _judge_answer(asked, each) for each in allowed})
            if request.sort == "handlers":
                return tuple(asked.items[request.items.index(each)] for each in answer)
            return answer

        core = lower_once(program)
        played = play_core(core, program, self.start, self.procedure, self.arguments, answer_alike)
        _assert_same("end", (judged.how, judged.result, judged.address), (played.how, played.result, played.address))
        _assert_same("requests left over", next(left, None), None)
        _assert_same("steps", judged.path, played.path)
        _assert_same("game", describe_game(judged.game, program), describe_game(played.game, program))
        _assert_same("dice", judged.rolls, played.rolls)


def _assert_same(what: str, judged: Any, played: Any) -> None:
    if judged != played:
        raise CoreDiffersError(f"{what}: the judge has {judged}, the core {played}")


def _describe_request(asked: JudgeRequest) -> tuple[Any, ...]:
    address = "" if asked.sort in SORTS_OF_WINDOWS else asked.address
    items = len(asked.items) if asked.sort == "handlers" else asked.items
    return (
        asked.sort, address, asked.player, asked.legal, items, asked.faces, asked.name, asked.arguments, asked.claimable
    )  # fmt: skip


def _judge_answer(request: JudgeRequest, answer: Any) -> bool | str:
    assert request.allows is not None
    try:
        return request.allows(answer)
    except JudgedFault as fault:
        return str(fault)


_LOWERED: dict[int, tuple[Program, CoreProgram]] = {}
_MOST_LOWERED = 100


def lower_once(program: Program) -> CoreProgram:
    """The core of a program, made once, which keeps the invariants of core."""
    if id(program) not in _LOWERED:
        if len(_LOWERED) >= _MOST_LOWERED:
            _LOWERED.clear()
        core = lower_program(program)
        assert check_core(core, program) == []
        _LOWERED[id(program)] = (program, core)
    return _LOWERED[id(program)][1]


def compare_core(
    program: Program, start: Situation, procedure: str, arguments: tuple[Any, ...], seed: int
) -> JudgedPlay:
    """A play of the judge with random answers, which the core follows."""
    follower, draw = CoreFollower(program, start, procedure, arguments), Random(seed)

    def answer(asked: JudgeRequest) -> Any:
        if asked.allows is None:
            given = choose_answer(asked, program, start, draw)
        else:
            given = _find_allowed_answer(asked, draw)
        follower.hear_answer(asked, given)
        return given

    judged = play_with_judge(program, start, procedure, arguments, answer)
    follower.hear_end(judged)
    return judged


def _find_allowed_answer(asked: JudgeRequest, draw: Random) -> Any:
    """A place or heading that is allowed; none where few are tried and none of them is."""
    assert asked.allows is not None
    assert asked.tried is not None
    tried = [*asked.tried()]
    return next((each for each in draw.sample(tried, len(tried))[:_TRIED_PLACES] if asked.allows(each)), None)
