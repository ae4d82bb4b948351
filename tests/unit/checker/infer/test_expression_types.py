"""The type of every sort of expression."""

from collections.abc import Callable

import pytest

TYPES = {
    "numbers": [
        ("1 + 2", "3"),
        ("u.morale + n", "0..18"),
        ("u.morale - n", "-9..9"),
        ("u.morale * n", "0..81"),
        ("-n", "-9..0"),
        ("n / 2", "fraction"),
        ("2.5", "fraction"),
        ("floor(n / 2)", "0..4"),
        ("ceiling(n / 2)", "0..5"),
        ("round(n / 2)", "0..5"),
        ("min(n, 3)", "0..3"),
        ("max(0, n - 3)", "0..6"),
        ("abs(n - 5)", "0..5"),
        ("if(n > 3, 1, 7)", "1..7"),
        ("1..n", "list of 1..9"),
    ],
    "flags": [
        ("u.owner != t.owner", "flag"),
        ("u.health < out", "flag"),
        ("n in 1..6", "flag"),
        ("u in units and u not in u.friends", "flag"),
        ("not u.destroyed", "flag"),
        ("some x in units where x.destroyed", "flag"),
        ("no x in units where x.destroyed", "flag"),
        ("every x in units: x.strong", "flag"),
        ("melee(u, t)", "flag"),
    ],
    "words": [
        ("u.health = fit", "flag"),
        ("fit = u.health", "flag"),
        ("u.health in {fit, out}", "flag"),
        ("scope = out", "flag"),
        ("Symbol.out", "Symbol"),
        ("along(u.health, 1)", "Health"),
        ("if(n > 1, u.health, fit)", "Health"),
        ("{u.health, out}", "set of Health"),
        ("{out, u.health}", "set of Health"),
    ],
    "things": [
        ("u.leader", "Unit?"),
        ("active", "Unit"),
        ("hero", "Unit?"),
        ("u.leader != none and u.leader.strong", "flag"),
        ("if(u.leader = none, 0, u.leader.morale)", "0..9"),
        ("if(n > 1, u, none)", "Unit?"),
        ('Hit(weapon: "axe", amount: 3)', "Hit"),
        ('Hit("axe", 3).amount', "1..20"),
    ],
    "collections": [
        ("units", "set of Unit"),
        ("players", "set of player"),
        ("field", "set of hex"),
        ("removed(units)", "set of Unit"),
        ("{u, t} + u.friends", "set of Unit"),
        ("u.friends - {u}", "set of Unit"),
        ("u.friends + {}", "set of Unit"),
        ("[each x in units: x.speed]", "list of 1..6"),
        ("{each x in units where x.morale > 3}", "set of Unit"),
        ("{each (a, b) in pairs(units, units) where a != b}", "set of (Unit, Unit)"),
        ("count(units)", "whole number from 0"),
        ("count(each x in units where x.strong)", "whole number from 0"),
        ("sum(each x in units: x.morale)", "whole number from 0"),
        ("max([n, 3, 12])", "0..12"),
        ("starting_with([u, t], u)", "list of Unit"),
        ("sorted([each x in units: x.speed])", "list of 1..6"),
        ("position(u, [u, t])", "whole number from 1"),
        ("connected(u, melee)", "set of Unit"),
    ],
    "boards": [
        ("neighbours(u.at)", "set of hex"),
        ("distance(u.at, t.at)", "whole number from 0"),
        ("adjacent(u.at, t.at)", "flag"),
        ("directions()", "set of direction"),
        ("rear_hexes(u.at, u.facing)", "set of hex"),
        ("step(u.at, u.facing) in field", "flag"),
        ("side(u.at, t.at).wall", "flag"),
        ("u.at.blocked", "flag"),
        ("occupants(u.at)", "set of Unit"),
        ("hex(0, -1)", "hex"),
    ],
}


@pytest.mark.parametrize(("expression", "type_"), [case for cases in TYPES.values() for case in cases])
def test_type_of(infer_measure: Callable[..., tuple[str, list[str]]], expression: str, type_: str) -> None:
    assert infer_measure(expression) == (type_, [])


def test_a_direction_may_lead_nowhere(infer_measure: Callable[..., tuple[str, list[str]]]) -> None:
    type_, messages = infer_measure("direction(u.at, t.at)")
    assert (type_, [each[:6] for each in messages]) == ("direction", ["RW0419"])
    assert infer_measure("if(u.at != t.at, direction(u.at, t.at), 0)") == ("direction", [])


def test_entries_of_lists_and_maps(infer_measure: Callable[..., tuple[str, list[str]]]) -> None:
    held = "waiting: list of Unit, blows: map of (Unit, Health) to 0..12, u: Unit"
    type_, messages = infer_measure("waiting[1].morale", held)
    assert (type_, [each[:6] for each in messages]) == ("0..9", ["RW0418"])
    assert infer_measure("blows[u, out] + 1", held) == ("1..13", [])
    assert infer_measure("sum(each (x, h) in blows where h = out: blows[x, h])", held) == ("whole number from 0", [])


def test_dice_have_faces_and_counters(infer_measure: Callable[..., tuple[str, list[str]]]) -> None:
    dice = "d: die, p: pool"
    assert infer_measure("d.natural + 1", dice) == ("whole number", [])
    assert infer_measure("d.rerolls = 0", dice) == ("flag", [])
    assert infer_measure("total(p)", dice) == ("whole number", [])
    assert infer_measure("count(each x in p where x.natural >= 3)", dice) == ("whole number from 0", [])


def test_a_term_without_parameters_is_read_like_a_name(infer_measure: Callable[..., tuple[str, list[str]]]) -> None:
    more = "term strongest() gives set of Unit means {each x in units where x.strong}\n"
    assert infer_measure("count(strongest)", more=more) == ("whole number from 0", [])
    assert infer_measure("count(strongest())", more=more) == ("whole number from 0", [])
