"""Clause lists come from what was kept where the list is the same, and are those of the list in any case."""

import sys
from pathlib import Path

import pytest

from rulewright import keeping
from rulewright.source import Text
from rulewright.workspace import clause_lists
from rulewright.workspace.clause_lists import read_clauses
from rulewright.workspace.load import read_kept_clauses

ROOT = Path(__file__).parents[3]
LISTS = sorted((ROOT / "rulesets").glob("*/*.clauses.yaml"))
LIST = Text("DOC.clauses.yaml", "document: DOC\nclauses:\n  - {id: DOC.1, says: one thing}\n")


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of clause lists."""
    monkeypatch.setattr(keeping, "user_cache_path", lambda _: tmp_path)
    return tmp_path / "clauses"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with the document of every list that is read."""
    found: list[str] = []

    def counted(text: Text, document: str) -> object:
        found.append(document)
        return read_clauses(text, document)

    monkeypatch.setattr(clause_lists, "read_clauses", counted)
    return found


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_a_kept_list_is_that_of_the_text(path: Path, read: list[str]) -> None:
    text, document = Text(str(path), path.read_text(encoding="utf-8")), path.name.partition(".")[0]
    assert read_kept_clauses(text, document) == read_kept_clauses(text, document) == read_clauses(text, document)
    assert read == [document]


def test_another_list_or_document_is_read_again(read: list[str]) -> None:
    longer = Text(LIST.name, LIST.content + "  - {id: DOC.2}\n")
    for text, document in ((LIST, "DOC"), (longer, "DOC"), (LIST, "OTHER")):
        assert read_kept_clauses(text, document) == read_clauses(text, document)
    assert read == ["DOC", "DOC", "OTHER"]


def test_a_list_with_mistakes_is_read_each_time(read: list[str], kept: Path) -> None:
    wrong = Text(LIST.name, LIST.content.replace("DOC.1", "1"))
    assert read_kept_clauses(wrong, "DOC") == read_kept_clauses(wrong, "DOC") == read_clauses(wrong, "DOC")
    assert read == ["DOC", "DOC"]
    assert not kept.exists()


def test_another_reader_reads_again(read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    read_kept_clauses(LIST, "DOC")
    monkeypatch.setattr(sys.modules["rulewright.workspace.load"], "_reader", lambda: "of tomorrow")
    read_kept_clauses(LIST, "DOC")
    assert read == ["DOC", "DOC"]


def test_ids_without_their_document_are_told_once_with_all_edits() -> None:
    listed = Text("DOC.clauses.yaml", "document: DOC\nclauses:\n  - id: 1.a\n  - id: DOC.2\n  - id: 3.b\n")
    clauses, (found,) = read_clauses(listed, "DOC")
    assert clauses is None
    assert found.message == "ids of clauses begin with `DOC.`; this one and 1 more do not"
    assert found.help == "did you mean `DOC.1.a`?"
    assert [each.replacement for each in found.edits] == ["DOC.1.a", "DOC.3.b"]
