"""A whole play by the judge, with answers given by a function."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.reference.calls import Refusal
from support.reference.judge import Judge, restore_on_failure
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Die, Game, JudgedFault, open_world


@dataclass(frozen=True)
class JudgedPlay:
    """How a play went.

    Attributes:
        how: ended, refused or faulted.
        result: of the procedure; the address of the requirement for a refusal.
        game: at the end; as at the start where the play was refused or faulted.
        asked: every request.
        path: steps entered and passed over, by address.
        reached: what was carried out, taken, held or failed, by address.
        rolls: all dice, by roll.
    """

    how: str
    result: Any
    game: Game
    asked: tuple[JudgeRequest, ...]
    path: tuple[tuple[str, str], ...]
    reached: frozenset[tuple[str, str]]
    rolls: tuple[list[Die], ...]


def play_with_judge(
    program: Program,
    start: Situation,
    procedure: str,
    arguments: tuple[Any, ...],
    answer: Callable[[JudgeRequest], Any],
) -> JudgedPlay:
    """Plays a procedure to its end."""
    world = open_world(program, start)
    judge = Judge(world)
    asked: list[JudgeRequest] = []
    how, result = "ended", None
    try:
        with restore_on_failure(world):
            run = judge.play_procedure(procedure, arguments)
            request = next(run)
            while True:
                asked.append(request)
                request = run.send(answer(request))
    except StopIteration as end:
        result = end.value
    except Refusal as refusal:
        how, result = "refused", refusal.address
    except JudgedFault as fault:
        how, result = "faulted", str(fault)
    reached, rolls = frozenset(world.reached), tuple(world.rolls)
    return JudgedPlay(how, result, world.game, tuple(asked), tuple(judge.path), reached, rolls)
