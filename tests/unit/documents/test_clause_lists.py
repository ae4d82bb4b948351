"""Clause lists are read, and their mistakes told."""

from rulewright.base.source import Text
from rulewright.documents.clause_lists import parse_clause_list


def test_ids_without_their_document_are_told_once_with_all_edits() -> None:
    listed = Text("DOC.clauses.yaml", "document: DOC\nclauses:\n  - id: 1.a\n  - id: DOC.2\n  - id: 3.b\n")
    clauses, (found,) = parse_clause_list(listed, "DOC")
    assert clauses is None
    assert found.message == "ids of clauses begin with `DOC.`; this one and 1 more do not"
    assert found.help == "did you mean `DOC.1.a`?"
    assert [each.replacement for each in found.edits] == ["DOC.1.a", "DOC.3.b"]
