"""The schema of all questions, and the one a stopped run carries."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from rulewright.base.files import get_resource_folder
from rulewright.cli.main import run_command_line

MEL = get_resource_folder("rulesets") / "mel"
ROLES = ["--with", "attacker=hammer", "--with", "defender=anvil"]


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    run_command_line(arguments)
    return json.loads(capsys.readouterr().out)


def test_every_question_of_mel_has_the_schema_of_its_answer(capsys: pytest.CaptureFixture[str]) -> None:
    schema = _printed(capsys, "schema", "mel", "questions", "--overlay", str(MEL / "mel_abilities.rules"))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == "urn:rulewright:mel:1:questions:1"
    assert [each.removeprefix("melee_attack/") for each in schema["properties"]] == [
        "MEL.20/attacker_forms",
        "MEL.20/defender_forms",
        "MEL.20/forms",
        "MEL.30/test",
        "MEL.60/push",
        "MEL.60/stand",
        "MEL.60/dest",
        "MEL.70/consolidation",
        "MEL.70/consolidation/follow_up/heading",
        "MEL.70/consolidation/hold_position/heading",
        "melee_begins",
        "wounds_dealt",
        "melee_ends",
        "war_cry",
        "spite",
        "retreat_arc",
    ]


@pytest.mark.parametrize(
    ("address", "answer", "fits"),
    [
        ("melee_attack/MEL.60/push", True, True),
        ("melee_attack/MEL.60/push", 1, False),
        ("melee_attack/MEL.60/dest", [2, 0], True),
        ("melee_attack/MEL.60/dest", [2], False),
        ("melee_attack/MEL.70/consolidation", "decline", True),
        ("melee_attack/MEL.70/consolidation", "stay", False),
        ("melee_attack/MEL.30/test", {"by_attacker": 2, "by_defender": 1}, True),
        ("melee_attack/MEL.30/test", {"by_attacker": 2}, False),
        ("dice_test/ATC.10/strike", [1, 6], True),
        ("dice_test/ATC.10/strike", [7], False),
        ("roll_again/again", [[0, 1]], True),
        ("roll_again/again", [4], False),
        ("melee_attack/MEL.45", True, False),
    ],
)
def test_answers_are_judged_by_address(
    address: str, answer: object, fits: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    overlays = ["--overlay", str(MEL / "mel_dice.rules")] if "MEL" not in address else []
    schema = _printed(capsys, "schema", "mel", "questions", *overlays)
    assert jsonschema.Draft202012Validator(schema).is_valid({address: answer}) is fits


def test_a_stopped_run_says_what_it_waits_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state, script = tmp_path / "state.yaml", tmp_path / "script.yaml"
    duel = (MEL / "examples" / "duel.yaml").read_text(encoding="utf-8")
    state.write_text(duel.replace("{radius: 3}", '{radius: 3}\n  cells: {"1,0": {blocked: yes}}'), encoding="utf-8")
    script.write_text("[no, no, {by_attacker: 3, by_defender: 0}]", encoding="utf-8")
    arguments = ["run", "mel", "melee_attack", "--state", str(state), "--script", str(script), "--format", "json"]
    document = _printed(capsys, *arguments, *ROLES)
    question = document["question"]
    assert question["address"] == "melee_attack/MEL.70/consolidation"
    assert [(each["value"], each["reason"] and each["reason"]["text"]) for each in question["choices"]] == [
        ("follow_up", "the hex is blocked"),
        ("hold_position", None),
        ("decline", None),
    ]
    assert question["schema"]["enum"] == ["hold_position", "decline"]
    schemas = [
        json.loads(each.read_text(encoding="utf-8"))
        for each in (get_resource_folder("grammar") / "schemas").glob("*.json")
    ]
    registry = Registry().with_resources([(each["$id"], Resource.from_contents(each)) for each in schemas])
    published = next(each for each in schemas if each["$id"] == "urn:rulewright:run:1")
    judge = jsonschema.Draft202012Validator(published, registry=registry)
    assert [error.message for error in judge.iter_errors(document)] == []
