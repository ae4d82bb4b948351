"""The verb `run`."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from rulewright.boards.drawn_board import DrawnBoard
from rulewright.cli.named_files import may_write, write
from rulewright.cli.opening import Asked, PlayToBegin, as_seen, asked_play, exit_at, open_play, player_of
from rulewright.cli.options import (
    OneOf,
    format_option,
    limit_options,
    overlay_option,
    policy_option,
    record_option,
    starting_options,
    verb,
    view_option,
)
from rulewright.cli.output import Exit, Output, errors, exit_of, output
from rulewright.cli.session_files import can_name, may_record, record, saved
from rulewright.drivers.board_views import boards_in, boards_of, drawn, no_cells
from rulewright.drivers.chance import fresh_seed
from rulewright.drivers.report import Report
from rulewright.drivers.run import Played, run
from rulewright.drivers.story import LEVELS, Story
from rulewright.drivers.turns import all_changed, ending
from rulewright.inputs.save import BEGINNING
from rulewright.machine.request import Ended, Refused
from rulewright.scenarios.suite import Case

_ELSEWHERE = "`board` in `rulewright play` shows other parts"


@verb("run")
@starting_options()
@policy_option
@click.option("--trace", type=OneOf(LEVELS), default="decisive", help="how much to show of what happens")
@click.option("--board", "boards", is_flag=True, help="draw the boards before and after")
@view_option
@record_option
@overlay_option
@limit_options
@format_option
@click.pass_context
def command(  # noqa: PLR0913 - one parameter for each option
    context: click.Context,
    /,
    *,
    seed: int | None,
    save: str | None,
    trace: str,
    boards: bool,
    view: str | None,
    recorded: str | None,
    form: str | None,
    **given: Any,  # as `asked_play` takes them
) -> int:
    """Plays a procedure or scenario by itself and shows what happens.

    The script answers first. The seed rolls the dice, and the policy answers what is left.

    Name a SCENARIO, a file ending in .scenario.yaml that holds ruleset, state, roles and script, and a CASE in it or a
    part of its name. Or name a RULESET, a PROCEDURE and `--state FILE`. A RULESET alone stands for the only scenario
    file beside it. Options override the scenario.

    Exits with 0 if the procedure ended; 1 if it could not begin or met a fault; 2 if a question has no answer, or an
    answer of the script does not fit or is left over; 3 if a limit was reached.

    Example, after `rulewright new skirmish`: `rulewright run skirmish/skirmish.scenario.yaml falls`.
    """
    may_record(recorded)
    may_write(save, BEGINNING)
    if boards and output(form).form == "json":
        raise click.UsageError("`--board` and `--format json` cannot be combined")
    asked = asked_play(given)
    recording = trace if output(form).form != "json" and not (view or recorded or save) else "full"
    fresh = fresh_seed() if seed is None else seed
    opening, played = _played(replace(asked, recording=recording), seed, fresh)
    if recording != "full" and (played.diagnostics or not isinstance(played.session.outcome, Ended)):
        opening, played = _played(asked, seed, fresh)
    can_name(recorded, opening.ruleset, opening.overlays)
    case = opening.case
    viewer = None if view is None else player_of(view, opening.begun.names)
    seeded = seed is not None or (case is not None and case.seed is not None)
    again = None if seeded or view is not None else context.find_root().obj
    told = played if viewer is None else as_seen(played, viewer)
    before = _boards_before(told) if boards else ()
    _draw(before, "before", output(form))
    _tell(told, opening, output(form), trace, again)
    if before and boards_of(told.session) != before:
        _draw(boards_of(told.session), "after", output(form))
    if case is not None and not played.diagnostics:
        changed = any(given[each] for each in ("state", "roles", "settings", "script", "unscripted", "overlays"))
        first = not changed and seed in {None, case.seed} and not asked.policies
        _tell_unjudged(asked.ruleset, case, output(form), first=first)
    if save is not None and not isinstance(played.session.outcome, Refused):
        write(Path(save), saved(played.session, save, opening))
    if not played.diagnostics:
        record(recorded, played.session, opening.ruleset, opening.overlays)
    return _exit(played)


def _played(asked: Asked, seed: int | None, fresh: int) -> tuple[PlayToBegin, Played]:
    opening = open_play(asked)
    return opening, run(opening.begun, opening.sources(seed, fresh))


def _tell(played: Played, opening: PlayToBegin, out: Output, trace: str, again: list[str] | None) -> None:
    if out.form == "json":
        out.data(Report(played.session, played.diagnostics, opening.texts).document(events=trace != "none"))
        return
    out.tell(Story(played.session.begun.names, trace, out.paint).lines(played.session))
    out.tell(ending(played.session.outcome, played.session, out.paint, opening.texts))
    out.tell(f"  {line}" for line in all_changed(played.session))
    if again is not None and played.session.threw:
        seed = str(played.session.sources.chance.seed)
        out.say(f"again: {shlex.join(['rulewright', *again, '--seed', seed])}")
    errors(out.form).report(played.diagnostics, opening.texts)


def _boards_before(played: Played) -> tuple[DrawnBoard, ...]:
    """The boards with which a run began."""
    begun = played.session.begun
    found = boards_in(begun.situation, begun.names)
    if not found:
        raise click.UsageError(f"`--board` does nothing here: {no_cells(begun.names)}")
    return found


def _draw(boards: tuple[DrawnBoard, ...], when: str, out: Output) -> None:
    out.tell(drawn(boards, _ELSEWHERE, f", {when}"))


def _tell_unjudged(file: str, case: Case, out: Output, *, first: bool) -> None:
    """Says what the scenario holds that `run` leaves to `test`, and whether this was the first play of a test."""
    if out.form == "json":
        return
    if case.plays > 1:
        out.say(f"a test plays this scenario {case.plays} times{'; this is the first' if first else ''}")
    if case.expect.entries:
        expected = ", ".join(key.text for key, _ in case.expect)
        does = f"`rulewright test {shlex.quote(file)}` does"
        out.say(f"`run` does not compare the result with what the scenario expects ({expected}); {does}")


def _exit(played: Played) -> Exit:
    if played.diagnostics:
        return exit_of(played.diagnostics, Exit.BAD)
    return exit_at(played.session.outcome, Exit.BAD)
