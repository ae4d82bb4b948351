"""The verb `play`: people at a terminal or behind a pipe, with saves, recordings and interruptions; and `play --list`."""

import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import click

from rulewright.base.diagnostics import Diagnostic, Painter, format_counted_noun, make_visible
from rulewright.base.frozen import dataclass
from rulewright.base.source import Text
from rulewright.cli.command_files import files_for, require_overwritable, write_file
from rulewright.cli.main import report_internal_error
from rulewright.cli.options import (
    ChoiceOption,
    LimitOptions,
    PlayOptions,
    argument,
    flag,
    option,
    options_of,
    overlay_option,
    play_seed_option,
    record_option,
    save_option,
    verb_command,
)
from rulewright.cli.output import (
    FORMATS,
    CommandStop,
    ExitCode,
    Output,
    PrintError,
    error_output,
    make_output,
    make_stop,
)
from rulewright.cli.play_opening import (
    OpenedPlay,
    PlayRequest,
    find_scenario_files,
    is_scenario_path,
    make_play_request,
    open_play,
    outcome_exit,
    read_situation,
    require_player,
)
from rulewright.cli.ruleset_loading import load_program
from rulewright.cli.session_files import (
    relative_rules,
    render_save,
    require_nameable_rules,
    require_recordable,
    resume_save,
    write_recording,
)
from rulewright.documents.answer_scripts import format_script
from rulewright.documents.findings import list_alternatives
from rulewright.documents.saved_sessions import SAVE_PREFIX
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.player_prompts import MAX_LINE_CHARACTERS, PLAY_OVER_HINT
from rulewright.play.seeded_random import SeededRandom, make_fresh_seed
from rulewright.play.session import Session, begin_session
from rulewright.play.terminal_play import LeftPlay, PlayTerminal, TerminalPlay
from rulewright.runtime.request import Refused

_CLEAR_TERMINAL = "\033[2J\033[3J\033[H"
"""Escape sequence that clears screen and scrollback."""


@verb_command("play")
def command(  # noqa: PLR0913 - one parameter for each option
    *,
    begins: PlayOptions = options_of(PlayOptions, ruleset=argument("RULESET|SCENARIO", required=False)),
    seed: int | None = play_seed_option,
    save: str | None = save_option,
    thrown: str | None = option("--dice", "", "you roll real dice and type the faces", ChoiceOption(("ask",))),
    as_: str | None = option("--as", "PLAYER", "show what this player may see, not only what everyone may"),
    recorded: str | None = record_option,
    listing: bool = flag("--list", "list what RULESET has to play, or what can be asked of SCENARIO"),
    load: str | None = option("--load", "FILE", "continue from a save"),
    overlays: tuple[str, ...] = overlay_option,
    limits: LimitOptions = options_of(LimitOptions),
    form: str | None = option(
        "--format", "", "human or plain, with or without colours; json, for programs", ChoiceOption(FORMATS)
    ),
) -> int:
    """Plays a procedure or scenario with you and others at this terminal: it asks, you type the answers.

    Name a SCENARIO, a file ending in .scenario.yaml that holds ruleset, state, roles and script, and a CASE in it or a
    part of its name. Or name a RULESET, a PROCEDURE and `--state FILE`. A RULESET alone stands for the only scenario
    file beside it. The script answers first; with --no-script you answer every question.

    Type `help` to see what else you can type. Exits with 0 if the procedure ended or you typed `quit`; 1 if it could
    not begin or met a fault; 2 if the input ended before the play; 3 if a limit was reached.

    Example, after `rulewright new skirmish`: `rulewright play skirmish/skirmish.scenario.yaml falls`.
    """
    if thrown is not None and seed is not None and form != "json":
        raise make_stop("RW0789", "`--seed` and `--dice ask` cannot be combined", "leave out one of them")
    if begins.ruleset is None and load is None:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    play_request = make_play_request(begins, overlays, limits)
    if listing:
        playable = _collect_playable(play_request)
        make_output(form).print_report(lambda: playable, map(make_visible, _render_playable(playable)))
        return ExitCode.SUCCESS
    require_recordable(recorded)
    require_overwritable(save, SAVE_PREFIX)
    out = make_output(form)
    begin = partial(_begin_or_resume, play_request, load, seed, recorded, rolls=thrown is None)
    if form == "json":
        from rulewright.cli.play_server import serve_play  # noqa: PLC0415 - seldom wanted

        return serve_play(begin, out)
    session, opening = begin()
    viewer = None if as_ is None else require_player(as_, opening.start.names)
    scripted = load is None and play_request.script is None and opening.script is not None
    sitting = TerminalPlay(session, _make_terminal(out, opening, viewer, scripted=scripted))
    left_play = _play_and_save(sitting, opening, save, recorded, out)
    return outcome_exit(
        left_play.session.outcome, ExitCode.BAD_INPUT if left_play.ending == "cut off" else ExitCode.SUCCESS
    )


def _begin_or_resume(
    play_request: PlayRequest, load: str | None, seed: int | None, recorded: str | None, *, rolls: bool
) -> tuple[Session, OpenedPlay]:
    if load is None:
        opening = open_play(play_request)
        seed = opening.case.seed if seed is None and opening.case is not None else seed
        chance = SeededRandom(make_fresh_seed() if seed is None else seed)
        names, insisted = opening.start.names, seed is not None
        sources = AnswerSourceChain(names, chance, opening.script, has_seeded_dice=rolls, is_chance_requested=insisted)
        session = begin_session(opening.start.with_withheld_questions(), sources)
    else:
        session, opening = resume_save(load, play_request, seed=seed, rolls=rolls)
    require_nameable_rules(recorded, opening.ruleset, opening.overlays)
    return session, opening


def _make_terminal(out: Output, opening: OpenedPlay, viewer: int | None, *, scripted: bool) -> PlayTerminal:
    at = _TerminalDialog(out, opening.texts)
    return PlayTerminal(
        at.ask_openly,
        out.print_line,
        at.report_diagnostics,
        at.write_if_allowed,
        at.ask_secretly,
        at.clear_screen,
        out.paint,
        viewer,
        opening.texts,
        at.wait_after_end,
        at.run_guarded,
        partial(relative_rules, opening=opening),
        scripted,
        partial(_list_advice, opening=opening),
        partial(_explain_step, paint=out.paint),
    )


def _list_advice(session: Session, expression: str, viewer: int | None, opening: OpenedPlay) -> Iterable[str]:
    from rulewright.cli.advice import render_advice  # noqa: PLC0415 - seldom wanted

    return render_advice(session, expression, viewer, opening)


def _explain_step(session: Session, subject: str, paint: Painter) -> Iterable[str]:
    from rulewright.explain.explanation import answer_why  # noqa: PLC0415 - seldom wanted

    return answer_why(session, subject, paint)


def _play_and_save(
    sitting: TerminalPlay, opening: OpenedPlay, save: str | None, recorded: str | None, out: Output
) -> LeftPlay:
    """Play, then save and record if requested; an interrupted play is saved first."""
    with _interrupt_once() as heed_no_more:
        try:
            left_play = sitting.play_until_left()
            if save is not None and not isinstance(left_play.session.outcome, Refused):
                write_file(Path(save), render_save(left_play.session, save, opening))
                out.print_line(f"session written to {make_visible(save)}")
            write_recording(recorded, left_play.session, opening.ruleset, opening.overlays)
            if left_play.ending == "cut off" and save is None and _is_stdin_terminal():
                _save_broken_play(left_play.session, opening, None)
        except BaseException:
            try:  # noqa: SIM105 - no call may stand before what an end from outside cannot break off
                heed_no_more()
            except KeyboardInterrupt:
                pass  # a second signal during the interruption
            _save_broken_play(sitting.session, opening, save)
            raise
    return left_play


@contextmanager
def _interrupt_once() -> Iterator[Callable[[], None]]:
    """Turn the first termination signal into `KeyboardInterrupt`; the yielded function ignores all later ones."""
    names = ("SIGINT", "SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    signals = [each for name in names if (each := getattr(signal, name, None)) is not None]
    heard = [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]

    def ignore_signals() -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)

    def interrupt_play(*_: object) -> None:
        ignore_signals()
        raise KeyboardInterrupt

    old_handlers = {each: signal.signal(each, interrupt_play) for each in heard}
    try:
        yield ignore_signals
    finally:
        for each, handler in old_handlers.items():
            signal.signal(each, handler)


def _save_broken_play(session: Session, opening: OpenedPlay, save: str | None) -> None:
    """Save an interrupted play, in the requested file, else here, else in the temporary folder.

    If the save could not be read again, only the answers are saved.
    """
    if not session.turns:
        return
    ruleset = session.start.executable.program.name
    message = "the session could not be saved"
    for name in (*([] if save is None else [Path(save)]), *_free_paths(f"{ruleset}-{{}}.save.json")):
        with suppress(CommandStop):
            write_file(name, render_save(session, str(name), opening), waits=False)
            message = f"session written to {name}; `{shlex.join(['rulewright', 'play', '--load', str(name)])}` goes on"
            break
    else:
        for name in _free_paths(f"{ruleset}-{{}}.script.yaml"):
            with suppress(CommandStop):
                write_file(name, format_script(session.list_answers()), waits=False)
                message = f"{message}; its answers are written to {name}, for `{shlex.join(['--script', str(name)])}`"
                break
    with suppress(PrintError):
        error_output().print_line(f"\n{make_visible(message)}")


def _free_paths(pattern: str) -> Iterator[Path]:
    """Unused paths in this folder, then in the temporary folder."""
    for folder in ("", gettempdir()):
        numbered = (Path(folder, pattern.format(number)) for number in count(1))
        yield next(path for path in numbered if not os.path.lexists(path))


def _is_stdin_terminal() -> bool:
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _read_typed_line() -> str:
    """One line of standard input, truncated if too long."""
    if sys.stdin is None or sys.stdin.closed:
        raise EOFError
    try:
        line = rest = sys.stdin.readline(MAX_LINE_CHARACTERS + 2)
        while rest and not rest.endswith("\n"):
            rest = sys.stdin.readline(MAX_LINE_CHARACTERS)
    except OSError:
        line = ""
    if not line:
        raise EOFError
    return line


@dataclass(frozen=True, slots=True)
class _TerminalDialog:
    out: Output
    texts: Mapping[str, Text]

    def _prompt_line(self, prompt: str) -> str:
        self.out.print_text(self.out.paint(prompt, "ask"))
        return _read_typed_line()

    def ask_openly(self, prompt: str) -> str:
        return self._ask(prompt, shows=True)

    def ask_secretly(self, prompt: str) -> str:
        return self._ask(prompt, shows=False)

    def _ask(self, prompt: str, *, shows: bool) -> str:
        line = self._prompt_line(prompt)
        if not _is_stdin_terminal():
            self.out.print_line(make_visible(line.rstrip("\r\n")) if shows else "")
        return line

    def wait_after_end(self, prompt: str) -> str:
        if _is_stdin_terminal():
            self.out.print_line(self.out.paint(PLAY_OVER_HINT, "dim"))
            return self._prompt_line(prompt)
        line = _read_typed_line()
        self.out.print_line(f"{prompt}{make_visible(line.rstrip())}")
        return line

    def write_if_allowed(self, file: str, beginning: str, content: str) -> Diagnostic | None:
        try:
            require_overwritable(file, beginning)
            write_file(Path(file), content, waits=False)
        except CommandStop as stop:
            return stop.diagnostics[0]
        return None

    def clear_screen(self) -> None:
        if sys.stdout.isatty():
            self.out.print_text(_CLEAR_TERMINAL)

    def report_diagnostics(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        error_output(self.out.form).print_diagnostics(diagnostics, self.texts)

    def run_guarded(self, action: Callable[[], None]) -> None:
        try:
            action()
        except PrintError:
            raise
        except Exception as fault:  # noqa: BLE001 - whatever is typed, the play goes on
            report_internal_error(fault, click.get_current_context().obj)
            self.out.print_line("  the play goes on as it was before that")


def _render_playable(playable: dict[str, Any]) -> Iterator[str]:
    for item in playable["procedures"]:
        yield "  ".join(filter(None, (item["name"], item["title"])))
        for role in item["roles"]:
            fits = f": {list_alternatives(role['fits'])}" if role["fits"] else ""
            yield f"  --with {role['name']}=…  {role['type']}{fits}{', may be left out' if role['optional'] else ''}"
    for setting in playable["readings"]:
        yield "  ".join(filter(None, (f"--set {setting['name']}={setting['value']}", setting["title"])))
        if setting["values"]:
            yield f"  {list_alternatives(setting['values'])}"
    for setting in playable["scenarios"]:
        yield f"{setting['file']}: {format_counted_noun(len(setting['cases']), 'scenario')}"


def _collect_playable(play_request: PlayRequest) -> dict[str, Any]:
    from rulewright.scenarios.playable_listing import playable_to_json  # noqa: PLC0415 - for listings only

    files, ruleset = files_for(play_request.ruleset), play_request.ruleset
    scenario_files = find_scenario_files(ruleset)
    if is_scenario_path(ruleset):
        start = open_play(play_request).start
        return playable_to_json(start.executable.program, start.situation, scenario_files, files, start=start)
    program, _ = load_program(ruleset, play_request.overlays)
    situation = None if play_request.state is None else read_situation(play_request.state, ruleset, program)
    return playable_to_json(program, situation, scenario_files, files, play_request.procedure)
