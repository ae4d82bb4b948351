"""Judging a typed answer before the machine takes it, which then need not judge it again."""

from rulewright.machine.codes import LIMITS
from rulewright.machine.executable import Executable
from rulewright.machine.faults import Fault
from rulewright.machine.freezing import thaw
from rulewright.machine.judging import refused
from rulewright.machine.limits import Limits
from rulewright.machine.question import Question
from rulewright.machine.request import Reason, Request
from rulewright.machine.state import State
from rulewright.machine.values import Value


def legal(request: Request, state: State, value: Value) -> tuple[Reason, ...]:
    """Why an answer of the right type is refused; empty when it is legal, or when a limit keeps it from being judged.

    The machine judges it again then, and stops at the limit.
    """
    if request.question is None:
        message = "a request made by hand cannot judge answers"
        raise ValueError(message)
    executable = request.question.executable
    question = Question(executable, thaw(executable, state, _LIMITS))
    try:
        reasons = refused(question, value)
    except Fault as fault:
        if fault.code in LIMITS:
            return ()
        reasons = (Reason(question.line, fault.message, getattr(question.node, "cites", ())),)
    executable.accepted[:] = () if reasons else (state, value)
    return reasons


def known_legal(executable: Executable, state: State, value: Value, limits: Limits) -> bool:
    """Whether this very answer to this very state was the last to be judged, and legal."""
    last = executable.accepted
    return bool(last) and last[0] is state and last[1] is value and limits == _LIMITS


_LIMITS = Limits()
