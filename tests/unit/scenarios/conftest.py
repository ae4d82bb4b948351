"""The example of these tests, copied into a folder of its own."""

import shutil
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent / "example"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: the ruleset `duel` in a folder of that name, and a cache of its own."""
    shutil.copytree(EXAMPLE, tmp_path / "duel")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path
