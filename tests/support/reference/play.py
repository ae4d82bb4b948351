"""A whole play by the judge, with answers given by a function."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol

from rulewright.program.declarations import Program
from rulewright.runtime.state import Situation
from support.reference.calls import Refusal
from support.reference.judge import Judge, restore_on_failure
from support.reference.judge_requests import JudgeRequest
from support.reference.world import Die, Game, JudgedFault, World, open_world


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
        address: of the line of a fault, where that is known.
    """

    how: str
    result: Any
    game: Game
    asked: tuple[JudgeRequest, ...]
    path: tuple[tuple[str, str], ...]
    reached: frozenset[tuple[str, str]]
    rolls: tuple[list[Die], ...]
    address: str = ""


def play_with_judge(
    program: Program,
    start: Situation,
    procedure: str,
    arguments: tuple[Any, ...],
    answer: Callable[[JudgeRequest], Any],
) -> JudgedPlay:
    """Plays a procedure to its end."""
    judge = Judge(open_world(program, start))
    following = [begin(program, start, procedure, arguments) for begin in followers]

    def answer_and_tell(request: JudgeRequest) -> Any:
        given = answer(request)
        for each in following:
            each.hear_answer(request, given)
        return given

    played = finish_play(judge.world, judge.play_procedure(procedure, arguments), judge.path, answer_and_tell)
    for each in following:
        each.hear_end(played)
    return played


class Follower(Protocol):
    """Hears of a play of the judge: of each answer before anything comes of it, and of the end."""

    def hear_answer(self, request: JudgeRequest, answer: Any) -> None: ...

    def hear_end(self, played: JudgedPlay) -> None: ...


followers: list[Callable[[Program, Situation, str, tuple[Any, ...]], Follower]] = []
"""Who follows every play of the judge."""


def finish_play(
    world: World,
    run: Generator[JudgeRequest, Any, Any],
    path: list[tuple[str, str]],
    answer: Callable[[JudgeRequest], Any],
) -> JudgedPlay:
    """A play in a world to its end; `path` is filled on the way."""
    asked: list[JudgeRequest] = []
    how, result, address = "ended", None, ""
    try:
        with restore_on_failure(world):
            request = next(run)
            while True:
                asked.append(request)
                request = run.send(answer(request))
    except StopIteration as end:
        result = end.value
    except Refusal as refusal:
        how, result = "refused", refusal.address
    except JudgedFault as fault:
        how, result, address = "faulted", str(fault), fault.address
    reached, rolls = frozenset(world.reached), tuple(world.rolls)
    return JudgedPlay(how, result, world.game, tuple(asked), tuple(path), reached, rolls, address)
