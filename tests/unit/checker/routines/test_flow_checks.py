"""The ways through routines: names set and read, jumps, circles of calls."""

from collections.abc import Callable
from typing import Any

import pytest


def _found(checked: Callable[..., Any], text: str) -> list[str]:
    return checked(text).found


def test_a_branch_may_leave_a_name_unset(checked: Callable[..., Any]) -> None:
    found = _found(checked, "procedure p(u: Unit) gives 1..6:\n  if u.strong:\n    let a = u.speed\n  finish with a\n")
    assert found == ["RW0534 4: `a` may not be set yet here"]


def test_all_branches_may_set_a_name(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit) gives die:\n"
        "  if u.strong:\n    roll d6 as a\n"
        "  else:\n    roll d6 as a\n"
        "  finish with a\n"
    )
    assert [each for each in _found(checked, text) if "RW0534" in each] == []


def test_a_loop_may_run_no_time(checked: Callable[..., Any]) -> None:
    text = "procedure p(u: Unit) gives 1..6:\n  for each v in units:\n    let a = v.speed\n  finish with a\n"
    assert _found(checked, text) == ["RW0534 4: `a` may not be set yet here"]


def test_a_step_may_be_passed_over(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit) gives 1..6:\n  step 1 when u.strong:\n    let a = u.speed\n  step 2:\n    finish with a\n"
    )
    assert _found(checked, text) == ["RW0534 5: `a` may not be set yet here"]


def test_a_jump_may_pass_over_a_step(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit) gives 1..6:\n"
        "  step 1:\n    if u.strong:\n      proceed to 3\n"
        "  step 2:\n    let a = u.speed\n"
        "  step 3:\n    finish with a\n"
    )
    assert _found(checked, text) == ["RW0534 8: `a` may not be set yet here"]


def test_a_jump_back_finds_what_was_set_on_the_way(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit) gives 1..6:\n"
        "  step 1:\n    let a = u.speed\n"
        "  step 2:\n    finish with a\n"
        "  step 3:\n    proceed to 2 at most 2\n"
    )
    assert _found(checked, text) == ["RW0526 6: step `3` is never reached"]


def test_a_performed_range_begins_in_the_middle(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit):\n"
        "  step 1:\n    let a = u.speed\n"
        "  step 2:\n    take up to a from u.morale\n"
        "procedure q(u: Unit):\n  perform p(u) steps 2 to 2\n"
    )
    assert _found(checked, text) == ["RW0534 5: `a` may not be set yet here"]


def test_a_performed_range_begins_in_the_middle_of_a_loop(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit):\n"
        "  step 1:\n    add up to 1 to u.morale\n"
        "  step 2:\n    if u.morale < 5:\n      proceed to 1 at most 1\n"
        "procedure q(u: Unit):\n  perform p(u) steps 2 to 2\n"
    )
    assert _found(checked, text) == []


def test_after_else_there_is_no_answer(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit) gives Unit:\n"
        "  ask u.owner for v in u.friends:\n    remove v\n"
        "  else:\n    {}\n"
        "  finish with v\n"
    )
    assert _found(checked, text.format("nothing")) == ["RW0534 6: `v` may not be set yet here"]
    assert _found(checked, text.format("finish with u")) == []


def test_a_watch_reads_what_is_set_at_its_line(checked: Callable[..., Any]) -> None:
    text = (
        "event hit(target: Unit)\n"
        "procedure p(u: Unit):\n"
        "  let a: 0..9\n"
        "  watch hit:\n    add up to target.speed to a\n"
        "  trigger hit(u)\n"
        "  set a to 1\n"
        "  take up to a from u.morale\n"
    )
    assert _found(checked, text) == ["RW0534 5: `a` may not be set yet here"]


def test_names_nobody_reads(checked: Callable[..., Any]) -> None:
    text = (
        "event asked(u: Unit) gives 0..3:\n  holders units\n"
        "procedure p(u: Unit):\n"
        "  let a = u.speed\n"
        "  roll d6 as b\n"
        "  ask u.owner whether c\n"
        "  trigger asked(u) as d\n"
        "  for each e in units:\n    add up to 1 to u.morale\n"
        "  for each _ in units:\n    add up to 1 to u.morale\n"
    )
    assert [each[:9] for each in _found(checked, text)] == [f"RW0535 {line}" + ":" for line in (4, 5, 6, 7, 8)]


def test_an_answer_that_decides_is_read(checked: Callable[..., Any]) -> None:
    text = "procedure p(u: Unit):\n  ask u.owner whether push:\n    remove u\n"
    assert _found(checked, text) == []


def test_the_last_jump_of_a_step_skips_nothing(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit):\n"
        "  step 1:\n    if u.strong:\n      set u.morale to 0\n      proceed to 2\n"
        "  step 2:\n    add up to 1 to u.morale\n"
    )
    assert _found(checked, text) == ["RW0513 5: this jump skips nothing"]


def test_a_jump_that_skips_something_is_fine(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit):\n"
        "  step 1:\n    if u.strong:\n      proceed to 2\n    set u.morale to 0\n"
        "  step 2:\n    add up to 1 to u.morale\n"
    )
    assert _found(checked, text) == []


@pytest.mark.parametrize(
    ("bound", "expected"), [("", ["RW0536 6: `p` calls itself through `q`"]), (" at most 3 deep", [])]
)
def test_a_circle_of_calls_needs_a_bound(checked: Callable[..., Any], bound: str, expected: list[str]) -> None:
    text = (
        "procedure p(u: Unit):\n"
        "  if u.strong:\n    remove u\n  perform q(u)\n"
        f"procedure q(u: Unit):\n  perform p(u){bound}\n"
    )
    assert _found(checked, text) == expected


def test_another_range_is_no_circle(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit):\n"
        "  step 1:\n    add up to 1 to u.morale\n"
        "  step 2:\n    for each v in units:\n      perform p(v) steps 1 to 1\n"
    )
    assert _found(checked, text) == []


def test_removal_may_cascade(checked: Callable[..., Any]) -> None:
    text = (
        "event lost(gone_one: Unit) on removal:\n  holders units\n"
        "handler panic for each u in units on lost when u.owner = gone_one.owner:\n  remove u\n"
        "procedure p(u: Unit):\n  remove u\n"
    )
    assert _found(checked, text) == []


def test_an_event_may_not_trigger_itself(checked: Callable[..., Any]) -> None:
    text = (
        "event fear(cause: Unit):\n  holders units\n"
        "handler h for each u in units on fear when u != cause:\n  perform p(u)\n"
        "procedure p(u: Unit):\n  trigger fear(u)\n"
    )
    assert _found(checked, text) == ["RW0537 6: the event `fear` triggers itself through `h`, `p`"]


def test_finish_of_an_outer_procedure(checked: Callable[..., Any]) -> None:
    inner = "inner procedure inner(u: Unit):\n  if u.strong:\n    finish outer\n"
    outer = "procedure outer(u: Unit):\n  perform inner(u)\n  remove u\n"
    other = "procedure other(u: Unit):\n  perform inner(u)\n"
    assert _found(checked, inner + outer) == []
    begun = inner.removeprefix("inner ")
    assert _found(checked, begun + outer) == ["RW0538 3: `outer` may not be running here"]
    assert _found(checked, inner + outer + other) == ["RW0538 3: `outer` may not be running here"]
    assert _found(checked, inner + outer.replace("  perform inner(u)\n", "")) == [
        "RW0538 3: `outer` is never running here"
    ]


def test_a_result_is_owed_on_every_way(checked: Callable[..., Any]) -> None:
    text = "procedure p(u: Unit) gives flag:\n  step 1 when u.strong:\n    finish with yes\n"
    assert _found(checked, text) == ["RW0527 2: `p` gives a result, but none where step `1` is passed over"]


def test_steps_after_a_wrong_jump_are_not_called_unreachable(checked: Callable[..., Any]) -> None:
    text = (
        "procedure p(u: Unit):\n"
        "  step 1:\n    add up to 1 to u.morale\n    proceed to 4\n"
        "  step 2:\n    add up to 1 to u.morale\n"
        "  step 3:\n    add up to 1 to u.morale\n"
    )
    assert _found(checked, text) == ["RW0511 4: there is no step `4` in this procedure"]


@pytest.mark.parametrize("change", ["remove v", "set u.morale to 1", "for each w in units:\n      remove w"])
def test_a_loop_that_makes_progress(checked: Callable[..., Any], change: str) -> None:
    text = f"procedure p(u: Unit, v: Unit):\n  repeat while u.morale > 3 and not v.gone at most 9:\n    {change}\n"
    assert _found(checked, text) == []


def test_a_loop_without_progress(checked: Callable[..., Any]) -> None:
    text = "procedure p(u: Unit):\n  repeat while u.morale > 3 at most 9:\n    set u.speed to 1\n"
    assert _found(checked, text) == ["RW0518 2: nothing in this loop changes what its condition reads"]


def test_a_rule_must_change_what_it_waits_for(checked: Callable[..., Any]) -> None:
    rule = "whenever w for each u in units:\n  when u.morale = 0\n  priority 1\n  lowers count(units)\n  {}\n"
    assert _found(checked, rule.format("remove u")) == []
    assert _found(checked, rule.format("set u.morale to 1")) == [
        "RW0533 1: nothing this rule does changes what its `lowers` reads"
    ]
    assert _found(checked, rule.format("set u.speed to 1")) == [
        "RW0533 1: nothing this rule does changes what its `when` reads"
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ask u.owner whether go", "this asks a player, inside `together`"),
        ("roll d6 as a", "this rolls dice, inside `together`"),
        ("finish", "this would leave the `together` block early"),
        ("perform asks(u)", "`asks` asks a player, and is called inside `together`"),
        ("trigger held(u)", "`held` opens a window that has handlers, and is called inside `together`"),
        ("perform other(u)", "`other` asks for a result from elsewhere, and is called inside `together`"),
    ],
)
def test_forbidden_inside_together(checked: Callable[..., Any], line: str, message: str) -> None:
    text = (
        f"procedure p(u: Unit):\n  together:\n    remove u\n    {line}\n"
        "procedure asks(u: Unit):\n  ask u.owner whether go:\n    remove u\n"
        "event held(target: Unit):\n  holders units\n"
        "handler h for each u in units on held when u != target:\n  remove u\n"
        "external procedure other(u: Unit)\n"
    )
    assert _found(checked, text)[0] == f"RW0515 4: {message}"
