"""What `check` told is kept, and told again only while everything it read says the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rulewright.cli.check import CHECK_CACHE
from support.cache_folders import make_cache_with_tables

MODULES = """
import sys
from rulewright.cli.main import run_command_line as execute
ended = execute(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(ended)
"""
MAIN = """\
ruleset small "Small" revision "1"
use "part.rules"

kind Knight, knights:
  health: 0..9

procedure rest(one: Knight):
  take up to more from one.health
"""
PART = "term more gives 1..5 means 3\n"
SCENARIO = """\
procedure: rest
with: {one: a}
state: {knights: {a: {health: 3}}}
scenarios:
  one rests:
    expect: {changes: {knights: {a: {health: 0}}}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a ruleset of two files and a scenario, and nothing kept but the tables of the grammar."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(make_cache_with_tables(tmp_path / "kept")))
    place = tmp_path / "rules"
    place.mkdir()
    (place / "small.rules").write_text(MAIN, encoding="utf-8")
    (place / "part.rules").write_text(PART, encoding="utf-8")
    (place / "small.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.chdir(place)
    return place


def checked(*arguments: str, given: str | None = None) -> tuple[int, str, bool]:
    """The exit of `check`, what it printed, and whether the analysis was loaded for it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", MODULES, "check", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, input=given, check=False)
    return done.returncode, done.stdout, "rulewright.checker" in done.stderr.split()


def test_what_nobody_changed_is_told_again(folder: Path) -> None:
    (folder / "small.rules").write_text(MAIN.replace("more", "less"), encoding="utf-8")
    for arguments in ([], ["--format", "human"], ["--format", "json"]):
        first = checked(".", *arguments)
        assert first[0] == 1
        assert first[2]
        assert checked(".", *arguments) == (*first[:2], False)


CHANGES = {
    "what is used": {"part.rules": "term less gives 1..5 means 3\n"},
    "a scenario": {"small.scenario.yaml": SCENARIO.replace("with:", "wiht:")},
    "another scenario": {"more/new.scenario.yaml": "scenario: ["},
    "another ruleset": {"new.rules": 'ruleset new "New" revision "1"\n'},
    "a file that is gone": {"part.rules": None},
    "a file that is none any more": {"part.rules": Path("/dev/null")},
    "the project": {"rulewright.toml": "allow = [1]\n"},
}
"""Files that are written anew, taken away, or come to be links."""


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_noticed(folder: Path, change: str) -> None:
    before = checked(".")
    assert checked(".") == (*before[:2], False)
    for name, content in CHANGES[change].items():
        (folder / name).unlink(missing_ok=True)
        (folder / name).parent.mkdir(exist_ok=True)
        if isinstance(content, Path):
            (folder / name).symlink_to(content)
        elif content is not None:
            (folder / name).write_text(content, encoding="utf-8")
    after = checked(".")
    assert after[1] != before[1] or after[0] != before[0]
    environment = {**os.environ, "XDG_CACHE_HOME": str(make_cache_with_tables(folder.parent / "other"))}
    command = [sys.executable, "-m", "rulewright", "check", "."]
    fresh = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert after[:2] == (fresh.returncode, fresh.stdout)


def test_what_comes_through_a_pipe_is_not_kept(folder: Path) -> None:
    fine = 'ruleset small "Small" revision "1"\n\nprocedure rest():\n  nothing\n'
    assert checked("/dev/stdin", given=fine)[0] == 0
    assert checked("/dev/stdin", given="ruleset small")[0] == 1
    assert not list((folder.parent / "kept" / "rulewright").glob(f"{CHECK_CACHE.name}/*"))


def test_what_is_damaged_is_made_again(folder: Path) -> None:
    first = checked(".")
    for each in (folder.parent / "kept" / "rulewright" / CHECK_CACHE.name).iterdir():
        each.write_bytes(each.read_bytes()[:-3] + b"[]]")
    assert checked(".") == first


@pytest.mark.usefixtures("folder")
def test_json_is_kept_as_it_was() -> None:
    checked("small.rules", "--format", "json")
    told = json.loads(checked("small.rules", "--format", "json")[1])
    assert told["files"][0]["fine"] is True
