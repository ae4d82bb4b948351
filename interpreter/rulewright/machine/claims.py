"""Claims of players that a question has no legal answer, judged by the whole search."""

from rulewright.machine.placing.asked import Spots
from rulewright.machine.question import Question
from rulewright.machine.request import Reason
from rulewright.machine.search import Exhausted, search
from rulewright.machine.values import Value


def witness(question: Question) -> Value:
    """A legal answer of a claimable question; none where there is none.

    Raises:
        Exhausted: too many answers would have to be tried.
    """
    return search(question.world, question.frame, question.data).witness()  # type: ignore[no-any-return]


def refuted(question: Question) -> Reason | None:
    """Why a claim that there is no legal answer is refused, with such an answer; none where the claim is right."""
    line = question.node
    try:
        found = witness(question)
    except Exhausted:
        most = question.world[0].limits.claim
        return Reason(line.address, f"more than {most:,} answers would have to be tried to judge that", line.cites)
    return None if found is None else Reason(line.address, _THERE_IS.get(question.sort, _ANSWER), line.cites, found)


_ANSWER = "there is a legal answer"
_THERE_IS = {"place": "there is a place", "heading": "there is such a heading"}


def proved(question: Question) -> bool:
    """Whether a claim that is not refuted is sure; that no place was found is no proof, but where none can be."""
    return question.sort != "place" or Spots(question.world, question.frame, question.data).impossible()
