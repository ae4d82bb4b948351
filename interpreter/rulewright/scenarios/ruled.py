"""A compiled ruleset with what many scenarios look up in it."""

from dataclasses import dataclass
from functools import cached_property

from rulewright.inputs.addresses import Addresses, request_addresses
from rulewright.machine.executable import Executable
from rulewright.machine.walk import rows
from rulewright.program.declarations import Program


@dataclass(frozen=True)
class Ruled:
    """A compiled ruleset; its lists of addresses are made once.

    Attributes:
        executable: it.
        clauses: ids of all clauses of its lists.
    """

    executable: Executable
    clauses: frozenset[str]

    @property
    def program(self) -> Program:
        """What was compiled."""
        return self.executable.program

    @cached_property
    def questions(self) -> Addresses:
        """Where something can be asked."""
        return Addresses(request_addresses(self.program))

    @cached_property
    def steps(self) -> tuple[str, ...]:
        """Addresses of all steps."""
        return step_addresses(self.program)

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Addresses of all rows of tallies, decides and tables."""
        return row_addresses(self.program)


def step_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all steps of all procedures."""
    return tuple(step.address for each in program.procedures.values() for step in each.steps)


def row_addresses(program: Program) -> tuple[str, ...]:
    """Addresses of all rows of tallies, decides and tables."""
    return tuple(each.address for each in rows(program))
