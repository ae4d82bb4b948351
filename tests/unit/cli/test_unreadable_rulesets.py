"""Files that cannot be rulesets, and what is said of them."""

from pathlib import Path

import pytest

from rulewright.base.files import DiskFiles
from support.duel_example import RULES, START, RunCommand


@pytest.mark.parametrize(
    ("name", "content", "exit_", "message"),
    [
        (
            "wide.rules",
            'ruleset a "a" revision "1"'.encode("utf-16"),
            2,
            "error RW0004: `wide.rules` is not UTF-8; it looks like UTF-16",
        ),
        ("latin.rules", b'ruleset a "\xe9"', 2, "error RW0004: `latin.rules` is not UTF-8: byte 11 in line 1"),
        ("huge.rules", b"#" * 8_000_001, 3, "error RW0005: `huge.rules` is larger than 8,000,000 bytes"),
        (
            "long.rules",
            b"#" * 2_000_001,
            3,
            "error RW0141: this text has 2,000,001 characters, and the limit is 2,000,000",
        ),
    ],
)
def test_a_file_that_is_no_text(
    name: str, content: bytes, exit_: int, message: str, run: RunCommand, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    done = run("check", name)
    assert (done.exit, done.out.splitlines()[0]) == (exit_, message)


LATIN = ("house.rules", b'amends duel revision "1-house"\n# \xe9\n', "`{}` is not UTF-8: byte 33 in line 2")
WIDE = ("other.rules", 'ruleset other "O" revision "1"\n'.encode("utf-16"), "`{}` is not UTF-8; it looks like UTF-16")


@pytest.mark.parametrize(
    "command",
    [
        ["check", "."],
        ["rename", ".", "Knight", "Rider"],
        ["find", ".", "Knight"],
        ["run", ".", *START[1:]],
        ["play", ".", *START[1:]],
    ],
)
@pytest.mark.parametrize(("name", "content", "message"), [LATIN, WIDE])
def test_a_file_beside_the_rules_that_is_no_text(
    name: str, content: bytes, message: str, command: list[str], run: RunCommand, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    done = run(*command)
    told = done.out + done.err
    if command[0] == "find":
        assert "is declared" in told
        assert "the rules have an error" in told
    else:
        assert told.count(f"error RW0004: {message.format(name)}\n  help: save it as UTF-8\n") == 1
    assert (done.exit, ".: fine" in told.splitlines()) == (2, command[0] == "check")


@pytest.mark.parametrize("command", ["check", "test", "play", "load"])
@pytest.mark.parametrize(("name", "content", "message"), [LATIN, WIDE])
def test_a_folder_whose_only_rules_are_no_text(
    name: str, content: bytes, message: str, command: str, run: RunCommand, tmp_path: Path
) -> None:
    (tmp_path / "duel.rules").unlink()
    (tmp_path / name).write_bytes(content)
    (tmp_path / "a.scenario.yaml").write_text(
        "scenarios:\n  one:\n    procedure: strike\n    state: {}\n", encoding="utf-8"
    )
    done = run(*{"load": ["show", ".", "program"], "play": ["play", ".", "strike"]}.get(command, [command, "."]))
    told = done.out + done.err
    assert (done.exit, "RW0006" in told) == (2, False)
    assert f"RW0004: {message.format(name)}" in told


@pytest.mark.parametrize("place", [".", "lower"])
def test_scenarios_beside_a_file_that_is_no_text(place: str, run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / WIDE[0]).write_bytes(WIDE[1])
    (tmp_path / "a.scenario.yaml").write_text(
        "ruleset: pig\nscenarios:\n  one:\n    procedure: turn\n    state: {}\n", encoding="utf-8"
    )
    done = run("test", ".")
    assert done.exit == 2
    assert (
        done.err.count(f"RW0004: {WIDE[2].format((Path(place) / WIDE[0]).as_posix())}\n  help: save it as UTF-8\n") == 1
    )


@pytest.mark.parametrize("beside", [True, False])
def test_rules_that_the_disk_refuses(
    run: RunCommand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, beside: bool
) -> None:
    read = DiskFiles.read_file_bytes

    def refusing(self: DiskFiles, place: str, most: int) -> bytes:
        if "noread" in place:
            raise PermissionError(13, "Permission denied")
        return read(self, place, most)

    monkeypatch.setattr(
        "rulewright.base.bounded_files.read_regular_file", lambda place, most: refusing(DiskFiles(), place, most)
    )
    (tmp_path / "noread.rules").write_text(RULES, encoding="utf-8")
    if not beside:
        (tmp_path / "duel.rules").unlink()
    done = run("check", ".")
    message = "error RW0003: `noread.rules` cannot be read: permission denied\n"
    assert (done.exit, done.out) == (2, message + ".: fine\n" * beside + "noread.rules: 1 error\n")


def test_what_a_system_hides_beside_the_rules_is_no_ruleset(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "._duel.rules").write_bytes(b"\0\xff")
    done = run("check", ".")
    assert (done.exit, done.out) == (0, ".: fine\n")


def test_a_state_that_is_no_text_is_not_passed_over_by_a_rename(run: RunCommand, tmp_path: Path) -> None:
    (tmp_path / "late.yaml").write_bytes(b"mordred: {health: 2}\n# \xe9\n")
    message = "error RW0004: `late.yaml` is not UTF-8: byte 23 in line 2\n  help: save it as UTF-8\n"
    for command in (["rename", ".", "Knight.health", "wounds"], ["find", ".", "Knight.health"]):
        done = run(*command)
        assert (done.exit, done.err) == (2, message)
