"""Starting a play and giving it answers, one at a time or all inline."""

from collections.abc import Callable

from rulewright.machine.executable import Executable
from rulewright.machine.limits import Limits
from rulewright.machine.question import Question
from rulewright.machine.request import Outcome
from rulewright.machine.situation import Situation
from rulewright.machine.state import State
from rulewright.machine.values import Value


def start(
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Value, ...],
    limits: Limits | None = None,
) -> Outcome:
    """Begins a procedure and runs to the first request, end, refusal or fault."""
    raise NotImplementedError


def advance(executable: Executable, state: State, answer: Value, limits: Limits | None = None) -> Outcome:
    """Answers the request of a paused state; the given state is left as it is, a refused answer changes nothing."""
    raise NotImplementedError


def run(  # noqa: PLR0913
    executable: Executable,
    situation: Situation,
    procedure: str,
    arguments: tuple[Value, ...],
    answer: Callable[[Question], Value],
    limits: Limits | None = None,
) -> Outcome:
    """Runs a procedure to its end with answers given inline; answers are trusted, no state is made between them."""
    raise NotImplementedError
