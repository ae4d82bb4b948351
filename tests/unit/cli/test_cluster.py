"""`simulate --cluster`: the counts of one process, though a worker is killed in the middle; what goes wrong is said."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.duel_example import START, RunCommand

distributed = pytest.importorskip("distributed", reason="the extra `cluster`")
pytestmark = pytest.mark.filterwarnings("ignore")
PATIENCE = 120
ASKED = ["simulate", *START, "--policy", "random", "--of", "mordred.health", "--of", "visits(strike/2)", "--seed", "5"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers of one thread on this machine."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as found:
        yield found


def _meanwhile(cluster: Any, act: Callable[[], None], *states: str) -> Callable[[], bool]:
    """Does something as soon as a part is in a state; gives what waits for that and says whether one was."""

    def tasks() -> list[tuple[str, Any]]:
        return list(cluster.scheduler.tasks.items())

    def wait() -> None:
        until = time.monotonic() + PATIENCE
        while not any(key.startswith("_run_part") for key, each in tasks() if each.state in states):
            if time.monotonic() > until:
                return
            time.sleep(0.01)
        acted.append(act())

    thread, acted = threading.Thread(target=wait), list[None]()
    thread.start()

    def ended() -> bool:
        thread.join()
        return bool(acted)

    return ended


def test_a_worker_that_is_killed_changes_no_count(
    run: RunCommand, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.odds.simulation_parts._CLUSTER_CHUNK_S", 0.2)
    runs = ["--runs", "4000", "--format", "json"]
    alone = run(*ASKED, *runs, "--workers", "1")
    with distributed.Client(cluster, set_as_default=False) as client:
        first, _ = client.run(os.getpid).values()
    killing = _meanwhile(cluster, lambda: os.kill(first, signal.SIGKILL), "processing", "memory")
    done = run(*ASKED, *runs, "--cluster", cluster.scheduler_address)
    assert killing()
    assert (done.exit, done.err) == (0, "")
    assert done.out == alone.out


def test_workers_of_another_version_are_refused(run: RunCommand, cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0.0.1")
    done = run(*ASKED, "--cluster", cluster.scheduler_address)
    assert done.exit == 2
    assert "error RW1222: the worker `tcp://127.0.0.1:" in done.err
    assert "and here it is rulewright 0.0.1 on Python 3." in done.err


def test_a_wrong_address_is_said(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.base.workers._CONNECT_TIMEOUT_S", 0.3)
    for address in ("tcp://127.0.0.1:9", "nowhere", "tcp://", "http://127.0.0.1:x"):
        done = run(*ASKED, "--cluster", address)
        assert done.exit == 2
        assert done.err == (
            f"error RW1222: no cluster answers at `{address}`\n"
            "  help: start one with `dask scheduler`, which prints its address: `--cluster tcp://HOST:8786`\n"
        )


def test_a_scheduler_that_goes_away_is_said(run: RunCommand, cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.odds.simulation_parts._CLUSTER_CHUNK_S", 0.2)
    closing = _meanwhile(cluster, cluster.close, "memory")
    done = run(*ASKED, "--runs", "300000", "--cluster", cluster.scheduler_address, "--resume", "kept.json")
    assert closing()
    assert done.exit == 2
    assert done.err.startswith("error RW1222: the cluster at `tcp://127.0.0.1:")
    assert "with `--resume FILE` what was counted is kept" in done.err
    whole = ["--runs", "3000", "--format", "json"]
    assert run(*ASKED, *whole, "--resume", "kept.json").out == run(*ASKED, *whole, "--workers", "1").out
