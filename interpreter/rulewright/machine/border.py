"""Judging a typed answer before the machine takes it."""

from rulewright.machine.request import Reason, Request
from rulewright.machine.state import State
from rulewright.machine.values import Value


def legal(request: Request, state: State, value: Value) -> tuple[Reason, ...]:
    """Why an answer of the right type is refused; empty when it is legal."""
    raise NotImplementedError
