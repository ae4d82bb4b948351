"""The schemas of scenario files accept and refuse what the reader does."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from rulewright.base.files import get_resource_folder
from rulewright.documents.document_nodes import parse_plain_scalar
from rulewright.documents.document_shapes import strip_message_words
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.scenarios.suite_schema import scenario_schema
from support.sample_sizes import sample_cases
from support.yaml_data import read_yaml

HERE = Path(__file__).parent
TABLES = sorted((HERE / "invalid").glob("*.yaml"))
OF_SHAPE = frozenset({"RW0742", "RW1001", "RW1002", "RW1003", "RW1008"})
"""What a schema can say: which keys there are, and of which sort."""

ELSEWHERE = frozenset({"RW0701", "RW0703", "RW0704", "RW0705", "RW0706"})
"""What is no YAML has nothing for a schema to judge."""


class Reader(yaml.SafeLoader):
    """YAML with the scalars of 1.2."""


Reader.yaml_implicit_resolvers = {}
Reader.add_constructor(
    "tag:yaml.org,2002:str", lambda _, node: node.value if node.style else parse_plain_scalar(node.value)
)


@cache
def judge(name: str) -> jsonschema.Draft202012Validator:
    program = load_ruleset(locate_ruleset(str(HERE / "example"))).program if name else None
    return jsonschema.Draft202012Validator(scenario_schema(program))


def files() -> list[Any]:
    found = []
    for path in TABLES:
        held = read_yaml(path)
        for entry in held["wrong"]:
            content = entry["file"] if "file" in entry else held["good"].replace(entry["old"], entry["new"])
            codes = set(re.findall(r"RW\d{4}", entry["says"]))
            if not codes & ELSEWHERE:
                found.append(pytest.param(content, codes, id=f"{path.stem}: {entry['name']}"))
    return found


@pytest.mark.parametrize(("content", "codes"), sample_cases(files(), 3))
def test_the_general_schema_refuses_what_is_wrong_in_shape_and_nothing_else(content: str, codes: set[str]) -> None:
    accepted = judge("").is_valid(yaml.load(content, Reader))  # noqa: S506 - a safe loader of our own
    assert accepted is not bool(codes & OF_SHAPE)


def test_the_schema_of_a_ruleset_knows_its_names() -> None:
    good = read_yaml(HERE / "invalid" / "names.yaml")["good"]
    accepts = judge("duel")
    assert [each.message for each in accepts.iter_errors(yaml.load(good, Reader))] == []  # noqa: S506
    for right, wrong in (
        ("procedure: gust", "procedure: breeze"),
        ("with: {k: gawain}", "with: {x: gawain}"),
        ("path: [1, 2]", "path: [one, 2]"),
        ("asked: [1/blow, 2/answer]", "asked: [1/blow, 2/reply]"),
        ("applied: [needed/shield]\n", "applied: [needed/sword]\n"),
        ("measures: {health_left", "measures: {strength"),
        ("changes: {knights: {mordred: {health", "changes: {knight: {mordred: {health"),
    ):
        assert good.count(right) >= 1, right
        assert not accepts.is_valid(yaml.load(good.replace(right, wrong, 1), Reader)), wrong  # noqa: S506


SHIPPED = sorted(get_resource_folder("rulesets").glob("*/*.scenario.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_the_general_schema_accepts_what_is_shipped(path: Path) -> None:
    held = yaml.load(path.read_text(encoding="utf-8"), Reader)  # noqa: S506 - a safe loader of our own
    assert [each.message for each in judge("").iter_errors(held)] == []


def test_the_published_schema_is_the_general_one() -> None:
    path = get_resource_folder("grammar") / "schemas" / "scenario.schema.json"
    assert json.loads(path.read_text(encoding="utf-8")) == strip_message_words(scenario_schema())
