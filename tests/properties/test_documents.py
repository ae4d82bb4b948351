"""Documents with something changed at random: their readers and their published schemas accept and refuse the same."""

import hashlib
import io
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from rulewright import api
from rulewright.base.bounded_files import PROJECT_FILE_NAME, ProjectFileError
from rulewright.base.files import get_resource_folder
from rulewright.base.source import Text
from rulewright.cli.main import run_command_line
from rulewright.documents.answer_scripts import parse_script
from rulewright.documents.clause_lists import clause_list_schema, parse_clause_list
from rulewright.documents.document_nodes import data_to_node, parse_plain_scalar
from rulewright.documents.document_schemas import document_shapes, script_schema, state_schema
from rulewright.documents.document_shapes import DocumentShape, strip_message_words
from rulewright.documents.project_file import load_project_file, project_schema
from rulewright.documents.saved_sessions import RecordedAnswer, SavedSession, format_save, read_save, save_schema
from rulewright.documents.state_file import parse_state
from rulewright.program.declarations import Program
from rulewright.program.walk import strip_address_numbers
from rulewright.scenarios.expectation_schema import expect_schema
from rulewright.scenarios.suite_schema import scenario_schema
from support.sample_sizes import choose_count
from support.yaml_data import read_yaml

RULESETS = sorted(each.name for each in get_resource_folder("rulesets").iterdir() if each.is_dir())
DUEL = Path(__file__).parents[1] / "unit" / "scenarios"
VALUES = [
    None,
    True,
    0,
    1,
    -1,
    1.5,
    "",
    " ",
    "text",
    "1/2",
    [],
    ["a"],
    [[1, 2]],
    {},
    {"at": "a"},
    {"answer": 1, "x": 2},
]
OF_SHAPE = frozenset({"RW0742", "RW1001", "RW1002", "RW1003", "RW1008", "RW1030", "RW1061"})
"""What a schema of scenario files can say: which keys there are, and of which sort."""

NAMED_IN_VAIN = frozenset({"RW0714", "RW0716"})
"""Things, cells and fields that only the whole state tells; so is what a thing lacks, where there are `defaults`."""
CROSSES = "crosses itself"
"""What is said of an outline whose corners were exchanged, of which a schema knows nothing."""

SEEDS = st.integers(0, 2**32)
often = settings(
    max_examples=choose_count(10, 150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class Reader(yaml.SafeLoader):
    """YAML with the scalars of 1.2."""


Reader.yaml_implicit_resolvers = {}
Reader.add_constructor(
    "tag:yaml.org,2002:str", lambda _, node: node.value if node.style else make_plain_scalar(node.value)
)


def make_plain_scalar(written: str) -> Any:
    found = parse_plain_scalar(written)
    return float(found) if isinstance(found, Fraction) else found


def data_of(text: str) -> Any:
    return yaml.load(text, Reader)  # noqa: S506 - a safe loader of our own


def list_positions(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with every key or position in it."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, inner in list(entries):
        yield data, key
        yield from list_positions(inner)


def mutate_data(good: Any, seed: int) -> Any:
    """The data with one thing added, left out, misspelt, or of another sort."""
    random, data = Random(seed), json.loads(json.dumps(good))
    holder, key = random.choice(list(list_positions(data)))
    match random.choice(["replaced", "added", "left out", "misspelt", "wrapped"]):
        case "replaced":
            holder[key] = random.choice(VALUES)
        case "left out":
            del holder[key]
        case "wrapped":
            holder[key] = [holder[key]]
        case "misspelt" if isinstance(holder, dict):
            holder[f"{key}x"] = holder.pop(key)
        case _ if isinstance(holder, dict):
            holder[random.choice(["tiem", "by", "at", "each"])] = random.choice(VALUES)
        case _:
            holder.append(random.choice(VALUES))
    return data


def is_accepted(schema: dict[str, Any], data: Any) -> bool:
    return jsonschema.Draft202012Validator(schema).is_valid(data)  # type: ignore[no-any-return]


@cache
def list_scenario_documents() -> list[Any]:
    """Scenario files that hold everything there is, as data."""
    tables = sorted((DUEL / "invalid").glob("*.yaml"))
    held = [data_of(read_yaml(path)["good"]) for path in tables]
    return [*held, data_of(EVERYTHING)]


EVERYTHING = """\
procedure: strike
with: {striker: gawain, target: mordred}
states: {hall: {players: [red, blue], knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 3,
  shield: yes}}, game: {active: red}}}
state: hall
exclude: [{what: strike/2/answer, because: nobody dodges here}]
survivors: [{what: strike, because: a page needs one}]
scenarios:
  parried:
    covers: DUEL.1.c
    script: [{answer: [5], at: 1/blow, by: red}, {answer: parry, at: 2/answer}]
    expect:
      asked: [1/blow, {at: 2/answer, by: blue, with: {}}]
      asked_of: {2/answer: blue}
      offered: {2/answer: [parry, dodge]}
      rejects:
        - {at: 2/answer, answer: duck, because: it must be, by: blue, time: 1}
        - {at: 2/answer, answer: parry, because: is asked, when: 1/blow}
        - {at: 1/blow, answer: [2], because: any more, when: end}
      counted: {needed: {shield: 1}}
      rulings: [DUEL.F1]
  by address:
    seed: 1
    policy: first
    matrix: {settings: {deadly: [yes, no]}}
    script: {1/blow: {each: [[5]]}, 2/answer: parry}
    expect: {path: [1, 2], applied: [needed/shield], not_applied: [needed/wounded], result: 0}
  out of turn:
    patch: {game: {active: blue}}
    expect: {refused: [only the active player strikes]}
  nobody:
    patch: {knights: {gawain: {health: 12}}}
    expect: {invalid: [it must be from 0 to 9]}
"""


@pytest.fixture(scope="module")
def duel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents") / "duel"
    shutil.copytree(DUEL / "example", made)
    return made


def codes_of_test(data: Any, duel: Path) -> set[str]:
    """The codes that `rulewright test` tells of a scenario file."""
    file, printed = duel / "duel.scenario.yaml", io.StringIO()
    file.write_text(json.dumps(data), encoding="utf-8")
    kept = patch.dict("os.environ", {"XDG_CACHE_HOME": str(duel / "cache")})
    with kept, redirect_stdout(printed), redirect_stderr(printed):
        run_command_line(["test", str(file), "--format", "json"])
    return set(re.findall(r'"code": "(RW\d{4})"', printed.getvalue()))


@pytest.mark.parametrize("number", range(len(list_scenario_documents())))
def test_a_good_scenario_file_is_accepted_by_both(number: int, duel: Path) -> None:
    data = list_scenario_documents()[number]
    assert is_accepted(scenario_schema(), data)
    assert not codes_of_test(data, duel) & OF_SHAPE


@often
@given(seed=SEEDS)
def test_scenario_files_are_refused_where_their_schema_refuses_them(seed: int, duel: Path) -> None:
    data = mutate_data(list_scenario_documents()[seed % len(list_scenario_documents())], seed)
    found = codes_of_test(data, duel)
    assert is_accepted(scenario_schema(), data) is not bool(found & OF_SHAPE), (data, found)


@cache
def load_program(name: str) -> Program:
    return api.load(name).executable.program


def list_subdocuments(name: str) -> Iterator[Any]:
    """All that stands in the scenario files and examples of a ruleset."""
    for path in sorted(get_resource_folder("rulesets").glob(f"{name}/**/*.yaml")):
        data = data_of(path.read_text(encoding="utf-8"))
        yield from (data, *(holder[key] for holder, key in list_positions(data)))


@cache
def list_states(name: str) -> list[Any]:
    found = (
        each
        for each in list_subdocuments(name)
        if isinstance(each, dict) and isinstance(each.get("players"), list | dict)
    )
    schema = state_schema(load_program(name))
    return [each for each in found if is_accepted(schema, each)][:40]


@cache
def list_scripts(name: str) -> list[Any]:
    found = (each["script"] for each in list_subdocuments(name) if isinstance(each, dict) and each.get("script"))
    return [each for each in found if isinstance(each, list | dict)]


@pytest.mark.parametrize("name", RULESETS)
@often
@given(seed=SEEDS)
def test_states_are_refused_where_their_schema_refuses_them(seed: int, name: str) -> None:
    held = list_states(name)
    data = mutate_data(held[seed % len(held)], seed)
    told = parse_state(data_to_node(data), load_program(name)).diagnostics
    found = {each.code for each in told if not each.message.endswith(CROSSES)}
    if is_accepted(state_schema(load_program(name)), data):
        short = any("defaults" in each for each in data.values() if isinstance(each, dict))
        assert found <= NAMED_IN_VAIN | ({"RW0711"} if short else set()), data
    else:
        assert found or is_accepted(state_schema(load_program(name)), drop_unused_defaults(data)), data


def drop_unused_defaults(data: Any) -> Any:
    """A state without the defaults that nothing takes, which nobody reads."""
    sections = data if isinstance(data, dict) else {}
    return {key: _drop_unused(each) if isinstance(each, dict) else each for key, each in sections.items()}


def _drop_unused(section: dict[str, Any]) -> dict[str, Any]:
    things = [each for key, each in section.items() if key != "defaults"]
    if not all(isinstance(each, dict) for each in (*things, section.get("defaults", {}))):
        return section
    wanted = {key: each for key, each in section.get("defaults", {}).items() if any(key not in one for one in things)}
    return {key: wanted if key == "defaults" else each for key, each in section.items()}


@pytest.mark.parametrize("name", RULESETS)
@often
@given(seed=SEEDS)
def test_scripts_but_for_their_answers_are_refused_where_their_schema_refuses_them(seed: int, name: str) -> None:
    held = list_scripts(name)
    data = mutate_data(held[seed % len(held)], seed)
    told = parse_script(data_to_node(data), load_program(name)).diagnostics
    of_answers = [each for each in told if each.address]
    assert is_accepted(script_schema(load_program(name)), data) is (len(told) == len(of_answers)), data
    assert {strip_address_numbers(each.address) for each in of_answers} <= document_shapes(
        load_program(name)
    ).answers.keys()


def make_save() -> dict[str, Any]:
    state: dict[str, Any] = {
        "players": ["red", "blue"],
        "units": {
            "hammer": {"owner": "red", "at": [0, 0], "facing": 0, "health": 3, "morale": 2},
            "anvil": {"owner": "blue", "at": [1, 0], "facing": 3, "health": 3, "morale": 1},
        },
        "field": {"shape": {"radius": 3}},
        "game": {"active": "hammer"},
    }
    program, roles = load_program("mel"), {"attacker": "hammer", "defender": "anvil"}
    answers = (RecordedAnswer("melee_attack/MEL.20/attacker_forms", "red", answer=False),)
    made = SavedSession("mel", program.revision, program.fingerprint, "melee_attack", roles, state, 1, answers)
    held: dict[str, Any] = json.loads(format_save(made))
    return held


SAVED = cache(make_save)


@often
@given(seed=SEEDS)
def test_saves_are_refused_where_their_schema_refuses_them(seed: int) -> None:
    data = mutate_data(SAVED(), seed)
    rest = {key: each for key, each in data.items() if key != "sum"}
    told = json.dumps(rest, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    data = {**rest, "sum": hashlib.sha256(told.encode()).hexdigest()}
    found = {each.code for each in read_save(Text("save.json", json.dumps(data)), load_program("mel")).diagnostics}
    if is_accepted(save_schema(), data):
        assert found <= {"RW0752", "RW0753"}, data
    else:
        assert found, data


@cache
def clause_list() -> Any:
    return data_of((get_resource_folder("rulesets") / "mel" / "MEL.clauses.yaml").read_text(encoding="utf-8"))


def test_the_published_schema_of_clause_lists_is_the_one_that_is_kept() -> None:
    path = get_resource_folder("grammar") / "schemas" / "clauses.schema.json"
    assert json.loads(path.read_text(encoding="utf-8")) == strip_message_words(clause_list_schema())
    assert is_accepted(clause_list_schema(), clause_list())


@often
@given(seed=SEEDS)
def test_clause_lists_are_refused_where_their_schema_refuses_them(seed: int) -> None:
    data = clause_list()
    data = mutate_data({**data, "clauses": data["clauses"][:3]}, seed)
    _, diagnostics = parse_clause_list(Text("MEL.clauses.yaml", json.dumps(data)), "MEL")
    found = {each.code for each in diagnostics}
    if is_accepted(clause_list_schema(), data):
        assert found <= {"RW0621", "RW0622"}, data
    else:
        assert found, data


@cache
def load_judged_documents(sort: str) -> tuple[dict[str, Any], list[Any]]:
    """A schema, and documents that have its shape."""
    program = load_program("mel")
    match sort:
        case "state":
            return document_shapes(program).state.schema, list_states("mel")
        case "script":
            return document_shapes(program).script.schema, list_scripts("mel")
        case "scenario":
            return scenario_schema(), list_scenario_documents()
        case "expectations":
            held = [
                case["expect"]
                for each in list_scenario_documents()
                for case in each["scenarios"].values()
                if case.get("expect")
            ]
            return expect_schema(), held
        case "clauses":
            return clause_list_schema(), [{**clause_list(), "clauses": clause_list()["clauses"][:3]}]
        case "project":
            return project_schema(), [{"allow": ["../base"]}]
        case _:
            return save_schema(), [SAVED()]


PROJECT_FILES = [{"allow": each} for each in VALUES if each is not None and not isinstance(each, dict)]


@pytest.mark.parametrize("data", [*PROJECT_FILES, {}, {"allow": ["a\0"]}, {"allow": ["a", 1]}, {"alow": []}])
def test_project_files_are_refused_where_their_schema_refuses_them(data: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE_NAME).write_text("".join(f"{key} = {json.dumps(each)}\n" for key, each in data.items()))
    told = ""
    try:
        load_project_file(str(tmp_path))
    except ProjectFileError as wrong:
        told = wrong.diagnostic.message
    assert is_accepted(project_schema(), data) is (not told or told.startswith("there is no folder"))


@pytest.mark.parametrize("sort", ["state", "script", "scenario", "expectations", "clauses", "save", "project"])
@often
@given(seed=SEEDS)
def test_the_function_of_a_schema_lets_pass_what_jsonschema_does(seed: int, sort: str) -> None:
    schema, held = load_judged_documents(sort)
    data = mutate_data(held[seed % len(held)], seed)
    assert DocumentShape(schema).is_valid(data_to_node(data)) is is_accepted(schema, data), data


@pytest.mark.parametrize("sort", ["state", "script"])
def test_the_schema_that_is_printed_is_the_one_that_judges(sort: str) -> None:
    """A state is judged once its things are in full, so short forms are no part of what judges it."""
    out = io.StringIO()
    with redirect_stdout(out):
        run_command_line(["schema", "mel", sort])
    printed = json.loads(out.getvalue())
    for section in printed["properties"].values() if sort == "state" else ():
        for form in section.get("anyOf", ()):
            if "else" in form:
                form["else"]["additionalProperties"] = form["else"]["additionalProperties"]["else"]
    judging = {
        "state": document_shapes(load_program("mel")).state,
        "script": document_shapes(load_program("mel")).script,
    }[sort]
    assert printed == json.loads(json.dumps(strip_message_words(judging.schema)))
