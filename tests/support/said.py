"""Does what a page of a finding about scenarios shows, in the folder where the test is."""

import io
import re
import shlex
from pathlib import Path
from unittest.mock import patch

import pytest

from rulewright.cli.main import execute
from rulewright.diagnostics.pages import Block

FILES = {
    "rules": "example.rules",
    "state": "state.yaml",
    "clauses EX.clauses.yaml": "EX.clauses.yaml",
    "scenario": "example.scenario.yaml",
}
FIRST_LINES = re.compile(r"^(?:error|warning) RW\d{4}: .*(?:\n  --> .*)?", re.MULTILINE)


def said(blocks: tuple[Block, ...], capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, str], int, str]:
    """The blocks by kind, how their command ends, and the findings; `typed` stands for the keyboard."""
    held = {block.kind: block.content for block in blocks}
    for kind in FILES.keys() & held.keys():
        Path(FILES[kind]).write_text(held[kind], encoding="utf-8")
    with patch("sys.stdin", io.StringIO(held.get("typed", ""))):
        code = execute(shlex.split(held["run"])[1:])
    printed = capsys.readouterr()
    return held, code, "\n".join(FIRST_LINES.findall(printed.out + printed.err))
