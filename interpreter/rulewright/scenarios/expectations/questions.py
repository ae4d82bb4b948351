"""What was asked of whom, and what was offered; also of what was answered by itself."""

from collections.abc import Sequence

from rulewright.drivers.session import Session, Turn
from rulewright.drivers.sources import Given
from rulewright.inputs.addresses import Unresolved
from rulewright.inputs.answers import answer_type
from rulewright.inputs.findings import Wrong
from rulewright.inputs.nodes import Items, Key, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.moments import of_turn
from rulewright.scenarios.results import Miss
from rulewright.telling.values import show


def player_of(turn: Turn, judging: Judging) -> str:
    """Who was asked: empty where nobody was."""
    number = turn.request.player
    return "" if number is None else judging.names.thing("player", number)


def player(node: Scalar) -> str:
    """The player who is meant: empty where nobody is."""
    return "" if node.value is None else node.written


def question_at(judging: Judging, written: str, place: Key | Node) -> str | None:
    """The question that is meant; else RW1007."""
    match judging.ruled.questions.resolve(written):
        case Unresolved(message, remedy):
            judging.findings.error("RW1007", place, message, help=remedy)
            return None
        case address:
            return address


def asked_of(judging: Judging) -> tuple[Miss, ...]:
    """The player of a question, by its address, each time it was asked."""
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries("questions to players"):
        address = question_at(judging, key.text, key)
        if not isinstance(node, Scalar):
            judging.wrong(node, "a player")
        elif address is not None:
            asked_at = [(each.request.address, player_of(each, judging)) for each in judging.session.turns]
            players = {by for at, by in asked_at if at == address}
            if players != {player(node)}:
                got = ", ".join(each or "nobody" for each in sorted(players)) or "not asked"
                wrong = (number for number, (at, by) in enumerate(asked_at) if at == address and by != player(node))
                moment = next((of_turn(judging.session, each) for each in wrong), None)
                misses += (Miss("asked_of", player(node) or "nobody", got, address, moment),)
    return misses


def offered(judging: Judging) -> tuple[Miss, ...]:
    """The legal answers of listed questions, by address, the first time they are asked or answered by themselves."""
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries("questions to their options"):
        address = question_at(judging, key.text, key)
        if address is None:
            continue
        turn = next(iter(turns_at(address, judging.session)), None)
        if turn is None:
            misses += (Miss("offered", "asked", "not asked", address),)
        elif isinstance(node, Items):
            misses += _offered(judging, node, turn)
        else:
            judging.wrong(node, "a list of options")
    return misses


def _offered(judging: Judging, node: Items, turn: Turn) -> tuple[Miss, ...]:
    request, names = turn.request, judging.names
    type_ = answer_type(request)
    reader = ValueReader(names, judging.findings)
    expected = [reader.read(each, type_, f"an option of `{request.address}`") for each in node.items]
    got = [each.value for each in request.choices if each.reason is None]
    if any(isinstance(each, Wrong) for each in expected) or expected == got:
        return ()
    shown = [", ".join(show(each, type_, names) for each in values) or "nothing" for values in (expected, got)]
    turns = judging.session.turns
    moment = of_turn(judging.session, turns.index(turn)) if turn in turns else None
    return (Miss("offered", shown[0], shown[1], request.address, moment),)


def turns_at(address: str, session: Session) -> Sequence[Turn]:
    """The times a question was asked; where it never was, the times it was answered by itself."""
    asked = [each for each in session.turns if each.request.address == address]
    return asked or [
        Turn(each.paused, Given(each.value, "forced"), session.sources)
        for each in session.ever_by_itself()
        if each.request.address == address
    ]
