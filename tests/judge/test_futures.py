"""Keys and chances against brute force: every throw of dice told apart, along every way of small procedures."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from rulewright.base.diagnostics import has_errors
from rulewright.runtime.executable import compile_program
from rulewright.runtime.request import CHANCE_SORTS
from rulewright.runtime.run import Paused, Run
from rulewright.runtime.state import GameSetup, Situation
from support.random_programs import write_program
from support.random_rulesets import make_situation
from support.reference.ruleset_texts import load_text
from support.sample_sizes import choose_count, sample_cases
from support.state_key_checks import check_request, fork_with_answer, get_run_signature

HEAD = """\
ruleset dice "Dice" revision "1" edition 2
values Hue: red, blue, green
die colour: red * 2, blue, green
tally hits(p: pool, least: 1..6) from count(each d in p where d.natural >= least):
  six: +1 when some d in p where d.natural = 6
tally worth(p: pool) from 0:
  low: +1 for each d in p where d.natural <= 2
  high: +2 for each d in p where d.natural >= 5
procedure judge(p: pool, least: 1..6) gives 0..99:
  finish with count(each d in p where d.natural >= least)
procedure main(p: player) gives 0..9999:
"""
BODIES = {
    "counted": "roll 4d6 as a by p\n  finish with count(each d in a where d.natural >= 5)",
    "a total": "roll 3d6 as a\n  finish with total(a)",
    "through a tally": "roll 4d6 as a\n  finish with hits(a, 4)",
    "two looks": "roll 3d6 as a\n  if some d in a where d.natural = 1:\n    finish with 0\n  finish with 10 + count(each d in a where d.natural >= 4)",
    "a single die": "roll d6 as a\n  finish with if(a.natural >= 3, 1, 0)",
    "kept": "roll 4d6 keep highest 2 as a\n  finish with total(a)",
    "dropped": "roll 4d6 drop lowest 1 as a\n  finish with count(each d in a where d.natural >= 4)",
    "tens and units": "roll 2d66 as a\n  finish with count(each d in a where d.natural >= 42)",
    "tens and units, then one again": "roll d66 as a\n  if a.natural < 31:\n    reroll a\n  finish with a.natural",
    "with advantage": "roll 2d4 with advantage 1 as a\n  finish with total(a)",
    "one die with disadvantage": "roll d4 with advantage -2 as a\n  if a.natural = 1:\n    reroll a\n  finish with a.natural",
    "two sorts": "roll [2d6, 1d4] as a\n  finish with count(each d in a where d.natural >= 4)",
    "parts with names": "roll [red: 2 of d6, blue: 1 of d4] as a\n  finish with 10 * count(each d in a where d.part = red and d.natural >= 5) + count(each d in a where d.part = blue and d.natural = 4)",
    "one part with a name": "roll [red: 2 of d6] as a\n  finish with count(each d in a where d.part = red and d.natural >= 5)",
    "parts with names, some again": "roll [red: 2 of d4, blue: 1 of d4] as a\n  let low = {each d in a where d.part = red and d.natural <= 2}\n  reroll low\n  finish with 10 * count(each d in a where d.part = red and d.natural >= 3) + count(each d in a where d.part = blue and d.natural = 4)",
    "exploding": "roll 2d6 explode on 6 at most 1 as a\n  finish with total(a)",
    "all again": "roll 3d6 as a\n  if total(a) <= 9:\n    reroll a\n  finish with count(each d in a where d.natural >= 5)",
    "some again": "roll 3d6 as a\n  let ones = {each d in a where d.natural = 1}\n  reroll ones\n  finish with count(each d in a where d.natural >= 3)",
    "some again, twice": "roll 3d4 as a\n  let low = {each d in a where d.natural <= 2}\n  reroll low\n  let ones = {each d in a where d.natural = 1}\n  reroll ones\n  finish with 100 * count(each d in low where d.natural = 4) + total(a)",
    "some of some again": "roll 3d4 as a\n  let low = {each d in a where d.natural <= 2}\n  let ones = {each d in low where d.natural = 1}\n  reroll low\n  reroll ones\n  finish with 100 * sum([each d in ones: d.first]) + total(a)",
    "some again and again": "let n: 0..9 = 0\n  roll 2d4 as a\n  repeat while n < 2 and (some d in a where d.natural <= 2) at most 2:\n    set n to n + 1\n    let low = {each d in a where d.natural <= 2}\n    reroll low\n    if count(low) = 2:\n      finish with 99\n  finish with total(a)",
    "some looked at in order": "roll 3d4 as a\n  let low = {each d in a where d.natural <= 2}\n  let found: 0..9999 = 0\n  for each d in low:\n    set found to min(9999, 10 * found + d.natural)\n  finish with found",
    "first faces": "roll 2d6 as a\n  reroll a\n  finish with sum([each d in a: d.first]) + 100 * count(each d in a where d.natural = 6)",
    "how often again": "roll 3d4 as a\n  let low = {each d in a where d.natural < 3}\n  reroll low\n  finish with sum([each d in a: d.rerolls * d.natural])",
    "first faces of dice thrown again later": "roll 2d3 as a\n  reroll a\n  roll d2 as b\n  if b.natural = 1:\n    reroll a\n  finish with if(some d in a where d.first = d.natural, 3, 1) + 10 * count(each d in a where d.natural >= 2)",
    "how often again, later": "roll 2d3 as a\n  let low = {each d in a where d.natural = 1}\n  reroll low\n  roll d2 as b\n  if b.natural = 1:\n    reroll a\n  finish with count(each d in a where d.rerolls < 2) + 10 * count(each d in a where d.rerolls = 2 and d.natural = 3)",
    "a second throw and its face": "roll 2d3 as a\n  let low = {each d in a where d.natural = 1}\n  reroll low\n  roll d2 as b\n  if b.natural = 1:\n    reroll a\n  finish with count(each d in a where not (d.first = 1 and d.natural >= 2)) + 10 * count(each d in a where d.natural = 1 or d.rerolls > 1)",
    "order": "roll 3d4 as a\n  let row = [each d in a: d.natural]\n  finish with row[1] * 100 + row[2] * 10 + row[3]",
    "sorted": "roll 3d4 as a\n  let row = sorted([each d in a: d.natural])\n  finish with row[1] * 100 + row[2] * 10 + row[3]",
    "a choice of dice": "roll 3d4 as a\n  ask p for b in a:\n    finish with b.natural\n  finish with 0",
    "dead": "roll 3d6 as a\n  roll d4 as b\n  finish with b.natural",
    "two pools": "roll 2d6 as a\n  roll 2d6 as b\n  finish with 10 * count(each d in a where d.natural >= 3) + count(each d in b where d.natural >= 5)",
    "an alias": "roll 2d6 as a\n  let b = a\n  roll d4 as c\n  finish with total(b) + c.natural",
    "a loop": "let n: 0..9 = 0\n  repeat while n < 3 at most 3:\n    roll 2d6 as a\n    set n to n + 1\n    if total(a) = 7:\n      finish with n\n  finish with 9",
    "named": "roll 3 of colour as a\n  finish with count(each d in a where d.face = red)",
    "with a threshold": "roll d6 as t\n  roll 3d6 as a\n  finish with count(each d in a where d.natural >= t.natural)",
    "with a number named before": "roll d4 as t\n  let n = t.natural\n  roll 3d4 as a\n  roll d2 as b\n  finish with 10 * b.natural + count(each d in a where d.natural >= n)",
    "with a number named before, through a tally": "roll d3 as t\n  let n = t.natural\n  roll 3d6 as a\n  finish with hits(a, n)",
    "with a word named before": "roll d2 as t\n  let hue = if(t.natural = 1, Hue.red, Hue.blue)\n  roll 3 of colour as a\n  roll d2 as b\n  finish with 10 * b.natural + count(each d in a where d.face = hue)",
    "with a number named after": "roll 3d4 as a\n  roll d4 as t\n  let n = t.natural\n  roll d2 as b\n  finish with 10 * b.natural + count(each d in a where d.natural >= n)",
    "with another number each round": "let found: 0..99 = 0\n  let i: 0..9 = 0\n  roll 3d4 as a\n  repeat while i < 3 at most 3:\n    set i to i + 1\n    let n = i + 1\n    roll d2 as b\n    set found to min(99, found + b.natural * count(each d in a where d.natural >= n))\n  finish with found",
    "with a number on one way": "roll 2d4 as a\n  roll d2 as b\n  if b.natural = 1:\n    let n = total(a) - 2\n    roll d2 as c\n    finish with c.natural + 10 * count(each d in a where d.natural >= n)\n  finish with count(each d in a where d.natural = 4)",
    "with a number for each die": "roll 3d3 as a\n  let found: 0..9 = 0\n  for each d in a:\n    let n = d.natural\n    add count(each e in a where e.natural > n) to found\n  roll d2 as b\n  finish with 10 * b.natural + found",
    "with a number named before, low ones again": "roll d3 as t\n  let n = t.natural\n  roll 3d4 as a\n  let low = {each d in a where d.natural <= n}\n  reroll low\n  roll d2 as b\n  finish with 100 * b.natural + 10 * count(each d in a where d.natural > n) + count(each d in a where d.rerolls >= n)",
    "with a number named before, chosen by": "roll d3 as t\n  let n = t.natural\n  roll 3d3 as a\n  ask p for b in a:\n    finish with if(b.natural >= n, 10, 20) + count(each d in a where d.natural < n)\n  finish with 0",
    "some picked": "roll 3d4 as a\n  ask p to pick 1..2 of each d in a as b\n  finish with 100 * count(b) + sum([each d in b: d.natural])",
    "some picked and thrown again": "roll 3d3 as a\n  ask p to pick 0..3 of each d in a as b\n  reroll b\n  finish with 100 * count(each d in b where d.natural = 3) + total(a)",
    "picked twice": "roll 3d3 as a\n  ask p to pick 1 of each d in a as b\n  ask p to pick 1 of each d in a as c\n  reroll c\n  finish with 100 * sum([each d in b: d.natural]) + total(a)",
    "low ones picked": "roll 3d4 as a\n  ask p to pick 0..2 of each d in a where d.natural <= 2 as b\n  finish with total(a) + 100 * count(each d in b where d.natural = 1)",
    "one chosen and thrown again": "roll 3d4 as a\n  ask p for b in a:\n    reroll b\n    finish with 10 * b.natural + b.first\n  finish with 0",
    "chosen and compared": "roll 2d4 as a\n  ask p for b in a:\n    ask p for c in a:\n      finish with if(b = c, 99, 10 * b.natural + c.natural)\n  finish with 0",
    "added up one by one": "roll 3d4 as a\n  let found: 0..8 = 0\n  for each d in a:\n    if d.natural > 1:\n      add up to d.natural to found\n  finish with found",
    "added and taken one by one": "roll 3d4 as a\n  let found: 0..5 = 0\n  for each d in a:\n    if d.natural = 1:\n      take up to 2 from found\n    else:\n      add up to 3 to found\n  finish with found",
    "added up to two bounds": "roll 3d4 as a\n  let found: 0..99 = 0\n  for each d in a:\n    if d.natural = 1:\n      set found to min(3, found + 2)\n    else:\n      set found to min(9, found + 2)\n  finish with found",
    "picked, all thrown again": "roll 2d3 as a\n  ask p to pick 1 of each d in a as b\n  roll d2 as c\n  if c.natural = 1:\n    reroll a\n  finish with sum([each d in a where d in b: d.natural]) + 10 * sum([each d in a where d not in b: d.natural])",
    "picked, then in order": "roll 2d2 as a\n  ask p to pick 1 of each d in a as b\n  roll d2 as c\n  let row = [each d in a: d.natural]\n  finish with row[1] + 10 * sum([each d in b: d.natural])",
    "taken from each other": "roll 3d3 as a\n  let free = {each d in a}\n  ask p to pick 0..2 of each d in free as b\n  take b from free\n  reroll free\n  finish with total(a) + 100 * sum([each d in free: d.natural])",
    "how many there are": "roll 3d6 as a\n  roll d2 as b\n  finish with count(a) + b.natural",
    "the least and the greatest": "roll 3d4 as a\n  roll d2 as b\n  finish with min([each d in a: d.natural]) + 10 * max([each d in a: d.natural]) + 100 * b.natural",
    "through a tally of each die": "roll 3d6 as a\n  roll d2 as b\n  finish with worth(a) + 10 * b.natural",
    "through a procedure that asks nothing": "roll 3d6 as a\n  roll d2 as b\n  perform judge(a, 4) as n\n  finish with n + 10 * b.natural",
    "what nothing reads": "roll 3d6 as a\n  let n = total(a)\n  roll d2 as b\n  finish with b.natural",
    "how many are low": "roll 3d4 as a\n  roll d2 as b\n  finish with count({each d in a where d.natural <= 2}) + 10 * b.natural",
    "total of a chosen die": "roll 3d4 as a\n  roll d2 as b\n  finish with count(each d in a where total(d) >= 3) + 10 * b.natural",
    "one of a set, or another": "roll 3d4 as a\n  let low = {each d in a where d.natural <= 2}\n  roll d2 as b\n  finish with count(each d in a where d in low) + 10 * b.natural",
    "drawn": "let bag: bag of 1..3 = {}\n  add 1 to bag\n  add 1 to bag\n  add 2 to bag\n  draw from bag as x\n  draw from bag as y\n  finish with 10 * x + y",
}


def _begin_run(body: str) -> Run:
    found = load_text(HEAD + "  " + body + "\n")
    assert found.program is not None, found.diagnostics
    executable = compile_program(found.program, traced=False)
    start = Situation(GameSetup({"player": ("red",)}, {}, {}), {}, {}, {}, {}, {})
    return Run.begin(executable, start, "main", (0,))


def _compute_exactly(run: Run) -> Counter[Any]:
    """By chances, and equal keys once."""
    waiting: dict[Any, tuple[Run, Fraction]] = {get_run_signature(run): (run, Fraction(1))}
    found: Counter[Any] = Counter()
    while waiting:
        gone_on, weight = waiting.pop(next(iter(waiting)))
        if not isinstance(gone_on.outcome, Paused):
            found[gone_on.outcome.result] += weight  # type: ignore[union-attr, assignment]
            continue
        if gone_on.make_question().sort in CHANCE_SORTS:
            ways = [(each.answer, each.weight) for each in gone_on.chance_outcomes]
        else:
            ways = [(each, Fraction(1, len(gone_on.legal_answers))) for each in gone_on.legal_answers]
        for answer, likely in ways:
            then = fork_with_answer(gone_on, answer)
            _, before = waiting.get(get_run_signature(then), (None, Fraction(0)))
            waiting[get_run_signature(then)] = then, before + weight * likely
    return found


def _enumerate_throws(run: Run, weight: Fraction = Fraction(1)) -> Counter[Any]:
    """Every throw of dice told apart."""
    if not isinstance(run.outcome, Paused):
        return Counter({run.outcome.result: weight})  # type: ignore[union-attr, dict-item]
    question = run.make_question()
    if question.sort in CHANCE_SORTS:
        answers = [question.outcome_at(index) for index in range(question.outcome_count)]
    else:
        answers = list(run.legal_answers)
    found: Counter[Any] = Counter()
    for each in answers:
        for result, likely in _enumerate_throws(fork_with_answer(run, each), weight / len(answers)).items():
            found[result] += likely
    return found


@pytest.mark.parametrize("body", sample_cases(BODIES, 2))
def test_exact_odds_are_those_of_every_throw(body: str) -> None:
    assert _compute_exactly(_begin_run(BODIES[body])) == _enumerate_throws(_begin_run(BODIES[body]))


@pytest.mark.parametrize("body", sample_cases(BODIES, 2))
def test_so_they_are_where_like_dice_are_the_same_to_players(body: str) -> None:
    even = _begin_run(BODIES[body])
    even.executable = even.executable.with_like_dice_equated
    assert _compute_exactly(even) == _enumerate_throws(_begin_run(BODIES[body]))


OUTCOMES = {
    "counted": 5,
    "a total": 56,
    "through a tally": 15,
    "a single die": 2,
    "sorted": 20,
    "order": 64,
    "a choice of dice": 64,
    "dead": 1,
    "named": 4,
    "with a threshold": 6,
    "with a number named after": 20,
    "parts with names": 6,
    "some again": 10,
    "some again, twice": 20,
    "some looked at in order": 64,
    "how many there are": 1,
    "through a tally of each die": 10,
    "through a procedure that asks nothing": 4,
    "what nothing reads": 1,
    "how many are low": 4,
}


@pytest.mark.parametrize("body", list(OUTCOMES))
def test_there_are_as_many_outcomes_as_are_told_apart(body: str) -> None:
    assert len(_begin_run(BODIES[body]).chance_outcomes) == OUTCOMES[body]


@pytest.mark.parametrize(("body", "outcomes"), [("a choice of dice", 20), ("some picked", 20), ("picked twice", 10)])
def test_outcomes_that_differ_in_where_dice_lie_are_one_for_players_to_whom_they_are_the_same(
    body: str, outcomes: int
) -> None:
    even = _begin_run(BODIES[body])
    even.executable = even.executable.with_like_dice_equated
    assert len(even.chance_outcomes) == outcomes < len(_begin_run(BODIES[body]).chance_outcomes)


@settings(max_examples=choose_count(15, 60), deadline=None)
@given(seed=st.integers(0, 2**32), play=st.integers(0, 2**32))
def test_along_plays_of_rulesets_made_at_random(seed: int, play: int) -> None:
    found = load_text(write_program("random", seed))
    assume(not has_errors(found.diagnostics))
    assert found.program is not None
    draw = Random(play)
    run = Run.begin(compile_program(found.program, traced=False), make_situation(play), "main", (0, 1))
    for _ in range(30):
        if not isinstance(run.outcome, Paused) or run.make_question().sort in {"external", "value"}:
            return
        check_request(run, draw)
        question = run.make_question()
        if question.sort in CHANCE_SORTS:
            run.reply(question.outcome_at(draw.randrange(question.outcome_count)))
        else:
            legal = run.legal_answers[:50]
            if not legal:
                return
            run.reply(draw.choice(legal))
