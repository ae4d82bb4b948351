"""A process that waits, with everything imported, for command lines to carry out.

It is told a command line through the standard input: a length in ten digits, then so many bytes of JSON with
`arguments`, `folder` (where they are carried out), `texts` (what files are taken to hold, by their places), `said`
(what the command reads), `far` (a file for how far it is) and `talks` (whether the command goes on to read the standard
input itself). It ends with its asker.

With `--fork` the standard input is a socket through which it is handed, for each command line, the four files of a
process that it splits off: the three standard ones, and one to which that process writes its number, and how it ended.
"""

import gc
import io
import json
import os
import signal
import socket
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from rulewright.base.files.providers import set_unsaved_texts
from rulewright.cli.main import GC_THRESHOLD, VERB_DESCRIPTIONS, run_command_line
from rulewright.cli.output import report_progress_to
from rulewright.cli.reports import preload_templates
from rulewright.syntax.engine import get_engine

FORK_OPTION = "--fork"
_SERVER_VERBS = {"lsp", "studio"}
_STDIN_FD = 0
_LONG_LIVED_GC_THRESHOLD = 10_000
"""How many new objects make the collector look for garbage in a process that lives on."""

_LENGTH_DIGITS = 10
_HANDED_FILES = 4


def main() -> None:
    """Waits, carries out, ends."""
    preload_modules()
    try:
        if FORK_OPTION in sys.argv:
            _fork_per_command()
        else:
            os._exit(_run_received_command())  # a thread still reads
    except KeyboardInterrupt:
        return


def preload_modules() -> None:
    """Imports and reads what every command line needs, and what many do."""
    gc.set_threshold(GC_THRESHOLD)
    for verb in VERB_DESCRIPTIONS.keys() - _SERVER_VERBS:
        import_module(f"rulewright.cli.{verb}")
    if find_spec("pygls") is not None:
        import_module("rulewright.editor.language_server.server")
    get_engine()
    preload_templates()
    gc.freeze()


def _fork_per_command() -> None:
    """Splits off a process for each command line, until nobody asks any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here
    asker = socket.socket(fileno=_STDIN_FD)
    while True:
        word, files, _, _ = socket.recv_fds(asker, 1, _HANDED_FILES)
        if not word:
            return
        if os.fork() == 0:
            asker.detach()
            _run_in_fork(files)
        for file in files:
            os.close(file)


def _run_in_fork(files: list[int]) -> None:
    """What a process does that was split off; it does not come back."""
    ended = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        *standard, status = files
        for number, file in enumerate(standard):
            os.dup2(file, number)
            os.close(file)
        os.write(status, b"%d\n" % os.getpid())
        ended = _run_received_command()
        os.write(status, b"%d\n" % ended)
    finally:
        os._exit(ended)


def _run_received_command() -> int:
    """Carries out the command line that is told, and answers how it ended."""
    length = _read_exactly(_LENGTH_DIGITS)
    if not length:
        return 0
    asked = json.loads(_read_exactly(int(length)))
    os.chdir(asked["folder"])
    sys.stdout, sys.stderr = _open_output(1), _open_output(2)
    if asked.get("talks"):
        gc.set_threshold(_LONG_LIVED_GC_THRESHOLD)  # it lives on, so what it leaves behind has to go
    else:
        Thread(target=_exit_with_parent, daemon=True).start()
        sys.stdin = io.StringIO(asked.get("said", ""))
    set_unsaved_texts(asked.get("texts", {}))
    if asked.get("far"):
        report_progress_to(Path(asked["far"]))
    ended = run_command_line(asked["arguments"])
    sys.stdout.flush()
    sys.stderr.flush()
    return int(ended)


def _open_output(number: int) -> io.TextIOWrapper:
    """A stream to print to, whatever the file of this number was when this process began."""
    return io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)


def _read_exactly(size: int) -> bytes:
    """So many bytes of what is told, and none beyond; fewer where no more comes."""
    parts = bytearray()
    while len(parts) < size and (part := os.read(_STDIN_FD, size - len(parts))):
        parts += part
    return bytes(parts)


def _exit_with_parent() -> None:
    os.read(_STDIN_FD, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
