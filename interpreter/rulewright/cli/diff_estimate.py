"""What `diff --odds --estimate` tells: about how much is to be followed of each situation, under each revision."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from rulewright.cli.diff_beside import differ_beside
from rulewright.cli.diff_found import Side
from rulewright.cli.diff_odds import NO_SCENARIO, comparing, named, refuse_unasked, situations, summary
from rulewright.cli.diff_report import side_data
from rulewright.cli.diff_screen import title
from rulewright.cli.diff_witnesses import beside
from rulewright.cli.following import estimate_json, estimate_lines
from rulewright.cli.output import Exit, Output, Progress, Stop
from rulewright.comparing.comparison import Comparison, compare
from rulewright.comparing.shifting.data import Estimated, Shifts, Sized
from rulewright.comparing.shifting.shifts import Question, WrongQuestionError
from rulewright.diagnostics.terminal import visible
from rulewright.odds.estimates import Estimate
from rulewright.odds.exploration import Met
from rulewright.odds.size import Size

_CANNOT = "cannot begin"
_PROVED = Shifts((), "", 0, proved=True)


class _Estimating:
    """Tells which play is looked at."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._told = ""

    def begins(self, number: int, look: Callable[[int], Size | None], of: tuple[int, str]) -> None:
        """The one of a number is looked at."""
        del look
        whole, what = of
        self._told = f"{number:,} of {whole:,} {what}"

    def __call__(self, met: Met) -> None:
        """Tells it."""
        del met
        self._progress.tell(self._told)


def estimated(old: Side, new: Side, asked: Question, out: Output) -> Exit:
    """Tells how much is to be followed; exits with 3 where that is known of no situation."""
    comparison = compare(old.loaded, new.loaded)
    proved = comparison.known is not None and not differ_beside(old, new)
    found = [] if proved else _looked_at(old, new, comparison, asked, out)
    if out.form == "json":
        head = {"version": 1, "old": side_data(old), "new": side_data(new), "proved": proved}
        out.data({**head, "most": asked.most, "situations": [_data(each) for each in found]})
    else:
        out.say(out.paint(visible(title(old, new)), "strong"))
        out.tell([f"ODDS    {summary(_PROVED)}"] if proved else _lines(found, asked.most))
    is_known = any(each.old is not None and not each.old.why for each in found)
    return Exit.FINE if proved or is_known else Exit.UNKNOWN


def _looked_at(old: Side, new: Side, comparison: Comparison, asked: Question, out: Output) -> list[Estimated]:
    with Progress(0, out) as progress:
        try:
            found = [*comparing(old, new, comparison, asked).sizes(_Estimating(progress))]
        except WrongQuestionError as wrong:
            raise Stop(wrong.diagnostics) from None
    refuse_unasked([each.unasked for each in found])
    return found


def _lines(found: Sequence[Estimated], most: int) -> Iterator[str]:
    """What is known of each situation, the largest first; what is the same of several once."""
    if not found:
        yield f"ODDS    {NO_SCENARIO}"
        return
    told = situations(len(found))
    yield f"ODDS    {told}; at most {most:,} different moments of play are followed for all of them (`--most`)"
    alike: dict[tuple[str, ...], list[str]] = {}
    for each in sorted(found, key=_about, reverse=True):
        alike.setdefault(tuple(_told(each, most)), []).extend(each.names)
    for lines, names in alike.items():
        yield f"  {visible(named(names))}"
        yield from (f"    {line}" for line in lines)


def _about(each: Estimated) -> int:
    """How many moments it has under both revisions, as far as that is known."""
    known = [side.estimate for side in (each.old, each.new) if side is not None and side.estimate is not None]
    return sum(one.moments or (one.size.about if one.size is not None else 0) for one in known)


def _told(each: Estimated, most: int) -> Iterator[str]:
    if each.why:
        yield f"unknown: {visible(each.why)}"
    old, new = ([*_side(side, most)] for side in (each.old, each.new))
    pairs = zip(reversed(old), reversed(new), strict=False)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    first = len(old) - alike
    for word, lines in ("OLD", old[:first]), ("NEW", new[: len(new) - alike]), ("both", old[first:]):
        yield from (f"{'' if number else word:4}  {line}" for number, line in enumerate(lines))


def _side(side: Sized | None, most: int) -> Iterator[str]:
    if side is None:
        return
    if side.estimate is not None:
        yield from estimate_lines(side.estimate, most)
    else:
        yield f"unknown: {visible(side.why)}" if side.why else _CANNOT


def _data(each: Estimated) -> dict[str, Any]:
    old, new = (
        side and {**estimate_json(side.estimate or Estimate()), "why": None if side.estimate else side.why or _CANNOT}
        for side in (each.old, each.new)
    )
    return {"scenarios": [beside(name) for name in each.names], "old": old, "new": new, "why": each.why or None}
