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

from rulewright.cli.main import MANY, VERBS, execute
from rulewright.cli.output import tell_progress
from rulewright.cli.reports import prepare
from rulewright.files.providers import take_unsaved
from rulewright.syntax.engine import engine

FORK = "--fork"
_SERVERS = {"lsp", "studio"}
_INPUT = 0
_OFTEN = 10_000
"""How many new objects make the collector look for garbage in a process that lives on."""

_DIGITS = 10
_FILES = 4


def main() -> None:
    """Waits, carries out, ends."""
    prepared()
    try:
        if FORK in sys.argv:
            _split()
        else:
            os._exit(_carried_out())  # a thread still reads
    except KeyboardInterrupt:
        return


def prepared() -> None:
    """Imports and reads what every command line needs, and what many do."""
    gc.set_threshold(MANY)
    for verb in VERBS.keys() - _SERVERS:
        import_module(f"rulewright.cli.{verb}")
    if find_spec("pygls") is not None:
        import_module("rulewright.language_server.server")
    engine()
    prepare()
    gc.freeze()


def _split() -> None:
    """Splits off a process for each command line, until nobody asks any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them here
    asker = socket.socket(fileno=_INPUT)
    while True:
        word, files, _, _ = socket.recv_fds(asker, 1, _FILES)
        if not word:
            return
        if os.fork() == 0:
            asker.detach()
            _begin(files)
        for each in files:
            os.close(each)


def _begin(files: list[int]) -> None:
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
        ended = _carried_out()
        os.write(status, b"%d\n" % ended)
    finally:
        os._exit(ended)


def _carried_out() -> int:
    """Carries out the command line that is told, and answers how it ended."""
    length = _told(_DIGITS)
    if not length:
        return 0
    asked = json.loads(_told(int(length)))
    os.chdir(asked["folder"])
    sys.stdout, sys.stderr = _printed(1), _printed(2)
    if asked.get("talks"):
        gc.set_threshold(_OFTEN)  # it lives on, so what it leaves behind has to go
    else:
        Thread(target=_end_with_asker, daemon=True).start()
        sys.stdin = io.StringIO(asked.get("said", ""))
    take_unsaved(asked.get("texts", {}))
    if asked.get("far"):
        tell_progress(Path(asked["far"]))
    ended = execute(asked["arguments"])
    sys.stdout.flush()
    sys.stderr.flush()
    return int(ended)


def _printed(number: int) -> io.TextIOWrapper:
    """A stream to print to, whatever the file of this number was when this process began."""
    return io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)


def _told(size: int) -> bytes:
    """So many bytes of what is told, and none beyond; fewer where no more comes."""
    parts = bytearray()
    while len(parts) < size and (part := os.read(_INPUT, size - len(parts))):
        parts += part
    return bytes(parts)


def _end_with_asker() -> None:
    os.read(_INPUT, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
