"""The name somebody probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name most like a mistyped one, or none where nothing is near.

    >>> nearest("moral", ["morale", "health"])
    'morale'
    """
    found = get_close_matches(name, list(dict.fromkeys(valid)), n=1, cutoff=0.6)
    return found[0] if found else None
