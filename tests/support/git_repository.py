"""A repository of git for tests."""

import os
import subprocess
from pathlib import Path

_ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A Designer",
    "GIT_AUTHOR_EMAIL": "designer@example.org",
    "GIT_COMMITTER_NAME": "A Designer",
    "GIT_COMMITTER_EMAIL": "designer@example.org",
}


class GitRepository:
    """The repository of a folder, made where there is none, with the branch `main`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if not (folder / ".git").exists():
            self.git("init", "-q", "-b", "main")

    def commit(self) -> None:
        """Puts everything that is in the folder into a new revision."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a revision")

    def git(self, *arguments: str, **settings: str) -> str:
        """What a command of git prints on both streams."""
        done = subprocess.run(
            ["git", *arguments],  # noqa: S607 - the git of this machine
            cwd=self._folder,
            env={**os.environ, **_ALONE, **settings},
            check=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        return done.stdout
