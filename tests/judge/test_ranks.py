"""Ranks by machine and judge, and by both ways of the machine; a rank under way is saved and taken up again."""

from itertools import permutations
from random import Random
from typing import Any

import pytest

from rulewright.program.declarations import Program
from rulewright.runtime.pending_question import PendingQuestion
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Paused, Run, answer_paused, start_run
from support.judge_comparison import compare_with_judge, compile_once
from support.reference.ruleset_texts import load_program, read_situation

HEAD = """\
ruleset example "Example" revision "1"
values Rank: private, sergeant, captain
die even: 2, 4, 6
kind Unit, units:
  owner: player
  agility: 0..9 = 3
  rank: Rank = private
  fresh: flag = no
  dice: 0..3 = 1
game:
  turn: list of Unit = []
  faces: list of 1..6 = []
external term reach(u: Unit) gives 0..2
"""

STATE = """\
players: [red, blue]
units:
  a: {owner: red}
  b: {owner: blue, agility: 2, dice: 2}
  c: {owner: red, rank: captain, dice: 0}
  d: {owner: red, agility: 9, fresh: yes}
  e: {owner: blue}
  f: {owner: blue, fresh: yes, dice: 3}
"""

RANKS = {
    "dice": "    agility: highest u.agility\n    roll_off: highest roll d6 by u.owner\n",
    "rows": "    fresh: lowest u.fresh\n    roll_off: lowest roll 2d6 by u.owner\n    swap: ask u.owner\n",
    "one player": "    swap: ask p\n",
    "perhaps equal": "    rank: highest u.rank\n    agility: lowest u.agility\n    fresh: highest u.fresh\n",
    "perhaps mixed": "    agility: lowest u.agility\n    swap: ask u.owner\n",
    "parts": "    roll_off: highest roll [2 of d6 keep highest 1 explode on 6 at most 2, u.dice of even] by u.owner\n",
    "perhaps no dice": "    roll_off: highest roll max(0, u.dice - 2) of d6 by p\n",
    "elsewhere": "    reach: highest reach(u)\n    roll_off: highest roll d4 by u.owner\n    swap: ask u.owner\n",
    "a die of one face": "    agility: highest u.agility\n    roll_off: highest roll d1 by p\n",
}


def load_ranking_rules(keys: str, where: str = "") -> Program:
    return load_program(f"""{HEAD}
procedure go(p: player) gives list of Unit "Go":
  let before = 7
  rank each u in units{where} as waiting:
{keys}
  set turn to waiting
  finish with waiting
""")


@pytest.mark.parametrize("keys", RANKS.values(), ids=RANKS)
@pytest.mark.parametrize("where", ["", " where u.owner = p", " where u.agility > 5", " where u.agility > 9"])
def test_machine_and_judge_rank_alike(keys: str, where: str) -> None:
    rules = load_ranking_rules(keys, where)
    begun = read_situation(STATE, rules)
    for seed in range(12):
        compare_with_judge(rules, begun, "go", (0,), seed)


def test_a_rank_of_dice_and_of_numbers() -> None:
    rules = load_program(f"""{HEAD}
procedure go(p: player) "Go":
  roll 4d6 as hand
  rank each d in hand as best:
    face: highest d.face
    swap: ask p
  set faces to [each d in best: d.face]
  let numbers = {{each u in units: u.agility}}
  rank each n in numbers as sorted_numbers:
    value: lowest n
  if sorted_numbers[1] = 2:
    add 1 to faces
""")
    begun = read_situation(STATE, rules)
    for seed in range(12):
        compare_with_judge(rules, begun, "go", (0,), seed)


def _choose_answer(question: PendingQuestion, draw: Random) -> Any:
    if question.sort == "roll":
        return question.outcome_at(draw.randrange(question.outcome_count))
    return draw.choice(list(question.iterate_answers()))


@pytest.mark.parametrize("keys", RANKS.values(), ids=RANKS)
def test_inline_and_saved_plays_are_the_same(keys: str) -> None:
    rules = load_ranking_rules(keys)
    begun = read_situation(STATE, rules)
    executable = compile_once(rules)
    for seed in range(8):
        draw = Random(seed)

        def value(question: PendingQuestion) -> Any:
            return 1 if question.sort == "value" else _choose_answer(question, draw)  # noqa: B023

        live = Run.begin(executable, begun, "go", (0,))
        while isinstance(live.outcome, Paused):
            live.reply(value(live.make_question()))
        straight = live.outcome
        draw = Random(seed)
        outcome = start_run(executable, begun, "go", (0,))
        while isinstance(outcome, Paused):
            thawed = Run.thaw(executable, outcome.state)
            assert thawed.freeze() == outcome.state
            assert outcome.request.question is not None
            outcome = thawed.reply(value(outcome.request.question))
        assert type(straight) is type(outcome)
        if isinstance(outcome, Ended) and isinstance(straight, Ended):
            assert straight.result == outcome.result
            assert straight.state.columns == outcome.state.columns


def test_dice_are_thrown_round_by_round_from_head_to_tail() -> None:
    rules = load_ranking_rules(
        "    agility: highest u.agility\n    roll_off: highest roll d6 by u.owner\n    swap: ask u.owner\n"
    )
    executable = compile_once(rules)
    first = start_run(executable, read_situation(STATE, rules), "go", (0,))
    assert isinstance(first, Paused)
    assert (first.request.sort, first.request.address, first.request.player) == ("roll", "go/waiting/roll_off", None)
    assert first.request.arguments["waiting"][0] == (0, 2, 4, 5)
    second = answer_paused(first, (3, 5, 3, 6))
    assert isinstance(second, Paused)
    assert second.request.arguments["waiting"][0] == (0, 4)
    assert isinstance(answer_paused(second, (3, 5, 1)), Refused)
    third = answer_paused(second, (2, 1))
    assert isinstance(third, Paused)
    rolls = [each for each in third.entries if each.sort == "roll"]
    assert [[die.face for die in each.dice] for each in rolls] == [[2, 1]]
    assert (third.request.sort, third.request.address, third.request.player) == ("order", "go/waiting/swap", 0)
    assert third.request.items == (2, 0)


def test_rows_are_asked_for_from_head_to_tail() -> None:
    rules = load_ranking_rules(
        "    agility: highest u.agility\n    roll_off: highest roll d6 by u.owner\n    swap: ask u.owner\n"
    )
    executable = compile_once(rules)
    outcome = start_run(executable, read_situation(STATE, rules), "go", (0,))
    assert isinstance(outcome, Paused)
    outcome = answer_paused(outcome, (6, 5, 3, 2))
    assert isinstance(outcome, Paused)
    assert (outcome.request.player, outcome.request.items) == (0, (3, 0, 2))
    assert outcome.request.question is not None
    assert list(outcome.request.question.iterate_answers()) == list(permutations((3, 0, 2)))
    outcome = answer_paused(outcome, (2, 0, 3))
    assert isinstance(outcome, Paused)
    assert (outcome.request.player, outcome.request.items) == (1, (4, 5, 1))
    ended = answer_paused(outcome, (1, 4, 5))
    assert isinstance(ended, Ended)
    assert ended.result == (2, 0, 3, 1, 4, 5)
    (line,) = [each for each in ended.entries if each.address == "go/waiting"]
    assert [(each.id, each.outcome) for each in line.rows] == [
        ("agility", "parted"),
        ("roll_off", "parted"),
        ("swap", "parted"),
    ]


def test_one_member_asks_nothing() -> None:
    rules = load_ranking_rules(
        "    roll_off: highest roll d6 by u.owner\n    swap: ask u.owner\n", " where u.agility > 5"
    )
    ended = start_run(compile_once(rules), read_situation(STATE, rules), "go", (0,))
    assert isinstance(ended, Ended)
    assert ended.result == (3,)


def test_members_left_equal_are_a_fault() -> None:
    rules = load_ranking_rules("    agility: highest u.agility\n")
    fault = start_run(compile_once(rules), read_situation(STATE, rules), "go", (0,))
    assert isinstance(fault, Faulted)
    assert (fault.code, fault.address) == ("RW0835", "go/waiting")
