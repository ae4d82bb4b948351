"""What `diff` makes of plays: scenarios written, saves and scenarios of the old revision."""

import json
import re
from pathlib import Path

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.documents.answers import read_answer
from rulewright.documents.document_nodes import Json, data_to_node
from rulewright.documents.name_table import NameTable
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_generation import parse_situation
from rulewright.runtime.executable import compile_program
from rulewright.runtime.run import Paused, start_run
from support.duel_example import STRIKE_RULES, RunCommand

RULES = f"""\
{STRIKE_RULES}\
  step 2 "Falls" when target.health = 0:
    remove target
"""
STATE = "{players: [red, blue], knights: {gawain: {owner: red, health: 5}, mordred: {owner: blue, health: 2}}}"
SCENARIOS = f"""\
ruleset: old.rules
procedure: strike
with: {{striker: gawain, target: mordred}}
state: {STATE}
scenarios:
  three:
    script: [{{answer: [3], at: strike/1/blow, by: red}}]
    expect: {{changes: {{}}}}
  six:
    script: [{{answer: [6], at: strike/1/blow, by: red}}]
    expect: {{changes: {{knights: {{mordred: {{health: 1}}}}}}}}
"""
ALONE = ("--workers", "1")
WITNESS = """\
A strike: the game ends differently
  start
       players:
         red: {}
         blue: {}
       knights:
         gawain: {owner: red, health: 0}
         mordred: {owner: blue, health: 1}
       with: {striker: gawain, target: mordred}
  play
       1  Roll to hit
         red    blow 1d6: 3
  OLD    skipped, because the die is 3, less than 4
  NEW    because the die is 3, at least 3
  NEW    mordred loses 1 health: 1 → 0
  OLD  2  Falls: skipped, mordred's health is 1
  NEW  2  Falls
  NEW    mordred is out of play
       strike ended
"""


@pytest.fixture
def _revisions(run: RunCommand) -> None:
    del run
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("new.rules").write_text(RULES.replace(">= 4", ">= 3"), encoding="utf-8")
    Path("old.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    Path("duel.yaml").write_text(STATE, encoding="utf-8")


@pytest.mark.usefixtures("_revisions")
def test_a_witness_is_written_as_a_scenario_that_only_the_old_revision_passes(run: RunCommand) -> None:
    done = run("diff", "old.rules", "new.rules", *ALONE, "--write-scenario", "witness.scenario.yaml", "--all")
    assert (done.exit, done.err) == (1, "")
    assert run("test", "witness.scenario.yaml").out == "1 passed\n"
    written = Path("witness.scenario.yaml").read_text(encoding="utf-8")
    assert written.startswith("ruleset: old.rules\nprocedure: strike\n")
    Path("witness.scenario.yaml").write_text(written.replace("old.rules", "new.rules"), encoding="utf-8")
    assert run("test", "witness.scenario.yaml").out.endswith("1 failed\n")


@pytest.mark.usefixtures("_revisions")
def test_nothing_is_written_where_nothing_differs(run: RunCommand) -> None:
    done = run("diff", "old.rules", "old.rules", "--write-scenario", "witness.scenario.yaml", "--all")
    assert done.exit == 0
    assert done.err == (
        "warning RW1107: nothing was written to `witness.scenario.yaml`: "
        "no play shows a difference that a scenario can test\n"
    )
    assert not Path("witness.scenario.yaml").exists()


@pytest.mark.usefixtures("_revisions")
def test_scenarios_are_played_first(run: RunCommand) -> None:
    done = run("diff", "old.rules", "new.rules", *ALONE, "--work", "40000", "--all")
    assert done.exit == 1
    told, _, scenarios = done.out.partition("\nWitness 1: ")[2].partition("\nScenarios that play differently:\n")
    assert told == WITNESS
    assert scenarios == "  old.scenario.yaml: three: differs after 1 answer: the game ends differently\n"


@pytest.mark.usefixtures("_revisions")
def test_scenarios_of_the_new_revision_are_played_too(run: RunCommand) -> None:
    Path("later").mkdir()
    Path("new.rules").rename("later/new.rules")
    scenarios = SCENARIOS.replace("old.rules", "new.rules").replace("{mordred: {health: 1}}", "{}")
    Path("later/new.scenario.yaml").write_text(scenarios, encoding="utf-8")
    Path("old.scenario.yaml").unlink()
    done = run("diff", "old.rules", "later/new.rules", *ALONE, "--work", "40000", "--all")
    assert done.exit == 1
    assert done.out.partition("\nWitness 1: ")[2] == WITNESS


@pytest.mark.usefixtures("_revisions")
def test_saves_and_scenarios_of_the_old_revision(run: RunCommand) -> None:
    roles = ("--with", "striker=gawain", "--with", "target=mordred")
    assert (
        run("run", "old.rules", "strike", "--state", "duel.yaml", *roles, "--seed", "5", "--save", "a.save").exit == 0
    )
    games = ("--games", "a.save", "--games", "old.scenario.yaml")
    done = run("diff", "old.rules", "new.rules", "--work", "0", *games, "--all")
    assert done.out.partition("\nGames:\n")[2] == (
        "  a.save: runs on as before, 1 answer\n"
        "  old.scenario.yaml: three: differs after 1 answer: the game ends differently\n"
        "  old.scenario.yaml: six: runs on as before, 1 answer\n"
    )
    document = json.loads(run("diff", "old.rules", "new.rules", "--work", "0", *games, "--format", "json").out)
    assert [each["outcome"] for each in document["games"]] == ["same", "differs", "same"]
    Path("new.rules").write_text(RULES.replace("0..9\n", "0..9\n  name: text\n"), encoding="utf-8")
    lost = run("diff", "old.rules", "new.rules", "--work", "0", "--games", "a.save", "--all").out
    assert lost.endswith("  a.save: cannot be begun any more: `gawain` lacks `name`\n")


@pytest.mark.usefixtures("_revisions")
def test_a_save_of_another_ruleset_is_refused(run: RunCommand) -> None:
    Path("b.save").write_text("{}", encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", "--work", "0", "--games", "b.save", "--all")
    assert (done.exit, done.out) == (2, "")
    assert done.err.startswith("error RW0750: this is not a save\n")


@pytest.mark.usefixtures("_revisions")
def test_another_start_value_is_shown_as_what_a_state_holds(run: RunCommand) -> None:
    Path("old.scenario.yaml").unlink()
    Path("old.rules").write_text(RULES.replace("0..9", "0..9 = 1"), encoding="utf-8")
    Path("new.rules").write_text(RULES.replace("0..9", "0..9 = 2"), encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", *ALONE, "--all")
    assert done.exit == 1
    told = done.out.partition("A strike: a state file means something else\n")[2]
    assert re.search(r"  play\n(?:  OLD  (\w+).health: 1\n  NEW  \1.health: 2\n){2}", told)


@pytest.mark.usefixtures("_revisions")
def test_the_same_seed_tells_the_same(run: RunCommand) -> None:
    asked = ("diff", "old.rules", "new.rules", *ALONE, "--seed", "7", "--witnesses", "1")
    assert run(*asked).out == run(*asked).out


@pytest.mark.usefixtures("_revisions")
def test_scenarios_that_are_there_already_are_not_written_over(run: RunCommand) -> None:
    done = run("diff", "old.rules", "new.rules", "--write-scenario", "old.scenario.yaml", "--all")
    assert (done.exit, done.out) == (2, "")
    assert done.err == (
        "error RW1016: `old.scenario.yaml` is there already\n"
        "  help: name a new file, and bring the scenario over from there\n"
    )
    assert Path("old.scenario.yaml").read_text(encoding="utf-8") == SCENARIOS


@pytest.mark.usefixtures("_revisions")
def test_rules_are_not_written_over_by_a_page(run: RunCommand) -> None:
    done = run("diff", "old.rules", "new.rules", "--html", "old.rules")
    assert (done.exit, done.out) == (2, "")
    assert done.err == (
        "error RW0013: `old.rules` holds something else and is not overwritten\n"
        "  help: name another file, or one that is not there yet\n"
    )
    assert Path("old.rules").read_text(encoding="utf-8") == RULES


def test_what_happens_in_both_ends_before_the_first_change_of_the_game(run: RunCommand) -> None:
    late = RULES.replace("remove target", "set target.health to 3")
    early = late.replace("    roll", "    set target.health to 3\n    roll")
    Path("late.rules").write_text(late, encoding="utf-8")
    Path("early.rules").write_text(early, encoding="utf-8")
    done = run("diff", "late.rules", "early.rules", *ALONE, "--work", "30000", "--witnesses", "1", "--all")
    told = done.out.partition("  play\n")[2].splitlines()
    assert told[0] == "       1  Roll to hit"
    assert next(each for each in told if each.startswith("  NEW")).startswith("  NEW    knight_")
    assert "set to 3" not in str(told)


def test_procedures_of_one_revision_only_are_a_change_of_behaviour(run: RunCommand) -> None:
    Path("old.rules").write_text(RULES, encoding="utf-8")
    Path("new.rules").write_text(
        'ruleset other "Other" revision "1"\nkind Unit, units:\n  owner: player\n  morale: 0..9\n'
        'procedure rally(unit: Unit) "Rally":\n  add up to 1 to unit.morale\n',
        encoding="utf-8",
    )
    done = run("diff", "old.rules", "new.rules", *ALONE, "--work", "6000", "--all")
    assert done.exit == 1
    assert "\n  behaviour  changed\n" in done.out
    assert done.out.splitlines()[3] == (
        "changed (only OLD has procedure strike; only NEW has procedure rally): "
        "one can do or measure what the other cannot"
    )


def test_a_step_split_in_two_is_proved_to_play_alike(run: RunCommand) -> None:
    whole = RULES.replace('  step 1 "Roll to hit":', '  step 1 "Roll to hit":\n    take up to 1 from striker.health')
    Path("old.rules").write_text(whole, encoding="utf-8")
    split = whole.replace("    roll", '  step 1a "Roll":\n    roll')
    Path("new.rules").write_text(split, encoding="utf-8")
    done = run("diff", "old.rules", "new.rules", "--all")
    assert done.exit == 0
    assert "\nequivalent (proved): " in done.out


def test_shares_of_nobody_are_no_fault_of_the_tool() -> None:
    rules = f"{STRIKE_RULES}procedure share(k: Knight):\n  ask k.owner to split 2 over {{k}} + knights as shares\n"
    provider = MemoryFiles({"duel.rules": f"{rules}  for each x in knights:\n    take up to shares[x] from x.health\n"})
    found = load_ruleset(locate_ruleset("duel.rules", provider), provider=provider)
    assert found.program is not None
    knights: Json = {"a": {"owner": "red", "health": 3}, "b": {"owner": "red", "health": 3}}
    situation = parse_situation({"players": ["red"], "knights": knights}, found.program)
    assert situation is not None
    outcome = start_run(compile_program(found.program, traced=True), situation, "share", (1,))
    assert isinstance(outcome, Paused)
    read = read_answer(outcome.request, data_to_node({"ghost": 2}), NameTable(found.program, situation.base))
    assert [each.code for each in read.diagnostics] == ["RW0714"]
