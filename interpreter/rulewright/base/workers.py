"""Worker processes that end with this process."""

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


class WorkerPool(Protocol):
    """Workers that all hold the same context, received at their start."""

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], batch_size: int = 1) -> Iterator[Any]:
        """The results of `call(context, item)` in the order of items; `batch_size` items are one task."""

    def close(self) -> None:
        """Stops all work."""


class ProcessPool:
    """Worker pool of processes of this machine."""

    def __init__(self, count: int, context: object) -> None:
        self._max_queued = _MAX_QUEUED_PER_PROCESS * count
        self._pool = start_process_pool(count, _shared_context.append, context)

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], batch_size: int = 1) -> Iterator[Any]:  # noqa: ARG002
        """Results in the order of items; every item is a task, since transfer is cheap here."""
        return map_in_order(lambda item: self._pool.submit(_call_with_context, call, item), items, self._max_queued)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


_MAX_QUEUED_PER_PROCESS = 32  # chosen, not measured
_shared_context: list[Any] = []
"""Context of this worker process, a list of one."""


def _call_with_context(call: Callable[[Any, Any], Any], item: object) -> Any:
    return call(_shared_context[0], item)


def map_in_order(
    submit: Callable[[Any], Any],
    items: Iterable[Any],
    ahead: int,
    result: Callable[[Any], Any] = methodcaller("result"),
) -> Iterator[Any]:
    """Results in the order of items, with at most `ahead` tasks under way."""
    waiting: deque[Any] = deque()
    for item in items:
        waiting.append(submit(item))
        if len(waiting) >= ahead:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())


def start_process_pool(
    count: int, initializer: Callable[..., None] | None = None, *arguments: object
) -> "ProcessPoolExecutor":
    """A pool of `count` processes, each of which first calls `initializer` with the arguments.

    They end within moments of this process, even if it is killed, and ignore interrupts: this process stops them.

    Raises:
        OSError: the system starts no more processes.
    """
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - seldom wanted

    pool = ProcessPoolExecutor(count, initializer=_initialize_worker, initargs=(initializer, arguments))
    try:
        with _block_interrupts():
            pool.submit(os.getpid)
    except RuntimeError as refused:  # Python's error for threads
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from refused
    except KeyboardInterrupt:
        pool.shutdown()  # else the exit of this process fails on the open pool
        raise
    return pool


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Delays interrupts until a start is done; processes started meanwhile inherit the mask."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _initialize_worker(initializer: Callable[..., None] | None, arguments: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_when_parent_dies, daemon=True).start()
    if initializer is not None:
        initializer(*arguments)


def _exit_when_parent_dies() -> None:
    """Blocks on a pipe that the system closes when the process at its other end ends."""
    from multiprocessing import parent_process  # noqa: PLC0415 - seldom wanted

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
