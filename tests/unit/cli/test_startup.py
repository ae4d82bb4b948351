"""A command imports what it needs and no more, so that it starts at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRINTING_MODULES = """
import sys
from rulewright.cli.main import run_command_line as execute
ended = execute(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(ended)
"""
TEXT = 'ruleset small "Small" revision "1"\n\ngame:\n  rounds: 0..3 = 0\nprocedure rest():\n  add up to 1 to rounds\n'

FOREIGN = {"rich", "jinja2", "jsonschema", "hypothesis", "pytest", "regex", "interegular"}
PLAYING = {"rulewright.runtime.executable", "rulewright.runtime.run", "rulewright.play", "rulewright.api"}
EXPLAINING = {"rulewright.syntax.recovery", "rulewright.syntax.mistakes", "rulewright.base.diagnostics.pages"}
CHECKING = {"rulewright.checker", "rulewright.documents.ruleset_loading", "yaml"}
READING = {"rulewright.syntax", "lark"}
COMPILING = {"rulewright.program.core.lowering", "rulewright.runtime.generate"}


def imported(folder: Path, *command: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    (folder / "small.rules").write_text(TEXT, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", PRINTING_MODULES, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("command", "needless"),
    [
        ("--help", FOREIGN | PLAYING | EXPLAINING | CHECKING | READING),
        ("explain RW0201", FOREIGN | PLAYING | CHECKING | READING),
        ("fmt small.rules", FOREIGN | PLAYING | EXPLAINING | CHECKING),
        ("check small.rules", FOREIGN | PLAYING | EXPLAINING | {"rulewright.syntax.format", "yaml"}),
        ("check mel", FOREIGN | PLAYING | EXPLAINING | {"rulewright.syntax.format"}),
    ],
)
def test_needless_modules_are_not_imported(tmp_path: Path, command: str, needless: set[str]) -> None:
    modules = imported(tmp_path, *command.split())
    assert "rulewright.cli.main" in modules
    assert modules & needless == set()


def test_what_was_counted_before_is_not_compiled_again(tmp_path: Path) -> None:
    (tmp_path / "state.yaml").write_text("game: {}\n", encoding="utf-8")
    command = ("simulate", "small.rules", "rest", "--state", "state.yaml", "--of", "rounds", "--runs", "10")
    first, again = imported(tmp_path, *command), imported(tmp_path, *command)
    assert first >= COMPILING
    assert not again & (COMPILING | {"lark", "rulewright.checker.checker", "rulewright.checker.linker"})
