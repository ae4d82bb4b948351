import json
from pathlib import Path

import jsonschema
import pytest

from rulewright.base.files import get_resource_folder
from support.duel_example import RunCommand

FOUND = """\
Knight.shield  attribute

duel.rules
     6  shield: flag = no
        is declared
    15  ask target.owner whether parry when target.shield "Parry?":
        is read
    16  set target.shield to no
        is changed

state.yaml
     4  mordred: {owner: blue, health: 2, shield: yes}
        is given a value

4 places in 2 files
"""
STEP = """\
strike/2  step
  asks: strike.parry
  changes: Knight.shield, Knight.health
  reads: strike.target, Knight.owner, Knight.shield
"""


@pytest.mark.parametrize("spelt", ["shield", "Knight.shield", "Knight/shield", "duel.rules:16:20"])
def test_each_place_says_what_the_name_does_there(run: RunCommand, spelt: str) -> None:
    done = run("find", "duel.rules", spelt)
    assert (done.exit, done.err) == (0, "")
    assert done.out == FOUND


def test_a_step_says_what_it_does(run: RunCommand) -> None:
    assert run("find", "duel.rules", "strike/2").out.startswith(STEP)


TABLE = """\
table loss(points: 1..9) gives 1..9:
  1..4 | 1
  5 | 2
  6..9 | 3
"""
OVERLAY = """\
amends duel revision "1-house"
replace row loss/5: 5 | 3
replace line strike/2/take.target.health:
  take up to 3 from target.health
"""


def test_a_row_or_line_without_a_name_is_found_by_its_address_or_place(run: RunCommand) -> None:
    with Path("duel.rules").open("a", encoding="utf-8") as file:
        file.write(TABLE)
    Path("house.rules").write_text(OVERLAY, encoding="utf-8")
    done = run("find", "duel.rules", "loss/5")
    assert done.out + done.err == (
        "loss/5  row\n\nduel.rules\n    23  5 | 2\n        is declared\n\n"
        "house.rules\n     2  replace row loss/5: 5 | 3\n        is amended\n\n2 places in 2 files\n"
    )
    found = run("find", "duel.rules", "2/take.target.health").out
    assert found.startswith("strike/2/take.target.health  line\n  changes: Knight.health\n  reads: strike.target\n")
    assert "replace line strike/2/take.target.health:\n        is amended\n" in found
    assert run("find", "duel.rules", "duel.rules:23:3").out.startswith("loss/5  row\n")
    done = run("rename", "duel.rules", "loss/5", "six")
    assert (done.exit, "nothing here is called `loss/5`" in done.err) == (2, True)


@pytest.mark.parametrize("title", ["The wound", "the wound", "“The wound”", "wou"])
def test_a_title_stands_for_what_has_it(run: RunCommand, title: str) -> None:
    assert run("find", "duel.rules", title).out.startswith(STEP)


def test_what_is_not_there_names_what_is_near(run: RunCommand) -> None:
    done = run("find", "duel.rules", "sheild")
    assert done.exit == 2
    assert done.err == "error RW1150: nothing here is called `sheild`\n  help: did you mean `Knight.shield`?\n"


def test_several_of_a_name_are_listed(run: RunCommand) -> None:
    with Path("duel.rules").open("a", encoding="utf-8") as file:
        file.write("kind Wall, walls:\n  health: 0..9 = 3\n")
    done = run("find", "duel.rules", "health")
    assert done.exit == 2
    assert done.err == (
        "error RW1151: `health` stands for 2 things\n"
        "  note: `Knight.health`: attribute, duel.rules:5:3\n"
        "  note: `Wall.health`: attribute, duel.rules:22:3\n"
        "  help: write one of them, such as `Knight.health`\n"
    )


@pytest.mark.parametrize("place", ["duel.rules:1:1", "duel.rules:999:1", "duel.rules:0:0", "duel.rules:3:500"])
def test_a_place_without_a_name(run: RunCommand, place: str) -> None:
    done = run("find", "duel.rules", place)
    assert done.exit == 2
    assert done.err.startswith(f"error RW1150: there is no name that duel.rules declares at `{place}`\n")


@pytest.mark.parametrize("spelt", ["nowhere.rules:1:1", "/", "@", ".", "#1", "a/b/c", "\u202e", "x" * 9000, "%s"])
def test_odd_targets_are_refused_in_words(run: RunCommand, spelt: str) -> None:
    done = run("find", "duel.rules", spelt)
    assert (done.exit, done.out) == (2, "")
    assert done.err.startswith("error RW")


def test_rules_with_errors_are_searched_as_far_as_they_go(run: RunCommand) -> None:
    text = Path("duel.rules").read_text(encoding="utf-8")
    Path("duel.rules").write_text(text.replace("proceed to 3", "proceed to 9"), encoding="utf-8")
    done = run("find", "duel.rules", "shield")
    assert done.exit == 1
    assert done.out.startswith(FOUND.partition("\nstate.yaml")[0])
    assert "Mentioned in words, which a rename leaves as they are:\n\nstate.yaml\n     4  mordred" in done.out
    assert done.err == (
        "note: the rules have an error, so what states and answers name is not known; `rulewright check` shows it\n"
    )


def test_json_fits_the_schema(run: RunCommand) -> None:
    schema = json.loads(
        (Path(get_resource_folder("grammar")) / "schemas" / "find.schema.json").read_text(encoding="utf-8")
    )
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(run("find", "duel.rules", "strike/2", "--format", "json").out)
    jsonschema.Draft202012Validator(schema).validate(document)
    assert document["target"] == {"sort": "step", "address": "strike/2", "name": "2"}
    assert document["does"]["changes"] == ["Knight.shield", "Knight.health"]
    assert document["complete"] is True


def test_a_folder_without_rules_is_bad_input(run: RunCommand) -> None:
    assert run("find", "nowhere", "x").exit == 2
