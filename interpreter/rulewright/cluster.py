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

from rulewright.workers import in_order

_LIBRARY = "distributed"
_CONNECT = 10
"""Seconds until a cluster that does not answer is given up."""
_ALONE = 30
"""Seconds that a cluster may be without any worker."""
_LOOK = 2
_AHEAD = 4
"""So many parts wait for each process of the cluster."""


class ClusterError(Exception):
    """A cluster cannot be worked with, or no longer."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message, remedy)
        self.message = message  # why
        self.remedy = remedy  # what to do about it


def is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec(_LIBRARY) is not None


class Cluster:
    """The workers of a cluster, each of which is given the same to work with, as `Processes`."""

    def __init__(self, address: str, given: object) -> None:
        """Joins the cluster whose scheduler has an address, such as `tcp://host:8786`.

        Raises:
            ClusterError: none answers there, it has no worker, or its workers are of another version.
        """
        distributed = import_module(_LIBRARY)
        self._address = address
        try:
            self._client: Any = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError, ImportError) as error:
            raise _silent(address) from error
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT)
            self._agree()
            self._given = self._client.submit(pickle.loads, pickle.dumps(given), pure=False)
        except TimeoutError:
            self.close()
            raise ClusterError(f"the cluster at `{address}` has no workers", _START) from None
        except BaseException:
            self.close()
            raise

    def _agree(self) -> None:
        """Looks whether all workers are of this version."""
        for worker, found in self._client.run(_versions, on_error="return").items():
            if isinstance(found, Exception):
                message = f"the worker `{worker}` has no rulewright"
                raise ClusterError(message, f"install it there: `pip install rulewright=={_versions()[0]}`")
            own = _versions()
            if found != own:
                message = f"the worker `{worker}` has {_said(found)}, and here it is {_said(own)}"
                raise ClusterError(message, "start the workers in an environment of the same versions")

    def map(self, call: Callable[[Any, Any], Any], items: Iterable[Any], together: int = 1) -> Iterator[Any]:
        """What a call makes of what is given and each item, in order; so many items go to a worker together.

        Raises:
            ClusterError: the cluster is lost.
        """
        waiting = iter(items)
        several = iter(lambda: tuple(islice(waiting, together)), ())
        ahead = _AHEAD * max(sum(self._client.nthreads().values()), 1)

        def submit(part: tuple[Any, ...]) -> Any:  # a future of Dask
            return self._client.submit(_worked, call, self._given, part, pure=False)

        for found in in_order(submit, several, ahead, self._result):
            yield from found

    def _result(self, future: Any) -> Any:
        """What a worker found; what one that died had is done again by another."""
        distributed, alone = import_module(_LIBRARY), monotonic()
        while True:
            try:
                return future.result(timeout=_LOOK)
            except distributed.TimeoutError:
                if self._client.status not in {"running", "connecting"}:
                    raise _lost(self._address) from None
                if self._client.nthreads():
                    alone = monotonic()
                elif monotonic() - alone > _ALONE:
                    message = f"the cluster at `{self._address}` has had no worker for {_ALONE} seconds"
                    raise ClusterError(message, _START) from None
            except distributed.KilledWorker:
                message = "several workers of the cluster died of the same part"
                raise ClusterError(message, "look into their logs: they may lack memory") from None
            except (distributed.CancelledError, OSError, RuntimeError) as error:
                if isinstance(error, OSError | distributed.CancelledError) or self._client.status != "running":
                    raise _lost(self._address) from None
                raise

    def close(self) -> None:
        """Leaves the cluster; nothing that is under way there is waited for."""
        self._client.close(timeout=_LOOK)


_START = "start some: `dask worker ADDRESS --nthreads 1 --nworkers N`"
_turn = Lock()


def _worked(call: Callable[[Any, Any], Any], given: object, part: tuple[Any, ...]) -> list[Any]:
    """On a worker, one part at a time: what is given is not made for several threads."""
    with _turn:
        return [call(given, each) for each in part]


def _versions() -> tuple[str, str]:
    return version("rulewright"), ".".join(platform.python_version_tuple()[:2])


def _said(versions: tuple[str, str]) -> str:
    return f"rulewright {versions[0]} on Python {versions[1]}"


def _silent(address: str) -> ClusterError:
    remedy = "start one with `dask scheduler`, which prints its address: `--cluster tcp://HOST:8786`"
    return ClusterError(f"no cluster answers at `{address}`", remedy)


def _lost(address: str) -> ClusterError:
    remedy = "begin again; with `--resume FILE` what was counted is kept, and the plays go on from there"
    return ClusterError(f"the cluster at `{address}` is gone", remedy)
