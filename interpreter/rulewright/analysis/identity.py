"""Remembering what pure functions gave, by the identity of the values they were asked about."""

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def by_identity(most: int) -> Callable[[_F], _F]:
    """Gives a function a memory of so many answers; when it is full, all are forgotten.

    Only for pure functions of frozen values, which are held as long as their answer is remembered.
    """

    def with_memory(function: _F) -> _F:
        known: dict[tuple[int, ...], tuple[Any, Any]] = {}

        def remembered(*values: Any) -> Any:  # noqa: ANN401 - as the function
            place = tuple(map(id, values))
            found = known.get(place)
            if found is None:
                if len(known) >= most:
                    known.clear()
                found = known[place] = (values, function(*values))
            return found[1]

        return remembered  # type: ignore[return-value]

    return with_memory
