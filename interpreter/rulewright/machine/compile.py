"""From a program to something that runs: the one door to lowering and generation."""

from rulewright.machine.executable import Executable
from rulewright.program.declarations import Program


def compile_program(program: Program, *, traced: bool) -> Executable:
    """The executable of a program; a traced one records what it reads and changes, an untraced one nothing."""
    raise NotImplementedError
