"""Odd names, places, numbers and input never bring a command down, nor anything else to harm."""

import os
import stat
from pathlib import Path

import pytest

from support.duel_example import START, RunCommand


def test_a_pipe_is_written_into_and_stays_a_pipe(run: RunCommand) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = run("run", *START, "--seed", "1", "--policy", "first", "--save", "pipe")
        written = os.read(reader, 100)
    finally:
        os.close(reader)
    assert (done.exit, done.err) == (0, "")
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    assert written.startswith(b'{\n "format": "rulewright save",')


@pytest.mark.parametrize("verb", ["check", "fmt"])
def test_a_named_pipe_is_not_waited_for(run: RunCommand, verb: str) -> None:
    os.mkfifo("pipe.rules")
    done = run(verb, "pipe.rules")
    assert done.exit == 2
    assert "error RW0019: `pipe.rules` is a named pipe, so it is not read: that could wait for ever\n" in (
        done.out + done.err
    )


def test_a_folder_of_very_many_files_is_not_read_through(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulewright.cli.ruleset_loading.MAX_WALKED_NAMES", 20)
    for number in range(30):
        Path("many", str(number)).mkdir(parents=True)
    done = run("check", "many")
    assert (done.exit, done.out) == (2, "")
    assert done.err == (
        "error RW0021: `many` holds more than 50,000 files and folders\n"
        "  help: name the folder that holds your rules, or the files\n"
    )


def test_a_folder_is_not_written_over(run: RunCommand) -> None:
    Path("reports").mkdir()
    done = run("test", "--junit", "reports")
    assert (done.exit, done.err) == (
        2,
        "error RW0011: `reports` cannot be written: is a directory\n  help: name a file in it\n",
    )


def test_a_huge_text_is_not_laid_out(run: RunCommand) -> None:
    path = Path("huge.rules")
    path.write_text("#" * 8_000_001, encoding="utf-8")
    assert run("fmt", "huge.rules").exit == 3
    assert path.stat().st_size == 8_000_001


def test_a_huge_number_is_no_number_of_the_list(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed=f"5\n{'9' * 5000}\n٢\n2\n")
    assert done.exit == 0
    assert "this number has more than 100 digits" in done.out
    assert "٢ is not possible: answer yes or no" in done.out


def test_what_was_typed_is_shown_without_its_control_characters(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed="\x1b[31m\n")
    assert "> <U+001B>[31m\n" in done.out
    assert "\x1b" not in done.out


def test_the_folder_may_be_gone(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("gone").mkdir()
    monkeypatch.chdir("gone")
    Path("../gone").rmdir()
    assert run("check", "mel").exit == 0
    assert run("check", ".").exit == 2
