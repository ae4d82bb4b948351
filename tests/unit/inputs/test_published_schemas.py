import json
from pathlib import Path

import jsonschema
import pytest

from rulewright.diagnostics import Diagnostic, Edit, Label, Severity, as_json
from rulewright.resources import folder
from rulewright.source import Span, Text

SCHEMAS = sorted((folder("grammar") / "schemas").glob("*.schema.json"))
DIAGNOSTIC = Diagnostic(
    "RW0201",
    Severity.ERROR,
    "`moral` is not known here",
    Label(Span("a.rules", 0, 5), "here"),
    (Label(Span("b.rules", 0, 1)),),
    ("A note.",),
    "did you mean `morale`?",
    (Edit(Span("a.rules", 0, 5), "morale", safe=True),),
)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_published_schema_is_well_formed_and_named(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:rulewright:{path.name.removesuffix('.schema.json')}:1"


def test_diagnostics_are_printed_as_published() -> None:
    schema = json.loads((folder("grammar") / "schemas" / "diagnostics.schema.json").read_text(encoding="utf-8"))
    placeless = Diagnostic("RW0760", Severity.ERROR, "`--set a` is not of the form `--set NAME=VALUE`")
    document = as_json.document([DIAGNOSTIC, placeless], {"a.rules": Text("a.rules", "moral\n")})
    jsonschema.validate(document, schema)
    document["diagnostics"][0]["code"] = "E1"
    assert not jsonschema.Draft202012Validator(schema).is_valid(document)
