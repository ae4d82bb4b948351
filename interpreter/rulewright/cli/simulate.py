"""The verb `simulate`: plays with seeded dice, counted, alone or in pairs."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from os import cpu_count
from typing import Any

import click

from rulewright.cli.asked_odds import AskedPlay, asked_by, asking_options
from rulewright.cli.counting import PART, Players, Table, count, is_within, wanted_plays
from rulewright.cli.fault_replay import replayed
from rulewright.cli.odds_values import PERCENT, VALUES, scripted_chance, tell_refused
from rulewright.cli.options import LARGEST_SEED, Number, WholeNumber, verb
from rulewright.cli.output import Exit, Output, Progress, errors, output
from rulewright.cli.parquet import can_write_parquet, write_parquet
from rulewright.cli.pictures import can_show, picture_options
from rulewright.cli.plotting import can_draw, draw
from rulewright.cli.simulate_kept import Kept
from rulewright.cli.simulate_pairs import AGAINST, other_of, pair_options, told_as
from rulewright.cli.simulate_report import Report
from rulewright.diagnostics import Diagnostic
from rulewright.drivers.chance import fresh_seed
from rulewright.inputs.script import untaken
from rulewright.odds.odds import CannotBeginError
from rulewright.odds.simulation import CountedFrom, Repeated, nothing_counted

_PLAYS = 10_000
_ENOUGH = 1_000_000
_MOST = 1_000_000_000
"""So many plays are played at most where it is said how closely shares are to be known."""
_MOST_WORKERS = 64
_LOOKED = 20
"""In so many plays it is looked at what the script answers."""


@verb("simulate")
@asking_options
@picture_options
@pair_options
@click.option("--runs", type=WholeNumber(1, _MOST), metavar="N", help="how many plays, 10000 unless given")
@click.option("--seed", type=WholeNumber(0, LARGEST_SEED), metavar="N", help="seed for the dice")
@click.option("--within", type=Number(0, 50), metavar="PERCENT", help="stop once every share is known this closely")
@click.option("--workers", type=WholeNumber(1, _MOST_WORKERS), metavar="N", help="how many processes to use")
@click.option("--cluster", metavar="ADDRESS", help="play on the workers of this Dask cluster")
@click.option("--resume", "resumed", metavar="FILE", help="save the counts here, and continue from those it holds")
@click.option("--parquet", metavar="FILE", help="also write the rows as a Parquet file")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    runs: int | None,
    seed: int | None,
    within: float | None,
    workers: int | None,
    cluster: str | None,
    resumed: str | None,
    parquet: str | None,
    layout: str,
    picture: str | None,
    against_first: bool,
    form: str | None,
    **given: Any,  # as `asking_options` and `pair_options` give them
) -> int:
    """Plays a procedure many times and counts the results, or the final values of EXPRESSION, with 95 % intervals.

    If `odds` can answer, use that: it is exact. The same seed gives the same counts with any number of
    workers, and the same dice from each start of `--vary`. `--against` plays another revision, overlay, reading or
    policy on the same dice and shows the differences. The extra `batch` plays many procedures hundreds of times
    faster, with the same counts. If you interrupt it, it shows the counts so far; `--resume FILE` continues from there.

    Exits with 1 if some plays meet a fault or cannot begin; 2 if a question has no answer, no play took an answer of
    the script, or you interrupted it; 3 if the plays were too few for `--within`, or `--given` held in none.

    Example, after `rulewright new skirmish`: `rulewright simulate skirmish/skirmish.scenario.yaml falls --no-script
    --policy random --of "mordred.health" --runs 100`.
    """
    out, against = output(form), {each: given.pop(each) for each in AGAINST}
    can_write_parquet(parquet)
    can_draw(picture)
    written = asked_by(given)
    other = other_of(written, against, first=against_first)
    table = Table(written, other, first=against_first)
    asked = table.asked[0]
    can_show(layout, asked, "what differs in pairs is shown" if table.is_paired and layout != VALUES else "")
    most = runs or (_ENOUGH if within is not None else _PLAYS)
    share = None if within is None else within / PERCENT
    kept = Kept(resumed, table.asked, seed, fresh_seed())
    workers = workers or (min(cpu_count() or 1, most // PART) or 1)
    with closing(Players(table, workers, cluster)) as players:
        found, whole = _each(table, players, (most, share), kept, out)
    if not whole:
        _tell_stopped(resumed, form)
    if not found:
        return Exit.BAD
    beside = told_as(against) if table.is_paired else None
    report = Report(found, asked, kept.seed, ", ".join(written.policies) or asked.answers.policy, layout, beside)
    if parquet is not None:
        write_parquet(parquet, report.heads, tuple(report.cells()))
    if not asked.varied and found[0].refused:
        tell_refused(found[0].refused, asked.play, out)
    elif out.form == "json":
        out.data(report.document())
    else:
        out.tell(report.rows() if out.form == "csv" else report.lines(out))
        if out.form != "csv" and not table.is_paired:
            out.tell(replayed({fault for each in found for fault in each.counted.faults}, asked, written))
    if picture is not None and not all(each.refused for each in found):
        draw(picture, report.pictures())
    left = _untaken(found, asked)
    if whole and left:
        errors(form).report(left, asked.texts)
    elif out.form in {"human", "plain"}:
        errors(form).tell(scripted_chance(_scripted(asked, kept.seed), by_script=written.play.script is not None))
    return _ended(report, share, table, out) if whole and not left else Exit.BAD


def _untaken(found: Sequence[CountedFrom], asked: AskedPlay) -> tuple[Diagnostic, ...]:
    """RW0743 for answers of the script that none of all plays took."""
    script, of_each = asked.answers.script, [each.counted.left for each in found if each.counted.left is not None]
    if script is None or not of_each:
        return ()
    left = frozenset.intersection(*of_each)
    return untaken([each for number, each in enumerate(script.lines) if number in left], ordered=script.ordered)


def _scripted(asked: AskedPlay, seed: int) -> Mapping[str, str]:
    """The rolls and draws that the script answers in the first plays from the first start."""
    if asked.answers.script is None:
        return {}
    repeated = Repeated(asked.play, asked.answers)
    return dict(each for number in range(_LOOKED) for each in repeated.scripted_chance(seed, number))


def _ended(report: Report, share: float | None, table: Table, out: Output) -> Exit:
    """How the command ends; says where shares are not known as closely as is wanted."""
    found = report.found
    lacking = share is not None and not all(each.refused or is_within(each.counted, share, table) for each in found)
    if share is not None and lacking and out.form not in {"json", "csv"}:
        out.say(f"not within {share * PERCENT:g} % yet: {_needed(found, share, table)}")
    if report.is_faulty:
        return Exit.FOUND
    return Exit.UNKNOWN if lacking or _is_unmet(found) else Exit.FINE


def _is_unmet(found: Sequence[CountedFrom]) -> bool:
    """Whether something is asked of plays of which none was counted from any start."""
    begun = [each for each in found if not each.refused]
    measures = begun[0].play.measures if begun else ()
    return any(not any(each.of(number)[1] for each in begun) for number in range(len(measures)))


def _tell_stopped(resumed: str | None, form: str | None) -> None:
    goes_on = f"the same command goes on from `{resumed}`" if resumed else "`--resume FILE` keeps what is counted"
    errors(form).say(f"stopped before all plays were counted; {goes_on}")


def _needed(found: Sequence[CountedFrom], within: float, table: Table) -> str:
    """How many plays would suffice, about."""
    needed = [wanted_plays(each.counted, within, table) for each in found if not each.refused]
    most = max((each for each in needed if each is not None), default=None)
    return "no number of plays suffices" if most is None else f"about {most:,} plays would do: `--runs {most}`"


def _each(
    table: Table, players: Players, enough: tuple[int, float | None], kept: Kept, out: Output
) -> tuple[tuple[CountedFrom, ...], bool]:
    """What came of the plays from each start, and whether there was no interruption."""
    asked, found, whole = table.asked[0], list[CountedFrom](), True
    with Progress(0, out) as progress:
        for number, (at, play) in enumerate(asked.starts):
            if number < table.earliest:
                continue
            before = f"{number:,} of {len(asked.starts):,} starts, " if asked.varied else ""
            try:
                whole = count(players, number, enough, kept, partial(_tell, progress, before))
            except CannotBeginError as refused:
                found.append(CountedFrom(at, play, nothing_counted(len(play.measures)), refused.reasons))
                continue
            if kept.counted[number].plays:
                found.append(CountedFrom(at, play, kept.counted[number], one_by_one=table.plays.refused(number)))
            if not whole:
                break
    return tuple(found), whole


def _tell(progress: Progress, before: str, said: str) -> None:
    progress.tell(before + said)
