"""What `rulewright test --accept` shows, asks and writes."""

import io
import json
import shutil
from pathlib import Path
from unittest.mock import patch

import pytest

from rulewright.base.diagnostics.pages import find_page
from rulewright.cli import test as verb
from rulewright.cli.main import run_command_line
from support.strike_scenarios import SHIELDED_STRIKE_HEAD

EXAMPLE = Path(__file__).parent / "example"
FILE = "duel.scenario.yaml"


class Terminal(io.StringIO):
    """A keyboard, or what is shown."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def accepted(scenarios: str, *arguments: str) -> tuple[int, str]:
    """How `--accept --yes` ends, and the scenarios afterwards."""
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + scenarios, encoding="utf-8")
    code = run_command_line(["test", "--accept", "--yes", *arguments])
    after = Path(FILE).read_text(encoding="utf-8")
    assert after.startswith(SHIELDED_STRIKE_HEAD)
    return int(code), after.removeprefix(SHIELDED_STRIKE_HEAD)


SHOWN = f"""\
{FILE}
     7   scenarios:
     8     a: {{script: [[3]], expect: {{changes: {{}},   # none
     9 -     result: 1}}}}
     9 +     result: 0}}}}
"""
TWO_LINES = "  a: {script: [[3]], expect: {changes: {},   # none\n    result: 1}}\n"


@pytest.mark.parametrize(("typed", "code"), [("yes\n", 0), ("Y\n", 0), ("no\n", 1), ("\n", 1), ("", 1)])
def test_a_person_is_asked(typed: str, code: int) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + TWO_LINES, encoding="utf-8")
    with patch("sys.stdin", Terminal(typed)), patch("sys.stdout", Terminal()) as shown:
        assert run_command_line(["test", "--accept"]) == code
    assert f"{SHOWN}write this expectation? (yes or no) " in shown.getvalue()
    assert ("result: 0" in Path(FILE).read_text(encoding="utf-8")) == (code == 0)


def test_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + TWO_LINES, encoding="utf-8")
    assert run_command_line(["test", "--accept", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)["accept"]
    assert told == {
        "written": False,
        "accepted": [{"file": FILE, "name": "a", "expectation": "result"}],
        "difference": SHOWN.splitlines(),
        "left": [],
    }


def test_a_byte_order_mark_and_line_ends_stay() -> None:
    before = (SHIELDED_STRIKE_HEAD + TWO_LINES).replace("\n", "\r\n")
    Path(FILE).write_bytes(b"\xef\xbb\xbf" + before.encode())
    assert run_command_line(["test", "--accept", "--yes"]) == 0
    assert Path(FILE).read_bytes() == b"\xef\xbb\xbf" + before.replace("result: 1", "result: 0").encode()


def test_a_file_that_changed_meanwhile_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(FILE).write_text(SHIELDED_STRIKE_HEAD + TWO_LINES, encoding="utf-8")
    changed = SHIELDED_STRIKE_HEAD + TWO_LINES + "# a word\n"
    monkeypatch.setattr(verb, "_output_proposals", lambda *_: Path(FILE).write_text(changed, encoding="utf-8"))
    assert run_command_line(["test", "--accept", "--yes"]) == 2
    assert capsys.readouterr().err == (
        f"error RW1053: `{FILE}` has changed since it was read\n  help: accept again, with what it says now\n"
    )
    assert Path(FILE).read_text(encoding="utf-8") == changed
    assert find_page("RW1053")
