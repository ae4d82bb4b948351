import json
from collections.abc import Iterable
from pathlib import Path

import jsonschema
import pytest
import yaml

from rulewright.base.files import DISK, get_resource_folder
from rulewright.scenarios.case_opening import RulesetLoader
from rulewright.scenarios.case_play import play_case
from rulewright.scenarios.scenario_files import read_cases
from rulewright.scenarios.suite import ScenarioCase
from support.duel_example import RunCommand
from support.sample_sizes import sample_cases


@pytest.mark.parametrize("line", range(2))
def test_the_commands_of_its_readme_work(run: RunCommand, line: int) -> None:
    run("new", "skirmish")
    readme = Path("skirmish/README.md").read_text(encoding="utf-8")
    commands = [each for each in readme.splitlines() if each.startswith("rulewright run ")]
    done = run(*commands[line].split()[1:])
    assert (done.exit, done.err) == (0, "")


SHIPPED = sorted(each.name for each in get_resource_folder("rulesets").iterdir() if each.is_dir())


@pytest.mark.parametrize("name", sample_cases(SHIPPED, 4))
def test_a_copy_of_a_shipped_ruleset_is_fine_under_its_own_name(run: RunCommand, name: str) -> None:
    done = run("new", "of/my-own", "--from", name, "--format", "json")
    assert done.exit == 0
    written = {str(each) for each in Path("of/my-own").rglob("*") if each.is_file()}
    assert set(json.loads(done.out)["files"]) == written
    checked = run("check", "of/my-own")
    assert (checked.exit, checked.out.partition(":")[0]) == (0, "of/my-own")
    assert 'ruleset my_own "My own" revision "' in Path("of/my-own/my_own.rules").read_text(encoding="utf-8")
    readme = Path("of/my-own/README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"# My own\n\nA copy of `{name}`")
    assert f"rulesets/{name}" not in readme
    assert [each.name for each in Path("of").iterdir()] == ["my-own"]


@pytest.mark.parametrize("name", sample_cases(["risk", "pig", "mel", "melee-phase-2025-10", "legion-melee"], 5))
def test_the_scenarios_of_a_copy_play_the_copy(run: RunCommand, name: str) -> None:
    run("new", "my-own", "--from", name)
    rulesets = RulesetLoader(DISK)
    first, *more = differing(read_cases(["my-own"], rulesets).value or ())
    assert run("test", "my-own", "--workers", "1", "-k", first.name).exit == 0
    assert {play_case(case, rulesets).outcome for case in more} <= {"passed"}
    rules = Path("my-own/my_own.rules")
    rules.write_text(rules.read_text(encoding="utf-8") + "what stands here is no rule\n", encoding="utf-8")
    assert run("test", "my-own").exit != 0


def differing(cases: Iterable[ScenarioCase]) -> Iterable[ScenarioCase]:
    """The first scenario of each file and of each set of overlays: a copy changes what they name, and no rule."""
    found = {(case.file, tuple(each.text for each in case.overlays)): case for case in reversed([*cases])}
    return found.values()


def test_what_cannot_be_copied_leaves_nothing(run: RunCommand) -> None:
    assert run("new", "x", "--from", "rsk").exit == 2
    Path("there").mkdir()
    assert run("new", "there", "--from", "risk").exit == 2
    assert [each for each in Path().rglob("*") if each.name == "x" or each.parent.name == "there"] == []


def test_its_state_fits_its_schema(run: RunCommand) -> None:
    run("new", "skirmish")
    schema = json.loads(run("schema", "skirmish").out)
    state = yaml.safe_load(Path("skirmish/skirmish.scenario.yaml").read_text(encoding="utf-8"))["state"]
    jsonschema.Draft202012Validator(schema).validate(state)
    del state["knights"]["gawain"]["health"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(state)


@pytest.mark.parametrize("what", ["state", "script", "save"])
def test_schemas_are_schemas(run: RunCommand, what: str) -> None:
    schema = json.loads(run("schema", "mel", what).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].startswith("urn:rulewright:")


def test_a_table_of_a_page_keeps_its_rows(run: RunCommand) -> None:
    told = run("explain", "RW0131").out
    assert "`sign(n)`                            `max(-1, min(1, n))`\n" in told
    assert "the cells `step(a, way)` of all\n                                     `directions()`" in told
    assert "|" not in told.partition("Fails:")[0]


def test_explain_alone_lists_every_code(run: RunCommand) -> None:
    listed = run("explain").out.splitlines()
    assert listed[0] == "RW0001  no such file"
    assert [each["code"] for each in json.loads(run("explain", "--format", "json").out)] == [
        line.split()[0] for line in listed
    ]


def test_a_source_that_no_path_can_be_is_none(run: RunCommand) -> None:
    done = run("new", "mine", "--from", "x" * 5_000)
    assert (done.exit, done.err.partition(":")[0]) == (2, "error RW0580")
