"""The batch path plays as `Run` does, on the same dice and choices; what it cannot it gives back, with the reason."""

import os
import signal
from random import Random

import pytest

from rulewright.documents.document_nodes import make_unplaced_map
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.external_answers import read_external_odds
from rulewright.odds.kernel.wasm_kernel import SimulationKernel, write_kernel
from rulewright.odds.monte_carlo import PlayCounter, simulate_plays
from support.engine_plays import play_side_by_side
from support.odds_questions import ask_play
from support.reference.ruleset_texts import read_rules

pytest.importorskip("wasmtime")

RULES = read_rules("fight")
STATE = """\
players: [red, blue]
units:
  hammer: {owner: red, health: 18, mood: angry}
  anvil: {owner: blue, health: 16, marks: [wild]}
"""
OF = (
    "result",
    "round",
    "hammer.health",
    "anvil.health",
    "hammer.mood",
    "anvil.marks",
    "anvil.foe",
    "red.wins",
    "blue.wins",
    "tally[hammer]",
    "tally[anvil]",
    "count(units)",
)


@pytest.mark.parametrize("policy", ["first", "random"])
def test_a_fight_goes_the_same(policy: str) -> None:
    play = ask_play(RULES, *OF, state=STATE)
    found = play_side_by_side(play, PlayAnswerer(play.start.names, policy=policy), range(150))
    assert not found.differ
    assert found.same >= 145, found


ELSEWHERE = """\
values Mood: calm, angry
kind Unit, units:
  health: 0..2 = 2
  mood: Mood = calm
  mate: Unit? = none
game:
  turns: 0..4 = 0
  spare: set of 0..2 = {}
  seen: 0..99 = 0
external procedure one(u: Unit) gives 0..5 changes Unit.mood, turns "One"
external procedure two(u: Unit) gives Unit? changes spare, Unit.gone "Two"
external procedure three(u: Unit) gives (far: 0..3, near: flag) changes Unit.mate "Three"
external procedure four() gives Unit "Four"
whenever angered for each u in units "An angry unit suffers":
  when u.mood = angry and u.health > 0
  priority 1
  lowers sum(each x in units: x.health)
  take 1 from u.health
procedure play(u: Unit, v: Unit) gives 0..99:
  for each n in 1..2:
    perform one(u) as more
    add up to more to seen
    perform three(v) as given
    add up to if(given.near, given.far, 5) to seen
  perform four() as who
  if who = v:
    remove u
  perform four() as last
  perform two(last) as other
  finish with min(99, seen + if(other = u, 20, 0) + count(units))
"""
LIKELY = {
    "one": [
        {
            "answer": {"result": 3, "changes": {"units": {"b": {"mood": "angry"}}, "game": {"turns": 4}}},
            "likely": "1/3",
        },
        {"answer": 5, "likely": "2/3"},
    ],
    "two": [
        {"answer": {"result": "a", "changes": {"game": {"spare": [0, 2]}}}, "likely": "1/7"},
        {"answer": {"result": None, "changes": {"removed": ["b"]}}, "likely": "6/7"},
    ],
}


def test_results_from_elsewhere_go_the_same() -> None:
    of = ("result", "turns", "seen", "count(spare)", "a.mood", "b.mood", "count(units)", "a.mate", "b.health")
    play = ask_play(ELSEWHERE, *of, state="units: {a: {}, b: {}, c: {}}")
    names = play.start.names
    odds = read_external_odds(make_unplaced_map(LIKELY), names.program, names).value
    assert odds is not None
    found = play_side_by_side(play, PlayAnswerer(names, policy="random", external_odds=odds), range(100))
    assert found.same == 100, found


def test_results_from_elsewhere_that_are_not_said_are_equally_likely() -> None:
    rules = ELSEWHERE.replace(", Unit.gone", "")
    of = ("result", "turns", "count(spare)", "a.mate", "b.health")
    play = ask_play(rules, *of, state="units: {a: {}, b: {}, c: {}}")
    answers = PlayAnswerer(play.start.names, policy="random")
    found = play_side_by_side(play, answers, range(100))
    assert found.same == 100, found


TURNING = """\
board ground of plane
kind Mini, minis:
  owner: player
  at: point?
  facing: angle = 0
  base: shape
game:
  ahead: set of Mini = {}
procedure play(a: Mini, b: Mini) gives 0..99:
  ask a.owner to turn a as way "Which way?":
    turn a to way
  set ahead to {each m in minis where in_arc(a, m, 90)}
  ask b.owner to turn b as other "And the other?":
    require aside: other >= 90 "to the side"
    turn b to other
  let sees = in_arc(b, a, 45)
  ask a.owner to split count(ahead) over {each m in ahead where sees} as blows "How many blows?":
    finish with 10 * count(ahead) + sum(each m in minis: if(m = b, blows[m], 0)) + if(contact(a, b), 5, 0)
  else:
    finish with 7
"""
MINIS = """\
players: [red, blue]
minis:
  a: {owner: red, at: [0, 0], facing: 7, base: {round: 1}}
  b: {owner: blue, at: [1, 0], facing: 90, base: {round: 1}}
  c: {owner: blue, at: [-3, 2], base: {round: 2}}
"""


def test_who_turns_looks_elsewhere() -> None:
    play = ask_play(TURNING, "result", "count(ahead)", state=MINIS)
    for policy in ("first", "random"):
        found = play_side_by_side(play, PlayAnswerer(play.start.names, policy=policy), range(60))
        assert found.same == 60, found


def test_plays_that_meet_a_fault_are_told_as_ever() -> None:
    rules = (
        "kind Unit, units:\n  health: 0..9\n"
        "procedure p(u: Unit) gives 0..9:\n  roll d6 as die\n  take die.natural from u.health\n  finish with u.health"
    )
    play = ask_play(rules, state="players: [red]\nunits: {one: {health: 4}}")
    playing = PlayCounter(play, PlayAnswerer(play.start.names), batch=True)
    counted = playing.count_plays(3, range(500))
    assert not playing.batch_refusal
    assert counted.fault_counts
    assert counted == simulate_plays(play, PlayAnswerer(play.start.names), 3, range(500))


def test_parts_of_any_size_count_the_same() -> None:
    play = ask_play(RULES, *OF, state=STATE)
    answers = PlayAnswerer(play.start.names, policy="random")
    whole, parts = PlayCounter(play, answers, batch=True), PlayCounter(play, answers, batch=True)
    cuts = sorted(Random(1).sample(range(1, 400), 3))
    found = parts.count_plays(5, range(cuts[0]))
    for first, end in zip(cuts, [*cuts[1:], 400], strict=True):
        found = found.add_counts(parts.count_plays(5, range(first, end)))
    assert found == whole.count_plays(5, range(400))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_worker_compiles_what_its_parent_compiled_before() -> None:
    play = ask_play(RULES, *OF, state=STATE)
    source = write_kernel(play, PlayAnswerer(play.start.names, policy="random"))
    plays = SimulationKernel(source).play_range(1, range(10))
    worker = os.fork()
    if worker == 0:
        signal.alarm(30)  # ends a worker that waits for ever
        os._exit(SimulationKernel(source).play_range(1, range(10)) != plays)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 0
