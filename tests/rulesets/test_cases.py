"""Plays every case of `*.cases.yaml` through the command line and compares the whole outcome."""

import io
import json
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulewright.cli.main import execute

HERE = Path(__file__).parent
RULESETS = HERE.parents[1] / "rulesets"


def collected() -> list[Any]:
    found = []
    for file in sorted(HERE.glob("*.cases.yaml")):
        suite = yaml.safe_load(file.read_text(encoding="utf-8"))
        for case in suite["cases"]:
            found.append(pytest.param(suite, case, id=f"{file.name.partition('.')[0]}: {case['name']}"))
    return found


def merged(base: Any, patch: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return deepcopy(patch)
    return {**base, **{key: merged(base.get(key), value) for key, value in patch.items()}}


def play(suite: dict[str, Any], case: dict[str, Any], script: list[Any], folder: Path) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    state, answers = folder / "state.json", folder / "script.json"
    state.write_text(json.dumps(merged(suite["state"], case.get("patch", {}))), encoding="utf-8")
    answers.write_text(json.dumps(script), encoding="utf-8")
    roles = case.get("with", suite["with"])
    arguments = ["run", suite["ruleset"], suite["procedure"], "--state", str(state), "--script", str(answers)]
    arguments += [word for role, thing in roles.items() for word in ("--with", f"{role}={thing}")]
    arguments += [word for name, value in case.get("settings", {}).items() for word in ("--set", f"{name}={value}")]
    for overlay in case.get("overlays", ()):
        arguments += ["--overlay", str(RULESETS / suite["ruleset"] / f"{overlay}.rules")]
    printed = io.StringIO()
    with redirect_stdout(printed):
        execute([*arguments, "--format", "json", "--trace", "full"])
    played: dict[str, Any] = json.loads(printed.getvalue())
    return played


def changes(played: dict[str, Any], plurals: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for change in played["changes"]:
        owner, name = change["place"].split("/")
        if name == "gone":
            found.setdefault("removed", []).append(change["key"])
        elif owner in plurals:
            found.setdefault(plurals[owner], {}).setdefault(change["key"], {})[name] = change["after"]
        else:
            found.setdefault(owner, {})[name] = change["after"]
    return found


def tail(address: str, suite: dict[str, Any]) -> str:
    return address.removeprefix(f"{suite['procedure']}/")


@pytest.mark.parametrize(("suite", "case"), collected())
def test_case(suite: dict[str, Any], case: dict[str, Any], tmp_path: Path) -> None:
    played = play(suite, case, case["script"], tmp_path / "play")
    if "refused" in case:
        assert played["outcome"] == "refused"
        assert [reason["text"] for reason in played["reasons"]] == case["refused"]
        assert played["changes"] == []
        return
    assert played["diagnostics"] == []
    assert played["outcome"] == "ended"
    assert changes(played, {"Unit": "units", "player": "players"}) == case["changes"]
    steps = {
        sort: [each["step"] for each in played["path"] if each["outcome"] == sort] for sort in ("run", "passed over")
    }
    assert steps["run"] == case.get("path", steps["run"])
    assert steps["passed over"] == case.get("passed_over", steps["passed over"])
    asked = played["answers"]
    assert [tail(each["address"], suite) for each in asked] == case.get(
        "asked", [tail(each["address"], suite) for each in asked]
    )
    for address, player in case.get("asked_of", {}).items():
        assert [each["player"] for each in asked if tail(each["address"], suite) == address] == [player]
    for address, row in case.get("decided", {}).items():
        assert [
            [judged["id"] for judged in each["rows"] if judged["outcome"] == "taken"]
            for each in played["events"]
            if tail(each["address"], suite) == address
        ] == [[row]]

    assert set(case.get("rulings", ())) <= set(played["rulings"])
    for number, rejected in enumerate(case.get("rejects", ())):
        place = [tail(each["address"], suite) for each in asked].index(rejected["at"])
        stopped = play(suite, case, [*case["script"][:place], rejected["answer"]], tmp_path / f"reject{number}")
        assert stopped["outcome"] == "unanswered"
        assert len(stopped["diagnostics"]) == 1
        assert stopped["diagnostics"][0]["message"] == rejected["message"]
