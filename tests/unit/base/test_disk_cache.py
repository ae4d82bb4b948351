"""A shelf gives back what was put there, whole, or nothing at all."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rulewright.base import disk_cache
from rulewright.base.disk_cache import CacheBucket, fingerprint_code, make_cache_key

SHELF = CacheBucket("things", max_entries=3, max_bytes=1000)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where things are kept."""
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path)
    return tmp_path / "things"


@pytest.fixture
def _later(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Makes each thing a second younger than the one before, however fast they are kept."""
    replace = Path.replace

    def moved(self: Path, target: Path) -> Path:
        os.utime(self, (0, sum(1 for _ in folder.iterdir())))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", moved)


@pytest.mark.usefixtures("folder")
def test_what_is_kept_comes_back() -> None:
    assert SHELF.load_bytes("a") is None
    SHELF.store_bytes("a", b"one")
    SHELF.store_bytes("b", b"")
    assert (SHELF.load_bytes("a"), SHELF.load_bytes("b")) == (b"one", b"")


@pytest.mark.usefixtures("folder")
def test_what_is_kept_again_takes_the_place_of_the_old() -> None:
    SHELF.store_bytes("a", b"one")
    SHELF.store_bytes("a", b"two")
    assert SHELF.load_bytes("a") == b"two"


def test_one_file_for_each_thing(folder: Path) -> None:
    SHELF.store_bytes("a", b"one")
    SHELF.store_bytes("a", b"two")
    assert [each.name for each in folder.iterdir()] == ["a"]


DAMAGES: list[Callable[[bytes], bytes]] = [
    lambda whole: whole[:-1],
    lambda whole: whole[:10],
    lambda _: b"",
    lambda _: b"nonsense",
    lambda whole: whole[:-1] + b"!",
    lambda whole: whole + b"!",
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_counts_as_not_kept(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    SHELF.store_bytes("a", b"one")
    (folder / "a").write_bytes(damage((folder / "a").read_bytes()))
    assert SHELF.load_bytes("a") is None


def test_what_bears_the_name_of_another_counts_as_not_kept(folder: Path) -> None:
    SHELF.store_bytes("a", b"one")
    (folder / "a").rename(folder / "b")
    assert SHELF.load_bytes("b") is None


@pytest.mark.usefixtures("_later")
def test_the_oldest_go_when_there_are_too_many(folder: Path) -> None:
    for each in "abcde":
        SHELF.store_bytes(each, b"one")
    assert sorted(each.name for each in folder.iterdir()) == ["c", "d", "e"]


@pytest.mark.usefixtures("_later")
def test_the_oldest_go_when_they_are_too_large_together() -> None:
    for each in "abc":
        SHELF.store_bytes(each, b"x" * 400)
    assert [SHELF.load_bytes(each) is None for each in "abc"] == [True, False, False]


def test_what_is_too_large_alone_is_not_kept(folder: Path) -> None:
    SHELF.store_bytes("a", b"x" * 1001)
    assert not folder.exists()


def test_a_folder_that_cannot_be_made_is_done_without(folder: Path) -> None:
    folder.touch()
    SHELF.store_bytes("a", b"one")
    assert SHELF.load_bytes("a") is None


def test_a_file_that_cannot_be_moved_into_place_is_done_without(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "replace", refused)
    SHELF.store_bytes("a", b"one")
    assert SHELF.load_bytes("a") is None
    assert folder.is_dir()


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: Path("~/.cache"))
    SHELF.store_bytes("a", b"one")
    assert SHELF.load_bytes("a") is None
    assert list(tmp_path.iterdir()) == []


def test_a_key_differs_where_any_part_does() -> None:
    keys = [make_cache_key("a", "b"), make_cache_key("ab"), make_cache_key("a", "b", ""), make_cache_key("a", "c")]
    assert len(set(keys)) == len(keys)
    assert make_cache_key("a") == make_cache_key(b"a")


def test_code_is_known_by_what_it_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.py").write_text("b = 1")
    (tmp_path / "a.py").write_text("a = 1")
    (tmp_path / "c.py").write_text("c = 1")
    monkeypatch.setattr(disk_cache, "__file__", str(tmp_path / "base" / "disk_cache.py"))
    first = fingerprint_code(("a.py", "inner"), "yaml")
    (tmp_path / "c.py").write_text("c = 2")
    assert fingerprint_code(("a.py", "inner"), "yaml") == first
    assert fingerprint_code(("a.py", "inner"), "lark") != first
    (tmp_path / "inner" / "b.py").write_text("b = 2")
    assert fingerprint_code(("a.py", "inner"), "yaml") != first
