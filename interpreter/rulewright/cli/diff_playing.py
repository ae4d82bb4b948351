"""Plays two revisions side by side, as far as it is asked for."""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import click

from rulewright.cli.diff_found import Side
from rulewright.cli.options import LARGEST_SEED, WholeNumber
from rulewright.cli.output import Output, Progress
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing import compare_plays
from rulewright.comparing.playing.data import WORK, Behaviour, Changed, Effort, Fixtures
from rulewright.comparing.playing.data import Progress as Come
from rulewright.comparing.playing.fixtures import fitting, fixtures, recorded
from rulewright.comparing.playing.suites import Beside, Suites
from rulewright.comparing.separating.hybrids import Hybrids, Revised
from rulewright.comparing.separating.trying import Separator
from rulewright.frozen import dataclass
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.scenarios.opening import Rules
from rulewright.scenarios.suite import Case
from rulewright.workspace.load import overlay_place

_STAGES = {
    "functions": "functions",
    "playing": "plays",
    "separating": "edits tried alone",
    "shrinking": "making witnesses smaller",
}
_Command = TypeVar("_Command", bound=Callable[..., object])
_OPTIONS: Sequence[Callable[[_Command], _Command]] = (
    click.option(
        "--work",
        type=WholeNumber(0),
        default=WORK,
        show_default=True,
        metavar="N",
        help="lines carried out by both sides, and what else takes time, counted; 0 to play nothing",
    ),
    click.option("--seconds", type=WholeNumber(1), metavar="N", help="cut it short after so long, whatever is left"),
    click.option("--workers", type=WholeNumber(1, 64), default=2, metavar="N", help="how many play at once"),
    click.option("--witnesses", type=WholeNumber(1), default=5, metavar="N", help="differences shown at most"),
    click.option("--seed", type=WholeNumber(0, LARGEST_SEED), default=0, metavar="N", help="of situations and dice"),
)


def playing_options(command: _Command) -> _Command:
    """How much is played."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much is to be played: counted work, seconds or none, processes, witnesses, where chance comes from.

    `every` asks for a witness of each edit that a play shows.
    """

    work: int
    seconds: int | None
    workers: int
    witnesses: int
    seed: int
    every: bool = False


def played(old: Side, new: Side, comparison: Comparison, wanted: Wanted, out: Output) -> Behaviour | None:
    """What plays show where the meaning leaves it open; none where it does not, or where no plays are wanted."""
    if comparison.known is not None or not wanted.work:
        return None
    left = comparison.remaining
    seconds = None if wanted.seconds is None else float(wanted.seconds)
    effort = Effort(wanted.work, seconds, wanted.workers, wanted.witnesses, every=wanted.every)
    with Progress(0, out) as progress:
        return compare_plays(
            old.program,
            new.program,
            comparison.correspondence,
            Changed(left.old, left.new),
            fixtures=_written(old, new, comparison),
            effort=effort,
            seed=wanted.seed,
            heed=lambda come: progress.tell(_told(come)),
            separate=lambda *tried: _separator(old, new, comparison).apart(*tried),
            suites=Suites(_beside(old), _beside(new), comparison.correspondence).played,
        )


def _written(old: Side, new: Side, comparison: Comparison) -> Fixtures:
    """The states and scenarios beside both rulesets, and what a solver would try; unreadable scenarios hold none."""
    before, after = _cases(old), _cases(new)
    return Fixtures(
        fixtures(old.program, _home(old), before, old.asked.provider),
        fixtures(new.program, _home(new), after, new.asked.provider),
        recorded(old.program, _own(old, before)),
        recorded(new.program, _own(new, after)),
        comparison.solved.wishes,
    )


def _separator(old: Side, new: Side, comparison: Comparison) -> Separator:
    return Separator(Hybrids(_revised(old), _revised(new), comparison), comparison)


def _revised(side: Side) -> Revised:
    return Revised(side.loaded, side.main, tuple(_overlays(side)))


def _beside(side: Side) -> Beside:
    return Beside(side.loaded, side.main, tuple(_overlays(side)), side.asked.provider)


def _home(side: Side) -> str:
    """The folder of its main file."""
    return posixpath.dirname(side.main) or "."


def _cases(side: Side) -> tuple[Case, ...]:
    cases = all_cases(suites_of((_home(side),), Rules(side.asked.provider)).value or ())
    return tuple(each for each in cases if not each.wrong)


def _own(side: Side, cases: Sequence[Case]) -> Iterator[Case]:
    """The scenarios that play this ruleset as it is amended here."""
    return fitting(cases, side.main, _overlays(side), side.asked.provider)


def _overlays(side: Side) -> list[str]:
    """The places of what amends it."""
    asked, beside = side.asked, posixpath.dirname(side.main)
    return [overlay_place(each, beside, asked.provider) for each in (*side.located.overlays, *asked.overlays)]


def _told(come: Come) -> str:
    found = f", {come.witnesses} witnesses" if come.witnesses else ""
    return f"{_STAGES[come.stage]}: {come.done} of {come.whole}{found}"
