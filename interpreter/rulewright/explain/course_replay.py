"""How a play went, to be gone through again with something changed and all else as it was."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from rulewright.base.frozen import dataclass
from rulewright.play.answer_sources import AnswerSourceChain, draw_outcome
from rulewright.play.session import PlayStart, Session
from rulewright.program.walk import strip_address_numbers
from rulewright.runtime.answer_reasons import is_plainly_legal, normalize_answer
from rulewright.runtime.executable import Executable
from rulewright.runtime.faults import Fault, RunLimits
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.run import NOT_ANSWERED, Paused, Run
from rulewright.runtime.state import Situation
from rulewright.runtime.values import Value

RequestKey = tuple[Hashable, ...]
"""Which request of a play: its line and sort, how often that was asked before, what of a roll had exploded by then."""


@dataclass(frozen=True, slots=True)
class RecordedCourse:
    """A play that is over, or that stands at a request."""

    begun: PlayStart  # how it began
    recorded_answers: Mapping[RequestKey, Value]  # what was answered
    # who answers what was never asked: what a script says always, the dice of the seed, the first answer
    sources: AnswerSourceChain
    stop_request: RequestKey | None = None  # the request at which it stands; none where it is over

    def begin_from(self, executable: Executable, situation: Situation, limits: RunLimits | None = None) -> Run:
        """The play from a start of its own, up to its first request."""
        begun = self.begun
        return Run.begin(executable, situation, begun.procedure.name, begun.arguments, limits or begun.limits)


class CourseReplayer:
    """Gives the answers of a course, request by request; it remembers what was asked.

    Where the same is asked as in the course the answer is the same, if it is legal; of dice each shows what it showed.
    """

    __slots__ = ("_ask_counts", "_course")

    def __init__(self, course: RecordedCourse) -> None:
        self._course = course
        self._ask_counts: Counter[str] = Counter()

    def copy_replayer(self) -> "CourseReplayer":
        """One that remembers the same, and goes on by itself."""
        other = CourseReplayer(self._course)
        other._ask_counts = self._ask_counts.copy()
        return other

    @property
    def memory(self) -> Hashable:
        """What is remembered, to be compared."""
        return frozenset(self._ask_counts.items())

    def request_key(self, asked: PendingQuestion) -> RequestKey:
        """Which request this is."""
        if asked.site < 0:
            return ("value", *asked.data)
        line, exploded = strip_address_numbers(asked.line_address), asked.exploded_count
        return line, asked.sort, self._ask_counts[line] - (exploded is not None), exploded

    def note_request(self, asked: PendingQuestion) -> None:
        """Remembers that something was asked."""
        if asked.site >= 0 and asked.exploded_count is None:
            self._ask_counts[strip_address_numbers(asked.line_address)] += 1

    def is_at_stop(self, asked: PendingQuestion) -> bool:
        """Whether the course went no further than this request."""
        return self._course.stop_request is not None and self.request_key(asked) == self._course.stop_request

    def answer_immediately(self, asked: PendingQuestion) -> Any:
        """The usual answer where the question alone shows it, and else `UNANSWERED`; what is answered is remembered."""
        answer = NOT_ANSWERED if self.is_at_stop(asked) else self._recorded_answer(asked)
        if answer is not NOT_ANSWERED:
            self.note_request(asked)
        return answer

    def usual_answer(self, paused: Paused) -> Any:
        """The usual answer to a request, in the form in which answers are given, or `UNANSWERED`."""
        asked = paused.asked
        plain = self._recorded_answer(asked)
        if plain is not NOT_ANSWERED:
            return plain
        given = self._course.recorded_answers.get(self.request_key(asked), NOT_ANSWERED)
        if given is not NOT_ANSWERED and _is_legal_answer(paused, given):
            return given
        occasion = self._ask_counts[strip_address_numbers(asked.line_address)]
        reply = self._course.sources.answer_request(paused, occasion, tuple)
        return NOT_ANSWERED if reply.answer is None else reply.answer.value

    def _recorded_answer(self, asked: PendingQuestion) -> Any:
        occasion = self.request_key(asked)
        given: Any = self._course.recorded_answers.get(occasion, NOT_ANSWERED)
        if asked.sort == "roll":
            return self._recorded_dice(asked, () if given is NOT_ANSWERED else given)
        if given is NOT_ANSWERED:
            return NOT_ANSWERED
        if asked.sort in {"draw", "shuffle"}:
            fits = given in asked.data if asked.sort == "draw" else Counter(given) == Counter(asked.data)
            return (
                given
                if fits
                else draw_outcome(
                    asked, self._ask_counts[strip_address_numbers(asked.line_address)], self._course.sources.chance
                )
            )
        if asked.is_listed:
            return given if given in asked.legal_answers else NOT_ANSWERED
        return (
            normalize_answer(asked, given) if asked.sort == "pick" and is_plainly_legal(asked, given) else NOT_ANSWERED
        )

    def _recorded_dice(self, asked: PendingQuestion, given: Any) -> tuple[Value, ...]:
        """What dice show: what they showed, and of more dice than there were what the seed throws."""
        faces = [faces for count, faces, _ in asked.dice_to_roll for _ in range(count)]
        if len(given) >= len(faces) and all(face in of for face, of in zip(given, faces, strict=False)):
            return tuple(given[: len(faces)])
        occasion = self._ask_counts[strip_address_numbers(asked.line_address)] - (asked.exploded_count is not None)
        fresh: Any = draw_outcome(asked, occasion, self._course.sources.chance)
        known = len(given)
        return tuple([given[at] if at < known and given[at] in of else fresh[at] for at, of in enumerate(faces)])


def _is_legal_answer(paused: Paused, answer: Value) -> bool:
    try:
        return not paused.explain_refusals(answer)
    except Fault:
        return False


def record_course(session: Session) -> RecordedCourse:
    """The course of a play, without what is put only to people at a table."""
    begun = replace(session.start, limits=replace(session.start.limits, forced_sites=frozenset()))
    script = session.sources.script
    standing = None if script is None else replace(script, lines=(), is_ordered=False)
    sources = AnswerSourceChain(begun.names, session.sources.chance, standing, is_chance_requested=True, policy="first")
    course = RecordedCourse(begun, {}, sources)
    given: dict[RequestKey, Value] = {}
    following, run = CourseReplayer(course), course.begin_from(begun.executable, begun.situation)
    turns = iter(session.turns)
    while isinstance(run.outcome, Paused):
        paused = run.outcome
        occasion = following.request_key(paused.asked)
        turn = next(
            (
                answered_turn
                for answered_turn in turns
                if answered_turn.question.line_address == paused.asked.line_address
            ),
            None,
        )
        if turn is None:
            return replace(course, recorded_answers=given, stop_request=occasion)
        given[occasion] = turn.answer.value
        following.note_request(paused.asked)
        paused.take_answer(turn.answer.value)
    return replace(course, recorded_answers=given)
