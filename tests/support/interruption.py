"""Processes of tests that hear an interruption."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hear_interruptions() -> Iterator[None]:
    """What is begun inside hears an interruption: what is tested in the background ignores it, and hands that on."""
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
