"""The verb `run`: a procedure or scenario played without questions."""

import shlex
from dataclasses import replace
from pathlib import Path

import click

from rulewright.cli.command_files import require_overwritable, write_file
from rulewright.cli.options import (
    ChoiceOption,
    LimitOptions,
    PlayOptions,
    flag,
    format_option,
    option,
    options_of,
    overlay_option,
    play_seed_option,
    policy_option,
    record_option,
    save_option,
    verb_command,
    view_option,
)
from rulewright.cli.output import ExitCode, Output, diagnostics_exit, error_output, make_output
from rulewright.cli.play_opening import (
    OpenedPlay,
    PlayRequest,
    hide_from_player,
    make_play_request,
    open_play,
    outcome_exit,
    require_player,
)
from rulewright.cli.session_files import render_save, require_nameable_rules, require_recordable, write_recording
from rulewright.documents.saved_sessions import SAVE_PREFIX
from rulewright.play.grid_drawing import DrawnBoard
from rulewright.play.play_story import STORY_LEVELS, Story
from rulewright.play.run_report import RunReport
from rulewright.play.seeded_random import make_fresh_seed
from rulewright.play.session import PlayResult, run_to_end
from rulewright.play.session_views import (
    draw_current_boards,
    draw_situation_boards,
    explain_missing_grid,
    render_boards,
)
from rulewright.play.turn_rendering import render_all_changes, render_ending
from rulewright.runtime.request import Ended, Refused
from rulewright.scenarios.suite import ScenarioCase

_OTHER_PARTS_HINT = "`board` in `rulewright play` shows other parts"


@verb_command("run")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    begins: PlayOptions = options_of(PlayOptions),
    seed: int | None = play_seed_option,
    save: str | None = save_option,
    policies: tuple[str, ...] = policy_option,
    trace: str = option(
        "--trace", "", "how much to show of what happens", ChoiceOption(STORY_LEVELS), default="decisive"
    ),
    boards: bool = flag("--board", "draw the boards before and after"),
    view: str | None = view_option,
    recorded: str | None = record_option,
    overlays: tuple[str, ...] = overlay_option,
    limits: LimitOptions = options_of(LimitOptions),
    form: str | None = format_option,
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
    require_recordable(recorded)
    require_overwritable(save, SAVE_PREFIX)
    if boards and make_output(form).form == "json":
        raise click.UsageError("`--board` and `--format json` cannot be combined")
    play_request = make_play_request(begins, overlays, limits, policies)
    recording = trace if make_output(form).form != "json" and not (view or recorded or save) else "full"
    fresh = make_fresh_seed() if seed is None else seed
    opening, played = _open_and_run(replace(play_request, recording=recording), seed, fresh)
    if recording != "full" and (played.diagnostics or not isinstance(played.session.outcome, Ended)):
        opening, played = _open_and_run(play_request, seed, fresh)
    require_nameable_rules(recorded, opening.ruleset, opening.overlays)
    case = opening.case
    viewer = None if view is None else require_player(view, opening.start.names)
    seeded = seed is not None or (case is not None and case.seed is not None)
    again = None if seeded or view is not None else click.get_current_context().find_root().obj
    shown_result = played if viewer is None else hide_from_player(played, viewer)
    start, initial_boards = shown_result.session.start, tuple[DrawnBoard, ...]()
    if boards:
        initial_boards = draw_situation_boards(start.situation, start.names)
        if not initial_boards:
            raise click.UsageError(f"`--board` does nothing here: {explain_missing_grid(start.names)}")
    _output_boards(initial_boards, "before", make_output(form))
    _output_run(shown_result, opening, make_output(form), trace, again)
    if initial_boards and draw_current_boards(shown_result.session) != initial_boards:
        _output_boards(draw_current_boards(shown_result.session), "after", make_output(form))
    if case is not None and not played.diagnostics:
        changed = any((begins.state, begins.roles, begins.settings, begins.script, begins.unscripted, overlays))
        first = not changed and seed in {None, case.seed} and not play_request.policies
        _output_unjudged(play_request.ruleset, case, make_output(form), first=first)
    if save is not None and not isinstance(played.session.outcome, Refused):
        write_file(Path(save), render_save(played.session, save, opening))
    if not played.diagnostics:
        write_recording(recorded, played.session, opening.ruleset, opening.overlays)
    if played.diagnostics:
        return diagnostics_exit(played.diagnostics, ExitCode.BAD_INPUT)
    return outcome_exit(played.session.outcome, ExitCode.BAD_INPUT)


def _open_and_run(play_request: PlayRequest, seed: int | None, fresh: int) -> tuple[OpenedPlay, PlayResult]:
    opening = open_play(play_request)
    return opening, run_to_end(opening.start, opening.make_sources(seed, fresh))


def _output_run(played: PlayResult, opening: OpenedPlay, out: Output, trace: str, again: list[str] | None) -> None:
    if out.form == "json":
        out.print_json(
            RunReport(played.session, played.diagnostics, opening.texts).run_report_json(events=trace != "none")
        )
        return
    out.print_lines(Story(played.session.start.names, trace, out.paint).render_session(played.session))
    out.print_lines(render_ending(played.session.outcome, played.session, out.paint, opening.texts))
    out.print_lines(f"  {line}" for line in render_all_changes(played.session))
    if again is not None and played.session.has_used_seed:
        seed = str(played.session.sources.chance.seed)
        out.print_line(f"again: {shlex.join(['rulewright', *again, '--seed', seed])}")
    error_output(out.form).print_diagnostics(played.diagnostics, opening.texts)


def _output_boards(boards: tuple[DrawnBoard, ...], when: str, out: Output) -> None:
    out.print_lines(render_boards(boards, _OTHER_PARTS_HINT, f", {when}"))


def _output_unjudged(file: str, case: ScenarioCase, out: Output, *, first: bool) -> None:
    """Print which expectations of a scenario `run` leaves to `test`, and whether more plays follow in the test."""
    if out.form == "json":
        return
    if case.plays > 1:
        out.print_line(f"a test plays this scenario {case.plays} times{'; this is the first' if first else ''}")
    if case.expect.entries:
        expected = ", ".join(key.text for key, _ in case.expect)
        does = f"`rulewright test {shlex.quote(file)}` does"
        out.print_line(f"`run` does not compare the result with what the scenario expects ({expected}); {does}")
