"""How people write the id of a clause."""

from collections.abc import Iterable


def clauses_called(written: str, ids: Iterable[str]) -> tuple[str, ...]:
    """The clauses of some ids that are meant by `DOC.50.e` or `DOC:50.e`; where none has this id, by `50.e`."""
    known, wanted = tuple(dict.fromkeys(ids)), plain_id(written)
    return tuple(each for each in known if each == wanted) or tuple(
        each for each in known if each.partition(".")[2] == wanted
    )


def plain_id(written: str) -> str:
    """An id as clause lists have it."""
    return written.removeprefix("@").replace(":", ".", 1)
