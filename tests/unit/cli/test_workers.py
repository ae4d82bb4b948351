"""Processes that commands start: they end with the command, however that ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from rulewright.base.workers import start_process_pool
from support.interruption import hear_interruptions
from unit.cli.test_diff_determinism import HARDER, RULES

ALL = Path("/proc")
SCENARIOS = """\
ruleset: old.rules
state:
  players: [red, blue]
  knights: {gawain: {owner: red, health: 9}, mordred: {owner: blue, health: 9}}
procedure: strike
with: {striker: gawain, target: mordred}
scenarios:
"""
COMMANDS = {
    "diff": ("old.rules", "new.rules", "--work", "100000000"),
    "mutate": (".",),
    "test": (".", "--workers", "2"),
}
MANY = {"diff": 1, "mutate": 50, "test": 3000}
"""How many scenarios there are, so that the work goes on for a while."""

pytestmark = pytest.mark.skipif(not (ALL / "self" / "stat").exists(), reason="processes are looked up in /proc")


def workers(parent: int) -> set[int]:
    """Processes that another one started and that have not ended."""
    found = set()
    for place in ALL.glob("[0-9]*/stat"):
        with suppress(OSError):
            state, above = place.read_text().rpartition(")")[2].split()[:2]
            if int(above) == parent and state != "Z":
                found.add(int(place.parent.name))
    return found


def ended(process: int) -> bool:
    try:
        return (ALL / str(process) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@contextmanager
def working(verb: str) -> Iterator[tuple[subprocess.Popen[bytes], set[int]]]:
    """A command in a process group of its own that prints into `said`, and its workers; all are gone in the end."""
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("new.rules").write_text(HARDER, encoding="utf-8")
    many = "".join(f"  s{each}: {{script: [[1]], expect: {{changes: {{}}}}}}\n" for each in range(MANY[verb]))
    Path("a.scenario.yaml").write_text(SCENARIOS + many, encoding="utf-8")
    command = [sys.executable, "-m", "rulewright", verb, *COMMANDS[verb]]
    with Path("said").open("wb") as said, hear_interruptions():
        process = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True)
    try:
        end = time.monotonic() + 60
        while len(found := workers(process.pid)) < 2:
            assert process.poll() is None, Path("said").read_text(encoding="utf-8")
            assert time.monotonic() < end
            time.sleep(0.02)
        yield process, found
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("verb", COMMANDS)
def test_workers_of_what_is_killed_end(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with working(verb) as (process, found):
        process.kill()
        end = time.monotonic() + 10
        while left := [each for each in found if not ended(each)]:
            assert time.monotonic() < end, left
            time.sleep(0.1)


@pytest.mark.parametrize("verb", COMMANDS)
def test_an_interruption_is_said_once(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with working(verb) as (process, found):
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(30) == 2, Path("said").read_text()
        said = Path("said").read_text(encoding="utf-8")
        assert said.splitlines()[-1] == "stopped"
        assert "Traceback" not in said
        assert all(map(ended, found))


def test_an_interruption_while_they_start_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def interrupted(pool: ProcessPoolExecutor, call: Callable[[], int]) -> None:
        begun.append(submit(pool, call).result())
        signal.raise_signal(signal.SIGINT)

    submit, before = ProcessPoolExecutor.submit, signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            start_process_pool(1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert all(map(ended, begun))
    assert begun


GO = "import sys; from rulewright.__main__ import main; sys.argv[1:] = 'mutate . --workers 4'.split(); main()"
FEWER = "close other programs, or have fewer processes work at once: `--workers 1`, where a command has it"


def test_a_worker_that_is_ended_from_outside_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with working("mutate") as (process, found):
        os.kill(min(found), signal.SIGKILL)
        assert process.wait(60) == 3
        said = Path("said").read_text(encoding="utf-8")
        assert said.endswith(
            f"error RW0582: a process that worked for this command was ended from outside\n  help: {FEWER}\n"
        )


def test_a_system_that_gives_no_more_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("a.scenario.yaml").write_text(f"{SCENARIOS}  a: {{script: [[1]], expect: {{changes: {{}}}}}}\n")
    few = f"import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (12, 12)); {GO}"
    done = subprocess.run([sys.executable, "-c", few], capture_output=True, text=True, check=False, timeout=60)
    told = f"error RW0581: the system gives no more to work with: too many open files\n  help: {FEWER}\n"
    assert (done.returncode, done.stdout, done.stderr) == (3, "", told)
