"""The verb `simulate`: pairs of plays on the same dice, counts that are kept and gone on from, enough plays."""

import json
import signal
import subprocess
import sys
import time
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from rulewright.base.files import get_install_command
from support.duel_example import RULES, START, RunCommand
from support.git_repository import GitRepository
from support.interruption import hear_interruptions

RANDOM = ["simulate", *START, "--of", "mordred.health", "--of", "mordred.gone", "--policy", "random", "--seed", "7"]
BETTER = RULES.replace("blow.natural < 4", "blow.natural < 3")


def data(run: RunCommand, *arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--format", "json")
    assert done.err == ""
    found: dict[str, Any] = json.loads(done.out)
    return found


def shares(counts: dict[str, Any], of: str = "plays") -> dict[Any, int]:
    return {each["value"]: each[of] for each in counts["values"] if each[of]}


def test_pairs_are_the_plays_of_each_side(run: RunCommand) -> None:
    Path("better.rules").write_text(BETTER, encoding="utf-8")
    pairs = data(run, *RANDOM, "--runs", "700", "--against", "better.rules")
    one = data(run, *RANDOM, "--runs", "700")
    other = data(run, *(each.replace("duel.rules", "better.rules") for each in RANDOM), "--runs", "700")
    for number, measure in enumerate(pairs["measures"]):
        assert shares(measure, "first") == shares(one["counts"][number])
        assert shares(measure, "other") == shares(other["counts"][number])
    hurt = next(each for each in pairs["measures"][0]["values"] if each["value"] == 0)
    assert hurt["interval"][0] <= 1 / 3 - 1 / 4 <= hurt["interval"][1]
    assert pairs["measures"][0]["differ"] < shares(pairs["measures"][0], "other")[2]


def test_a_revision_of_git_is_beside(run: RunCommand, tmp_path: Path) -> None:
    Path("duel.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    GitRepository(tmp_path).commit()
    Path("duel.rules").write_text(BETTER, encoding="utf-8")
    Path("duel.scenario.yaml").write_text(SCENARIO.replace("health: 2", "health: 4"), encoding="utf-8")
    (now,) = data(run, *RANDOM, "--runs", "500", "--against", "main:duel.rules")["measures"][:1]
    assert shares(now, "first")[0] > shares(now, "other")[0]
    scenario = ["simulate", "duel.scenario.yaml", "--no-script", "--policy", "first", "--of", "mordred.health"]
    for place, values in (("main:duel.rules", {2, 4}), ("main:duel.scenario.yaml", {0, 2})):
        (now,) = data(run, *scenario, "--seed", "1", "--runs", "100", "--against", place)["measures"]
        assert (set(shares(now, "first")), set(shares(now, "other"))) == ({2, 4}, values)
    for place, code in (("main:gone.rules", "RW1103"), ("older:duel.rules", "RW1102")):
        assert f"error {code}: " in run(*RANDOM, "--runs", "500", "--against", place).err


SCENARIO = """\
ruleset: duel.rules
procedure: strike
with: {striker: gawain, target: mordred}
state: {players: [red, blue], knights: {gawain: {owner: red, health: 1}, mordred: {owner: blue, health: 2}}}
scenarios:
  one: {script: [[6]], expect: {changes: {}}}
"""


def test_kept_counts_are_those_of_one_run(run: RunCommand) -> None:
    for more in ([], ["--vary", "target.shield"], ["--against-policy", "first"], ["--within", "2.5"]):
        kept = ["--resume", f"kept{len(more)}{''.join(more)[:5]}.json"]
        first = data(run, *RANDOM, *more, "--runs", "700", "--workers", "1", *kept)
        assert data(run, *RANDOM, *more, "--runs", "700", *kept) == first
        whole = data(run, *RANDOM, *more, "--runs", "1900", "--workers", "1")
        assert data(run, *RANDOM, *more, "--runs", "1900", "--workers", "2", *kept) == whole
        assert data(run, *RANDOM, *more, "--runs", "800", *kept) == whole


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_is_killed_goes_on_as_one_run(run: RunCommand, workers: str) -> None:
    kept = Path("kept.json")
    command = [sys.executable, "-m", "rulewright", *RANDOM, "--runs", "1000000", "--resume", str(kept)]
    with subprocess.Popen([*command, "--workers", workers], stdout=subprocess.DEVNULL) as process:
        while not kept.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    counted = json.loads(kept.read_text(encoding="utf-8"))["starts"][0]["plays"]
    assert counted > 0
    runs = ["--runs", str(counted + 300)]
    assert data(run, *RANDOM, *runs, "--resume", str(kept)) == data(run, *RANDOM, *runs, "--workers", "1")


@pytest.mark.usefixtures("run")
def test_what_was_counted_before_an_interruption_is_told_as_no_whole_result() -> None:
    kept = Path("kept.json")
    command = [sys.executable, "-m", "rulewright", *RANDOM, "--runs", "1000000000", "--resume", str(kept)]
    with hear_interruptions():
        begun = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with begun as process:
        while not kept.exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        told, said = process.communicate()
    assert process.returncode == 2
    assert said == "stopped before all plays were counted; the same command goes on from `kept.json`\n"
    counted = json.loads(kept.read_text(encoding="utf-8"))["starts"][0]["plays"]
    assert f"{counted:,} plays" in told


def test_the_seed_of_a_file_is_gone_on_with(run: RunCommand) -> None:
    unseeded = RANDOM[:-2]
    first = data(run, *unseeded, "--runs", "300", "--resume", "kept.json")
    assert data(run, *unseeded, "--runs", "400", "--resume", "kept.json")["seed"] == first["seed"]
    other = str((first["seed"] + 1) % 1000)
    done = run(*unseeded, "--seed", other, "--runs", "400", "--resume", "kept.json")
    assert (done.exit, done.err.splitlines()[0]) == (
        2,
        f"error RW1136: `kept.json` holds plays of another kind; what differs: the seed, {first['seed']} there",
    )


def test_parquet_has_the_rows(run: RunCommand) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    done = run(*RANDOM, "--runs", "300", "--parquet", "counts.parquet", "--format", "csv")
    heads, *rows = (each.split(",") for each in done.out.splitlines())
    table = parquet.read_table("counts.parquet").to_pylist()
    assert [[str(value) for value in each.values()] for each in table] == rows
    assert list(table[0]) == heads
    assert isinstance(table[0]["plays"], int)
    assert run(*RANDOM, "--parquet", "state.yaml").err.startswith("error RW0013: ")


def test_without_its_library_parquet_is_refused_before_the_work(
    run: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rulewright.cli.result_tables.find_spec", lambda name: None if name == "pyarrow" else util.find_spec(name)
    )
    done = run(*RANDOM, "--runs", "1000000000", "--parquet", "counts.parquet")
    assert done.exit == 2
    assert done.err == (
        "error RW1138: the library for Parquet files is not installed\n"
        f"  help: `{get_install_command('parquet')}`, or `--format csv`, which needs nothing\n"
    )


def test_without_its_library_a_cluster_is_not_joined(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.cli.play_counting.is_dask_installed", lambda: False)
    done = run(*RANDOM, "--cluster", "tcp://127.0.0.1:9")
    assert (done.exit, done.err) == (
        2,
        f"error RW1221: the library for clusters is not installed\n  help: `{get_install_command('cluster')}`\n",
    )
