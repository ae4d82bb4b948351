"""The verb `odds`: how likely each end of a procedure is, exactly, and what answers are worth."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from rulewright.cli.advice_report import advice_document, advice_lines, advice_picture, advice_rows
from rulewright.cli.asked_odds import AskedPlay, asked_by, asking_options, opened
from rulewright.cli.odds_kept import keep, may_keep
from rulewright.cli.odds_refused import REFUSALS, refusal
from rulewright.cli.odds_report import OddsFrom, odds_document, odds_lines, odds_pictures, odds_rows, sweep_lines
from rulewright.cli.odds_values import STYLES, VALUES, Telling, tell_refused
from rulewright.cli.options import OneOf, WholeNumber, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, complaint, is_limit, output
from rulewright.cli.pictures import can_show, picture_options
from rulewright.cli.plotting import can_draw, draw
from rulewright.machine.request import Refused
from rulewright.odds.advice import advice
from rulewright.odds.odds import CannotBeginError, odds, started

_MOST = 200_000


@verb("odds")
@asking_options
@picture_options
@click.option("--best", "best", multiple=True, metavar="PLAYER:EXPRESSION", help="who plays for the most of what")
@click.option(
    "--known", "known", multiple=True, metavar="NAME", help="all know what lies in this bag or deck; repeatable"
)
@click.option("--advise", "advise", is_flag=True, help="what each answer to the next question is worth")
@click.option("--load", "load", metavar="FILE", help="go on from a save of `play`")
@click.option("--record", "recorded", metavar="FILE", help="keep the question as a scenario that expects this answer")
@click.option(
    "--as", "style", type=OneOf(STYLES), help="how likelihoods are written: fraction, percent or odds, 1 in 6"
)
@click.option("--most", type=WholeNumber(1), default=_MOST, metavar="N", help="different moments of play at most")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    most: int,
    advise: bool,
    style: str | None,
    layout: str,
    picture: str | None,
    recorded: str | None,
    form: str | None,
    **given: Any,  # noqa: ANN401 - as `asking_options` gives them
) -> int:
    """Works out exactly how likely each end of a procedure is, or each value that EXPRESSION then has.

    An EXPRESSION is of the language: things by their ids, roles, terms, `result`; `--of "hammer.health"`. Without any
    the result is asked. Every way that dice and draws can go is followed, equal moments once. `--vary
    hammer.health=1..6` asks the same of each of these starts. `--best "red: hammer.health"` lets a player take the
    answers that make the most of it; two players may want the opposite of each other. With `--advise` it is told what
    each answer to the next question is worth to such a player. `--picture FILE` draws what is told.

    Exits with 1 where some plays meet a fault, never end or cannot begin, 3 where a limit was hit: then each value may
    be as much likelier as is said.

    Example: `rulewright odds skirmish/skirmish.scenario.yaml falls --no-script --policy random --of
    "mordred.health"`.
    """
    can_draw(picture)
    question = asked_by(given)
    may_keep(recorded, question)
    out, asked, telling = output(form), opened(question), (style or "", layout)
    can_show(layout, asked, "advice is told" if advise and layout != VALUES else "")
    if advise:
        return _advised(asked, most, out, picture)
    found = tuple(_each(asked, most, out))
    if not asked.varied and found[0].refused:
        tell_refused(found[0].refused, asked.play, out)
    elif out.form == "json":
        out.data(odds_document(found, asked, most))
    else:
        for line in _lines(found, asked, most, out, telling):
            out.say(line)
    if picture is not None and not all(each.refused for each in found):
        draw(picture, odds_pictures(found, asked, telling))
    if recorded is not None:
        keep(recorded, found, asked, question.policies)
    return max(map(_exit, found))


def _advised(asked: AskedPlay, most: int, out: Output, picture: str | None) -> Exit:
    """Tells what each answer to the next question is worth.

    Raises:
        Stop: RW1131, nobody plays for the best, or nothing is to be decided; as `refusal`.
    """
    begun = asked.play.begun
    if not asked.play.objectives or asked.varied:
        message = "there is no advice without an objective" if not asked.varied else "advice is for one start"
        raise Stop([complaint("RW1131", message, "add `--best PLAYER:EXPRESSION`, and leave `--vary` out")])
    start = asked.stands or started(begun)
    if isinstance(start.outcome, Refused):
        tell_refused(start.outcome.reasons, asked.play, out)
        return Exit.FOUND
    with Progress(0, out) as progress:
        try:
            found = advice(asked.play, asked.answers, start, most, partial(_tell, progress, ""))
        except REFUSALS as error:
            raise refusal(error, asked.play, asked.answers) from None
    if out.form == "json":
        out.data(advice_document(found, begun.names))
    else:
        for line in advice_rows(found, begun.names) if out.form == "csv" else advice_lines(found, begun.names):
            out.say(line)
    if picture is not None:
        draw(picture, [advice_picture(found, begun.names)])
    return Exit.UNKNOWN if found.is_open else Exit.FINE


def _lines(found: Sequence[OddsFrom], asked: AskedPlay, most: int, out: Output, telling: Telling) -> Iterator[str]:
    if out.form == "csv":
        return odds_rows(found, asked)
    only = found[0].odds if not asked.varied else None
    if only is None:
        return sweep_lines(found, asked, most, out, telling)
    return odds_lines(only, asked.play, most, out, telling)


def _each(asked: AskedPlay, most: int, out: Output) -> Iterator[OddsFrom]:
    """The odds from each start.

    Raises:
        Stop: as `refusal`.
    """
    starts = asked.starts
    with Progress(0, out) as progress:
        for number, (at, play) in enumerate(starts):
            heed = partial(_tell, progress, f"{number:,} of {len(starts):,} starts, " if asked.varied else "")
            try:
                yield OddsFrom(at, play, odds(play, asked.answers, most, heed, asked.stands))
            except CannotBeginError as refused:
                yield OddsFrom(at, play, None, refused.reasons)
            except REFUSALS as error:
                raise refusal(error, play, asked.answers) from None


def _tell(progress: Progress, before: str, met: int) -> None:
    progress.tell(f"{before}{met:,} moments")


def _exit(found: OddsFrom) -> Exit:
    if found.odds is None:
        return Exit.FOUND
    if found.odds.open or any(is_limit(code) for code, _ in found.odds.faults):
        return Exit.UNKNOWN
    return Exit.FOUND if found.odds.faults or found.odds.never else Exit.FINE
