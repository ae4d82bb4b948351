"""The verb `play`: people at a terminal or behind a pipe, what they type, and what is kept where a play breaks off."""

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

from rulewright.cli.main import own_fault
from rulewright.cli.named_files import may_write, write
from rulewright.cli.opening import Asked, PlayToBegin, asked_play, exit_at, open_play, player_of
from rulewright.cli.options import OneOf, limit_options, overlay_option, record_option, starting_options, verb
from rulewright.cli.output import FORMATS, Exit, Output, PrintError, Stop, errors, output, stopped
from rulewright.cli.session_files import can_name, may_record, record, resume, rules_from, saved
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.terminal import Paint, visible
from rulewright.drivers.chance import Chance, fresh_seed
from rulewright.drivers.play import Left, Sitting, Table
from rulewright.drivers.questions import LONGEST, OVER
from rulewright.drivers.session import Session, begin
from rulewright.drivers.sources import Sources
from rulewright.frozen import dataclass
from rulewright.inputs.save import BEGINNING
from rulewright.inputs.script import script_text
from rulewright.machine.request import Refused
from rulewright.source import Text

_CLEARED = "\033[2J\033[3J\033[H"
"""What makes a terminal forget all it showed."""


@verb("play")
@starting_options(named=False)
@click.option("--dice", type=OneOf(("ask",)), help="you roll real dice and type the faces")
@click.option("--as", "as_", metavar="PLAYER", help="show what this player may see, not only what everyone may")
@record_option
@click.option("--list", "listing", is_flag=True, help="list what RULESET has to play, or what can be asked of SCENARIO")
@click.option("--load", metavar="FILE", help="continue from a save")
@overlay_option
@limit_options
@click.option(
    "--format",
    "form",
    type=OneOf(FORMATS),
    help="human or plain, with or without colours; json, for programs",
)
@click.pass_context
def command(  # noqa: PLR0913 - one parameter for each option
    context: click.Context,
    /,
    *,
    seed: int | None,
    save: str | None,
    dice: str | None,
    as_: str | None,
    recorded: str | None,
    listing: bool,
    load: str | None,
    form: str | None,
    **given: Any,  # as `asked_play` takes them
) -> int:
    """Plays a procedure or scenario with you and others at this terminal: it asks, you type the answers.

    Name a SCENARIO, a file ending in .scenario.yaml that holds ruleset, state, roles and script, and a CASE in it or a
    part of its name. Or name a RULESET, a PROCEDURE and `--state FILE`. A RULESET alone stands for the only scenario
    file beside it. The script answers first; with --no-script you answer every question.

    Type `help` to see what else you can type. Exits with 0 if the procedure ended or you typed `quit`; 1 if it could
    not begin or met a fault; 2 if the input ended before the play; 3 if a limit was reached.

    Example, after `rulewright new skirmish`: `rulewright play skirmish/skirmish.scenario.yaml falls`.
    """
    if dice is not None and seed is not None and form != "json":
        raise stopped("RW0789", "`--seed` and `--dice ask` cannot be combined", "leave out one of them")
    if given["ruleset"] is None and load is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    asked = asked_play(given)
    if listing:
        from rulewright.cli.playable import list_playable  # noqa: PLC0415 - seldom wanted

        return list_playable(asked, output(form))
    may_record(recorded)
    may_write(save, BEGINNING)
    out = output(form)
    begun = partial(_begun, asked, load, seed, recorded, rolls=dice is None)
    if form == "json":
        from rulewright.cli.play_served import serve  # noqa: PLC0415 - seldom wanted

        return serve(begun, out)
    session, opening = begun()
    viewer = None if as_ is None else player_of(as_, opening.begun.names)
    scripted = load is None and asked.script is None and opening.script is not None
    sitting = Sitting(session, _table_of(out, opening, viewer, scripted=scripted))
    left = _played(sitting, opening, save, recorded, out)
    return exit_at(left.session.outcome, Exit.BAD if left.how == "cut off" else Exit.FINE)


def _begun(
    asked: Asked, load: str | None, seed: int | None, recorded: str | None, *, rolls: bool
) -> tuple[Session, PlayToBegin]:
    """The play at its beginning, or where a save has it."""
    if load is None:
        opening = open_play(asked)
        seed = opening.case.seed if seed is None and opening.case is not None else seed
        chance = Chance(fresh_seed() if seed is None else seed)
        names, insisted = opening.begun.names, seed is not None
        sources = Sources(names, chance, opening.script, rolls=rolls, insisted=insisted)
        session = begin(opening.begun.at_table(), sources)
    else:
        session, opening = resume(load, asked, seed=seed, rolls=rolls)
    can_name(recorded, opening.ruleset, opening.overlays)
    return session, opening


def _table_of(out: Output, opening: PlayToBegin, viewer: int | None, *, scripted: bool) -> Table:
    """The table at this terminal, or behind this pipe; what else it is told is as in `Table`."""
    at = _Terminal(out, opening.texts)
    return Table(
        at.ask,
        out.say,
        at.report,
        at.written,
        at.whisper,
        at.hide,
        out.paint,
        viewer,
        opening.texts,
        at.linger,
        at.attempt,
        partial(rules_from, opening=opening),
        scripted,
        partial(_advised, opening=opening),
        partial(_explained, paint=out.paint),
    )


def _advised(session: Session, wanted: str, viewer: int | None, opening: PlayToBegin) -> Iterable[str]:
    from rulewright.cli.advice import advised  # noqa: PLC0415 - seldom wanted

    return advised(session, wanted, viewer, opening)


def _explained(session: Session, wanted: str, paint: Paint) -> Iterable[str]:
    from rulewright.inquiry.at_table import told  # noqa: PLC0415 - seldom wanted

    return told(session, wanted, paint)


def _played(sitting: Sitting, opening: PlayToBegin, save: str | None, recorded: str | None, out: Output) -> Left:
    """Plays, then saves and records where files are named for it; whatever breaks that off, the play is saved first."""
    with _interruptible() as heed_no_more:
        try:
            left = sitting.play()
            if save is not None and not isinstance(left.session.outcome, Refused):
                write(Path(save), saved(left.session, save, opening))
                out.say(f"session written to {visible(save)}")
            record(recorded, left.session, opening.ruleset, opening.overlays)
            if left.how == "cut off" and save is None and _is_terminal():
                _rescue(left.session, opening, None)
        except BaseException:
            try:  # noqa: SIM105 - no call may stand before what an end from outside cannot break off
                heed_no_more()
            except KeyboardInterrupt:
                pass  # it came while the play was breaking off already, and is the last
            _rescue(sitting.session, opening, save)
            raise
    return left


@contextmanager
def _interruptible() -> Iterator[Callable[[], None]]:
    """Ends a play that is ended from outside as Ctrl-C does, once: what follows has time to save it.

    Gives what lets no such end come any more.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    signals = [each for name in names if (each := getattr(signal, name, None)) is not None]
    heard = [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]

    def heed_no_more() -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)

    def end(*_: object) -> None:
        heed_no_more()
        raise KeyboardInterrupt

    before = {each: signal.signal(each, end) for each in heard}
    try:
        yield heed_no_more
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _rescue(session: Session, opening: PlayToBegin, save: str | None) -> None:
    """Saves a play that broke off, and says where: where that was asked for, else here, else where passing files go.

    Of one whose save could not be read again the answers are kept.
    """
    if not session.turns:
        return
    ruleset = session.begun.executable.program.name
    said = "the session could not be saved"
    for name in (*([] if save is None else [Path(save)]), *_names(f"{ruleset}-{{}}.save.json")):
        with suppress(Stop):
            write(name, saved(session, str(name), opening), waits=False)
            said = f"session written to {name}; `{shlex.join(['rulewright', 'play', '--load', str(name)])}` goes on"
            break
    else:
        for name in _names(f"{ruleset}-{{}}.script.yaml"):
            with suppress(Stop):
                write(name, script_text(session.answers()), waits=False)
                said = f"{said}; its answers are written to {name}, for `{shlex.join(['--script', str(name)])}`"
                break
    with suppress(PrintError):
        errors().say(f"\n{visible(said)}")


def _names(pattern: str) -> Iterator[Path]:
    """Free names here, and where passing files go."""
    for folder in ("", gettempdir()):
        numbered = (Path(folder, pattern.format(number)) for number in count(1))
        yield next(each for each in numbered if not os.path.lexists(each))


def _is_terminal() -> bool:
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _line() -> str:
    """The line that somebody types; of one that is too long its beginning."""
    if sys.stdin is None or sys.stdin.closed:
        raise EOFError
    try:
        line = rest = sys.stdin.readline(LONGEST + 2)
        while rest and not rest.endswith("\n"):
            rest = sys.stdin.readline(LONGEST)
    except OSError:
        line = ""
    if not line:
        raise EOFError
    return line


@dataclass(frozen=True, slots=True)
class _Terminal:
    out: Output
    texts: Mapping[str, Text]

    def _typed(self, prompt: str) -> str:
        self.out.write(self.out.paint(prompt, "ask"))
        return _line()

    def ask(self, prompt: str) -> str:
        line = self._typed(prompt)
        if not _is_terminal():
            self.out.say(visible(line.rstrip("\r\n")))
        return line

    def whisper(self, prompt: str) -> str:
        line = self._typed(prompt)
        if not _is_terminal():
            self.out.say()
        return line

    def linger(self, prompt: str) -> str:
        if _is_terminal():
            self.out.say(self.out.paint(OVER, "dim"))
            return self._typed(prompt)
        line = _line()
        self.out.say(f"{prompt}{visible(line.rstrip())}")
        return line

    def written(self, file: str, beginning: str, content: str) -> Diagnostic | None:
        try:
            may_write(file, beginning)
            write(Path(file), content, waits=False)
        except Stop as stop:
            return stop.diagnostics[0]
        return None

    def hide(self) -> None:
        if sys.stdout.isatty():
            self.out.write(_CLEARED)

    def report(self, found: tuple[Diagnostic, ...]) -> None:
        errors(self.out.form).report(found, self.texts)

    def attempt(self, action: Callable[[], None]) -> None:
        try:
            action()
        except PrintError:
            raise
        except Exception as fault:  # noqa: BLE001 - whatever is typed, the play goes on
            own_fault(fault, click.get_current_context().obj)
            self.out.say("  the play goes on as it was before that")
