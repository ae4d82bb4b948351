"""The verb `studio`: the workbench in the browser."""

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread

import click

from rulewright.base.diagnostics.terminal import make_visible
from rulewright.cli.options import WholeNumberOption, verb_command
from rulewright.cli.output import ExitCode, Output, make_output, make_stop

_WAITING_COMMAND = (sys.executable, "-m", "rulewright.cli.standby_process")


@verb_command("studio")
@click.argument("folder", required=False, default=".", metavar="[FOLDER]")
@click.option(
    "--port", type=WholeNumberOption(1, 65535), metavar="N", help="the port to listen on; a free one unless given"
)
@click.option("--no-browser", "unopened", is_flag=True, help="print the address without opening a browser")
def command(folder: str, port: int | None, *, unopened: bool) -> int:
    """Opens a workbench in the browser: write, play, test, compare and measure the rulesets of FOLDER.

    Without FOLDER, it opens the folder you are in. The workbench runs on this machine alone and needs no network.
    Ctrl-C stops it.

    Example: `rulewright studio my-rules`.
    """
    place = _require_folder(folder)
    from rulewright.studio.server import bind_socket, serve_workbench  # noqa: PLC0415 - slow to import

    try:
        listening = bind_socket(port or 0)
    except OSError as error:
        remedy = "leave out `--port`, and a free one is taken"
        reason = (error.strerror or "no reason given").lower()
        raise make_stop("RW1207", f"port {port or 0} cannot be used: {reason}", remedy) from None
    out = make_output("plain")

    def announce_address(address: str) -> None:
        out.print_line(
            f"The workbench of `{make_visible(place.name or str(place))}` is open at\n\n    {address}\n\n"
            "Only browsers on this machine can open this address. Ctrl-C ends it."
        )
        if not os.access(place, os.W_OK):
            out.print_line("The folder cannot be written to, so nothing can be saved there.")
        if not unopened:
            Thread(target=_open_browser, args=(address, out), daemon=True).start()

    with suppress(KeyboardInterrupt):
        serve_workbench(place, listening, _WAITING_COMMAND, announce_address)
    out.print_line("\nThe workbench is closed.")
    return ExitCode.SUCCESS


def _require_folder(written: str) -> Path:
    place = Path(written)
    try:
        if place.is_dir():
            if os.access(place, os.R_OK | os.X_OK):
                return place.resolve()
            message = "may not be looked into"
        else:
            message = "is a file, not a folder" if place.exists() else "is not there"
    except (OSError, ValueError):
        message = "is not there"
    remedy = "name a folder; `rulewright new NAME` makes one with a small ruleset"
    raise make_stop("RW1206", f"`{written}` {message}", remedy)


def _open_browser(address: str, out: Output) -> None:
    """Open a graphical browser; a browser in this terminal is not opened."""
    has_screen = sys.platform in {"win32", "darwin"} or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    )
    if not (has_screen and webbrowser.open(address)):
        out.print_line("No browser could be opened; open the address yourself.")
