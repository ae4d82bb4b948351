"""Files that cannot be rulesets, and what is said of them."""

from pathlib import Path

import pytest

from support.duel import Run


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
def test_a_file_that_is_no_text(name: str, content: bytes, exit_: int, message: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    done = run("check", name)
    assert (done.exit, done.out.splitlines()[0]) == (exit_, message)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "error RW0006: no file of the folder `box` begins with `ruleset`"),
        (["a", "b"], "error RW0007: `box` holds several rulesets"),
    ],
)
def test_a_folder_that_holds_no_ruleset_or_several(names: list[str], message: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    for name in names:
        (tmp_path / "box" / f"{name}.rules").write_text(f'ruleset {name} "{name}" revision "1"\n', encoding="utf-8")
    done = run("show", "box", "program")
    assert (done.exit, done.err.splitlines()[0]) == (2, message)


def test_an_overlay_without_its_base(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.rules").write_text('amends nowhere revision "1"\n', encoding="utf-8")
    done = run("check", "mine.rules")
    message = "error RW0009: `mine.rules` amends `nowhere`, but no such ruleset is beside it or shipped"
    assert (done.exit, done.out.splitlines()[0]) == (2, message)
