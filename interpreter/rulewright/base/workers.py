"""Worker pools: processes that end with this process, and a Dask cluster (extra `cluster`).

Dask reschedules the parts of a worker that dies.
"""

import errno
import os
import pickle
import platform
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from operator import methodcaller
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_Result = TypeVar("_Result")


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
        self._pool = start_process_pool(count, _receive_context, context)

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], batch_size: int = 1) -> Iterator[Any]:  # noqa: ARG002
        """Results in the order of items; every item is a task, since transfer is cheap here."""
        return map_in_order(lambda item: self._pool.submit(_call_with_context, call, item), items, self._max_queued)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


_MapItems = Callable[[Callable[[Any, Any], Any], Iterable[Any]], Iterator[Any]]


@contextmanager
def open_processes(count: int, context: object) -> Iterator[_MapItems]:
    """What maps `call(context, item)` over items, in their order, in so many processes; in this one if `count` is 1.

    What was not begun when it is closed is dropped.
    """
    if count <= 1:
        yield lambda call, items: (call(context, item) for item in items)
        return
    pool = ProcessPool(count, context)
    try:
        yield pool.map
    finally:
        pool.close()


def map_in_processes(
    count: int, call: Callable[[Any, Any], _Result], context: object, items: Iterable[Any]
) -> Iterator[_Result]:
    """The results of `call(context, item)` in the order of items, as `open_processes` makes them."""
    with open_processes(count, context) as map_items:
        yield from map_items(call, items)


_MAX_QUEUED_PER_PROCESS = 32  # chosen, not measured
_shared_context: list[Any] = []
"""Context of this worker process, a list of one."""


def _receive_context(context: object) -> None:
    _shared_context[:] = [context]


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


_DASK_MODULE = "distributed"
_CONNECT_TIMEOUT_S = 10
"""Chosen, not measured, as are the numbers below."""
_MAX_WORKERLESS_S = 30
"""Time in which a scheduler may start new workers."""
_POLL_INTERVAL_S = 2
_MAX_QUEUED_PER_THREAD = 4
"""Parts submitted ahead for each thread of the cluster."""


class ClusterError(Exception):
    """The cluster cannot be reached, has unfit workers, or is gone."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message, remedy)
        self.message = message
        self.remedy = remedy


def is_dask_installed() -> bool:
    """Whether the package `distributed` is installed."""
    return find_spec(_DASK_MODULE) is not None


class DaskCluster:
    """A worker pool whose processes are the workers of a Dask cluster."""

    def __init__(self, address: str, context: object) -> None:
        """Connects to the scheduler at an address, such as `tcp://host:8786`, and sends `context` to the workers.

        Raises:
            ClusterError: no answer, no worker, or workers of another version.
        """
        distributed = import_module(_DASK_MODULE)
        self._address = address
        try:
            self._client: Any = distributed.Client(address, timeout=_CONNECT_TIMEOUT_S, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise _make_no_answer_error(address) from error
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT_TIMEOUT_S)
            self._check_worker_versions()
            self._context = self._client.submit(pickle.loads, pickle.dumps(context), pure=False)
        except TimeoutError:
            self.close()
            raise ClusterError(f"the cluster at `{address}` has no workers", _START_WORKERS_REMEDY) from None
        except BaseException:
            self.close()
            raise

    def _check_worker_versions(self) -> None:
        """Raise ClusterError unless every worker has this version of rulewright and of Python."""
        for worker, result in self._client.run(_get_versions, on_error="return").items():
            if isinstance(result, Exception):
                message = f"the worker `{worker}` has no rulewright"
                raise ClusterError(message, f"install it there: `pip install rulewright=={_get_versions()[0]}`")
            own_versions = _get_versions()
            if result != own_versions:
                message = f"the worker `{worker}` has {_describe_versions(result)}, and here it is {_describe_versions(own_versions)}"
                raise ClusterError(message, "start the workers in an environment of the same versions")

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], batch_size: int = 1) -> Iterator[Any]:
        """The results of `call(context, item)` in the order of items; `batch_size` items are one task.

        Raises:
            ClusterError: the cluster is lost.
        """
        waiting = iter(items)
        several = iter(lambda: tuple(islice(waiting, batch_size)), ())
        ahead = _MAX_QUEUED_PER_THREAD * max(sum(self._client.nthreads().values()), 1)

        def submit_part(part: tuple[Any, ...]) -> Any:  # a future of Dask
            return self._client.submit(_run_part, call, self._context, part, pure=False)

        for result in map_in_order(submit_part, several, ahead, self._await_result):
            yield from result

    def _await_result(self, future: Any) -> Any:
        """The result of a future; waits without limit while the cluster has workers."""
        distributed, alone = import_module(_DASK_MODULE), monotonic()
        while True:
            try:
                return future.result(timeout=_POLL_INTERVAL_S)
            except distributed.TimeoutError:
                if self._client.status not in {"running", "connecting"}:
                    raise _make_lost_error(self._address) from None
                if self._client.nthreads():
                    alone = monotonic()
                elif monotonic() - alone > _MAX_WORKERLESS_S:
                    message = f"the cluster at `{self._address}` has had no worker for {_MAX_WORKERLESS_S} seconds"
                    raise ClusterError(message, _START_WORKERS_REMEDY) from None
            except distributed.KilledWorker:
                message = "several workers of the cluster died of the same part"
                raise ClusterError(message, "look into their logs: they may lack memory") from None
            except (distributed.CancelledError, OSError, RuntimeError) as error:
                if isinstance(error, OSError | distributed.CancelledError) or self._client.status != "running":
                    raise _make_lost_error(self._address) from None
                raise

    def close(self) -> None:
        """Closes the client; running tasks are not awaited."""
        self._client.close(timeout=_POLL_INTERVAL_S)


_START_WORKERS_REMEDY = "start some: `dask worker ADDRESS --nthreads 1 --nworkers N`"
_part_lock = Lock()


def _run_part(call: Callable[[Any, Any], Any], context: object, part: tuple[Any, ...]) -> list[Any]:
    """Results of one task; the lock serialises tasks, since `context` is not safe for several threads of a worker."""
    with _part_lock:
        return [call(context, item) for item in part]


def _get_versions() -> tuple[str, str]:
    from importlib.metadata import version  # noqa: PLC0415 - slow to import

    return version("rulewright"), ".".join(platform.python_version_tuple()[:2])


def _describe_versions(versions: tuple[str, str]) -> str:
    return f"rulewright {versions[0]} on Python {versions[1]}"


def _make_no_answer_error(address: str) -> ClusterError:
    remedy = "start one with `dask scheduler`, which prints its address: `--cluster tcp://HOST:8786`"
    return ClusterError(f"no cluster answers at `{address}`", remedy)


def _make_lost_error(address: str) -> ClusterError:
    remedy = "begin again; with `--resume FILE` what was counted is kept, and the plays go on from there"
    return ClusterError(f"the cluster at `{address}` is gone", remedy)
