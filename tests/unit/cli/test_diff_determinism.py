"""What `diff` finds depends on the texts, the seed and the work, on no clock and no number of processes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.duel_example import STRIKE_RULES, RunCommand

RULES = f"""\
{STRIKE_RULES}\
  step 2 "Falls" when target.health = 0:
    remove target
"""
HARDER = RULES.replace("take up to 1", "take up to 2").replace("target.health = 0", "target.health <= 1")


def harder() -> None:
    """Two revisions of which the new one is harder on a target."""
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("new.rules").write_text(HARDER, encoding="utf-8")


def told(*arguments: str, hashes: str) -> bytes:
    """What a process of its own prints, in which texts are hashed otherwise."""
    command = [sys.executable, "-m", "rulewright", "diff", "old.rules", "new.rules", "--format", "json", *arguments]
    environment = {**os.environ, "PYTHONHASHSEED": hashes}
    return subprocess.run(command, capture_output=True, check=False, env=environment).stdout


def test_the_number_of_processes_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    harder()
    arguments = ("--work", "200000")
    one, two, three = (told(*arguments, "--workers", str(each), hashes=str(each)) for each in (1, 2, 3))
    assert json.loads(one)["verdict"]["word"] == "changed"
    assert one == two == three


def test_work_is_counted(run: RunCommand) -> None:
    harder()
    less, more = (
        json.loads(run("diff", "old.rules", "new.rules", "--format", "json", "--work", each).out)["played"]
        for each in ("30000", "300000")
    )
    assert 0 < less["work"] < more["work"] <= 300_000
    assert less["cut"] is more["cut"] is None


def test_no_work_plays_nothing(run: RunCommand) -> None:
    harder()
    done = run("diff", "old.rules", "new.rules", "--work", "0", "--all")
    assert done.exit == 3
    assert "unknown (plays were not compared)" in done.out


def alike() -> tuple[str, ...]:
    """The arguments for two revisions that no proof finds alike."""
    Path("old.rules").write_text(RULES, encoding="utf-8")
    idle = "    for each k in knights:\n      set k.health to k.health\n"
    Path("new.rules").write_text(RULES.replace("    if blow", f"{idle}    if blow"), encoding="utf-8")
    return ("diff", "old.rules", "new.rules", "--workers", "1")


def test_a_cut_is_said_and_leaves_it_unknown(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    places = alike()
    clock = iter(range(1_000_000))
    monkeypatch.setattr("rulewright.diff.differential_testing.results.monotonic", lambda: float(next(clock)) * 60)
    done = run(*places, "--seconds", "1", "--work", "100000000", "--all")
    assert done.exit == 3
    assert "unknown (cut after 1 s; " in done.out
    assert "seed 0, cut after 1 s\n" in done.out


def behaviour(run: RunCommand, *arguments: str) -> dict[str, Any]:
    """What was played, as data."""
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json").out)
    return found


def test_seconds_that_were_not_needed_change_nothing(run: RunCommand) -> None:
    places = (*alike(), "--work", "20000")
    assert behaviour(run, *places) == behaviour(run, *places, "--seconds", "600")


def test_the_work_has_a_printed_default(run: RunCommand) -> None:
    assert "[default: 2000000; x>=0]" in " ".join(run("diff", "--help").out.split())
