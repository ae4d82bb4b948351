"""The engine keeps its tables where it can, and does without where it cannot."""

from pathlib import Path

import pytest

from rulewright.resources import folder
from rulewright.syntax import engine
from rulewright.syntax.engine import Engine, Reading


def test_without_a_place_for_its_tables_it_reads_all_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    monkeypatch.setattr(engine, "user_cache_path", lambda _: blocked / "inside")
    assert isinstance(Engine().read("game:\n  a: flag\n"), Reading)


def test_tables_are_kept_and_used_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "user_cache_path", lambda _: tmp_path)
    assert isinstance(Engine().read("game:\n  a: flag\n"), Reading)
    assert (tmp_path / "grammar.tables").stat().st_size > 0
    assert isinstance(Engine().read("game:\n  a: flag\n"), Reading)


def test_damaged_tables_are_made_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "grammar.tables").write_bytes(b"nonsense")
    monkeypatch.setattr(engine, "user_cache_path", lambda _: tmp_path)
    assert isinstance(Engine().read("game:\n  a: flag\n"), Reading)


def test_shipped_files_are_found() -> None:
    assert (folder("grammar") / "rules.lark").is_file()
    assert (folder("rulesets") / "mel" / "mel.rules").is_file()
