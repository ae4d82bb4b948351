"""Which of many differing plays are shown."""

from collections.abc import Iterable, Sequence

from rulewright.comparing.playing.finding import Found
from rulewright.comparing.playing.searching import key


def chosen(found: Iterable[Found], most: int) -> tuple[Found, ...]:
    """At most so many, one of each kind of difference.

    First one for each changed place that is seen alone, then other kinds; among equals the smallest.
    """
    best: dict[object, Found] = {}
    for each in found:
        known = best.get(key(each))
        if known is None or each.size < known.size:
            best[key(each)] = each
    return tuple(_spread(list(best.values()), most))


def _spread(every: list[Found], most: int) -> Sequence[Found]:
    taken: list[Found] = []
    seen: set[object] = set()
    while every and len(taken) < most:
        every.sort(key=lambda each: (_known(each, seen), _touched(each), each.size, repr(each.starts)))
        first = every.pop(0)
        taken.append(first)
        seen |= {first.sort, first.addresses, first.touched}
    return taken


def _known(each: Found, seen: set[object]) -> tuple[bool, bool, bool]:
    """Whether something like it is shown already: of these places, of this sort, parting there."""
    return each.touched in seen, each.sort in seen, each.addresses in seen


def _touched(each: Found) -> int:
    return len(each.touched[0]) + len(each.touched[1])
