"""The verb `odds`: how likely each end of a procedure is, exactly."""

from collections.abc import Iterator
from typing import Any

import click

from rulewright.cli.asked_odds import (
    asked_by,
    asking_options,
    exactly,
    is_ordered,
    opened,
    percent,
    table,
    tell_refused,
    value_json,
)
from rulewright.cli.options import WholeNumber, format_option, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, complaint, is_limit, output
from rulewright.codecs.table import exactly_written
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.sources import DECISIONS
from rulewright.inputs.names import Names
from rulewright.machine.futures import TooManyOutcomesError
from rulewright.machine.run import Paused
from rulewright.odds.answering import Answers
from rulewright.odds.exploration import UndecidedError
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.odds import CannotBeginError, Distribution, Odds, choices, odds

_MOST = 200_000
_LOOKED = 2_000
"""So many moments are looked at for what players decide."""


@verb("odds")
@asking_options
@click.option("--most", type=WholeNumber(1), default=_MOST, metavar="N", help="different moments of play at most")
@format_option
def command(*, most: int, form: str | None, **given: Any) -> int:  # noqa: ANN401 - as `asking_options` gives them
    """Works out how likely each value of EXPRESSION is when the procedure has ended, exactly.

    An EXPRESSION is of the language: things by their ids, roles, terms, `result`; `--of "hammer.health"`. Without any
    the result is asked. Every way that dice and draws can go is followed, equal moments once.

    Exits with 1 where some plays meet a fault or never end, 3 where a limit was hit: then each value may be as much
    likelier as is said.
    """
    out, asked = output(form), asked_by(given)
    opening, play = opened(asked)
    answers = Answers(play.begun.names, opening.script, asked.policy)
    try:
        found = _worked_out(play, answers, most, out)
    except CannotBeginError as refused:
        tell_refused(refused.reasons, play, out)
        return Exit.FOUND
    if out.form == "json":
        out.data(_document(found, play, most))
    else:
        for line in _lines(found, play, most, out):
            out.say(line)
    return _exit(found)


def _worked_out(play: PlayToMeasure, answers: Answers, most: int, out: Output) -> Odds:
    """The odds.

    Raises:
        Stop: RW1121, nobody decides something; RW1122, something comes from elsewhere; RW1123, one roll or draw
            has too many outcomes; what does not fit of a script.
    """
    with Progress(0, out) as progress:
        try:
            return odds(play, answers, most, lambda met: progress.tell(f"{met:,} moments"))
        except UndecidedError as undecided:
            raise Stop(undecided.wrong or [_undecided(undecided.paused, play, answers)]) from None
        except TooManyOutcomesError:
            message = "a roll, draw or shuffle has more than a million outcomes"
            raise Stop([complaint("RW1123", message, "say in a script what falls: `--script FILE`")]) from None


def _undecided(paused: Paused, play: PlayToMeasure, answers: Answers) -> Diagnostic:
    request = paused.request
    called = visible(request.prompt or request.address)
    if request.sort not in DECISIONS:
        remedy = f"say it in a script, `{request.address}: {{always: …}}`, and add `--script FILE`"
        return complaint("RW1122", f"nothing says what comes of `{called}`", remedy)
    if answers.policy:
        remedy = "answer it in a script: `--script FILE`"
        return complaint("RW1121", f"`{called}` has no legal answer that is found, or too many", remedy)
    met = choices(play.begun, answers, _LOOKED)
    notes = [f"players decide: {visible(prompt or address)} (`{address}`)" for address, prompt in met.items()]
    remedy = "add `--policy first` or `--policy random`, or answer them in a script: `--script FILE`"
    return complaint("RW1121", f"nobody decides `{called}`", remedy, notes)


# What is told.


def _lines(found: Odds, play: PlayToMeasure, most: int, out: Output) -> Iterator[str]:
    begun = play.begun
    title = visible(begun.procedure.title or begun.procedure.name)
    moments = "one moment of play" if found.moments == 1 else f"{found.moments:,} different moments of play"
    yield f"{out.paint(title, 'strong')}: {moments}"
    for each in found.distributions:
        yield ""
        yield out.paint(visible(each.measure.text), "strong")
        yield from _table(each, begun.names, out)
    yield from _rest(found, most)


def _table(told: Distribution, names: Names, out: Output) -> Iterator[str]:
    exact = [exactly(likely) for likely in told.likely.values()]
    yield from table(told.measure, told.likely, exact, names, out)
    if told.mean is not None and is_ordered(told.measure, told.likely):
        yield f"  on average {float(told.mean):.4g}"


def _rest(found: Odds, most: int) -> Iterator[str]:
    """What does not come to an end, or was not looked at."""
    if found.faults or found.never or found.open:
        yield ""
    for (code, message), likely in found.faults.items():
        said = f"{code}: {message}" if code else message
        yield visible(f"{percent(likely).strip()} of all plays cannot be carried on: {said}")
    if found.never:
        yield f"{percent(found.never).strip()} of all plays never end"
    if found.open == 1:
        yield f"no play ends within the {found.moments:,} moments that were met; --most N follows more of them"
    elif found.open:
        far = percent(found.open).strip()
        yield f"{far} of all plays go beyond {most:,} moments: each value is as likely as told, or up to {far} more"
        yield "--most N follows more of them"


def _document(found: Odds, play: PlayToMeasure, most: int) -> dict[str, Any]:
    names = play.begun.names
    return {
        "version": 1,
        "ruleset": play.begun.executable.program.name,
        "procedure": play.begun.procedure.name,
        "moments": found.moments,
        "most": most,
        "odds": [
            {
                "of": each.measure.text,
                "values": [
                    {
                        "value": value_json(value, each.measure, names),
                        "likely": str(likely),
                        "about": float(likely),
                    }
                    for value, likely in each.likely.items()
                ],
                "mean": None if each.mean is None else exactly_written(each.mean),
            }
            for each in found.distributions
        ],
        "faults": [
            {"code": code, "message": message, "likely": str(likely), "about": float(likely)}
            for (code, message), likely in found.faults.items()
        ],
        "never": str(found.never),
        "open": str(found.open),
    }


def _exit(found: Odds) -> Exit:
    if found.open or any(is_limit(code) for code, _ in found.faults):
        return Exit.UNKNOWN
    return Exit.FOUND if found.faults or found.never else Exit.FINE
