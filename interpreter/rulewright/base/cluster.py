"""Processes of a cluster of Dask that work for this one, by the extra `cluster`; if one dies, others do its work."""

import pickle
import platform
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice
from threading import Lock
from time import monotonic
from typing import Any

from rulewright.base.workers import map_in_order

_DASK_MODULE = "distributed"
_CONNECT_TIMEOUT_S = 10
"""Seconds until a cluster that does not answer is given up."""
_MAX_WORKERLESS_S = 30
"""Seconds that a cluster may be without any worker."""
_POLL_INTERVAL_S = 2
_MAX_QUEUED_PER_THREAD = 4
"""So many parts wait for each process of the cluster."""


class ClusterError(Exception):
    """A cluster cannot be worked with, or no longer."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message, remedy)
        self.message = message  # why
        self.remedy = remedy  # what to do about it


def is_dask_installed() -> bool:
    """Whether the extra is there."""
    return find_spec(_DASK_MODULE) is not None


class DaskCluster:
    """The workers of a cluster, each of which is given the same to work with, as `ProcessPool`."""

    def __init__(self, address: str, given: object) -> None:
        """Joins the cluster whose scheduler has an address, such as `tcp://host:8786`.

        Raises:
            ClusterError: none answers there, it has no worker, or its workers are of another version.
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
            self._context = self._client.submit(pickle.loads, pickle.dumps(given), pure=False)
        except TimeoutError:
            self.close()
            raise ClusterError(f"the cluster at `{address}` has no workers", _START_WORKERS_REMEDY) from None
        except BaseException:
            self.close()
            raise

    def _check_worker_versions(self) -> None:
        """Looks whether all workers are of this version."""
        for worker, result in self._client.run(_get_versions, on_error="return").items():
            if isinstance(result, Exception):
                message = f"the worker `{worker}` has no rulewright"
                raise ClusterError(message, f"install it there: `pip install rulewright=={_get_versions()[0]}`")
            own = _get_versions()
            if result != own:
                message = (
                    f"the worker `{worker}` has {_describe_versions(result)}, and here it is {_describe_versions(own)}"
                )
                raise ClusterError(message, "start the workers in an environment of the same versions")

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], together: int = 1) -> Iterator[Any]:
        """What a call makes of what is given and each item, in order; so many items go to a worker together.

        Raises:
            ClusterError: the cluster is lost.
        """
        waiting = iter(items)
        several = iter(lambda: tuple(islice(waiting, together)), ())
        ahead = _MAX_QUEUED_PER_THREAD * max(sum(self._client.nthreads().values()), 1)

        def submit_part(part: tuple[Any, ...]) -> Any:  # a future of Dask
            return self._client.submit(_run_part, call, self._context, part, pure=False)

        for result in map_in_order(submit_part, several, ahead, self._await_result):
            yield from result

    def _await_result(self, future: Any) -> Any:
        """What a worker found; what one that died had is done again by another."""
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
        """Leaves the cluster; nothing that is under way there is waited for."""
        self._client.close(timeout=_POLL_INTERVAL_S)


_START_WORKERS_REMEDY = "start some: `dask worker ADDRESS --nthreads 1 --nworkers N`"
_part_lock = Lock()


def _run_part(call: Callable[[Any, Any], Any], given: object, part: tuple[Any, ...]) -> list[Any]:
    """On a worker, one part at a time: what is given is not made for several threads."""
    with _part_lock:
        return [call(given, item) for item in part]


def _get_versions() -> tuple[str, str]:
    return version("rulewright"), ".".join(platform.python_version_tuple()[:2])


def _describe_versions(versions: tuple[str, str]) -> str:
    return f"rulewright {versions[0]} on Python {versions[1]}"


def _make_no_answer_error(address: str) -> ClusterError:
    remedy = "start one with `dask scheduler`, which prints its address: `--cluster tcp://HOST:8786`"
    return ClusterError(f"no cluster answers at `{address}`", remedy)


def _make_lost_error(address: str) -> ClusterError:
    remedy = "begin again; with `--resume FILE` what was counted is kept, and the plays go on from there"
    return ClusterError(f"the cluster at `{address}` is gone", remedy)
