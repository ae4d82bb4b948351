"""Expectations of questions: asked players, answers given, legal options, and answers that would be refused."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest

from rulewright.base.frozen import dataclass
from rulewright.documents.answer_scripts import ScriptLine, explain_mismatch
from rulewright.documents.answers import answer_type, name_offered_dice, read_answer
from rulewright.documents.document_nodes import DocumentNode, ListNode, MapKey, MapNode, ScalarNode
from rulewright.documents.findings import InvalidValue, describe_choices, did_you_mean, list_alternatives, quote_name
from rulewright.documents.name_table import UnresolvedAddress
from rulewright.documents.value_reader import ValueReader
from rulewright.play.answer_sources import SourcedAnswer
from rulewright.play.session import AnsweredTurn, Session
from rulewright.program.expressions import Binding
from rulewright.program.statements import Ask, OneOf
from rulewright.program.types import DeckType, ListType, Type
from rulewright.runtime.pending_question import count_request_answers, iterate_request_answers
from rulewright.runtime.request import ITEM_SORTS, Refused, Request
from rulewright.runtime.run import answer_paused
from rulewright.runtime.type_codecs import format_value
from rulewright.runtime.values import Value
from rulewright.scenarios.expectation_schema import END_KEY
from rulewright.scenarios.line_expectations import JudgingContext, turn_position
from rulewright.scenarios.suite import UnmetExpectation
from rulewright.wording.entry_rendering import render_reason


def asked_player(turn: AnsweredTurn, judging: JudgingContext) -> str:
    """Id of the asked player; `""` for nobody."""
    return judging.names.player_id(turn.request.player)


def expected_player(node: ScalarNode) -> str:
    """Id of the expected player; `""` for nobody."""
    return "" if node.value is None else node.written


def resolve_question(judging: JudgingContext, written: str, place: MapKey | DocumentNode) -> str | None:
    """Address of a question; else reports RW1007."""
    match judging.ruled.questions.resolve(written):
        case UnresolvedAddress(message, remedy):
            judging.findings.add_error("RW1007", place, message, help=remedy)
            return None
        case address:
            return address


def judge_asked_players(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of the player of a question, by address, each time it was asked."""
    for key, node in judging.entries:
        address = resolve_question(judging, key.text, key)
        if address is not None and isinstance(node, ScalarNode):
            asked_at = [(turn.request.address, asked_player(turn, judging)) for turn in judging.session.turns]
            players, expected = {by for at, by in asked_at if at == address}, expected_player(node)
            if players != {expected}:
                actual = ", ".join(player or "nobody" for player in sorted(players)) or "not asked"
                wrong = (number for number, (at, by) in enumerate(asked_at) if at == address and by != expected)
                moment = next((turn_position(judging.session, item) for item in wrong), None)
                yield UnmetExpectation("asked_of", expected or "nobody", actual, address, moment)


def judge_offers(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of the legal answers of listed questions, by address, at their first occurrence (asked or forced)."""
    for key, node in judging.entries:
        address = resolve_question(judging, key.text, key)
        if address is None:
            continue
        turn = find_first_turn(address, judging.session)
        if turn is None:
            yield UnmetExpectation("offered", "asked", "not asked", address)
        elif isinstance(node, ListNode):
            yield from _judge_offer(judging, node, turn)


def _judge_offer(judging: JudgingContext, node: ListNode, turn: AnsweredTurn) -> Iterator[UnmetExpectation]:
    request, names = turn.request, name_offered_dice(turn.request, judging.names)
    type_ = answer_type(request)
    reader = ValueReader(names, judging.findings)
    expected = [reader.read_typed(item, type_, f"an option of `{request.address}`") for item in node.items]
    if any(isinstance(item, InvalidValue) for item in expected):
        return
    actual = list_legal_answers(request)
    alike = actual is not None and Counter(expected) == Counter(actual)
    if expected == actual or (alike and not _has_authored_order(turn)):
        return
    wanted, got = (
        ", ".join(format_value(value, type_, names) for value in values) or "nothing"
        for values in (expected, actual or ())
    )
    if alike:
        wanted, got = f"{wanted}, in this order", f"{got}, in this order"
    elif actual is None:
        got = "more than is listed: expect `rejects`"
    yield UnmetExpectation("offered", wanted, got, request.address, _turn_moment(judging, turn))


_MAX_LISTED_ANSWERS = 1000


def list_legal_answers(request: Request) -> list[Value] | None:
    """Legal answers of a request in order; whole ones for a pick, split or order. `None` if not listed.

    They are not listed where chance or a place on the plane answers, or there are too many.
    """
    if request.choices:
        return [choice.value for choice in request.choices if choice.reason is None]
    if request.sort not in ITEM_SORTS or not count_request_answers(request).exact:
        return None
    result = list(islice(iterate_request_answers(request), _MAX_LISTED_ANSWERS + 1))
    return result if len(result) <= _MAX_LISTED_ANSWERS else None


def _has_authored_order(turn: AnsweredTurn) -> bool:
    """Whether the order of the options is the author's: of a list, or of lines."""
    if turn.request.sort in ITEM_SORTS:
        return False
    match turn.question.node:
        case Ask(shape=OneOf(binding=Binding(source=source))):
            return isinstance(source.type, ListType | DeckType)
        case _:
            return True


def find_first_turn(address: str, session: Session) -> AnsweredTurn | None:
    """First time a question was asked; if never, the first time it was forced."""
    asked_turns = (turn for turn in session.turns if turn.request.address == address)
    return next(asked_turns, None) or next(iter(find_turns(address, session)), None)


def find_turns(address: str, session: Session) -> Sequence[AnsweredTurn]:
    """All turns of a question in order, asked or forced."""
    result: list[AnsweredTurn] = []
    for part in range(len(session.turns) + 1):
        result += [
            AnsweredTurn(one.paused, SourcedAnswer(one.value, "forced"), session.sources)
            for one in session.find_forced_answers(part)
        ]
        result += session.turns[part : part + 1]
    return [one for one in result if one.request.address == address]


_QuestionArgument = tuple[str, Value, Type]


@dataclass(frozen=True, slots=True)
class ExpectedQuestion:
    at: str
    by: str | None  # id of the player; "" for nobody, `None` for any
    expected_arguments: tuple[_QuestionArgument, ...] = ()  # name, value and type of expected arguments

    def is_match(self, turn: AnsweredTurn, judging: JudgingContext) -> bool:
        arguments = turn.request.arguments
        return (
            self.at == turn.request.address
            and self.by in {None, asked_player(turn, judging)}
            and all(name in arguments and arguments[name][0] == value for name, value, _ in self.expected_arguments)
        )


def judge_questions(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of every question, roll and draw that was not forced, in order; `{at: …, by: …, with: …}` adds details."""
    assert isinstance(judging.node, ListNode)
    actual = judging.session.turns
    expected = [each for node in judging.node.items if (each := read_expected_question(judging, node)) is not None]
    at = _first_mismatch(expected, actual, judging) if len(expected) == len(judging.node.items) else None
    if at is None:
        return
    before = f"after {actual[at - 1].request.address}" if at else "at the start"
    moment = turn_position(judging.session, at) if at < len(actual) else None
    pairs = zip_longest(actual[at:], expected[at:])
    shown = _join_or_nothing(_describe_asked_turn(each, wanted, judging) for each, wanted in pairs if each)
    expected_text = _join_or_nothing(_describe_question(each, judging) for each in expected[at:])
    yield UnmetExpectation("asked", expected_text, shown, before, moment)


def _first_mismatch(
    expected: Sequence[ExpectedQuestion], actual: Sequence[AnsweredTurn], judging: JudgingContext
) -> int | None:
    pairs = enumerate(zip(expected, actual, strict=False))
    wrong = next(
        (number for number, (expected_question, turn) in pairs if not expected_question.is_match(turn, judging)), None
    )
    if wrong is None and len(expected) != len(actual):
        return min(len(expected), len(actual))
    return wrong


def read_expected_question(judging: JudgingContext, node: DocumentNode) -> ExpectedQuestion | None:
    """Expected question; `None`, reported, where it is invalid."""
    match node:
        case ScalarNode(written=written):
            address = resolve_question(judging, written, node)
            return None if address is None else ExpectedQuestion(address, None)
        case MapNode():
            at, by, given = node.get("at"), node.get("by"), node.get("with")
            if isinstance(at, ScalarNode) and isinstance(by, ScalarNode | None) and isinstance(given, MapNode | None):
                address = resolve_question(judging, at.written, at)
                values = _read_expected_arguments(judging, given, address) if given and address else ()
                return (
                    ExpectedQuestion(address, expected_player(by) if by else None, values)
                    if address and values is not None
                    else None
                )
    return None


def _read_expected_arguments(
    judging: JudgingContext, node: MapNode, address: str
) -> tuple[_QuestionArgument, ...] | None:
    turn = next((one for one in judging.session.turns if one.request.address == address), None)
    if turn is None:
        return ()
    arguments, reader = turn.request.arguments, ValueReader(judging.names, judging.findings)
    result: list[_QuestionArgument] = []
    for key, inner in node:
        if key.text not in arguments:
            remedy = did_you_mean(key.text, arguments) or (
                f"it has {list_alternatives(list(arguments))}" if arguments else "nothing is given to it"
            )
            judging.findings.add_error(
                "RW1007", key, f"{quote_name(address)} is given no {quote_name(key.text)}", help=remedy
            )
            return None
        value = reader.read_typed(inner, arguments[key.text][1], f"{quote_name(key.text)} of {quote_name(address)}")
        if isinstance(value, InvalidValue):
            return None
        result.append((key.text, value, arguments[key.text][1]))
    return tuple(result)


def _describe_asked_turn(turn: AnsweredTurn, wanted: ExpectedQuestion | None, judging: JudgingContext) -> str:
    """A question that was asked, with the arguments that were expected."""
    arguments = turn.request.arguments
    given = tuple(
        (name, *arguments[name]) for name, *_ in (wanted.expected_arguments if wanted else ()) if name in arguments
    )
    return _describe_question(ExpectedQuestion(turn.request.address, asked_player(turn, judging), given), judging)


def _describe_question(question: ExpectedQuestion, judging: JudgingContext) -> str:
    of = "" if question.by is None else f" of {question.by or 'nobody'}"
    given = ", ".join(
        f"{name} {format_value(value, type_, judging.names)}" for name, value, type_ in question.expected_arguments
    )
    return f"{question.at}{of}{given and f' with {given}'}"


def _join_or_nothing(texts: Iterable[str]) -> str:
    return ", ".join(texts) or "nothing more"


def judge_rejections(judging: JudgingContext) -> Iterator[UnmetExpectation]:
    """Misses of answers that would be refused, with a part of the reason, at the first or another `time`.

    An answer may be another player's (`by`), or come while another question waits or after the end (`when`).
    """
    assert isinstance(judging.node, ListNode)
    for item in judging.node.items:
        assert isinstance(item, MapNode)
        yield from _judge_rejection(judging, item)


def _judge_rejection(judging: JudgingContext, node: MapNode) -> Iterator[UnmetExpectation]:
    attempt = read_attempt(judging, node)
    if attempt is None:
        return
    because, waiting = _text_under(node, "because"), attempt.waiting
    if attempt.turn is None and waiting:
        expected, actual = _describe_asked_count(attempt.time), _describe_asked_count(attempt.times)
        yield UnmetExpectation("rejects", expected, actual, waiting)
        return
    reasons = explain_rejection(attempt, judging)
    if not because or not any(because in item for item in reasons):
        moment = None if attempt.turn is None else _turn_moment(judging, attempt.turn)
        expected, actual = (quote_name(because), reasons[0]) if reasons else (f"refused: {because}", "accepted")
        actual += _suggest_other_time(attempt, because, judging)
        yield UnmetExpectation("rejects", expected, actual, attempt.address, moment)


@dataclass(frozen=True, slots=True)
class AnswerAttempt:
    address: str  # of its question
    answer: DocumentNode
    by: str  # id of the player who gives it, or ""
    waiting: str  # address of the pending question; "" after the end
    time: int  # occurrence of the pending question, from 1
    turn: AnsweredTurn | None  # pending question; `None` after the end, or where the play does not reach it
    times: int  # occurrences of the pending question in the play


def read_attempt(judging: JudgingContext, node: MapNode) -> AnswerAttempt | None:
    """Attempt as written; `None`, reported (RW1007), for an unknown address or player."""
    at, answer, when = node.get("at"), node.get("answer"), node.get("when")
    assert isinstance(at, ScalarNode)
    assert answer is not None
    address, by = resolve_question(judging, at.written, at), _text_under(node, "by")
    waiting = address
    if isinstance(when, ScalarNode):
        waiting = "" if when.written == END_KEY else resolve_question(judging, when.written, when)
    if address is None or waiting is None or not _check_player(judging, node.get("by")):
        return None
    written = _text_under(node, "time")
    if not waiting or not written:
        first = find_first_turn(waiting, judging.session) if waiting else None
        return AnswerAttempt(address, answer, by, waiting, 1, first, int(first is not None))
    turns, time = find_turns(waiting, judging.session), int(written)
    return AnswerAttempt(
        address, answer, by, waiting, time, turns[time - 1] if time <= len(turns) else None, len(turns)
    )


def _suggest_other_time(attempt: AnswerAttempt, because: str, judging: JudgingContext) -> str:
    """Time at which the answer is refused as expected, or its player is asked at all; `""` without one."""
    turns = find_turns(attempt.waiting, judging.session) if attempt.waiting else ()
    others = [(number, answered_turn) for number, answered_turn in enumerate(turns, 1) if answered_turn != attempt.turn]
    for number, turn in others:
        if because and any(because in item for item in explain_rejection(replace(attempt, turn=turn), judging)):
            return f"; it is refused so with `time: {number}`"
    asked_time = next(
        (
            number
            for number, answered_turn in others
            if attempt.by and asked_player(answered_turn, judging) == attempt.by
        ),
        None,
    )
    return f"; {quote_name(attempt.by)} is asked with `time: {asked_time}`" if asked_time else ""


def _check_player(judging: JudgingContext, node: DocumentNode | None) -> bool:
    ids = judging.names.ids_of_kind("player")
    if not isinstance(node, ScalarNode) or node.written in ids:
        return True
    remedy = did_you_mean(node.written, ids) or describe_choices(ids)
    judging.findings.add_error("RW1007", node, f"there is no player {quote_name(node.written)}", help=remedy)
    return False


def _text_under(node: MapNode, key: str) -> str:
    given = node.get(key)
    return given.written if isinstance(given, ScalarNode) else ""


def _turn_moment(judging: JudgingContext, turn: AnsweredTurn) -> int | None:
    turns = judging.session.turns
    return turn_position(judging.session, turns.index(turn)) if turn in turns else None


def _describe_asked_count(times: int) -> str:
    return "not asked" if not times else "asked" if times == 1 else f"asked {times} times"


def explain_rejection(attempt: AnswerAttempt, judging: JudgingContext) -> tuple[str, ...]:
    """Reasons for the refusal of an answer (its time, player, form or the rules); empty where it is accepted.

    The failed condition follows as the rules write it, where the author gave no words for it.
    """
    turn = attempt.turn
    if turn is None:
        return (f"this answer is for `{attempt.address}`, but nothing is asked any more",)
    line = ScriptLine(attempt.answer, attempt.answer, attempt.address, attempt.by)
    if misplaced := explain_mismatch(line, turn.request, judging.names):
        return (misplaced,)
    result = read_answer(turn.request, attempt.answer, judging.names, turn.paused)
    if result.diagnostics:
        return (result.diagnostics[0].message, *result.diagnostics[0].notes)
    outcome = answer_paused(turn.paused, result.value)
    if not isinstance(outcome, Refused):
        return ()
    spoken = "; ".join(render_reason(reason, judging.names) for reason in outcome.reasons)
    return (spoken, *(reason.text for reason in outcome.reasons))
