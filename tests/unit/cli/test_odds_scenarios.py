"""Questions of odds that are kept: as scenarios that pass, and that fail once the rules give another answer."""

import json
from pathlib import Path

from support.duel_example import START, RunCommand

OF = ["--of", "mordred.health", "--of", "mordred.gone"]
KEPT = "how-often.scenario.yaml"


def test_a_kept_question_is_asked_with_the_policy_of_its_scenario(run: RunCommand) -> None:
    run("odds", *START, *OF, "--policy", "random", "--record", KEPT)
    asked = run("odds", KEPT, *OF)
    assert asked.exit == 0
    assert asked.out == run("odds", *START, *OF, "--policy", "random").out
    first = run("odds", KEPT, *OF, "--policy", "first")
    assert first.out == run("odds", *START, *OF, "--policy", "first").out
    played = json.loads(run("simulate", KEPT, *OF, "--runs", "50", "--seed", "1", "--format", "json").out)
    assert played["policy"] == "random"
    again = Path("again.scenario.yaml")
    run("odds", KEPT, *OF, "--record", str(again))
    assert "policy: random" in again.read_text(encoding="utf-8")
