"""The pages of findings about the mutation score show the truth; for their form see the pages of inputs."""

from pathlib import Path

import pytest
from said import said

from rulewright.diagnostics.pages import codes, page

CODES = [
    code
    for code in codes()
    if "RW1060" <= code < "RW1080" and (found := page(code)) and any(each.kind == "scenario" for each in found.fails)
]


@pytest.mark.parametrize("code", CODES)
def test_the_failing_file_says_the_message(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    held, ended, told = said(found.fails, capsys)
    assert told == held["message"].rstrip("\n")
    assert code in told
    assert ended == (1 if code in {"RW1060", "RW1064"} else 2)


@pytest.mark.parametrize("code", CODES)
def test_the_mended_file_passes(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    _, ended, told = said(found.mended, capsys)
    assert (ended, told) == (0, "")
