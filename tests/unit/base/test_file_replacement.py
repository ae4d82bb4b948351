"""Files written by several threads at once, and removed meanwhile."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rulewright.base.files import replace_file
from rulewright.studio.workbench import DocumentStore


@pytest.fixture
def busy() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy")
def test_what_is_forgotten_while_it_is_kept_is_no_fault(tmp_path: Path) -> None:
    kept = DocumentStore(tmp_path, "drafts", tmp_path / "kept")
    with ThreadPoolExecutor(2) as threads:
        forgotten = threads.submit(lambda: [kept.drop_document("a") for _ in range(2_000)])
        while not forgotten.done():
            kept.write_document("a", {"text": "typed"})
    kept.write_document("a", {"text": "typed"})
    (file,) = (tmp_path / "kept").rglob("a")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_new_file_may_be_used_as_any_and_what_others_create_meanwhile_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = tmp_path / "usual"
    usual.touch()

    def changed(_: int) -> int:
        pytest.fail("the mask of the process is changed, by which files of other threads are created")

    monkeypatch.setattr(os, "umask", changed)
    replace_file(tmp_path / "duel.rules", b"")
    assert (tmp_path / "duel.rules").stat().st_mode == usual.stat().st_mode
