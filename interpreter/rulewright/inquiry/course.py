"""How a play went, to be gone through again with something changed and all else as it was."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from rulewright.drivers.session import Begun, Session
from rulewright.drivers.sources import Sources, fallen
from rulewright.frozen import dataclass
from rulewright.machine.answer_check import is_plainly_legal, normal
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault, Limits
from rulewright.machine.question import Question
from rulewright.machine.run import UNANSWERED, Paused, Run
from rulewright.machine.state import Situation
from rulewright.machine.values import Value
from rulewright.program.walk import shared_address

Occasion = tuple[Hashable, ...]
"""Which request of a play: its line and sort, how often that was asked before, what of a roll had exploded by then."""


@dataclass(frozen=True, slots=True)
class Course:
    """A play that is over, or that stands at a request."""

    begun: Begun  # how it began
    given: Mapping[Occasion, Value]  # what was answered
    # who answers what was never asked: what a script says always, the dice of the seed, the first answer
    sources: Sources
    until: Occasion | None = None  # the request at which it stands; none where it is over

    def begin(self, executable: Executable, situation: Situation, limits: Limits | None = None) -> Run:
        """The play from a start of its own, up to its first request."""
        begun = self.begun
        return Run.begin(executable, situation, begun.procedure.name, begun.arguments, limits or begun.limits)


class Following:
    """Gives the answers of a course, request by request; it remembers what was asked.

    Where the same is asked as in the course the answer is the same, if it is legal; of dice each shows what it showed.
    """

    __slots__ = ("_asked", "_course")

    def __init__(self, course: Course) -> None:
        self._course = course
        self._asked: Counter[str] = Counter()

    def copy(self) -> "Following":
        """One that remembers the same, and goes on by itself."""
        other = Following(self._course)
        other._asked = self._asked.copy()
        return other

    @property
    def memory(self) -> Hashable:
        """What is remembered, to be compared."""
        return frozenset(self._asked.items())

    def occasion(self, asked: Question) -> Occasion:
        """Which request this is."""
        if asked.site < 0:
            return ("value", *asked.data)
        line, exploded = shared_address(asked.line), asked.exploded
        return line, asked.sort, self._asked[line] - (exploded is not None), exploded

    def pass_by(self, asked: Question) -> None:
        """Remembers that something was asked."""
        if asked.site >= 0 and asked.exploded is None:
            self._asked[shared_address(asked.line)] += 1

    def stands(self, asked: Question) -> bool:
        """Whether the course went no further than this request."""
        return self._course.until is not None and self.occasion(asked) == self._course.until

    def at_once(self, asked: Question) -> Any:
        """The usual answer where the question alone shows it, and else `UNANSWERED`; what is answered is remembered."""
        answer = UNANSWERED if self.stands(asked) else self._plain(asked)
        if answer is not UNANSWERED:
            self.pass_by(asked)
        return answer

    def usual(self, paused: Paused) -> Any:
        """The usual answer to a request, in the form in which answers are given, or `UNANSWERED`."""
        asked = paused.asked
        plain = self._plain(asked)
        if plain is not UNANSWERED:
            return plain
        given = self._course.given.get(self.occasion(asked), UNANSWERED)
        if given is not UNANSWERED and _is_legal(paused, given):
            return given
        occasion = self._asked[shared_address(asked.line)]
        reply = self._course.sources.answer(paused, occasion, tuple)
        return UNANSWERED if reply.given is None else reply.given.value

    def _plain(self, asked: Question) -> Any:
        occasion = self.occasion(asked)
        given: Any = self._course.given.get(occasion, UNANSWERED)
        if asked.sort == "roll":
            return self._thrown(asked, () if given is UNANSWERED else given)
        if given is UNANSWERED:
            return UNANSWERED
        if asked.sort in {"draw", "shuffle"}:
            fits = given in asked.data if asked.sort == "draw" else Counter(given) == Counter(asked.data)
            return (
                given if fits else fallen(asked, self._asked[shared_address(asked.line)], self._course.sources.chance)
            )
        if asked.is_listed:
            return given if given in asked.legal else UNANSWERED
        return normal(asked, given) if asked.sort == "pick" and is_plainly_legal(asked, given) else UNANSWERED

    def _thrown(self, asked: Question, given: Any) -> tuple[Value, ...]:
        """What dice show: what they showed, and of more dice than there were what the seed throws."""
        faces = [faces for count, faces, _ in asked.dice for _ in range(count)]
        if len(given) >= len(faces) and all(face in of for face, of in zip(given, faces, strict=False)):
            return tuple(given[: len(faces)])
        occasion = self._asked[shared_address(asked.line)] - (asked.exploded is not None)
        fresh: Any = fallen(asked, occasion, self._course.sources.chance)
        known = len(given)
        return tuple([given[at] if at < known and given[at] in of else fresh[at] for at, of in enumerate(faces)])


def _is_legal(paused: Paused, answer: Value) -> bool:
    try:
        return not paused.refusals(answer)
    except Fault:
        return False


def course_of(session: Session) -> Course:
    """The course of a play, without what is put only to people at a table."""
    begun = replace(session.begun, limits=replace(session.begun.limits, put=frozenset()))
    script = session.sources.script
    standing = None if script is None else replace(script, lines=(), ordered=False)
    sources = Sources(begun.names, session.sources.chance, standing, insisted=True, policy="first")
    course = Course(begun, {}, sources)
    given: dict[Occasion, Value] = {}
    following, run = Following(course), course.begin(begun.executable, begun.situation)
    turns = iter(session.turns)
    while isinstance(run.outcome, Paused):
        paused = run.outcome
        occasion = following.occasion(paused.asked)
        turn = next((each for each in turns if each.asked.line == paused.asked.line), None)
        if turn is None:
            return replace(course, given=given, until=occasion)
        given[occasion] = turn.given.value
        following.pass_by(paused.asked)
        paused.take(turn.given.value)
    return replace(course, given=given)
