"""The commands in the READMEs of the rulesets work."""

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from rulewright.cli.main import execute

RULESETS = Path(__file__).parents[2] / "rulesets"
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    readmes = [folder / "README.md" for folder in RULESETS.iterdir() if folder.is_dir()]
    blocks = [block for each in readmes for block in SHELL.findall(each.read_text(encoding="utf-8"))]
    return [line for block in blocks for line in block.splitlines() if not line.startswith("rulewright play ")]


@pytest.mark.parametrize("line", sorted(commands()))
def test_the_commands_of_the_readmes_work(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RULESETS.parent)
    with redirect_stdout(io.StringIO()):
        assert execute(shlex.split(line)[1:]) == 0
