"""What was asked in a play, as expectations say it."""

from collections.abc import Callable, Sequence

from rulewright.drivers.session import Turn
from rulewright.inputs.answers import answer_type
from rulewright.inputs.json_values import to_json
from rulewright.inputs.nodes import Items, Json, Mapping, Node
from rulewright.scenarios.accepting.addresses import Judge, is_met, something
from rulewright.scenarios.accepting.sameness import NothingFitsError, plain
from rulewright.scenarios.expectations import asked as expectations
from rulewright.scenarios.expectations import questions, rejecting
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.merging import named


def asked(judging: Judging) -> Json:
    """Every question; as it is written where that is right, with the player where others are written so."""
    written = judging.node.items if isinstance(judging.node, Items) else ()
    by = any(isinstance(each, Mapping) and "by" in each for each in written)
    found: list[Json] = []
    for number, turn in enumerate(judging.session.turns):
        node = written[number] if number < len(written) else None
        if node is not None and _says(node, turn, judging):
            found.append(plain(node))
        else:
            found.append(_question(turn, judging, node, by=by))
    return found


def asked_of(judging: Judging) -> Json:
    """The player of each question; one that was not asked is left out."""
    return _entries(questions.asked_of, judging, _asked_of)


def offered(judging: Judging) -> Json:
    """The options of each question; one that was not asked is left out."""
    return _entries(questions.offered, judging, _options)


def rejects(judging: Judging) -> Json:
    """Answers that are refused, with the reasons they have now."""
    assert isinstance(judging.node, Items)
    return [_rejected(each, judging) for each in judging.node.items]


def _asked_of(turns: Sequence[Turn], judging: Judging) -> Json:
    players = {_player(each, judging) for each in turns}
    if len(players) > 1:
        reason = f"`{turns[0].request.address}` was asked of several players"
        raise NothingFitsError(reason)
    return players.pop()


def _options(turns: Sequence[Turn], judging: Judging) -> Json:
    request = turns[0].request
    return [to_json(each.value, answer_type(request), judging.names) for each in request.choices if not each.reason]


def _entries(judge: Judge, judging: Judging, now: Callable[[Sequence[Turn], Judging], Json]) -> Json:
    found: dict[str, Json] = {}
    for key, node in judging.entries("questions to what is said of them"):
        address = questions.question_at(judging, key.text, key)
        turns = [each for each in judging.session.turns if each.request.address == address]
        if is_met(judge, judging, Mapping(((key, node),), key.span, key.pointer)):
            found[key.text] = plain(node)
        elif turns:
            found[key.text] = now(turns, judging)
    return something(found)


def _rejected(node: Node, judging: Judging) -> Json:
    data = plain(node)
    if is_met(rejecting.rejects, judging, Items((node,), node.span, node.pointer)):
        return data
    assert isinstance(node, Mapping)
    assert isinstance(data, dict)
    attempt = rejecting.attempted(judging, node)
    assert attempt is not None
    never = attempt.turn is None and attempt.waiting
    because = () if never else rejecting.reason(attempt, judging)
    if not because:
        at = f"`{attempt.waiting or attempt.address}`"
        raise NothingFitsError(f"nothing was asked at {at}" if never else f"the answer is accepted at {at}")
    return {**data, "because": because[0]}


def _says(node: Node, turn: Turn, judging: Judging) -> bool:
    """Whether a question is what is written, as far as that says something of it."""
    expected = expectations.question(judging, node)
    return expected is not None and expected.fits(turn, judging)


def _question(turn: Turn, judging: Judging, node: Node | None, *, by: bool) -> Json:
    """A question, with the arguments that are written there."""
    at, held = _short(turn.request.address, judging), turn.request.arguments
    given = node.get("with") if isinstance(node, Mapping) else None
    names = [key.text for key, _ in given if key.text in held] if isinstance(given, Mapping) else []
    told: dict[str, Json] = {"at": at}
    if by:
        told["by"] = _player(turn, judging)
    if names:
        told["with"] = {name: to_json(*held[name], judging.names) for name in names}
    return told if len(told) > 1 else at


def _short(address: str, judging: Judging) -> Json:
    """The address without its procedure, where that is enough."""
    short = address.partition("/")[2]
    return named(short) if judging.ruled.questions.resolve(short) == address else address


def _player(turn: Turn, judging: Judging) -> str | None:
    player = turn.request.player
    return None if player is None else judging.names.thing("player", player)
