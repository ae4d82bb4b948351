"""States to and from plain JSON data, and what differs between two states."""

from typing import Any

from rulewright.machine.executable import Executable
from rulewright.machine.state import State
from rulewright.machine.trace import Change

VERSION = 1


def encode(state: State) -> dict[str, Any]:
    """A state as JSON data (objects, lists, numbers, texts, flags, null), with the version of this form."""
    raise NotImplementedError


def decode(data: dict[str, Any], executable: Executable) -> State:
    """The state that `encode` wrote, for the same program.

    Raises:
        ValueError: not such data, or of another version.
    """
    raise NotImplementedError


def changes(before: State, after: State) -> tuple[Change, ...]:
    """What differs in the game: by attribute, then thing; then game, cells, relations."""
    raise NotImplementedError
