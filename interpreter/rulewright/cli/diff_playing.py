"""Plays two revisions side by side, as far as it is asked for."""

import posixpath
from collections.abc import Callable, Sequence
from typing import TypeVar

import click

from rulewright.cli.diff_sides import Side
from rulewright.cli.options import LARGEST_SEED
from rulewright.cli.output import Output
from rulewright.cli.progress import Progress
from rulewright.comparing.comparison import Comparison
from rulewright.comparing.playing import compare_plays
from rulewright.comparing.playing.data import Behaviour, Changed, Effort, Fixtures
from rulewright.comparing.playing.data import Progress as Come
from rulewright.comparing.playing.fixtures import fixtures
from rulewright.frozen import dataclass
from rulewright.machine.situation import Situation
from rulewright.scenarios.beginning import Rules
from rulewright.scenarios.loading import all_cases, suites_of
from rulewright.workspace import locate

_STAGES = {"functions": "functions", "playing": "plays", "shrinking": "making witnesses smaller"}
_Command = TypeVar("_Command", bound=Callable[..., object])
_OPTIONS: Sequence[Callable[[_Command], _Command]] = (
    click.option("--plays", type=click.IntRange(0), default=3000, metavar="N", help="plays at most; 0 for none"),
    click.option("--seconds", type=click.IntRange(1), default=8, metavar="N", help="of playing at most"),
    click.option("--workers", type=click.IntRange(1, 64), default=2, metavar="N", help="how many play at once"),
    click.option("--witnesses", type=click.IntRange(1), default=5, metavar="N", help="differences shown at most"),
    click.option("--seed", type=click.IntRange(0, LARGEST_SEED), default=0, metavar="N", help="of situations and dice"),
)


def playing_options(command: _Command) -> _Command:
    """How much is played."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much is to be played: plays, seconds, processes and witnesses at most; where chance comes from."""

    plays: int
    seconds: int
    workers: int
    witnesses: int
    seed: int


def played(old: Side, new: Side, comparison: Comparison, wanted: Wanted, out: Output) -> Behaviour | None:
    """What plays show where the meaning leaves it open; none where it does not, or where no plays are wanted."""
    if comparison.known is not None or not wanted.plays:
        return None
    left = comparison.remaining
    effort = Effort(wanted.plays, float(wanted.seconds), wanted.workers, wanted.witnesses)
    with Progress(0, out) as progress:
        return compare_plays(
            old.program,
            new.program,
            comparison.correspondence,
            Changed(left.old, left.new),
            fixtures=Fixtures(_written(old), _written(new)),
            effort=effort,
            seed=wanted.seed,
            heed=lambda come: progress.tell(_told(come)),
        )


def _written(side: Side) -> tuple[Situation, ...]:
    """The states beside a ruleset and in its scenarios; scenarios that cannot be read hold none."""
    place, provider = side.asked.place, side.asked.provider
    home = posixpath.dirname(locate(place, provider).main or place)
    suites = suites_of((home or ".",), Rules(provider)).value
    return fixtures(side.program, home, all_cases(suites or ()), provider)


def _told(come: Come) -> str:
    found = f", {come.witnesses} witnesses" if come.witnesses else ""
    return f"{_STAGES[come.stage]}: {come.done} of {come.whole}{found}"
