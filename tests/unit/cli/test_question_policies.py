"""A player who takes the answer that makes an expression largest or smallest: `--policy red/pick=highest …`."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.duel_example import RunCommand

HEAD = """ruleset plans "Plans" revision "1"
kind player, players:
  score: -99..999 = 0
kind Man, men:
  owner: player
  worth: 0..9 = 1
setting bonus: 0..3 = 1 "A bonus"
procedure turn(p: player, q: player) gives 0..9999 "A turn":
"""
STATE = """players: [red, blue]
men:
  ann: {owner: red, worth: 4}
  bob: {owner: red, worth: 7}
  cid: {owner: red, worth: 7}
  dan: {owner: blue}
  eve: {owner: red, worth: 2}
"""
ASKED = ("plans.rules", "turn", "--state", "plans.yaml", "--with", "p=red", "--with", "q=blue", "--most", "20000")

DIE = """  roll 2d6 as pool
  ask p for d in pool "Which die?"{}
  finish with d.natural
"""
NUMBER = """  roll d6 as luck
  let base: 0..9 = luck.natural + bonus
  ask p for amount in 0..5 "How many?"{}
  finish with 10 * amount + base
"""
UNIT = """  ask p for foe in men where foe.owner = p "Which man?"{}
  set foe.worth to 9
  finish with count(each m in men where m.worth = 9) + 10 * sum(each m in men: m.worth)
"""
DICE = """  roll 4d4 as pool
  ask p to pick 2 of each d in pool as pair "Which two?"{}
  finish with sum(each d in pair: d.natural)
"""
SHARES = """  roll d4 as luck
  ask p to split luck.natural over {{each m in men where m.owner = p}} as share "How many to each?"{}
  finish with sum(each m in men where m.owner = p: m.worth * m.worth * share[m])
"""
LET = """  roll d6 as luck
  let base: 0..9 = luck.natural
  ask p for amount in 0..5 "How many?"{}
  finish with amount
"""
SEEN = """  roll 2d6 as seen
  ask p for amount in 0..12 "How many?"{}
  finish with amount
"""
KEPT = """  roll d6 as luck
  set p.score to luck.natural
  ask p for amount in 0..5 "How many?"{}
  finish with amount
"""
LOOP = """  repeat while p.score < 6 at most 1000:
    roll d6 as luck
    ask p whether take{} "Take it?":
      add luck.natural to p.score
  finish with max(0, p.score)
"""


def _prefers(condition: str) -> str:
    return f":\n    prefer plan: {condition}"


SPREAD = "max(each d in pair: d.natural) - min(each d in pair: d.natural)"
CASES = {
    "a die": (DIE, "red/d=highest d.natural", _prefers("no e in pool where e.natural > d.natural")),
    "the least die": (DIE, "red/d=lowest d.natural", _prefers("no e in pool where e.natural < d.natural")),
    "dice with ties": (
        DIE,
        "red/turn/d=highest d.natural >= 4",
        _prefers("d.natural >= 4"),
    ),
    "a number by a name": (
        NUMBER,
        "red/amount=lowest (amount - base) * (amount - base)",
        _prefers("amount = min(base, 5)"),
    ),
    "a number, all alike": (NUMBER, "red/amount=highest 1", ""),
    "a number by a setting": (NUMBER, "red/amount=highest amount = bonus + 2", _prefers("amount = 3")),
    "a thing": (UNIT, "red/foe=highest foe.worth", _prefers("foe.worth = 7")),
    "the least thing": (UNIT, "red/foe=lowest foe.worth", _prefers("foe.worth = 2")),
    "a set of dice": (
        DICE,
        "red/pair=highest sum(each d in pair: d.natural)",
        _prefers("no d in pool where not (d in pair) and d.natural > min(each e in pair: e.natural)"),
    ),
    "two dice of a kind": (
        DICE,
        f"red/pair=lowest {SPREAD}",
        "".join(f"{':' * (not least)}\n    prefer to_{least}: {SPREAD} <= {least}" for least in range(3)),
    ),
    "a name that nothing else reads": (
        LET,
        "red/amount=lowest (amount - base) * (amount - base)",
        _prefers("amount = min(base, 5)"),
    ),
    "dice that nothing else reads": (
        SEEN,
        "red/amount=highest amount = sum(each d in seen: d.natural)",
        _prefers("amount = sum(each d in seen: d.natural)"),
    ),
    "an attribute that nothing else reads": (KEPT, "red/amount=highest amount = p.score", _prefers("amount = p.score")),
    "a loop": (LOOP, "red/take=highest take = (luck.natural <= 3)", " when luck.natural <= 3"),
    "a split": (
        SHARES,
        "red/share=highest sum(each m in men where m.owner = p: m.worth * share[m] * share[m])",
        _prefers("some m in men where m.owner = p and m.worth = 7 and share[m] = luck.natural"),
    ),
}


def _written(text: str, plan: str) -> None:
    Path("plans.rules").write_text(HEAD + text.format(plan), encoding="utf-8")
    Path("plans.yaml").write_text(STATE, encoding="utf-8")


def _likely(run: RunCommand, *options: str) -> Any:
    done = run("odds", *ASKED, *options, "--format", "json")
    assert done.exit == 0, done.out + done.err
    return [
        {json.dumps(each["value"]): each["likely"] for each in told["values"]} for told in json.loads(done.out)["odds"]
    ]


@pytest.mark.parametrize("name", CASES)
def test_the_odds_are_those_of_the_same_plan_written_into_the_rules(run: RunCommand, name: str) -> None:
    text, policy, plan = CASES[name]
    _written(text, plan)
    wanted = _likely(run, "--policy", "first")
    _written(text, "")
    assert _likely(run, "--policy", policy) == wanted
    assert _likely(run, "--policy", "random", "--policy", policy) == wanted
    if plan:
        assert _likely(run, "--policy", "first") != wanted


@pytest.mark.parametrize("name", ["a die", "a set of dice", "a number by a name"])
def test_plays_that_are_counted_are_those_of_the_plan_in_the_rules(run: RunCommand, name: str) -> None:
    text, policy, plan = CASES[name]
    asked = ("simulate", *ASKED[:-2], "--runs", "300", "--seed", "5", "--format", "json", "--policy")
    _written(text, plan)
    wanted = json.loads(run(*asked, "first").out)["counts"]
    _written(text, "")
    assert json.loads(run(*asked, policy).out)["counts"] == wanted
    assert json.loads(run(*asked, "first").out)["counts"] != wanted
