"""Judging a typed answer before the machine takes it."""

from rulewright.machine.freezing import thaw
from rulewright.machine.judging import refused
from rulewright.machine.limits import Limits
from rulewright.machine.question import Question
from rulewright.machine.request import Reason, Request
from rulewright.machine.state import State
from rulewright.machine.values import Value


def legal(request: Request, state: State, value: Value) -> tuple[Reason, ...]:
    """Why an answer of the right type is refused; empty when it is legal."""
    if request.question is None:
        message = "a request made by hand cannot judge answers"
        raise ValueError(message)
    executable = request.question.executable
    return refused(Question(executable, thaw(executable, state, Limits())), value)
