"""The verb `odds`: how likely each end of a procedure is, exactly."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import click

from rulewright.cli.loading import value_of
from rulewright.cli.named_files import files_for
from rulewright.cli.opening import Asked, Opening, limits_of, open_play
from rulewright.cli.options import OneOf, WholeNumber, format_option, limit_options, overlay_option, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, complaint, is_limit, output
from rulewright.codecs.table import exactly_written, show, to_json
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.sources import DECISIONS
from rulewright.inputs.names import Names
from rulewright.machine.futures import TooManyOutcomesError
from rulewright.machine.run import Paused
from rulewright.machine.values import Value
from rulewright.odds.answering import POLICIES, Answers
from rulewright.odds.exploration import UndecidedError
from rulewright.odds.measures import RESULT, Measured, measured
from rulewright.odds.odds import Distribution, Odds, choices, odds

_MOST = 200_000
_LOOKED = 2_000
"""So many moments are looked at for what players decide."""
_LONGEST = 10**6
_BAR = 30


@verb("odds")
@click.argument("ruleset", metavar="RULESET|SCENARIO")
@click.argument("procedure", required=False, metavar="[PROCEDURE|CASE]")
@click.option("--of", "asked", multiple=True, metavar="EXPRESSION", help="what to ask of the end; repeatable")
@click.option("--state", "state", metavar="FILE", help="where the play begins, YAML or JSON")
@click.option("--with", "roles", multiple=True, metavar="ROLE=ID", help="who is what in the procedure; repeatable")
@click.option("--set", "settings", multiple=True, metavar="SETTING=VALUE", help="another reading; repeatable")
@click.option("--script", "script", metavar="FILE", help="answers and dice that are certain, YAML or JSON")
@click.option("--no-script", "unscripted", is_flag=True, help="leave out the script that the scenario has")
@click.option("--policy", type=OneOf(POLICIES), help="who chooses what the script does not")
@click.option("--most", type=WholeNumber(1), default=_MOST, metavar="N", help="different moments of play at most")
@overlay_option
@limit_options
@format_option
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    ruleset: str,
    procedure: str | None,
    asked: tuple[str, ...],
    state: str | None,
    roles: tuple[str, ...],
    settings: tuple[str, ...],
    script: str | None,
    unscripted: bool,
    policy: str | None,
    most: int,
    overlays: tuple[str, ...],
    form: str | None,
    **limits: int | None,
) -> int:
    """Works out how likely each value of EXPRESSION is when the procedure has ended, exactly.

    An EXPRESSION is of the language: things by their ids, roles, terms, `result`; `--of "hammer.health"`. Without any
    the result is asked. Every way that dice and draws can go is followed, equal moments once.

    Exits with 1 where some plays meet a fault or never end, 3 where a limit was hit: then each value may be as much
    likelier as is said.
    """
    out = output(form)
    written = Asked(ruleset, procedure, overlays, state, roles, settings, script, unscripted, limits_of(limits), "none")
    opening = open_play(written)
    play = _measured(opening, asked)
    answers = Answers(play.begun.names, opening.script, policy or "")
    found = _worked_out(play, answers, most, out)
    if out.form == "json":
        out.data(_document(found, play, most))
    else:
        for line in _lines(found, play, most, out):
            out.say(line)
    return _exit(found)


def _measured(opening: Opening, asked: Sequence[str]) -> Measured:
    """The play with what is asked of its end; of nothing the result.

    Raises:
        Stop: RW1120, nothing is asked and there is no result; what is wrong with an expression.
    """
    procedure = opening.begun.procedure
    if not asked and procedure.result is None:
        remedy = 'add `--of EXPRESSION`, such as `--of "hammer.health"`'
        raise Stop([complaint("RW1120", f"`{procedure.name}` has no result, and nothing else is asked", remedy)])
    files = files_for(opening.ruleset, *opening.overlays)
    return value_of(measured(opening.begun, asked or (RESULT,), opening.ruleset, opening.overlays, files))


def _worked_out(play: Measured, answers: Answers, most: int, out: Output) -> Odds:
    """The odds.

    Raises:
        Stop: RW1121, nobody decides something; RW1122, something comes from elsewhere; RW1123, one roll or draw
            has too many outcomes; what does not fit of a script.
    """
    with Progress(0, out) as progress:
        try:
            return odds(play.begun, play.measures, answers, most, lambda met: progress.tell(f"{met:,} moments"))
        except UndecidedError as undecided:
            raise Stop(undecided.wrong or [_undecided(undecided.paused, play, answers)]) from None
        except TooManyOutcomesError:
            message = "a roll, draw or shuffle has more than a million outcomes"
            raise Stop([complaint("RW1123", message, "say in a script what falls: `--script FILE`")]) from None


def _undecided(paused: Paused, play: Measured, answers: Answers) -> Diagnostic:
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


def _lines(found: Odds, play: Measured, most: int, out: Output) -> Iterator[str]:
    begun = play.begun
    title = visible(begun.procedure.title or begun.procedure.name)
    yield f"{out.paint(title, 'strong')}: {found.moments:,} different moments of play"
    for each in found.distributions:
        yield ""
        yield out.paint(visible(each.measure.text), "strong")
        yield from _table(each, begun.names, out)
    yield from _rest(found, most)


def _table(told: Distribution, names: Names, out: Output) -> Iterator[str]:
    numbers = [each for each in told.likely if _is_number(each)]
    is_ordered = len(numbers) == len(told.likely) and len(numbers) > 2  # noqa: PLR2004 - of two values one says the other
    rows = [
        (_shown(value, told, names), likely, _from(told, value) if is_ordered else None)
        for value, likely in told.likely.items()
    ]
    width = max((len(value) for value, _, _ in rows), default=0)
    exact = max((len(_exactly(likely)) for _, likely, _ in rows), default=0)
    for value, likely, beyond in rows:
        more = f"  or more {_percent(beyond)}" if beyond is not None else ""
        bar = "█" * round(_BAR * likely)
        line = f"  {value:>{width}}  {_percent(likely)}  {_exactly(likely):<{exact}}{more}  {out.paint(bar, 'dim')}"
        yield line.rstrip()
    if told.mean is not None and is_ordered:
        yield f"  on average {float(told.mean):.4g}"


def _shown(value: Value, told: Distribution, names: Names) -> str:
    return "no value" if value is None else show(value, told.measure.type, names)


def _from(told: Distribution, value: Any) -> Fraction:  # noqa: ANN401 - a number
    return sum((likely for each, likely in told.likely.items() if each >= value), Fraction(0))


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def _percent(likely: Fraction) -> str:
    percent = float(likely * 100)
    return f"{percent:7.3f} %" if percent >= 0.001 or not likely else f"{percent:7.1e} %"  # noqa: PLR2004 - what is seen


def _exactly(likely: Fraction) -> str:
    return str(likely) if likely.denominator <= _LONGEST else "…"


def _rest(found: Odds, most: int) -> Iterator[str]:
    """What does not come to an end, or was not looked at."""
    if found.faults or found.never or found.open:
        yield ""
    for (code, message), likely in found.faults.items():
        said = f"{code}: {message}" if code else message
        yield visible(f"{_percent(likely).strip()} of all plays cannot be carried on: {said}")
    if found.never:
        yield f"{_percent(found.never).strip()} of all plays never end"
    if found.open:
        far = _percent(found.open).strip()
        yield f"{far} of all plays go beyond {most:,} moments: each value is as likely as told, or up to {far} more"
        yield "--most N follows more of them"


def _document(found: Odds, play: Measured, most: int) -> dict[str, Any]:
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
                        "value": None if value is None else to_json(value, each.measure.type, names),
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
