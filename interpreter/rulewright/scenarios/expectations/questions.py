"""What was asked of whom and what was given, what was offered, and what would have been refused."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from rulewright.codecs.table import show
from rulewright.drivers.session import Session, Turn
from rulewright.drivers.sources import Given
from rulewright.frozen import dataclass
from rulewright.inputs.answers import answer_type, calling_dice, read_answer
from rulewright.inputs.findings import Wrong, did_you_mean, one_of, quoted, there_are
from rulewright.inputs.names import Unresolved
from rulewright.inputs.nodes import Items, Key, Mapping, Node, Scalar
from rulewright.inputs.script import Line, mismatch
from rulewright.inputs.value_reader import ValueReader
from rulewright.machine.question import answers, count
from rulewright.machine.request import OF_ITEMS, Refused, Request
from rulewright.machine.run import advance
from rulewright.machine.values import Value
from rulewright.program.expressions import Binding
from rulewright.program.statements import Ask, OneOf
from rulewright.program.types import DeckType, ListType, Type
from rulewright.scenarios.expectations.lines import Judging, of_turn
from rulewright.scenarios.expectations.shapes import END
from rulewright.scenarios.suite import Miss
from rulewright.telling.happenings import reason as told


def player_of(turn: Turn, judging: Judging) -> str:
    """Who was asked: empty where nobody was."""
    return judging.names.player(turn.request.player)


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
    for key, node in judging.entries:
        address = question_at(judging, key.text, key)
        if address is not None and isinstance(node, Scalar):
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
    for key, node in judging.entries:
        address = question_at(judging, key.text, key)
        if address is None:
            continue
        turn = first_turn(address, judging.session)
        if turn is None:
            misses += (Miss("offered", "asked", "not asked", address),)
        elif isinstance(node, Items):
            misses += _offered(judging, node, turn)
    return misses


def _offered(judging: Judging, node: Items, turn: Turn) -> tuple[Miss, ...]:
    request, names = turn.request, calling_dice(turn.request, judging.names)
    type_ = answer_type(request)
    reader = ValueReader(names, judging.findings)
    expected = [reader.read(each, type_, f"an option of `{request.address}`") for each in node.items]
    if any(isinstance(each, Wrong) for each in expected):
        return ()
    got = legal(request)
    if got is None:
        wanted = ", ".join(show(each, type_, names) for each in expected) or "nothing"
        unlisted = "more than is listed: expect `rejects`"
        return (Miss("offered", wanted, unlisted, request.address, _moment(judging, turn)),)
    alike = Counter(expected) == Counter(got)
    if expected == got or (alike and not _is_ordered(turn)):
        return ()
    shown = [", ".join(show(each, type_, names) for each in values) or "nothing" for values in (expected, got)]
    shown = [f"{each}, in this order" for each in shown] if alike else shown
    return (Miss("offered", shown[0], shown[1], request.address, _moment(judging, turn)),)


_MOST = 1000


def legal(request: Request) -> list[Value] | None:
    """The legal answers of a question in order, of a pick, split or order whole ones; none where they are not listed.

    They are not where chance or a place on the plane answers, and where there are too many.
    """
    if request.choices:
        return [each.value for each in request.choices if each.reason is None]
    if request.sort not in OF_ITEMS or not count(request).exact:
        return None
    found = list(islice(answers(request), _MOST + 1))
    return found if len(found) <= _MOST else None


def _is_ordered(turn: Turn) -> bool:
    """Whether the order of the options is the author's: those of a list, or written one below the other."""
    if turn.request.sort in OF_ITEMS:
        return False
    match turn.asked.node:
        case Ask(shape=OneOf(binding=Binding(source=source))):
            return isinstance(source.type, ListType | DeckType)
        case _:
            return True


def first_turn(address: str, session: Session) -> Turn | None:
    """The first time a question was asked; where it never was, the first time it was answered by itself."""
    asked = (each for each in session.turns if each.request.address == address)
    return next(asked, None) or next(iter(turns_at(address, session)), None)


def turns_at(address: str, session: Session) -> Sequence[Turn]:
    """All the times that the play came to a question, in order, asked or answered by itself."""
    found: list[Turn] = []
    for part in range(len(session.turns) + 1):
        found += [Turn(each.paused, Given(each.value, "forced"), session.sources) for each in session.by_itself(part)]
        found += session.turns[part : part + 1]
    return [each for each in found if each.request.address == address]


_Argument = tuple[str, Value, Type]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is expected."""

    at: str  # its address
    by: str | None  # the player: empty where nobody is asked, none where nothing is said of him
    given: tuple[_Argument, ...] = ()  # what is said of the arguments: a name, the value and its type

    def fits(self, turn: Turn, judging: Judging) -> bool:
        """Whether that was asked."""
        held = turn.request.arguments
        return (
            self.at == turn.request.address
            and self.by in {None, player_of(turn, judging)}
            and all(name in held and held[name][0] == value for name, value, _ in self.given)
        )


def asked(judging: Judging) -> tuple[Miss, ...]:
    """Every question, roll and draw that was not forced, in order; `{at: …, by: …, with: …}` says more of one."""
    assert isinstance(judging.node, Items)
    got = judging.session.turns
    expected = [each for node in judging.node.items if (each := question(judging, node)) is not None]
    if len(expected) < len(judging.node.items):
        return ()
    at = _first_wrong(expected, got, judging)
    if at is None:
        return ()
    before = f"after {got[at - 1].request.address}" if at else "at the start"
    moment = of_turn(judging.session, at) if at < len(got) else None
    came = [_came(each, wanted, judging) for each, wanted in zip_longest(got[at:], expected[at:]) if each]
    return (Miss("asked", _all(_told(each, judging) for each in expected[at:]), _all(came), before, moment),)


def _first_wrong(expected: Sequence[Question], got: Sequence[Turn], judging: Judging) -> int | None:
    pairs = enumerate(zip(expected, got, strict=False))
    wrong = next((number for number, (each, turn) in pairs if not each.fits(turn, judging)), None)
    if wrong is None and len(expected) != len(got):
        return min(len(expected), len(got))
    return wrong


def question(judging: Judging, node: Node) -> Question | None:
    """What is expected; none where something is wrong in it, which is reported."""
    match node:
        case Scalar(written=written):
            address = question_at(judging, written, node)
            return None if address is None else Question(address, None)
        case Mapping():
            at, by, given = node.get("at"), node.get("by"), node.get("with")
            if isinstance(at, Scalar) and isinstance(by, Scalar | None) and isinstance(given, Mapping | None):
                address = question_at(judging, at.written, at)
                values = _given(judging, given, address) if given and address else ()
                return Question(address, player(by) if by else None, values) if address and values is not None else None
    return None


def _given(judging: Judging, node: Mapping, address: str) -> tuple[_Argument, ...] | None:
    """What is said of arguments; nothing where nothing was asked there."""
    turn = next((each for each in judging.session.turns if each.request.address == address), None)
    if turn is None:
        return ()
    held, reader = turn.request.arguments, ValueReader(judging.names, judging.findings)
    found: list[_Argument] = []
    for key, inner in node:
        if key.text not in held:
            remedy = did_you_mean(key.text, held) or (
                f"it has {one_of(list(held))}" if held else "nothing is given to it"
            )
            judging.findings.error("RW1007", key, f"{quoted(address)} is given no {quoted(key.text)}", help=remedy)
            return None
        value = reader.read(inner, held[key.text][1], f"{quoted(key.text)} of {quoted(address)}")
        if isinstance(value, Wrong):
            return None
        found.append((key.text, value, held[key.text][1]))
    return tuple(found)


def _came(turn: Turn, wanted: Question | None, judging: Judging) -> str:
    """What was asked, with as much of its arguments as was expected."""
    held = turn.request.arguments
    given = tuple((name, *held[name]) for name, *_ in (wanted.given if wanted else ()) if name in held)
    return _told(Question(turn.request.address, player_of(turn, judging), given), judging)


def _told(question: Question, judging: Judging) -> str:
    of = "" if question.by is None else f" of {question.by or 'nobody'}"
    given = ", ".join(f"{name} {show(value, type_, judging.names)}" for name, value, type_ in question.given)
    return f"{question.at}{of}{given and f' with {given}'}"


def _all(told: Iterable[str]) -> str:
    return ", ".join(told) or "nothing more"


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
    said = reason(attempt, judging)
    if because and any(because in each for each in said):
        return ()
    moment = None if attempt.turn is None else _moment(judging, attempt.turn)
    expected, got = (quoted(because), said[0]) if said else (f"refused: {because}", "accepted")
    return (Miss("rejects", expected, got + _another_time(attempt, because, judging), attempt.address, moment),)


@dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that somebody tries to give."""

    address: str  # of the question it is for
    answer: Node  # as written
    by: str  # id of the player who gives it, or empty
    waiting: str  # address of the question that waits; empty after the end
    time: int  # which time that waits, from 1
    turn: Turn | None  # the question that waits then; none after the end, or where it does not come to it
    times: int  # how often that waits in the play


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
    written = _written(node, "time")
    if not waiting or not written:
        first = first_turn(waiting, judging.session) if waiting else None
        return Attempt(address, answer, by, waiting, 1, first, int(first is not None))
    turns, time = turns_at(waiting, judging.session), int(written)
    return Attempt(address, answer, by, waiting, time, turns[time - 1] if time <= len(turns) else None, len(turns))


def _another_time(attempt: Attempt, because: str, judging: Judging) -> str:
    """At which other time the answer is refused as expected, or at least its player is asked; empty where at none."""
    turns = turns_at(attempt.waiting, judging.session) if attempt.waiting else ()
    others = [(number, each) for number, each in enumerate(turns, 1) if each != attempt.turn]
    for number, turn in others:
        if because and any(because in each for each in reason(replace(attempt, turn=turn), judging)):
            return f"; it is refused so with `time: {number}`"
    asked = next((number for number, each in others if attempt.by and player_of(each, judging) == attempt.by), None)
    return f"; {quoted(attempt.by)} is asked with `time: {asked}`" if asked else ""


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
