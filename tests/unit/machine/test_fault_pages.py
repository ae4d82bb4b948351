"""The pages of faults and limits show the truth.

The blocks `rules` and `state` stand for the files `example.rules` and `state.yaml`; `run` holds one command over
them, `message` the fault and its address. Under `## Mended` stand the blocks of a command that ends well.
"""

import io
import re
import shlex
from pathlib import Path

import pytest

from rulewright.cli.main import execute
from rulewright.diagnostics.pages import Block, codes, page

FAULT = re.compile(r"^fault RW\d{4}: .*\n  in: .*$", re.MULTILINE)
SHOWN = [
    code
    for code in codes()
    if "RW0800" < code < "RW0999" and any(FAULT.match(each.content) for each in getattr(page(code), "fails", ()))
]
FAULTED, LIMIT = 1, 3


def _execute(blocks: tuple[Block, ...], folder: Path) -> int:
    held = {block.kind: block.content for block in blocks}
    (folder / "example.rules").write_text(held["rules"], encoding="utf-8")
    (folder / "state.yaml").write_text(held["state"], encoding="utf-8")
    return execute(shlex.split(held["run"])[1:])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


@pytest.mark.parametrize("code", SHOWN)
def test_the_failing_rules_end_in_the_fault(code: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = page(code)
    assert found
    assert _execute(found.fails, folder) == (LIMIT if code == "RW0851" or code > "RW0900" else FAULTED)
    message = next(block.content for block in found.fails if block.kind == "message")
    assert FAULT.findall(capsys.readouterr().out) == [message.rstrip("\n")]
    assert code in message


@pytest.mark.parametrize("code", SHOWN)
def test_the_mended_rules_end_well(code: str, folder: Path) -> None:
    found = page(code)
    assert found
    assert _execute(found.mended, folder) == 0
