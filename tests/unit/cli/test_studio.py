"""The verb `studio` where it does not come to a workbench; with one, `tests/unit/studio` asks it."""

import socket
from pathlib import Path

import pytest

from support.duel_example import RunCommand

AWAY = "  help: name a folder; `rulewright new NAME` makes one with a small ruleset\n"


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("nowhere", "error RW1206: `nowhere` is not there\n"),
        ("a.rules", "error RW1206: `a.rules` is a file, not a folder\n"),
        ("x" * 400, f"error RW1206: `{'x' * 400}` is not there\n"),
    ],
)
def test_it_needs_a_folder(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, told: str
) -> None:
    (tmp_path / "a.rules").touch()
    monkeypatch.chdir(tmp_path)
    done = run("studio", named)
    assert (done.exit, done.out, done.err) == (2, "", told + AWAY)


def test_a_port_that_is_taken_is_told(run: RunCommand, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run("studio", str(tmp_path), "--port", str(port), "--no-browser")
    told = f"error RW1207: port {port} cannot be used: address already in use\n"
    assert (done.exit, done.err) == (2, f"{told}  help: leave out `--port`, and a free one is taken\n")
