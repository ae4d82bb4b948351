"""What was asked of whom, and what was offered."""

from collections.abc import Sequence

from rulewright.drivers.session import Session, Turn
from rulewright.drivers.showing import show
from rulewright.inputs.addresses import Unresolved
from rulewright.inputs.answers import answer_type
from rulewright.inputs.findings import Wrong
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.moments import of_turn
from rulewright.scenarios.results import Miss


def asked(judging: Judging) -> tuple[Miss, ...]:
    """Every question, roll and draw that was not forced, in order; `{at: …, by: …}` says of whom."""
    if not isinstance(judging.node, Items):
        judging.wrong(judging.node, "a list of questions")
        return ()
    expected = [_question(judging, each) for each in judging.node.items]
    got = [_asked(turn, judging.session) for turn in judging.session.turns]
    if None in expected or (
        len(got) == len(expected) and all(_same(each, turn) for each, turn in zip(expected, got, strict=True))
    ):
        return ()
    at = next(
        (n for n, (each, turn) in enumerate(zip(expected, got, strict=False)) if not _same(each, turn)),
        min(len(got), len(expected)),
    )
    before = f"after {got[at - 1][0]}" if at else "at the start"
    moment = of_turn(judging.session, at) if at < len(got) else None
    return (Miss("asked", _told(expected[at:]), _told(got[at:]), before, moment),)


_Question = tuple[str, str | None]
"""An address, and the player who was asked: empty where nobody was, none where nothing is said of him."""


def _asked(turn: Turn, session: Session) -> tuple[str, str]:
    player = turn.request.player
    return turn.request.address, "" if player is None else session.begun.names.thing("player", player)


def _question(judging: Judging, node: Node) -> _Question | None:
    """Address and player of what is expected."""
    match node:
        case Scalar(written=written):
            address = question_at(judging, written, node)
            return None if address is None else (address, None)
        case Mapping():
            at, by = node.get("at"), node.get("by")
            if isinstance(at, Scalar) and (by is None or isinstance(by, Scalar)):
                address = question_at(judging, at.written, at)
                return None if address is None else (address, _player(by) if by else None)
    judging.wrong(node, "a question, or `{at: …, by: …}`")
    return None


def _player(node: Scalar) -> str:
    return "" if node.value is None else node.written


def _same(expected: _Question | None, got: _Question) -> bool:
    return expected is not None and expected[0] == got[0] and expected[1] in {None, got[1]}


def _told(questions: Sequence[_Question | None]) -> str:
    told = [_of(*each) for each in questions if each is not None]
    return ", ".join(told) or "nothing more"


def _of(address: str, player: str | None) -> str:
    return address if player is None else f"{address} of {player or 'nobody'}"


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
            asked_at = [_asked(each, judging.session) for each in judging.session.turns]
            players = {by for at, by in asked_at if at == address}
            if players != {_player(node)}:
                got = ", ".join(each or "nobody" for each in sorted(players)) or "not asked"
                wrong = (number for number, (at, by) in enumerate(asked_at) if at == address and by != _player(node))
                moment = next((of_turn(judging.session, each) for each in wrong), None)
                misses += (Miss("asked_of", _player(node) or "nobody", got, address, moment),)
    return misses


def offered(judging: Judging) -> tuple[Miss, ...]:
    """The legal answers of listed questions, by address: those of the first time it was asked."""
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries("questions to their options"):
        address = question_at(judging, key.text, key)
        if address is None:
            continue
        turn = next((each for each in judging.session.turns if each.request.address == address), None)
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
    moment = of_turn(judging.session, judging.session.turns.index(turn))
    return (Miss("offered", shown[0], shown[1], request.address, moment),)
