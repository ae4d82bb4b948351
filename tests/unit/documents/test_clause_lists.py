"""Clause lists come from what was kept where the list is the same, and are those of the list in any case."""

import sys
from pathlib import Path

import pytest

from rulewright.base import disk_cache
from rulewright.base.source import Text
from rulewright.documents import clause_lists
from rulewright.documents.clause_lists import parse_clause_list
from rulewright.documents.ruleset_loading import read_cached_clauses

ROOT = Path(__file__).parents[3]
LISTS = sorted((ROOT / "rulesets").glob("*/*.clauses.yaml"))
LIST = Text("DOC.clauses.yaml", "document: DOC\nclauses:\n  - {id: DOC.1, says: one thing}\n")


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of clause lists."""
    monkeypatch.setattr(disk_cache, "user_cache_path", lambda _: tmp_path)
    return tmp_path / "clauses"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with the document of every list that is read."""
    found: list[str] = []

    def counted(text: Text, document: str) -> object:
        found.append(document)
        return parse_clause_list(text, document)

    monkeypatch.setattr(clause_lists, "parse_clause_list", counted)
    return found


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_a_kept_list_is_that_of_the_text(path: Path, read: list[str]) -> None:
    text, document = Text(str(path), path.read_text(encoding="utf-8")), path.name.partition(".")[0]
    assert (
        read_cached_clauses(text, document) == read_cached_clauses(text, document) == parse_clause_list(text, document)
    )
    assert read == [document]


def test_another_list_or_document_is_read_again(read: list[str]) -> None:
    longer = Text(LIST.name, LIST.content + "  - {id: DOC.2}\n")
    for text, document in ((LIST, "DOC"), (longer, "DOC"), (LIST, "OTHER")):
        assert read_cached_clauses(text, document) == parse_clause_list(text, document)
    assert read == ["DOC", "DOC", "OTHER"]


def test_a_list_with_mistakes_is_read_each_time(read: list[str], kept: Path) -> None:
    wrong = Text(LIST.name, LIST.content.replace("DOC.1", "1"))
    assert read_cached_clauses(wrong, "DOC") == read_cached_clauses(wrong, "DOC") == parse_clause_list(wrong, "DOC")
    assert read == ["DOC", "DOC"]
    assert not kept.exists()


def test_another_reader_reads_again(read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    read_cached_clauses(LIST, "DOC")
    monkeypatch.setattr(
        sys.modules["rulewright.documents.ruleset_loading"], "_clause_reader_version", lambda: "of tomorrow"
    )
    read_cached_clauses(LIST, "DOC")
    assert read == ["DOC", "DOC"]


def test_ids_without_their_document_are_told_once_with_all_edits() -> None:
    listed = Text("DOC.clauses.yaml", "document: DOC\nclauses:\n  - id: 1.a\n  - id: DOC.2\n  - id: 3.b\n")
    clauses, (found,) = parse_clause_list(listed, "DOC")
    assert clauses is None
    assert found.message == "ids of clauses begin with `DOC.`; this one and 1 more do not"
    assert found.help == "did you mean `DOC.1.a`?"
    assert [each.replacement for each in found.edits] == ["DOC.1.a", "DOC.3.b"]
