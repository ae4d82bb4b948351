"""Processes that work for this one, and end with it."""

import errno
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from operator import methodcaller
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor


class Workers(Protocol):
    """Processes that were each given the same to work with."""

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], together: int = 1) -> Iterator[Any]:
        """What a call makes of what is given and each item, in order; so many items go to a process together."""

    def close(self) -> None:
        """Ends the work, whatever of it is under way."""


class Processes:
    """Processes of this machine, as `Workers`."""

    def __init__(self, count: int, given: object) -> None:
        self._ahead = _AHEAD * count
        self._pool = started_workers(count, _held.append, given)

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], together: int = 1) -> Iterator[Any]:  # noqa: ARG002
        """As `Workers.map`; parts are short ways here, so each goes alone."""
        return in_order(lambda each: self._pool.submit(_on_held, call, each), items, self._ahead)

    def close(self) -> None:
        """As `Workers.close`."""
        self._pool.shutdown(cancel_futures=True)


_AHEAD = 32
_held: list[Any] = []
"""Of a process that works for another: what it was given."""


def _on_held(call: Callable[[Any, Any], Any], item: object) -> Any:
    return call(_held[0], item)


def in_order(
    submit: Callable[[Any], Any],
    items: Iterable[Any],
    ahead: int,
    result: Callable[[Any], Any] = methodcaller("result"),
) -> Iterator[Any]:
    """The results of items in order, of which no more than so many are under way."""
    waiting: deque[Any] = deque()
    for each in items:
        waiting.append(submit(each))
        if len(waiting) >= ahead:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())


def started_workers(count: int, begin: Callable[..., None] | None = None, *given: object) -> "ProcessPoolExecutor":
    """A pool of `count` processes, each of which first calls `begin` with what is given.

    They end within moments of this process, even if it is killed. They ignore interruptions: this process stops them.

    Raises:
        OSError: the system starts no more of them.
    """
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    pool = ProcessPoolExecutor(count, initializer=_begun, initargs=(begin, given))
    try:
        with _uninterrupted():
            pool.submit(os.getpid)
    except RuntimeError as refused:  # so says Python of threads
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from refused
    except KeyboardInterrupt:
        pool.shutdown()  # the end of this process would meet a pool that nobody ended, and trip over it
        raise
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
