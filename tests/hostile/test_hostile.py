"""Texts that cost too much or lead too deep: every command ends in time, with the right exit and words of our own."""

import re
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.sample_sizes import sample_cases

HERE = Path(__file__).parent
SECONDS = 40
BYTES = 1_500_000_000
PLAYING = ("test", "cover", "mutate")
LONG = {
    "differences_and_least.rules": {"diff"},
    "performs_in_a_chain.rules": {"trace"},
    "quantifiers_of_many.rules": {"cover"},
    "sets_made_again.rules": {"mutate"},
    "standing_rules_of_one_attribute.rules": {"run"},
    "terms_in_a_chain.rules": {"diff"},
    "terms_of_two_calls.rules": {"run"},
}
"""Verbs that take seconds to end with a text."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command with the exit code and the codes of messages that must come of it."""

    text: str
    words: tuple[str, ...]
    exit: int
    codes: tuple[str, ...]


def list_commands() -> list[Command]:
    found = []
    for path in sorted(HERE.glob("*.rules")):
        for said, answer in re.findall(r"^#\$ (.+)\n#> (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE):
            exit_, *codes = answer.split()
            found.append(Command(path.name, tuple(said.split()), int(exit_), tuple(codes)))
    return found


def written_out(text: str) -> str:
    """A text with what stands for many lines or characters written out."""
    lines = "\n".join(each for line in text.splitlines() for each in _repeat_lines(line)).replace("⏎", "\n")
    return re.sub(r"\{([^{}]+?)\*(\d+)\}", lambda found: found[1] * int(found[2]), lines) + "\n"


def _repeat_lines(line: str) -> list[str]:
    many = re.fullmatch(r"#\* (\d+)\.\.(\d+) (.*)", line)
    if many is None:
        return [line]
    numbers = range(int(many[1]), int(many[2]) + 1)
    return [many[3].replace("{i}", str(i)).replace("{h}", str(i - 1)).replace("{n}", str(i + 1)) for i in numbers]


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


def _make_case(command: Command) -> object:
    marks = pytest.mark.long if command.words[0] in LONG.get(command.text, ()) else ()
    return pytest.param(command, marks=marks, id=f"{command.text}: {command.words[0]}")


@pytest.mark.parametrize("command", [*map(_make_case, sample_cases(list_commands(), 9))])
def test_it_ends_as_it_must(command: Command, tmp_path: Path) -> None:
    text = written_out((HERE / command.text).read_text(encoding="utf-8"))
    (tmp_path / "example.rules").write_text(text, encoding="utf-8")
    (tmp_path / "other.rules").write_text(text.replace("health: 0..9", "health: 0..7"), encoding="utf-8")
    shutil.copy(HERE / "state.yaml", tmp_path)
    verb, *_ = command.words
    if verb in PLAYING:
        shutil.copy(HERE / "scenario.yaml", tmp_path / "example.scenario.yaml")
    called = [HERE / "through_api.py"] if verb == "api" else ["-m", "rulewright", *command.words]
    done = subprocess.run(
        [sys.executable, *called],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        preexec_fn=_limit_memory,
    )
    said = done.stdout + done.stderr
    codes = tuple(dict.fromkeys(re.findall(r"\bRW\d{4}\b", said)))
    assert (done.returncode, codes) == (command.exit, command.codes), said
    assert "fault of rulewright itself" not in said
    assert "Traceback" not in said
