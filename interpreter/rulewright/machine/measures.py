"""What measures are worth in a state."""

from collections.abc import Sequence

from rulewright.machine.executable import Executable
from rulewright.machine.freezing import thaw
from rulewright.machine.limits import Limits
from rulewright.machine.state import State
from rulewright.machine.values import Value


def measures(executable: Executable, state: State) -> dict[str, Value]:
    """The value of every measure without parameters that the executable has, by name."""
    world = thaw(executable, state, Limits())
    return {
        name: executable.measures[name](world)
        for name, measure in executable.program.measures.items()
        if not measure.parameters and name in executable.measures
    }


def measure(executable: Executable, state: State, name: str, arguments: Sequence[Value]) -> Value:
    """The value of one measure, for what is given to it."""
    return executable.measures[name](thaw(executable, state, Limits()), *arguments)  # type: ignore[no-any-return]
