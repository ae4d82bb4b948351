"""What was asked, what was offered, and what would have been refused."""

from rulewright.drivers.session import Session, Turn
from rulewright.drivers.showing import show
from rulewright.inputs.addresses import Unresolved
from rulewright.inputs.answers import answer_type, read_answer
from rulewright.inputs.findings import Wrong
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.value_reader import ValueReader
from rulewright.inputs.wording import quoted
from rulewright.machine.advance import advance
from rulewright.machine.request import Refused
from rulewright.scenarios.expectations.judging import Judging
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
    return (Miss("asked", _told(expected[at:]), _told(got[at:]), before),)


_Question = tuple[str, str]


def _asked(turn: Turn, session: Session) -> _Question:
    player = turn.request.player
    return turn.request.address, "" if player is None else session.begun.names.thing("player", player)


def _question(judging: Judging, node: Node) -> _Question | None:
    """Address and player of what is expected; the player is empty where nothing is said of him."""
    match node:
        case Scalar(written=written):
            address = _address(judging, written, node)
            return None if address is None else (address, "")
        case Mapping():
            at, by = node.get("at"), node.get("by")
            if isinstance(at, Scalar) and (by is None or isinstance(by, Scalar)):
                address = _address(judging, at.written, at)
                return None if address is None else (address, by.written if by else "")
    judging.wrong(node, "a question, or `{at: …, by: …}`")
    return None


def _same(expected: _Question | None, got: _Question) -> bool:
    return expected is not None and expected[0] == got[0] and expected[1] in {"", got[1]}


def _told(questions: list[_Question] | list[_Question | None]) -> str:
    told = [f"{each[0]} of {each[1]}" if each[1] else each[0] for each in questions if each is not None]
    return ", ".join(told) or "nothing more"


def _address(judging: Judging, written: str, place: Key | Node) -> str | None:
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
        address = _address(judging, key.text, key)
        if not isinstance(node, Scalar):
            judging.wrong(node, "a player")
        elif address is not None:
            players = {
                by for at, by in (_asked(each, judging.session) for each in judging.session.turns) if at == address
            }
            if players != {node.written}:
                misses += (Miss("asked_of", node.written, ", ".join(sorted(players)) or "not asked", address),)
    return misses


def offered(judging: Judging) -> tuple[Miss, ...]:
    """The legal answers of listed questions, by address: those of the first time it was asked."""
    misses: tuple[Miss, ...] = ()
    for key, node in judging.entries("questions to their options"):
        address = _address(judging, key.text, key)
        if address is None:
            continue
        turn = _first(judging, address)
        if turn is None:
            misses += (Miss("offered", "asked", "not asked", address),)
        elif isinstance(node, Items):
            misses += _offered(judging, node, turn)
        else:
            judging.wrong(node, "a list of options")
    return misses


def _first(judging: Judging, address: str) -> Turn | None:
    """The first time something was asked."""
    return next((each for each in judging.session.turns if each.request.address == address), None)


def _offered(judging: Judging, node: Items, turn: Turn) -> tuple[Miss, ...]:
    request, names = turn.request, judging.names
    type_ = answer_type(request)
    reader = ValueReader(names, judging.findings)
    expected = [reader.read(each, type_, f"an option of `{request.address}`") for each in node.items]
    got = [each.value for each in request.choices if each.reason is None]
    if any(isinstance(each, Wrong) for each in expected) or expected == got:
        return ()
    shown = [", ".join(show(each, type_, names) for each in values) or "nothing" for values in (expected, got)]
    return (Miss("offered", shown[0], shown[1], request.address),)


def rejects(judging: Judging) -> tuple[Miss, ...]:
    """Answers that would have been refused where something was first asked, and a part of the reason."""
    if not isinstance(judging.node, Items):
        judging.wrong(judging.node, "a list of `{at: …, answer: …, because: …}`")
        return ()
    misses: tuple[Miss, ...] = ()
    for each in judging.node.items:
        misses += _rejected(judging, each)
    return misses


def _rejected(judging: Judging, node: Node) -> tuple[Miss, ...]:
    at = node.get("at") if isinstance(node, Mapping) else None
    answer = node.get("answer") if isinstance(node, Mapping) else None
    because = node.get("because") if isinstance(node, Mapping) else None
    if not isinstance(at, Scalar) or answer is None or not isinstance(because, Scalar):
        judging.wrong(node, "`{at: …, answer: …, because: …}`")
        return ()
    address = _address(judging, at.written, at)
    if address is None:
        return ()
    turn = _first(judging, address)
    if turn is None:
        return (Miss("rejects", "asked", "not asked", address),)
    said = _reason(turn, answer, judging)
    if said is None:
        return (Miss("rejects", f"refused: {because.written}", "accepted", address),)
    if because.written and because.written in said:
        return ()
    return (Miss("rejects", quoted(because.written), said, address),)


def _reason(turn: Turn, answer: Node, judging: Judging) -> str | None:
    """Why an answer is refused, by its form or by the rules; none where it is accepted."""
    found = read_answer(turn.request, answer, judging.names, turn.paused.state)
    if found.diagnostics:
        return found.diagnostics[0].message
    begun = judging.session.begun
    outcome = advance(begun.executable, turn.paused.state, found.value, begun.limits)
    return "; ".join(each.text for each in outcome.reasons) if isinstance(outcome, Refused) else None
