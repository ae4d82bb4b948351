"""The pages of findings about `diff` show the truth: their files are the branch `main` of a repository."""

import re
import shlex
from pathlib import Path

import pytest

from rulewright.cli.main import execute
from rulewright.diagnostics.pages import Block, codes, page
from support.repository import Repository

FIRST_LINES = re.compile(r"^(?:error|warning) RW\d{4}: .*(?:\n  --> .*)?", re.MULTILINE)
CODES = [code for code in codes() if "RW1100" <= code < "RW1110"]
WITHOUT = {"RW1101"}


def _done(code: str, blocks: tuple[Block, ...], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    files = {(*each.kind.split(" "), "example.rules")[1]: each.content for each in blocks if "rules" in each.kind}
    for name, content in files.items():
        Path(name).write_text(content, encoding="utf-8")
    if code not in WITHOUT:
        Repository(Path()).commit()
    ended = execute(shlex.split(next(each.content for each in blocks if each.kind == "run"))[1:])
    return ended, "\n".join(FIRST_LINES.findall(capsys.readouterr().err))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))


@pytest.mark.parametrize("code", CODES)
def test_the_failing_command_says_the_message(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = page(code)
    assert found
    if code == "RW1100":
        monkeypatch.setattr("rulewright.files.git_tree.shutil.which", lambda _: None)
    ended, told = _done(code, found.fails, capsys)
    assert told == next(each.content for each in found.fails if each.kind == "message").rstrip("\n")
    assert ended == (2 if told.startswith("error") else 0)


@pytest.mark.parametrize("code", CODES)
def test_the_mended_command_finds_nothing(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = page(code)
    assert found
    assert _done(code, found.mended, capsys) == (0, "")
