"""A request before anybody looks at it: cheap to make, everything else computed when asked for."""

from typing import Any

from rulewright.machine.request import Request
from rulewright.machine.values import Value


class Question:
    """What the fast loop hands to an answerer.

    Attributes:
        sort: as in `Request`.
        address: as in `Request`.
        player: as in `Request`.
    """

    __slots__ = ("_data", "_site", "_world", "address", "player", "sort")

    sort: str
    address: str
    player: int | None
    _data: tuple[Any, ...]

    @property
    def request(self) -> Request:
        """The whole request."""
        raise NotImplementedError

    @property
    def legal(self) -> tuple[Value, ...]:
        """The legal answers of `whether`, `one`, `choose`, `turn` and `handler`, in order."""
        raise NotImplementedError

    @property
    def outcomes(self) -> int:
        """How many equally likely results a `roll`, `draw` or `shuffle` has."""
        raise NotImplementedError

    def outcome(self, index: int) -> Value:
        """The result of a `roll`, `draw` or `shuffle` by its index from 0."""
        raise NotImplementedError
