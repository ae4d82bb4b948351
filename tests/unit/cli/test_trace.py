import json
from pathlib import Path

import jsonschema
import pytest
from referencing import Registry, Resource

from rulewright.base.files import get_resource_folder
from rulewright.checker.clauses import iterate_margin_cites, resolve_clause_id, trace_clauses
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.program.walk import map_address_spans
from support.duel_example import RunCommand


def test_every_clause_of_a_shipped_ruleset_is_answered(run: RunCommand) -> None:
    done = run("trace", "mel")
    assert (done.exit, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "MEL: 55 of 55 clauses answered: 55 cited"


def test_json_fits_the_schema(run: RunCommand) -> None:
    schema = json.loads(
        (Path(get_resource_folder("grammar")) / "schemas" / "trace.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(run("trace", "mel", "--overlay", "mel_abilities", "--format", "json").out)
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["fine"] is True
    assert [each["name"] for each in document["documents"]] == ["MEL", "ABL"]


@pytest.mark.parametrize("overlay", [(), ("mel_dice",), ("mel_abilities",), ("mel_house_rules",)])
def test_every_cite_of_a_margin_is_traced(overlay: tuple[str, ...]) -> None:
    linked = load_ruleset(locate_ruleset("mel"), overlay).linked
    assert linked is not None
    traced = {
        each.entry.id for document in trace_clauses(linked).documents for each in document.clauses if each.statements
    }
    assert traced == {resolve_clause_id(cite, linked.document_by_source) for cite in iterate_margin_cites(linked)}


@pytest.mark.parametrize("name", ["mel", "tricorne-melee"])
def test_statements_have_the_addresses_of_runs(name: str) -> None:
    loaded = load_ruleset(locate_ruleset(name))
    assert loaded.program is not None
    assert loaded.linked is not None
    traced = {
        each.address for one in trace_clauses(loaded.linked).documents for c in one.clauses for each in c.statements
    }
    assert traced <= set(map_address_spans(loaded.program))


def test_a_folder_of_rulesets_is_traced_one_after_the_other(run: RunCommand, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "box" / name).mkdir(parents=True)
        text = f'ruleset {name} "{name}" revision "1"\ndocument EX "Examples"\nmeasure m: 1  @1.a\n'
        (tmp_path / "box" / name / f"{name}.rules").write_text(text, encoding="utf-8")
    both = run("trace", "box")
    assert both.exit == 0
    assert [line for line in both.out.splitlines() if line.startswith("box/")] == ["box/a", "box/b"]
    broken = 'ruleset b "b" revision "1"\nmeasure m: none_such\n'
    (tmp_path / "box" / "b" / "b.rules").write_text(broken, encoding="utf-8")
    one = run("trace", "box", "--format", "json")
    assert one.exit == 2
    document = json.loads(one.out)
    schemas = [
        json.loads(
            (Path(get_resource_folder("grammar")) / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
        )
        for name in ("trace", "diagnostics")
    ]
    registry = Registry().with_resources([(each["$id"], Resource.from_contents(each)) for each in schemas])
    jsonschema.Draft202012Validator(schemas[0], registry=registry).validate(document)
    assert [(each["path"], each["fine"]) for each in document["rulesets"]] == [("box/a", True), ("box/b", False)]
