"""The commands in the READMEs of the rulesets work and draw their pictures; of suites they play one scenario here.

All scenarios of every suite are played beside this file, in `test_cases.py`, and by `cover` in the tests of coverage.
"""

import io
import re
import shlex
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path

import pytest

from rulewright.base.files import DISK
from rulewright.cli.main import run_command_line
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.scenario_files import read_cases
from support.sample_sizes import sample_cases

RULESETS = Path(__file__).parents[2] / "rulesets"
CONSOLE = re.compile(r"^```console\n\$ ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    readmes = [folder / "README.md" for folder in RULESETS.iterdir() if folder.is_dir()]
    blocks = [block for each in readmes for block in SHELL.findall(each.read_text(encoding="utf-8"))]
    return [line for block in blocks for line in block.splitlines() if not line.startswith("rulewright play ")]


def asked() -> list[tuple[str, str]]:
    """The questions of designers, with what the command answers that each README gives."""
    readmes = sorted(RULESETS.glob("*/README.md"))
    return [found for each in readmes for found in CONSOLE.findall(each.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("line", sample_cases(sorted(commands()), 3), ids=str)
def test_the_commands_of_the_readmes_work(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RULESETS.parent)
    with redirect_stdout(io.StringIO()) as said:
        assert run_command_line([*shlex.split(line)[1:], *one_scenario(line)]) == 0
    assert said.getvalue()
    if line.startswith("rulewright draw "):
        assert said.getvalue() == picture(line).read_text(encoding="utf-8")


@pytest.mark.parametrize(("line", "answer"), asked())
@pytest.mark.skipif(find_spec("matplotlib") is None, reason="pictures are an extra")
def test_a_question_of_a_readme_has_its_answer_and_its_picture(
    line: str, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(RULESETS.parent)
    words = shlex.split(line)[1:]
    place = words[words.index("--picture") + 1] if "--picture" in words else ""
    drawn = tmp_path / "odds.svg"
    with redirect_stdout(io.StringIO()) as said:
        assert run_command_line([str(drawn) if each == place else each for each in words]) == 0
    assert said.getvalue() == answer
    assert not place or texts(drawn) == texts(RULESETS.parent / place)


def texts(picture: Path) -> list[str]:
    """What stands in a picture; where it stands may differ between versions of the library that draws."""
    return TEXT.findall(picture.read_text(encoding="utf-8"))


def picture(line: str) -> Path:
    """The picture that a README shows for a command that draws."""
    (readme,) = (each for each in RULESETS.glob("*/README.md") if line in each.read_text(encoding="utf-8").splitlines())
    assert "](examples/board.svg)" in readme.read_text(encoding="utf-8")
    return readme.parent / "examples/board.svg"


def one_scenario(line: str) -> tuple[str, ...]:
    """What picks the first scenario of a suite that a command would play whole."""
    whole = re.fullmatch(r"rulewright test ([\w-]+)", line)
    if whole is None:
        return ()
    cases = read_cases([str(RULESETS / whole[1])], RulesetLoader(DISK)).value
    assert cases
    return "-k", cases[0].name
