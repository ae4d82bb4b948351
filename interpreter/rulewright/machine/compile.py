"""From a program to something that runs: the one door to lowering and generation."""

from rulewright.machine.executable import Executable
from rulewright.machine.generate.module import generate
from rulewright.machine.linking import linked
from rulewright.machine.probing import SILENT, Probes
from rulewright.machine.written import Written
from rulewright.program.declarations import Program


def compile_program(program: Program, *, traced: bool, probes: Probes = SILENT) -> Executable:
    """The executable of a program; a traced one records what it reads and changes, an untraced one nothing."""
    return linked(write(program, traced=traced, probes=probes), probes)


def write(program: Program, *, traced: bool, probes: Probes = SILENT) -> Written:
    """A program as Python, compiled but not yet run."""
    module, flows = generate(program, traced=traced, probes=probes)
    return Written(module, flows, compile("\n".join([*module.source, ""]), f"<{program.name}>", "exec"))
