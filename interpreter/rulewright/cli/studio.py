"""The verb `studio`: the workbench in the browser."""

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread

from rulewright.base.diagnostics import make_visible
from rulewright.base.files import describe_write_error
from rulewright.base.folder_writing import write_folder
from rulewright.cli.options import WholeNumberOption, argument, flag, option, verb_command
from rulewright.cli.output import ExitCode, Output, make_output, make_stop

_BYTES_PER_MEGABYTE = 1_000_000
_WAITING_COMMAND = (sys.executable, "-m", "rulewright.cli.standby_process")


@verb_command("studio")
def command(
    *,
    folder: str | None = argument("[FOLDER]", required=False),
    port: int | None = option(
        "--port", "N", "the port to listen on; a free one unless given", WholeNumberOption(1, 65535)
    ),
    unopened: bool = flag("--no-browser", "print the address without opening a browser"),
    site: str | None = option("--site", "SITE", "write the workbench into this folder, as a site for any web server"),
) -> int:
    """Opens a workbench in the browser: write, play, test, compare and measure the rulesets of FOLDER.

    Without FOLDER, it opens the folder you are in. The workbench runs on this machine alone and needs no network.
    Ctrl-C stops it.

    With --site it is written as a folder of files that need no server of ours: any web server hands them out, and the
    workbench runs in the browser of whoever opens them. The files of FOLDER, if it is named, are there from the beginning.

    Example: `rulewright studio my-rules`.
    """
    if site is not None:
        return _write_site(site, None if folder is None else _require_folder(folder))
    place = _require_folder(folder or ".")
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


def _write_site(site: str, folder: Path | None) -> int:
    """Write the workbench as a site.

    Raises:
        CommandStop: RW0013, the folder holds something else; RW0011, it cannot be written; RW0005, FOLDER is too large.
    """
    from rulewright.studio.site_writer import MAX_SITE_BYTES, SiteTooLargeError, is_site, make_site_files  # noqa: PLC0415 - slow to import

    place = Path(site)
    try:
        is_taken = os.path.lexists(place) and not (place.is_dir() and (is_site(place) or not any(place.iterdir())))
        if is_taken or place.is_symlink():
            remedy = "name a folder that is not there yet, is empty, or holds a site that this command wrote"
            raise make_stop("RW0013", f"`{site}` holds something else and is not overwritten", remedy)
        files = make_site_files(folder)
        write_folder(place, files, replaces=True)  # nothing is there, or an empty folder, or a site of ours
    except SiteTooLargeError:
        message = f"the files of `{folder}` are larger than {MAX_SITE_BYTES:,} bytes together"
        raise make_stop("RW0005", message, "name a folder with less in it") from None
    except (OSError, ValueError) as error:
        raise make_stop("RW0011", f"`{site}` cannot be written: {describe_write_error(error)}") from None
    size = round(sum(map(len, files.values())) / _BYTES_PER_MEGABYTE)
    out = make_output("plain")
    out.print_line(f"wrote {make_visible(site)}: {len(files)} files, {size} MB")
    out.print_line(f"next: put it on a web server; to try it here: `python -m http.server -d {make_visible(site)}`")
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
