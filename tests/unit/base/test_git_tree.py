"""The text of a file in the last commit of the repository around it."""

import subprocess
from pathlib import Path

from rulewright.base.git_tree import read_committed_text


def test_the_last_commit_is_that_of_the_repository_around_a_file(tmp_path: Path) -> None:
    file = tmp_path / "inside" / "a b.rules"
    file.parent.mkdir()
    file.write_text("old", encoding="utf-8")
    assert read_committed_text(str(file)) is None

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True, capture_output=True)  # noqa: S607

    git("init", "-q")
    assert read_committed_text(str(file)) is None
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "first")
    file.write_text("new", encoding="utf-8")
    assert read_committed_text(str(file)) == "old"
    assert read_committed_text(str(file.with_name("other.rules"))) is None
    assert read_committed_text(str(tmp_path / "nowhere" / "a.rules")) is None
