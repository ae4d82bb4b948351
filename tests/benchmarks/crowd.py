"""Prints what an answer costs with many things in play, beside one with two: `python tests/benchmarks/crowd.py`.

Both sides answer the same questions about two things; a standing rule and an `always` watch over an attribute that no
line writes. Answers are judged, then taken, as those of a person or a script are.
"""

from itertools import cycle
from statistics import median
from time import process_time

from rulewright.base.files import MemoryFiles
from rulewright.documents.name_table import NameTable
from rulewright.documents.ruleset_loading import load_ruleset
from rulewright.documents.ruleset_location import locate_ruleset
from rulewright.play.answer_sources import AnswerSourceChain, SourcedAnswer
from rulewright.play.seeded_random import SeededRandom
from rulewright.play.session import PlayStart, Session, begin_session
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.run import Paused
from rulewright.runtime.state import GameSetup, Situation

MANY = 5000
RULES = """\
ruleset crowd "A crowd" revision "1"
kind Unit, units:
  owner: player
  health: 0..20
  morale: 0..9

always sound for each u in units: u.health < 20
whenever lost for each u in units "A unit without health is removed":
  when u.health = 0
  priority 1
  lowers count(units)
  remove u

procedure talk(one: Unit, second: Unit) "Talk":
  repeat while yes at most 100:
    ask one.owner whether up "More courage?":
      add up to 1 to one.morale
      take up to 1 from second.morale
    ask second.owner for who in {one, second} where who.health >= 1 "Who?":
      set who.morale to 3
"""


def begun(things: int) -> PlayStart:
    """The play with so many things."""
    files = MemoryFiles({"crowd.rules": RULES})
    found = load_ruleset(locate_ruleset("crowd.rules", files), provider=files).program
    found = load_ruleset(locate_ruleset("crowd.rules", files), provider=files).program
    assert found is not None
    columns = {"owner": (0, 1), "health": (3, 3), "morale": (2, 2)}
    situation = Situation(
        GameSetup({"player": ("red", "blue"), "Unit": tuple(f"u{number}" for number in range(things))}, {}, {}),
        {f"Unit/{name}": pair * (things // 2) for name, pair in columns.items()},
        {},
        {},
        {},
    )
    return PlayStart(compile_program(found, traced=False), found.procedures["talk"], situation, (0, 1), RunLimits())


def seconds(play: PlayStart) -> float:
    """The time of one answer; of the play to the end, without its beginning."""
    sources = AnswerSourceChain(NameTable(play.executable.program, play.situation.base), SeededRandom(0))
    times = []
    for _ in range(9):
        session, answers, given = begin_session(play, sources), cycle((True, 1)), 0
        began = process_time()
        while isinstance(session.outcome, Paused):
            after = session.apply_answer(SourcedAnswer(next(answers), "person"), sources)
            assert isinstance(after, Session)
            session, given = after, given + 1
        times.append((process_time() - began) / given)
        assert given == 200
    return median(times)


def figures() -> tuple[float, float]:
    """Seconds of an answer with two things, and with many."""
    return seconds(begun(2)), seconds(begun(MANY))


if __name__ == "__main__":
    few, many = figures()
    print(f"2 things {few * 1e6:.1f} µs an answer, {MANY:,} things {many * 1e6:.1f} µs, ratio {many / few:.2f}")
