"""What is live where a play stops, and what is still observed of dice."""

from types import SimpleNamespace
from typing import Any

import pytest

from rulewright.program.core import forms as core
from rulewright.program.core.lowering import lower_program
from rulewright.program.dice_observations import FULLY_OBSERVED
from rulewright.runtime import control_flow as cf
from rulewright.runtime.control_flow_builder import FrameAnalysis
from rulewright.runtime.liveness import LivenessAnalysis
from support.reference.ruleset_texts import load_program

HEAD = """\
ruleset dice "Dice" revision "1" edition 2
kind Unit, units:
  owner: player
  health: 0..9
  brave: flag
tally hits(p: pool, least: 1..6) from count(each d in p where d.natural >= least):
  low: +1 for each d in p where d.natural = 1
procedure judge(p: pool, least: 1..6) gives 0..99:
  finish with count(each d in p where d.natural >= least)
procedure look(p: pool, least: 1..6) gives 0..99:
  roll d2 as more
  finish with more.natural + count(each d in p where d.natural >= least)
procedure main(u: Unit) gives 0..9999:
"""
NATURAL = ("die", "natural")
BODIES: dict[str, tuple[str, Any]] = {
    "counted": ("finish with count(each d in a where d.natural >= 5)", {(">=", NATURAL, ("value", 5))}),
    "in all": ("finish with total(a)", {NATURAL}),
    "how many": ("finish with count(a)", set()),
    "not at all": ("finish with u.health", None),
    "under another name": ("let b = a\n  finish with total(b)", {NATURAL}),
    "for what nothing reads": ("let n = total(a)\n  finish with u.health", None),
    "in a list in any order": ("finish with max([each d in a: d.natural])", {NATURAL}),
    "in order": ("let row = [each d in a: d.natural]\n  finish with row[1]", FULLY_OBSERVED),
    "by a constant": (
        "let n = u.health\n  finish with count(each d in a where d.natural > n)",
        {NATURAL},
    ),
    "by a parameter of a function": (
        "finish with hits(a, 4)",
        {(">=", NATURAL, ("value", 4)), ("=", NATURAL, ("value", 1))},
    ),
    "by a procedure that asks nothing": (
        "perform judge(a, 3) as n\n  finish with n",
        {(">=", NATURAL, ("value", 3))},
    ),
    "by a procedure that stops": ("perform look(a, 2) as n\n  finish with n", {(">=", NATURAL, ("value", 2))}),
    "in a sum of one by one": (
        "let n: 0..9 = 0\n  for each d in a:\n    if d.natural > 4:\n      add up to 2 to n\n  finish with n",
        {(">", NATURAL, ("value", 4))},
    ),
    "one by one, the last one": (
        "let n: 0..9 = 0\n  for each d in a:\n    set n to d.natural\n  finish with n",
        FULLY_OBSERVED,
    ),
    "where some are chosen": ("ask u.owner to pick 1 of each d in a as b\n  finish with total(a)", FULLY_OBSERVED),
    "through a selection": (
        "let low = {each d in a where d.natural <= 2}\n  finish with count(each d in low where d.first = 1)",
        {("<=", NATURAL, ("value", 2)), ("=", ("die", "first"), ("value", 1))},
    ),
    "before they are rolled again": ("reroll a\n  finish with total(a)", {NATURAL}),
    "before some are rolled again": (
        "let low = {each d in a where d.natural <= 2}\n  reroll low\n  finish with count(each d in a where d.natural = 6)",
        {("<=", NATURAL, ("value", 2)), ("=", NATURAL, ("value", 6))},
    ),
}


def analyze(text: str, *, even: bool = False) -> tuple[LivenessAnalysis, core.Routine]:
    program = load_program(text)
    frames = FrameAnalysis(lower_program(program))
    table: Any = SimpleNamespace(key="procedure:main", entry=0)
    return LivenessAnalysis(program, frames, [table], even=even), frames.program.routines["procedure:main"]


def observe_after(body: str, asked: str, zeros: Any = frozenset(), *, even: bool = False) -> dict[str, Any]:
    """What is observed of each name that is live once a request is answered, by the end of its address."""
    liveness, routine = analyze(f"{HEAD}  {body}\n", even=even)
    graph = liveness.find_graph(routine.key)
    assert graph is not None
    names = {slot: routine.locals[index].name for index, slot in graph.slots.items()}
    for block in graph.blocks:
        match block.exit:
            case cf.RequestChance(statement, then=then) | cf.AskDecision(statement, then=then):
                if statement.origin.address.endswith(asked):
                    live = liveness.live_slots_after(0, then, zeros)
                    assert live is not None
                    return {names[slot]: seen for slot, seen in live.items() if slot in names}
    raise AssertionError(asked)


@pytest.mark.parametrize("body", BODIES)
def test_dice_are_told_apart_by_what_is_read_of_them(body: str) -> None:
    text, expected = BODIES[body]
    seen = observe_after(f"roll 3d6 as a\n  {text}", "/a").get("a")
    if expected is FULLY_OBSERVED:
        assert seen >= FULLY_OBSERVED
    else:
        assert seen == expected


def test_an_observation_names_a_number_from_where_it_is_set() -> None:
    body = "roll 3d6 as a\n  let n = u.health\n  roll d2 as b\n  finish with count(each d in a where d.natural > n) + b.natural"
    assert observe_after(body, "/a")["a"] == {NATURAL}
    ((operator, seen, (word, _)),) = observe_after(body, "/b")["a"]
    assert (operator, seen, word) == (">", NATURAL, "name")


def test_players_to_whom_like_dice_are_the_same_choose_by_what_is_observed_later() -> None:
    body = "roll 3d6 as a\n  ask u.owner to pick 1 of each d in a where d.natural > 1 as b\n  finish with count(each d in b where d.natural = 6)"
    assert observe_after(body, "/a")["a"] >= FULLY_OBSERVED
    assert observe_after(body, "/a", even=True)["a"] == {(">", NATURAL, ("value", 1)), ("=", NATURAL, ("value", 6))}


def test_what_needs_an_attribute_that_is_no_for_all_is_dead() -> None:
    body = "let n: 0..9 = 3\n  roll 3d6 as a\n  if u.brave:\n    finish with total(a) + n\n  finish with 1"
    assert observe_after(body, "/a").keys() == {"a", "n", "u"}
    assert observe_after(body, "/a", frozenset({"Unit/brave"})).keys() == {"u"}


def test_a_question_that_can_only_be_answered_with_no_leads_to_that_answer() -> None:
    body = (
        "let n: 0..9 = 3\n  roll d6 as a\n  ask u.owner whether spent when u.brave:\n    roll d6 as b\n"
        "    finish with n + b.natural\n  finish with 1"
    )
    assert "n" in observe_after(body, "/a")
    assert "n" not in observe_after(body, "/a", frozenset({"Unit/brave"}))


def test_what_is_never_raised_is_a_known_zero() -> None:
    text = f"{HEAD}  take up to 1 from u.health\n  set u.brave to no\n  roll d6 as a\n  finish with a.natural\n"
    assert analyze(text)[0].never_raised_attributes == {"Unit/health", "Unit/brave"}
    raised = text.replace("take up to 1 from", "add up to 1 to").replace("to no", "to yes")
    assert not analyze(raised)[0].never_raised_attributes


def test_a_rank_is_live_while_its_dice_are_thrown() -> None:
    body = "rank each v in units as row:\n    health: highest v.health\n    lot: highest roll d6 by v.owner\n  finish with 1"
    liveness, routine = analyze(f"{HEAD}  {body}\n")
    graph = liveness.find_graph(routine.key)
    assert graph is not None
    (resume,) = [block.exit.resume for block in graph.blocks if isinstance(block.exit, cf.RequestChance)]
    plan = liveness.plan_frame_comparison(0, resume, frozenset())
    assert plan is not None
    assert core.RankingType in {type(graph.slot_types.get(slot)) for slot in plan.slots}


def test_hundreds_of_rows_are_read_one_after_another() -> None:
    rows = "\n".join(f"  row_{row}: {row % 7} when s = {row}" for row in range(600))
    text = f"{HEAD}  roll 3d6 as a\n  finish with pick(count(each d in a where d.natural >= 5))\n"
    text += f"decide pick(s: 0..999) gives 0..6:\n{rows}\n  others: 0 otherwise\n"
    liveness, routine = analyze(text)
    assert liveness.find_live_slots(0, 0, frozenset()) == {}
    assert routine.key == "procedure:main"
