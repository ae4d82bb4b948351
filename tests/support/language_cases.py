"""Reads and plays cases of the language."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from rulewright.base.diagnostics.renderings import render_plain_diagnostic
from rulewright.base.files import MemoryFiles
from rulewright.cli.main import run_command_line
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset

FOLDER = Path(__file__).parents[1] / "language"
_FENCE = re.compile(r"^```(?P<kind>[a-z]+)(?: (?P<name>\S+))?\n(?P<content>.*?)^```$", re.MULTILINE | re.DOTALL)
_MAIN = "example.rules"


@dataclass(frozen=True)
class Case:
    """A case, by its file."""

    path: Path

    @property
    def name(self) -> str:
        """`feature/good/name`."""
        return self.path.relative_to(FOLDER).with_suffix("").as_posix()

    @property
    def good(self) -> bool:
        """Whether nothing may be wrong with it."""
        return self.path.parent.name == "good"

    def read_text(self) -> str:
        """The text of the case."""
        return self.path.read_text(encoding="utf-8")

    def run_blocks(self, folder: Path) -> str:
        """The text of the case, with what really comes out in its `message` and `console` blocks."""
        text = self.read_text()
        files = {block["name"] or _MAIN: block["content"] for block in split_blocks(text, "rules", "yaml", "csv")}
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, encoding="utf-8")

        def replace_block(block: re.Match[str]) -> str:
            match block["kind"]:
                case "message":
                    return _fence_block("message", self.diagnostics)
                case "console":
                    return _fence_block("console", run_transcript(block["content"], folder))
                case _:
                    return block[0]

        return _FENCE.sub(replace_block, text)

    def accept_output(self, played: str) -> None:
        """Writes what came out; what is good may not come to fail by it: how a command exits is written by hand."""
        assert not (self.good and _does_fail(played)), "a good case has no errors in its message"
        as_written = _list_exit_codes(played) == _list_exit_codes(self.read_text())
        assert as_written or not self.good, "a good case comes to fail: mend it, or write `[exit N]` there yourself"
        self.path.write_text(played, encoding="utf-8")

    def silent(self) -> bool:
        """Whether the case says nothing about what is found."""
        return not any(split_blocks(self.read_text(), "message", "console"))

    @cached_property
    def diagnostics(self) -> str:
        """Everything found in its rules, in plain form."""
        blocks = split_blocks(self.read_text(), "rules", "yaml")
        provider = MemoryFiles({block["name"] or _MAIN: block["content"] for block in blocks})
        loaded = load_ruleset(locate_ruleset(_MAIN, provider), provider=provider)
        return "".join(f"{render_plain_diagnostic(each, loaded.texts)}\n" for each in loaded.diagnostics)


def list_cases() -> list[Case]:
    """All cases, in order."""
    return [Case(path) for path in sorted(FOLDER.glob("*/*/*.md"))]


def split_blocks(text: str, *kinds: str) -> Iterator[re.Match[str]]:
    """The fenced blocks of some kinds."""
    return (each for each in _FENCE.finditer(text) if each["kind"] in kinds)


def run_transcript(transcript: str, folder: Path) -> str:
    """The commands of a transcript with what they print here; a line after `> ` is typed by somebody."""
    commands = _COMMAND.findall(transcript)
    return "".join(
        f"$ {command}\n{_run_command(command, _TYPED.findall(after), folder)}" for command, after in commands
    )


def _does_fail(text: str) -> bool:
    return any("error RW" in each["content"] for each in split_blocks(text, "message"))


def _list_exit_codes(text: str) -> list[list[str]]:
    """How each command of the transcripts exits, as it is written; nothing with 0."""
    return [
        _EXIT.findall(after) for each in split_blocks(text, "console") for _, after in _COMMAND.findall(each["content"])
    ]


_EXIT = re.compile(r"^\[exit (\d+)\]$", re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_TYPED = re.compile(r"^> (.*)$", re.MULTILINE)


def _run_command(command: str, typed: list[str], folder: Path) -> str:
    program, *arguments = shlex.split(command)
    if arguments[-2:-1] == ["<"]:
        typed = (folder / arguments[-1]).read_text(encoding="utf-8").splitlines()
        arguments = arguments[:-2]
    if program == "cat":
        return "".join((folder / each).read_text(encoding="utf-8") for each in arguments)
    if program == "rm":
        for each in arguments:
            (folder / each).unlink()
        return ""
    if program == "mkdir":
        for each in arguments:
            (folder / each).mkdir(parents=True)
        return ""
    if program == "cp":
        if arguments[0] == "-r":
            shutil.copytree(folder / arguments[1], folder / arguments[2])
        else:
            shutil.copy(folder / arguments[0], folder / arguments[1])
        return ""
    assert program == "rulewright", command
    output = StringIO()
    with (
        chdir(folder),
        patch.dict(os.environ, {"NO_COLOR": "1", "COLUMNS": "100"}),
        patch("sys.stdin", StringIO("".join(f"{line}\n" for line in typed))),
        redirect_stdout(output),
        redirect_stderr(output),
    ):
        code = int(run_command_line(arguments))
    return output.getvalue() + (f"[exit {code}]\n" if code else "")


def _fence_block(kind: str, content: str) -> str:
    return f"```{kind}\n{content}```"
