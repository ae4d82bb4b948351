"""Scenario files with one thing wrong each: what is said of them, word for word.

A table `invalid/*.yaml` holds a `good` file, which passes, and the `wrong` ones that differ from it: `old` is replaced
by `new`, and `run` are further arguments. `pytest --accept` writes what came out; read the diff.
"""

import io
import json
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from rulewright.cli.main import run_command_line
from support.sample_sizes import sample_cases
from support.yaml_data import read_yaml

HERE = Path(__file__).parent
TABLES = sorted((HERE / "invalid").glob("*.yaml"))
ENOUGH = 120


@cache
def table(path: Path) -> dict[str, Any]:
    held: dict[str, Any] = read_yaml(path)
    return held


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("wrong") / "duel"
    shutil.copytree(HERE / "example", made)
    return made


def said(content: str, run: str, folder: Path) -> tuple[int, str]:
    """How `rulewright test` ends on a file beside the example, and all it prints."""
    shutil.rmtree(folder / "cache", ignore_errors=True)
    (folder / "duel.scenario.yaml").write_text(content, encoding="utf-8")
    printed = io.StringIO()
    quiet = patch.dict("os.environ", {"NO_COLOR": "1", "COLUMNS": "100", "XDG_CACHE_HOME": str(folder / "cache")})
    with chdir(folder), quiet, redirect_stdout(printed), redirect_stderr(printed):
        code = run_command_line(["test", *shlex.split(run)])
    return int(code), printed.getvalue()


def changed(good: str, entry: dict[str, Any]) -> str:
    if "file" in entry:
        return str(entry["file"])
    assert good.count(entry["old"]) == 1, f"{entry['name']}: `old` must stand once in the good file"
    return good.replace(entry["old"], entry["new"])


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_the_good_file_passes(path: Path, folder: Path) -> None:
    code, printed = said(table(path)["good"], "", folder)
    assert code == 0, printed


@pytest.mark.parametrize(
    ("path", "number"),
    [
        pytest.param(path, number, id=f"{path.stem}: {entry['name']}")
        for path in TABLES
        for number, entry in sample_cases(enumerate(table(path)["wrong"]), 2)
    ],
)
def test_a_wrong_file_says_what_is_wrong(path: Path, number: int, folder: Path, *, accept: bool) -> None:
    entry = table(path)["wrong"][number]
    code, printed = said(changed(table(path)["good"], entry), entry.get("run", ""), folder)
    if accept:
        entry.update(exit=code, says=printed)
        path.write_text("".join(written(table(path))), encoding="utf-8")
    assert (code, printed) == (entry["exit"], entry["says"])
    assert code != 0


def test_there_are_enough_of_them() -> None:
    entries = [changed(table(path)["good"], entry) for path in TABLES for entry in table(path)["wrong"]]
    assert len(entries) >= ENOUGH


def written(held: dict[str, Any]) -> Iterator[str]:
    """A table as it is kept."""
    yield f"good: |\n{_indented(held['good'], 2)}\nwrong:\n"
    for entry in held["wrong"]:
        for key, value in entry.items():
            start = "  - " if key == "name" else "    "
            if isinstance(value, str) and "\n" in value:
                sign = "|" if value.endswith("\n") else "|-"
                yield f"{start}{key}: {sign}{'2' if value.startswith(' ') else ''}\n{_indented(value, 6)}"
            else:
                yield f"{start}{key}: {json.dumps(value, ensure_ascii=False)}\n"
        yield "\n" if entry is not held["wrong"][-1] else ""


def _indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by if line else ''}{line}\n" for line in text.rstrip("\n").split("\n"))
