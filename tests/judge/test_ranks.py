"""Ranks by machine and judge, and by both ways of the machine; a rank under way is saved and taken up again."""

from itertools import permutations

from rulewright.program.declarations import Program
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Paused, answer_paused, start_run
from support.judge_comparison import compile_once
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


def load_ranking_rules(keys: str, where: str = "") -> Program:
    return load_program(f"""{HEAD}
procedure go(p: player) gives list of Unit "Go":
  let before = 7
  rank each u in units{where} as waiting:
{keys}
  set turn to waiting
  finish with waiting
""")


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
