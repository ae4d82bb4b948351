"""Commands whose output nobody reads."""

import os
import subprocess
from collections.abc import Sequence


def run_unread_command(command: Sequence[str]) -> tuple[int, str]:
    """How a command ends whose reader has left before it began, and what it says on the error stream."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    finally:
        os.close(writer)
    return done.returncode, done.stderr
