"""Tables are kept where something can be kept, and the parser does without where it cannot."""

from collections.abc import Callable
from pathlib import Path

import pytest
from lark import Lark

from rulewright.base import disk_cache
from rulewright.syntax import engine

GRAMMAR = r"""
start: NAME _NL
NAME: /[a-z]+/
_NL: /\n/
%ignore " "
"""


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder for the tables of a small grammar."""
    (tmp_path / "rules.lark").write_text(GRAMMAR)
    monkeypatch.setattr(engine, "get_resource_folder", lambda _: tmp_path)
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path / "kept")
    return tmp_path / "kept" / "tables"


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with every parser that is built from the grammar."""
    found: list[str] = []

    def counted(grammar: str, **options: object) -> Lark:
        found.append("built")
        return Lark(grammar, **options)

    counted.load = Lark.load  # type: ignore[attr-defined]
    monkeypatch.setattr(engine, "Lark", counted)
    return found


def reads() -> bool:
    return engine.load_parser().parse("name\n").children == ["name"]


def test_tables_are_built_once_and_kept_in_one_file(kept: Path, built: list[str]) -> None:
    assert reads()
    assert reads()
    assert built == ["built"]
    assert len(list(kept.iterdir())) == 1


@pytest.mark.parametrize("damage", [lambda whole: whole[:500], lambda _: b"", lambda _: b"nonsense"])
def test_damaged_tables_are_built_anew(kept: Path, built: list[str], damage: Callable[[bytes], bytes]) -> None:
    assert reads()
    for each in kept.iterdir():
        each.write_bytes(damage(each.read_bytes()))
    assert reads()
    assert reads()
    assert built == ["built", "built"]


def test_tables_that_cannot_be_kept_are_built_each_time(kept: Path, built: list[str]) -> None:
    kept.parent.touch()
    assert reads()
    assert reads()
    assert built == ["built", "built"]


def test_two_processes_that_build_at_once_both_leave_whole_tables(
    kept: Path, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as blind:
        blind.setattr(engine, "_load_cached_parser", lambda _: None)
        assert reads()
        assert reads()
    assert reads()
    assert built == ["built", "built"]
    assert len(list(kept.iterdir())) == 1
