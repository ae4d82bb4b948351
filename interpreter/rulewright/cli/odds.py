"""The verb `odds`: how likely each end of a procedure is, exactly, and what answers are worth."""

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from os import cpu_count
from time import monotonic
from typing import Any

import click

from rulewright.cli.advice import advice_document, advice_lines, advice_picture, advice_rows
from rulewright.cli.asked_odds import AskedOdds, AskedPlay, asked_by, asking_options, opened
from rulewright.cli.fault_replay import replayed
from rulewright.cli.following import Following, estimate_json, estimate_lines, looking, told_alone
from rulewright.cli.odds_kept import keep, may_keep
from rulewright.cli.odds_refused import REFUSALS, never_so, refusal
from rulewright.cli.odds_report import (
    OddsFrom,
    odds_document,
    odds_head,
    odds_lines,
    odds_pictures,
    odds_rows,
    sweep_lines,
)
from rulewright.cli.odds_values import STYLES, VALUES, Telling, scripted_chance, tell_refused
from rulewright.cli.options import OneOf, WholeNumber, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, errors, is_limit, output, stopped
from rulewright.cli.pictures import can_show, picture_options
from rulewright.cli.plotting import can_draw, draw
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.machine.outcomes import TooManyOutcomesError
from rulewright.machine.request import Reason, Refused
from rulewright.odds.advice import advice
from rulewright.odds.answering import Answers
from rulewright.odds.estimates import estimated
from rulewright.odds.exploration import Heed, Met
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.odds import CannotBeginError, Odds, left_over, odds, started
from rulewright.odds.size import MOST_MOMENTS, Size
from rulewright.workers import Processes

_MOST_WORKERS = 64
_FEW = 40
"""So many moments are looked at before any is followed, for what nobody can follow."""
_ALONE = 1.0
"""Seconds that this process follows starts alone, before others help it."""
_Found = Odds | tuple[Reason, ...]
"""Odds, or why a procedure cannot begin."""


@verb("odds")
@asking_options
@picture_options
@click.option("--best", multiple=True, metavar="PLAYER:EXPRESSION", help="this player plays for the highest value")
@click.option("--known", multiple=True, metavar="NAME", help="all players know what is in this bag or deck; repeatable")
@click.option("--advise", is_flag=True, help="show what `--best` can expect after each answer to the next question")
@click.option("--load", metavar="FILE", help="continue from a save of `play`")
@click.option("--record", "recorded", metavar="FILE", help="save the question as a scenario that expects this answer")
@click.option(
    "--as", "style", type=OneOf(STYLES), help="how likelihoods are written: fraction, percent or odds, 1 in 6"
)
@click.option("--estimate", is_flag=True, help="only estimate how many moments of play there are")
@click.option(
    "--workers", type=WholeNumber(1, _MOST_WORKERS), metavar="N", help="how many processes to use with --vary"
)
@click.option(
    "--most", type=WholeNumber(1), default=MOST_MOMENTS, metavar="N", help="follow at most this many moments of play"
)
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    most: int,
    advise: bool,
    estimate: bool,
    workers: int | None,
    style: str | None,
    layout: str,
    picture: str | None,
    recorded: str | None,
    form: str | None,
    **given: Any,  # as `asking_options` gives them
) -> int:
    """Works out exactly how likely each result of a procedure is, or each final value of EXPRESSION.

    EXPRESSION is written as in the rules, with the ids of things, roles, terms and `result`: `--of "hammer.health"`.
    Without one it asks for the result. It follows every way that dice and draws can fall. `--vary
    hammer.health=1..6` repeats the question from each of these starts. `--best "red: hammer.health"` has a player
    choose the answers that make the value highest; two players may want opposite things. `--advise` shows what each
    answer to the next question is worth to such a player. `--picture FILE` draws the answer.

    Exits with 1 if some plays meet a fault, never end or cannot begin; 2 if no play takes an answer of the script; 3
    if a limit was reached: it then shows how much likelier each value may be.

    Example, after `rulewright new skirmish`: `rulewright odds skirmish/skirmish.scenario.yaml falls --no-script
    --policy random --of "mordred.health"`.
    """
    if estimate:
        kept = {"--picture": picture, "--record": recorded, "--advise": advise, "--format csv": form == "csv"}
        told_alone(kept)
    can_draw(picture)
    question = asked_by(given)
    may_keep(recorded, question)
    out, asked, telling = output(form), opened(question), (style or "", layout)
    can_show(layout, asked, "advice is shown" if advise and layout != VALUES else "")
    if estimate:
        return _estimated(asked, most, out)
    if advise:
        return _advised(asked, most, out, picture)
    found = tuple(_each(asked, most, workers or cpu_count() or 1, out))
    _may_be_so(found)
    if not asked.varied and found[0].refused:
        tell_refused(found[0].refused, asked.play, out)
    elif out.form == "json":
        out.data(odds_document(found, asked, most))
    else:
        out.tell(_lines(found, asked, most, out, telling))
        if out.form != "csv":
            out.tell(replayed({fault for each in found if each.odds for fault in each.odds.faults}, asked, question))
    if picture is not None and not all(each.refused for each in found):
        draw(picture, odds_pictures(found, asked, telling))
    if not _is_script_taken(found, asked, question, out):
        return Exit.BAD
    if recorded is not None:
        keep(recorded, found, asked)
    return max(map(_exit, found))


def _advised(asked: AskedPlay, most: int, out: Output, picture: str | None) -> Exit:
    """Tells what each answer to the next question is worth."""
    begun = asked.play.begun
    if asked.play.conditions:
        message = "advice weighs all plays, so it takes no `--given`"
        raise stopped("RW1209", message, "leave `--given` out")
    if not asked.play.objectives or asked.varied:
        message = "there is no advice without an objective" if not asked.varied else "advice is for one start"
        raise stopped("RW1131", message, "add `--best PLAYER:EXPRESSION`, and leave `--vary` out")
    start = asked.stands or started(begun)
    if isinstance(start.outcome, Refused):
        tell_refused(start.outcome.reasons, asked.play, out)
        return Exit.FOUND
    with Progress(0, out) as progress:
        try:
            following = Following(most, progress)
            following.begins(0, partial(looking, asked, asked.play))
            found = advice(asked.play, asked.answers, start, most, following)
        except REFUSALS as error:
            raise refusal(error, asked.play, asked.answers, asked.texts) from None
    if out.form == "json":
        out.data(advice_document(found, begun.names))
    else:
        out.tell(advice_rows(found, begun.names) if out.form == "csv" else advice_lines(found, begun.names))
    if picture is not None:
        draw(picture, [advice_picture(found, begun.names)])
    return Exit.UNKNOWN if found.is_open else Exit.FINE


def _may_be_so(found: Sequence[OddsFrom]) -> None:
    """Looks whether some play comes to what must be so in those that are asked of."""
    told = [(each.play, each.odds) for each in found if each.odds is not None]
    for number in range(len(told[0][1].distributions) if told else 0):
        of_each = [odds.distributions[number] for _, odds in told]
        if not any(each.given or each.open for each in of_each):
            raise Stop([never_so(told[0][0].condition(of_each[0].measure))])


def _is_script_taken(found: Sequence[OddsFrom], asked: AskedPlay, question: AskedOdds, out: Output) -> bool:
    """Whether plays take all answers of the script; reports those that none takes, else those in place of chance."""
    untaken = _untaken(asked, found)
    if untaken:
        errors(out.form).report(untaken, asked.texts)
    elif out.form in {"human", "plain"}:
        given = {at: answer for each in found if each.odds for at, answer in each.odds.scripted_chance.items()}
        errors(out.form).tell(scripted_chance(given, by_script=question.play.script is not None))
    return not untaken


def _untaken(asked: AskedPlay, found: Sequence[OddsFrom]) -> tuple[Diagnostic, ...]:
    """RW0743 for answers of the script that no play takes from any start."""
    of_each = [each.odds.left for each in found if each.odds is not None]
    left = [each for each in of_each[0] if all(each in other for other in of_each)] if of_each else []
    return left_over(asked.play, asked.answers, left)


def _lines(found: Sequence[OddsFrom], asked: AskedPlay, most: int, out: Output, telling: Telling) -> Iterator[str]:
    if out.form == "csv":
        return odds_rows(found, asked)
    only = found[0].odds if not asked.varied else None
    if only is None:
        return sweep_lines(found, asked, most, out, telling)
    return odds_lines(found[0], only, most, out, telling)


def _each(asked: AskedPlay, most: int, workers: int, out: Output) -> Iterator[OddsFrom]:
    """The odds from each start; where that takes long, other processes help."""
    begun, starts = monotonic(), asked.starts
    with Progress(0, out) as progress:
        following = Following(most, progress, len(starts))
        with suppress(TooManyOutcomesError):
            looking(asked, asked.play, min(_FEW, most))
        for number, (_, play) in enumerate(starts):
            if workers > 1 and number < len(starts) - 1 and monotonic() - begun > _ALONE:
                yield from _helped(asked, most, (number, min(workers, len(starts) - number)), following)
                return
            following.begins(number, partial(looking, asked, play))
            found = _found(asked, play, most, following)
            is_cut = isinstance(found, Odds) and found.open and not asked.varied
            size = following.size or (_looked_at(asked, play) if is_cut else None)
            yield replace(_told(asked, number, found), size=size)


def _looked_at(asked: AskedPlay, play: PlayToMeasure) -> Size | None:
    """How large the question is; none where a roll has too many outcomes to tell."""
    try:
        return looking(asked, play)
    except TooManyOutcomesError:
        return None


def _found(asked: AskedPlay, play: PlayToMeasure, most: int, heed: Heed) -> _Found:
    try:
        return odds(play, asked.answers, most, heed, asked.stands)
    except CannotBeginError as refused:
        return refused.reasons
    except REFUSALS as error:
        raise refusal(error, play, asked.answers, asked.texts) from None


def _told(asked: AskedPlay, number: int, found: _Found) -> OddsFrom:
    at, play = asked.starts[number]
    return OddsFrom(at, play, found) if isinstance(found, Odds) else OddsFrom(at, play, None, found)


def _helped(asked: AskedPlay, most: int, left: tuple[int, int], following: Following) -> Iterator[OddsFrom]:
    """The odds from a start on, by so many processes, in order."""
    first, workers = left
    numbers = range(first, len(asked.starts))
    given = [play for _, play in asked.starts], asked.answers, most
    with closing(Processes(workers, given)) as processes:
        for number, found in zip(numbers, processes.map(_worked, numbers), strict=True):
            play = asked.starts[number][1]
            following.begins(number + 1, lambda _: None)
            yield _told(asked, number, found or _found(asked, play, most, following))
            following(Met(0, None))


def _worked(given: tuple[Sequence[PlayToMeasure], Answers, int], number: int) -> _Found | None:
    """What comes of a start; none where it cannot be worked out, which is for the other process to say."""
    plays, answers, most = given
    try:
        return odds(plays[number], answers, most, lambda _: None)
    except CannotBeginError as refused:
        return refused.reasons
    except REFUSALS:
        return None


def _estimated(asked: AskedPlay, most: int, out: Output) -> Exit:
    """Tells how much is to be followed, as `estimated`; of several starts the first."""
    play = asked.starts[0][1]
    with Progress(0, out) as progress:
        try:
            estimate = estimated(
                play, asked.answers, most, lambda met: progress.tell(f"{met.moments:,} moments"), asked.stands
            )
        except CannotBeginError as refused:
            tell_refused(refused.reasons, play, out)
            return Exit.FOUND
        except REFUSALS as error:
            raise refusal(error, play, asked.answers, asked.texts) from None
    if out.form == "json":
        out.data(odds_head(play, most) | estimate_json(estimate))
        return Exit.FINE
    title = visible(play.begun.procedure.heading)
    of = f", from the first of {len(asked.starts):,} starts" if asked.varied else ""
    out.say(f"{out.paint(title, 'strong')}{of}:")
    out.tell(f"  {line}" for line in estimate_lines(estimate, most))
    return Exit.FINE


def _exit(found: OddsFrom) -> Exit:
    if found.odds is None:
        return Exit.FOUND
    is_open = found.odds.open or any(each.low != each.high for each in found.odds.best)
    if is_open or any(is_limit(code) for code, _ in found.odds.faults):
        return Exit.UNKNOWN
    return Exit.FOUND if found.odds.faults or found.odds.never else Exit.FINE
