"""Whether two plays that do not differ went through other steps."""

from collections.abc import Iterator

from rulewright.comparing.playing.side_by_side import Played


def strayed(play: Played) -> str:
    """The first step, by its new address, that only one revision entered or passed over; empty where there is none.

    Steps that only one revision has do not count.
    """
    steps = {
        old.name: new.name for old, new in play.opened.common.ways.across.names.names.items() if old.sort == "step"
    }
    known = set(steps.values())
    first = [(steps[address], entered) for address, entered in play.steps(0) if address in steps]
    second = [(address, entered) for address, entered in play.steps(1) if address in known]
    return next(_apart(first, second), "")


def _apart(first: list[tuple[str, bool]], second: list[tuple[str, bool]]) -> Iterator[str]:
    for one, other in zip(first, second, strict=False):
        if one != other:
            yield other[0]
    longer = max(first, second, key=len)
    yield from (address for address, _ in longer[min(len(first), len(second)) :])
