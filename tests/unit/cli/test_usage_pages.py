"""The pages of findings about command lines and files show the truth; for their form see the pages of inputs."""

import io
import re
import shlex
from pathlib import Path

import pytest

from rulewright.cli.main import execute
from rulewright.diagnostics.pages import Block, codes, page

FILES = {
    "rules": "example.rules",
    "state": "state.yaml",
    "save": "game.save",
    "scenario": "example.scenario.yaml",
    "project": "rulewright.toml",
}
REFUSED = ("RW1152", "RW1153", "RW1154", "RW1155", "RW1156")
"""Renames that the texts stand against: the command found something, and was well used."""
CHANGED = ("RW1133",)
"""Comparisons that tell a change once they are asked well."""
FOUND = ("RW1200", "RW1201", "RW1218")
"""What `check` finds in a project, shown with house style."""
FIRST_LINES = re.compile(r"^error RW\d{4}: .*(?:\n  --> .*)?", re.MULTILINE)
CODES = [
    code
    for code in codes()
    if ("RW0018" <= code < "RW0050" or "RW0780" <= code < "RW0800" or "RW1120" <= code < "RW1300" or code == "RW0875")
    and code not in FOUND
    and (found := page(code))
    and found.fails
]


def _held(blocks: tuple[Block, ...], folder: Path) -> dict[str, str]:
    held = {block.kind: block.content for block in blocks}
    for kind, content in held.items():
        sort, _, place = kind.partition(" ")
        if sort in FILES:
            file = folder / (place or FILES[sort])
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
    return held


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


@pytest.mark.parametrize("code", CODES)
def test_the_failing_command_says_the_message(code: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = page(code)
    assert found
    held = _held(found.fails, folder)
    assert execute(shlex.split(held["run"])[1:]) == (1 if code in REFUSED else 2)
    assert "\n".join(FIRST_LINES.findall(capsys.readouterr().err)) == held["message"].rstrip("\n")
    assert code in held["message"]


@pytest.mark.parametrize("code", CODES)
def test_the_mended_command_finds_nothing(code: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = page(code)
    assert found
    held = _held(found.mended, folder)
    assert execute(shlex.split(held["run"])[1:]) == (1 if code in CHANGED else 0)
    assert capsys.readouterr().err == ""
