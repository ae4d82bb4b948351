"""The scenarios beside OLD are played under OLD and NEW; that some differ is a change by itself."""

import json
import shutil
from pathlib import Path
from typing import Any

from support.duel_example import STRIKE_RULES, STRIKE_SCENARIOS, RunCommand

SCENARIOS = STRIKE_SCENARIOS.replace("duel.rules", "old.rules")


def put(place: str, text: str) -> None:
    """A file, with its folder."""
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).write_text(text, encoding="utf-8")


def played(run: RunCommand, *arguments: str, work: int = 60_000) -> tuple[str, dict[str, Any]]:
    """The verdict, and what became of the scenarios."""
    done = run("diff", "old.rules", "new.rules", "--format", "json", "--workers", "1", "--work", str(work), *arguments)
    document = json.loads(done.out)
    assert done.exit == {"changed": 1, "unknown": 3}.get(document["verdict"]["word"], 0)
    return document["verdict"]["word"], document["played"]["scenarios"]


def test_every_form_lists_them(run: RunCommand) -> None:
    put("old.rules", STRIKE_RULES)
    put("new.rules", STRIKE_RULES.replace("natural >= 4", "natural >= 3"))
    put("old.scenario.yaml", SCENARIOS)
    line = "old.scenario.yaml: three: differs after 1 answer: the game ends differently"
    arguments = ("diff", "old.rules", "new.rules", "--workers", "1", "--work", "20000")
    for form in ("plain", "markdown"):
        assert line in run(*arguments, "--format", form, "--scenarios").out
    run(*arguments, "--html", "page.html")
    assert line in Path("page.html").read_text(encoding="utf-8")


REWRITINGS = {
    "attacker.morale >= 1 ": "not (attacker.morale < 1) ",
    "not attacker.gone and not defender.gone": "not defender.gone and not attacker.gone",
    "loser.morale >= 1 ": "1 <= loser.morale ",
}


def test_a_proof_and_scenarios_do_not_contradict_each_other(run: RunCommand) -> None:
    mel = Path(__file__).parents[3] / "rulesets" / "mel"
    for folder in ("before", "after"):
        shutil.copytree(mel, f"{folder}/mel")
    rules = Path("after/mel/mel.rules")
    for was, now in REWRITINGS.items():
        text = rules.read_text(encoding="utf-8")
        assert was in text
        rules.write_text(text.replace(was, now), encoding="utf-8")
    files = [each.as_posix() for each in sorted(Path("before/mel").glob("*.scenario.yaml"))]
    games = [word for each in files for word in ("--games", each)]
    done = run("diff", "before/mel", "after/mel", "--format", "json", *games)
    document = json.loads(done.out)
    assert (done.exit, document["verdict"]) == (0, {"word": "equivalent", "how": "proved"})
    assert len(document["games"]) > 40
    assert {each["outcome"] for each in document["games"]} == {"same"}
