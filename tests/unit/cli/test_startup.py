"""A command imports what it needs and no more, so that it starts at once."""

import os
import subprocess
import sys
from pathlib import Path

PRINTING_MODULES = """
import os, sys
from rulewright.cli.main import run_command_line
for command in sys.argv[1:]:
    if not os.fork():
        ended = run_command_line(command.split())
        print(*sys.modules, file=sys.stderr, flush=True)
        os._exit(ended)
    if os.wait()[1]:
        sys.exit(f"{command} failed")
"""
"""Prints what each of some commands has imported when it ends; each begins where nothing was done but to import the command line."""
TEXT = 'ruleset small "Small" revision "1"\n\ngame:\n  rounds: 0..3 = 0\nprocedure rest():\n  add up to 1 to rounds\n'

FOREIGN = {"rich", "jinja2", "jsonschema", "hypothesis", "pytest", "regex", "interegular"}
PLAYING = {"rulewright.runtime.executable", "rulewright.runtime.run", "rulewright.play", "rulewright.api"}
EXPLAINING = {"rulewright.syntax.recovery", "rulewright.syntax.mistakes", "rulewright.base.diagnostics.pages"}
CHECKING = {"rulewright.checker", "rulewright.documents.ruleset_loading", "yaml"}
READING = {"rulewright.syntax", "lark"}
COMPILING = {"rulewright.program.core.lowering", "rulewright.runtime.generate"}


def list_imports(folder: Path, *commands: str) -> list[set[str]]:
    """The modules that each command has imported when it ends."""
    (folder / "small.rules").write_text(TEXT, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", PRINTING_MODULES, *commands],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [set(line.split()) for line in done.stderr.splitlines()]


NEEDLESS = {
    "--help": FOREIGN | PLAYING | EXPLAINING | CHECKING | READING | {"rulewright.runtime"},
    "explain RW0201": FOREIGN | PLAYING | CHECKING | READING | {"rulewright.runtime"},
    "fmt small.rules": FOREIGN | PLAYING | EXPLAINING | CHECKING,
    "check small.rules": FOREIGN | PLAYING | EXPLAINING | {"rulewright.syntax.format", "yaml"},
    "check mel": FOREIGN | PLAYING | EXPLAINING | {"rulewright.syntax.format", "rulewright.documents.state_file"},
}


def test_needless_modules_are_not_imported(tmp_path: Path) -> None:
    for (command, needless), modules in zip(NEEDLESS.items(), list_imports(tmp_path, *NEEDLESS), strict=True):
        assert "rulewright.cli.main" in modules
        assert modules & needless == set(), command


def test_what_was_counted_before_is_not_compiled_again(tmp_path: Path) -> None:
    (tmp_path / "state.yaml").write_text("game: {}\n", encoding="utf-8")
    command = "simulate small.rules rest --state state.yaml --of rounds --runs 10"
    first, again = list_imports(tmp_path, command, command)
    assert first >= COMPILING
    assert not again & (COMPILING | {"lark", "rulewright.checker.checker", "rulewright.checker.linker"})
