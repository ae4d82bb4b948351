"""What is known is carried from line to line, and forgotten when it may have changed."""

from collections.abc import Callable
from typing import Any

import pytest

TAKE = "take 1 from u.morale"
NO_ROOM = "`u.morale` holds `0..9`, and `1` may be more than is left"


def _lines(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.split("\n"))


@pytest.mark.parametrize(
    "text",
    [
        'require token: u.morale >= 1 "no token"\ntake 1 from u.morale',
        "if u.morale >= 1:\n  take 1 from u.morale",
        "if u.morale = 0:\n  finish\ntake 1 from u.morale",
        "if u.morale = 0:\n  nothing\nelse:\n  take 1 from u.morale",
        "ask u.owner whether spend when u.morale >= 1:\n  take 1 from u.morale",
        "ask u.owner to choose what:\n  option spend when u.morale >= 1:\n    take 1 from u.morale\n  option keep",
        "ask u.owner for n in 1..3 where n <= u.morale:\n  take n from u.morale\nelse:\n  nothing",
        "for each v in units where v.morale >= 1:\n  take 1 from v.morale",
        "repeat while u.morale > 0 at most 9:\n  take 1 from u.morale",
        ("match u.strong:\n  on yes:\n    finish\n  on no:\n    nothing\nif u.morale > 2:\n  take 2 from u.morale"),
    ],
)
def test_known_room_needs_no_else(checked: Callable[..., Any], text: str) -> None:
    assert checked(f"procedure p(u: Unit):\n{_lines(text)}").found == []


@pytest.mark.parametrize(
    "before",
    [
        "nothing",
        "if u.morale >= 2:\n  set u.morale to 0",
        "if u.morale = 0:\n  nothing",
        "ask u.owner whether spend when u.morale >= 1:\n  nothing",
    ],
)
def test_unknown_room_is_a_warning(checked: Callable[..., Any], before: str) -> None:
    found = checked(f"procedure p(u: Unit):\n{_lines(before)}  {TAKE}\n").found
    assert [each.partition(": ")[2] for each in found if each.startswith("RW0402")] == [NO_ROOM]


def test_writing_forgets(checked: Callable[..., Any]) -> None:
    text = "if u.morale >= 1:\n  set v.morale to 0\n  take 1 from u.morale"
    assert checked(f"procedure p(u: Unit, v: Unit):\n{_lines(text)}").found == [f"RW0402 4: {NO_ROOM}"]


def test_writing_something_else_does_not_forget(checked: Callable[..., Any]) -> None:
    text = "if u.morale >= 1:\n  set v.speed to 2\n  take 1 from u.morale"
    assert checked(f"procedure p(u: Unit, v: Unit):\n{_lines(text)}").found == []


def test_a_procedure_forgets_what_it_may_write(checked: Callable[..., Any]) -> None:
    text = "if u.morale >= 1:\n  perform tire(v)\n  take 1 from u.morale"
    rest = "procedure tire(v: Unit):\n  perform tire_more(v)\nprocedure tire_more(v: Unit):\n  set v.{} to 1\n"
    found = checked(f"procedure p(u: Unit, v: Unit):\n{_lines(text)}{rest.format('morale')}").found
    assert found == [f"RW0402 4: {NO_ROOM}"]
    assert checked(f"procedure p(u: Unit, v: Unit):\n{_lines(text)}{rest.format('speed')}").found == []


def test_a_standing_rule_forgets_what_it_may_write(checked: Callable[..., Any]) -> None:
    rule = (
        "whenever tiring for each x in units:\n"
        "  when x.speed = 1 and x.morale > 0\n  priority 1\n  lowers sum(each x in units: x.morale)\n"
        "  set x.morale to 0\n"
    )
    text = "if u.morale >= 1:\n  set v.speed to {}\n  take 1 from u.morale"
    begun = "procedure p(u: Unit, v: Unit):\n"
    assert checked(f"{begun}{_lines(text.format(1))}{rule}").found == [f"RW0402 4: {NO_ROOM}"]
    assert checked(f"{begun}{_lines(text.format(2))}{rule}").found == []


def test_an_external_forgets_what_it_changes(checked: Callable[..., Any]) -> None:
    text = "if u.morale >= 1:\n  perform other(v)\n  take 1 from u.morale"
    rest = "external procedure other(v: Unit) changes Unit.{}\n"
    found = checked(f"procedure p(u: Unit, v: Unit):\n{_lines(text)}{rest.format('morale')}").found
    assert found == [f"RW0402 4: {NO_ROOM}"]
    assert checked(f"procedure p(u: Unit, v: Unit):\n{_lines(text)}{rest.format('speed')}").found == []


def test_a_handler_forgets_for_the_trigger(checked: Callable[..., Any]) -> None:
    text = "if u.morale >= 1:\n  trigger begun(u)\n  take 1 from u.morale"
    event = "event begun(target: Unit):\n  holders units\n  order by [target.owner]\n"
    handler = "handler h for each x in units on begun:\n  set x.morale to 0\n"
    assert checked(f"{event}procedure p(u: Unit):\n{_lines(text)}").found == []
    assert checked(f"{event}procedure p(u: Unit):\n{_lines(text)}{handler}").found == [f"RW0402 7: {NO_ROOM}"]


def test_names_that_a_watch_sets_are_known_until_the_next_call(checked: Callable[..., Any]) -> None:
    found = checked(
        "event begun(target: Unit)\n"
        "procedure p(u: Unit):\n"
        "  let last: Unit? = none\n"
        "  watch begun:\n"
        "    set last to target\n"
        "  trigger begun(u)\n"
        "  if last != none:\n"
        "    take up to 1 from last.morale\n"
        "    trigger begun(u)\n"
        "    take up to 1 from last.morale\n"
    ).found
    assert found == ["RW0403 10: `last` may be `none` here"]


def test_a_loop_forgets_what_its_lines_write(checked: Callable[..., Any]) -> None:
    text = "if u.morale >= 1:\n  for each v in units:\n    take 1 from u.morale\n    take up to v.speed from v.morale"
    assert checked(f"procedure p(u: Unit):\n{_lines(text)}").found == [f"RW0402 4: {NO_ROOM}"]


def test_ways_meet_in_what_both_know(checked: Callable[..., Any]) -> None:
    both = "if u.speed = 1:\n  set u.morale to 3\nelse:\n  set u.morale to 5\ntake up to 1 from u.morale"
    assert checked(f"procedure p(u: Unit):\n{_lines(both)}").found == []


def test_a_step_knows_what_every_jump_to_it_knows(checked: Callable[..., Any]) -> None:
    steps = (
        "procedure p(u: Unit):\n"
        "  step 1:\n"
        "    if u.speed = 1:\n"
        "      if u.morale = 0:\n"
        "        finish\n"
        "      proceed to 3\n"
        "  step 2:\n"
        "    if u.morale < {}:\n"
        "      finish\n"
        "  step 3:\n"
        "    take 1 from u.morale\n"
    )
    assert checked(steps.format(2)).found == []
    assert [each[:9] for each in checked(steps.format("u.speed - 5")).found] == ["RW0402 11"]


def test_a_jump_back_forgets_what_the_steps_between_write(checked: Callable[..., Any]) -> None:
    found = checked(
        "procedure p(u: Unit):\n"
        '  require token: u.morale >= 1 "no token"\n'
        "  step 1:\n"
        "    take 1 from u.morale\n"
        "  step 2:\n"
        "    if u.morale < u.speed:\n"
        "      proceed to 1 at most 3\n"
    ).found
    assert found == [f"RW0402 4: {NO_ROOM}"]


def test_the_answer_of_whether_is_known(checked: Callable[..., Any]) -> None:
    found = checked(
        "procedure p(u: Unit):\n  ask u.owner whether push:\n    if push:\n      take up to 1 from u.morale\n"
    ).found
    assert found == ["RW0404 3: this condition is always `yes` here"]


def test_a_match_narrows_its_subject(checked: Callable[..., Any]) -> None:
    found = checked(
        "values Answer: one, two\n"
        "procedure p(a: Answer?) gives Answer:\n"
        "  match a:\n"
        "    on none:\n"
        "      finish with one\n"
        "    on one, two:\n"
        "      finish with a\n"
    ).found
    assert found == []


def test_else_of_a_take_knows_that_there_is_no_room(checked: Callable[..., Any]) -> None:
    found = checked(
        "procedure p(u: Unit):\n  take 1 from u.morale\n  else:\n    if u.morale = 0:\n      remove u\n"
    ).found
    assert found == ["RW0404 4: this condition is always `yes` here"]
