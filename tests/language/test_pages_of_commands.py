"""The pages of findings that a command tells show the truth.

Form of these pages: `run` holds one command; the other blocks stand for files, named behind their kind or else as in
`FILES`, in the last revision of a repository where `diff` is told of; `typed` for the keyboard. `message` holds the
first two lines of every finding of that command, in order (one line for a finding without a place), or a fault and its
address. Under `## Mended` stand the blocks of a command that finds nothing.
"""

import io
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from rulewright.base.diagnostics.pages import DiagnosticPage, FencedBlock, find_page, list_page_files
from rulewright.cli.main import run_command_line
from rulewright.cli.output import is_limit_code
from support.git_repository import GitRepository

FILES = {
    "rules": "example.rules",
    "state": "state.yaml",
    "table": "roster.csv",
    "script": "script.yaml",
    "save": "game.save",
    "scenario": "example.scenario.yaml",
    "project": "rulewright.toml",
    "clauses": "EX.clauses.yaml",
    "prose": "chapter.md",
}
FINDINGS = re.compile(r"^(?:error|warning) RW\d{4}: .*(?:\n  --> .*)?|^fault RW\d{4}: .*\n  in: .*$", re.MULTILINE)
ELSEWHERE = {"RW1200", "RW1201", "RW1218", *(f"RW0{number}" for number in (563, 580, *range(590, 596)))}
"""Findings of `check`, shown with house style."""
FOUND = re.compile("RW08[0-6]|RW1034|RW105[012]|RW106[04]|RW115[23456]")
"""Faults; scenarios and floors that fail; renames that the texts stand against: the command was well used."""
OPEN = {"RW1224"}
"""What odds leave open."""
CHANGED = {"RW1133"}
"""Comparisons that tell a change once they are asked well."""
EXPLAINED = {"RW0785"}
"""What `explain` prints once it is asked well holds a message."""
OF_DIFF = [code for code in list_page_files() if "RW1100" <= code < "RW1110"]
NO_REPOSITORY = "RW1101"


def _shown() -> dict[str, DiagnosticPage]:
    pages = {code: found for code in list_page_files() if code not in ELSEWHERE and (found := find_page(code))}
    return {code: found for code, found in pages.items() if any(each.kind == "run" for each in found.fails)}


SHOWN = _shown()


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))


def _done(
    code: str, blocks: Sequence[FencedBlock], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """How the command ends, what it finds, and what it prints on the error stream."""
    held = {each.kind: each.content for each in blocks}
    for kind, content in held.items():
        sort, _, place = kind.partition(" ")
        if sort in FILES:
            file = Path(place or FILES[sort])
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
    if code in OF_DIFF and code != NO_REPOSITORY:
        GitRepository(Path()).commit()
    monkeypatch.setattr("sys.stdin", io.StringIO(held.get("typed", "")))
    program, *arguments = shlex.split(held["run"])
    assert program == "rulewright"
    ended = run_command_line(arguments)
    printed = capsys.readouterr()
    return ended, "\n".join(FINDINGS.findall(printed.out + printed.err)), printed.err


@pytest.mark.parametrize("code", SHOWN)
def test_the_failing_command_says_the_message(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if code == "RW1100":
        monkeypatch.setattr("rulewright.base.git_tree.shutil.which", lambda _: None)
    ended, told, _ = _done(code, SHOWN[code].fails, monkeypatch, capsys)
    assert told == next(each.content for each in SHOWN[code].fails if each.kind == "message").rstrip("\n")
    assert code in told
    plain = 0 if SHOWN[code].severity == "warning" else 2
    assert ended == (3 if is_limit_code(code) or code in OPEN else 1 if FOUND.match(code) else plain)


@pytest.mark.parametrize("code", SHOWN)
def test_the_mended_command_finds_nothing(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended, told, errors = _done(code, SHOWN[code].mended, monkeypatch, capsys)
    assert (ended, errors) == (1 if code in CHANGED else 0, "")
    assert told == "" or code in EXPLAINED
