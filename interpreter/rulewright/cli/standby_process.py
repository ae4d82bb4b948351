"""A standby process, with everything imported, that runs one command line.

Standard input begins with a length in ten digits, then that many bytes of JSON with `arguments`, `folder` (working
folder), `texts` (contents that replace files, by place), `said` (standard input of the command), `far` (a file for
its progress) and `talks` (the command reads the rest of standard input itself). The process ends with its parent.

With `--fork`, standard input is a socket that passes, for each command line, four files to a forked process: the three
standard streams, and one to which it writes its process id and exit status.
"""

import gc
import io
import json
import os
import signal
import socket
import sys
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

from rulewright.base.files import set_unsaved_texts
from rulewright.cli.main import GC_THRESHOLD, VERB_DESCRIPTIONS, run_command_line
from rulewright.cli.output import report_progress_to
from rulewright.cli.reports import preload_templates
from rulewright.syntax.engine import get_engine

FORK_OPTION = "--fork"
_SERVER_VERBS = {"lsp", "studio"}
_STDIN_FD = 0
_LONG_LIVED_GC_THRESHOLD = 10_000
"""Allocations between garbage collections in a long-lived process."""

_LENGTH_DIGITS = 10
_HANDED_FILES = 4


def main() -> None:
    """Entry point: wait for a command line, run it, exit."""
    preload_modules()
    try:
        if FORK_OPTION in sys.argv:
            _fork_per_command()
        else:
            os._exit(_run_received_command())  # a thread still reads
    except KeyboardInterrupt:
        return


def preload_modules() -> None:
    """Import and read what every command line needs, and what many need."""
    gc.set_threshold(GC_THRESHOLD)
    for verb in VERB_DESCRIPTIONS.keys() - _SERVER_VERBS:
        import_module(f"rulewright.cli.{verb}")
    if find_spec("pygls") is not None:
        import_module("rulewright.editor.language_server.server")
    get_engine()
    preload_templates()
    gc.freeze()


def _fork_per_command() -> None:
    """Fork a process for each command line, until the socket closes."""
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
    """Body of a forked process; does not return."""
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
    """Exit code of the received command line."""
    length = _read_exactly(_LENGTH_DIGITS)
    if not length:
        return 0
    command = json.loads(_read_exactly(int(length)))
    os.chdir(command["folder"])
    sys.stdout, sys.stderr = _open_output(1), _open_output(2)
    if command.get("talks"):
        gc.set_threshold(_LONG_LIVED_GC_THRESHOLD)  # long-lived: collect garbage
    else:
        Thread(target=_exit_with_parent, daemon=True).start()
        sys.stdin = io.StringIO(command.get("said", ""))
    set_unsaved_texts(command.get("texts", {}))
    if command.get("far"):
        report_progress_to(partial(Path(command["far"]).write_text, encoding="utf-8"))
    ended = run_command_line(command["arguments"])
    sys.stdout.flush()
    sys.stderr.flush()
    return int(ended)


def _open_output(number: int) -> io.TextIOWrapper:
    """Text stream on a file descriptor, whatever Python opened at startup."""
    return io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)


def _read_exactly(size: int) -> bytes:
    """`size` bytes of standard input, without reading ahead; fewer at its end."""
    parts = bytearray()
    while len(parts) < size and (part := os.read(_STDIN_FD, size - len(parts))):
        parts += part
    return bytes(parts)


def _exit_with_parent() -> None:
    os.read(_STDIN_FD, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
