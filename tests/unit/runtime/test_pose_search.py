"""Searches for a place: fitting exactly, polygons, bases with corners, what is remembered, answers given inline."""

from math import cos, sin, tau
from typing import Any

import jsonschema
import pytest

from rulewright.documents.name_table import NameTable
from rulewright.documents.request_schemas import request_schema
from rulewright.runtime.answer_reasons import find_legal_answer
from rulewright.runtime.executable import compile_program
from rulewright.runtime.faults import RunLimits
from rulewright.runtime.pose_search import generate_headings
from rulewright.runtime.request import Ended, Faulted, Refused
from rulewright.runtime.run import Paused, Run, answer_paused, start_run
from support.reference.ruleset_texts import load_program, read_situation

RULES = """\
ruleset placing "Placing" revision "1"
kind Mini, minis:
  owner: player
  at: point?
  facing: angle = 0
  base: shape
  tired: flag = no
kind Wall, walls:
  outline: polygon
board field of plane
game:
  count: 0..9 = 0

procedure into(m: Mini, w: Wall) "Into an area":
  ask m.owner to place m as spot "Where?":
    require inside: aboard(spot, w.outline) "it has to lie inside"
    require room: fits(spot)
    place m at spot
  else:
    remove m

procedure between(m: Mini, first: Mini, second: Mini) "Between two":
  ask m.owner to place m as spot "Where?":
    require first: contact(spot, first)
    require second: contact(spot, second)
    require room: fits(spot)
    place m at spot
  else:
    remove m

procedure again(m: Mini) "Twice":
  if some p in poses(m) where fits(p) and p.at.x > 5:
    set m.tired to yes
  if some p in poses(m) where fits(p) and p.at.x > 5:
    set count to 1
  place m at none
  if no p in poses(m) where fits(p) and p.at.x > 5:
    set count to 2

procedure look(m: Mini) "Look":
  ask m.owner to turn m as way "Which way?":
    require odd: way = 123.45
    turn m to way
  else:
    nothing
"""
EXTERNALS = """
external term open(m: Mini) gives flag
external term near(a: Mini, b: Mini) gives flag

procedure asked(m: Mini) "Asked first":
  ask m.owner to place m as spot "Where?":
    require open: open(m) "it is shut in"
    require near: no x in minis where contact(spot, x) and near(m, x) "too near"
    place m at spot
  else:
    remove m
"""
OF = load_program(RULES)
EXECUTABLE = compile_program(OF, traced=False)
TRACED = compile_program(OF, traced=True)
FIELD = "walls:\n  box: {outline: [[4, 4], [6, 4], [6, 5], [4, 5]]}\nfield: {width: 12, depth: 12}\n"


def _start(*minis: str) -> Any:
    lines = "\n".join(f"  m{number}: {{owner: red, {each}}}" for number, each in enumerate(minis))
    return read_situation(f"players: [red]\nminis:\n{lines}\n{FIELD}", OF)


def _found(procedure: str, arguments: tuple[Any, ...], *minis: str) -> Any:
    paused = start_run(EXECUTABLE, _start(*minis), procedure, arguments)
    assert isinstance(paused, Paused), paused
    assert paused.request.question is not None
    found = find_legal_answer(paused.request.question)
    outcome = answer_paused(paused, found)
    assert isinstance(outcome, Ended), outcome
    return found


ROUND = "base: {round: 1}"
TRAY = "base: {width: 2, length: 1}"


def test_a_base_with_corners_goes_into_an_area_of_its_size() -> None:
    assert _found("into", (0, 0), f"at: [1, 1], {TRAY}") == (0, (5000, 4500), 0)


def test_a_base_is_put_between_two_that_are_just_so_far_apart() -> None:
    trays = (f"at: [5, 2], {TRAY}", f"at: [8, 2], {TRAY}")
    _, (x, _), _ = _found("between", (0, 1, 2), f"at: [1, 1], {ROUND}", *trays)
    assert x == 6500


def test_two_that_are_too_far_apart_cannot_both_be_touched() -> None:
    far = (f"at: [4, 2], {ROUND}", f"at: [6.1, 8], {ROUND}")
    assert _found("between", (0, 1, 2), f"at: [1, 1], {ROUND}", *far) is None


def test_places_that_are_worked_out_are_charged_before_any_is_judged() -> None:
    round_ = [[round(6 + 3 * cos(tau * at / 90), 3), round(6 + 3 * sin(tau * at / 90), 3)] for at in range(90)]
    walls = "".join(f"  w{number}: {{outline: {round_}}}\n" for number in range(9))
    board = f"field: {{width: 12, depth: 12}}\nwalls:\n{walls}"
    begun = read_situation(f"players: [red]\nminis:\n  m: {{owner: red, at: [1, 1], base: {{round: 30}}}}\n{board}", OF)
    outcome = Run.begin(EXECUTABLE, begun, "again", (0,), RunLimits(work=1_000_000)).outcome
    assert isinstance(outcome, Faulted), outcome
    assert (outcome.code, outcome.address) == ("RW0901", "again/if")


def test_the_way_to_look_is_found_among_all_angles() -> None:
    assert float(_found("look", (0,), f"at: [1, 1], {ROUND}")) == 123.45


def test_all_angles_are_tried_once() -> None:
    paused = start_run(EXECUTABLE, _start(f"at: [1, 1], facing: 7, {ROUND}"), "look", (0,))
    assert isinstance(paused, Paused)
    assert paused.request.question is not None
    world = paused.request.question.world
    found = list(generate_headings(world, 0))
    assert found[:6] == [7, 0, 90, 180, 270, 45]
    assert len(found) == len(set(found)) == 36_000


def test_a_search_is_remembered_by_what_it_read() -> None:
    looked = EXECUTABLE.tables.found_poses
    looked.clear()
    outcome = start_run(EXECUTABLE, _start(f"at: [1, 1], {ROUND}"), "again", (0,))
    assert isinstance(outcome, Ended)
    assert outcome.state.extract_situation().game["count"] == 1
    assert len(looked) == 3


def test_the_schema_of_a_place_takes_what_is_read() -> None:
    begun = _start(f"at: [1, 1], {ROUND}")
    paused = start_run(TRACED, begun, "into", (0, 0))
    assert isinstance(paused, Paused)
    schema = request_schema(paused.request, NameTable(OF, begun.base))
    for right in ({"at": [5, 4.5]}, {"at": [5, 4.5], "facing": 90}, None, "none", "no place"):
        jsonschema.validate(right, schema)
    for wrong in ([5, 4.5], {"facing": 90}, {"at": [5, 4.5], "thing": "m0"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_external_values_are_asked_for_before_the_question() -> None:
    of = load_program(RULES + EXTERNALS)
    minis = (
        f"players: [red]\nminis:\n  a: {{owner: red, at: [1, 1], {ROUND}}}\n  b: {{owner: red, at: [4, 4], {ROUND}}}\n"
    )
    executable = compile_program(of, traced=True)
    value = start_run(executable, read_situation(minis + FIELD, of), "asked", (0,))
    assert isinstance(value, Paused)
    assert (value.request.sort, value.request.name) == ("value", "open")
    shut = answer_paused(value, False)
    assert isinstance(shut, Paused)
    assert isinstance(answer_paused(shut, None), Ended)
    free = answer_paused(value, True)
    assert isinstance(free, Paused)
    refused = answer_paused(free, (0, (3000, 4000), 0))
    assert isinstance(refused, Refused)
    assert refused.reasons[0].text == "`near` has to be known to judge it; give it a default, or bind it"
    assert isinstance(answer_paused(free, (0, (2000, 2000), 0)), Ended)
