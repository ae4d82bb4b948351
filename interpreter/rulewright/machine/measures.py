"""What measures are worth in a state."""

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
