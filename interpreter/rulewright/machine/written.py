"""A program written as Python, before it is run."""

from dataclasses import dataclass
from types import CodeType

from rulewright.machine.generate.writer import Module
from rulewright.machine.world import FlowTable


@dataclass(frozen=True, slots=True)
class Written:
    """A program written as Python: all that is made from it alone.

    Attributes:
        module: the program with the tables of what was written.
        flows: tables of its graphs.
        code: the Python, compiled.
    """

    module: Module
    flows: tuple[FlowTable, ...]
    code: CodeType

    @property
    def source(self) -> str:
        """The Python."""
        return "\n".join(self.module.source) + "\n"
