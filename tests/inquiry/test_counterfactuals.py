"""A small draw of the command: every flip that is told is real, and none is smaller."""

import pytest

from rulewright import api
from rulewright.base.files import MemoryFiles
from rulewright.base.source import Text
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.documents.state_file import read_state
from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, run_to_end
from rulewright.runtime.faults import RunLimits
from support.exhaustive_counterfactuals import describe_wrong_result, explain_values

RULES = """\
ruleset brawl "A brawl" revision "1"
kind Knight, knights:
  owner: player
  health: 0..6
  shield: 0..2 = 0
procedure brawl(striker: Knight, target: Knight) "A brawl":
  ask striker.owner for dice in 1..2 "How many dice?"
  roll dice of d4 as blow by striker.owner
  let hits = count(each d in blow where d.natural >= 3)
  ask target.owner whether parry when target.shield > 0 "Parry?":
    take 1 from target.shield
    roll d4 as guard by target.owner
    if guard.natural >= hits + 2:
      finish
  take up to hits from target.health
  if target.health = 0:
    remove target
"""
STATE = """\
players: [red, blue]
knights:
  gawain: {owner: red, health: 5}
  mordred: {owner: blue, health: 2, shield: 1}
"""
ASKED = ("mordred.health", "mordred.gone", "mordred.shield = 0", "mordred.health = gawain.health", "gawain.gone")


@pytest.mark.parametrize("seed", range(3))
def test_no_flip_is_false_and_none_is_smaller(seed: int) -> None:
    files = MemoryFiles({"brawl.rules": RULES})
    program = _load_program(files)
    situation = read_state(Text("state.yaml", STATE), program.program).value
    assert situation is not None
    begun = PlayStart(program.executable, program.program.procedures["brawl"], situation, (0, 1), RunLimits())
    played = run_to_end(begun, AnswerSourceChain(begun.names, SeededRandom(seed), policy="random"))
    for each in explain_values(played.session, ASKED, "brawl.rules", (), files):
        searched = each.search()
        assert searched.is_sure
        assert not describe_wrong_result(each, searched), each.subject.text


def _load_program(files: MemoryFiles) -> api.Ruleset:
    loaded = load_ruleset(locate_ruleset("brawl.rules", files), provider=files)
    assert loaded.program is not None
    return api.Ruleset(loaded.program)
