"""Every starter is fine as a folder of one's own: checked, laid out, its scenarios pass, what its README says works."""

import json
import re
from pathlib import Path

import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand

STARTERS = sorted(each.name for each in get_resource_folder("starters").iterdir())


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_is_ready_under_its_own_name(run: RunCommand, name: str) -> None:
    assert run("new", "my-own", "--from", name).exit == 0
    assert 'ruleset my_own "My own" revision "' in Path("my-own/my_own.rules").read_text(encoding="utf-8")
    assert run("check", "my-own").out.splitlines()[0] == "my-own: fine"
    assert run("fmt", "--check", "my-own").exit == 0
    tested = json.loads(run("test", "my-own", "--workers", "1", "--format", "json").out)
    assert {each["outcome"] for each in tested["results"]} == {"passed"}
    assert any("how likely" in each["name"] for each in tested["results"])


@pytest.mark.parametrize("name", STARTERS)
def test_it_can_be_played_drawn_and_asked_for_odds_at_once(run: RunCommand, name: str) -> None:
    run("new", "my-own", "--from", name)
    readme = Path("my-own/README.md").read_text(encoding="utf-8")
    assert readme.startswith("# My own\n\n")
    assert readme.endswith(f"\nA copy of `{name}`, a starter that comes with rulewright.\n")
    assert readme.count(name) == 1
    played = re.search(r'^rulewright play my-own/plays\.scenario\.yaml "(.*)"$', readme, re.MULTILINE)
    assert played
    drawn = run("draw", str(get_resource_folder("starters") / name / "plays.scenario.yaml"), played[1]).out
    assert drawn == Path("my-own/board.svg").read_text(encoding="utf-8")
    commands = re.findall(r"^rulewright ((?:run|odds) .*)$", readme, re.MULTILINE)
    assert len(commands) == 2
    for each in commands:
        words = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', each)]
        done = run(*words)
        assert (done.exit, done.err) == (0, ""), each


def test_all_that_can_be_copied_is_listed(run: RunCommand) -> None:
    listed = json.loads(run("new", "--list", "--format", "json").out)["sources"]
    assert [each["name"] for each in listed if each["sort"] == "starter"] == STARTERS
    assert {each["name"] for each in listed if each["sort"] == "ruleset"} == {
        each.name for each in get_resource_folder("rulesets").iterdir() if each.is_dir()
    }
    assert all(each["title"] and len(each["about"]) > 40 for each in listed)
    shown = run("new", "--list").out.splitlines()
    assert shown[0].split(maxsplit=1) == [STARTERS[0], listed[0]["title"]]
