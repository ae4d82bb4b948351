"""What would have been refused."""

from rulewright.drivers.session import Turn
from rulewright.frozen import dataclass
from rulewright.inputs.answers import read_answer
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar
from rulewright.inputs.script import Line, mismatch
from rulewright.inputs.wording import did_you_mean, quoted, there_are
from rulewright.machine.request import Refused
from rulewright.machine.run import advance
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.moments import of_turn
from rulewright.scenarios.expectations.questions import question_at, turns_at
from rulewright.scenarios.results import Miss
from rulewright.telling.reasons import reason as told

END = "end"
"""When an answer is given after the end of a play."""


def rejects(judging: Judging) -> tuple[Miss, ...]:
    """Answers that would have been refused, and a part of the reason: the first time asked, or another `time`.

    An answer may be another player's (`by`), or come when another question waits or none does any more (`when`).
    """
    assert isinstance(judging.node, Items)
    misses: tuple[Miss, ...] = ()
    for each in judging.node.items:
        assert isinstance(each, Mapping)
        misses += _rejected(judging, each)
    return misses


def _rejected(judging: Judging, node: Mapping) -> tuple[Miss, ...]:
    attempt = attempted(judging, node)
    if attempt is None:
        return ()
    because, waiting = _written(node, "because"), attempt.waiting
    if attempt.turn is None and waiting:
        return (Miss("rejects", _asked(attempt.time), _asked(attempt.times), waiting),)
    moment = None if attempt.turn is None else _moment(judging, attempt.turn)
    said = reason(attempt, judging)
    if not said:
        return (Miss("rejects", f"refused: {because}", "accepted", attempt.address, moment),)
    if because and any(because in each for each in said):
        return ()
    return (Miss("rejects", quoted(because), said[0], attempt.address, moment),)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that somebody tries to give.

    Attributes:
        address: of the question it is for.
        answer: as written.
        by: id of the player who gives it, or empty.
        waiting: address of the question that waits; empty after the end.
        time: which time that waits, from 1.
        turn: the question that waits then; none after the end, or where it does not come to it.
        times: how often that waits in the play.
    """

    address: str
    answer: Node
    by: str
    waiting: str
    time: int
    turn: Turn | None
    times: int


def attempted(judging: Judging, node: Mapping) -> Attempt | None:
    """The attempt that is written; none where an address or a player is wrong, which is reported (RW1007)."""
    at, answer, when = node.get("at"), node.get("answer"), node.get("when")
    assert isinstance(at, Scalar)
    assert answer is not None
    address, by = question_at(judging, at.written, at), _written(node, "by")
    waiting = address
    if isinstance(when, Scalar):
        waiting = "" if when.written == END else question_at(judging, when.written, when)
    if address is None or waiting is None or not _is_player(judging, node.get("by")):
        return None
    turns = turns_at(waiting, judging.session) if waiting else ()
    time = int(_written(node, "time") or 1)
    return Attempt(address, answer, by, waiting, time, turns[time - 1] if time <= len(turns) else None, len(turns))


def _is_player(judging: Judging, node: Node | None) -> bool:
    ids = judging.names.ids("player")
    if not isinstance(node, Scalar) or node.written in ids:
        return True
    remedy = did_you_mean(node.written, ids) or there_are(ids)
    judging.findings.error("RW1007", node, f"there is no player {quoted(node.written)}", help=remedy)
    return False


def _written(node: Mapping, key: str) -> str:
    given = node.get(key)
    return given.written if isinstance(given, Scalar) else ""


def _moment(judging: Judging, turn: Turn) -> int | None:
    """When a question was asked; none where it was answered by itself."""
    turns = judging.session.turns
    return of_turn(judging.session, turns.index(turn)) if turn in turns else None


def _asked(times: int) -> str:
    return "not asked" if not times else "asked" if times == 1 else f"asked {times} times"


def reason(attempt: Attempt, judging: Judging) -> tuple[str, ...]:
    """Why an answer is refused, for its moment, its player, by its form or by the rules; nothing where it is accepted.

    After the sentence comes the condition as the rules write it, where the author gave no words for it.
    """
    turn = attempt.turn
    if turn is None:
        return (f"this answer is for `{attempt.address}`, but nothing is asked any more",)
    line = Line(attempt.answer, attempt.answer, attempt.address, attempt.by)
    if misplaced := mismatch(line, turn.request, judging.names):
        return (misplaced,)
    found = read_answer(turn.request, attempt.answer, judging.names, turn.paused)
    if found.diagnostics:
        return (found.diagnostics[0].message, *found.diagnostics[0].notes)
    outcome = advance(turn.paused, found.value)
    if not isinstance(outcome, Refused):
        return ()
    spoken = "; ".join(told(each, judging.names) for each in outcome.reasons)
    return (spoken, *(each.text for each in outcome.reasons))
