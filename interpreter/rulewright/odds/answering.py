"""Who answers while odds are worked out: a script first, then chance in all its ways, then a policy."""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from itertools import islice

from rulewright.drivers.chance import Chance
from rulewright.drivers.sources import DECISIONS, Sources
from rulewright.frozen import dataclass
from rulewright.inputs.names import Names
from rulewright.inputs.script import NONE_LEFT, Script
from rulewright.machine.request import CHANCE
from rulewright.machine.run import Paused, Run
from rulewright.odds.elsewhere import ELSEWHERE, Elsewhere
from rulewright.odds.exploration import UndecidedError, Way

MOST_ANSWERS = 100_000
"""So many legal answers of one question are told apart."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers to everything that a play may ask.

    Attributes:
        names: of the play.
        script: answers that go before all others, or none.
        policy: who decides what the script does not: `first`, the first legal answer, or `random`, every one with equal
            likelihood; empty where nobody does.
        elsewhere: what comes of externals, or none.
    """

    names: Names
    script: Script | None = None
    policy: str = ""
    elsewhere: Elsewhere | None = None

    @property
    def memory(self) -> Hashable:
        """What of the script is left."""
        return _Left(self.script)

    def ways(self, run: Run, memory: Hashable) -> Iterable[Way]:
        """As `Answering.ways`."""
        assert isinstance(run.outcome, Paused)
        assert isinstance(memory, _Left)
        said = self._said(run.outcome, memory)
        if said is not None:
            return (said,)
        question = run.question()
        if question.sort in CHANCE:
            return [Way(each.weight, each.answer, memory) for each in run.chances]
        if question.sort in ELSEWHERE:
            return self._elsewhere(run.outcome, memory)
        if question.sort not in DECISIONS or not self.policy:
            raise UndecidedError(run.outcome)
        legal = question.legal if question.is_listed else run.copied_question().answers()
        answers = [*islice(legal, 1 if self.policy == "first" else MOST_ANSWERS + 1)]
        if not answers or len(answers) > MOST_ANSWERS:
            raise UndecidedError(run.outcome)
        return [Way(Fraction(1, len(answers)), each, memory) for each in answers]

    def _elsewhere(self, paused: Paused, memory: Hashable) -> list[Way]:
        found = None if self.elsewhere is None else self.elsewhere.answers(paused)
        if found is None or found.value is None:
            raise UndecidedError(paused, () if found is None else found.diagnostics)
        return [Way(likely, answer, memory) for answer, likely in found.value]

    def _said(self, paused: Paused, memory: "_Left") -> Way | None:
        """The answer of the script, if it has one."""
        if memory.script is None:
            return None
        reply = Sources(self.names, _NONE, memory.script, rolls=False).answer(paused, 0, _nothing)
        if reply.given is not None:
            return Way(Fraction(1), reply.given.value, _Left(reply.rest.script))
        if reply.wrong and reply.wrong[0].code != NONE_LEFT:
            raise UndecidedError(paused, reply.wrong)
        return None


@dataclass(frozen=True, slots=True)
class Choices:
    """Answers that note which questions are left to players; each is answered with every legal answer.

    Attributes:
        answers: of a policy that leaves nothing open.
        met: prompts of what players decide, by its address.
    """

    answers: Answers
    met: dict[str, str]

    @property
    def memory(self) -> Hashable:
        """As `Answers.memory`."""
        return self.answers.memory

    def ways(self, run: Run, memory: Hashable) -> Iterable[Way]:
        """As `Answering.ways`."""
        assert isinstance(run.outcome, Paused)
        request = run.outcome.request if run.question().sort in DECISIONS else None
        found = [*self.answers.ways(run, memory)]
        if request is not None and all(each.memory == memory for each in found):
            self.met.setdefault(request.address, request.prompt)
        return found


_NONE = Chance(0)


def _nothing() -> tuple[()]:
    return ()


class _Left:
    """What is left of a script; equal where the same lines are."""

    __slots__ = ("_lines", "script")

    def __init__(self, script: Script | None) -> None:
        self.script = script
        self._lines = () if script is None else tuple(map(id, script.lines))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Left) and self._lines == other._lines

    def __hash__(self) -> int:
        return hash(self._lines)
