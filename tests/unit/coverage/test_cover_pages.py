"""The pages of findings about coverage show the truth; for their form see the pages of inputs."""

import re
import shlex
from pathlib import Path

import pytest

from rulewright.cli.main import execute
from rulewright.diagnostics.pages import Block, codes, page

FILES = {"rules": "example.rules", "clauses EX.clauses.yaml": "EX.clauses.yaml", "scenario": "example.scenario.yaml"}
FIRST_LINES = re.compile(r"^(?:error|warning) RW\d{4}: .*(?:\n  --> .*)?", re.MULTILINE)
CODES = [
    code
    for code in codes()
    if "RW1030" <= code < "RW1040" and (found := page(code)) and any(each.kind == "scenario" for each in found.fails)
]


def _said(blocks: tuple[Block, ...], capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, str], int, str]:
    held = {block.kind: block.content for block in blocks}
    for kind in FILES.keys() & held.keys():
        Path(FILES[kind]).write_text(held[kind], encoding="utf-8")
    code = execute(shlex.split(held["run"])[1:])
    printed = capsys.readouterr()
    return held, code, "\n".join(FIRST_LINES.findall(printed.out + printed.err))


@pytest.mark.parametrize("code", CODES)
def test_the_failing_file_says_the_message(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    held, ended, said = _said(found.fails, capsys)
    assert said == held["message"].rstrip("\n")
    assert code in said
    assert ended == (1 if code == "RW1034" else 2)


@pytest.mark.parametrize("code", CODES)
def test_the_mended_file_passes(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    _, ended, said = _said(found.mended, capsys)
    assert (ended, said) == (0, "")
