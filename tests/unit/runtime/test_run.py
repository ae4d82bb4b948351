"""Plays of one small ruleset: requests, reasons, states, limits, traces."""

import json

import pytest

from rulewright.runtime.executable import Executable, compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.pending_question import iterate_request_answers
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Outcome, Paused, Run, answer_paused, start_run
from rulewright.runtime.snapshot import evaluate_measure
from rulewright.runtime.state import Situation, encode_game, list_changes
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


def test_a_state_can_be_answered_twice(executable: Executable, begun: Situation) -> None:
    asked = _paused(start_run(executable, begun, "advance", (0,)))
    one, other = (_paused(answer_paused(asked, each)).state for each in ((-1, 1), (0, -1)))
    assert one.get_attribute("Unit/at", 0) == (-1, 1)
    assert other.get_attribute("Unit/at", 0) == (0, -1)
    assert one != other
    assert hash(one) == hash(_paused(answer_paused(asked, (-1, 1))).state)


def test_a_roll_takes_the_faces_of_every_die(executable: Executable, begun: Situation) -> None:
    asked = _paused(start_run(executable, begun, "advance", (0,)))
    rolled = _paused(answer_paused(asked, (0, -1)))
    assert rolled.request.sort == "roll"
    assert [(each.count, each.faces) for each in rolled.request.dice] == [(2, (1, 2, 3, 4, 5, 6))]
    question = rolled.request.question
    assert question is not None
    assert question.outcome_count == 36
    assert len({question.outcome_at(index) for index in range(36)}) == 36
    refused = answer_paused(rolled, (7, 1))
    assert isinstance(refused, Refused)
    assert refused.reasons[0].text == "7 is not a face of the die"


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


def test_the_only_answer_is_not_asked_for() -> None:
    forced = """\
ruleset forced "Forced" revision "1"
kind Unit, units:
  owner: player
  health: 0..9
procedure aim(unit: Unit) "Aim":
  ask unit.owner for target in units where target != unit "At whom?":
    take up to 1 from target.health
  else:
    nothing
"""
    rules = load_program(forced)
    state = "players: [red]\nunits:\n  a: {owner: red, health: 3}\n  b: {owner: red, health: 3}\n"
    outcome = start_run(compile_program(rules, traced=True), read_situation(state, rules), "aim", (0,))
    assert isinstance(outcome, Ended)
    assert outcome.state.get_attribute("Unit/health", 1) == 2
    assert [(each.result, each.forced) for each in outcome.entries if each.sort == "answer"] == [(1, True)]


def test_legal_answers_are_counted_out_lazily(executable: Executable, begun: Situation) -> None:
    asked = _paused(start_run(executable, begun, "advance", (0,)))
    assert list(iterate_request_answers(asked.request)) == [(-1, 1), (0, -1), (1, -1)]


def test_splits_are_searched_under_their_rows(executable: Executable, begun: Situation) -> None:
    asked = _at_the_split(executable, begun)
    assert list(iterate_request_answers(asked.request)) == [
        GameMap.from_pairs(0, [(2, 2)]),
        GameMap.from_pairs(0, [(1, 1), (2, 1)]),
    ]


def test_a_need_that_fails_refuses_the_call(executable: Executable, begun: Situation) -> None:
    refused = start_run(executable, begun, "advance", (1,))
    assert isinstance(refused, Refused)
    assert [(each.address, each.text) for each in refused.reasons] == [("advance/strong", "the weak stay")]


def test_a_state_goes_on_and_its_game_is_written_as_json(executable: Executable, begun: Situation) -> None:
    asked = _at_the_split(executable, begun)
    thawed = Run.thaw(executable, asked.state)
    assert thawed.freeze() == asked.state
    assert json.loads(json.dumps(encode_game(asked.state))) == encode_game(thawed.freeze())
    ended = thawed.reply(GameMap.from_pairs(0, [(1, 1), (2, 1)]))
    assert isinstance(ended, Ended)
    assert evaluate_measure(executable, ended.state, "fallen", ()) == 1


def test_changes_name_what_differs(executable: Executable, begun: Situation) -> None:
    asked = _paused(start_run(executable, begun, "advance", (0,)))
    before, after = asked.state, _paused(answer_paused(asked, (0, -1))).state
    assert [(each.place, each.key, each.before, each.after) for each in list_changes(before, after)] == [
        ("Unit/at", 0, (0, 0), (0, -1))
    ]


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


def test_a_fork_goes_its_own_way(executable: Executable, begun: Situation) -> None:
    run = Run.begin(executable, begun, "advance", (0,))
    run.reply((0, -1))
    rolled = [_paused(fork.reply(faces)).state for faces in ((6, 4), (5, 6)) for fork in (run.fork(),)]
    assert rolled[0] != rolled[1]
    assert _paused(run.reply((6, 4))).state == rolled[0]


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


EQUAL_CARDS = """\
kind player, players:
  cards: list of 1..6 = [1, 1, 2]
procedure p(u: player) gives 1..6:
  ask u for c in u.cards where c < 3 "Which card?":
    finish with c
  else:
    finish with 6
"""


def test_equal_members_are_one_choice() -> None:
    paused = _begin_procedure(EQUAL_CARDS)
    assert isinstance(paused, Paused)
    assert [each.value for each in paused.request.choices] == [1, 2]


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
