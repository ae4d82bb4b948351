"""What the end of a play may hang on: values of the start, and answers."""

import pytest

from rulewright.runtime.executable import compile_program
from rulewright.runtime.slicing import PROCEDURE_RESULT, RelevantInputs
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


def relevant(*wanted: str, step: str | None = None) -> RelevantInputs:
    found = compile_program(load_program(RULES), traced=False).relevance.find_relevant("raid", frozenset(wanted), step)
    assert found is not None
    return found


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
