"""A process that waits, with everything imported, for the one command line that it will carry out.

It is told through the standard input: a length in ten digits, then so many bytes of JSON with `arguments`, `texts`
(what files are taken to hold, by their places), `said` (what the command reads) and `talks` (whether the command goes
on to read the standard input itself). It ends with its asker.
"""

import gc
import io
import json
import os
import sys
from importlib import import_module
from threading import Thread

from rulewright.cli.main import MANY, VERBS, execute
from rulewright.files.providers import take_unsaved

_SERVERS = {"lsp", "studio"}
_INPUT = 0
_DIGITS = 10


def main() -> None:
    """Waits, carries out, ends."""
    gc.set_threshold(MANY)
    for verb in VERBS.keys() - _SERVERS:
        import_module(f"rulewright.cli.{verb}")
    gc.freeze()
    try:
        length = _told(_DIGITS)
        asked = json.loads(_told(int(length))) if length else None
    except KeyboardInterrupt:
        return
    if asked is None:
        return
    if not asked.get("talks"):
        Thread(target=_end_with_asker, daemon=True).start()
        sys.stdin = io.StringIO(asked.get("said", ""))
    take_unsaved(asked.get("texts", {}))
    ended = execute(asked["arguments"])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(ended)  # the thread still reads


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
