"""Edits that are proved to leave play as it is, told apart from changes; scripts that name what was renumbered."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand

OLD = """\
ruleset duel "A duel" revision "1"
kind Knight, knights "A knight":
  owner: player
  health: 0..9
  shield: flag = no
term down(k: Knight) gives flag means k.health = 0
procedure strike(striker: Knight, target: Knight) "A strike":
  require enemy: striker.owner != target.owner "only enemies are struck"
  step 1 "Roll to hit":
    roll d6 as blow by striker.owner
    if blow.natural >= 4 and not target.shield:
      take up to 1 from target.health
  step 2 "Falls" when down(target):
    ask target.owner whether prays "Pray?"
    remove target
"""
SPLIT = OLD.replace('step 1 "Roll', 'step 0 "Roll').replace("    if blow", '  step 1 "Compare":\n    if blow')
SCRIPT = "- {answer: [5], at: strike/1/blow, by: red}\n- {answer: no, at: prays}\n"
SCENARIO = """\
ruleset: old.rules
procedure: strike
with: {striker: gawain, target: mordred}
state: {players: [red, blue], knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 2}}}
scenarios:
  three:
    script: {1/blow: [3]}
    expect: {path: ["1"], asked: [blow], changes: {}}
"""


def compared(run: RunCommand, new: str, *more: str, exits: int) -> dict[str, Any]:
    Path("old.rules").write_text(OLD, encoding="utf-8")
    Path("new.rules").write_text(new, encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", "--format", "json", *more)
    assert done.exit == exits, done
    found: dict[str, Any] = json.loads(done.out)
    schema = json.loads((get_resource_folder("grammar") / "schemas" / "diff.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)
    return found


def sections(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["section"], each["place"]) for each in found["edits"]]


def test_a_rewriting_is_told_apart_from_a_change(run: RunCommand) -> None:
    new = OLD.replace("k.health = 0", "k.health < 1").replace(">= 4 and", ">= 3 and")
    found = compared(run, new, "--work", "0", exits=3)
    assert sections(found) == [("rewritten", "term down"), ("rules", "strike 1")]
    assert [each["name"] for each in found["unproved"]["new"]] == ["strike"]


def test_a_declaration_with_a_change_is_no_rewriting(run: RunCommand) -> None:
    new = OLD.replace("not target.shield", "target.shield = no").replace(
        "whether prays", "whether prays when down(target)"
    )
    found = compared(run, new, "--work", "0", exits=3)
    assert {section for section, _ in sections(found)} == {"rules"}


def test_a_proof_does_not_rest_on_what_changed_too(run: RunCommand) -> None:
    """With one health more `< 9` is not `!= 9` any longer."""
    old = OLD.replace("k.health = 0", "k.health < 9")
    new = old.replace("k.health < 9", "k.health != 9").replace("health: 0..9", "health: 0..10")
    Path("other.rules").write_text(old, encoding="utf-8")
    Path("new.rules").write_text(new, encoding="utf-8")
    done = run("diff", "other.rules", "new.rules", "--work", "0", "--format", "json")
    assert {each["section"] for each in json.loads(done.out)["edits"]} == {"rules"}


MORE = """\
whenever fall for each k in knights "Fall":
  when k.health = 0
  priority 1
  lowers count(knights)
  remove k
procedure rest(k: Knight) "Rest":
  set k.shield to no
  set k.tired to no
"""


@pytest.mark.parametrize(
    ("was", "now", "section"),
    [
        (">= 4 and", ">= 3 and", "rewritten"),
        ("when k.health = 0", "when k.health = 0 and k.shield", "rules"),
    ],
)
def test_exchanged_lines_beside_another_change(run: RunCommand, was: str, now: str, section: str) -> None:
    """A standing rule that looks at what is exchanged now puts the exchange in question, another procedure does not."""
    old = OLD.replace("  shield: flag = no\n", "  shield: flag = no\n  tired: flag = no\n") + MORE
    new = old.replace("  set k.shield to no\n  set k.tired to no\n", "  set k.tired to no\n  set k.shield to no\n")
    Path("other.rules").write_text(old, encoding="utf-8")
    Path("new.rules").write_text(new.replace(was, now), encoding="utf-8")
    found = json.loads(run("diff", "other.rules", "new.rules", "--work", "0", "--format", "json").out)
    assert {each["section"] for each in found["edits"] if each["group"].endswith("rest")} == {section}


def test_a_new_term_counts_with_the_rule_that_changed(run: RunCommand) -> None:
    term = "term weak(k: Knight) gives flag means k.health < 3\n"
    unused = compared(run, OLD.replace("procedure", f"{term}procedure", 1), exits=0)
    assert sections(unused) == [("rewritten", "term weak")]
    used = OLD.replace("procedure", f"{term}procedure", 1).replace("when down(target)", "when weak(target)")
    assert {section for section, _ in sections(compared(run, used, "--work", "0", exits=3))} == {"rules"}


@pytest.mark.parametrize("form", ["plain", "markdown"])
def test_people_are_told_too(run: RunCommand, form: str) -> None:
    compared(run, OLD.replace("k.health = 0", "k.health < 1"), exits=0)
    told = run("diff", "old.rules", "new.rules", "--format", form, "--html", "page.html", "--all").out
    title = "Written differently, play proved the same"
    assert title in told
    assert "Rules:" not in told
    assert title in Path("page.html").read_text(encoding="utf-8")


def test_a_split_step_is_proved_and_who_names_it_is_told(run: RunCommand) -> None:
    Path("script.yaml").write_text(SCRIPT, encoding="utf-8")
    Path("old.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    found = compared(run, SPLIT.replace("whether prays", "whether begs"), exits=0)
    assert found["verdict"] == {"word": "equivalent", "how": "proved"}
    assert [(each["file"], each["line"], each["written"], each["old"], each["new"]) for each in found["addresses"]] == [
        ("old.scenario.yaml", 7, "1/blow", "strike/1/blow", "strike/0/blow"),
        ("script.yaml", 1, "strike/1/blow", "strike/1/blow", "strike/0/blow"),
        ("script.yaml", 2, "prays", "strike/2/prays", "strike/2/begs"),
    ]
    told = run("diff", "old.rules", "new.rules", "--all").out
    assert "script.yaml:1: `strike/1/blow` is now `strike/0/blow`" in told
    assert "script.yaml:2: `prays`, which is `strike/2/prays`, is now `strike/2/begs`" in told


def test_a_question_keeps_its_name_beside_another_of_that_name(run: RunCommand) -> None:
    Path("script.yaml").write_text("- {answer: [5], at: strike/1/blow}\n", encoding="utf-8")
    roll = "    roll d6 as blow by striker.owner\n"
    other = "    if target.shield:\n      roll d6 as blow by target.owner\n    else:\n  "
    new = OLD.replace(roll, other + roll)
    found = compared(run, new, "--work", "0", exits=3)
    assert found["addresses"] == []


def test_an_address_that_is_gone(run: RunCommand) -> None:
    Path("script.yaml").write_text("- {answer: no, at: strike/2/prays}\n", encoding="utf-8")
    new = OLD.replace('    ask target.owner whether prays "Pray?"\n', "")
    found = compared(run, new, "--work", "0", exits=3)
    assert [(each["old"], each["new"]) for each in found["addresses"]] == [("strike/2/prays", None)]
    assert (
        "script.yaml:1: `strike/2/prays` is gone" in run("diff", "old.rules", "new.rules", "--work", "0", "--all").out
    )


def test_addresses_that_stay_are_not_told(run: RunCommand) -> None:
    Path("script.yaml").write_text("- {answer: no, at: strike/2/prays}\n", encoding="utf-8")
    found = compared(run, OLD.replace(">= 4 and", ">= 3 and"), "--work", "0", exits=3)
    assert found["addresses"] == []
