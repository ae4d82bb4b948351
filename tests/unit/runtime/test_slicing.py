"""What the end of a play may hang on: values of the start, and answers."""

import pytest

from rulewright.program.core.lowering import lower_program
from rulewright.runtime.control_flow_builder import FrameAnalysis
from rulewright.runtime.slicing import PROCEDURE_RESULT, RelevanceAnalysis, RelevantInputs
from support.reference.ruleset_texts import load_program

RULES = """\
ruleset raid "A raid" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
  rest: 0..9
  dice: 0..9
  spoils: 0..9
  alarms: 0..9
event hit(target: Unit):
  holders units
whenever fallen for each u in units "Without health a unit is gone":
  when u.health = 0
  priority 1
  lowers count(units)
  remove u
handler alarm for each u in units on hit "Alarm":
  add up to 1 to u.alarms
procedure raid(striker: Unit, target: Unit) gives 0..9 "A raid":
  step 1 "Wait":
    ask striker.owner whether waits "Wait?":
      add up to 1 to striker.rest
      proceed to 3
  step 2 "Strike":
    ask striker.owner whether fast "Fast?"
    roll striker.dice of d6 as blows by striker.owner
    take up to count(each d in blows where d.natural >= 5) from target.health
    if no u in units where u.health = 1:
      perform loot(striker)
  step 3 "Rest":
    roll d6 as rest by striker.owner
    for each u in units:
      set u.rest to rest.natural
    trigger hit(target)
    finish with target.health
procedure loot(unit: Unit) "Loot":
  ask unit.owner for much in 1..3 "How much?"
  add up to much to unit.spoils
"""


def find_relevant(rules: str, procedure: str, *wanted: str, step: str | None = None) -> RelevantInputs:
    program = load_program(rules)
    analysis = RelevanceAnalysis(program, FrameAnalysis(lower_program(program)))
    found = analysis.find_relevant(procedure, frozenset(wanted), step)
    assert found is not None
    return found


def relevant(*wanted: str, step: str | None = None) -> RelevantInputs:
    return find_relevant(RULES, "raid", *wanted, step=step)


@pytest.mark.parametrize(
    ("wanted", "places", "asked"),
    [
        ("Unit/dice", {"dice"}, set[str]()),
        ("Unit/rest", {"rest", "gone"}, {"raid/1/waits", "raid/2/blows", "raid/3/rest"}),
        ("Unit/health", {"health", "dice"}, {"raid/1/waits", "raid/2/blows"}),
        ("Unit/gone", {"gone", "health", "dice"}, {"raid/1/waits", "raid/2/blows"}),
        (
            "Unit/spoils",
            {"spoils", "gone", "health", "dice"},
            {"raid/1/waits", "raid/2/blows", "loot/much"},
        ),
        (PROCEDURE_RESULT, {"health", "dice"}, {"raid/1/waits", "raid/2/blows"}),
    ],
)
def test_what_an_end_hangs_on(wanted: str, places: set[str], asked: set[str]) -> None:
    found = relevant(wanted)
    assert {str(each).removeprefix("Unit/") for each in found.places if str(each).startswith("Unit/")} >= places
    assert "Unit/alarms" not in found.places
    assert found.relevant_questions == asked


def test_what_a_step_hangs_on() -> None:
    assert relevant(step="raid/2").relevant_questions == {"raid/1/waits"}
    assert relevant(step="raid/3").relevant_questions == set()


def test_what_a_handler_changes_hangs_on_what_it_reads() -> None:
    assert relevant("Unit/alarms").relevant_questions == {"raid/1/waits", "raid/2/blows"}
    assert "Unit/spoils" not in relevant("Unit/health").places


CHAIN = """\
ruleset chain "A chain" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
  armour: 0..9
  fear: 0..9
  shield: flag
game:
  round: 0..9
  bell: flag
event lost(target: Unit) on removal:
  holders units
handler mourn for each u in units on lost "Mourn":
  if bell:
    add up to 1 to u.fear
  perform rites(u)
procedure rites(u: Unit) "Rites":
  step 1 "Sing":
    ask u.owner whether sings "Sing?"
whenever fallen for each u in units "Without health a unit is gone":
  when u.health = 0
  priority 1
  lowers count(units)
  remove u
procedure hit(target: Unit) "A hit":
  require alive: target in units
  step 1 "Hit":
    ask target.owner whether parries "Parry?":
      set target.shield to no
    else:
      take up to 1 from target.armour
procedure cull(target: Unit) "A cull":
  together:
    remove target
    if round = 3:
      set bell to yes
procedure vote(target: Unit) gives 0..9 "A vote":
  ask target.owner for many in 1..3 "How many?"
  ask target.owner for more in 1..3 "How many more?"
  for each _ in 1..many:
    add up to 1 to target.fear
  finish with target.fear
procedure throw(target: Unit) gives 0..99 "A throw":
  roll target.armour of d6 as first by target.owner
  roll 2 of d6 as second by target.owner
  finish with total(second)
"""


def test_branches_within_a_line_are_told_apart() -> None:
    assert "Unit/armour" not in find_relevant(CHAIN, "hit", "Unit/shield").places


def test_a_start_settles_before_needs() -> None:
    assert "Unit/health" in find_relevant(CHAIN, "hit", "Unit/owner").places


def test_a_removal_that_waits_reads_what_is_changed_before_the_end_of_the_block() -> None:
    assert "game/round" in find_relevant(CHAIN, "cull", "Unit/fear").places


def test_an_answer_counts_only_where_it_is_used() -> None:
    assert find_relevant(CHAIN, "vote", PROCEDURE_RESULT).relevant_questions >= {"vote/many"}
    assert "vote/more" not in find_relevant(CHAIN, "vote", PROCEDURE_RESULT).relevant_questions


def test_faces_that_nobody_looks_at_do_not_count() -> None:
    found = find_relevant(CHAIN, "throw", PROCEDURE_RESULT)
    assert "throw/second" in found.relevant_questions
    assert "throw/first" not in found.relevant_questions
    assert "Unit/armour" not in found.places


def test_a_step_is_reached_through_a_handler() -> None:
    assert "Unit/gone" in find_relevant(CHAIN, "cull", step="rites/1").places
