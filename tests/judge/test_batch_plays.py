"""The batch path plays as `Run` does, on the same dice and choices; what it cannot it gives back, with the reason."""

import os
import signal
from itertools import islice
from random import Random

import pytest

from rulewright.base.files import MemoryFiles
from rulewright.documents.document_nodes import make_unplaced_map
from rulewright.odds.answerers import PlayAnswerer
from rulewright.odds.end_measures import MeasuredPlay, prepare_measured_play
from rulewright.odds.exact_odds import CannotBeginError
from rulewright.odds.external_answers import read_external_odds
from rulewright.odds.kernel.wasm_kernel import INVALID_MODULE, SimulationKernel, write_kernel
from rulewright.odds.monte_carlo import PlayCounter, UnansweredError, simulate_plays
from rulewright.play.session import PlayStart
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from support.batch_path_comparison import (
    iterate_random_plays,
    iterate_shipped_openings,
    measure_opening,
    play_side_by_side,
)
from support.reference.ruleset_texts import load_program, read_situation
from support.sample_sizes import sample_cases

pytest.importorskip("wasmtime")

RULES = """\
ruleset example "Example" revision "1"

values Mood: calm, angry, wild
record Blow:
  hits: 0..12
  mood: Mood
kind Unit, units "A unit":
  owner: player
  health: 0..20
  mood: Mood = calm
  foe: Unit? = none
  marks: set of Mood = {}
kind player, players:
  wins: 0..999 = 0
game:
  round: 0..50 = 0
  tally: map of Unit to 0..99 = 0

event struck(target: Unit, amount: 0..12) "A unit is struck"
whenever lost for each u in units "A unit without health is out":
  when u.health = 0
  priority 1
  lowers count(units)
  remove u
whenever calmed for each u in units "A healthy unit is calm":
  when u.health >= 15 and u.mood != calm
  priority 2
  lowers count(each x in units where x.mood != calm)
  set u.mood to calm
always two_at_least: count(units) >= 1 or round >= 1 "somebody is there"

term angry_ones() gives set of Unit means {each u in units where u.mood = angry}
decide force(u: Unit) gives 0..6 "How hard a unit strikes":
  calm: 1 when u.mood = calm
  weak: 2 when u.health <= 3
  full: 4 otherwise
tally bonus(u: Unit) from force(u) "With what it bears":
  marks: +count(u.marks)
  twice: times 2 when u.mood = wild
  most: at most 12
table next(m: Mood) gives Mood "The next mood":
  calm | angry
  angry | wild
  wild | calm

procedure strike(one: Unit, other: Unit) gives Blow "One strikes":
  roll bonus(one) of d6 as blows by one.owner
  let best = sorted([each d in blows: d.natural])
  let hits: 0..12 = min(12, count(each d in blows where d.natural >= 4))
  let top: 0..6 = if(count(best) >= 1, best[1], 0)
  together:
    take up to hits from other.health
    set other.mood to next(other.mood)
  trigger struck(other, hits)
  if top = 6:
    add other.mood to one.marks
  ask one.owner whether again when hits = 0 and top >= 2 "Again?":
    reroll blows by one.owner
    take up to total(blows) from other.health
  finish with Blow(hits: hits, mood: other.mood)

procedure fight(first: Unit, second: Unit) gives 0..99 "A fight":
  let suffered: 0..99 = 0
  watch struck when amount >= 1:
    if target = second:
      set suffered to min(99, suffered + amount)
  step 1 "Begin":
    set round to 0
  step 2 "Strike" when some u in units where u.owner != first.owner:
    perform strike(first, second) as blow
    if blow.hits >= 3 and blow.mood != calm:
      set tally[first] to min(99, tally[first] + blow.hits)
    if not second.gone:
      perform strike(second, first)
    if first.gone or second.gone:
      proceed to 4
    ask first.owner to choose how "How does it go on?":
      option wild when first.health >= 2 "Wildly":
        set first.mood to wild
        roll d6 as cost
        take up to cost.natural from first.health
      option calmly "Calmly"
  step 3 "Again" when round < 50 and not first.gone:
    add 1 to round
    ask second.owner for n in 0..min(3, round) "How far?":
      repeat while n > 0 at most 3:
        set second.foe to first
        stop
    proceed to 2 at most 60
  step 4 "End":
    for each p in players where (some u in units where u.owner = p):
      add up to 1 to p.wins
    if suffered > 90 or count(angry_ones()) > 1:
      take 10 from first.health
    finish with min(99, suffered + sum(each u in units: u.health))
"""
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


def prepare_play(rules: str, state: str, of: tuple[str, ...]) -> MeasuredPlay:
    checked = load_program(rules)
    start = read_situation(state, checked)
    *_, procedure = checked.procedures.values()
    arguments = tuple(range(len(procedure.parameters)))
    begun = PlayStart(compile_program(checked, traced=False), procedure, start, arguments, RunLimits())
    found = prepare_measured_play(begun, of, "example.rules", (), MemoryFiles({"example.rules": rules}))
    assert found.value is not None, found.diagnostics
    return found.value


@pytest.mark.parametrize("policy", ["first", "random"])
def test_a_fight_goes_the_same(policy: str) -> None:
    play = prepare_play(RULES, STATE, OF)
    found = play_side_by_side(play, PlayAnswerer(play.start.names, policy=policy), range(300))
    assert not found.differ
    assert found.same >= 295, found


@pytest.mark.parametrize("part", sample_cases(["risk", "pig", "mel/mel_dice"], 3))
def test_shipped_rulesets_go_the_same(part: str) -> None:
    same = 0
    for _, opening in islice(iterate_shipped_openings(part), 2):
        play = measure_opening(opening)
        found = play_side_by_side(play, PlayAnswerer(play.start.names, policy="random"), range(150))
        assert not found.differ
        same += found.same
    assert same >= 100


@pytest.mark.parametrize("seed", sample_cases(range(40), 20))
def test_rulesets_written_at_random_go_the_same(seed: int) -> None:
    for name, play in iterate_random_plays(seed):
        for policy in ("first", "random"):
            try:
                found = play_side_by_side(play, PlayAnswerer(play.start.names, policy=policy), range(12))
            except (CannotBeginError, UnansweredError):
                break
            assert not found.differ, name
            assert INVALID_MODULE not in found.why, name


POOLS = """\
kind Unit, units:
  dice: 0..20 = 0
procedure p(u: Unit) gives 0..999:
  let sum: 0..999 = 0
  let needed: 1..9 = 4
  for each n in 1..3:
    set u.dice to 6 * n
    roll u.dice of d6 as hits
    set needed to 2 + n
    add up to count(each d in hits where d.natural >= needed and needed < 5) to sum
    roll min(21, u.dice - 6) of d6 as more
    add up to total(more) to sum
    roll 3d6 as few
    add up to 2 * sum(each d in few where d.natural != 3: d.natural * d.natural) to sum
    roll 3d6 as read
    add up to max(total(read), count(each d in read where d.natural = 1)) to sum
    roll 2 * u.dice of d6 as many
    add up to count(each d in many where d.face = 2) to sum
  finish with sum
"""


def test_pools_of_few_and_of_many_dice_go_the_same() -> None:
    play = prepare_play(SMALL + POOLS, "players: [red]\nunits: {a: {}}", ("result",))
    answers = PlayAnswerer(play.start.names)
    assert play_side_by_side(play, answers, range(400)).same == 400
    playing = PlayCounter(play, answers, batch=True)
    assert playing.count_plays(5, range(300)) == simulate_plays(play, answers, 5, range(300))
    assert not playing.batch_refusal


ONE_DIE = """\
die odd: 1, 3 * 2, 9
kind Unit, units:
  dice: 0..20 = 0
procedure q(u: Unit, n: 0..20) gives 0..20:
  set u.dice to n
  finish with n
procedure p(u: Unit, n: 0..9) gives 0..99:
  roll d6 as shown
  roll odd as strange
  roll d6 as again
  if again.natural < 3:
    reroll again
  perform q(u, n + shown.natural) as more
  perform q(u, 2) as less
  finish with 10 * again.natural + strange.face + more - less + u.dice
"""


def test_a_die_that_is_only_looked_at_lies_nowhere_and_what_is_given_is_known() -> None:
    play = prepare_play(SMALL + ONE_DIE, "players: [red]\nunits: {a: {}}", ("result",))
    answers = PlayAnswerer(play.start.names)
    found = play_side_by_side(play, answers, range(400))
    assert not found.differ
    assert found.same >= 200
    module = write_kernel(play, answers).module
    assert module.find_plain_dice(module.core.routines["procedure:p"]) == {2, 3}  # `shown` and `strange`
    known = [key[2] for key in module.functions if key[:2] == ("routine", "procedure:q")]
    assert sorted(map(len, known)) == [1, 2]  # the unit; the unit and 2


AMOUNTS = """\
kind Unit, units:
  health: 0..6 = 4
game:
  lost: 0..2 = 0
procedure p(u: Unit) gives 0..999:
  let bonus: 1..9 = 3
  for each n in 1..4:
    roll d6 as die
    if die.natural >= 5:
      take up to 2 from u.health
      add up to 1 to lost
    if die.natural = 3 or u.health < 3:
      add up to 4 to bonus
    if die.natural = 1:
      take up to 1 from bonus
      add up to 2 to u.health
  finish with 100 * bonus + 10 * u.health + lost
"""


def test_small_amounts_under_a_condition_go_the_same() -> None:
    play = prepare_play(SMALL + AMOUNTS, "players: [red]\nunits: {a: {}}", ("result",))
    answers = PlayAnswerer(play.start.names)
    assert play_side_by_side(play, answers, range(400)).same == 400


SMALL = 'ruleset example "Example" revision "1"\n'


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (
            (
                "game:\n  least: 1..6 = 4\nprocedure p() gives 0..30:\n  roll 3 of die(least) as dice\n  reroll dice\n"
                "  finish with total(dice)"
            ),
            "at `p/dice`: dice with a computed number of faces that are thrown again",
        ),
        (
            (
                "board ground of plane\nkind Mini, minis:\n  at: point?\nprocedure p() gives 0..6:\n  roll d6 as d\n"
                "  finish with if(point(1, 2) = point(2, 1), 1, d.natural)"
            ),
            "at `p/finish`: `point`",
        ),
    ],
)
def test_why_a_procedure_is_played_one_by_one(rules: str, why: str) -> None:
    play = prepare_play(SMALL + rules + "\n", "players: [red]", ("result",))
    playing = PlayCounter(play, PlayAnswerer(play.start.names), batch=True)
    counted = playing.count_plays(3, range(60))
    assert playing.batch_refusal == why
    assert counted == simulate_plays(play, PlayAnswerer(play.start.names), 3, range(60))


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
    play = prepare_play(SMALL + ELSEWHERE, "units: {a: {}, b: {}, c: {}}", of)
    names = play.start.names
    odds = read_external_odds(make_unplaced_map(LIKELY), names.program, names).value
    assert odds is not None
    found = play_side_by_side(play, PlayAnswerer(names, policy="random", external_odds=odds), range(300))
    assert found.same == 300, found


def test_results_from_elsewhere_that_are_not_said_are_equally_likely() -> None:
    rules = SMALL + ELSEWHERE.replace(", Unit.gone", "")
    play = prepare_play(
        rules, "units: {a: {}, b: {}, c: {}}", ("result", "turns", "count(spare)", "a.mate", "b.health")
    )
    answers = PlayAnswerer(play.start.names, policy="random")
    found = play_side_by_side(play, answers, range(300))
    assert found.same == 300, found


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
    play = prepare_play(SMALL + TURNING, MINIS, ("result", "count(ahead)"))
    for policy in ("first", "random"):
        found = play_side_by_side(play, PlayAnswerer(play.start.names, policy=policy), range(120))
        assert found.same == 120, found


WIDE = """\
kind Unit, units:
  owner: player
  at: hex
  health: 0..9 = 5
game:
  spots: 0..200 = 0
board field of hex
event struck(target: Unit, amount: 0..9) gives 0..6 "A unit is struck":
  holders {target}
handler harder for each u in {target} on struck when u.health < 5 optional "Harder?":
  add up to 1 to u.health
  finish with min(6, amount + u.health)
handler softer for each u in {target} on struck when u.health >= 5:
  finish with 1
event fallen(unit: Unit) on removal "A unit is out":
  holders units
  order by [unit.owner]
handler gladly for each u in units on fallen when u != unit:
  add up to 2 to u.health

term open(u: Unit) gives set of hex means {each c in neighbours(u.at) where no x in units where x.at = c}
procedure go(u: Unit, v: Unit) gives 0..200:
  trigger struck(v, 3) as more
  set spots to min(200, spots + count(open(u) + open(v)) + count(open(u) - open(v)) + sum(more))
  if open(u) = open(v):
    finish with 200
  ask u.owner for c in open(u) where distance(c, v.at) >= 1 "Where to?":
    move u to c
  else:
    finish with 199
  take up to 2 from u.health
  if count(open(v)) >= 5 and u.health = 0:
    remove u
  else:
    perform go(v, u) at most 6 deep as next
    finish with next
  ask v.owner for n in 0..99 "How many?":
    set spots to max(n, spots)
  finish with min(200, count(each h in field where distance(h, v.at) <= 3))
"""
FIELD = """\
players: [red, blue]
units:
  a: {owner: red, at: [0, 0]}
  b: {owner: blue, at: [1, 0]}
field: {shape: {radius: 5}}
"""


def test_wide_sets_handlers_that_give_and_procedures_that_perform_themselves() -> None:
    play = prepare_play(SMALL + WIDE, FIELD, ("result", "spots", "a.health", "b.health"))
    for policy in ("first", "random"):
        found = play_side_by_side(play, PlayAnswerer(play.start.names, policy=policy), range(300))
        assert not found.differ
        assert found.same == 300, found
    kernel = SimulationKernel(write_kernel(play, PlayAnswerer(play.start.names, policy="random")))
    (results, _, healths, _), _ = kernel.play_range(1, range(300))
    assert len(results) >= 3
    assert len(healths) >= 3


PATHS = """\
kind Unit, units:
  owner: player
  at: hex
  speed: 0..9 = 2
board field of hex:
  woods: flag = no
  side river: flag = no
paths march(u: Unit) on field from u.at "Hexes a unit can march to":
  cost hex: 1
  cost woods: +1 when entered.woods
  cost river: +2 when crossed.river
  enter near: spent <= u.speed
  enter open: no x in occupants(entered)
  halt trees: entered.woods
paths retreat(u: Unit) on field from u.at "Hexes exactly two moves away":
  enter away: distance(u.at, entered) > distance(u.at, left)
  halt far: moves = 2
  end exact: moves = 2
procedure go(u: Unit, v: Unit) gives 0..999:
  for each n in 1..3:
    roll d6 as d
    set u.speed to d.natural
    for each c in march(u):
      set c.woods to not c.woods
    ask u.owner for c in march(u) "Where to?":
      move u to c
    else:
      nothing
  finish with 10 * count(march(u)) + count(retreat(v))
"""


def test_paths_go_the_same() -> None:
    state = (
        "players: [red]\nunits: {a: {owner: red, at: [0, 0]}, b: {owner: red, at: [1, 0]}}\n"
        'field: {shape: {columns: 5, rows: 4}, cells: {"0,1": {woods: yes}}}\n'
    )
    play = prepare_play(SMALL + PATHS, state, ("result", "a.speed"))
    assert play_side_by_side(play, PlayAnswerer(play.start.names, policy="random"), range(150)).same == 150


def test_plays_that_meet_a_fault_are_told_as_ever() -> None:
    rules = (
        "kind Unit, units:\n  health: 0..9\n"
        "procedure p(u: Unit) gives 0..9:\n  roll d6 as die\n  take die.natural from u.health\n  finish with u.health"
    )
    play = prepare_play(SMALL + rules + "\n", "players: [red]\nunits:\n  one: {health: 4}\n", ("result",))
    playing = PlayCounter(play, PlayAnswerer(play.start.names), batch=True)
    counted = playing.count_plays(3, range(500))
    assert not playing.batch_refusal
    assert counted.fault_counts
    assert counted == simulate_plays(play, PlayAnswerer(play.start.names), 3, range(500))


def test_parts_of_any_size_count_the_same() -> None:
    play = prepare_play(RULES, STATE, OF)
    answers = PlayAnswerer(play.start.names, policy="random")
    whole, parts = PlayCounter(play, answers, batch=True), PlayCounter(play, answers, batch=True)
    cuts = sorted(Random(1).sample(range(1, 400), 3))
    found = parts.count_plays(5, range(cuts[0]))
    for first, end in zip(cuts, [*cuts[1:], 400], strict=True):
        found = found.add_counts(parts.count_plays(5, range(first, end)))
    assert found == whole.count_plays(5, range(400))


OPTIONS_ALONE = """\
kind Unit, units:
  health: 0..6 = 4
procedure p(u: Unit) gives 0..20:
  if u.health > 2:
    roll d20 with advantage 1 as check
  else:
    roll d20 with advantage -1 as check
  reroll check
  finish with check.natural
"""


def test_a_die_with_options_that_is_thrown_again_goes_the_same() -> None:
    play = prepare_play(SMALL + OPTIONS_ALONE, "players: [red]\nunits:\n  one: {health: 2}\n", ("result",))
    assert play_side_by_side(play, PlayAnswerer(play.start.names, policy="random"), range(100)).same == 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_worker_compiles_what_its_parent_compiled_before() -> None:
    play = prepare_play(RULES, STATE, OF)
    source = write_kernel(play, PlayAnswerer(play.start.names, policy="random"))
    plays = SimulationKernel(source).play_range(1, range(10))
    worker = os.fork()
    if worker == 0:
        signal.alarm(30)  # ends a worker that waits for ever
        os._exit(SimulationKernel(source).play_range(1, range(10)) != plays)
    assert os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) == 0
