"""A compiled program."""

from dataclasses import dataclass

from rulewright.machine.layout import Layout
from rulewright.program.declarations import Program


@dataclass(frozen=True)
class Executable:
    """A compiled program, shared by all its plays."""

    program: Program
    layout: Layout
    traced: bool
