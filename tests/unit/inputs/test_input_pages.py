"""The pages of findings about inputs show the truth.

Form of these pages: the blocks `rules`, `state`, `table`, `script` and `save` stand for the files `example.rules`,
`state.yaml`, `roster.csv`, `script.yaml` and `game.save`; `run` holds one command over them; `message` the first two
lines of every finding of that command, in order (one line for a finding without a place). Under `## Mended` stand the
blocks of a command that finds nothing.
"""

import io
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from rulewright.cli.main import execute
from rulewright.cli.output import is_limit
from rulewright.diagnostics.pages import Block, codes, page

FILES = {
    "rules": "example.rules",
    "state": "state.yaml",
    "table": "roster.csv",
    "script": "script.yaml",
    "save": "game.save",
}
FIRST_LINES = re.compile(r"^error RW\d{4}: .*(?:\n  --> .*)?", re.MULTILINE)
CODES = [
    code
    for code in codes()
    if "RW0700" < code <= "RW0760" and (found := page(code)) and any(block.kind == "run" for block in found.fails)
]


def _held(blocks: tuple[Block, ...], folder: Path) -> Mapping[str, str]:
    """The blocks by kind, after the files among them were written."""
    held = {block.kind: block.content for block in blocks}
    for kind, name in FILES.items():
        if kind in held:
            (folder / name).write_text(held[kind], encoding="utf-8")
    return held


def _execute(command: str) -> int:
    program, *arguments = shlex.split(command)
    assert program == "rulewright"
    return execute(arguments)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, where commands run without anybody at the keyboard."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


@pytest.mark.parametrize("code", CODES)
def test_the_failing_command_says_the_message(code: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = page(code)
    assert found
    held = _held(found.fails, folder)
    assert _execute(held["run"]) == (3 if is_limit(code) else 2)
    assert "\n".join(FIRST_LINES.findall(capsys.readouterr().err)) == held["message"].rstrip("\n")
    assert code in held["message"]


@pytest.mark.parametrize("code", CODES)
def test_the_mended_command_finds_nothing(code: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = page(code)
    assert found
    held = _held(found.mended, folder)
    assert _execute(held["run"]) == 0
    assert capsys.readouterr().err == ""
