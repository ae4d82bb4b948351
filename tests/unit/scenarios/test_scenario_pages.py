"""The pages of findings about scenarios show the truth; for their form see the pages of inputs."""

from pathlib import Path

import pytest
from said import said

from rulewright.diagnostics.pages import codes, page

CODES = [
    code
    for code in codes()
    if ("RW1000" < code < "RW1030" or "RW1050" <= code < "RW1060") and (found := page(code)) and found.fails
]
FAILING = "RW1050"
"""Warnings from here on are about scenarios that failed."""


@pytest.mark.parametrize("code", CODES)
def test_the_failing_file_says_the_message(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    held, ended, told = said(found.fails, capsys)
    assert told == held["message"].rstrip("\n")
    assert told.count(code) == told.count("RW")
    assert ended == (2 if found.severity == "error" else 1 if code >= FAILING else 0)


@pytest.mark.parametrize("code", CODES)
def test_the_mended_file_passes(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = page(code)
    assert found
    _, ended, told = said(found.mended, capsys)
    assert (ended, told) == (0, "")
