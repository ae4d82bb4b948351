import sys
from pathlib import Path

import pytest

from rulewright.base.diagnostics import Painter
from rulewright.cli.output import Output
from support.duel_example import RunCommand


def _texts() -> dict[str, str]:
    return {each.name: each.read_text(encoding="utf-8") for each in Path().iterdir() if each.is_file()}


def test_a_file_that_cannot_be_written_leaves_all_as_they_were(run: RunCommand) -> None:
    before = _texts()
    Path("state.yaml").chmod(0o444)
    done = run("rename", "duel.rules", "shield", "guard", "--write")
    assert done.exit == 2
    assert done.err.startswith("error RW0011: `state.yaml` cannot be written")
    assert _texts() == before


def test_a_terminal_shows_old_and_new_lines_in_colours(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.cli.rename.make_output", lambda _: Output(sys.stdout, "human", Painter(True), 80))
    lines = run("rename", "duel.rules", "Knight.shield", "Knight.guard", "--no-test").out.splitlines()
    old, new = (next(line for line in lines if f" {sign} " in line) for sign in "-+")
    assert old.startswith("\x1b[1;31m")
    assert "shield" in old
    assert new.startswith("\x1b[32m")
    assert "guard" in new
