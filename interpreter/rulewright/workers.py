"""Processes that work for this one, and end with it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


def started_workers(count: int, begin: Callable[..., None] | None = None, *given: object) -> "ProcessPoolExecutor":
    """A pool of `count` processes, each of which first calls `begin` with what is given.

    They end within moments of this process, even if it is killed. They ignore interruptions: this process stops them.
    """
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    pool = ProcessPoolExecutor(count, initializer=_begun, initargs=(begin, given))
    with _uninterrupted():
        pool.submit(os.getpid)
    return pool


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Holds interruptions back until a start is done, and keeps them from the processes started meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begun(begin: Callable[..., None] | None, given: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin(*given)


def _end_with_parent() -> None:
    """Waits on a pipe that the system closes when the process at its other end is gone."""
    from multiprocessing import parent_process  # noqa: PLC0415 - seldom wanted

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
