"""What `odds`, advice and `simulate` print as JSON fits the published schemas, which refuse anything else there."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import START, RunCommand

RANDOM = ("--policy", "random")
SWEEP = ("--vary", "target.health=0..2", "--vary", "striker.health=0,1")
ODDS = [
    RANDOM,
    (*RANDOM, "--most", "2"),
    (*RANDOM, *SWEEP),
    ("--best", "blue:mordred.health", "--best", "red:-mordred.health", "--most", "3"),
    ("--of", "mordred.owner", "--of", "mordred.health / 7", *RANDOM),
    (*RANDOM, "--state", "down.yaml"),
    (*RANDOM, "--estimate"),
    (*RANDOM, "--given", "mordred.health > 0", "--most", "2"),
]
SIMULATE = [
    (),
    SWEEP,
    ("--against-policy", "first"),
    ("--against-policy", "first", *SWEEP),
    ("--against-first", "--vary", "target.health=1..2"),
    ("--of", "mordred.owner", "--of", "mordred.health / 7"),
    ("--state", "down.yaml"),
    ("--of", "mordred.health given visits(2) > 0", *SWEEP),
]


@cache
def schema(name: str) -> Any:
    found = json.loads(
        (Path(get_resource_folder("grammar")) / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def printed(run: RunCommand, verb: str, *given: str) -> Any:
    own = [each for each in START if each != "state.yaml" or "--state" not in given]
    own = [each for each in own if each != "--state" or "--state" not in given]
    state = Path("state.yaml").read_text(encoding="utf-8")
    Path("down.yaml").write_text(state.replace("health: 5", "health: 0"), encoding="utf-8")
    of = () if "--of" in given else ("--of", "mordred.health", "--of", "mordred.gone")
    done = run(verb, *own, *of, *given, "--format", "json")
    return json.loads(done.out)


def _misfits(document: Any) -> list[Any]:
    """The same with one thing that has no place there, or without one that has."""
    return [{**document, "odd": 1}, *({key: document[key] for key in document if key != gone} for gone in document)]


@pytest.mark.parametrize("given", ODDS, ids=" ".join)
def test_odds_fit_the_schema(run: RunCommand, given: tuple[str, ...]) -> None:
    document = printed(run, "odds", *given)
    schema("odds").validate(document)
    assert not any(
        schema("odds").is_valid(each) for each in _misfits(document) if "best" in each or "best" not in document
    )


@pytest.mark.parametrize("given", SIMULATE, ids=" ".join)
def test_counts_fit_the_schema(run: RunCommand, given: tuple[str, ...]) -> None:
    document = printed(run, "simulate", *RANDOM, "--runs", "60", "--seed", "1", *given)
    schema("simulate").validate(document)
    assert not any(schema("simulate").is_valid(each) for each in _misfits(document))
