"""The verb `odds`: how likely each end of a procedure is, exactly."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import click

from rulewright.cli.asked_odds import AskedPlay, asked_by, asking_options, opened
from rulewright.cli.odds_report import OddsFrom, odds_document, odds_lines, odds_rows, sweep_lines
from rulewright.cli.odds_values import tell_refused
from rulewright.cli.options import WholeNumber, verb
from rulewright.cli.output import Exit, Output, Progress, Stop, complaint, is_limit, output
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import visible
from rulewright.drivers.sources import DECISIONS
from rulewright.machine.futures import TooManyOutcomesError
from rulewright.machine.request import Request
from rulewright.machine.run import Paused
from rulewright.odds.answering import Answers
from rulewright.odds.elsewhere import externals_of
from rulewright.odds.exploration import UndecidedError
from rulewright.odds.measures import PlayToMeasure
from rulewright.odds.objectives import NoBestPlayError
from rulewright.odds.odds import CannotBeginError, Odds, choices, odds
from rulewright.odds.secrecy import UnseenError
from rulewright.program.declarations import Field, Program
from rulewright.program.wording import describe

_MOST = 200_000
_LOOKED = 2_000
"""So many moments are looked at for what players decide."""


@verb("odds")
@asking_options
@click.option("--best", "best", multiple=True, metavar="PLAYER:EXPRESSION", help="who plays for the most of what")
@click.option("--most", type=WholeNumber(1), default=_MOST, metavar="N", help="different moments of play at most")
def command(*, most: int, form: str | None, **given: Any) -> int:  # noqa: ANN401 - as `asking_options` gives them
    """Works out how likely each value of EXPRESSION is when the procedure has ended, exactly.

    An EXPRESSION is of the language: things by their ids, roles, terms, `result`; `--of "hammer.health"`. Without any
    the result is asked. Every way that dice and draws can go is followed, equal moments once. `--vary
    hammer.health=1..6` asks the same of each of these starts. `--best "red: hammer.health"` lets a player take the
    answers that make the most of it; two players may want the opposite of each other.

    Exits with 1 where some plays meet a fault, never end or cannot begin, 3 where a limit was hit: then each value may
    be as much likelier as is said.
    """
    out, asked = output(form), opened(asked_by(given))
    found = tuple(_each(asked, most, out))
    if not asked.varied and found[0].refused:
        tell_refused(found[0].refused, asked.play, out)
    elif out.form == "json":
        out.data(odds_document(found, asked, most))
    else:
        for line in _lines(found, asked, most, out):
            out.say(line)
    return max(map(_exit, found))


def _lines(found: Sequence[OddsFrom], asked: AskedPlay, most: int, out: Output) -> Iterator[str]:
    if out.form == "csv":
        return odds_rows(found, asked)
    only = found[0].odds if not asked.varied else None
    return sweep_lines(found, asked, most, out) if only is None else odds_lines(only, asked.play, most, out)


def _each(asked: AskedPlay, most: int, out: Output) -> Iterator[OddsFrom]:
    """The odds from each start.

    Raises:
        Stop: as `_worked_out`.
    """
    starts = asked.starts
    with Progress(0, out) as progress:
        for number, (at, play) in enumerate(starts):
            heed = partial(_tell, progress, f"{number:,} of {len(starts):,} starts, " if asked.varied else "")
            try:
                yield OddsFrom(at, play, _worked_out(play, asked.answers, most, heed))
            except CannotBeginError as refused:
                yield OddsFrom(at, play, None, refused.reasons)


def _tell(progress: Progress, before: str, met: int) -> None:
    progress.tell(f"{before}{met:,} moments")


def _worked_out(play: PlayToMeasure, answers: Answers, most: int, heed: Callable[[int], None]) -> Odds:
    """The odds from one start.

    Raises:
        CannotBeginError: the procedure cannot begin.
        Stop: RW1121, nobody decides something; RW1122, something comes from elsewhere; RW1123, one roll or draw
            has too many outcomes; RW1127 to RW1130, best play cannot be worked out; what does not fit of a script.
    """
    try:
        return odds(play, answers, most, heed)
    except UndecidedError as undecided:
        raise Stop(undecided.wrong or [_undecided(undecided.paused, play, answers)]) from None
    except TooManyOutcomesError:
        message = "a roll, draw or shuffle has more than a million outcomes"
        raise Stop([complaint("RW1123", message, "say in a script what falls: `--script FILE`")]) from None
    except UnseenError as unseen:
        raise Stop([_unseen(unseen, play)]) from None
    except NoBestPlayError as none:
        raise Stop([none.found], found=Exit.UNKNOWN if none.is_unknown else Exit.BAD) from None


def _unseen(error: UnseenError, play: PlayToMeasure) -> Diagnostic:
    """RW1129, with what the player does not know."""
    request, unseen = error.paused.request, error.unseen
    player, name = visible(play.begun.names.player(request.player)), visible(unseen.name)
    what = {
        "secret": f"the secret answer `{name.rpartition('/')[2]}`",
        "shuffle": f"what the shuffle at `{name}` has put in order",
        "start": f"what lies in `{name}`",
    }[unseen.sort]
    message = f"`{player}` cannot see {what} when `{visible(request.prompt or request.address)}` is asked"
    remedy = f"say how `{player}` decides: `--policy {player}=first`, or a script"
    if unseen.sort == "secret" and unseen.player is not None:
        other = visible(play.begun.names.player(unseen.player))
        remedy += f"; or let a script say what `{other}` answers"
    return complaint("RW1129", message, remedy, ["best play would answer as if it saw that"])


def _undecided(paused: Paused, play: PlayToMeasure, answers: Answers) -> Diagnostic:
    request = paused.request
    called = visible(request.prompt or request.address)
    if request.sort not in DECISIONS:
        return complaint("RW1122", f"nothing says what comes of `{called}`", *_wanted(request, play, answers))
    if answers.policy or request.player in {*answers.policies, *answers.best}:
        remedy = "answer it in a script: `--script FILE`"
        return complaint("RW1121", f"`{called}` has no legal answer that is found, or too many", remedy)
    met = choices(play.begun, answers, _LOOKED)
    notes = [f"players decide: {visible(prompt or address)} (`{address}`)" for address, prompt in met.items()]
    remedy = "add `--policy first`, `--policy random` or `--best PLAYER:EXPRESSION`, or answer them in a script"
    return complaint("RW1121", f"nobody decides `{called}`", remedy, notes)


def _wanted(request: Request, play: PlayToMeasure, answers: Answers) -> tuple[str, tuple[str, ...]]:
    """What is to be said of externals, and which are meant."""
    program = play.begun.executable.program
    said = () if answers.elsewhere is None else answers.elsewhere.said
    lacking = [each for each in externals_of(play.begun.procedure, program) if each not in said]
    notes = tuple(f"`{visible(each)}` gives {_gives(each, program)}" for each in lacking)
    parts = [part.name for part in _named(request.name, program)]
    form = "{ANSWER: 2/3, ANSWER: 1/3}"
    if parts:
        answer = ", ".join(f"{each}: …" for each in parts)
        form = f"[{{answer: {{{answer}}}, likely: 2/3}}, …]"
    certain = f"what is certain may stand in a script: `{visible(request.address)}: {{always: …}}`"
    return f"say how likely each answer is: `--external '{visible(request.name)}={form}'`; {certain}", notes


def _gives(external: str, program: Program) -> str:
    """What an external gives, in words."""
    parts = _named(external, program)
    if parts:
        return " and ".join(f"`{each.name}` ({describe(each.type)})" for each in parts)
    term, procedure = program.external_terms.get(external), program.external_procedures.get(external)
    type_ = term.type if term is not None else procedure and procedure.result
    return describe(type_) if type_ else "nothing, but for what it changes"


def _named(external: str, program: Program) -> tuple[Field, ...]:
    """The results of an external that have names."""
    record = program.records.get(external)
    return record.parts if record is not None and external in program.external_procedures else ()


def _exit(found: OddsFrom) -> Exit:
    if found.odds is None:
        return Exit.FOUND
    if found.odds.open or any(is_limit(code) for code, _ in found.odds.faults):
        return Exit.UNKNOWN
    return Exit.FOUND if found.odds.faults or found.odds.never else Exit.FINE
