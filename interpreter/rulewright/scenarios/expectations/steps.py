"""Which steps were entered and which passed over."""

from itertools import islice, zip_longest

from rulewright.scenarios.expectations.judging import Judging
from rulewright.scenarios.expectations.moments import when
from rulewright.scenarios.results import Miss


def path(judging: Judging) -> tuple[Miss, ...]:
    """The steps that were entered, in order, of every procedure that was performed."""
    return _visits(judging, "path", "step")


def passed_over(judging: Judging) -> tuple[Miss, ...]:
    """The steps that were passed over, in order."""
    return _visits(judging, "passed_over", "passed over")


def _visits(judging: Judging, what: str, sort: str) -> tuple[Miss, ...]:
    known = judging.ruled.steps
    expected = [_step(judging, each.written, each, known) for each in judging.texts("steps")]
    got = [address for address, entered in judging.session.steps if entered == (sort == "step")]
    if None in expected or [ends(a, b) for a, b in zip_longest(got, expected)] == [True] * len(got):
        return ()
    at = next(number for number, pair in enumerate(zip_longest(got, expected)) if not ends(*pair))
    before = f"after {got[at - 1].rpartition('/')[2]}" if at else "at the start"
    moments = when(judging.session, lambda entry: entry.sort == sort)
    moment = next(islice(moments, at, None), None)
    return (Miss(what, _shown(expected, at), _shown(got, at), before, moment),)


def _step(judging: Judging, written: str, place: object, known: tuple[str, ...]) -> str | None:
    """What was written, where some step is called so."""
    if any(ends(each, written) for each in known):
        return written
    return judging.address(written, place, known, "step")  # type: ignore[arg-type]


def ends(address: str | None, written: str | None) -> bool:
    """Whether an address is what is written, or ends so."""
    return address is not None and written is not None and (address == written or address.endswith(f"/{written}"))


def _shown(steps: list[str] | list[str | None], at: int) -> str:
    rest = [str(each).rpartition("/")[2] for each in steps[at:]]
    return ", ".join(rest) if rest else "nothing more"
