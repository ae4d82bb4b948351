"""The verb `studio`: the workbench in the browser."""

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread

import click

from rulewright.cli.options import WholeNumber, verb
from rulewright.cli.output import Exit, Output, output, stopped
from rulewright.diagnostics.terminal import visible

_WAITING = (sys.executable, "-m", "rulewright.cli.waiting")


@verb("studio")
@click.argument("folder", required=False, default=".", metavar="[FOLDER]")
@click.option("--port", type=WholeNumber(1, 65535), metavar="N", help="the port to listen on; a free one unless given")
@click.option("--no-browser", "unopened", is_flag=True, help="print the address without opening a browser")
def command(folder: str, port: int | None, *, unopened: bool) -> int:
    """Opens a workbench in the browser: write, play, test, compare and measure the rulesets of FOLDER.

    Without FOLDER, it opens the folder you are in. The workbench runs on this machine alone and needs no network.
    Ctrl-C stops it.

    Example: `rulewright studio my-rules`.
    """
    place = _folder(folder)
    from rulewright.studio.server import bound, serve  # noqa: PLC0415 - slow to import

    try:
        listening = bound(port or 0)
    except OSError as error:
        remedy = "leave out `--port`, and a free one is taken"
        reason = (error.strerror or "no reason given").lower()
        raise stopped("RW1207", f"port {port or 0} cannot be used: {reason}", remedy) from None
    out = output("plain")

    def begun(address: str) -> None:
        out.say(
            f"The workbench of `{visible(place.name or str(place))}` is open at\n\n    {address}\n\n"
            "Only browsers on this machine can open this address. Ctrl-C ends it."
        )
        if not os.access(place, os.W_OK):
            out.say("The folder cannot be written to, so nothing can be saved there.")
        if not unopened:
            Thread(target=_open, args=(address, out), daemon=True).start()

    with suppress(KeyboardInterrupt):
        serve(place, listening, _WAITING, begun)
    out.say("\nThe workbench is closed.")
    return Exit.FINE


def _folder(written: str) -> Path:
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
    raise stopped("RW1206", f"`{written}` {message}", remedy)


def _open(address: str, out: Output) -> None:
    """Opens a browser; one in this terminal would be in the way."""
    has_screen = sys.platform in {"win32", "darwin"} or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    )
    if not (has_screen and webbrowser.open(address)):
        out.say("No browser could be opened; open the address yourself.")
