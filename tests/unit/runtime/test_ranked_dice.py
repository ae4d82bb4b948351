"""A rank of dice, in a play that records nothing."""

from rulewright.play.answer_sources import AnswerSourceChain
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, run_to_end
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset best "The best" revision "1"
game:
  hand: list of 1..6 = []
procedure best(judge: player) "The best":
  roll 3d6 as dice by judge
  rank each d in dice as sorted:
    face: highest d.face
    even: ask judge "Order equal dice"
  set hand to [each d in sorted: d.face]
"""


def test_dice_are_members_of_a_rank() -> None:
    program = load_program(RULES)
    situation = read_situation("players: [red, blue]\n", program)
    executable = compile_program(program, traced=False)
    begun = PlayStart(executable, program.procedures["best"], situation, (0,), RunLimits())
    outcome = run_to_end(begun, AnswerSourceChain(begun.names, SeededRandom(1), policy="random")).session.outcome
    assert isinstance(outcome, Ended)
    (hand,) = outcome.state.game
    assert list(hand) == sorted(hand, reverse=True)
