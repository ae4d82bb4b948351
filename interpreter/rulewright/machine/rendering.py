"""Entries from the cheap tuples of a traced run."""

from typing import Any

from rulewright.machine.executable import Executable
from rulewright.machine.trace import Entry


class Renderer:
    """Makes entries of one program's records."""

    def __init__(self, executable: Executable) -> None:
        self._executable = executable

    def entries(self, raw: list[tuple[Any, ...]], enclosing: tuple[str, ...]) -> tuple[Entry, ...]:
        """The entries of a record, in order."""
        del enclosing
        return tuple(Entry(self._executable.sites[each[0]].sort, self._executable.sites[each[0]].address) for each in raw)
