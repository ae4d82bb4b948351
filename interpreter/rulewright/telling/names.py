"""Where words get the names of things from."""

from typing import Protocol

from rulewright.program.declarations import Program


class Named(Protocol):
    """The words of a program and the things of one play; `inputs.names.Names` is one."""

    @property
    def program(self) -> Program:
        """For words, records and titles."""

    def thing(self, kind: str, number: int) -> str:
        """The id of a thing."""

    def words(self, values: str) -> tuple[str, ...]:
        """The words of a list, in order."""
