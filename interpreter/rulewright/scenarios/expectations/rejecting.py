"""What would have been refused."""

from rulewright.drivers.session import Turn
from rulewright.inputs.answers import read_answer
from rulewright.inputs.nodes import Items, Mapping, Node, Scalar
from rulewright.inputs.wording import quoted
from rulewright.machine.advance import advance
from rulewright.machine.request import Refused
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.moments import of_turn
from rulewright.scenarios.expectations.questions import question_at
from rulewright.scenarios.results import Miss


def rejects(judging: Judging) -> tuple[Miss, ...]:
    """Answers that would have been refused, and a part of the reason: the first time asked, or another `time`."""
    if not isinstance(judging.node, Items):
        judging.wrong(judging.node, f"a list of {_FORM}")
        return ()
    misses: tuple[Miss, ...] = ()
    for each in judging.node.items:
        misses += _rejected(judging, each)
    return misses


_FORM = "`{at: …, answer: …, because: …}`"


def _rejected(judging: Judging, node: Node) -> tuple[Miss, ...]:
    at = node.get("at") if isinstance(node, Mapping) else None
    answer = node.get("answer") if isinstance(node, Mapping) else None
    because = node.get("because") if isinstance(node, Mapping) else None
    if not isinstance(at, Scalar) or answer is None or not isinstance(because, Scalar):
        judging.wrong(node, _FORM)
        return ()
    address, time = question_at(judging, at.written, at), _time(judging, node)
    if address is None or time is None:
        return ()
    turns = [each for each in judging.session.turns if each.request.address == address]
    if len(turns) < time:
        return (Miss("rejects", _asked(time), _asked(len(turns)), address),)
    turn = turns[time - 1]
    said = reason(turn, answer, judging)
    if said is None:
        return (Miss("rejects", f"refused: {because.written}", "accepted", address, _moment(judging, turn)),)
    if because.written and because.written in said:
        return ()
    return (Miss("rejects", quoted(because.written), said, address, _moment(judging, turn)),)


def _moment(judging: Judging, turn: Turn) -> int:
    return of_turn(judging.session, judging.session.turns.index(turn))


def _asked(times: int) -> str:
    return "not asked" if not times else "asked" if times == 1 else f"asked {times} times"


def _time(judging: Judging, node: Node) -> int | None:
    """Which time a question is asked, from 1."""
    given = node.get("time") if isinstance(node, Mapping) else None
    match given:
        case None:
            return 1
        case Scalar(value=int(number)) if number > 0 and not isinstance(number, bool):
            return number
    judging.wrong(given, "a whole number, 1 or more")
    return None


def reason(turn: Turn, answer: Node, judging: Judging) -> str | None:
    """Why an answer is refused, by its form or by the rules; none where it is accepted."""
    found = read_answer(turn.request, answer, judging.names, turn.paused.state)
    if found.diagnostics:
        return found.diagnostics[0].message
    begun = judging.session.begun
    outcome = advance(begun.executable, turn.paused.state, found.value, begun.limits)
    return "; ".join(each.text for each in outcome.reasons) if isinstance(outcome, Refused) else None
