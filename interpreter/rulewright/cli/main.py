"""The command `rulewright`: lazy dispatch to verbs, and the exit code of every way to end."""

import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import islice, pairwise
from pathlib import Path
from threading import current_thread, main_thread

import click

from rulewright import __version__
from rulewright.base.diagnostics import Diagnostic, make_visible
from rulewright.base.diagnostics.remedies import find_nearest_name, suggest_name
from rulewright.base.diagnostics.renderings import encode_diagnostics
from rulewright.base.files import MAX_WALKED_NAMES, FolderTooLargeError
from rulewright.cli.options import EmptyOptionError, OptionValueError, PrintedHelpCommand
from rulewright.cli.output import (
    EXIT_MEANINGS,
    CommandStop,
    ExitCode,
    PrintError,
    error_output,
    make_error,
    make_output,
    make_stop,
)

VERB_GROUPS = {
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
        "share": "writes a ruleset as one page that anybody plays in a browser, without a server",
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
"""Verbs with their short help, by purpose."""

VERB_DESCRIPTIONS = {verb: does for group in VERB_GROUPS.values() for verb, does in group.items()}

GC_THRESHOLD = 500_000
"""Allocations between garbage collections; a command needs most of its objects until it ends."""
_SCARCE_RESOURCES = {
    errno.EMFILE: "too many open files",
    errno.ENFILE: "too many open files",
    errno.EAGAIN: "too many processes",
    errno.ENOMEM: "no memory left",
}


_OPTIONS_OF_ALL = ("help", "version")
_HELP_OF_ONE = "; for one command, `rulewright diff --help`"
_MEANT_OPTIONS = {"--json": ("--format", "--format json"), "--plays": ("--runs", "--runs")}
"""Options that other tools, or other files of ours, have: the option that is meant, and what to write."""


def _translate_usage_error(mistake: click.UsageError) -> Diagnostic:
    """Diagnostic of a refused command line: RW0781 to RW0784."""
    help_ = f"`rulewright {mistake.ctx.info_name} --help` shows how" if mistake.ctx and mistake.ctx.parent else ""
    match mistake:
        case click.NoSuchOption():
            return _unknown_option_error(mistake)
        case click.MissingParameter(param=click.Parameter() as parameter):
            return make_error("RW0782", f"`{_parameter_name(parameter)}` is missing", help_)
        case click.BadOptionUsage(option_name=option):
            options = [
                one for one in (mistake.ctx.command.params if mistake.ctx else ()) if isinstance(one, click.Option)
            ]
            takes_none = any(one.is_flag and option in one.opts for one in options)
            return make_error("RW0783", f"`{option}` {'takes no value' if takes_none else 'needs a value'}", help_)
        case OptionValueError(param=click.Parameter() as parameter):
            if isinstance(mistake, EmptyOptionError):
                help_ = "write its value" if parameter.required else "leave it out, or write its value"
            return make_error("RW0783", f"`{_parameter_name(parameter)}` {mistake.message}", help_)
        case _:
            return make_error("RW0784", mistake.message, help_)


def _unknown_option_error(mistake: click.NoSuchOption) -> Diagnostic:
    parameters = mistake.ctx.command.params if mistake.ctx else ()
    names = (name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts))
    options = [name for name in names if name.startswith("--")]
    wanted = mistake.option_name
    if wanted in _MEANT_OPTIONS and _MEANT_OPTIONS[wanted][0] in options:
        written: str | None = _MEANT_OPTIONS[wanted][1]
    else:
        known = [option.removeprefix("--") for option in (*options, "--help")]
        close = find_nearest_name(wanted.removeprefix("--"), known)
        written = close and f"--{close}"
    listed = (
        f"the options are {', '.join(f'`{option}`' for option in options)}" if options else "there is only `--help`"
    )
    return make_error("RW0781", f"there is no option `{wanted}`", suggest_name(written, listed))


def _parameter_name(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return (parameter.metavar or parameter.name or "").upper()


class LazyVerbGroup(PrintedHelpCommand, click.Group):
    """The group of verbs; the module of a verb is imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(VERB_DESCRIPTIONS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in VERB_DESCRIPTIONS:
            return None
        command = import_module(f"rulewright.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb and its arguments; raises `CommandStop` with RW0780 if there is none of that name."""
        if args[0] not in VERB_DESCRIPTIONS and not args[0].startswith("-"):
            close = find_nearest_name(args[0], VERB_DESCRIPTIONS)
            remedy = suggest_name(close, f"the commands are {', '.join(f'`{verb}`' for verb in VERB_DESCRIPTIONS)}")
            if args[0] in _OPTIONS_OF_ALL:
                remedy = f"write `rulewright --{args[0]}`{_HELP_OF_ONE if args[0] == 'help' else ''}"
            raise make_stop("RW0780", f"there is no command `{args[0]}`", remedy)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the tables of verbs, without importing them, and of exit codes."""
        del ctx
        widest = max(map(len, VERB_DESCRIPTIONS))
        for purpose, verbs in VERB_GROUPS.items():
            with formatter.section(purpose):
                formatter.write_dl([(verb.ljust(widest), does) for verb, does in verbs.items()])
        with formatter.section("Exit codes of every command"):
            formatter.write_dl([(str(int(code)), meaning) for code, meaning in EXIT_MEANINGS.items()])


def _print_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - as Click calls it
    del option
    if wanted:
        make_output("plain").print_line(f"rulewright {__version__}")
        ctx.exit()


@click.group(
    cls=LazyVerbGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
@click.pass_context
def rulewright(context: click.Context) -> None:
    """Rules as data: check, run and play the procedures of tabletop games.

    RULESET is a .rules file, a folder, or the name of a shipped ruleset such as mel. SCENARIO is a file that ends in
    .scenario.yaml: a state with roles, answers and what is expected, to run, play or test.
    """
    if context.invoked_subcommand is None:
        make_output("plain").print_line(render_welcome(Path.cwd()))


def run_command_line(arguments: Sequence[str]) -> int:
    """Exit code of a command line; prints all there is to say, never a traceback."""
    try:
        ended = rulewright.main(list(arguments), prog_name="rulewright", standalone_mode=False, obj=list(arguments))
        sys.stdout.flush()
    except CommandStop as stop:
        _print_stop(stop, arguments)
        return stop.exit
    except FolderTooLargeError as large:
        message = f"`{make_visible(large.place)}` holds more than {MAX_WALKED_NAMES:,} files and folders"
        too_large = make_error("RW0021", message, "name the folder that holds your rules, or the files")
        _print_stop(CommandStop([too_large]), arguments)
        return ExitCode.BAD_INPUT
    except click.exceptions.NoArgsIsHelpError as bare:
        error_output().print_line(bare.ctx.get_help() if bare.ctx else "")
        return ExitCode.BAD_INPUT
    except click.UsageError as mistake:
        _print_stop(CommandStop([_translate_usage_error(mistake)]), arguments)
        return ExitCode.BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        with suppress(PrintError):
            error_output().print_line("\nstopped")
        return ExitCode.BAD_INPUT
    except PrintError as trouble:
        # to nowhere, so that the interpreter can flush it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not trouble.reason:
            return trouble.unread_exit
        full = make_error("RW0011", f"the output cannot be written: {trouble.reason}")
        error_output().print_diagnostics([full], {})
        return ExitCode.BAD_INPUT
    except Exception as fault:  # noqa: BLE001 - the last resort, so that nobody meets a traceback
        resource_error = find_lacking_resource(fault)
        if resource_error is not None:
            _print_stop(CommandStop([resource_error]), arguments)
            return ExitCode.UNKNOWN
        report_internal_error(fault, arguments)
        return ExitCode.BAD_INPUT
    return ended if isinstance(ended, int) else ExitCode.SUCCESS


def find_lacking_resource(fault: Exception) -> Diagnostic | None:
    """RW0581 or RW0582, if a system resource is exhausted; RW0797 in a page, which cannot measure on the plane."""
    from concurrent.futures import BrokenExecutor  # noqa: PLC0415 - seldom wanted

    fewer = "close other programs, or have fewer processes work at once: `--workers 1`, where a command has it"
    match fault:
        case MemoryError():
            return make_error("RW0581", "there is no memory left to work with", fewer)
        case OSError(errno=number) if number in _SCARCE_RESOURCES:
            return make_error("RW0581", f"the system gives no more to work with: {_SCARCE_RESOURCES[number]}", fewer)
        case ModuleNotFoundError(name="shapely"):
            message = "boards on the plane, without a grid, cannot be played in a page"
            return make_error("RW0797", message, "the workbench plays them on your machine: `rulewright studio`")
        case BrokenExecutor():
            return make_error("RW0582", "a process that worked for this command was ended from outside", fewer)
        case _:
            return None


def _print_stop(stop: CommandStop, arguments: Sequence[str]) -> None:
    if "--format=json" in arguments or ("--format", "json") in pairwise(arguments):
        make_output("json").print_json(encode_diagnostics(stop.diagnostics, stop.texts))
    else:
        error_output().print_diagnostics(stop.diagnostics, stop.texts)


def report_internal_error(fault: Exception, arguments: Sequence[str]) -> None:
    """Report an exception of our own on the error stream, with how to report it."""
    import traceback  # noqa: PLC0415 - seldom wanted

    last = traceback.extract_tb(fault.__traceback__)[-1]
    python = ".".join(map(str, sys.version_info[:3]))
    to = error_output()
    to.print_line("error: this is a fault of rulewright itself, not of your rules or inputs")
    to.print_line(f"  what: {type(fault).__name__} in {os.path.basename(last.filename)}:{last.lineno}")  # noqa: PTH119
    to.print_line(f"  with: rulewright {__version__}, Python {python}, {sys.platform}")
    to.print_line(f"  command: rulewright {make_visible(' '.join(arguments))}")
    to.print_line("  help: please report these lines with the files of the command; RULEWRIGHT_TRACEBACK=1 shows more")
    if os.environ.get("RULEWRIGHT_TRACEBACK"):
        to.print_line("".join(traceback.format_exception(fault)))


def main() -> None:
    """Entry point of the console script."""
    gc.set_threshold(GC_THRESHOLD)
    for name in ("stdout", "stderr"):  # closed ones are opened, so that nothing has to check for them
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="surrogateescape")
    ended = run_command_line(sys.argv[1:])
    gc.freeze()  # no collection at exit
    sys.exit(ended)


_MAX_NAMED_RULESETS = 5
_MAX_SCANNED_ENTRIES = 1000
_INTRODUCTION = """\
Write your game's rules once, in plain structured English. rulewright finds the gaps, plays them,
works out the odds, and shows what each edit changes."""


def render_welcome(folder: Path) -> str:
    """Commands for the rulesets of a folder and of its subfolders, else for a new one."""
    rulesets = list(islice(_find_folder_rulesets(folder), _MAX_NAMED_RULESETS + 1))
    if rulesets:
        more = " and more" if len(rulesets) > _MAX_NAMED_RULESETS else ""
        first, named = rulesets[0], ", ".join(rulesets[:_MAX_NAMED_RULESETS])
        about = f"Rules in this folder: {named}{more}"
        commands = [
            ("rulewright studio", "open the workbench in your browser"),
            (f"rulewright play {first}", "play at this terminal"),
            ("rulewright check .", "find mistakes and gaps"),
            ("rulewright test .", "play the scenarios and compare their results"),
        ]
    else:
        about = "There are no rules in this folder yet."
        commands = [
            ("rulewright studio", "open the workbench in your browser, with games to copy"),
            ("rulewright new skirmish --from hex-combat", "start from a small game of hexes and counters"),
            ("rulewright new NAME", "start from a ruleset of three steps"),
        ]
    widest = max(len(command) for command, _ in commands)
    lines = [f"  {command.ljust(widest)}   {description}" for command, description in commands]
    return "\n".join([_INTRODUCTION, "", about, *lines, "", "All commands: rulewright --help"])


def _find_folder_rulesets(folder: Path) -> Iterator[str]:
    """Rulesets as arguments of commands: folders with rules, then files."""
    with suppress(OSError):
        entries = sorted(islice(folder.iterdir(), _MAX_SCANNED_ENTRIES))
        for entry in entries:
            if entry.is_dir() and not entry.name.startswith(".") and next(entry.glob("*.rules"), None) is not None:
                yield make_visible(entry.name)
        for path in entries:
            if path.suffix == ".rules" and path.is_file():
                yield make_visible(path.name)
