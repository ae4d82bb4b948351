"""Nothing that is typed ends a play, and nothing that ends it loses it."""

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from rulewright.cli.main import run_command_line
from support.duel_example import START, RunCommand
from support.sample_sizes import choose_count

LONG = "a" * 300


def _heeds_signals() -> None:
    """Undoes what whoever runs the tests may have ignored, as a shell does for jobs in the background."""
    for each in (signal.SIGINT, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)


class Terminal:
    """A play at a pseudo-terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self.here, there = pty.openpty()
        self.shown = ""
        command = [sys.executable, "-m", "rulewright", "play", *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=there,
            stdout=there,
            stderr=there,
            start_new_session=True,
            preexec_fn=_heeds_signals,  # noqa: PLW1509 - the tests have no threads
            env={**os.environ, "NO_COLOR": "1"},
        )
        os.close(there)

    def until(self, words: str) -> str:
        """What is shown since the last time, when these words have come."""
        end = time.monotonic() + 60
        while words not in self.shown:
            assert time.monotonic() < end, self.shown
            self._more()
        before, _, self.shown = self.shown.partition(words)
        return before + words

    def _more(self) -> None:
        assert select.select([self.here], [], [], 60)[0], self.shown
        self.shown += os.read(self.here, 4096).decode()

    def types(self, line: str) -> None:
        os.write(self.here, f"{line}\n".encode())

    def ends(self) -> tuple[int, str]:
        """How it ended, and what is shown since the last time."""
        try:
            while True:
                self._more()
        except OSError:
            pass
        return self.process.wait(60), self.shown.replace("\r\n", "\n")

    def stopped_by(self, ending: signal.Signals) -> tuple[int, str]:
        """As `ends`, by a signal: sent again, for one that comes just before a line is read waits for the next key."""
        self.process.send_signal(ending)
        for _ in range(10):
            if select.select([self.here], [], [], 5)[0]:
                break
            self.process.send_signal(ending)
        return self.ends()


@pytest.fixture
def terminal(run: RunCommand) -> type[Terminal]:
    del run
    return Terminal


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (LONG, "file name too long"),
        ("a\0b", "its name is not possible"),
        (".", "is a directory\n  help: name a file in it"),
        ("nowhere/a.json", "no such file or directory\n  help: make the folder `nowhere` first"),
        ("duel.rules/a.json", "not a directory"),
        ("/dev/full", "no space left on device"),
        ("/proc/a.json", "no such file or directory"),
        ("pipe", "no such device or address"),
    ],
)
@pytest.mark.parametrize("command", ["save", "script"])
def test_a_name_that_cannot_be_written_ends_nothing(run: RunCommand, command: str, name: str, why: str) -> None:
    os.mkfifo("pipe")
    done = run("play", *START, "--dice", "ask", typed=f"5\n{command} {name}\nn\n")
    assert done.exit == 0
    assert done.err.startswith("error RW0011: ")
    assert done.err.endswith(f"cannot be written: {why}\n")
    assert "strike ended" in done.out.splitlines()


def test_a_name_as_long_as_names_can_be_is_written(run: RunCommand) -> None:
    name = "b" * 250 + ".json"
    assert run("play", *START, "--dice", "ask", typed=f"save {name}\nquit\n").exit == 0
    assert json.loads(Path(name).read_text(encoding="utf-8"))["format"] == "rulewright save"


WORDS = ["save", "script", "undo", "why", "hint", "state", "help", "?", "5", "y", "n", "1", "2", "[", "{", ":", "#"]
ANYTHING = st.text(st.characters(exclude_characters="\n\r"), max_size=40)
WRITTEN = st.one_of(
    ANYTHING,
    st.lists(st.one_of(st.sampled_from(WORDS), ANYTHING), max_size=4).map(" ".join),
    st.sampled_from(["[" * 5_000, "9" * 5_000, "x" * 200_000, "{" * 500 + "}" * 500, "&a [*a]", "!!python/x y", "\0"]),
)


@settings(
    max_examples=choose_count(37, 150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=st.lists(WRITTEN, max_size=8))
def test_no_line_whatever_ends_a_play(
    run: RunCommand, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    kept = [each for each in lines if each.strip() not in {"quit", "/quit"} and not _writes_outside(each)]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{each}\n" for each in kept)))
    ended = run_command_line(["play", *START, "--dice", "ask"])
    said = capsys.readouterr()
    assert ended == (0 if "strike ended" in said.out else 2)
    assert "fault of rulewright" not in said.err
    assert "Traceback" not in said.err
    del run


def _writes_outside(line: str) -> bool:
    return "/" in line or ".." in line


def test_bytes_that_are_no_text_are_refused_in_words(run: RunCommand, tmp_path: Path) -> None:
    del run
    command = [sys.executable, "-m", "rulewright", "play", *START, "--dice", "ask"]
    typed = b"\xff\xfe\nsave a\xff.json\n5\nn\n"
    done = subprocess.run(command, input=typed, capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines().count("  the line is not UTF-8") == 2


def test_a_line_that_is_too_long_is_refused(run: RunCommand) -> None:
    done = run("play", *START, "--dice", "ask", typed=f"{'5' * 300_000}\n5\nn\n")
    assert done.exit == 0
    assert "  the line is longer than 100,000 characters" in done.out.splitlines()


@pytest.mark.parametrize("typed", ["", "quit\n", "\n", "whatever\n"])
def test_leaving_an_end_is_fine(run: RunCommand, typed: str) -> None:
    done = run("play", *START, "--dice", "ask", typed=f"5\nn\n{typed}")
    assert (done.exit, done.err) == (0, "")


def test_an_end_at_a_terminal_waits_for_people(terminal: type[Terminal]) -> None:
    at = terminal(*START, "--dice", "ask")
    at.until("> ")
    at.types("5")
    at.until("Parry?")
    at.until("> ")
    at.types("n")
    at.until("strike ended")
    at.until("an empty line leaves")
    at.until("> ")
    at.types("undo")
    assert "taken back: blue: Parry? no" in at.until("> ")
    at.types("y")
    at.until("an empty line leaves")
    at.types("")
    assert at.ends()[0] == 0


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_play_that_is_stopped_is_saved_first(
    terminal: type[Terminal], run: RunCommand, ending: signal.Signals
) -> None:
    for number in (1, 2):
        at = terminal(*START, "--dice", "ask")
        at.until("> ")
        at.types("5")
        at.until("Parry?")
        at.until("> ")
        ended, shown = at.stopped_by(ending)
        assert ended == 2
        assert f"session written to duel-{number}.save.json" in shown
    assert json.loads(Path("duel-1.save.json").read_text(encoding="utf-8"))["answers"][0]["answer"] == [5]
    assert run("play", *START, "--load", "duel-2.save.json", typed="n\n").exit == 0


def test_a_play_whose_terminal_was_closed_is_saved(terminal: type[Terminal]) -> None:
    at = terminal(*START, "--dice", "ask")
    at.until("> ")
    at.types("5")
    at.until("Parry?")
    os.close(at.here)
    at.process.send_signal(signal.SIGHUP)
    at.process.wait(60)
    assert Path("duel-1.save.json").is_file()


def test_the_end_of_input_at_a_terminal_saves(terminal: type[Terminal]) -> None:
    at = terminal(*START, "--dice", "ask")
    at.until("> ")
    at.types("5")
    at.until("Parry?")
    at.until("> ")
    os.write(at.here, b"\x04")
    ended, shown = at.ends()
    assert ended == 2
    assert "session written to duel-1.save.json" in shown


def test_a_play_that_can_print_no_more_is_saved(run: RunCommand, tmp_path: Path) -> None:
    del run
    command = [sys.executable, "-m", "rulewright", "play", *START, "--dice", "ask"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"5\n")
        process.stdin.flush()
        while b"  2  no\n" not in process.stdout.readline():
            pass
        process.stdout.close()
        process.stdin.write(b"help\n")
        process.stdin.close()
        assert process.wait(60) == 141
    assert (tmp_path / "duel-1.save.json").is_file()


def test_what_was_asked_to_be_saved_goes_there_when_a_play_is_stopped(terminal: type[Terminal]) -> None:
    at = terminal(*START, "--dice", "ask", "--save", "mine.json")
    at.until("> ")
    at.types("5")
    at.until("Parry?")
    assert "session written to mine.json" in at.stopped_by(signal.SIGINT)[1]
    assert not Path("duel-1.save.json").exists()


def test_nothing_is_saved_where_nothing_was_answered(terminal: type[Terminal]) -> None:
    at = terminal(*START, "--dice", "ask")
    at.until("> ")
    ended, shown = at.stopped_by(signal.SIGINT)
    assert (ended, "written" in shown) == (2, False)
