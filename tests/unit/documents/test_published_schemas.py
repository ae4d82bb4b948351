import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from rulewright.base.diagnostics import Diagnostic, Edit, Label, Severity
from rulewright.base.diagnostics.renderings import encode_diagnostics
from rulewright.base.files import get_resource_folder
from rulewright.base.source import Span, Text
from rulewright.cli.main import run_command_line
from rulewright.documents.saved_sessions import save_schema

SCHEMAS = sorted((get_resource_folder("grammar") / "schemas").glob("*.schema.json"))
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


def _schema(name: str) -> dict[str, Any]:
    path = get_resource_folder("grammar") / "schemas" / f"{name}.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_published_schema_is_well_formed_and_named(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    name = path.name.removesuffix(".schema.json")
    assert schema["$id"] == f"urn:rulewright:{name}:{2 if name == 'diff' else 1}"


def test_diagnostics_are_printed_as_published() -> None:
    schema = _schema("diagnostics")
    placeless = Diagnostic("RW0760", Severity.ERROR, "`--set a` is not of the form `--set NAME=VALUE`")
    document = encode_diagnostics([DIAGNOSTIC, placeless], {"a.rules": Text("a.rules", "moral\n")})
    jsonschema.validate(document, schema)
    document["diagnostics"][0]["code"] = "E1"
    assert not jsonschema.Draft202012Validator(schema).is_valid(document)


def test_a_run_is_printed_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = get_resource_folder("rulesets") / "mel" / "examples"
    words = f"run mel melee_attack --state {examples / 'duel.yaml'} --script {examples / 'push.yaml'} --format json"
    code = run_command_line(
        [*words.split(" "), "--with", "attacker=hammer", "--with", "defender=anvil", "--save", str(tmp_path / "x")]
    )
    assert code == 0
    document = json.loads(capsys.readouterr().out)
    diagnostics = _schema("diagnostics")
    registry = Registry().with_resource(diagnostics["$id"], Resource.from_contents(diagnostics))
    judge = jsonschema.Draft202012Validator(_schema("run"), registry=registry)
    assert [error.message for error in judge.iter_errors(document)] == []
    assert not judge.is_valid(document | {"outcome": "won"})
    jsonschema.validate(json.loads((tmp_path / "x").read_text(encoding="utf-8")), save_schema())
