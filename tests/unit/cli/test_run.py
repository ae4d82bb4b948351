import json
from pathlib import Path

import jsonschema
import pytest

from rulewright.program.declarations import Program
from rulewright.runtime.executable import Executable, compile_program
from support.duel_example import START, RunCommand
from support.published_schemas import make_validator


def _written(name: str, content: str) -> str:
    Path(name).write_text(content, encoding="utf-8")
    return name


def _valid(document: object) -> None:
    assert [each.message for each in make_validator("run").iter_errors(document)] == []


def test_a_fresh_seed_is_told_with_the_command_that_repeats_it(run: RunCommand) -> None:
    first = run("run", *START, "--policy", "random")
    again = next(line for line in first.out.splitlines() if line.startswith("again: rulewright "))
    second = run(*again.removeprefix("again: rulewright ").split(" "))
    assert second.exit == 0
    assert second.out == first.out.removesuffix(f"{again}\n")


def test_an_external_without_result_that_nobody_answers_is_told_as_data(run: RunCommand) -> None:
    rules = _written("calm.rules", RESTING)
    state = _written("calm.yaml", "players: [red]\nknights: {gawain: {owner: red, health: 5}}\n")
    done = run("run", rules, "rest", "--state", state, "--with", "knight=gawain", "--format", "json")
    assert done.exit == 2
    document = json.loads(done.out)
    _valid(document)
    assert document["question"]["address"] == "rest/perform.sleep"
    assert document["question"]["choices"] == []


RESTING = """\
ruleset calm "Calm" revision "1"
kind Knight, knights:
  owner: player
  health: 0..9
external procedure sleep(knight: Knight) changes Knight.health "Sleep"
procedure rest(knight: Knight):
  perform sleep(knight)
"""


def test_json_of_runs_that_do_not_end(run: RunCommand) -> None:
    asked = json.loads(
        run("run", *START, "--seed", "2", "--script", _written("s.yaml", "[[5]]"), "--format", "json").out
    )
    _valid(asked)
    assert asked["outcome"] == "unanswered"
    assert asked["question"]["address"] == "strike/2/parry"
    assert asked["never_reached"] == ["strike/3"]
    _written("state.yaml", Path("state.yaml").read_text(encoding="utf-8").replace("health: 5", "health: 0"))
    refused = json.loads(run("run", *START, "--format", "json").out)
    _valid(refused)
    assert [each["text"] for each in refused["reasons"]] == ["the striker is down"]


PLACING = """\
ruleset placing "Placing" revision "1"
kind Mini, minis:
  owner: player
  at: point
  base: shape
board field of plane

procedure charge(m: Mini, foe: Mini) "Charge":
  if some p in poses(m) where contact(p, foe):
    ask m.owner to place m as spot "Where?":
      require touching: contact(spot, foe) "not in contact"
      place m at spot
    else:
      remove m
"""
TABLE = """\
players: [red]
minis:
  a: {owner: red, at: [0, 0], base: {round: 1}}
  b: {owner: red, at: [3, 0], base: {round: 1}}
"""


def test_json_shows_the_place_that_a_search_found(run: RunCommand) -> None:
    rules, state = _written("placing.rules", PLACING), _written("table.yaml", TABLE)
    begin = ("run", rules, "charge", "--state", state, "--with", "m=a", "--with", "foe=b", "--format", "json")
    document = json.loads(run(*begin, "--policy", "first").out)
    _valid(document)
    (row,) = document["events"][0]["inner"][0]["rows"]
    assert (row["outcome"], row["value"]) == ("found", {"thing": "a", "at": [2, 0], "facing": 0})
    assert document["answers"][0]["answer"] == {"at": [2, 0], "facing": 0}
    asked = json.loads(run(*begin).out)
    _valid(asked)
    assert (asked["question"]["sort"], asked["question"]["possible"]) == ("place", None)
    jsonschema.validate({"at": [2, 0]}, asked["question"]["schema"])


def test_a_play_is_recorded_no_further_than_it_is_told(run: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bool, bool]] = []

    def compiled(program: Program, *, traced: bool, decisive: bool) -> Executable:
        asked.append((traced, decisive))
        return compile_program(program, traced=traced, decisive=decisive)

    monkeypatch.setattr("rulewright.cli.play_opening.compile_program", compiled)
    none, decisive, full = (False, False), (True, True), (True, False)
    Path("hit.yaml").write_text("[[5], no]", encoding="utf-8")
    untold = run("run", *START, "--script", "hit.yaml", "--trace", "none")
    told = run("run", *START, "--script", "hit.yaml")
    whole = run("run", *START, "--script", "hit.yaml", "--trace", "full")
    assert (asked, untold.exit, told.exit, whole.exit) == ([none, decisive, full], 0, 0, 0)
    assert told.out.endswith(untold.out)
    run("run", *START, "--script", "hit.yaml", "--save", "hit.json")
    assert asked[3:] == [full]
    Path("hit.yaml").write_text("[[5], maybe]", encoding="utf-8")
    asked.clear()
    assert run("run", *START, "--script", "hit.yaml", "--trace", "none").exit == 2
    assert run("run", *START, "--script", "hit.yaml").exit == 2
    assert asked == [none, full, decisive, full]
