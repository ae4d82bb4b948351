"""Holds the core interpreter against the judge: what a program says against what it was lowered to.

A comparison is one play of the judge, and the same answers given to the core of the program. Every request has to be the
same, its legal answers in the same order, and the end: result, game, dice, the steps on the way, or the code of a fault.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from rulewright.program.core.forms import CoreProgram
from rulewright.program.core.lowering import lower_program
from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.core_interpreter import play_core
from support.judge_comparison import describe_game
from support.reference.judge_requests import JudgeRequest
from support.reference.play import JudgedPlay
from support.reference.world import JudgedFault

SORTS_OF_WINDOWS = frozenset({"handlers", "handler", "taker"})
"""Sorts of requests that stand at no line of their own."""
_TRIED_ANSWERS = 8


class CoreDiffersError(AssertionError):
    """The core of a program does not play as the judge plays the program."""


def assert_core_agrees(
    program: Program,
    start: Situation,
    procedure: str,
    arguments: tuple[Any, ...],
    judged: JudgedPlay,
    answers: Sequence[Any],
) -> None:
    """Plays the core of a program with the answers of a play of the judge."""
    left = iter(zip(judged.asked, answers, strict=False))

    def answer_alike(asked: JudgeRequest) -> Any:
        request, answer = next(left, (None, None))
        assert request is not None, f"the core asks {asked}, the judge nothing more"
        _assert_same("asked", _describe_request(request), _describe_request(asked))
        if request.allows is not None:
            _compare_allowed_answers(request, asked, answer)
        if request.sort == "handlers":
            return tuple(asked.items[request.items.index(each)] for each in answer)
        return answer

    played = play_core(lower_once(program), program, start, procedure, arguments, answer_alike)
    _assert_same("end", (judged.how, judged.result), (played.how, played.result))
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


def _compare_allowed_answers(request: JudgeRequest, asked: JudgeRequest, answer: Any) -> None:
    """The answer given, and a few of those tried, are allowed by both or by neither."""
    assert request.tried is not None
    for each in [*([] if answer is None else [answer]), *islice(request.tried(), _TRIED_ANSWERS)]:
        _assert_same(f"whether {each} is allowed", _judge_answer(request, each), _judge_answer(asked, each))


def _judge_answer(request: JudgeRequest, answer: Any) -> bool | str:
    assert request.allows is not None
    try:
        return request.allows(answer)
    except JudgedFault as fault:
        return str(fault)


_LOWERED: dict[int, tuple[Program, CoreProgram]] = {}


def lower_once(program: Program) -> CoreProgram:
    """The core of a program, made once."""
    if id(program) not in _LOWERED:
        _LOWERED[id(program)] = (program, lower_program(program))
    return _LOWERED[id(program)][1]
