"""Why an answer is refused."""

from rulewright.machine.question import Question
from rulewright.machine.request import Reason
from rulewright.machine.values import Value


def refused(question: Question, value: Value) -> tuple[Reason, ...]:
    """Why an answer of the right type is not legal; empty when it is."""
    del question, value
    return ()
