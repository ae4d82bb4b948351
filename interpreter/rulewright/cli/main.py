"""The command `rulewright`: finds the verb, runs it, and turns every way to end into an exit code."""

import errno
import gc
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from threading import current_thread, main_thread

import click

from rulewright import __version__
from rulewright.cli.options import EmptyError, MisfitError, Told
from rulewright.cli.output import MEANINGS, Exit, PrintError, Stop, complaint, errors, output
from rulewright.diagnostics import Diagnostic
from rulewright.diagnostics.remedies import nearest, suggested
from rulewright.diagnostics.renderings import diagnostics_json
from rulewright.diagnostics.terminal import visible

GROUPS = {
    "In the browser": {
        "studio": "opens a workbench: write, play, test, compare and measure rules",
    },
    "Write": {
        "new": "makes a small ruleset to start from",
        "check": "finds mistakes and gaps in rules, and shows where they are and how to mend them",
        "fmt": "lays out rules in one style, without changing what they mean",
        "rename": "changes a name everywhere: in rules, scenarios and the files beside them",
    },
    "Play": {
        "run": "plays a procedure or scenario by itself and shows what happens",
        "play": "plays a procedure or scenario with people at this terminal",
        "why": "explains why a value ended as it did, or a step was skipped, and what would have changed it",
    },
    "Work out": {
        "odds": "works out exactly how likely each outcome is",
        "simulate": "plays a procedure many times and counts how it ends",
    },
    "Test": {
        "test": "plays scenarios and shows those that do not end as expected",
        "cover": "shows which rules the scenarios reach, and which they never reach",
        "mutate": "shows which small changes of the rules no scenario would notice",
    },
    "Compare": {
        "diff": "shows what changed for players between two revisions of a ruleset",
    },
    "Look things up": {
        "read": "prints a ruleset as a chapter of a rulebook",
        "draw": "draws a procedure as a flow chart, or a board",
        "trace": "shows which lines carry out each clause of the rulebook, and which clauses have none",
        "explain": "explains a message by its code: an example that fails, and the same one mended",
        "find": "shows where a name, step, row or clause is used, and what it does there",
        "schema": "prints what states, scripts, saves or scenarios may hold, as a JSON Schema",
    },
    "In an editor": {
        "lsp": "serves an editor: problems as you type, completion, hover, renames",
    },
    "For people who build rulewright": {
        "show": "prints what a stage made of a ruleset",
    },
}
"""The verbs by what they are for."""

VERBS = {verb: does for group in GROUPS.values() for verb, does in group.items()}

MANY = 500_000
"""How many new objects make the collector look for garbage; what a command makes is needed until it ends."""
_SCARCE = {
    errno.EMFILE: "too many open files",
    errno.ENFILE: "too many open files",
    errno.EAGAIN: "too many processes",
    errno.ENOMEM: "no memory left",
}


def _unknown_verb(written: str, verbs: Iterable[str]) -> Diagnostic:
    known = list(verbs)
    close = nearest(written, known)
    return complaint(
        "RW0780",
        f"there is no command `{written}`",
        suggested(close, f"the commands are {', '.join(f'`{each}`' for each in known)}"),
    )


def _in_our_words(mistake: click.UsageError) -> Diagnostic:
    """What a refused command line says: RW0781 to RW0784."""
    help_ = f"`rulewright {mistake.ctx.info_name} --help` shows how" if mistake.ctx and mistake.ctx.parent else ""
    match mistake:
        case click.NoSuchOption():
            return _unknown_option(mistake)
        case click.MissingParameter(param=click.Parameter() as parameter):
            return complaint("RW0782", f"`{_named(parameter)}` is missing", help_)
        case click.BadOptionUsage(option_name=option):
            trouble = "takes no value" if option in _flags(mistake.ctx) else "needs a value"
            return complaint("RW0783", f"`{option}` {trouble}", help_)
        case MisfitError(param=click.Parameter() as parameter):
            filled = "write its value" if parameter.required else "leave it out, or write its value"
            remedy = filled if isinstance(mistake, EmptyError) else help_
            return complaint("RW0783", f"`{_named(parameter)}` {mistake.message}", remedy)
        case _:
            return complaint("RW0784", mistake.message, help_)


def _flags(ctx: click.Context | None) -> frozenset[str]:
    """The options of a command that are given without a value."""
    found = (each for each in (ctx.command.params if ctx else ()) if isinstance(each, click.Option) and each.is_flag)
    return frozenset(name for each in found for name in each.opts)


def _unknown_option(mistake: click.NoSuchOption) -> Diagnostic:
    options = [
        name
        for parameter in (mistake.ctx.command.params if mistake.ctx else ())
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("--")
    ]
    close = nearest(mistake.option_name.removeprefix("--"), [each.removeprefix("--") for each in (*options, "--help")])
    return complaint(
        "RW0781",
        f"there is no option `{mistake.option_name}`",
        suggested(close and f"--{close}", f"the options are {', '.join(f'`{each}`' for each in options)}"),
    )


def _named(parameter: click.Parameter) -> str:
    return (
        max(parameter.opts, key=len)
        if isinstance(parameter, click.Option)
        else (parameter.metavar or parameter.name or "").upper()
    )


class Verbs(Told, click.Group):
    """The verbs; the module of one is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the table."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb."""
        del ctx
        if cmd_name not in VERBS:
            return None
        command = import_module(f"rulewright.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the verb; stops where there is none of that name."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            raise Stop([_unknown_verb(args[0], VERBS)])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the tables of verbs without importing them, and the table of exit codes."""
        del ctx
        widest = max(map(len, VERBS))
        for purpose, verbs in GROUPS.items():
            with formatter.section(purpose):
                formatter.write_dl([(verb.ljust(widest), does) for verb, does in verbs.items()])
        with formatter.section("Exit codes of every command"):
            formatter.write_dl([(str(int(code)), meaning) for code, meaning in MEANINGS.items()])


def _version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - as Click calls it
    del option
    if wanted:
        output("plain").say(f"rulewright {__version__}")
        ctx.exit()


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@click.pass_context
def rulewright(context: click.Context) -> None:
    """Rules as data: check, run and play the procedures of tabletop games.

    RULESET is a .rules file, a folder, or the name of a shipped ruleset such as mel. SCENARIO is a file that ends in
    .scenario.yaml: a state with roles, answers and what is expected, to run, play or test.
    """
    if context.invoked_subcommand is None:
        from rulewright.cli.welcome import welcome  # noqa: PLC0415 - wanted without a verb only

        output("plain").say(welcome(Path.cwd()))


def execute(arguments: Sequence[str]) -> int:  # noqa: PLR0911 - one for each way to end
    """Runs a command line and answers its exit code; prints what there is to say, never a traceback."""
    try:
        ended = rulewright.main(list(arguments), prog_name="rulewright", standalone_mode=False, obj=list(arguments))
        sys.stdout.flush()
    except Stop as stop:
        _report(stop, arguments)
        return stop.exit
    except click.exceptions.NoArgsIsHelpError as bare:
        errors().say(bare.ctx.get_help() if bare.ctx else "")
        return Exit.BAD
    except click.UsageError as mistake:
        _report(Stop([_in_our_words(mistake)]), arguments)
        return Exit.BAD
    except (KeyboardInterrupt, click.Abort):
        with suppress(PrintError):
            errors().say("\nstopped")
        return Exit.BAD
    except PrintError as trouble:
        _forget_output()
        return _unprinted(trouble)
    except Exception as fault:  # noqa: BLE001 - the last resort, so that nobody meets a traceback
        lacking = _lacking(fault)
        if lacking is not None:
            _report(Stop([lacking]), arguments)
            return Exit.UNKNOWN
        own_fault(fault, arguments)
        return Exit.BAD
    return ended if isinstance(ended, int) else Exit.FINE


def _lacking(fault: Exception) -> Diagnostic | None:
    """What the system could not give, if that ended a command; reports RW0581, RW0582."""
    from concurrent.futures import BrokenExecutor  # noqa: PLC0415 - seldom wanted

    fewer = "close other programs, or have fewer processes work at once: `--workers 1`, where a command has it"
    match fault:
        case MemoryError():
            return complaint("RW0581", "there is no memory left to work with", fewer)
        case OSError(errno=number) if number in _SCARCE:
            return complaint("RW0581", f"the system gives no more to work with: {_SCARCE[number]}", fewer)
        case BrokenExecutor():
            return complaint("RW0582", "a process that worked for this command was ended from outside", fewer)
        case _:
            return None


def _report(stop: Stop, arguments: Sequence[str]) -> None:
    """Prints why a command ended early: on the error stream, or as JSON where JSON was asked for."""
    if "--format=json" in arguments or ("--format", "json") in pairwise(arguments):
        output("json").data(diagnostics_json(stop.diagnostics, stop.texts))
    else:
        errors().report(stop.diagnostics, stop.texts)


def _forget_output() -> None:
    """Lets the interpreter end quietly where what was printed goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unprinted(trouble: PrintError) -> Exit:
    """A reader may leave when it has read enough, but then nobody knows the result; a full disk is another matter."""
    if not trouble.reason:
        return trouble.unread
    errors().report([complaint("RW0011", f"the output cannot be written: {trouble.reason}")], {})
    return Exit.BAD


def own_fault(fault: Exception, arguments: Sequence[str]) -> None:
    """Tells a fault of our own on the error stream."""
    import traceback  # noqa: PLC0415 - seldom wanted

    last = traceback.extract_tb(fault.__traceback__)[-1]
    python = ".".join(map(str, sys.version_info[:3]))
    to = errors()
    to.say("error: this is a fault of rulewright itself, not of your rules or inputs")
    to.say(f"  what: {type(fault).__name__} in {os.path.basename(last.filename)}:{last.lineno}")  # noqa: PTH119
    to.say(f"  with: rulewright {__version__}, Python {python}, {sys.platform}")
    to.say(f"  command: rulewright {visible(' '.join(arguments))}")
    to.say("  help: please report these lines with the files of the command; RULEWRIGHT_TRACEBACK=1 shows more")
    if os.environ.get("RULEWRIGHT_TRACEBACK"):
        to.say("".join(traceback.format_exception(fault)))


def _open_closed() -> None:
    """Gives closed streams somewhere to go, so that nothing has to ask."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open


def main() -> None:
    """The entry point of the command."""
    gc.set_threshold(MANY)
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="surrogateescape")
    ended = execute(sys.argv[1:])
    gc.freeze()  # what is left goes with the process, and need not be looked through once more
    sys.exit(ended)
