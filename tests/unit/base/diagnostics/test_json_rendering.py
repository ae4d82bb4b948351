from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.base.diagnostics.renderings import encode_diagnostic, encode_diagnostics
from rulewright.base.source import Span, Text

TEXTS = {"a.rules": Text("a.rules", "one\ntwo\n")}


def test_both_ends_of_a_place() -> None:
    finding = Diagnostic(
        "RW0301", Severity.ERROR, "m", Label(Span("a.rules", 4, 7), "here"), edits=(Edit(Span("a.rules", 0, 3), "1"),)
    )
    place = {"file": "a.rules", "line": 2, "column": 1, "end_line": 2, "end_column": 4}
    assert encode_diagnostic(finding, TEXTS) == {
        "code": "RW0301",
        "severity": "error",
        "message": "m",
        "place": place,
        "label": "here",
        "secondary": [],
        "notes": [],
        "help": "",
        "edits": [
            {"place": place | {"line": 1, "end_line": 1}, "replacement": "1", "safe": False},
        ],
        "address": "",
        "pointer": None,
    }


def test_a_place_without_its_text_has_no_numbers() -> None:
    found = encode_diagnostic(Diagnostic("RW0301", Severity.HINT, "m", Label(Span("b.rules", 4, 7))), {})
    assert found["place"] == {"file": "b.rules", "line": None, "column": None, "end_line": None, "end_column": None}


def test_a_document_has_a_version_and_what_the_command_adds() -> None:
    assert encode_diagnostics([], {}, files=[]) == {"version": 1, "diagnostics": [], "files": []}
