import os
import subprocess
import sys

import pytest

from rulewright.__main__ import main as command
from rulewright.cli import main
from rulewright.cli.output import EXIT_MEANINGS, ExitCode
from support.broken_pipe import run_unread_command
from support.duel_example import RunCommand


def test_help_shows_every_verb_and_every_exit_code(run: RunCommand) -> None:
    done = run("--help")
    assert done.exit == 0
    assert all(f"\n  {verb} " in done.out for verb in main.VERB_DESCRIPTIONS)
    assert all(f"\n  {int(code)}  " in done.out for code in EXIT_MEANINGS)


@pytest.mark.parametrize("verb", main.VERB_DESCRIPTIONS)
def test_every_verb_has_help(run: RunCommand, verb: str) -> None:
    done = run(verb, "--help")
    assert done.exit == 0
    assert done.out.startswith(f"Usage: rulewright {verb} ")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("che", ["plain,check"]),
        ("check --fi", ["plain,--fix"]),
        ("check --format js", ["plain,json"]),
        ("check du", ["file,du"]),
        ("run --state du", ["file,du"]),
    ],
)
def test_shells_complete_verbs_options_words_and_files(words: str, offered: list[str]) -> None:
    asked = {"COMP_WORDS": f"rulewright {words}", "COMP_CWORD": str(len(words.split()))}
    environment = {**os.environ, **asked, "_RULEWRIGHT_COMPLETE": "bash_complete"}
    start = [sys.executable, "-c", "from rulewright.__main__ import main; main()"]
    done = subprocess.run(start, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (offered, "")


def test_a_fault_of_rulewright_is_owned_up_to(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> int:
        message = "inside"
        raise KeyError(message)

    monkeypatch.setattr(main.rulewright, "main", broken)
    monkeypatch.delenv("RULEWRIGHT_TRACEBACK", raising=False)
    done = run("check", "duel.rules")
    assert done.exit == 2
    assert done.err.splitlines()[0] == "error: this is a fault of rulewright itself, not of your rules or inputs"
    assert "  command: rulewright check duel.rules" in done.err.splitlines()
    assert "Traceback" not in done.err


def test_an_interruption_while_modules_are_read_is_quiet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Unread:
        @property
        def main(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "rulewright.cli.main", Unread())  # type: ignore[arg-type]
    with pytest.raises(SystemExit) as ended:
        command()
    assert (ended.value.code, capsys.readouterr().err) == (2, "\nstopped\n")


def test_an_interruption_is_quiet(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main.rulewright, "main", interrupted)
    done = run("check", "duel.rules")
    assert (done.exit, done.err) == (2, "\nstopped\n")


@pytest.mark.parametrize("arguments", [["explain"], ["diff", "mel", "tricorne-melee", "--work", "0"]])
def test_a_reader_who_leaves_early_is_no_trouble_and_no_result(arguments: list[str]) -> None:
    assert run_unread_command([sys.executable, "-m", "rulewright", *arguments]) == (141, "")


def test_exits_are_numbers_others_rely_on() -> None:
    assert [int(each) for each in ExitCode] == [0, 1, 2, 3, 141]


@pytest.mark.parametrize(
    ("line", "exit_", "said"),
    [
        ("explain RW0001 >/dev/full", 2, "error RW0011: the output cannot be written: no space left on device\n"),
        ("explain RW0001 >&-", 0, ""),
        ("explain RW9999 >&- 2>&-", 2, ""),
    ],
)
def test_output_that_goes_nowhere(line: str, exit_: int, said: str) -> None:
    done = subprocess.run(f"{sys.executable} -m rulewright {line}", shell=True, capture_output=True, text=True)  # noqa: PLW1510, S602
    assert (done.returncode, done.stderr) == (exit_, said)


def test_every_verb_has_one_purpose() -> None:
    assert sorted(main.VERB_DESCRIPTIONS) == sorted(verb for verbs in main.VERB_GROUPS.values() for verb in verbs)
    assert list(main.VERB_GROUPS)[-1] == "For people who build rulewright"
    assert list(main.VERB_GROUPS["For people who build rulewright"]) == ["show"]
