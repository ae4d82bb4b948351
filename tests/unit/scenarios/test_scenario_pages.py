"""The pages of findings about scenarios, coverage and the mutation score show the truth."""

from pathlib import Path

import pytest

from rulewright.diagnostics.pages import codes, page
from support.said import said

CODES = [
    code
    for code in codes()
    if "RW1000" < code < "RW1080" and (found := page(code)) and any(each.kind == "run" for each in found.fails)
]
REFUSED, FAILED, WARNED = 2, 1, 0
"""How the command of a page ends: the input is wrong, or it is right and a scenario or a floor fails, or is passed."""

FAILING = {"RW1034", "RW1050", "RW1051", "RW1052", "RW1060", "RW1064"}


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
    assert ended == (FAILED if code in FAILING else REFUSED if found.severity == "error" else WARNED)


@pytest.mark.parametrize("code", CODES)
def test_the_mended_file_passes(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    _, ended, told = said(found.mended, capsys)
    assert (ended, told) == (0, "")
