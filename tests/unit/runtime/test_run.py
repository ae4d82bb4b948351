"""Plays of one small ruleset: requests, reasons, states, limits, traces."""

import json

import pytest

from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Outcome, Paused, Run, answer_paused, start_run
from rulewright.runtime.snapshot import evaluate_measure
from rulewright.runtime.state import Situation, encode_game
from rulewright.runtime.values import GameMap
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset skirmish "Skirmish" revision "1"
kind Unit, units:
  owner: player
  at: hex
  health: 0..9
board field of hex:
  woods: flag = no
term free(h: hex) when all "a free hex":
  on_map: h in field
  clear: not h.woods "woods cannot be entered"
  empty: no u in occupants(h) "somebody stands there"
whenever death for each u in units "A unit without health is removed":
  when u.health = 0
  priority 1
  lowers count(units)
  remove u
measure fallen: count(removed(units))
procedure advance(unit: Unit) "Advance":
  require strong: unit.health >= 2 "the weak stay"
  step 1 "Move":
    ask unit.owner for dest in neighbours(unit.at) where free(dest) "Where to?":
      move unit to dest
  step 2 "Fight":
    roll 2d6 as blows by unit.owner
    ask unit.owner to split count(each d in blows where d.natural >= 4) over units - {unit} as hits "Who is hit?":
      require not_more: no u in units where hits[u] > u.health "no more hits than health"
      for each u in hits:
        take up to hits[u] from u.health
    else:
      nothing
procedure endless() "Endless":
  repeat while yes at most 9999999:
    nothing
"""
STATE = """\
players: [red, blue]
units:
  a: {owner: red, at: [0, 0], health: 3}
  b: {owner: blue, at: [1, 0], health: 1}
  c: {owner: blue, at: [0, 1], health: 2}
field:
  shape: {radius: 2}
  cells: {"-1,0": {woods: yes}}
"""


@pytest.fixture(scope="module", params=[False, True], ids=["untraced", "traced"])
def executable(request: pytest.FixtureRequest) -> Executable:
    return compile_program(load_program(RULES), traced=request.param)


@pytest.fixture(scope="module")
def begun(executable: Executable) -> Situation:
    return read_situation(STATE, executable.program)


def _paused(outcome: Outcome) -> Paused:
    assert isinstance(outcome, Paused), outcome
    return outcome


def _at_the_split(executable: Executable, begun: Situation) -> Paused:
    asked = _paused(start_run(executable, begun, "advance", (0,)))
    rolled = _paused(answer_paused(asked, (0, -1)))
    return _paused(answer_paused(rolled, (6, 4)))


def test_every_option_is_listed_with_the_row_that_rules_it_out(executable: Executable, begun: Situation) -> None:
    request = _paused(start_run(executable, begun, "advance", (0,))).request
    assert (request.sort, request.address, request.player) == ("one", "advance/1/dest", 0)
    assert [(each.value, each.reason and (each.reason.address, each.reason.text)) for each in request.choices] == [
        ((-1, 0), ("free/clear", "woods cannot be entered")),
        ((-1, 1), None),
        ((0, -1), None),
        ((0, 1), ("free/empty", "somebody stands there")),
        ((1, -1), None),
        ((1, 0), ("free/empty", "somebody stands there")),
    ]


def test_a_refused_answer_changes_nothing(executable: Executable, begun: Situation) -> None:
    asked = _paused(start_run(executable, begun, "advance", (0,)))
    refused = answer_paused(asked, (1, 0))
    assert isinstance(refused, Refused)
    assert refused.reasons == asked.explain_refusals((1, 0))
    assert refused.reasons[0].text == "somebody stands there"
    assert _paused(start_run(executable, begun, "advance", (0,))).state == asked.state


def test_a_whole_answer_is_judged_by_its_rows(executable: Executable, begun: Situation) -> None:
    asked = _at_the_split(executable, begun)
    assert (asked.request.sort, asked.request.items, asked.request.high) == ("split", (1, 2), 2)
    refused = answer_paused(asked, GameMap.from_pairs(0, [(1, 2)]))
    assert isinstance(refused, Refused)
    assert (refused.reasons[0].address, refused.reasons[0].text) == (
        "advance/2/hits/not_more",
        "no more hits than health",
    )
    short = answer_paused(asked, GameMap.from_pairs(0, [(1, 1)]))
    assert isinstance(short, Refused)
    assert short.reasons[0].text == "the shares add up to 1, not to 2"


def test_a_state_goes_on_and_its_game_is_written_as_json(executable: Executable, begun: Situation) -> None:
    asked = _at_the_split(executable, begun)
    thawed = Run.thaw(executable, asked.state)
    assert thawed.freeze() == asked.state
    assert json.loads(json.dumps(encode_game(asked.state))) == encode_game(thawed.freeze())
    ended = thawed.reply(GameMap.from_pairs(0, [(1, 1), (2, 1)]))
    assert isinstance(ended, Ended)
    assert evaluate_measure(executable, ended.state, "fallen", ()) == 1


def test_a_limit_ends_the_run_with_its_own_code(executable: Executable, begun: Situation) -> None:
    faulted = start_run(executable, begun, "endless", (), RunLimits(work=500))
    assert isinstance(faulted, Faulted)
    assert (faulted.code, faulted.address) == ("RW0901", "endless/repeat")


def test_who_throws_dice_need_not_look_at_the_question(executable: Executable, begun: Situation) -> None:
    run = Run.begin(executable, begun, "advance", (0,))
    run.reply((0, -1))
    question = run.make_question()
    assert (question.sort, question.outcome_count) == ("roll", 36)
    outcome = run.reply(question.outcome_at(35))
    assert isinstance(outcome, Paused)
    assert outcome.state.rolls[0][0].face == outcome.state.rolls[0][1].face == 6


def test_a_trace_tells_what_was_read_changed_and_decided(begun: Situation) -> None:
    executable = compile_program(load_program(RULES), traced=True)
    asked = _paused(start_run(executable, begun, "advance", (0,)))
    assert [(each.sort, each.address) for each in asked.entries] == [("need", "advance/strong"), ("step", "advance/1")]
    (read,) = asked.entries[0].reads
    assert (read.text, read.value, asked.entries[0].enclosing) == ("unit.health", 3, ("advance",))
    moved = _paused(answer_paused(asked, (0, -1)))
    assert [(each.sort, each.address) for each in moved.entries] == [
        ("answer", "advance/1/dest"),
        ("line", "advance/1/move.unit"),
        ("step", "advance/2"),
    ]
    assert moved.entries[0].legal == ((-1, 1), (0, -1), (1, -1))
    (change,) = moved.entries[1].changes
    assert (change.place, change.key, change.before, change.after) == ("Unit/at", 0, (0, 0), (0, -1))


def test_the_generated_source_holds_no_text_of_the_rules(executable: Executable) -> None:
    for text in ("Advance", "somebody", "woods", "unit", "health", "blows"):
        assert text not in executable.code.source


OUT_OF_BOUNDS = """\
kind player, players:
  cards: bag of 1..6 = {}
term many(p: pool) gives 0..3 means total(p)
"""


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        ('  step 1 "A":\n    nothing\n  step 2 "B" when many(p) > 2:\n    nothing\n', "main/2"),
        (
            "  draw from u.cards as c\n  else:\n    roll 2d6 as q\n  if many(p) > 2:\n    roll 2d6 as p\n",
            "main/if",
        ),
        ("  repeat while many(p) > 2 at most 3:\n    roll 2d6 as p\n", "main/repeat"),
        (
            "  rank each x in players as first:\n    few: lowest 1\n    dice: highest roll many(p) of d6 by u\n",
            "main/first/dice",
        ),
    ],
)
def test_a_fault_is_told_of_the_line_or_row_that_it_is_met_in(lines: str, address: str) -> None:
    outcome = _begin_procedure(f"{OUT_OF_BOUNDS}procedure main(u: player):\n  roll 6d6 as p\n{lines}")
    while isinstance(outcome, Paused):
        outcome = answer_paused(outcome, tuple(6 for _ in range(sum(each.count for each in outcome.request.dice))))
    assert isinstance(outcome, Faulted)
    assert (outcome.code, outcome.address) == ("RW0801", address)


def _begin_procedure(rules: str) -> Outcome:
    checked = load_program(f'ruleset example "Example" revision "1"\n{rules}')
    start = read_situation("players: [red, blue]", checked)
    return start_run(compile_program(checked, traced=False), start, next(iter(checked.procedures)), (0,))


CALLED_AGAIN = """\
event struck(u: player)
procedure main(u: player) gives 0..9:
  let r: 0..9 = 0
  let heard: 0..9 = 0
  WATCH
  repeat while r < 3 at most 3:
    add 1 to r
    perform throw() as x
    trigger struck(u)
    set heard to 0
    if x = 6:
      finish with r
  finish with 9
procedure throw() gives 1..6:
  roll d6 as d
  finish with d.natural
"""


def test_what_a_call_gave_before_does_not_count_while_it_runs_again() -> None:
    assert len(set(_list_keys_after_a_throw(CALLED_AGAIN.replace("  WATCH\n", "")))) == 1
    watched = CALLED_AGAIN.replace("WATCH", "let x: 1..6 = 1\n  watch struck when x > 1:\n    set heard to 1")
    assert len(set(_list_keys_after_a_throw(watched))) > 1


def _list_keys_after_a_throw(rules: str) -> list[object]:
    checked = load_program(f'ruleset example "Example" revision "1"\n{rules}')
    start = read_situation("players: [red, blue]", checked)
    run = Run.begin(compile_program(checked, traced=False), start, "main", (0,))
    runs = [run.fork() for _ in range(5)]
    for face, each in enumerate(runs, 1):
        each.reply((face,))
    return [each.future_key() for each in runs]


def test_what_is_no_face_of_a_die_is_refused(executable: Executable, begun: Situation) -> None:
    rolled = _paused(answer_paused(_paused(start_run(executable, begun, "advance", (0,))), (0, -1)))
    refused = answer_paused(rolled, (7, 1))
    assert isinstance(refused, Refused)
    assert refused.reasons[0].text == "7 is not a face of the die"
