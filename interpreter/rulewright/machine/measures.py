"""What measures are worth in a state."""

from collections.abc import Callable, Sequence

from rulewright.machine.executable import Executable
from rulewright.machine.freezing import thaw
from rulewright.machine.limits import Limits
from rulewright.machine.state import State
from rulewright.machine.values import Value

Measuring = Callable[[str, Sequence[Value]], Value]
"""The value of a measure, by its name and for what is given to it."""


def measuring(executable: Executable, state: State) -> Measuring:
    """The values of measures in a state.

    Raises:
        Fault: when called, a measure has no value for what is given.
    """
    world = thaw(executable, state, Limits())
    return lambda name, arguments: executable.measures[name](world, *arguments)


def measure(executable: Executable, state: State, name: str, arguments: Sequence[Value]) -> Value:
    """The value of one measure, for what is given to it.

    Raises:
        Fault: it has none.
    """
    return measuring(executable, state)(name, arguments)
